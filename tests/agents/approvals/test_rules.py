"""What an agent's rules say of a call; what cannot be evaluated asks."""

from __future__ import annotations

import time
from typing import Any

import pytest

from agents.approvals.rules import RuleVerdict, evaluate_rules
from agents.configuration import ArgumentRule, ToolApproval


def rule(argument: str, operator: str, value: str = "", mode: str = "ask") -> ArgumentRule:
    return ArgumentRule.model_validate(
        {"argument": argument, "operator": operator, "value": value, "mode": mode}
    )


def evaluated(
    *rules: ArgumentRule, mode: str = "auto", tool: str = "send", **arguments: Any
) -> RuleVerdict:
    entry = ToolApproval.model_validate({"tool": tool, "mode": mode, "rules": rules})
    return evaluate_rules([entry], name="send", arguments=arguments, side_effects="unsafe")


@pytest.mark.parametrize(
    ("side_effects", "mode"), [("none", "auto"), ("idempotent", "auto"), ("unsafe", "ask")]
)
def test_without_an_entry_the_side_effects_decide(side_effects: str, mode: str) -> None:
    verdict = evaluate_rules([], name="send", arguments={}, side_effects=side_effects)
    assert verdict.mode == mode


def test_own_entry_wins_over_that_for_all_others() -> None:
    entries = [ToolApproval(tool="*", mode="off"), ToolApproval(tool="send", mode="auto")]
    one = evaluate_rules(entries, name="send", arguments={}, side_effects="unsafe")
    other = evaluate_rules(entries, name="read", arguments={}, side_effects="none")
    assert (one.mode, other.mode) == ("auto", "off")


@pytest.mark.parametrize(
    ("made", "arguments"),
    [
        (rule("to", "equals", "Boss@Example.org"), {"to": "boss@example.org"}),
        (rule("count", "equals", "10"), {"count": 10.0}),
        (rule("flag", "equals", "true"), {"flag": True}),
        (rule("to", "contains", "@other."), {"to": ["a@example.org", "b@OTHER.org"]}),
        (rule("to", "matches", r"@(?!example\.org)"), {"to": "a@other.org"}),
        (rule("count", "greater", "5"), {"count": 6}),
        (rule("count", "less", "5"), {"count": "4"}),
        (rule("cc", "present"), {"cc": "x"}),
        (
            rule("mail.to.name", "equals", "ada"),
            {"mail": {"to": [{"name": "bo"}, {"name": "ada"}]}},
        ),
        (rule("*", "contains", "secret"), {"deep": {"er": ["top SECRET"]}}),
        (rule("*", "greater", "100"), {"a": "text", "b": {"c": 101}}),
        (rule("a.b", "equals", "x"), {"a.b": "x"}),
    ],
    ids=lambda value: (
        f"{value.operator} {value.argument}" if isinstance(value, ArgumentRule) else ""
    ),
)
def test_fitting_rule_wins_over_the_entry(made: ArgumentRule, arguments: dict[str, Any]) -> None:
    verdict = evaluated(made, **arguments)
    assert verdict.mode == "ask"
    assert verdict.reason


@pytest.mark.parametrize(
    ("made", "arguments"),
    [
        (rule("to", "equals", "boss"), {"to": "bossy"}),
        (rule("count", "greater", "5"), {"count": 5}),
        (rule("cc", "present"), {"cc": None}),
        (rule("cc", "present"), {}),
        (rule("cc", "greater", "5"), {}),
        (rule("a.b", "equals", "x"), {"a": {"c": "x"}}),
    ],
)
def test_rule_that_does_not_fit_leaves_the_entry(
    made: ArgumentRule, arguments: dict[str, Any]
) -> None:
    assert evaluated(made, **arguments).mode == "auto"


@pytest.mark.parametrize(
    ("made", "arguments"),
    [
        (rule("to", "matches", "(", mode="auto"), {"to": "x"}),
        (rule("count", "greater", "many", mode="auto"), {"count": 5}),
        (rule("count", "greater", "5", mode="auto"), {"count": "a lot"}),
        (rule("count", "less", "5", mode="auto"), {"count": True}),
    ],
    ids=["bad pattern", "no limit", "no number", "a truth value"],
)
def test_rule_that_cannot_be_evaluated_asks(made: ArgumentRule, arguments: dict[str, Any]) -> None:
    assert evaluated(made, mode="auto", **arguments).mode == "ask"
    assert evaluated(made, mode="off", **arguments).mode == "ask"


def test_pattern_that_takes_for_ever_asks_and_ends() -> None:
    began = time.monotonic()
    verdict = evaluated(rule("text", "matches", "(x+x+)+y", mode="auto"), text="x" * 20_000)
    assert verdict.mode == "ask"
    assert time.monotonic() - began < 5


def test_first_fitting_rule_wins() -> None:
    rules = (rule("to", "contains", "a", "off"), rule("to", "contains", "ab", "auto"))
    assert evaluated(*rules, to="ab").mode == "off"


def test_rule_that_lets_run_wants_every_value_and_the_exact_one() -> None:
    made = rule("to", "equals", "ada", mode="auto")
    assert evaluated(made, mode="ask", to=["ada", "ada"]).mode == "auto"
    assert evaluated(made, mode="ask", to=["ada", "eve"]).mode == "ask"
    assert evaluated(made, mode="ask", to="ADA").mode == "ask"
    whole = rule("to", "matches", "ad.", mode="auto")
    assert evaluated(whole, mode="ask", to="ada").mode == "auto"
    assert evaluated(whole, mode="ask", to="ada and eve").mode == "ask"
