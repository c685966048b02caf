"""How an agent works, beside its name, model and bases: what `Agent.config` holds.

The field names are those of the reference's REST description, so that a client written for it finds
them. Numbers in comments are its defaults.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.errors import Invalid

AgentType = Literal["rag-qa", "wiki-qa", "hybrid-rag-wiki", "data-analysis", "custom"]
Selection = Literal["all", "selected", "none"]
SuggestionMode = Literal["curated", "knowledge", "generated", "hybrid"]
SuggestionCategory = Literal["clarify", "deepen", "action"]
VerdictMode = Literal["off", "words", "model"]
ApprovalMode = Literal["off", "ask", "auto"]
MAX_ITERATIONS = 100
DEFAULT_APPROVAL_SECONDS = 86_400
LONGEST_APPROVAL_SECONDS = 8 * 7 * 86_400

ToolName = Annotated[str, Field(min_length=1, max_length=120)]
Line = Annotated[str, Field(min_length=1, max_length=500)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Starters(_Part):
    """Questions offered in an empty conversation."""

    enabled: bool = True
    mode: SuggestionMode = "hybrid"
    items: tuple[Line, ...] = Field(default=(), max_length=20)
    count: int = Field(default=6, ge=1, le=12)


class FollowUps(_Part):
    """Questions offered behind an answer."""

    enabled: bool = False
    mode: SuggestionMode = "hybrid"
    items: tuple[Line, ...] = Field(default=(), max_length=20)
    count: int = Field(default=3, ge=1, le=6)
    model_id: str = ""
    """Empty: the model of the conversation."""
    categories: tuple[SuggestionCategory, ...] = ()
    max_context_turns: int = Field(default=2, ge=1, le=10)
    additional_instruction: str = Field(default="", max_length=2000)
    suppress_on_fallback: bool = True
    suppress_when_answer_asks_question: bool = True
    knowledge_fallback: bool = True
    allow_regenerate: bool = True


class QuestionSuggestions(_Part):
    """Both places of suggested questions."""

    starters: Starters = Starters()
    follow_ups: FollowUps = FollowUps()


class ArgumentRule(_Part):
    """When one argument has a certain value, another mode holds."""

    argument: str = Field(min_length=1, max_length=200)
    """Name of the argument; a path with dots goes into objects, `*` takes any argument."""
    operator: Literal["equals", "contains", "matches", "greater", "less", "present"]
    value: str = Field(default="", max_length=500)
    mode: ApprovalMode


class ToolApproval(_Part):
    """Whether calls of one tool need a person."""

    tool: ToolName
    """Name of a tool; `*` stands for all that have no entry of their own."""
    mode: ApprovalMode = "ask"
    """`off`: the tool is refused. `ask`: a person decides. `auto`: it runs."""
    rules: tuple[ArgumentRule, ...] = Field(default=(), max_length=30)
    """The first that fits wins over `mode`."""
    timeout_seconds: int | None = Field(default=None, ge=60, le=LONGEST_APPROVAL_SECONDS)
    """None: the space's."""


