"""What the agent's own rules say about a call: off, ask or auto, and why.

A rule that cannot be evaluated counts as "ask". Rules of mode `ask` and `off` are read widely (upper
and lower case are the same, one fitting value suffices), rules of mode `auto` strictly (exactly, and
every value must fit): a model that plays with its arguments gains nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, assert_never

import regex
from django.utils.translation import gettext as _

from agents.configuration import ApprovalMode, ArgumentRule, ToolApproval

REGEX_TIMEOUT_SECONDS = 0.1
ANY = "*"


@dataclass(frozen=True, kw_only=True)
class RuleVerdict:
    """What the rules say."""

    mode: ApprovalMode
    reason: str
    """For the person who is asked, or for the model when the tool is off."""
    timeout_seconds: int | None = None
    """None: the space's."""


class _CannotTell(Exception):
    """The rule cannot be evaluated for this value."""


def evaluate_rules(
    approvals: Sequence[ToolApproval],
    *,
    name: str,
    arguments: Mapping[str, Any],
    side_effects: str,
) -> RuleVerdict:
    """Return the mode of a call: the tool's entry, else that of `*`, else by its side effects."""
    entry = _entry_for(approvals, name)
    if entry is None:
        if side_effects == "unsafe":
            reason = _("It changes something that cannot be taken back by itself.")
            return RuleVerdict(mode="ask", reason=reason)
        return RuleVerdict(mode="auto", reason="")
    for rule in entry.rules:
        try:
            fits = _fits(rule, arguments)
        except _CannotTell:
            reason = _("A rule about “%(argument)s” could not be evaluated for this call.")
            return _verdict(entry, "ask", reason % {"argument": rule.argument})
        if fits:
            return _verdict(entry, rule.mode, _because(rule))
    return _verdict(entry, entry.mode, _reason_of(entry))


def _verdict(entry: ToolApproval, mode: ApprovalMode, reason: str) -> RuleVerdict:
    return RuleVerdict(mode=mode, reason=reason, timeout_seconds=entry.timeout_seconds)


def _entry_for(approvals: Sequence[ToolApproval], name: str) -> ToolApproval | None:
    by_name = {entry.tool: entry for entry in approvals}
    return by_name.get(name) or by_name.get(ANY)


def _reason_of(entry: ToolApproval) -> str:
    match entry.mode:
        case "ask":
            return _("The agent is set up to ask before it uses this tool.")
        case "off":
            return _("The tool is turned off for this agent.")
        case "auto":
            return ""
        case _:
            assert_never(entry.mode)


def _because(rule: ArgumentRule) -> str:
    words = {
        "equals": _("“%(argument)s” is “%(value)s”."),
        "contains": _("“%(argument)s” contains “%(value)s”."),
        "matches": _("“%(argument)s” matches “%(value)s”."),
        "greater": _("“%(argument)s” is greater than %(value)s."),
        "less": _("“%(argument)s” is less than %(value)s."),
        "present": _("“%(argument)s” is given."),
    }
    argument = _("An argument") if rule.argument == ANY else rule.argument
    return words[rule.operator] % {"argument": argument, "value": rule.value}


def _fits(rule: ArgumentRule, arguments: Mapping[str, Any]) -> bool:
    values = list(_values_at(rule.argument, arguments))
    if rule.operator == "present":
        return bool(values)
    if not values:
        return False
    exact = rule.mode == "auto"
    found = [_fits_value(rule, value, exact=exact) for value in values]
    return all(found) if exact else any(found)


def _values_at(path: str, arguments: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the plain values at a dotted path; lists on the way are walked through."""
    if path == ANY:
        yield from _leaves(dict(arguments))
    elif path in arguments:
        yield from _leaves(arguments[path])
    else:
        yield from _walk(path.split("."), dict(arguments))


def _walk(parts: Sequence[str], value: Any) -> Iterator[Any]:
    if not parts:
        yield from _leaves(value)
    elif isinstance(value, list):
        for each in value:
            yield from _walk(parts, each)
    elif isinstance(value, dict) and parts[0] in value:
        yield from _walk(parts[1:], value[parts[0]])


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)
    elif value is not None:
        yield value


def _fits_value(rule: ArgumentRule, value: Any, *, exact: bool) -> bool:
    match rule.operator:
        case "equals":
            return _same(value, rule.value, exact=exact)
        case "contains":
            return _folded(rule.value, exact) in _folded(_text(value), exact)
        case "matches":
            return _matches(rule.value, _text(value), exact=exact)
        case "greater" | "less":
            return _compare(rule, value)
        case "present":
            return True
        case _:
            assert_never(rule.operator)


def _same(value: Any, wanted: str, *, exact: bool) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = _number(wanted)
        return number is not None and _number(value) == number
    return _folded(_text(value), exact) == _folded(wanted, exact)


def _compare(rule: ArgumentRule, value: Any) -> bool:
    limit, number = _number(rule.value), _number(value)
    if limit is None:
        raise _CannotTell
    if number is None:
        if rule.argument == ANY:  # texts beside the numbers are none of the rule's business
            return False
        raise _CannotTell
    return number > limit if rule.operator == "greater" else number < limit


def _matches(pattern: str, text: str, *, exact: bool) -> bool:
    try:
        compiled = regex.compile(pattern, 0 if exact else regex.IGNORECASE)
        search = compiled.fullmatch if exact else compiled.search
        found = search(text, timeout=REGEX_TIMEOUT_SECONDS, concurrent=True)
    except (regex.error, TimeoutError, RecursionError, MemoryError) as error:
        raise _CannotTell from error
    return found is not None


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool):
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _folded(text: str, exact: bool) -> str:
    return text if exact else text.casefold()
