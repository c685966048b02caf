"""Which prompts an agent may have: the built-in ones by id, or its own text with strict places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _

from agents.prompts import agent_prompt
from core.errors import Invalid
from core.prompts import Prompt

PromptField = Literal["system_prompt", "context_template"]

SYSTEM_PLACES: Final[Mapping[str, Promise]] = {
    "instructions": _("The agent's instructions"),
    "knowledge_bases": _("Where the model finds the knowledge bases of this question"),
    "current_time": _("Date and time of the question"),
    "language": _("The language to answer in"),
    "web_search_status": _("Whether the web may be searched"),
    "skills": _("The skills that may be used"),
}
CONTEXT_PLACES: Final[Mapping[str, Promise]] = {
    "contexts": _("The passages that were found"),
    "query": _("The question"),
    "current_time": _("Date and time of the question"),
    "language": _("The language to answer in"),
}
_PLACES: Final[Mapping[PromptField, Mapping[str, Promise]]] = {
    "system_prompt": SYSTEM_PLACES,
    "context_template": CONTEXT_PLACES,
}
SYSTEM_TEMPLATES: Final[Mapping[str, str]] = {
    "pure": "react_pure",
    "rag": "react_bases",
    "quick": "quick",
    "wiki_researcher": "wiki_researcher",
    "wiki_fixer": "wiki_fixer",
}
"""Built-in system prompts by the id that `system_prompt_id` names."""
CONTEXT_TEMPLATES: Final[frozenset[str]] = frozenset({"default_context"})
"""Built-in ways to put passages together, for `context_template_id`."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A name that may stand between double braces in one of the texts."""

    name: str
    label: str
    field: PromptField

    @property
    def written(self) -> str:
        """As it stands in the text."""
        return f"{{{{{self.name}}}}}"


def placeholders(field: PromptField) -> list[Place]:
    """Return the places that a text may have, in the order to offer them."""
    return [Place(name=name, label=str(told), field=field) for name, told in _PLACES[field].items()]


def own_prompt(field: PromptField, text: str) -> Prompt:
    """Return an agent's own text as a prompt.

    Raises:
        Invalid: it has a place that is not known (the message names it and those that are), or it
            leaves out the passages, without which nothing could be answered.
    """
    variables = {name: str(told) for name, told in _PLACES[field].items()}
    frame = Prompt(id=f"agents.own_{field}", version=1, variables=variables, text="")
    try:
        prompt = frame.overridden(text)
    except Invalid as problem:
        raise Invalid(problem.message, field=field) from problem
    if field == "context_template" and "{{contexts}}" not in text.replace(" ", ""):
        raise Invalid(gettext("The text needs {{contexts}}, where the passages go."), field=field)
    return prompt


def check_ids(*, system_prompt_id: str, context_template_id: str) -> None:
    """Return when both name built-in prompts, or none.

    Raises:
        Invalid: there is no such prompt; lists those there are.
    """
    for field, value, known in (
        ("system_prompt_id", system_prompt_id, SYSTEM_TEMPLATES),
        ("context_template_id", context_template_id, CONTEXT_TEMPLATES),
    ):
        if value and value not in known:
            choices = ", ".join(sorted(known))
            raise Invalid(f"There is no prompt {value!r}. Known: {choices}.", field=field)


def system_template(template_id: str) -> Prompt:
    """Return a built-in system prompt.

    Raises:
        Invalid: there is none of this id.
    """
    check_ids(system_prompt_id=template_id, context_template_id="")
    return agent_prompt(SYSTEM_TEMPLATES[template_id])