class AgentConfig(_Part):
    """Every field of an agent's configuration; a missing one has the default."""

    # Basics
    agent_type: AgentType = "custom"
    """A preset: it fills the form in and changes nothing later."""
    system_prompt: str = Field(default="", max_length=50_000)
    """The whole system prompt; empty: the template of the mode with the agent's instructions."""
    system_prompt_id: str = Field(default="", max_length=60)
    context_template: str = Field(default="", max_length=50_000)
    context_template_id: str = Field(default="", max_length=60)

    # Model
    rerank_model_id: str = ""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """None: 0.7, or the model's own."""
    max_completion_tokens: int = Field(default=0, ge=0, le=1_000_000)
    """0: 2048 for a quick answer, 4096 for reasoning, 24576 with a sandbox."""
    max_context_tokens: int = Field(default=0, ge=0, le=10_000_000)
    """0: the model's own window, else 200,000."""
    thinking: bool = False
    citation_enabled: bool = True

    # The loop
    max_iterations: int = Field(default=10, ge=1, le=MAX_ITERATIONS)
    llm_call_timeout: int = Field(default=0, ge=0, le=3600)
    """Seconds of one call of the model; 0: 120."""
    allowed_tools: tuple[ToolName, ...] = Field(default=(), max_length=200)
    """Empty: the default tools."""
    parallel_tool_calls: bool = True
    max_tool_output_chars: int = Field(default=16_000, ge=1000, le=200_000)
    sub_agents: tuple[str, ...] = Field(default=(), max_length=50)
    """Ids of agents of the space that `call_agent` may call; empty: none."""
    approvals: tuple[ToolApproval, ...] = Field(default=(), max_length=200)

    # Services and skills
    mcp_selection_mode: Selection = "none"
    mcp_services: tuple[str, ...] = ()
    mcp_auth_wait_timeout: int = Field(default=0, ge=0, le=LONGEST_APPROVAL_SECONDS)
    skills_selection_mode: Selection = "none"
    selected_skills: tuple[str, ...] = ()
    sandbox_config_id: str = ""

    # Memory
    memory_enabled: bool | None = None
    """None: as the space says; False: this agent reads and writes no memory."""

    # Knowledge
    retrieve_kb_only_when_mentioned: bool = False
    retain_retrieval_history: bool = False
    """True: results of earlier turns' searches stay in the history."""

    # Pictures, sound, files
    image_upload_enabled: bool = False
    vlm_model_id: str = ""
    audio_upload_enabled: bool = False
    asr_model_id: str = ""
    image_storage_provider: str = ""
    supported_file_types: tuple[str, ...] = ()
    """Extensions such as `csv`; empty: all."""
    chat_parser_engine_rules: tuple[dict[str, str], ...] = ()
    attachment_image_understanding: bool = False
    attachment_ocr_max_pages: int = Field(default=20, ge=0, le=1000)
    attachment_parse_wait_timeout_sec: int = Field(default=60, ge=0, le=3600)

    # FAQ
    faq_priority_enabled: bool = True
    faq_direct_answer_threshold: float = Field(default=0.9, ge=0, le=1)
    faq_score_boost: float = Field(default=1.2, ge=0, le=10)

    # Web
    web_search_enabled: bool = False
    web_search_max_results: int = Field(default=5, ge=1, le=50)
    web_search_provider_id: str = ""
    web_fetch_enabled: bool = False
    web_fetch_top_n: int = Field(default=3, ge=0, le=8)

    # Turns
    multi_turn_enabled: bool = True
    history_turns: int = Field(default=5, ge=0, le=100)

    # Retrieval
    # None leaves each of them to the base; the reference's defaults stand in brackets.
    embedding_top_k: int | None = Field(default=None, ge=1, le=200)
    """Candidates of each index (10). Stored for clients; here there are always 50."""
    keyword_threshold: float | None = Field(default=None, ge=0, le=1)
    """Least share of the question's words in a passage (0.3)."""
    vector_threshold: float | None = Field(default=None, ge=0, le=1)
    """Least likeness in meaning (0.5); a passage that reaches one of both is kept."""
    rerank_top_k: int | None = Field(default=None, ge=1, le=50)
    """Passages that one search gives the model (5)."""
    rerank_threshold: float | None = Field(default=None, ge=-10, le=10)
    """Least score of a passage that was reranked (0)."""

    # Quick answer
    enable_query_expansion: bool = True
    enable_rewrite: bool = True
    rewrite_prompt_system: str = Field(default="", max_length=20_000)
    rewrite_prompt_user: str = Field(default="", max_length=20_000)
    query_understand_model_id: str = ""
    fallback_strategy: Literal["model", "fixed"] = "model"
    fallback_response: str = Field(default="", max_length=5000)
    fallback_prompt: str = Field(default="", max_length=20_000)
    intent_prompts: dict[str, str] = Field(default_factory=dict)
    data_analysis_enabled: bool = False

    # Verdicts
    verdict_mode: VerdictMode = "model"
    """How sentences are held against their sources; `model`: by words, then what words leave open."""

    question_suggestions: QuestionSuggestions = QuestionSuggestions()

    @model_validator(mode="after")
    def _one_approval_per_tool(self) -> Self:
        names = [each.tool for each in self.approvals]
        if len(names) != len(set(names)):
            raise ValueError("approvals has two entries for one tool")
        return self

    def changed_values(self) -> dict[str, Any]:
        """Return what differs from the defaults, as JSON; the form in which it is stored."""
        return self.model_dump(mode="json", exclude_defaults=True)


def read_config(values: dict[str, Any]) -> AgentConfig:
    """Return the configuration of a row, a form or a request.

    Raises:
        Invalid: a value is unknown or out of bounds; names it and what would do.
    """
    try:
        return AgentConfig.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in first["loc"]) or "config"
        problem = f"{name}: {first['msg']}"
    raise Invalid(f"The agent's configuration cannot be used: {problem}", field=name)
