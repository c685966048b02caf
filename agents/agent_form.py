"""The form of an agent: fields of its row and of its configuration, flat, and the way back.

What the form does not show (areas without their mechanism, fields for clients) keeps its value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.configuration import AgentConfig, read_config
from agents.constants import AgentMode, BaseScope
from agents.services.agent_values import AgentValues
from agents.tool_rows import read_approvals, stored_tools
from core.errors import Invalid

LINES = {"rows": 4}
SAME_NAME: Final = [
    "agent_type",
    "temperature",
    "max_completion_tokens",
    "max_context_tokens",
    "thinking",
    "citation_enabled",
    "max_iterations",
    "llm_call_timeout",
    "parallel_tool_calls",
    "max_tool_output_chars",
    "system_prompt",
    "context_template",
    "retrieve_kb_only_when_mentioned",
    "retain_retrieval_history",
    "rerank_model_id",
    "rerank_top_k",
    "vector_threshold",
    "keyword_threshold",
    "rerank_threshold",
    "multi_turn_enabled",
    "history_turns",
    "fallback_strategy",
    "fallback_response",
    "fallback_prompt",
    "enable_rewrite",
    "query_understand_model_id",
    "rewrite_prompt_system",
    "enable_query_expansion",
    "faq_priority_enabled",
    "faq_direct_answer_threshold",
    "faq_score_boost",
    "verdict_mode",
    "skills_selection_mode",
    "sandbox_config_id",
]
"""Fields that the form and the configuration call the same."""
OWN_TEXTS: Final = (
    "system_prompt",
    "context_template",
    "fallback_response",
    "fallback_prompt",
    "rewrite_prompt_system",
)
STARTERS: Final = ("enabled", "mode", "count", "items")
FOLLOW_UPS: Final = (
    "enabled",
    "mode",
    "count",
    "items",
    "max_context_turns",
    "additional_instruction",
    "suppress_on_fallback",
    "suppress_when_answer_asks_question",
    "knowledge_fallback",
    "allow_regenerate",
)
SUGGESTION_MODES = [
    ("curated", _("Only the questions below")),
    ("knowledge", _("From the knowledge bases")),
    ("generated", _("Written by the model")),
    ("hybrid", _("All of these")),
]
TRISTATE = [("", _("As the space says")), ("false", _("Off for this agent"))]


def _number(label: Any, *, low: float, high: float, **more: Any) -> forms.FloatField:
    widget = forms.NumberInput({"step": "any"})
    return forms.FloatField(
        label=label, min_value=low, max_value=high, required=False, widget=widget, **more
    )


def _whole(label: Any, *, low: int, high: int, **more: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=low, max_value=high, required=False, **more)


def _flag(label: Any, **more: Any) -> forms.BooleanField:
    return forms.BooleanField(label=label, required=False, **more)


def _text(label: Any, *, limit: int, rows: int = 4, **more: Any) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=limit,
        required=False,
        strip=False,
        widget=forms.Textarea({"rows": rows}),
        **more,
    )


class AgentForm(forms.Form):
    """Everything of an agent that this installation can use."""

    expected_version = forms.IntegerField(widget=forms.HiddenInput, required=False)
    note = forms.CharField(
        label=_("What changed"),
        max_length=300,
        required=False,
        help_text=_("Saved with the version."),
    )
    name = forms.CharField(label=_("Name"), max_length=120)
    description = forms.CharField(label=_("Description"), max_length=2000, required=False)
    mode = forms.ChoiceField(label=_("Mode"), choices=AgentMode.choices, widget=forms.RadioSelect)
    agent_type = forms.CharField(widget=forms.HiddenInput, required=False)
    chat_model_id = forms.ChoiceField(label=_("Model"), required=False)
    temperature = _number(_("Temperature"), low=0, high=2, help_text=_("Empty: the model's own."))
    thinking = _flag(_("Let the model think aloud"), help_text=_("Where the model can."))
    max_iterations = _whole(_("Maximum rounds"), low=1, high=100)
    max_completion_tokens = _whole(
        _("Maximum tokens of one reply"), low=0, high=1_000_000, help_text=_("0: the platform's.")
    )
    max_context_tokens = _whole(
        _("Context window, tokens"), low=0, high=10_000_000, help_text=_("0: the model's own.")
    )
    llm_call_timeout = _whole(
        _("Seconds of one call"), low=0, high=3600, help_text=_("0: 120 seconds.")
    )
    max_tool_output_chars = _whole(_("Characters of one result"), low=1000, high=200_000)
    parallel_tool_calls = _flag(_("Run independent calls together"))
    instructions = _text(
        _("Instructions"),
        limit=20_000,
        rows=6,
        help_text=_(
            "What the agent is for and how it should answer; goes into the built-in prompt."
        ),
    )
    system_prompt = _text(
        _("Own system prompt"),
        limit=50_000,
        rows=8,
        help_text=_("Replaces the built-in prompt. Leave it empty unless you need every word."),
    )
    context_template = _text(
        _("How passages are put together"), limit=50_000, help_text=_("Needs {{contexts}}.")
    )
    citation_enabled = _flag(
        _("Cite sources in the answer"), help_text=_("Sources are kept with the answer either way.")
    )
    base_scope = forms.ChoiceField(
        label=_("Knowledge bases"), choices=BaseScope.choices, widget=forms.RadioSelect
    )
    retrieve_kb_only_when_mentioned = _flag(
        _("Search only when a question names a knowledge base with @")
    )
    rerank_model_id = forms.ChoiceField(label=_("Rerank model"), required=False)
    rerank_top_k = _whole(
        _("Passages of one search"),
        low=1,
        high=50,
        help_text=_("Empty: as set in the knowledge base."),
    )
    vector_threshold = _number(
        _("Minimum similarity in meaning"), low=0, high=1, help_text=_("0 to 1; empty: none.")
    )
    keyword_threshold = _number(
        _("Minimum share of matching words"), low=0, high=1, help_text=_("0 to 1; empty: none.")
    )
    rerank_threshold = _number(
        _("Minimum rerank score"), low=-10, high=10, help_text=_("Empty: none.")
    )
    supported_file_types = forms.CharField(
        label=_("File types offered with @"),
        max_length=300,
        required=False,
        help_text=_("Such as csv, xlsx; empty: all."),
    )
    multi_turn_enabled = _flag(_("Read earlier turns"))
    history_turns = _whole(_("Earlier turns it reads"), low=0, high=100)
    retain_retrieval_history = _flag(
        _("Keep what was found in earlier turns"),
        help_text=_("Otherwise it searches anew, for the knowledge may have changed."),
    )
    fallback_strategy = forms.ChoiceField(
        label=_("When nothing is found"),
        required=False,
        choices=[("model", _("The model says so")), ("fixed", _("A fixed answer"))],
    )
    fallback_response = _text(_("Fixed answer"), limit=5000, rows=3)
    fallback_prompt = _text(_("What the model is told then"), limit=20_000, rows=3)
    enable_rewrite = _flag(
        _("Rewrite questions so that they stand alone"),
        help_text=_("Where earlier turns are read and a language model is connected."),
    )
    query_understand_model_id = forms.ChoiceField(
        label=_("Model that rewrites questions"),
        required=False,
        help_text=_("A small, fast one; it is then asked about first questions, too."),
    )
    rewrite_prompt_system = _text(
        _("Own prompt for rewriting"), limit=20_000, help_text=_("Replaces the built-in one.")
    )
    enable_query_expansion = _flag(
        _("Search again in other words"),
        help_text=_("When the first search found nothing that surely answers."),
    )
    faq_priority_enabled = _flag(_("Questions and answers come first"))
    faq_direct_answer_threshold = _number(
        _("Answer directly from this score on"),
        low=0,
        high=1,
        help_text=_("1: only when it is the very question."),
    )
    faq_score_boost = _number(_("Weight of questions and answers"), low=0, high=10)
    verdict_mode = forms.ChoiceField(
        label=_("Check the sentences of an answer against its sources"),
        required=False,
        choices=[
            ("model", _("By words and figures, then by the model")),
            ("words", _("By words and figures alone")),
            ("off", _("Off for this agent")),
        ],
    )
    sub_agents = forms.MultipleChoiceField(
        label=_("Agents it may call"), required=False, widget=forms.CheckboxSelectMultiple
    )
    sandbox_config_id = forms.ChoiceField(
        label=_("Runs code in"),
        required=False,
        help_text=_(
            "It writes files and runs commands there; what it makes is given to the person."
        ),
    )
    skills_selection_mode = forms.ChoiceField(
        label=_("Skills it may use"),
        required=False,
        choices=[
            ("none", _("None")),
            ("selected", _("Those below")),
            ("all", _("All of the space")),
        ],
    )
    selected_skills = forms.MultipleChoiceField(
        label=_("Chosen skills"), required=False, widget=forms.CheckboxSelectMultiple
    )
    memory_enabled = forms.ChoiceField(label=_("Memory"), choices=TRISTATE, required=False)

    starters_enabled = _flag(_("Offer questions in an empty conversation"))
    starters_mode = forms.ChoiceField(label=_("Where they come from"), choices=SUGGESTION_MODES)
    starters_count = _whole(_("How many"), low=1, high=12)
    starters_items = _text(_("Questions, one a line"), limit=10_000)
    follow_ups_enabled = _flag(_("Offer questions after an answer"))
    follow_ups_mode = forms.ChoiceField(label=_("Where they come from"), choices=SUGGESTION_MODES)
    follow_ups_count = _whole(_("How many"), low=1, high=6)
    follow_ups_items = _text(_("Questions, one a line"), limit=10_000)
    follow_ups_max_context_turns = _whole(_("Turns they look back"), low=1, high=10)
    follow_ups_additional_instruction = _text(
        _("Instructions for these questions"), limit=2000, rows=2
    )
    follow_ups_suppress_on_fallback = _flag(_("None after an answer without sources"))
    follow_ups_suppress_when_answer_asks_question = _flag(_("None when the answer asks back"))
    follow_ups_knowledge_fallback = _flag(_("From the knowledge bases when the model fails"))
    follow_ups_allow_regenerate = _flag(_("People may ask for other ones"))

    def __init__(
        self,
        data: Any = None,
        *,
        values: AgentValues,
        chat_models: Sequence[tuple[str, str]],
        rerank_models: Sequence[tuple[str, str]],
        agents: Sequence[tuple[str, str]],
        skills: Sequence[tuple[str, str]] = (),
        sandboxes: Sequence[tuple[str, str]] = (),
        version: int = 1,
    ) -> None:
        """Fill the form from an agent's values; `values` also keep what the form does not show."""
        super().__init__(data, initial={**initial_of(values), "expected_version": version})
        self._values = values
        self._entered: AgentValues | None = None
        chosen = str(values.chat_model_id or "")
        self._choices("chat_model_id", _("The space's default"), chat_models, chosen)
        reranker = values.config.rerank_model_id
        self._choices("rerank_model_id", _("The space's default"), rerank_models, reranker)
        rewriter = values.config.query_understand_model_id
        self._choices("query_understand_model_id", _("The agent's model"), chat_models, rewriter)
        sandboxes = [("default", str(_("The space's default sandbox"))), *sandboxes]
        none = _("Nowhere, unless it may use skills")
        sandbox = values.config.sandbox_config_id
        self._choices("sandbox_config_id", none, sandboxes, sandbox, gone=_("Removed sandbox"))
        gone = [(each, str(_("Removed agent"))) for each in values.config.sub_agents]
        present = {key for key, _name in agents}
        self.fields["sub_agents"].choices = [  # type: ignore[attr-defined]  # a choice field
            *agents,
            *(each for each in gone if each[0] not in present),
        ]
        installed = {name for name, _label in skills}
        removed = [name for name in values.config.selected_skills if name not in installed]
        self.fields["selected_skills"].choices = [  # type: ignore[attr-defined]  # a choice field
            *skills,
            *((name, _("%(name)s (not installed)") % {"name": name}) for name in removed),
        ]

    def _choices(
        self,
        name: str,
        empty: Any,
        choices: Sequence[tuple[str, str]],
        chosen: str,
        *,
        gone: Any = None,
    ) -> None:
        """Offer what there is, and what was chosen before even when it is gone."""
        known = {key for key, _label in choices}
        lost = [(chosen, str(gone or _("Removed model")))] if chosen and chosen not in known else []
        self.fields[name].choices = [("", empty), *choices, *lost]  # type: ignore[attr-defined]  # a choice field

    def values(self) -> AgentValues:
        """Return what was entered, for the services.

        Raises:
            Invalid: the configuration cannot be used; `field` names the form's field.
        """
        data = self.cleaned_data
        self._entered = AgentValues(
            name=data["name"],
            description=data["description"],
            mode=data["mode"],
            instructions=data["instructions"],
            chat_model_id=UUID(data["chat_model_id"]) if data["chat_model_id"] else None,
            base_scope=data["base_scope"],
            base_ids=self._base_ids(),
            config=self._config(),
        )
        return self._entered

    def draft(self) -> AgentValues:
        """Return what was entered as far as it can be read, for the parts that follow from it."""
        if self._entered is not None:  # a service may have refused it since
            return self._entered
        self.is_valid()
        try:
            return self.values()
        except (Invalid, KeyError):
            data = self.cleaned_data
            return AgentValues(
                name=data.get("name", ""),
                mode=data.get("mode") or self._values.mode,
                base_scope=data.get("base_scope") or self._values.base_scope,
                base_ids=self._base_ids(),
                config=self._tools_as_entered(),
            )

    def _tools_as_entered(self) -> AgentConfig:
        """Return the stored configuration with the rows of tools, where these can be read."""
        before = self._values.config
        chosen = {"allowed_tools": stored_tools(self._list("allowed_tools"))}
        entered = {**before.model_dump(mode="json"), **chosen}
        try:
            approvals = read_approvals(self.data, before=before.approvals)
            return read_config({**entered, "approvals": approvals})
        except Invalid:
            return read_config(entered)

    def _config(self) -> AgentConfig:
        data, before = self.cleaned_data, self._values.config
        fields = AgentConfig.model_fields
        entered: dict[str, Any] = before.model_dump(mode="json")
        for name in SAME_NAME:
            value = data[name]
            entered[name] = fields[name].default if value in (None, "") else value
        for name in OWN_TEXTS:
            entered[name] = data[name].replace("\r\n", "\n").replace("\x00", "").strip()
        entered["supported_file_types"] = _words(data["supported_file_types"])
        entered["allowed_tools"] = stored_tools(self._list("allowed_tools"))
        entered["approvals"] = read_approvals(self.data, before=before.approvals)
        entered["sub_agents"] = data["sub_agents"]
        entered["selected_skills"] = data["selected_skills"]
        entered["memory_enabled"] = False if data["memory_enabled"] == "false" else None
        suggestions = entered["question_suggestions"]
        _take(suggestions["starters"], data, "starters", STARTERS)
        _take(suggestions["follow_ups"], data, "follow_ups", FOLLOW_UPS)
        try:
            return read_config(entered)
        except Invalid as error:
            field = form_field(str(error.data.get("field", "")))
            raise Invalid(error.message, field=field) from error

    def _list(self, name: str) -> list[str]:
        return list(self.data.getlist(name)) if hasattr(self.data, "getlist") else []

    def _base_ids(self) -> tuple[UUID, ...]:
        """Return the ticked bases; a value that is no id stands for none."""
        found = []
        for each in self._list("base_ids"):
            try:
                found.append(UUID(each))
            except ValueError:
                continue
        return tuple(found)

    def refuse(self, refusal: Any) -> None:
        """Show what a service refused at the field it names."""
        field = form_field(str(refusal.data.get("field", "")))
        self.add_error(field if field in self.fields else None, refusal.message)


