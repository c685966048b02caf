"""Reasons that were stored in English reach their reader in the reader's language."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from knowledge import stored_reasons
from knowledge.parsers.filetypes import FILE_TYPES
from knowledge.parsers.registry import engines_by_type
from knowledge.reason_words import ENGINE_LABELS, REASONS, TYPE_LABELS
from knowledge.stored_reasons import is_known, told
from scripts.translations import ROOT

WRITERS = ("knowledge/parsers", "knowledge/ingest")
"""Where sentences for owners are written without gettext: they run in processes of their own."""
FOR_PROGRAMMERS = (
    *("parsers/registry.py", "ingest/helper_process.py", "ingest/ocr_worker.py"),
    *("ingest/split.py", "ingest/tiers.py", "ingest/warmup.py", "ingest/embed.py"),
)
PASSED_OVER = ("cancelled", "Parsers could reach", "meanwhile.", "77. No text", "The 7 is nested")
"""For logs; or put together of words that stand in `reason_words` one by one."""


class Marked:
    """A catalogue that puts its translations into brackets, so that they can be told apart."""

    def gettext(self, words: str) -> str:
        return f"[{words}]" if words in REASONS else words


@pytest.fixture
def brackets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(stored_reasons, "gettext", Marked().gettext)
    with translation.override("ja"):
        yield


@pytest.mark.usefixtures("brackets")
def test_a_sentence_without_values_is_translated() -> None:
    assert told("Macros are present and were ignored.") == "[Macros are present and were ignored.]"


@pytest.mark.usefixtures("brackets")
def test_values_go_into_the_translation() -> None:
    stored = "The PDF says it has 20,001 pages; at most 20,000 are read. Split it."
    assert told(stored) == f"[{stored}]"


@pytest.mark.usefixtures("brackets")
def test_a_sentence_within_another_is_translated_too() -> None:
    stored = "The address answered with error 503. It is tried again automatically."
    expected = "[[The address answered with error 503.] It is tried again automatically.]"
    assert told(stored) == expected


@pytest.mark.usefixtures("brackets")
def test_what_was_left_out_is_told_with_its_number() -> None:
    stored = (
        "Left out, because they are too large or too many, or their names cannot be kept: a.txt,"
        " b.txt and 3 more. Unpack the file and upload them by themselves."
    )
    assert told(stored) == f"[{stored}]"


@pytest.mark.usefixtures("brackets")
def test_words_of_somebody_else_stay_as_they_are() -> None:
    assert told("model overloaded, come back at 7") == "model overloaded, come back at 7"


def test_english_readers_get_what_was_stored() -> None:
    with translation.override("en"):
        assert (
            told("Macros are present and were ignored.") == "Macros are present and were ignored."
        )


@pytest.mark.parametrize(
    "stored",
    [
        "This is a gzip archive; unpack it first although it is called .pdf. No text can be read"
        " from it.",
        "The page is nested so deeply that no program could show it. Save it anew or as PDF.",
        "Text that nobody can see was left out: pages 1, 2, 3 and 4 more.",
    ],
    ids=["binary", "nested", "pages"],
)
def test_sentences_put_together_of_parts_are_known(stored: str) -> None:
    assert is_known(stored)


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a file that no gettext marks, values replaced by a number."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed_over = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr | ast.Call)
        and (isinstance(node, ast.JoinedStr) or ast.unparse(node.func) in ("_", "gettext_noop"))
        for inner in ast.walk(node)
        if inner is not node
    }
    passed_over |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.expr) or id(node) in passed_over:
            continue
        text = ""
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        if len(text.split()) > 3 and text.endswith(".") and "\n" not in text:
            yield node.lineno, text


def test_labels_of_engines_are_known_to_the_translators() -> None:
    labels = {engine.label for engines in engines_by_type().values() for engine in engines}
    assert labels - {""} - set(ENGINE_LABELS) == set(), "add them to knowledge/reason_words.py"


def test_labels_of_types_are_those_that_exist() -> None:
    labels = {each.label for each in FILE_TYPES.values()}
    assert set(TYPE_LABELS) - labels == set(), "take them out of knowledge/reason_words.py"
    assert {label for label in labels if label.endswith(("picture", "recording"))} <= {*TYPE_LABELS}


def test_each_sentence_for_owners_is_known_to_the_translators() -> None:
    unknown = []
    for folder in WRITERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name.endswith(FOR_PROGRAMMERS):
                continue
            unknown += [
                f"{name}:{line} {text}"
                for line, text in sentences(path)
                if not is_known(text) and not any(part in text for part in PASSED_OVER)
            ]
    assert unknown == [], "add them to knowledge/reason_words.py"
