"""Agents: made, changed, copied, switched off, deleted, brought back; and their versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

import pytest
from django.utils import translation

from accounts.models import AuditEvent
from agents.builtin import builtin_agents, shown_name
from agents.configuration import AgentConfig, read_config
from agents.models import Agent, AgentVersion
from agents.queries import list_agents
from agents.services.agent_values import AgentValues
from agents.services.agents import (
    copy_agent,
    create_agent,
    delete_agent,
    enable_agent,
    reset_agent,
    restore_version,
    update_agent,
)
from agents.services.builtin import sync_builtin_agents
from agents.services.versions import compare_versions, list_versions
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from core.textdiff import marked
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.personas import Persona

VALUES = AgentValues(name="Harbour", instructions="Answer in two sentences.")


@pytest.fixture
def author(cora: Persona) -> Iterator[Persona]:
    with cora.scope():
        yield cora


@pytest.fixture
def agent(author: Persona) -> Agent:
    return create_agent(author.actor, values=VALUES)


def save(persona: Persona, agent: Agent, **changes: object) -> Agent:
    """Save the agent of VALUES with changes, on top of its newest version."""
    newest = Agent.objects.get(pk=agent.pk)
    values = replace(VALUES, **changes)  # type: ignore[arg-type]  # test shorthand
    return update_agent(
        persona.actor, agent_id=agent.pk, values=values, expected_version=newest.version
    )


def test_a_new_agent_belongs_to_who_made_it_and_has_version_1(
    author: Persona, agent: Agent
) -> None:
    assert (agent.created_by, agent.version) == (author.user, 1)
    assert AgentVersion.objects.get(agent=agent).number == 1
    assert AuditEvent.objects.filter(action="agent.create", target_id=str(agent.pk)).exists()


def test_viewers_make_and_change_no_agents(victor: Persona, agent: Agent) -> None:
    with pytest.raises(AccessDenied):
        create_agent(victor.actor, values=VALUES)
    with pytest.raises(AccessDenied):
        save(victor, agent, name="Mine")
    with pytest.raises(AccessDenied):
        copy_agent(victor.actor, agent_id=agent.pk)


def test_an_agent_of_another_space_is_not_there(mallory: Persona, agent: Agent) -> None:
    for use in (copy_agent, delete_agent, reset_agent):
        with mallory.scope(), pytest.raises(NotFound):
            use(mallory.actor, agent_id=agent.pk)


def test_a_save_makes_a_version_and_an_equal_save_none(author: Persona, agent: Agent) -> None:
    assert save(author, agent, name="Port").version == 2
    assert save(author, agent, name="Port").version == 2
    numbers = [each.number for each in list_versions(author.actor, agent_id=agent.pk)]
    assert numbers == [2, 1]


def test_a_change_of_the_bases_alone_is_a_version(author: Persona, agent: Agent) -> None:
    base = make_base(author.space)
    saved = save(author, agent, base_scope="selected", base_ids=(base.pk,))
    assert saved.version == 2
    assert list(saved.bases.all()) == [base]


def test_the_second_of_two_who_save_is_told(author: Persona, adam: Persona, agent: Agent) -> None:
    save(author, agent, name="Port")
    with pytest.raises(Conflict, match="somebody else"):
        update_agent(adam.actor, agent_id=agent.pk, values=VALUES, expected_version=1)
    assert Agent.objects.get(pk=agent.pk).name == "Port"


def test_an_agent_from_before_versions_keeps_what_it_was(author: Persona) -> None:
    old = make_agent(author.space, name="Old", created_by=author.user)
    save(author, old, name="New")
    before = AgentVersion.objects.get(agent=old, number=1)
    assert before.snapshot["name"] == "Old"


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"name": "  "}, "name", "name"),
        ({"name": "n" * 121}, "name", "121"),
        ({"mode": "dream"}, "mode", "dream"),
        ({"chat_model_id": uuid4()}, "chat_model_id", "chat model"),
        ({"base_ids": (uuid4(),)}, "base_ids", "gone"),
        ({"config": AgentConfig(system_prompt="Hi {{nobody}}")}, "system_prompt", "{{nobody}}"),
        ({"config": AgentConfig(context_template="no place")}, "context_template", "contexts"),
        ({"config": AgentConfig(system_prompt_id="gone")}, "system_prompt_id", "rag"),
        ({"config": AgentConfig(rerank_model_id=str(uuid4()))}, "rerank_model_id", "not there"),
        ({"config": AgentConfig(sub_agents=(str(uuid4()),))}, "sub_agents", "not there"),
    ],
)
def test_what_cannot_be_used_is_refused_at_its_field(
    author: Persona, agent: Agent, changes: dict[str, object], field: str, words: str
) -> None:
    with pytest.raises(Invalid, match=words) as refusal:
        save(author, agent, **changes)
    assert refusal.value.data["field"] == field
    assert Agent.objects.get(pk=agent.pk).version == 1


def test_an_unknown_place_names_the_known_ones(author: Persona, agent: Agent) -> None:
    with pytest.raises(Invalid, match="{{current_time}}"):
        save(author, agent, config=AgentConfig(system_prompt="{{weather}}"))


def test_an_agent_cannot_call_itself(author: Persona, agent: Agent) -> None:
    with pytest.raises(Invalid, match="itself"):
        save(author, agent, config=AgentConfig(sub_agents=(str(agent.pk),)))


def test_a_copy_is_the_copiers_own(adam: Persona, agent: Agent) -> None:
    first = copy_agent(adam.actor, agent_id=agent.pk)
    second = copy_agent(adam.actor, agent_id=agent.pk)
    assert (first.created_by, first.builtin_key) == (adam.user, "")
    assert first.name == "Copy of Harbour"
    assert second.name == "Copy of Harbour (2)"
    assert first.instructions == agent.instructions


def test_a_disabled_agent_is_offered_to_nobody(author: Persona, agent: Agent) -> None:
    enable_agent(author.actor, agent_id=agent.pk, is_enabled=False)
    assert agent not in list_agents(author.actor)
    enable_agent(author.actor, agent_id=agent.pk, is_enabled=True)
    assert agent in list_agents(author.actor)


def test_conversations_outlive_their_agent(author: Persona, agent: Agent) -> None:
    talk = make_conversation(author.space, user=author.user, agent=agent)
    run = make_run(talk, answer="Yes.")
    delete_agent(author.actor, agent_id=agent.pk)
    run.refresh_from_db()
    assert run.agent is None
    assert run.answer is not None


def test_a_version_comes_back_as_a_new_one(author: Persona, agent: Agent) -> None:
    base = make_base(author.space)
    save(
        author,
        agent,
        base_scope="selected",
        base_ids=(base.pk,),
        config=AgentConfig(temperature=0.2),
    )
    save(author, agent, instructions="Answer in three sentences.")
    back = restore_version(author.actor, agent_id=agent.pk, number=2)
    assert (back.version, back.instructions) == (4, VALUES.instructions)
    assert back.settings.temperature == 0.2
    assert list(back.bases.all()) == [base]
    newest = AgentVersion.objects.get(agent=agent, number=4)
    assert newest.restored_from == 2
    assert "version 2" in newest.note


def test_bringing_back_leaves_out_what_is_gone(author: Persona, agent: Agent) -> None:
    base, model = make_base(author.space), make_model(author.space)
    save(author, agent, base_scope="selected", base_ids=(base.pk,), chat_model_id=model.pk)
    save(author, agent)
    base.delete()
    model.delete()
    back = restore_version(author.actor, agent_id=agent.pk, number=2)
    assert list(back.bases.all()) == []
    assert back.chat_model is None


def test_a_comparison_shows_fields_words_and_names(author: Persona, agent: Agent) -> None:
    model = make_model(author.space, name="Big talker")
    save(
        author,
        agent,
        instructions="Answer in three sentences.",
        chat_model_id=model.pk,
        config=AgentConfig(max_iterations=30),
    )
    found = {
        each.field: each for each in compare_versions(author.actor, agent_id=agent.pk, old=1, new=2)
    }
    assert set(found) == {"instructions", "chat_model_id", "max_iterations"}
    (row,) = found["instructions"].rows
    assert marked(row.new, side="new") == "Answer in <ins>three</ins> sentences."
    (row,) = found["chat_model_id"].rows
    assert row.new is not None
    assert row.new.text == "Big talker"


def test_built_in_agents_whose_tools_are_missing_wait(author: Persona) -> None:
    sync_builtin_agents(author.space.pk)
    keys = set(Agent.objects.exclude(builtin_key="").values_list("builtin_key", flat=True))
    assert {"quick-answer", "smart-reasoning"} <= keys
    assert {"wiki-researcher", "wiki-fixer"} <= keys
    assert "data-analyst" not in keys
    reasoning = Agent.objects.get(builtin_key="smart-reasoning").settings
    assert reasoning.max_iterations == 50
    assert "web_search" not in reasoning.allowed_tools


def test_a_built_in_agent_follows_the_product_until_somebody_changes_it(adam: Persona) -> None:
    with adam.scope():
        sync_builtin_agents(adam.space.pk)
        quick = Agent.objects.get(builtin_key="quick-answer")
        Agent.objects.filter(pk=quick.pk).update(config={"temperature": 0.1})
        sync_builtin_agents(adam.space.pk)
        quick.refresh_from_db()
        assert quick.settings.temperature == 0.7
        save(adam, quick, name="Ours")
        sync_builtin_agents(adam.space.pk)
        quick.refresh_from_db()
        assert quick.name == "Ours"
        back = reset_agent(adam.actor, agent_id=quick.pk)
        assert (back.name, back.mode) == ("Quick answer", "quick")
        with pytest.raises(Conflict, match="turn it off"):
            delete_agent(adam.actor, agent_id=quick.pk)


def test_only_built_in_agents_are_reset(author: Persona, agent: Agent) -> None:
    with pytest.raises(Conflict):
        reset_agent(author.actor, agent_id=agent.pk)


def test_built_in_names_are_in_the_persons_language_unless_renamed() -> None:
    with translation.override("zh-hans"):
        assert shown_name("quick-answer", "Quick answer") == "快速问答"
    with translation.override("zh-tw"):
        assert shown_name("quick-answer", "Quick answer") == "快速問答"
    with translation.override("ko"):
        assert shown_name("quick-answer", "Our answers") == "Our answers"
    with translation.override("fr"):
        assert shown_name("", "Quick answer") == "Quick answer"
    assert all(set(each.names) == set(each.descriptions) for each in builtin_agents().values())
    assert all(len(each.names) == 5 for each in builtin_agents().values())


def test_the_configuration_names_the_wrong_field() -> None:
    with pytest.raises(Invalid, match="max_iterations") as refusal:
        read_config({"max_iterations": 101})
    assert refusal.value.data["field"] == "max_iterations"
