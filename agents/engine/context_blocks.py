"""Blocks that go with the question: what is bound, what was pinned, what must be used.

They describe one turn only, so they are sent with it (`RunState.runtime_context`) and never stored
as part of the conversation. Everything in them is escaped: a document's name must not close a tag.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

COMMUNICATION = (
    "Speak to the person about what you do, never about tool names or ids: say "
    '"a keyword search", not the name of the tool.'
)
ANSWERING = (
    "When you know enough, write the complete answer as plain text and call no further tool."
)


@dataclass(frozen=True, kw_only=True)
class BoundBase:
    """A base the agent may search in this turn."""

    alias: str
    name: str
    description: str = ""
    capabilities: tuple[str, ...] = ()
    documents: int = 0
    recent: tuple[str, ...] = ()
    """Names of its newest documents."""


@dataclass(frozen=True, kw_only=True)
class PinnedDocument:
    """A document the person pointed at."""

    alias: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A found passage, as a quick answer reads it."""

    alias: str
    document_alias: str
    name: str
    text: str
    page: int | None = None
    heading: str = ""


@dataclass(frozen=True, kw_only=True)
class MustUse:
    """What the person mentioned with @ and wants used."""

    servers: tuple[str, ...] = ()
    """Prefixes of the tools, such as `mcp_tracker_`."""
    skills: tuple[str, ...] = ()


def runtime_context(
    *,
    bases: Sequence[BoundBase] = (),
    pinned: Sequence[PinnedDocument] = (),
    current_time: str = "",
    session: str = "",
    instructs: bool = True,
) -> str:
    """Return the block that describes this turn; a quick answer needs no words about tools."""
    lines = ['<runtime_context scope="this_turn">']
    if current_time:
        lines.append(f"<current_time>{escape(current_time)}</current_time>")
    if session:
        lines.append(f"<session>{escape(session)}</session>")
    if bases:
        lines += ["<bound_knowledge_bases>", *map(_base, bases), "</bound_knowledge_bases>"]
    if pinned:
        lines.append("<pinned_documents>")
        lines += [f"<document id={quoteattr(d.alias)} name={quoteattr(d.name)}/>" for d in pinned]
        lines.append("</pinned_documents>")
    if instructs:
        lines.append(f"<communication_instruction>{COMMUNICATION}</communication_instruction>")
        lines.append(f"<answer_instruction>{ANSWERING}</answer_instruction>")
    return "\n".join([*lines, "</runtime_context>"])


def _base(base: BoundBase) -> str:
    head = (
        f"<knowledge_base id={quoteattr(base.alias)} name={quoteattr(base.name)}"
        f' documents="{base.documents}" can={quoteattr(" ".join(base.capabilities))}>'
    )
    inner = [escape(base.description)] if base.description else []
    inner += [f"<recent>{escape(name)}</recent>" for name in base.recent]
    return "\n".join([head, *inner, "</knowledge_base>"])


def must_use(wanted: MustUse) -> str:
    """Return the block for @mentions; empty when nothing was mentioned."""
    lines = [
        f"Use the tools whose names begin with {escape(prefix)} for this question."
        for prefix in wanted.servers
    ]
    lines += [
        f"Read skill://{escape(name)}/SKILL.md first and follow it for this question."
        for name in wanted.skills
    ]
    return "\n".join(["<must_use>", *lines, "</must_use>"]) if lines else ""


def passages_block(passages: Sequence[Passage]) -> str:
    """Return found passages with their aliases, for the model to cite."""
    return "\n".join(["<passages>", *map(passage_block, passages), "</passages>"])


def passage_block(passage: Passage) -> str:
    """Return one passage; tools use the same form."""
    place = f' page="{passage.page}"' if passage.page is not None else ""
    heading = f" heading={quoteattr(passage.heading)}" if passage.heading else ""
    return (
        f"<passage id={quoteattr(passage.alias)} document={quoteattr(passage.document_alias)}"
        f" name={quoteattr(passage.name)}{place}{heading}>\n{escape(passage.text)}\n</passage>"
    )
