"""What happens to shared agents and to their answers when a space or a person is erased."""

from __future__ import annotations

from uuid import uuid4

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from accounts.models import Erasure, Organisation, Space, User
from accounts.platform import erasure_jobs
from accounts.platform.erasure_requests import request_erasure
from agents.constants import RunState
from agents.models import Agent, AgentRun, AgentShare, Conversation, ModelUsage
from agents.services.conversations import Question, ask
from agents.sharing.received import shared_agents
from core.jobs.handlers import JobContext
from core.tenancy import unscoped
from tests.accounts.organisations.worlds import make_organisation
from tests.agents.sharing.worlds import make_sharable, share_agent
from tests.factories.accounts import make_user
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.personas import Persona


@pytest.fixture
def boss(db: None) -> User:
    return make_user("boss@example.org", name="Boss", is_staff=True, is_superuser=True)


@pytest.fixture
def organisation(cora: Persona, mallory: Persona) -> Organisation:
    return make_organisation(cora.space, editors=(mallory.space,))


@pytest.fixture
def share(mallory: Persona, organisation: Organisation) -> AgentShare:
    make_model(mallory.space, type="chat", is_default=True)
    agent = make_sharable(mallory.space, make_base(mallory.space), name="Quartzlantern")
    return share_agent(agent, organisation)


def put(persona: Persona, agent: Agent) -> AgentRun:
    with persona.scope():
        return ask(persona.actor, Question(text="What is the rent?", agent_id=agent.pk))


def erase(boss: User, run: DjangoCaptureOnCommitCallbacks, *, kind: str, subject_id: int) -> None:
    with run(execute=True):
        request_erasure(boss, kind=kind, subject_id=str(subject_id), reason="asked for")  # type: ignore[arg-type]  # one of the kinds
    with run(execute=True):
        for row in Erasure.objects.filter(state="running"):
            context = JobContext(
                job_id=uuid4(), space_id=0, attempt=1, lease_epoch=1, deadline=float("inf")
            )
            erasure_jobs.carry_out(context, erasure_id=str(row.pk))
    assert Erasure.objects.get().state == "done"


def test_a_space_that_is_erased_takes_its_agents_and_their_names_along(
    cora: Persona,
    mallory: Persona,
    boss: User,
    share: AgentShare,
    settings: Settings,
    tmp_path: object,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.MEDIA_ROOT = tmp_path
    run = put(cora, share.agent)
    erase(boss, django_capture_on_commit_callbacks, kind="space", subject_id=mallory.space.pk)
    assert not Space.objects.filter(pk=mallory.space.pk).exists()
    assert shared_agents(cora.actor) == []
    with cora.scope():
        run.refresh_from_db()
    assert (run.state, run.shared_agent_name) == (RunState.CANCELLED, "")


def test_a_space_that_asked_is_erased_and_the_figures_stay(
    cora: Persona,
    mallory: Persona,
    boss: User,
    share: AgentShare,
    settings: Settings,
    tmp_path: object,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.MEDIA_ROOT = tmp_path
    run = put(cora, share.agent)
    with mallory.scope():
        ModelUsage.objects.create(
            space=mallory.space,
            agent=share.agent,
            asking_space_id=cora.space.pk,
            asking_run_id=run.pk,
            model_name="m",
            purpose="round",
        )
    erase(boss, django_capture_on_commit_callbacks, kind="space", subject_id=cora.space.pk)
    with unscoped(reason="the test looks at both spaces"):
        assert not AgentRun.objects.exists()
        assert ModelUsage.objects.get().asking_space_id == cora.space.pk


def test_a_person_who_asked_is_erased_with_the_conversation(
    cora: Persona,
    olivia: Persona,
    boss: User,
    share: AgentShare,
    settings: Settings,
    tmp_path: object,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.MEDIA_ROOT = tmp_path
    put(cora, share.agent)
    erase(boss, django_capture_on_commit_callbacks, kind="person", subject_id=cora.user.pk)
    with unscoped(reason="the test looks at both spaces"):
        assert not Conversation.objects.exists()
        assert Agent.objects.filter(name="Quartzlantern").exists()
