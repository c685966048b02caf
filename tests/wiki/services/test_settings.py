"""A base gets a wiki; its settings are checked."""

from __future__ import annotations

import pytest

from accounts.models import AuditEvent
from core.errors import AccessDenied, Invalid, NotFound
from tests.factories.knowledge import make_base
from tests.personas import Persona
from wiki.queries import get_wiki
from wiki.services.settings import disable_wiki, enable_wiki, update_settings


def test_a_wiki_is_switched_on_off_and_on_again(olivia: Persona) -> None:
    with olivia.scope():
        base = make_base(olivia.space)
        with pytest.raises(NotFound):
            get_wiki(olivia.actor, base.pk)
        made = enable_wiki(olivia.actor, base_id=base.pk)
        disable_wiki(olivia.actor, base_id=base.pk)
        with pytest.raises(NotFound):
            get_wiki(olivia.actor, base.pk)
        assert enable_wiki(olivia.actor, base_id=base.pk).pk == made.pk
        assert get_wiki(olivia.actor, base.pk).base == base


def test_who_reads_the_base_changes_no_setting(olivia: Persona, victor: Persona) -> None:
    with olivia.scope():
        base = make_base(olivia.space)
        enable_wiki(olivia.actor, base_id=base.pk)
        with pytest.raises(AccessDenied):
            update_settings(victor.actor, base_id=base.pk, review="open")


def test_every_bad_value_is_named(olivia: Persona) -> None:
    with olivia.scope():
        base = make_base(olivia.space)
        enable_wiki(olivia.actor, base_id=base.pk)
        bad = {"review": "never", "batch_size": 0, "auto_approve": "all"}
        with pytest.raises(Invalid) as refusal:
            update_settings(olivia.actor, base_id=base.pk, **bad)
        assert set(refusal.value.data["fields"]) == {*("review", "batch_size", "auto_approve")}
        with pytest.raises(Invalid, match="'colour'"):
            update_settings(olivia.actor, base_id=base.pk, colour="red")
        assert get_wiki(olivia.actor, base.pk).review == "agents"


def test_a_change_is_written_down(olivia: Persona) -> None:
    with olivia.scope():
        base = make_base(olivia.space)
        enable_wiki(olivia.actor, base_id=base.pk)
        update_settings(olivia.actor, base_id=base.pk, review="all")
        event = AuditEvent.objects.get(action="wiki.settings")
        assert event.details["changed"] == ["review"]
        for name in ("is_public", "public_name"):  # published by a door of its own
            with pytest.raises(Invalid, match=name):
                update_settings(olivia.actor, base_id=base.pk, **{name: True})
