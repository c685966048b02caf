"""Wikis are taken out and in."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime

import pytest

from core.errors import Invalid, Refused, TooLarge
from knowledge.models import KnowledgeBase
from tests.factories.knowledge import make_base
from tests.factories.wiki import make_page, make_wiki
from tests.personas import Persona
from wiki.constants import AuthorKind
from wiki.models import WikiFolder, WikiPage, WikiRevision
from wiki.pages import transfer
from wiki.services.folders import create_folder
from wiki.services.transfer import (
    HistoricRevision,
    export_page,
    export_wiki,
    import_archive,
    import_files,
    import_history,
)


def archive(files: dict[str, bytes]) -> io.BytesIO:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as made:
        for name, data in files.items():
            made.writestr(name, data)
    target.seek(0)
    return target


def test_what_goes_out_comes_in_the_same(olivia: Persona, wiki: KnowledgeBase) -> None:
    sea = create_folder(olivia.actor, base_id=wiki.pk, name="Sea: north")
    create_folder(olivia.actor, base_id=wiki.pk, name="Empty")
    content = "---\nno front\n---\r\nTwo tides: \u2028 [[entity/潮]]\n\n"
    make_page(wiki, slug="concept/tide", title='A "tide": x', content=content, folder=sea)
    make_page(wiki, slug="entity/tide", title="Tide", aliases=["Ebb, flow"], folder=sea)
    taken = export_wiki(olivia.actor, base_id=wiki.pk)
    assert len(zipfile.ZipFile(taken).namelist()) == 4
    other = make_base(olivia.space)
    make_wiki(other)
    report = import_archive(olivia.actor, base_id=other.pk, source=taken)
    assert (report.created, report.problems) == (2, [])
    page = WikiPage.objects.get(base=other, slug="concept/tide")
    assert (page.title, page.content) == ('A "tide": x', content)
    assert page.folder is not None
    assert page.folder.path == "Sea: north"
    assert WikiPage.objects.get(base=other, slug="entity/tide").aliases == ["Ebb, flow"]
    taken.seek(0)
    assert import_archive(olivia.actor, base_id=other.pk, source=taken).unchanged == 2


def test_plain_markdown_comes_in_under_its_heading_and_folders(
    olivia: Persona, wiki: KnowledgeBase
) -> None:
    files = {
        "docs/api/keys.md": b"\xef\xbb\xbf# API keys\n\nText.",
        "a/b/c/d/deep.md": b"Deep.",
        "logo.png": b"\x89PNG",
        "bad.md": b"\xff\xfe",
        "front.md": b"---\n: [\n---\nText",
    }
    report = import_archive(olivia.actor, base_id=wiki.pk, source=archive(files))
    assert report.created == 2
    assert [each.name for each in report.problems] == ["bad.md", "front.md", "logo.png"]
    page = WikiPage.objects.get(slug="concept/api-keys")
    assert page.content == "# API keys\n\nText."
    assert sorted(WikiFolder.objects.values_list("path", flat=True)) == [
        *("a", "a/b", "a/b/c", "docs", "docs/api")
    ]
    revision = WikiRevision.objects.get(page=page)
    assert (revision.author_kind, revision.author_id) == (AuthorKind.IMPORT, olivia.user.pk)


def test_a_page_that_is_there_gets_a_revision(olivia: Persona, wiki: KnowledgeBase) -> None:
    page = make_page(wiki, slug="concept/tide", title="Tide", content="old")
    name, text = export_page(olivia.actor, page.pk)
    report = import_files(
        olivia.actor, base_id=wiki.pk, files=[(name, text.replace("old", "new").encode())]
    )
    page.refresh_from_db()
    assert (report.changed, page.version, page.content) == (1, 2, "new")


@pytest.mark.parametrize("name", ["../x.md", "/x.md", "a/../../x.md", "C:\\x.md", "..\\x.md"])
def test_a_name_that_leads_out_stops_everything(
    olivia: Persona, wiki: KnowledgeBase, name: str
) -> None:
    source = archive({"good.md": b"Good.", name: b"Bad."})
    with pytest.raises(Refused):
        import_archive(olivia.actor, base_id=wiki.pk, source=source)
    assert not WikiPage.objects.exists()


def test_what_is_too_much_is_refused(
    olivia: Persona, wiki: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Invalid):
        import_archive(olivia.actor, base_id=wiki.pk, source=io.BytesIO(b"PK no"))
    monkeypatch.setattr(transfer, "MOST_BYTES", 10)
    with pytest.raises(TooLarge):
        import_archive(olivia.actor, base_id=wiki.pk, source=archive({"a.md": b"x" * 11}))
    monkeypatch.setattr(transfer, "MOST_FILES", 1)
    with pytest.raises(TooLarge):
        import_archive(olivia.actor, base_id=wiki.pk, source=archive({"a.md": b"", "b.md": b""}))


def test_a_history_keeps_texts_and_times(olivia: Persona, wiki: KnowledgeBase) -> None:
    at = datetime(2020, 1, 2, tzinfo=UTC)
    texts = ("one", "one", "two\r\n")
    page = import_history(
        olivia.actor,
        base_id=wiki.pk,
        slug="readme",
        title="Readme",
        revisions=[HistoricRevision(content=text, written_at=at) for text in texts],
    )
    rows = WikiRevision.objects.filter(page=page).order_by("number")
    assert [(row.content, row.written_at) for row in rows] == [(text, at) for text in texts]
    assert page.content == "two\r\n"


def test_a_history_that_cannot_be_kept_leaves_nothing(olivia: Persona, wiki: KnowledgeBase) -> None:
    bad = [HistoricRevision(content="good"), HistoricRevision(content="\x00")]
    with pytest.raises(Invalid):
        import_history(olivia.actor, base_id=wiki.pk, slug="a", title="A", revisions=bad)
    assert not WikiPage.objects.exists()
