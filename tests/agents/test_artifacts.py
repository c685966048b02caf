"""Published files: names, versions, once per call, who may see them, how they are sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from agents.artifact_types import MAX_BYTES, safe_name
from agents.models import AgentRun, Artifact
from agents.services.artifacts import NewFile, get_artifact, open_artifact, publish_file
from core.errors import Invalid, NotFound
from tests.factories.agents import make_conversation, make_run
from tests.factories.artifacts import make_artifact
from tests.personas import Persona


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("report.md", "report.md"),
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\temp\\a.csv", "a.csv"),
        ("a<b>:c?.md", "a_b_c_.md"),
        ("invoice\u202egpj.md", "invoicegpj.md"),
        ("no ending", "no ending.txt"),
        (".hidden.md", "hidden.md"),
        ("Übersicht.MD", "Übersicht.md"),
        ("x" * 300 + ".md", "x" * 117 + ".md"),
    ],
)
def test_name_is_one_on_every_system(name: str, safe: str) -> None:
    assert safe_name(name) == safe


@pytest.mark.parametrize("name", ["", "///", "...", "run.exe", "a.docm", "\u202e"])
def test_name_that_cannot_be_used_is_refused(name: str) -> None:
    with pytest.raises(Invalid):
        safe_name(name)


def test_media_type_only_gives_a_missing_ending() -> None:
    assert safe_name("table", media_type="text/csv") == "table.csv"
    assert safe_name("table.md", media_type="text/html") == "table.md"


@pytest.fixture
def run(cora: Persona) -> Iterator[AgentRun]:
    with cora.scope():
        yield make_run(make_conversation(cora.space, user=cora.user))


def test_name_published_again_is_a_new_version(run: AgentRun) -> None:
    versions = [make_artifact(run, content=text).version for text in ("one", "two")]
    assert versions == [1, 2]


def test_same_call_publishes_once(run: AgentRun) -> None:
    file = NewFile(name="a.md", content="text")
    first, again = (publish_file(run_id=run.pk, call_id="c", file=file) for _ in range(2))
    assert first.pk == again.pk
    assert Artifact.objects.count() == 1


@pytest.mark.parametrize(
    "content", ["", "  \n", "x" * (MAX_BYTES + 1)], ids=["empty", "blank", "big"]
)
def test_empty_and_huge_files_are_refused(run: AgentRun, content: str) -> None:
    with pytest.raises(Invalid):
        publish_file(run_id=run.pk, call_id="c", file=NewFile(name="a.md", content=content))


def test_download_is_never_shown_in_our_name(cora: Persona, run: AgentRun) -> None:
    made = make_artifact(run, name="page.html", content="<script>alert(1)</script>")
    response = cora.client.get(f"/files/{made.pk}/download/")
    assert response["Content-Disposition"] == 'attachment; filename="page.html"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]
    assert response.getvalue() == b"<script>alert(1)</script>"


def test_page_is_previewed_in_a_frame_without_scripts(cora: Persona, run: AgentRun) -> None:
    made = make_artifact(run, name="page.html", content="<script>alert(1)</script>")
    page = cora.client.get(f"/files/{made.pk}/").content.decode()
    assert f'src="/files/{made.pk}/frame/" sandbox ' in page
    assert "alert(1)" not in page
    frame = cora.client.get(f"/files/{made.pk}/frame/")
    policy = frame["Content-Security-Policy"]
    assert policy.startswith("sandbox;")
    assert "script" not in policy
    assert "default-src 'none'" in policy
    assert frame["X-Frame-Options"] == "SAMEORIGIN"


@pytest.mark.parametrize(
    ("name", "content", "shows"),
    [
        ("a.md", "# Head\n\n<b>x</b>", "<h1>Head</h1>"),
        ("a.csv", "lease;rent\nA;900\n", '<th scope="col">rent</th>'),
        ("a.json", '{"a": "<i>"}', "{&quot;a&quot;: &quot;&lt;i&gt;&quot;}"),
    ],
)
def test_preview_fits_the_type(
    cora: Persona, run: AgentRun, name: str, content: str, shows: str
) -> None:
    made = make_artifact(run, name=name, content=content)
    assert shows in cora.client.get(f"/files/{made.pk}/").content.decode()


def test_long_file_shows_its_beginning_and_says_so(cora: Persona, run: AgentRun) -> None:
    made = make_artifact(run, name="a.txt", content="é" * 300_000 + "END")
    page = cora.client.get(f"/files/{made.pk}/").content.decode()
    assert "Only the beginning is shown" in page
    assert "END" not in page


def test_broken_table_is_shown_as_far_as_it_can_be_read(cora: Persona, run: AgentRun) -> None:
    made = make_artifact(run, name="a.csv", content='a,b\n"open,1\n' + "x" * 200_000)
    assert cora.client.get(f"/files/{made.pk}/").status_code == 200


def test_bytes_go_with_the_last_row_that_has_them(
    run: AgentRun, django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[Any]]
) -> None:
    first, second = make_artifact(run, content="same"), make_artifact(run, content="same")
    with django_capture_on_commit_callbacks(execute=True):
        first.delete()
    with open_artifact(second) as file:
        assert file.read() == b"same"
    with django_capture_on_commit_callbacks(execute=True):
        Artifact.objects.get(pk=second.pk).delete()
    with pytest.raises(FileNotFoundError):
        open_artifact(second)


def test_others_do_not_see_the_file(olivia: Persona, run: AgentRun) -> None:
    made = make_artifact(run)
    with olivia.scope(), pytest.raises(NotFound):
        get_artifact(olivia.actor, made.pk)
