"""Blocks that go with a question."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given, settings, strategies as st
from inline_snapshot import snapshot

from agents.engine.context_blocks import (
    BoundBase,
    MustUse,
    Passage,
    PinnedDocument,
    must_use,
    passages_block,
    runtime_context,
)

BASE = BoundBase(
    alias="b1",
    name='HR "rules" & more',
    description="Contracts",
    capabilities=("vector", "keyword"),
    documents=12,
    recent=("Notice <2026>.pdf",),
)


def test_the_block_tells_bases_pins_and_time() -> None:
    block = runtime_context(
        bases=[BASE],
        pinned=[PinnedDocument(alias="d1", name="Contract.pdf")],
        current_time="2026-03-01 09:00 +01:00",
    )
    assert block == snapshot("""\
<runtime_context scope="this_turn">
<current_time>2026-03-01 09:00 +01:00</current_time>
<bound_knowledge_bases>
<knowledge_base id="b1" name='HR "rules" &amp; more' documents="12" can="vector keyword">
Contracts
<recent>Notice &lt;2026&gt;.pdf</recent>
</knowledge_base>
</bound_knowledge_bases>
<pinned_documents>
<document id="d1" name="Contract.pdf"/>
</pinned_documents>
<communication_instruction>Speak to the person about what you do, never about tool names or ids: say "a keyword search", not the name of the tool.</communication_instruction>
<answer_instruction>When you know enough, write the complete answer as plain text and call no further tool.</answer_instruction>
</runtime_context>\
""")
    ET.fromstring(block)


def test_mentions_become_orders() -> None:
    assert must_use(MustUse()) == ""
    assert must_use(MustUse(servers=("mcp_tracker_",), skills=("minutes",))) == snapshot("""\
<must_use>
Use the tools whose names begin with mcp_tracker_ for this question.
Read skill://minutes/SKILL.md first and follow it for this question.
</must_use>\
""")


def test_passages_carry_their_aliases() -> None:
    passage = Passage(
        alias="c1",
        document_alias="d1",
        name="a.pdf",
        text="30 < 60 days",
        page=3,
        heading="4. Notice",
    )
    assert passages_block([passage]) == snapshot("""\
<passages>
<passage id="c1" document="d1" name="a.pdf" page="3" heading="4. Notice">
30 &lt; 60 days
</passage>
</passages>\
""")


@given(
    name=st.text(alphabet="<>&\"'/ab ", max_size=30), text=st.text(alphabet="<>&]/ab", max_size=30)
)
@settings(deadline=None, max_examples=100, derandomize=True)
def test_no_name_and_no_text_closes_a_tag(name: str, text: str) -> None:
    block = passages_block([Passage(alias="c1", document_alias="d1", name=name, text=text)])
    (passage,) = ET.fromstring(block)
    assert passage.get("name") == name
    assert passage.text == f"\n{text}\n"
