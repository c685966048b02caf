"""Several people decide and edit at once: one text is published, none is lost."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections

from core.errors import ProjectError
from core.tenancy import space_scope
from tests.personas import Persona
from tests.wiki.changes.conftest import TEXT, Desk
from tests.wiki.changes.test_deciding import approve, propose
from wiki.changes.submitting import submit
from wiki.constants import ChangeState
from wiki.models import WikiChange, WikiPage, WikiRevision

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(space_id: int, *acts: Callable[[], object]) -> list[object]:
    """Let all begin together; an expected failure is the result of its act."""
    barrier = Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        try:
            with space_scope(space_id):
                barrier.wait()
                return act()
        except ProjectError as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def test_two_approvals_publish_once(
    desk: Desk, victor: Persona, olivia: Persona, adam: Persona
) -> None:
    change = propose(desk, victor)
    results = at_once(
        desk.base.space_id, lambda: approve(change, olivia), lambda: approve(change, adam)
    )
    assert sum(isinstance(each, ProjectError) for each in results) == 1
    assert WikiRevision.objects.filter(page=desk.page).count() == 2


def test_approval_and_edit_never_overwrite_each_other(
    desk: Desk, victor: Persona, olivia: Persona, adam: Persona
) -> None:
    change = propose(desk, victor)
    edit = desk.edit(olivia, "Olivia's.\n")
    at_once(
        desk.base.space_id,
        lambda: approve(change, adam),
        lambda: submit(olivia.actor, desk.base, desk.page, edit, on_version=1),
    )
    change = WikiChange.objects.get(pk=change.pk)
    page = WikiPage.objects.get(pk=desk.page.pk)
    assert page.version == 2
    approved = change.state == ChangeState.PUBLISHED
    assert page.content == (TEXT + "More.\n" if approved else "Olivia's.\n")


def test_numbers_stay_apart(desk: Desk, victor: Persona) -> None:
    edits = [desk.edit(victor, f"Text {n}.\n") for n in range(6)]
    at_once(
        desk.base.space_id,
        *(
            (lambda edit=edit: submit(victor.actor, desk.base, desk.page, edit, on_version=1))
            for edit in edits
        ),
    )
    assert sorted(WikiChange.objects.values_list("number", flat=True)) == list(range(1, 7))