def initial_of(values: AgentValues) -> dict[str, Any]:
    """Return what the form shows of an agent."""
    config = values.config
    shown: dict[str, Any] = {name: getattr(config, name) for name in SAME_NAME}
    suggestions = config.question_suggestions
    for place, part, names in (
        ("starters", suggestions.starters, STARTERS),
        ("follow_ups", suggestions.follow_ups, FOLLOW_UPS),
    ):
        for name in names:
            value = getattr(part, name)
            shown[f"{place}_{name}"] = "\n".join(value) if name == "items" else value
    return {
        **shown,
        "name": values.name,
        "description": values.description,
        "mode": values.mode,
        "instructions": values.instructions,
        "chat_model_id": str(values.chat_model_id or ""),
        "base_scope": values.base_scope,
        "supported_file_types": ", ".join(config.supported_file_types),
        "sub_agents": list(config.sub_agents),
        "selected_skills": list(config.selected_skills),
        "memory_enabled": "false" if config.memory_enabled is False else "",
    }


def form_field(path: str) -> str:
    """Return the form's name for a place in the configuration."""
    parts = path.split(".")
    if parts[0] == "question_suggestions" and len(parts) > 2:
        return f"{parts[1]}_{parts[2]}"
    return parts[0]


def _take(part: dict[str, Any], data: Mapping[str, Any], place: str, names: Iterable[str]) -> None:
    """Write the form's fields of one place of suggestions into the configuration."""
    for name in names:
        value = data[f"{place}_{name}"]
        if name == "items":
            part[name] = [line.strip() for line in value.splitlines() if line.strip()]
        elif value is not None:
            part[name] = value


def _words(text: str) -> list[str]:
    return [each.strip(" .").lower() for each in text.split(",") if each.strip(" .")]
