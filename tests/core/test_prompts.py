"""Prompts are filled strictly and never evaluated."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from agents.prompts import FOLDER, agent_prompt, engine_prompts
from core.errors import Invalid
from core.prompts import Prompt, PromptMistake, load_prompt, parse_prompt

SOURCE = """---
id: test.hello
version: 2
variables:
  name: who is greeted
  place: where
---
Hello {{name}} in {{ place }}, {{name}}!
"""
HELLO = parse_prompt(SOURCE, origin="hello.md")


def test_every_place_is_filled() -> None:
    assert HELLO.render(name="Ada", place="Rome") == "Hello Ada in Rome, Ada!"
    assert (HELLO.id, HELLO.version, HELLO.variables["place"]) == ("test.hello", 2, "where")


@given(name=st.text(), place=st.text())
@settings(deadline=None, max_examples=100, derandomize=True)
def test_what_was_filled_in_is_not_looked_at_again(name: str, place: str) -> None:
    assert HELLO.render(name=f"<{name}>", place=place) == f"Hello <{name}> in {place}, <{name}>!"
    assert HELLO.render(name="{{place}}", place="x") == "Hello {{place}} in x, {{place}}!"


@pytest.mark.parametrize(
    "values", [{"name": "a"}, {"name": "a", "place": "b", "more": "c"}, {}], ids=str
)
def test_missing_and_unknown_values_are_mistakes(values: dict[str, str]) -> None:
    with pytest.raises(PromptMistake):
        HELLO.render(**values)


@pytest.mark.parametrize(
    "source",
    [
        "no header",
        "---\nid: test.a\nversion: 1\n---\n",
        "---\nid: test.a\nversion: 1\n---\n{{name}}",
        "---\nid: test.a\nversion: 1\nvariables:\n  name: who\n---\nno place",
        "---\nid: test.a\nversion: 0\n---\ntext",
        "---\nid: test.a\nversion: true\n---\ntext",
        "---\nid: A\nversion: 1\n---\ntext",
        "---\nid: test.a\nversion: 1\nauthor: me\n---\ntext",
        "---\nid: test.a\nversion: 1\nvariables: [name]\n---\n{{name}}",
        "---\nid: [\n---\ntext",
        "---\nid: test.a\nversion: 1\nvariables:\n  name: who\n---\n{{name}} {{name.first}}",
        "---\nid: test.a\nversion: 1\n---\nopen {{ here",
    ],
)
def test_a_wrong_file_is_a_mistake(source: str) -> None:
    with pytest.raises(PromptMistake):
        parse_prompt(source, origin="x.md")


def test_an_override_may_leave_places_out() -> None:
    assert HELLO.overridden("Hi {{name}}.").render(name="Ada", place="Rome") == "Hi Ada."


@pytest.mark.parametrize(
    "text",
    ["{{secret}}", "{{name.__class__}}", "{{ name | upper }}", "{{", "x" * 60_000],
    ids=["unknown", "attribute", "filter", "open", "too long"],
)
def test_an_override_that_wants_more_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        HELLO.overridden(text)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PromptMistake, match=r"nothing\.md"):
        load_prompt(tmp_path / "nothing.md")


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.md")))
def test_every_prompt_of_the_agents_is_valid_and_renders(name: str) -> None:
    prompt = agent_prompt(name)
    assert isinstance(prompt, Prompt)
    filled = prompt.render(**{variable: f"<{variable}>" for variable in prompt.variables})
    assert "{{" not in filled
    assert all(f"<{variable}>" in filled for variable in prompt.variables)


def test_ids_of_prompts_are_unique() -> None:
    ids = [agent_prompt(path.stem).id for path in FOLDER.glob("*.md")]
    assert len(ids) == len(set(ids))


def test_the_engine_finds_its_prompts() -> None:
    prompts = engine_prompts()
    assert "no tool can be called" in prompts.synthesis
    assert "## Goal" in prompts.summary
    assert "previous summary" in prompts.summary_update
