"""The tools of the wiki: reading what one may, edits that are published or wait, sources, issues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.bindings import capabilities_of
from agents.engine.testing import ScriptedModel, call, calls, say
from agents.models import Agent, RunEvent
from agents.tools.wiki_issues import WIKI_ISSUE_TOOLS
from agents.tools.wiki_read import WIKI_READ_TOOLS, wiki_search
from agents.tools.wiki_write import WIKI_WRITE_TOOLS
from knowledge.access.restrict import Place, restrict
from knowledge.models import Chunk, KnowledgeBase
from tests.agents.runs.conftest import Script, carry_out, put
from tests.factories.agents import make_agent
from tests.factories.knowledge import make_base, make_document
from tests.factories.wiki import make_page, make_wiki
from tests.personas import Persona
from wiki.constants import AuthorKind, IssueState, ReviewMode
from wiki.models import WikiChange, WikiIssue, WikiPage, WikiRevision, WikiSentence, WikiSettings
from wiki.pages.sources import store_sources
from wiki.text.sentences import sentence_hash

Play = Callable[[Script], ScriptedModel]
NAMES = [each.name for each in (*WIKI_READ_TOOLS, *WIKI_WRITE_TOOLS, *WIKI_ISSUE_TOOLS)]
CONTENT = "The trim wheel sets the elevator. It turns by hand. See [[concept/elevator]]."


@pytest.fixture
def wiki(asker: Persona) -> KnowledgeBase:
    """A base of hers with a wiki of two pages; only the first rests on a document."""
    base = make_base(asker.space, name="Glider", created_by=asker.user)
    make_wiki(base, review=ReviewMode.OPEN)
    page = make_page(base, slug="concept/trim-wheel", title="Trim wheel", content=CONTENT)
    make_page(base, slug="concept/elevator", title="Elevator", content="It moves up and down.")
    document = make_document(base, name="manual.txt", texts=["The wheel turns by hand.", "End."])
    chunk = Chunk.objects.get(document=document, position=0)
    store_sources(page, {sentence_hash("It turns by hand."): [chunk.pk]})
    return base


@pytest.fixture
def fixer(asker: Persona) -> Agent:
    return make_agent(asker.space, name="Fixer", config={"allowed_tools": NAMES})


def run(asker: Persona, script: Play, fixer: Agent, *turns: Any) -> list[dict[str, Any]]:
    """Let the agent make these calls, a turn each; returns what became of them."""
    script([*(calls(each) for each in turns), say("Done.")])
    asked = put(asker, "Mend it.", agent_id=fixer.pk)
    carry_out()
    events = RunEvent.objects.filter(run=asked, type="tool_call_finished").order_by("seq")
    return [event.data for event in events]


def read(slug: str = "concept/trim-wheel") -> Any:
    return call("wiki_read_page", call_id="r", slugs=[slug])


def test_a_base_has_a_wiki_with_its_first_page(asker: Persona) -> None:
    base = make_base(asker.space, created_by=asker.user)
    make_wiki(base)
    assert not wiki_search.requires.is_met_by(capabilities_of(base))
    make_page(base)
    assert wiki_search.requires.is_met_by(capabilities_of(base))


def test_pages_are_found_and_read_with_their_links_and_sources(
    asker: Persona, script: Play, wiki: KnowledgeBase, fixer: Agent
) -> None:
    found, page, index, source, bad = run(
        asker,
        script,
        fixer,
        call("wiki_search", call_id="1", queries=["TRIM +wheel", "elev.tor"]),
        read(),
        read("index"),
        call("wiki_read_source_doc", call_id="4", knowledge_id="d1", query="by (hand|motor)"),
        call("wiki_search", call_id="5", queries=["(unclosed"]),
    )
    assert "b1 concept/trim-wheel: Trim wheel" in found["output"]
    assert "concept/elevator: Elevator" in found["output"]
    assert CONTENT in page["output"]
    assert "- concept/elevator (Elevator)" in page["output"]
    assert "[c1] d1 manual.txt" in page["output"]
    assert page["data"]["wiki_pages"][0]["version"] == 1
    assert "b1 concept: 2 pages" in index["output"]
    assert "Passages 0 of 2" in source["output"]
    assert not bad["ok"]
    assert "no regular expression" in bad["output"]


def test_an_edit_names_its_sources_and_says_what_became_of_it(
    asker: Persona, script: Play, wiki: KnowledgeBase, fixer: Agent
) -> None:
    change = call(
        "wiki_replace_text",
        call_id="2",
        slug="concept/trim-wheel",
        old_text="It turns by hand.",
        new_text="It turns by hand or motor. [c1] It is red.",
    )
    unread = call(
        "wiki_replace_text",
        call_id="3",
        slug="concept/trim-wheel",
        old_text="It is red.",
        new_text="It is blue.",
        source_refs=["c7"],
    )
    _page, done, refused = run(asker, script, fixer, read(), change, unread)
    assert "Published as revision 2 of concept/trim-wheel" in done["output"]
    assert not refused["ok"]
    page = WikiPage.objects.get(slug="concept/trim-wheel")
    assert page.content == CONTENT.replace(
        "It turns by hand.", "It turns by hand or motor. It is red."
    )
    sourced = set(WikiSentence.objects.filter(page=page).values_list("text_hash", flat=True))
    assert sentence_hash("It turns by hand or motor.") in sourced
    revision = WikiRevision.objects.get(page=page, number=2)
    assert (revision.author_kind, revision.agent_id) == (AuthorKind.AGENT, fixer.pk)
    assert revision.run_id is not None


def test_under_review_nothing_is_published(
    asker: Persona, script: Play, wiki: KnowledgeBase, fixer: Agent
) -> None:
    WikiSettings.objects.filter(base=wiki).update(review=ReviewMode.AGENTS)
    new = call(
        "wiki_write_page",
        call_id="1",
        slug="concept/rudder",
        title="Rudder",
        summary="Steers.",
        content="The rudder steers.",
        page_type="concept",
    )
    rename = call("wiki_rename_page", call_id="2", slug="concept/elevator", new_slug="concept/lift")
    told = run(asker, script, fixer, new, rename)
    assert "waits for review as change request #1" in told[0]["output"]
    assert "waits for review as change request #2" in told[1]["output"]
    assert WikiPage.objects.count() == 2
    assert WikiChange.objects.filter(author_kind=AuthorKind.AGENT).count() == 2


def test_a_page_is_only_written_whole_as_it_was_read(
    asker: Persona, script: Play, wiki: KnowledgeBase, fixer: Agent
) -> None:
    def whole(call_id: str) -> Any:
        return call(
            "wiki_write_page",
            call_id=call_id,
            slug="concept/elevator",
            title="Elevator",
            summary="",
            content="It moves up, down and back.",
            page_type="concept",
        )

    unread, _page, done = run(
        asker, script, fixer, whole("1"), read("concept/elevator"), whole("3")
    )
    assert "was not read yet" in unread["output"]
    assert "Published as revision 2" in done["output"]
    WikiPage.objects.filter(slug="concept/elevator").update(content="Long. " * 3_000)
    _page, long = run(asker, script, fixer, read("concept/elevator"), whole("2"))
    assert "Change it by parts" in long["output"]


def test_what_the_person_may_not_read_is_neither_found_nor_lost(
    asker: Persona, script: Play, wiki: KnowledgeBase, fixer: Agent, adam: Persona
) -> None:
    wiki.created_by = adam.user
    wiki.save()
    document_id = Chunk.objects.get(text="The wheel turns by hand.").document_id
    restrict(adam.actor, Place(base_id=wiki.pk, document_id=document_id), user_ids=[], group_ids=[])
    write = call(
        "wiki_write_page",
        call_id="3",
        slug="concept/trim-wheel",
        title="Trim wheel",
        summary="",
        content="Short.",
        page_type="concept",
    )
    found, page, refused = run(
        asker,
        script,
        fixer,
        call("wiki_search", call_id="1", queries=["turns by hand"]),
        read(),
        write,
    )
    assert "No page matches" in found["output"]
    assert "turns by hand" not in page["output"]
    assert "1 sentences are not for the person" in page["output"]
    assert "would lose them" in refused["output"]


def test_a_problem_is_reported_read_and_settled(
    asker: Persona, script: Play, wiki: KnowledgeBase, fixer: Agent
) -> None:
    flag = call(
        "wiki_flag_issue",
        call_id="2",
        slug="concept/trim-wheel",
        issue_type="out_of_date",
        description="The manual says motor.",
        suspected_knowledge_ids=["d1"],
    )
    _page, flagged, listed = run(
        asker, script, fixer, read(), flag, call("wiki_read_issue", slug="concept/trim-wheel")
    )
    issue = WikiIssue.objects.get()
    assert issue.reporter_kind == AuthorKind.AGENT
    assert str(issue.pk) in flagged["output"]
    assert "The manual says motor. Documents: d1." in listed["output"]
    (settled,) = run(
        asker, script, fixer, call("wiki_update_issue", issue_id=str(issue.pk), status="resolved")
    )
    issue.refresh_from_db()
    assert settled["ok"]
    assert issue.state == IssueState.RESOLVED


def test_a_deletion_asks_first(
    asker: Persona, script: Play, wiki: KnowledgeBase, fixer: Agent
) -> None:
    assert run(asker, script, fixer, call("wiki_delete_page", slug="concept/elevator")) == []
    assert WikiPage.objects.filter(trashed_at=None).count() == 2
