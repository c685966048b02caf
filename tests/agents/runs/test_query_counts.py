"""How many statements stand before the first words of an answer: a committed baseline.

`make query-counts` records it anew; a commit that changes it says why.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.engine.testing import ScriptedModel, say
from agents.services.conversations import Question, ask, create_conversation
from tests.agents.runs.conftest import Script, carry_out, put
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
BASELINE = Path(__file__).with_name("query_counts.json")
RECORDS = bool(os.environ.get("WEKNORA_RECORD_QUERY_COUNTS"))


def test_statements_before_the_first_words_are_those_of_the_baseline(
    asker: Persona, script: Callable[[Script], ScriptedModel]
) -> None:
    make_document(make_base(asker.space, name="Handbook"), texts=["Fourteen weeks."])
    script([say("One."), say("Two."), say("Three.")])
    put(asker, "What fills the caches?")
    carry_out()
    conversation = create_conversation(asker.actor, title="A talk")
    found = {}
    for name in ("first", "second"):
        with CaptureQueriesContext(connection) as asked:
            ask(asker.actor, Question(text="Why?"), conversation_id=conversation.pk)
        # The loop and its recorder work in threads of their own: this is what comes before them.
        with CaptureQueriesContext(connection) as taken:
            carry_out()
        found[f"{name} question"] = len(asked)
        found[f"{name} run, taken and ended"] = len(taken)
    if RECORDS:
        BASELINE.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    assert found == json.loads(BASELINE.read_text(encoding="utf-8"))
