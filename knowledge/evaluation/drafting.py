"""A model drafts golden questions from passages that its person may see; a person confirms them.

The progress is a run of the kind `drafting`: each passage is a row, so a killed worker goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _, gettext_lazy
from pydantic import BaseModel

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid
from core.jobs.handlers import JobContext
from knowledge.batches.prices import currency_of, input_price, output_price
from knowledge.constants import OPEN_EVALUATIONS, ChunkKind, GoldenOrigin
from knowledge.enrich.asking import Wish, writing_model
from knowledge.evaluation.asking import ask_model
from knowledge.evaluation.expected import dump_expected, expected_of, read_expected
from knowledge.evaluation.golden import GoldenDraft, Origin, add_golden
from knowledge.evaluation.kinds import Kind, register_kind
from knowledge.evaluation.queries import DRAFTING, newest_drafting
from knowledge.evaluation.running import next_open, starter_of, store_result
from knowledge.evaluation.runs import begin_job
from knowledge.models import (
    Chunk,
    EvaluationResult,
    EvaluationRun,
    GoldenQuestion,
    KnowledgeBase,
)
from knowledge.prompts import knowledge_prompt
from knowledge.queries import get_base
from knowledge.text.pictures import without_references
from providers.contracts.errors import ModelError
from providers.tokens import estimate_tokens

DEFAULT_COUNT = 20
MOST_COUNT = 200
SHORTEST_PASSAGE = 80
"""Characters; shorter ones hold too little to ask for."""
_MOST_CHARACTERS = 6_000
_ANSWER_TOKENS = 300
_USUAL_ANSWER_TOKENS = 80


class _Draft(BaseModel):
    question: str = ""
    answer: str = ""


@dataclass(frozen=True, kw_only=True)
class DraftEstimate:
    """What drafting may take."""

    questions: int
    tokens: int
    cents: int
    """Rounded up; 0 where no prices are set."""
    currency: str


def estimate_drafts(actor: Actor, *, base_id: UUID, count: int) -> DraftEstimate:
    """Say what drafting so many questions may cost.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        ProjectError: no model of the space can write; says what to do.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    model = writing_model(base.space_id)
    chosen = _choose(actor, base, count)
    instructions = estimate_tokens(knowledge_prompt("golden").render())
    asked = sum(instructions + estimate_tokens(_material(chunk)) for chunk in chosen)
    written = len(chosen) * _USUAL_ANSWER_TOKENS
    cents = asked * input_price(model) + written * output_price(model)
    return DraftEstimate(
        questions=len(chosen),
        tokens=asked + written,
        cents=-int(-cents // 1),
        currency=currency_of(model),
    )


def start_drafting(actor: Actor, *, base_id: UUID, count: int = DEFAULT_COUNT) -> EvaluationRun:
    """Have a model draft questions, one a passage, spread over the documents.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        ProjectError: no model of the space can write; says what to do.
        Invalid: there is no passage that could be asked about.
        Conflict: drafting is running already.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    if actor.user_id is None or actor.is_guest:
        raise Invalid(_("Only members of the space have questions drafted: it costs its budget."))
    writing_model(base.space_id)
    chosen = _choose(actor, base, count)
    if not chosen:
        raise Invalid(_("There is no passage without a golden question that could be asked about."))
    with transaction.atomic():
        KnowledgeBase.objects.select_for_update().get(pk=base.pk)
        newest = newest_drafting(actor, base.pk)
        if newest is not None and newest.state in OPEN_EVALUATIONS:
            raise Conflict(_("Questions are being drafted already; wait for them."))
        run = EvaluationRun.objects.create(
            space_id=base.space_id,
            base=base,
            kind=DRAFTING,
            total=len(chosen),
            author_id=actor.user_id,
        )
        EvaluationResult.objects.bulk_create(
            EvaluationResult(
                space_id=base.space_id,
                run=run,
                position=position,
                question="",
                expected=dump_expected([expected_of(chunk)]),
                source_id=chunk.pk,
            )
            for position, chunk in enumerate(chosen)
        )
        begin_job(run)
        record_audit(actor, "golden.write", target=base, base_id=base.pk, questions=len(chosen))
    return run


def work(context: JobContext, run: EvaluationRun) -> bool:
    """Draft a question for each open passage; a bad answer of the model only costs that one."""
    while (row := next_open(run)) is not None:
        context.check()
        actor = starter_of(run)
        try:
            _draft(context, actor, run, row)
        except ModelError as error:
            if error.kind != "bad_response":
                raise Conflict(error.message) from error
            row.error = error.message
        except Conflict as refusal:
            if refusal.data.get("field") != "question":
                raise
            row.error = refusal.message  # the base has this question
        store_result(context, row)
    return True


def _draft(context: JobContext, actor: Actor, run: EvaluationRun, row: EvaluationResult) -> None:
    chunks = Chunk.objects.filter(pk__in=[row.source_id], base_id=run.base_id).select_related(
        "document"
    )
    chunk = visible(actor, "view", chunks).first()
    if chunk is None:
        row.error = _("The passage is gone.")
        return
    wish = Wish(
        instructions=knowledge_prompt("golden").render(),
        material=_material(chunk),
        purpose="golden",
        max_tokens=_ANSWER_TOKENS,
    )
    made, _model = ask_model(context, run, wish, _Draft)
    if not made.question.strip():
        return
    draft = GoldenDraft(
        question=made.question[:2_000],
        answer=made.answer[:4_000],
        expected=read_expected(row.expected),
    )
    origin = Origin(kind=GoldenOrigin.DRAFTED, source_id=run.pk)
    try:
        added = add_golden(actor, base_id=run.base_id, draft=draft, origin=origin)
    except Invalid as refusal:
        row.error = refusal.message
        return
    row.golden, row.question = added, added.question


def _choose(actor: Actor, base: KnowledgeBase, count: int) -> list[Chunk]:
    """Return passages without a golden question, in turn from each document, from all its parts."""
    rows = Chunk.objects.filter(
        base=base,
        kind__in=(ChunkKind.TEXT, ChunkKind.FAQ),
        is_enabled=True,
        document__searchable_at__isnull=False,
    )
    rows = visible(actor, "view", rows).order_by("document_id", "position")
    asked = _asked_hashes(base)
    by_document: dict[UUID, list[UUID]] = {}
    for key, document_id, content_hash, text in rows.values_list(
        "pk", "document_id", "content_hash", "text"
    ).iterator():
        if content_hash not in asked and len(text) >= SHORTEST_PASSAGE:
            by_document.setdefault(document_id, []).append(key)
    wanted = min(max(1, count), MOST_COUNT)
    shares = [_spread(keys, -(-wanted // len(by_document))) for keys in by_document.values()]
    turns = [key for turn in range(wanted) for keys in shares for key in keys[turn : turn + 1]]
    found = Chunk.objects.select_related("document").in_bulk(turns[:wanted])
    return [found[key] for key in turns[:wanted]]


def _spread(keys: list[UUID], count: int) -> list[UUID]:
    """Return `count` of the keys at equal distances."""
    if count >= len(keys):
        return keys
    return [keys[at * len(keys) // count] for at in range(count)]


def _asked_hashes(base: KnowledgeBase) -> set[str]:
    rows = GoldenQuestion.objects.filter(base=base).values_list("expected", flat=True)
    return {each.get("chunk_hash", "") for expected in rows for each in expected}


def _material(chunk: Chunk) -> str:
    heading = " › ".join(chunk.heading_path)
    text = without_references(chunk.text)[:_MOST_CHARACTERS]
    return f"Document: {chunk.document.name}\n{heading}\n\n{text}"


register_kind(
    Kind(
        name=DRAFTING,
        label=gettext_lazy("Drafting"),
        work=work,
        primary=(),
        measures=False,
    )
)
