"""A mirrored wiki is a repository whose commits are its revisions, each as it was exported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.utils import timezone

from accounts.platform.erasure import Subject
from core.jobs.handlers import JobCancelled
from knowledge.access.restrict import Place, restrict
from knowledge.models import Chunk, EvidenceRow, KnowledgeBase
from tests.factories.knowledge import make_document
from tests.factories.wiki import make_page
from tests.personas import Persona
from tests.wiki.mirror.conftest import Git, context, files
from wiki.constants import AuthorKind, PageStatus
from wiki.erasure import erase_document, erase_person
from wiki.mirror import mirroring
from wiki.mirror.mirroring import bring_up_to_date
from wiki.mirror.names import path_of
from wiki.mirror.repository import BRANCH, drop, folder_of
from wiki.models import WikiMirror, WikiPage, WikiRevision
from wiki.pages.writing import bring_back, publish, remove_page, text_of
from wiki.services.folders import create_folder, rename_folder
from wiki.services.pages import move_page
from wiki.services.transfer import export_page
from wiki.text.sentences import sentence_hash
from wiki.values import Author, Edit, PageText

pytestmark = pytest.mark.django_db
Run = Callable[[], WikiMirror]
PIPELINE, AGENT = Author(kind=AuthorKind.PIPELINE), Author(kind=AuthorKind.AGENT)


def write(page: WikiPage, author: Author | None = None, **fields: object) -> None:
    page.refresh_from_db()
    text = replace(text_of(page), **fields)  # type: ignore[arg-type]
    edit = Edit(text=text, author=author or PIPELINE, reason=f"Because {page.version}")
    publish(page.base, page, edit, expected_version=page.version)
    page.refresh_from_db()


def commits(git: Git) -> list[str]:
    return git("log", "--reverse", "--format=%H", BRANCH).split()


def test_each_revision_is_a_commit_with_the_bytes_of_its_export(
    olivia: Persona, wiki: KnowledgeBase, run: Run, git: Git
) -> None:
    sea = create_folder(olivia.actor, base_id=wiki.pk, name="Sea: north")
    content = "---\nno front\n---\r\nTwo tides: \u2028 [[entity/潮]]\n\n"
    exported: list[dict[str, str]] = [{}]

    def note(page: WikiPage, path: str) -> None:
        kept = {name: text for name, text in exported[-1].items() if name != gone}
        exported.append({**kept, path: export_page(olivia.actor, page.pk)[1]})

    gone = ""
    page = make_page(wiki, slug="concept/tide", title='A "tide": x', content=content, folder=sea)
    note(page, "Sea- north/concept/tide.md")
    other = make_page(wiki, slug="entity/潮", content="Ebb.", by=olivia.user)
    note(other, "entity/潮.md")
    write(page, AGENT, content="One tide.\n")
    note(page, "Sea- north/concept/tide.md")
    write(page, summary="In short.", aliases=("A", "B"), content="No tide\r\n")
    note(page, "Sea- north/concept/tide.md")
    gone = "Sea- north/concept/tide.md"
    write(page, slug="concept/tides")
    note(page, "Sea- north/concept/tides.md")
    row = run()
    found = commits(git)
    assert (row.state, row.last_error, row.commits) == ("done", "", 5)
    assert [files(git, commit) for commit in found] == exported[1:]
    assert row.last_revision_id == WikiRevision.objects.get(page=page, number=page.version).pk
    authors = git("log", "--reverse", "--format=%an <%ae>", BRANCH).splitlines()
    me = f"{olivia.user.name} <{olivia.user.pk}@users.noreply.invalid>"
    assert authors[1:3] == [me, "agent <agent@users.noreply.invalid>"]
    times = git("log", "--reverse", "--format=%at %ct %s", BRANCH).splitlines()
    revision = WikiRevision.objects.get(page=page, number=2)
    seconds = int(revision.created_at.timestamp())
    assert times[2] == f"{seconds} {seconds} Because 1"
    renamed = git("show", "-M", "--name-status", "--format=", found[-1])
    assert renamed.startswith("R"), renamed


def test_made_anew_it_has_the_same_commits_and_run_again_none_more(
    wiki: KnowledgeBase, run: Run, git: Git, mirror: WikiMirror
) -> None:
    page = make_page(wiki, content="One.")
    for number in range(5):
        write(page, content=f"Number {number}.")
    run()
    first = commits(git)
    assert run().commits == 6
    assert commits(git) == first
    drop(folder_of(mirror.space_id, mirror.base_id))
    run()
    assert commits(git) == first
    git("fsck", "--strict")


def test_killed_half_way_it_goes_on_where_it_was(
    wiki: KnowledgeBase,
    run: Run,
    git: Git,
    mirror: WikiMirror,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = make_page(wiki, content="One.")
    for number in range(10):
        write(page, content=f"Number {number}.")
    run()
    whole = commits(git)
    drop(folder_of(mirror.space_id, mirror.base_id))
    WikiMirror.objects.filter(pk=mirror.pk).update(commits=0)
    monkeypatch.setattr(mirroring, "_COMMITS_AT_ONCE", 3)
    killed = context()
    asked = iter(range(1000))
    monkeypatch.setattr(
        killed, "check", lambda: killed.stop("x") if next(asked) == 7 else _go(killed)
    )
    with pytest.raises(JobCancelled):
        bring_up_to_date(killed, base_id=wiki.pk)
    assert commits(git) == whole[:6]
    assert WikiMirror.objects.get(pk=mirror.pk).commits == 0, "the row was not told"
    assert run().commits == 11
    assert commits(git) == whole


def _go(killed: object) -> None:
    if killed._stop.is_set():  # type: ignore[attr-defined]
        raise JobCancelled("killed")


def test_deletions_moves_drafts_and_what_comes_back(
    olivia: Persona, wiki: KnowledgeBase, run: Run, git: Git
) -> None:
    sea = create_folder(olivia.actor, base_id=wiki.pk, name="Sea")
    page = make_page(wiki, slug="concept/a", content="A.")
    other = make_page(wiki, slug="concept/b", content="B.", folder=sea)
    run()
    move_page(olivia.actor, page.pk, folder_id=sea.pk)
    rename_folder(olivia.actor, sea.pk, name="Ocean")
    run()
    assert set(files(git)) == {"Ocean/concept/a.md", "Ocean/concept/b.md"}
    assert "folder: Ocean" in files(git)["Ocean/concept/a.md"]
    remove_page(page, expected_version=1, author=PIPELINE)
    write(other, status=PageStatus.DRAFT, content="Secret.")
    run()
    assert files(git) == {}
    assert "Secret" not in git("log", "-p", BRANCH)
    page.refresh_from_db()
    bring_back(page)
    write(other, status=PageStatus.PUBLISHED, content="B again.")
    run()
    page.refresh_from_db()
    other.refresh_from_db()
    assert files(git) == {
        "Ocean/concept/a.md": export_page(olivia.actor, page.pk)[1],
        "Ocean/concept/b.md": export_page(olivia.actor, other.pk)[1],
    }
    before = commits(git)
    run()
    assert commits(git) == before


def test_an_address_that_is_used_again_is_another_page(
    wiki: KnowledgeBase, run: Run, git: Git
) -> None:
    first = make_page(wiki, slug="concept/a", content="First.")
    remove_page(first, expected_version=1, author=PIPELINE)
    make_page(wiki, slug="concept/a", content="Second.")
    make_page(wiki, slug="concept/A", content="Of another case.")
    run()
    now = files(git)
    assert len(now) == 2
    assert "Second." in now["concept/a.md"]


def test_names_that_git_or_a_file_system_would_refuse() -> None:
    def path(folder: str, slug: str) -> str:
        return path_of(folder, slug, page_id="12345678-9", now="", taken=())

    assert path(".git/hooks", "concept/x") == "git-/hooks/concept/x.md"
    assert path("GIT~1", "x") == "GIT~1-/x.md"
    assert path(".g\u200cit", "x") == "git-/x.md"
    assert path("a.md", "../x") == "a.md-/-/x.md"
    taken = {"concept/x.md"}
    assert path_of("", "concept/x", page_id="12345678-9", now="", taken=taken) == (
        "concept/x--12345678.md"
    )
    assert path_of("", "concept/x", page_id="1", now="concept/X.md", taken=taken) == "concept/x.md"


@pytest.fixture
def sourced(wiki: KnowledgeBase) -> WikiPage:
    """A page of two sentences, each of its own document."""
    texts = "The door is open.", "The safe holds 9 bars."
    sources = {}
    for said in texts:
        document = make_document(wiki, texts=[said], name=f"{said[4:8]}.pdf")
        sources[sentence_hash(said)] = [Chunk.objects.get(document=document).pk]
    text = PageText(slug="concept/house", title="House", content=" ".join(texts))
    edit = Edit(text=text, author=PIPELINE, sources=sources)
    return publish(wiki, None, edit, expected_version=0).page


def all_bytes(git: Git) -> str:
    return git("log", "--all", "-p", "--format=%an %ae %B") + git(
        "cat-file", "--batch-all-objects", "--batch"
    )


def test_what_is_restricted_later_leaves_the_history(
    olivia: Persona, cora: Persona, run: Run, git: Git, sourced: WikiPage
) -> None:
    run()
    assert "9 bars" in all_bytes(git)
    assert "safe.pdf" in all_bytes(git)
    document_id = EvidenceRow.objects.get(document_name="safe.pdf").document_id
    restrict(
        olivia.actor,
        Place(base_id=sourced.base_id, document_id=document_id),
        user_ids=[cora.user.pk],
        group_ids=[],
    )
    row = run()
    assert row.made_anew_at is not None
    assert "9 bars" not in all_bytes(git)
    assert "safe.pdf" not in all_bytes(git)
    assert "door" in all_bytes(git)


def test_what_is_erased_leaves_the_history(run: Run, git: Git, sourced: WikiPage) -> None:
    write(sourced, content="The door is open. The safe holds 9 bars. A person says so.")
    run()
    document_id = EvidenceRow.objects.get(document_name="safe.pdf").document_id
    erase_document(Subject(kind="document", id=str(document_id)))
    row = run()
    assert row.made_anew_at is not None
    assert "9 bars" not in all_bytes(git)
    assert "A person says so." in all_bytes(git)


def test_who_is_erased_and_pages_that_are_deleted_for_good_leave_it(
    olivia: Persona, wiki: KnowledgeBase, run: Run, git: Git
) -> None:
    make_page(wiki, content="Theirs.", by=olivia.user)
    other = make_page(wiki, content="Gone for good.")
    run()
    assert f"{olivia.user.pk}@users" in all_bytes(git)
    erase_person(Subject(kind="person", id=str(olivia.user.pk)))
    other.delete()
    run()
    text = all_bytes(git)
    assert f"{olivia.user.pk}@users" not in text
    assert "Gone for good" not in text
    assert "Theirs." in text


def test_the_repository_goes_when_it_is_off_and_with_its_base(
    wiki: KnowledgeBase,
    run: Run,
    mirror: WikiMirror,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    make_page(wiki)
    run()
    folder = folder_of(mirror.space_id, mirror.base_id)
    assert folder.exists()
    WikiMirror.objects.filter(pk=mirror.pk).update(is_on=False)
    run()
    assert not folder.exists()
    WikiMirror.objects.filter(pk=mirror.pk).update(is_on=True)
    KnowledgeBase.objects.filter(pk=wiki.pk).update(deleted_at=timezone.now())
    run()
    assert not folder.exists()
    KnowledgeBase.objects.filter(pk=wiki.pk).update(deleted_at=None)
    run()
    assert folder.exists()
    with django_capture_on_commit_callbacks(execute=True):
        WikiMirror.objects.get(pk=mirror.pk).delete()
    assert not folder.exists()
