"""The pages of agents, and what the chat shows of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from agents.builtin import builtin_agents
from agents.models import Agent, AgentRun, AgentVersion
from agents.presets import find_preset, presets
from agents.services.agent_values import values_of_agent
from agents.services.builtin import sync_builtin_agents
from agents.services.readiness import readiness
from providers.models import AIModel
from sandbox.models import SandboxConfig
from tests.factories.agents import make_agent
from tests.factories.knowledge import make_base, make_document
from tests.factories.providers import make_model
from tests.factories.sandbox import make_config
from tests.personas import Persona

FORM = {
    "name": "Harbour",
    "mode": "react",
    "base_scope": "all",
    "starters_mode": "hybrid",
    "follow_ups_mode": "hybrid",
    "expected_version": 1,
}


@pytest.fixture
def author(cora: Persona) -> Iterator[Persona]:
    with cora.scope():
        make_model(cora.space, type="chat", is_default=True)
        yield cora


@pytest.fixture
def agent(author: Persona) -> Agent:
    return make_agent(author.space, name="Harbour", created_by=author.user)


def page_of(persona: Persona, name: str, *arguments: Any, status: int = 200) -> str:
    response = persona.client.get(reverse(name, args=arguments))
    assert response.status_code == status
    return str(response.content.decode())


def post(persona: Persona, where: str, /, *arguments: Any, **data: Any) -> Any:
    return persona.client.post(reverse(where, args=arguments), data)


def test_a_new_agent_begins_as_its_preset(author: Persona) -> None:
    response = author.client.get(reverse("agent_new"), {"preset": "rag-qa"})
    page = response.content.decode()
    assert 'name="max_iterations" value="30"' in page
    assert response.context["form"].initial["agent_type"] == "rag-qa"
    chosen = {row.name for row in response.context["tools"] if row.is_chosen}
    assert chosen == {
        "knowledge_search",
        "grep_chunks",
        "list_knowledge_chunks",
        "get_document_info",
    }


def test_a_preset_for_documents_and_wiki_lacks_nothing(author: Persona) -> None:
    page = author.client.get(reverse("agent_new"), {"preset": "hybrid-rag-wiki"})
    assert "Left out" not in page.content.decode()
    chosen = {row.name for row in page.context["tools"] if row.is_chosen}
    assert {"wiki_search", "wiki_read_page", "knowledge_search"} <= chosen


def test_a_preset_without_any_of_its_tools_is_not_offered() -> None:
    by_key = {each.key: each for each in presets({"knowledge_search"})}
    assert not by_key["wiki-qa"].is_offered
    assert by_key["custom"].is_offered
    assert by_key["rag-qa"].config.allowed_tools == ("knowledge_search",)
    assert find_preset("unheard-of", ()).key == "custom"


def test_making_an_agent_leads_to_its_page(author: Persona) -> None:
    response = post(author, "agent_new", **FORM, allowed_tools=["grep_chunks"], temperature="0.3")
    made = Agent.objects.get(name="Harbour")
    assert response.url == reverse("agent", args=[made.pk])
    assert made.settings.allowed_tools == ("grep_chunks",)
    assert made.settings.temperature == 0.3


def test_every_field_of_the_form_comes_back_as_it_was_saved(author: Persona, agent: Agent) -> None:
    base = make_base(author.space)
    other = make_agent(author.space, name="Helper")
    reranker = make_model(author.space, type="rerank")
    entered = {
        **FORM,
        "description": "For the harbour.",
        "base_scope": "selected",
        "base_ids": [str(base.pk)],
        "temperature": "0.4",
        "max_completion_tokens": "900",
        "max_context_tokens": "9000",
        "thinking": "on",
        "max_iterations": "7",
        "llm_call_timeout": "30",
        "max_tool_output_chars": "5000",
        "instructions": "Be brief.",
        "system_prompt": "You serve {{language}}.",
        "context_template": "{{contexts}}",
        "retrieve_kb_only_when_mentioned": "on",
        "retain_retrieval_history": "on",
        "rerank_model_id": str(reranker.pk),
        "rerank_top_k": "4",
        "vector_threshold": "0.5",
        "supported_file_types": "csv, .XLSX",
        "history_turns": "2",
        "fallback_strategy": "fixed",
        "fallback_response": "Ask the tower.",
        "allowed_tools": ["knowledge_search", "thinking"],
        "approval_knowledge_search": "ask",
        "rule_tool": ["knowledge_search", "*", "thinking"],
        "rule_argument": ["queries", "*", ""],
        "rule_operator": ["contains", "matches", "equals"],
        "rule_value": ["secret", "DROP", ""],
        "rule_mode": ["off", "ask", "auto"],
        "sub_agents": [str(other.pk)],
        "memory_enabled": "false",
        "starters_enabled": "on",
        "starters_count": "3",
        "starters_items": "What is new?\n\nWho is on duty?",
        "follow_ups_enabled": "on",
        "follow_ups_count": "2",
    }
    response = post(author, "agent", agent.pk, **entered)
    assert response.status_code == 302, response.context["form"].errors
    agent.refresh_from_db()
    config = agent.settings
    assert (config.temperature, config.max_iterations, config.history_turns) == (0.4, 7, 2)
    assert config.parallel_tool_calls is False
    assert config.citation_enabled is False
    assert config.memory_enabled is False
    assert config.supported_file_types == ("csv", "xlsx")
    assert config.sub_agents == (str(other.pk),)
    assert config.question_suggestions.starters.items == ("What is new?", "Who is on duty?")
    rules = {each.tool: (each.mode, len(each.rules)) for each in config.approvals}
    assert rules == {"knowledge_search": ("ask", 1), "*": ("auto", 1)}
    form = author.client.get(reverse("agent", args=[agent.pk])).context["form"]
    assert form.initial["rerank_top_k"] == 4
    assert form.initial["starters_items"] == "What is new?\nWho is on duty?"


def test_what_the_form_does_not_show_stays(author: Persona, agent: Agent) -> None:
    agent.config = {"web_fetch_top_n": 5, "mcp_services": ["tracker"]}
    agent.save()
    post(author, "agent", agent.pk, **FORM)
    agent.refresh_from_db()
    assert agent.settings.web_fetch_top_n == 5
    assert agent.settings.mcp_services == ("tracker",)


def test_the_default_tools_are_stored_as_no_list(author: Persona, agent: Agent) -> None:
    rows = author.client.get(reverse("agent", args=[agent.pk])).context["tools"]
    chosen = [row.name for row in rows if row.is_chosen]
    post(author, "agent", agent.pk, **FORM, allowed_tools=chosen)
    agent.refresh_from_db()
    assert agent.settings.allowed_tools == ()


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("system_prompt", "Hi {{nobody}}", "There is no {{nobody}} here"),
        ("max_iterations", "101", "100"),
        ("name", "", "required"),
        ("starters_items", "q" * 501, "500"),
    ],
)
def test_a_mistake_stands_at_its_field_and_nothing_is_lost(
    author: Persona, agent: Agent, field: str, value: str, words: str
) -> None:
    entered = {**FORM, "instructions": "Keep me.", field: value}
    response = post(author, "agent", agent.pk, **entered)
    assert response.status_code == 422
    assert words in str(response.context["form"].errors[field])
    assert "Keep me." in response.content.decode()


def test_a_save_over_somebody_elses_is_refused(author: Persona, agent: Agent) -> None:
    post(author, "agent", agent.pk, **FORM, instructions="Mine.")
    response = post(author, "agent", agent.pk, **FORM, instructions="Yours.")
    assert response.status_code == 422
    assert "somebody else" in response.content.decode()


def test_bases_and_tools_are_fitted_to_each_other(author: Persona, agent: Agent) -> None:
    base = make_base(author.space, name="Hangar")
    entered = {**FORM, "base_scope": "selected", "allowed_tools": ["thinking"]}
    page = post(author, "agent_fits", agent.pk, **entered).content.decode()
    assert f'value="{base.pk}" disabled' in page
    assert "None of its tools reads a knowledge base." in page
    page = post(author, "agent_fits", agent.pk, **FORM, allowed_tools=["grep_chunks"])
    assert "Hangar" in page.content.decode()
    assert 'hx-swap-oob="true"' in page.content.decode()
    quick = ["Before it searches", "Questions and answers", "When nothing is found"]
    assert hidden_sections(page.content.decode()) == quick
    page = post(author, "agent_fits", agent.pk, **{**FORM, "mode": "quick"}).content.decode()
    assert hidden_sections(page) == ["Tools"]


def hidden_sections(page: str) -> list[str]:
    return re.findall(r"<section[^>]* hidden><h2>([^<]*)</h2>", page)


def test_another_mode_keeps_what_it_does_not_need(author: Persona, agent: Agent) -> None:
    agent.config = {"allowed_tools": ["grep_chunks"], "fallback_response": "Ask the tower."}
    agent.save()
    for mode in ("quick", "react"):
        page = page_of(author, "agent", agent.pk)
        assert re.search(r'id="tool-grep_chunks" value="grep_chunks" checked', page)
        assert "Ask the tower." in page
        Agent.objects.filter(pk=agent.pk).update(mode=mode)


def test_tools_that_no_base_serves_say_what_they_need(author: Persona, agent: Agent) -> None:
    rows = author.client.get(reverse("agent", args=[agent.pk])).context["tools"]
    reasons = {row.name: row.reason for row in rows}
    assert "search by words" in reasons["knowledge_search"]
    assert reasons["thinking"] == ""


def test_viewers_read_the_settings_and_find_no_way_to_save(victor: Persona, agent: Agent) -> None:
    page = page_of(victor, "agent", agent.pk)
    assert "disabled" in page
    assert "data-save-bar" not in page


def test_versions_are_listed_compared_and_brought_back(author: Persona, agent: Agent) -> None:
    post(author, "agent", agent.pk, **FORM, instructions="Two sentences.", note="shorter")
    page = page_of(author, "agent_versions", agent.pk)
    assert "shorter" in page
    response = author.client.get(
        reverse("agent_versions", args=[agent.pk]), {"old": "2", "new": "1"}
    )
    assert response.headers["Location"] == reverse("agent_compare", args=[agent.pk, 1, 2])
    assert "<ins>" in page_of(author, "agent_compare", agent.pk, 1, 2)
    page_of(author, "agent_compare", agent.pk, 1, 9, status=404)
    post(author, "agent_restore", agent.pk, 1)
    assert AgentVersion.objects.get(agent=agent, number=3).restored_from == 1


def test_a_built_in_agent_is_shown_in_the_persons_language_and_stays_unnamed(adam: Persona) -> None:
    with adam.scope():
        make_model(adam.space, type="chat", is_default=True)
        sync_builtin_agents(adam.space.pk)
        quick = Agent.objects.get(builtin_key="quick-answer")
    response = adam.client.post(
        reverse("agent", args=[quick.pk]),
        {**FORM, "name": "快速问答", "mode": "quick", "expected_version": 1},
        headers={"accept-language": "zh-hans"},
    )
    assert response.status_code == 302
    with adam.scope():
        quick.refresh_from_db()
    assert quick.name == builtin_agents()["quick-answer"].names["en"]


def test_cards_say_who_can_answer(author: Persona, agent: Agent) -> None:
    assert "cannot answer" not in page_of(author, "agents")
    AIModel.objects.update(is_enabled=False)
    page = page_of(author, "agents")
    assert "cannot answer" in page
    assert "no chat model" in page


# Readiness


def codes(persona: Persona, agent: Agent, **config: object) -> set[str]:
    agent.config = config
    agent.save()
    return {each.code for each in readiness(persona.actor, agent)}


def test_an_agent_with_a_model_and_a_base_is_ready(author: Persona, agent: Agent) -> None:
    make_base(author.space)
    assert codes(author, agent) == set()


def test_what_is_missing_is_named(author: Persona, agent: Agent) -> None:
    assert codes(author, agent) == {"no_base"}
    base = make_base(author.space)
    agent.base_scope = "selected"
    agent.bases.add(base)
    assert codes(author, agent, allowed_tools=["grep_chunks"]) == set()
    base.deleted_at = base.created_at
    base.save()
    assert codes(author, agent, allowed_tools=["grep_chunks"]) == {"base_gone", "no_base"}
    agent.base_scope = "none"
    assert codes(author, agent, allowed_tools=["no_such_tool"]) == {"tool_unknown"}
    gone = "00000000-0000-0000-0000-000000000001"
    found = codes(
        author, agent, allowed_tools=["thinking"], sub_agents=[gone], rerank_model_id=gone
    )
    assert found == {"sub_agent_missing", "rerank_missing"}
    assert "bad_template" in codes(author, agent, system_prompt="{{nobody}}")
    assert codes(author, agent, max_iterations=1000) == {"bad_configuration"}


def test_models_that_cannot_reason_or_are_off_are_named(author: Persona, agent: Agent) -> None:
    make_base(author.space)
    AIModel.objects.filter(type="chat").update(parameters={"extractive": True})
    assert codes(author, agent) == {"extractive_model"}
    agent.chat_model = make_model(author.space, is_enabled=False)
    found = readiness(author.actor, agent)
    assert [each.is_blocking for each in found if each.code == "model_disabled"] == [True]


def test_the_values_of_an_agent_are_those_of_its_row(author: Persona, agent: Agent) -> None:
    values = values_of_agent(agent)
    assert (values.name, values.mode, values.base_ids) == ("Harbour", "react", ())


# The chat


def test_the_chat_opens_with_the_agent_that_the_link_names(author: Persona, agent: Agent) -> None:
    make_agent(author.space, name="Another", position=1)
    response = author.client.get(reverse("chat_new"), {"agent": str(agent.pk)})
    assert response.context["agent_id"] == str(agent.pk)


def test_an_agent_that_cannot_answer_says_why_in_the_chat(author: Persona, agent: Agent) -> None:
    AIModel.objects.update(is_default=False)
    page = page_of(author, "chat_new")
    assert "Harbour (cannot answer)" in page
    response = post(author, "chat_new", text="Why?", client_id="1", agent_id=str(agent.pk))
    assert response.status_code == 409
    assert "no chat model" in response.content.decode()


def test_the_menu_of_mentions_lists_bases_and_documents(author: Persona, agent: Agent) -> None:
    base = make_base(author.space, name="Hangar")
    document = make_document(base, name="manual <b>.txt", texts=["Check."])
    page = page_of(author, "agent_mentions", agent.pk)
    assert f'data-kind="base" data-id="{base.pk}"' in page
    assert f'data-id="{document.pk}" data-name="manual &lt;b&gt;.txt"' in page


def test_a_posted_mention_limits_the_question_and_is_shown_with_it(
    author: Persona, agent: Agent
) -> None:
    document = make_document(make_base(author.space), name="manual.txt", texts=["Check."])
    response = post(
        author,
        "chat_new",
        text="What is to be checked?",
        client_id="1",
        agent_id=str(agent.pk),
        mentions=[f"document:{document.pk}"],
    )
    run = AgentRun.objects.get()
    assert run.document_ids == [str(document.pk)]
    page = author.client.get(response.url).content.decode()
    assert 'class="mentioned"' in page
    assert "manual.txt" in page


@pytest.mark.parametrize("mention", ["document:nonsense", "person:1", "x"])
def test_a_mention_that_cannot_be_read_is_refused(
    author: Persona, agent: Agent, mention: str
) -> None:
    response = post(author, "chat_new", text="Why?", client_id="1", mentions=[mention])
    assert response.status_code == 400
    assert not AgentRun.objects.exists()


def test_where_an_agent_runs_code_is_chosen_and_a_removed_sandbox_stays_named(
    author: Persona, agent: Agent
) -> None:
    sandbox = make_config(author.space, name="Containers")
    assert (
        post(author, "agent", agent.pk, **FORM, sandbox_config_id=str(sandbox.pk)).status_code
        == 302
    )
    agent.refresh_from_db()
    assert agent.settings.sandbox_config_id == str(sandbox.pk)
    SandboxConfig.objects.filter(pk=sandbox.pk).update(archived_at=timezone.now())
    page = page_of(author, "agent", agent.pk)
    assert f'<option value="{sandbox.pk}" selected>Removed sandbox</option>' in page
    assert "Its sandbox was removed" in page
    version = agent.version
    post(author, "agent", agent.pk, **{**FORM, "expected_version": version}, sandbox_config_id="")
    agent.refresh_from_db()
    assert agent.settings.sandbox_config_id == ""
