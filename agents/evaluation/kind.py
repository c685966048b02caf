"""The kind of evaluation that asks an agent: how good are its answers from one base?

Each question is a run of its own in an internal conversation, with the rights of who began the
evaluation. A worker does not wait for answers: it begins some, and the end of each brings it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.dispatch import receiver
from django.utils.translation import gettext as _, gettext_lazy

from accounts.access import Actor
from agents.constants import OPEN_RUN_STATES, RunState
from agents.evaluation.judge import judge
from agents.models import Agent, AgentRun, Conversation, Message
from agents.queries import get_agent, list_agents
from agents.runs.scope import bases_of
from agents.services.conversations import Question, ask, stop_run
from agents.signals import run_finished
from agents.tracing.closed import documents_read
from core.errors import ProjectError
from core.jobs.enqueue import enqueue
from core.jobs.handlers import JobContext
from knowledge.constants import OPEN_EVALUATIONS
from knowledge.evaluation.expected import locate, read_expected
from knowledge.evaluation.jobs import EVALUATE
from knowledge.evaluation.kinds import Kind, Subject, register_kind
from knowledge.evaluation.running import starter_of, store_result
from knowledge.evaluation.text_metrics import text_metrics
from knowledge.models import EvaluationResult, EvaluationRun, EvidenceRow, KnowledgeBase

AT_ONCE = 2
"""Questions that are answered at the same time."""
WATCH_SECONDS = 60
"""After this the job looks again, should nothing have told that an answer is there."""
NAME = "answers"


def subjects(actor: Actor, base: KnowledgeBase) -> Sequence[Subject]:
    """Return the agents that may read the base."""
    return [
        Subject(id=agent.pk, name=agent.name, snapshot=_snapshot(agent))
        for agent in list_agents(actor)
        if any(each.pk == base.pk for each in bases_of(actor, agent, [base.pk]))
    ]


def work(context: JobContext, run: EvaluationRun) -> bool:
    """Store the answers that are there, begin the next questions; True when all are answered."""
    actor = starter_of(run)
    begun = 0
    for row in EvaluationResult.objects.filter(run=run, ended_at__isnull=True).order_by("position"):
        context.check()
        if row.source_id is not None and not _settle(context, actor, run, row):
            begun += 1
        elif row.source_id is None and begun < AT_ONCE:
            begun += _begin(context, actor, run, row)
    if begun:
        key = f"{run.pk}:watch"
        enqueue(EVALUATE, dedupe_key=key, delay_seconds=WATCH_SECONDS, run_id=str(run.pk))
    return not EvaluationResult.objects.filter(run=run, ended_at__isnull=True).exists()


def stop(row: EvaluationResult) -> None:
    """Stop the answer that is being made for a question."""
    found = AgentRun.objects.select_related("user").filter(pk__in=[row.source_id]).first()
    if found is not None and found.state in OPEN_RUN_STATES:
        AgentRun.objects.filter(pk=found.pk).update(cancel_requested=True)


@receiver(run_finished)
def go_on(run: AgentRun, **_kwargs: Any) -> None:
    """Bring the evaluation back whose question was answered."""
    row = EvaluationResult.objects.filter(source_id=run.pk, ended_at__isnull=True).first()
    if row is not None and row.run.kind == NAME and row.run.state in OPEN_EVALUATIONS:
        enqueue(EVALUATE, dedupe_key=f"{row.run_id}:next", run_id=str(row.run_id))


def _begin(context: JobContext, actor: Actor, run: EvaluationRun, row: EvaluationResult) -> bool:
    """Ask a question; False when it cannot be asked, which its result says."""
    try:
        with transaction.atomic():
            context.check_lease()
            locked = EvaluationResult.objects.select_for_update().get(pk=row.pk)
            if locked.source_id is not None or locked.ended_at is not None:
                return True  # another job of this evaluation has begun it
            agent = get_agent(actor, run.subject_id) if run.subject_id else None
            conversation = Conversation.objects.create(
                space_id=run.space_id,
                user_id=actor.user_id,
                title=row.question[:80],
                is_internal=True,
            )
            question = Question(
                text=row.question,
                agent_id=agent.pk if agent else None,
                base_ids=(run.base_id,),
            )
            locked.source_id = ask(actor, question, conversation_id=conversation.pk).pk
            locked.save(update_fields=["source_id"])
    except ProjectError as refusal:
        row.error = refusal.message
        store_result(context, row)
        return False
    return True


def _settle(context: JobContext, actor: Actor, run: EvaluationRun, row: EvaluationResult) -> bool:
    """Store an answer that is there; False while it is being made."""
    rows = AgentRun.objects.select_related("answer", "conversation")
    answered = rows.filter(pk__in=[row.source_id]).first()
    if answered is None:
        row.error = _("Its conversation was deleted.")
    elif answered.state == RunState.WAITING_APPROVAL:
        stop_run(actor, run_id=answered.pk)
        row.error = _("The agent asked for an approval, which nobody gives in an evaluation.")
    elif answered.state in OPEN_RUN_STATES:
        return False
    else:
        _measure(context, actor, run, row, answered)
    store_result(context, row)
    if answered is not None and answered.state not in OPEN_RUN_STATES:
        _forget(answered)
    return True


def _measure(
    context: JobContext,
    actor: Actor,
    run: EvaluationRun,
    row: EvaluationResult,
    answered: AgentRun,
) -> None:
    read = documents_read([answered.pk]).get(answered.pk, set())
    row.document_ids = sorted(str(each) for each in read)
    text = answered.answer.text if answered.answer else ""
    if not text or answered.state != RunState.DONE:
        row.error = answered.reason or _("There was no answer.")
        return
    row.answer = text
    cited = list(EvidenceRow.objects.filter(origin_id__in=[answered.answer_id]).order_by("marker"))
    if row.reference:
        row.metrics = {**row.metrics, **text_metrics(text, row.reference)}
    located = locate(actor, run.base_id, read_expected(row.expected))
    row.gone = list(located.gone)
    if located.targets:
        hashes = {each.chunk_hash for each in cited}
        documents = {each.document_id for each in cited}
        met = [
            target.hashes & hashes if target.hashes else target.document_id in documents
            for target in located.targets
        ]
        row.metrics = {**row.metrics, "cited": sum(map(bool, met)) / len(met)}
    verdict = judge(context, run, row, [(each.marker, each.text) for each in cited])
    row.judged = verdict.stored
    row.metrics = {**row.metrics, **verdict.metrics}


def _forget(answered: AgentRun) -> None:
    """Remove the internal conversation: its answer stands in the result now."""
    with transaction.atomic():
        messages = Message.objects.filter(conversation_id=answered.conversation_id)
        EvidenceRow.objects.filter(origin_id__in=messages.values("pk")).delete()
        answered.conversation.delete()


def _snapshot(agent: Agent) -> dict[str, Any]:
    return {
        "version": agent.version,
        "mode": agent.mode,
        "chat_model": str(agent.chat_model) if agent.chat_model_id else "",
        "config": agent.config,
    }


register_kind(
    Kind(
        name=NAME,
        label=gettext_lazy("Answers of"),
        work=work,
        primary=("correctness", "rougeL", "cited"),
        subjects=subjects,
        stop=stop,
    )
)
