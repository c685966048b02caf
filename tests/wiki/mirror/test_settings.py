"""Who shares the base switches its mirror on and off; what they enter is checked and written down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from core.errors import AccessDenied, Conflict, Invalid
from core.jobs.work import work
from core.models import BackgroundJob
from core.tenancy import space_scope
from knowledge.models import KnowledgeBase
from tests.factories.wiki import make_page
from tests.personas import Persona
from wiki.mirror import git as git_module
from wiki.mirror.repository import folder_of
from wiki.models import WikiMirror
from wiki.services.mirror import mirror_now, switch_mirror_off, switch_mirror_on
from wiki.shown import mirror as shown

ADDRESS = "https://93.184.215.14/wiki.git"


@pytest.fixture(autouse=True)
def mirrors(settings: Any, tmp_path: Path) -> None:
    settings.WIKI_MIRRORS = tmp_path / "mirrors"


@pytest.mark.django_db
def test_on_change_off_are_written_down_and_the_token_never(
    olivia: Persona, wiki: KnowledgeBase
) -> None:
    switch_mirror_on(olivia.actor, base_id=wiki.pk, address=ADDRESS, token="s3cr3t")
    row = switch_mirror_on(olivia.actor, base_id=wiki.pk, address=ADDRESS, branch="docs")
    assert row.token == "s3cr3t"
    row = switch_mirror_on(olivia.actor, base_id=wiki.pk, address=f"{ADDRESS}x")
    assert row.token == "", "it was not entered for that address"
    switch_mirror_on(olivia.actor, base_id=wiki.pk, address=ADDRESS, token="other")
    switch_mirror_off(olivia.actor, base_id=wiki.pk)
    row.refresh_from_db()
    assert (row.is_on, row.token) == (False, "")
    events = AuditEvent.objects.filter(action__startswith="wiki.mirror").order_by("pk")
    assert [each.action for each in events] == ["wiki.mirror_on"] * 4 + ["wiki.mirror_off"]
    assert "s3cr3t" not in str(list(events.values()))
    with pytest.raises(Conflict):
        mirror_now(olivia.actor, base_id=wiki.pk)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("address", "http://github.com/a/b.git"),
        ("address", "file:///etc"),
        ("address", "ext::sh -c true"),
        ("address", "git@github.com:a/b.git"),
        ("address", "https://me:pw@github.com/a/b.git"),
        ("address", "https://169.254.169.254/a.git"),
        ("address", "https://localhost/a.git"),
        ("address", "--upload-pack=x"),
        ("branch", "--force"),
        ("branch", "a..b"),
        ("branch", "x.lock"),
        ("token", "a\nb: c"),
    ],
)
def test_what_cannot_be_used_is_refused(
    olivia: Persona, wiki: KnowledgeBase, settings: Any, field: str, value: str
) -> None:
    from core.addresses import AllowList

    settings.SSRF_ALLOW = AllowList()
    entered = {"address": ADDRESS, "branch": "main", "token": "x", field: value}
    with pytest.raises(Invalid) as refusal:
        switch_mirror_on(olivia.actor, base_id=wiki.pk, **entered)
    assert list(refusal.value.data["fields"]) == [field]
    assert not WikiMirror.objects.exists()


@pytest.mark.django_db
def test_who_may_not_share_the_base_neither_sees_nor_sets_it(
    victor: Persona, wiki: KnowledgeBase
) -> None:
    for act in (switch_mirror_on, switch_mirror_off, mirror_now):
        with pytest.raises(AccessDenied):
            act(victor.actor, base_id=wiki.pk)


@pytest.mark.django_db
def test_the_page_shows_state_and_errors_and_no_token(
    olivia: Persona, wiki: KnowledgeBase, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(olivia.user)
    url = reverse("wiki_settings", args=[wiki.pk])
    posted = {"action": "on", "address": ADDRESS, "branch": "main", "token": "s3cr3t"}
    assert client.post(reverse("wiki_mirror", args=[wiki.pk]), posted).status_code == 302
    WikiMirror.objects.update(last_error="It is broken.", state="failed")
    shows = client.get(url).content.decode()
    assert "It is broken." in shows
    assert ADDRESS in shows
    assert "s3cr3t" not in shows
    monkeypatch.setattr(shown, "git_program", lambda: "")
    assert "install git" in client.get(url).content.decode()
    monkeypatch.setattr("wiki.services.mirror.git_program", lambda: "")
    client.post(reverse("wiki_mirror", args=[wiki.pk]), posted)
    assert git_module.MISSING in client.get(url).content.decode()


@pytest.mark.django_db(transaction=True)
def test_what_is_published_is_mirrored_by_one_job_a_little_later(
    olivia: Persona, wiki: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    WikiMirror.objects.create(space_id=wiki.space_id, base=wiki, is_on=True)
    make_page(wiki, content="One.")
    make_page(wiki, content="Two.")
    jobs = BackgroundJob.objects.filter(name="wiki.mirror")
    assert jobs.count() == 1
    waits = (jobs[0].run_after - jobs[0].created_at).total_seconds()
    assert 25 < waits <= 31
    from django.utils import timezone

    jobs.update(run_after=timezone.now())
    while work("enrich"):
        pass
    with space_scope(wiki.space_id):
        row = WikiMirror.objects.get(base=wiki)
    assert (row.state, row.last_error, row.commits) == ("done", "", 2)
    assert folder_of(wiki.space_id, wiki.pk).exists()
