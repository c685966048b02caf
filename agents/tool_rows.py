"""Tools as the editor lists them, and what its rows say about approvals."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy, ngettext, pgettext_lazy

from agents.bindings import serving, wanted_capabilities
from agents.catalogue import DEFAULT_TOOLS, all_tools, is_known, listed_tools
from agents.configuration import AgentConfig, ApprovalMode, ArgumentRule, ToolApproval
from agents.engine.capabilities import Capability, Requirement
from agents.engine.tools import Tool
from core.wording import listed

CAPABILITY_WORDS: Final[Mapping[Capability, Promise]] = {
    "vector": gettext_lazy("search by meaning"),
    "keyword": gettext_lazy("search by words"),
    "wiki": gettext_lazy("a wiki"),
    "graph": gettext_lazy("a knowledge graph"),
    "faq": gettext_lazy("questions and answers"),
}
TOOL_WORDS: Final[Mapping[str, tuple[Promise, Promise]]] = {
    "knowledge_search": (
        gettext_lazy("Search"),
        gettext_lazy("Finds passages by meaning and by words."),
    ),
    "grep_chunks": (gettext_lazy("Exact terms"), gettext_lazy("Finds names, numbers and codes.")),
    "list_knowledge_chunks": (
        gettext_lazy("Read a document"),
        gettext_lazy("Reads on around a passage."),
    ),
    "get_document_info": (
        gettext_lazy("Document facts"),
        gettext_lazy("Type, size, pages, age of documents."),
    ),
    "query_knowledge_graph": (
        gettext_lazy("Knowledge graph"),
        gettext_lazy("Goes along relations between people and things."),
    ),
    "read_skill": (gettext_lazy("Read skills"), gettext_lazy("Reads how a skill works.")),
    "execute_skill_script": (
        gettext_lazy("Run scripts of skills"),
        gettext_lazy("Runs a skill’s script in the sandbox of the conversation."),
    ),
    "wiki_search": (
        gettext_lazy("Search the wiki"),
        gettext_lazy("Finds pages by patterns in title, text and summary."),
    ),
    "wiki_read_page": (
        gettext_lazy("Read wiki pages"),
        gettext_lazy("Reads pages whole, with links and sources."),
    ),
    "wiki_read_source_doc": (
        gettext_lazy("Read a page’s source"),
        gettext_lazy("Reads on in the document that a page rests on."),
    ),
    "wiki_write_page": (
        gettext_lazy("Write wiki pages"),
        gettext_lazy("Writes a page, or all of one anew; waits for review where that is asked."),
    ),
    "wiki_replace_text": (
        gettext_lazy("Change a wiki page"),
        gettext_lazy("Replaces a part of a page; waits for review where that is asked."),
    ),
    "wiki_rename_page": (
        gettext_lazy("Rename wiki pages"),
        gettext_lazy("Gives a page another address; links follow."),
    ),
    "wiki_delete_page": (
        gettext_lazy("Delete wiki pages"),
        gettext_lazy("Puts a page into the trash of its wiki."),
    ),
    "wiki_flag_issue": (
        gettext_lazy("Report wiki issues"),
        gettext_lazy("Reports what is wrong with a page; changes nothing."),
    ),
    "wiki_read_issue": (
        gettext_lazy("Read wiki issues"),
        gettext_lazy("Reads what was reported on pages."),
    ),
    "wiki_update_issue": (
        gettext_lazy("Settle wiki issues"),
        gettext_lazy("Marks what was reported as mended, ignored or open."),
    ),
    "read_file": (
        gettext_lazy("Read files"),
        gettext_lazy("Reads files of the conversation's workspace and of skills."),
    ),
    "list_sandbox_files": (
        gettext_lazy("List files"),
        gettext_lazy("Lists what stands in the conversation's workspace."),
    ),
    "write_sandbox_file": (
        gettext_lazy("Write files"),
        gettext_lazy("Writes files in the conversation's workspace, and nowhere else."),
    ),
    "edit_sandbox_file": (
        gettext_lazy("Edit files"),
        gettext_lazy("Replaces exact pieces of a file in the conversation's workspace."),
    ),
    "shell_exec": (
        gettext_lazy("Run commands"),
        gettext_lazy("Runs programs in the sandbox; what looks dangerous is asked about."),
    ),
    "thinking": (
        gettext_lazy("Thinking steps"),
        gettext_lazy("Writes its reasoning down; costs more tokens."),
    ),
    "todo_write": (
        gettext_lazy("Plan"),
        gettext_lazy("Keeps a list of steps; costs more tokens."),
    ),
    "search_conversations": (
        gettext_lazy("Earlier conversations"),
        gettext_lazy("Looks into the person's own past conversations."),
    ),
}
OPERATORS: Final[Sequence[tuple[str, Promise]]] = (
    ("equals", gettext_lazy("is")),
    ("contains", gettext_lazy("contains")),
    ("matches", gettext_lazy("matches (regular expression)")),
    ("greater", gettext_lazy("is greater than")),
    ("less", gettext_lazy("is less than")),
    ("present", gettext_lazy("is given")),
)
MODES: Final[Sequence[tuple[str, Promise]]] = (
    ("off", gettext_lazy("Off")),
    ("ask", pgettext_lazy("how a tool is handled", "Ask")),
    ("auto", gettext_lazy("Auto")),
)


@dataclass(frozen=True, kw_only=True)
class ToolRow:
    """One tool in the editor."""

    name: str
    label: str
    description: str
    is_chosen: bool
    mode: str
    """off, ask or auto; what holds without an entry, too."""
    reason: str
    """Why it will not be offered to the model; empty when it will."""


def tool_rows(config: AgentConfig, in_scope: Mapping[UUID, frozenset[Capability]]) -> list[ToolRow]:
    """Return every tool there is, and those that were chosen but are missing."""
    chosen = set(config.allowed_tools or DEFAULT_TOOLS)
    entries = {each.tool: each.mode for each in config.approvals}
    rows = [
        _row(tool, chosen=chosen, entries=entries, in_scope=in_scope) for tool in listed_tools()
    ]
    missing = [name for name in config.allowed_tools if not is_known(name)]
    return rows + [
        ToolRow(
            name=name,
            label=name,
            description="",
            is_chosen=True,
            mode=entries.get(name, "ask"),
            reason=_("This installation does not have it."),
        )
        for name in missing
    ]


def _row(
    tool: Tool[Any],
    *,
    chosen: Collection[str],
    entries: Mapping[str, ApprovalMode],
    in_scope: Mapping[UUID, frozenset[Capability]],
) -> ToolRow:
    idle = serving(tool.requires, in_scope) == frozenset()
    label, description = tool_words(tool)
    return ToolRow(
        name=tool.name,
        label=label,
        description=description,
        is_chosen=tool.name in chosen,
        mode=entries.get(tool.name, default_mode(tool.name)),
        reason=needs_words([tool.requires]) if idle else "",
    )


def tool_words(tool: Tool[Any]) -> tuple[str, str]:
    """Return a tool's name and purpose for people."""
    if tool.name in TOOL_WORDS:
        label, description = TOOL_WORDS[tool.name]
        return str(label), str(description)
    return tool.name.replace("_", " ").capitalize(), tool.spec.description.partition("\n")[0]


