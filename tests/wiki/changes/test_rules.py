from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories.knowledge import make_document
from tests.personas import Persona
from tests.wiki.changes.conftest import TEXT, Desk
from wiki.changes.risks import find_risks
from wiki.changes.rules import RULES
from wiki.changes.submitting import submit
from wiki.constants import AuthorKind, ChangeAction, ChangeState
from wiki.models import WikiChange
from wiki.text.sentences import sentence_hash

pytestmark = pytest.mark.django_db
NEW = "The pilot boat lies at berth 9."


@pytest.mark.parametrize(
    ("rule", "content", "holds"),
    [
        ("small_edits", TEXT.replace("has two", "knows two"), True),
        ("small_edits", TEXT.replace("pier 4", "pier 5"), False),
        ("small_edits", TEXT + "There are 9 boats.\n", False),
        ("small_edits", TEXT + "word " * 40, False),
        ("typos", TEXT.replace("harbour", "harbor"), True),
        ("typos", TEXT.replace("harbour", "airport"), False),
        ("typos", TEXT.replace("pier 4", "pier 5"), False),
        ("links_only", TEXT.replace("gauge", "[[concept/gauge|gauge]]"), True),
        ("links_only", TEXT.replace("gauge", "[[concept/gauge|meter]]"), False),
        ("sourced_additions", TEXT + f"\n{NEW}\n", False),
    ],
)
def test_rule_approves_what_it_says_and_no_more(
    desk: Desk, olivia: Persona, rule: str, content: str, holds: bool
) -> None:
    assert RULES[rule].holds(desk.page, desk.edit(olivia, content)) is holds


def test_additions_need_passages_of_the_base(desk: Desk, olivia: Persona) -> None:
    chunk = make_document(desk.base, texts=[NEW]).chunks.get()
    other = make_document(desk.base, texts=["x"]).chunks.get()
    other_id = other.pk
    edit = desk.edit(olivia, TEXT + f"\n{NEW}\n", kind=AuthorKind.AGENT)
    edit = replace(edit, sources={sentence_hash(NEW): [chunk.pk]})
    rule = RULES["sourced_additions"]
    assert rule.holds(desk.page, edit)
    other.delete()
    gone = replace(edit, sources={sentence_hash(NEW): [other_id]})
    assert not rule.holds(desk.page, gone)
    shorter = replace(edit.text, content=edit.text.content.replace("two tides a day", "tides"))
    assert not rule.holds(desk.page, replace(edit, text=shorter))


def test_chosen_rule_publishes_and_keeps_its_name(desk: Desk, olivia: Persona) -> None:
    content = TEXT.replace("harbour", "harbor")
    assert desk.submit(olivia, content, kind=AuthorKind.AGENT).change is not None
    type(desk.settings).objects.update(auto_approve=["typos", "unknown"])
    outcome = desk.submit(olivia, content + "\n", kind=AuthorKind.AGENT)
    assert outcome.revision is None  # another line is more than a typing error
    outcome = desk.submit(olivia, TEXT.replace("gauge", "gaugé"), kind=AuthorKind.AGENT)
    change = WikiChange.objects.get(approved_by_rule="typos")
    assert outcome.revision is not None
    assert (change.state, outcome.revision.change) == (ChangeState.PUBLISHED, change)


@pytest.mark.parametrize("kind", [AuthorKind.USER, AuthorKind.AGENT])
def test_rule_publishes_for_nobody_who_may_not(
    desk: Desk, victor: Persona, kind: AuthorKind
) -> None:
    type(desk.settings).objects.update(auto_approve=list(RULES))
    outcome = desk.submit(victor, TEXT.replace("gauge", "gaugé"), kind=kind)
    assert outcome.revision is None
    assert outcome.change is not None
    assert outcome.change.state == ChangeState.IN_REVIEW
    desk.page.refresh_from_db()
    assert desk.page.content == TEXT


def test_signs_say_what_is_lost_and_what_contradicts(desk: Desk, olivia: Persona) -> None:
    old = TEXT + "\nThe lamp of [[concept/pier]] was lit on 1 May 1901.\n\n![lamp](lamp.png)\n"
    desk.submit(olivia, old)
    new = TEXT.replace("pier 4", "pier 5") + "\nAll is new here.\n"
    edit = desk.edit(olivia, new, kind=AuthorKind.AGENT)
    found = {str(risk.sign): risk.detail for risk in find_risks(desk.page, edit, ChangeAction.EDIT)}
    assert found.keys() >= {
        "facts_removed",
        "contradicts",
        "shrinks",
        "links_dropped",
        "images_dropped",
        "no_sources",
    }
    assert found["contradicts"] == "4 → 5"
    assert "All is new here." in found["no_sources"]


def test_harmless_edit_has_no_sign(desk: Desk, olivia: Persona) -> None:
    edit = desk.edit(olivia, TEXT + "\nAnd more.\n")
    assert find_risks(desk.page, edit, ChangeAction.EDIT) == []


def test_rule_lets_no_page_appear(desk: Desk, olivia: Persona) -> None:
    type(desk.settings).objects.update(auto_approve=list(RULES))
    edit = desk.edit(olivia, kind=AuthorKind.AGENT)
    edit = replace(edit, text=replace(edit.text, slug="concept/new"))
    assert submit(olivia.actor, desk.base, None, edit, on_version=0).change is not None
