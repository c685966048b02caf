"""The kind of evaluation that searches: is what should be found among the first k?"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from accounts.access import Actor
from core.errors import ProjectError
from core.jobs.handlers import JobContext
from knowledge.base_settings import RetrievalOptions
from knowledge.evaluation.expected import locate, ranking_of, read_expected, wanted_keys
from knowledge.evaluation.kinds import Kind, register_kind
from knowledge.evaluation.metrics import ranking_metrics
from knowledge.evaluation.running import next_open, starter_of, store_result
from knowledge.models import EvaluationResult, EvaluationRun
from knowledge.retrieval.hits import RetrievalHit
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings


def work(context: JobContext, run: EvaluationRun) -> bool:
    """Search for each open question with the rights of who began the run."""
    options = RetrievalOptions.model_validate(run.options.get("retrieval", {}))
    while (row := next_open(run)) is not None:
        context.check()
        search_for(starter_of(run), run, row, options)
        store_result(context, row)
    return True


def search_for(
    actor: Actor, run: EvaluationRun, row: EvaluationResult, options: RetrievalOptions
) -> None:
    """Fill in what a search finds; what cannot be asked says why and has no measures."""
    wished = RetrievalSettings(
        limit=options.limit, keyword_weight=options.keyword_weight, rerank=options.rerank
    )
    try:
        found = retrieve(
            actor, query=row.question, scope=Scope(base_ids=(run.base_id,)), settings=wished
        )
    except ProjectError as refusal:
        row.error = refusal.message
        return
    row.judged = {"warnings": list(found.warnings)} if found.warnings else {}
    measure(actor, run, row, found.hits)


def measure(
    actor: Actor, run: EvaluationRun, row: EvaluationResult, hits: tuple[RetrievalHit, ...]
) -> None:
    """Compare hits, best first, with what the question expects."""
    located = locate(actor, run.base_id, read_expected(row.expected))
    ranked, places = ranking_of(hits, located.targets)
    row.gone = list(located.gone)
    row.ranked = [
        {
            "document_id": str(hit.document_id),
            "chunk_id": str(hit.chunk_id),
            "chunk_hash": hit.content_hash,
            "target": place,
        }
        for hit, place in zip(hits, places, strict=True)
    ]
    if located.targets:
        wanted = wanted_keys(located.targets)
        row.metrics = {**row.metrics, **ranking_metrics(ranked, wanted, k=run.k)}


SEARCH = Kind(
    name="retrieval",
    label=_("Search"),
    work=work,
    primary=("ndcg",),
    needs_expected=True,
)
register_kind(SEARCH)
