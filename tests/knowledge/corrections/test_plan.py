"""Corrections in their places: random documents, random splits, random edits."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from hypothesis import HealthCheck, given, settings, strategies as st

from knowledge.base_settings import SplitOptions
from knowledge.corrections.anchor import Anchor
from knowledge.corrections.plan import Plan, plan_reading
from knowledge.ingest.tiers import split_document
from knowledge.parsers.contract import Block, ParsedDocument

WORDS = [
    "harbor",
    "lamp",
    "keeper",
    "rope",
    "night",
    "tide",
    "pier",
    "oil",
    "watch",
    "bell",
    "fog",
    "north",
    "captain",
    "stone",
    "wind",
]
CONTEXT = 300


def parsed(text: str) -> ParsedDocument:
    return ParsedDocument(blocks=(Block(markdown=text),))


@dataclass(frozen=True)
class Edit:
    """What a person wrote instead of a passage."""

    number: int
    """Of the passage, counted round."""
    find: int
    """Of the word in it, counted round."""
    kind: str


def edited(text: str, edit: Edit, mark: str) -> str:
    words = list(re.finditer(r"\S+", text))
    word = words[edit.find % len(words)]
    if edit.kind == "replace":
        return text[: word.start()] + mark + text[word.end() :]
    if edit.kind == "insert":
        return text[: word.start()] + f"{mark} " + text[word.start() :]
    if edit.kind == "append":
        return f"{text} {mark}"
    return f"{mark} stands here now."


def anchors_of(text: str, options: SplitOptions, edits: list[Edit]) -> list[Anchor]:
    drafts = split_document(parsed(text), options).chunks
    made: dict[int, Anchor] = {}
    for number, edit in enumerate(edits):
        draft = drafts[edit.number % len(drafts)]
        made.setdefault(
            draft.index,
            Anchor(
                key=str(number),
                original=draft.text,
                text=edited(draft.text, edit, f"CORRECTION{number}X"),
                before=text[max(0, draft.char_start - CONTEXT) : draft.char_start],
                after=text[draft.char_end : draft.char_end + CONTEXT],
                page=draft.page_from,
                near=draft.char_start,
            ),
        )
    return list(made.values())


def read_again(text: str, options: SplitOptions, anchors: list[Anchor]) -> Plan:
    made = split_document(parsed(text), options)
    return plan_reading(text, made.chunks, parents=made.parents, anchors=anchors)


def shown(texts: list[str]) -> str:
    return "".join("".join(texts).split())


SENTENCES = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=4, max_size=14).map(
        lambda words: " ".join(words).capitalize() + "."
    ),
    min_size=6,
    max_size=60,
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    sentences = draw(SENTENCES)
    parts: list[str] = []
    for number, sentence in enumerate(sentences):
        if draw(st.integers(0, 9)) == 0:
            parts.append(f"\n\n# Chapter {number}\n\n")
        parts.append(sentence + draw(st.sampled_from([" ", "\n", "\n\n"])))
    return parsed("".join(parts).strip()).text


SIZES = st.integers(200, 900)
EDITS = st.lists(
    st.builds(
        Edit,
        number=st.integers(0, 40),
        find=st.integers(0, 60),
        kind=st.sampled_from(["replace", "insert", "append", "rewrite"]),
    ),
    min_size=1,
    max_size=4,
)
SLOWLY = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def whole(size: int) -> SplitOptions:
    return SplitOptions(size_characters=size, overlap_characters=0)


@SLOWLY
@given(documents(), SIZES, SIZES, EDITS)
def test_after_any_split_each_correction_stands_once_and_nothing_else_changed(
    text: str, first: int, second: int, edits: list[Edit]
) -> None:
    anchors = anchors_of(text, whole(first), edits)
    by_start = {anchor.near: anchor for anchor in anchors}
    once = split_document(parsed(text), whole(first)).chunks
    expected = [by_start[d.char_start].text if d.char_start in by_start else d.text for d in once]
    plan = read_again(text, whole(second), anchors)
    assert plan.lost == set()
    assert shown([draft.text for draft in plan.drafts]) == shown(expected)
    for anchor in anchors:
        mark = re.findall(r"CORRECTION\d+X", anchor.text)[0]
        assert sum(draft.text.count(mark) for draft in plan.drafts) == 1


@SLOWLY
@given(documents(), SIZES, st.lists(SIZES, min_size=2, max_size=3), EDITS)
def test_corrections_of_corrections_survive_split_after_split(
    text: str, first: int, sizes: list[int], edits: list[Edit]
) -> None:
    anchors = anchors_of(text, whole(first), edits)
    marks = {re.findall(r"CORRECTION\d+X", anchor.text)[0] for anchor in anchors}
    plan = read_again(text, whole(first), anchors)
    wanted = shown([draft.text for draft in plan.drafts])
    for size in sizes:
        plan = read_again(text, whole(size), anchors)
        assert shown([draft.text for draft in plan.drafts]) == wanted
        anchors = [
            Anchor(
                key=str(index),
                original=passage.read,
                text=passage.draft.text,
                before=text[max(0, passage.draft.char_start - CONTEXT) : passage.draft.char_start],
                after=text[passage.draft.char_end : passage.draft.char_end + CONTEXT],
                near=passage.draft.char_start,
            )
            for index, passage in enumerate(plan.passages)
            if passage.is_changed
        ]
    found = "".join(draft.text for draft in plan.drafts)
    assert {mark for mark in marks if mark in found} == marks


@SLOWLY
@given(documents(), SIZES, EDITS, st.integers(600, 1500))
def test_sections_say_what_their_passages_say(
    text: str, first: int, edits: list[Edit], parent: int
) -> None:
    anchors = anchors_of(text, whole(first), edits)
    options = SplitOptions(parents=True, parent_characters=parent, child_characters=120)
    plan = read_again(text, options, anchors)
    assert plan.lost == set()
    for passage in plan.passages:
        if passage.draft.parent is None or not passage.is_changed:
            continue
        section = plan.parents[passage.draft.parent]
        for mark in re.findall(r"CORRECTION\d+X", passage.draft.text):
            assert mark in section.draft.text


@SLOWLY
@given(documents(), SIZES, SIZES, EDITS)
def test_another_engine_with_other_marks_finds_the_same_places(
    text: str, first: int, second: int, edits: list[Edit]
) -> None:
    anchors = [replace(each, near=None) for each in anchors_of(text, whole(first), edits)]
    other = re.sub(r"(?m)^# ", "## ", text).replace(" captain ", " **captain** ")
    plan = read_again(parsed(other).text, whole(second), anchors)
    placed = [anchor for anchor in anchors if anchor.key not in plan.lost]
    found = "".join(draft.text for draft in plan.drafts)
    for anchor in placed:
        (mark,) = re.findall(r"CORRECTION\d+X", anchor.text)
        assert found.count(mark) == 1


@SLOWLY
@given(documents(), SIZES, st.integers(0, 40), SIZES)
def test_what_is_switched_off_is_off_again_or_lost(
    text: str, first: int, number: int, second: int
) -> None:
    drafts = split_document(parsed(text), whole(first)).chunks
    draft = drafts[number % len(drafts)]
    anchor = Anchor(
        key="off",
        original=draft.text,
        text=draft.text,
        before=text[max(0, draft.char_start - CONTEXT) : draft.char_start],
        after=text[draft.char_end : draft.char_end + CONTEXT],
        is_enabled=False,
        near=draft.char_start,
    )
    assert read_again(text, whole(first), [anchor]).off == {draft.index}
    plan = read_again(text, whole(second), [anchor])
    assert bool(plan.off) != ("off" in plan.lost)
