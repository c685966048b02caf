"""Tidies a memory: what is out of date is set aside, what says the same becomes one.

Items that contain one another are merged here; whether merely similar ones say the same, a model
decides. Without one they stay, and the result says how many pairs nobody looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.constants import MemoryKind, MemoryState
from agents.memory.clusters import Cluster, clusters_of
from agents.memory.items import keep_capacity
from agents.memory.owners import locked
from agents.memory.redaction import redact
from agents.memory.texts import one_line
from agents.models import MemoryItem, MemoryOwner
from agents.prompts import agent_prompt
from agents.writing import Payer, write_json, writing_model
from core.errors import ProjectError
from core.jobs.handlers import JobContext
from providers.contracts.errors import ModelError

TASK_AGE = timedelta(days=45)
PAUSE = timedelta(minutes=1)


@dataclass(frozen=True, kw_only=True)
class Consolidation:
    """What tidying did."""

    merged: int = 0
    demoted: int = 0
    """Tasks that nobody spoke of for long, and what there was no room for: set aside."""
    expired: int = 0
    reviewed: int = 0
    """Groups of similar items that a model looked at."""
    candidates: int = 0
    """Groups of similar items that there are."""
    skipped: str = ""
    """Why less was done than could be, for people."""


def consolidate(context: JobContext, owner: MemoryOwner, *, on_demand: bool) -> Consolidation:
    """Tidy the memory; on demand more is taken for similar, and more groups are looked at."""
    before = owner.consolidated_at
    if on_demand and before is not None and timezone.now() - before < PAUSE:
        return Consolidation(skipped=_("Your memory was tidied a moment ago."))
    with transaction.atomic():
        owner = locked(owner)
        context.check_lease()
        expired = _set_aside_expired(owner)
        demoted = _set_aside_old_tasks(owner)
        merged = _merge_contained(owner)
        owner.consolidated_at = timezone.now()
        owner.save(update_fields=["consolidated_at"])
    clusters = clusters_of(_active(owner), on_demand=on_demand)
    more, reviewed, skipped = _review(context, owner, clusters.chosen)
    with transaction.atomic():
        demoted += keep_capacity(locked(owner))
    return Consolidation(
        merged=merged + more,
        demoted=demoted,
        expired=expired,
        reviewed=reviewed,
        candidates=clusters.total,
        skipped=skipped,
    )


def _active(owner: MemoryOwner) -> list[MemoryItem]:
    return list(MemoryItem.objects.filter(owner=owner, state=MemoryState.ACTIVE))


def _set_aside_expired(owner: MemoryOwner) -> int:
    now = timezone.now()
    rows = MemoryItem.objects.filter(owner=owner, state=MemoryState.ACTIVE, expires_at__lte=now)
    return rows.update(state=MemoryState.ARCHIVED, invalid_at=now, updated_at=now)


def _set_aside_old_tasks(owner: MemoryOwner) -> int:
    limit = timezone.now() - TASK_AGE
    rows = MemoryItem.objects.filter(
        Q(used_at=None) | Q(used_at__lt=limit),
        owner=owner,
        state=MemoryState.ACTIVE,
        kind=MemoryKind.TASK,
        updated_at__lt=limit,
    )
    return rows.update(state=MemoryState.ARCHIVED, updated_at=timezone.now())


def _merge_contained(owner: MemoryOwner) -> int:
    """Replace each item that another one of its kind contains."""
    merged = 0
    items = sorted(_active(owner), key=lambda item: len(item.text), reverse=True)
    for place, item in enumerate(items):
        for longer in items[:place]:
            if longer.state == MemoryState.ACTIVE and Cluster.says_all_of(longer, item):
                _replace([item], longer)
                merged += 1
                break
    return merged


def _review(
    context: JobContext, owner: MemoryOwner, clusters: Sequence[Cluster]
) -> tuple[int, int, str]:
    """Let a model judge the clusters; return what was merged, what was reviewed, and why not all."""
    if not clusters:
        return 0, 0, ""
    context.check()
    payer = Payer(space_id=owner.space_id, user_id=owner.user_id, purpose="memory")
    try:
        answer = write_json(
            writing_model(owner.space_id),
            payer,
            instructions=agent_prompt("memory_merge").render(),
            material="\n".join(each.written(number) for number, each in enumerate(clusters, 1)),
        )
    except (ModelError, ProjectError) as failure:
        return 0, 0, failure.message
    texts = _merged_texts(answer)
    with transaction.atomic():
        locked(owner)
        context.check_lease()
        merged = sum(
            _merge(each, texts[number])
            for number, each in enumerate(clusters, 1)
            if number in texts
        )
    return merged, len(clusters), ""


def _merged_texts(answer: Any) -> dict[int, str]:
    """Return the text of each group that the model says is one thing."""
    rows = answer.get("groups", []) if isinstance(answer, dict) else answer
    found = {}
    for row in rows if isinstance(rows, list) else []:
        if not isinstance(row, dict) or row.get("same") is not True:
            continue
        number, text = row.get("group"), row.get("text")
        if isinstance(number, int) and isinstance(text, str) and text.strip():
            found[number] = one_line(redact(text).text)
    return found


def _merge(cluster: Cluster, text: str) -> int:
    """Give the best item of the cluster the joint text; it replaces the others."""
    ids = [item.pk for item in cluster.items]
    rows = list(MemoryItem.objects.filter(pk__in=ids, state=MemoryState.ACTIVE))
    if len(rows) != len(ids) or any(row.text != old.text for row, old in _pairs(rows, cluster)):
        return 0  # the person changed something while the model read
    rows.sort(key=lambda row: (row.importance, row.use_count, row.updated_at), reverse=True)
    best, *others = rows
    best.text = text
    best.document_ids = sorted({each for row in rows for each in row.document_ids})
    best.save()
    _replace(others, best)
    return len(others)


def _pairs(rows: Sequence[MemoryItem], cluster: Cluster) -> list[tuple[MemoryItem, MemoryItem]]:
    old = {item.pk: item for item in cluster.items}
    return [(row, old[row.pk]) for row in rows]


def _replace(rows: Sequence[MemoryItem], by: MemoryItem) -> None:
    now = timezone.now()
    for row in rows:
        row.state, row.invalid_at, row.superseded_by = MemoryState.SUPERSEDED, now, by
        row.save()
