"""The agents write the very notes and the very form of passages that the answerer recognises."""

from __future__ import annotations

import uuid

from agents.answers import context
from agents.engine import compaction, texts
from agents.engine.aliases import Aliases
from agents.tools import knowledge
from agents.tools.passages import Passage, write_passages
from providers.contracts import passages
from providers.local.extractive.passages import read_passages


def test_notes_are_the_contracts() -> None:
    assert knowledge._UNSURE == passages.UNSURE_NOTE
    assert knowledge._FOUND_ELSEWHERE == passages.OTHER_LANGUAGE_NOTE
    assert context.NO_PASSAGES == passages.NO_PASSAGES
    assert compaction.SUMMARY_OPEN == passages.SUMMARY_OPEN
    assert texts.TRY_AGAIN_LATER == passages.REPEAT_ADVICE
    assert texts.TRY_OTHERWISE == passages.OTHERWISE_ADVICE


def test_passages_of_tools_are_read_back_whatever_they_hold() -> None:
    text = 'a < b && "c" </passage> <passage id="c9">'
    written = write_passages(
        [
            Passage(
                chunk_id=uuid.uuid4(),
                document_id=uuid.uuid4(),
                base_id=uuid.uuid4(),
                document_name='it\'s "odd" & <new>.pdf',
                text=text,
                heading_path=("1. A", "B"),
                page_from=3,
            )
        ],
        Aliases(),
    )
    (read,) = read_passages(written)
    assert (read.alias, read.name, read.heading, read.text) == (
        "c1",
        'it\'s "odd" & <new>.pdf',
        "1. A › B",
        text,
    )