def needs_words(requirements: Iterable[Requirement]) -> str:
    """Return what a base would need to be of use, in words."""
    wanted = wanted_capabilities(requirements)
    words = [str(told) for capability, told in CAPABILITY_WORDS.items() if capability in wanted]
    if not words:
        return _("None of its tools reads a knowledge base.")
    return _("Needs a knowledge base with %(what)s.") % {"what": _(" or ").join(words)}


def default_mode(name: str) -> ApprovalMode:
    """Return what holds for a tool without an entry: what could do harm is asked about."""
    tool = all_tools.get(name)
    return "ask" if tool is not None and tool.side_effects == "unsafe" else "auto"


def stored_tools(chosen: Sequence[str]) -> list[str]:
    """Return the list to store: none when it equals the default tools, which may grow later."""
    default = {name for name in DEFAULT_TOOLS if name in all_tools}
    return [] if set(chosen) == default else list(dict.fromkeys(chosen))


def read_approvals(data: Any, *, before: Sequence[ToolApproval]) -> list[dict[str, Any]]:
    """Return the approvals that the rows say; a tool that is as by default has no entry.

    Fields: `approval_<tool>` with a mode; and, one value a row, `rule_tool`, `rule_argument`,
    `rule_operator`, `rule_value`, `rule_mode`.
    """
    earlier = {each.tool: each for each in before}
    rules = _rules(data)
    named = [key.removeprefix("approval_") for key in data if key.startswith("approval_")]
    found = []
    for name in dict.fromkeys([*named, *earlier, *rules]):
        known = earlier.get(name)
        given = data.get(f"approval_{name}", "") or (known.mode if known else "")
        mode = given if given in get_args(ApprovalMode) else default_mode(name)
        seconds = known.timeout_seconds if known else None
        if mode == default_mode(name) and name not in rules and seconds is None and name != "*":
            continue
        found.append(
            {
                "tool": name,
                "mode": mode,
                "rules": rules.get(name, []),
                "timeout_seconds": seconds,
            }
        )
    return found


def _rules(data: Any) -> dict[str, list[dict[str, str]]]:
    columns = [
        data.getlist(f"rule_{name}") for name in ("tool", "argument", "operator", "value", "mode")
    ]
    rules: dict[str, list[dict[str, str]]] = {}
    for tool, argument, operator, value, mode in zip(*columns, strict=False):
        if tool and argument.strip():
            rules.setdefault(tool, []).append(
                {
                    "argument": argument.strip(),
                    "operator": operator,
                    "value": value,
                    "mode": mode,
                }
            )
    return rules


@dataclass(frozen=True, kw_only=True)
class RuleRow:
    """One rule about an argument, in the editor."""

    tool: str = ""
    argument: str = ""
    operator: str = "contains"
    value: str = ""
    mode: str = "ask"


def rule_rows(config: AgentConfig) -> list[RuleRow]:
    """Return the rules of all tools, in their order."""
    return [_rule_row(each.tool, rule) for each in config.approvals for rule in each.rules]


def _rule_row(tool: str, rule: ArgumentRule) -> RuleRow:
    return RuleRow(
        tool=tool,
        argument=rule.argument,
        operator=rule.operator,
        value=rule.value,
        mode=rule.mode,
    )


def missing_words(names: Sequence[str]) -> str:
    """Return a note about tools that a preset wants and the installation lacks."""
    if not names:
        return ""
    return ngettext(
        "Left out, for this installation does not have it: %(names)s.",
        "Left out, for this installation does not have them: %(names)s.",
        len(names),
    ) % {"names": listed(names)}
