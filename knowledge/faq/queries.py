"""Reading entries: one, a filtered list, the figures of a base, and imports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db.models import Count, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from core.errors import NotFound
from knowledge.models import FaqEntry, FaqImport

SearchField = Literal["", "standard_question", "similar_questions", "answers"]
SEARCH_FIELDS: tuple[SearchField, ...] = ("", "standard_question", "similar_questions", "answers")


@dataclass(frozen=True, kw_only=True)
class EntryFilter:
    """Which entries are listed, and in which order."""

    text: str = ""
    field: SearchField = ""
    """Where the text is looked for; blank: in questions and answers."""
    tag_ids: tuple[int, ...] = ()
    """Entries with one of these tags; 0: those without a tag."""
    is_enabled: bool | None = None
    is_recommended: bool | None = None
    oldest_first: bool = False

    @property
    def narrows(self) -> bool:
        """Whether it leaves something out."""
        return bool(self.text or self.tag_ids) or not (
            self.is_enabled is None and self.is_recommended is None
        )


ALL_ENTRIES = EntryFilter()


@dataclass(frozen=True, kw_only=True)
class EntryCounts:
    """What a base of questions and answers holds."""

    entries: int
    enabled: int
    waiting: int
    """Changed, and not indexed yet."""
    failed: int
    """Of those: how many could not be indexed at the last try."""


def get_entry(actor: Actor, entry_id: UUID) -> FaqEntry:
    """Return an entry.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    rows = FaqEntry.objects.filter(pk=entry_id).select_related("base", "tag", "updated_by")
    entry = visible(actor, "view", rows).first()
    if entry is None:
        raise NotFound(_("There is no such entry."))
    return entry


def list_entries(
    actor: Actor, base_id: UUID, wanted: EntryFilter = ALL_ENTRIES
) -> QuerySet[FaqEntry]:
    """Return the entries of a base that the actor sees, those changed last first."""
    rows = FaqEntry.objects.filter(base_id=base_id).select_related("tag", "updated_by")
    rows = _with_text(visible(actor, "view", rows), wanted)
    if wanted.tag_ids:
        some = Q(tag_id__in=[each for each in wanted.tag_ids if each])
        rows = rows.filter(some | Q(tag__isnull=True) if 0 in wanted.tag_ids else some)
    if wanted.is_enabled is not None:
        rows = rows.filter(is_enabled=wanted.is_enabled)
    if wanted.is_recommended is not None:
        rows = rows.filter(is_recommended=wanted.is_recommended)
    order = ("updated_at", "number") if wanted.oldest_first else ("-updated_at", "-number")
    return rows.order_by(*order)


def count_entries(actor: Actor, base_id: UUID) -> EntryCounts:
    """Count the entries that the actor sees."""
    rows = visible(actor, "view", FaqEntry.objects.filter(base_id=base_id))
    found = rows.aggregate(
        entries=Count("pk"),
        enabled=Count("pk", filter=Q(is_enabled=True)),
        waiting=Count("pk", filter=Q(indexed_at__isnull=True)),
        failed=Count("pk", filter=Q(indexed_at__isnull=True) & ~Q(index_error="")),
    )
    return EntryCounts(**found)


def newest_import(actor: Actor, base_id: UUID) -> FaqImport | None:
    """Return the import whose panel is shown: the newest one, unless it was put away."""
    rows = visible(actor, "view", FaqImport.objects.filter(base_id=base_id))
    found = rows.order_by("-created_at").first()
    return None if found is None or (found.is_closed and found.ended_at) else found


def get_import(actor: Actor, import_id: UUID) -> FaqImport:
    """Return an import.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    rows = FaqImport.objects.filter(pk=import_id).select_related("base")
    found = visible(actor, "view", rows).first()
    if found is None:
        raise NotFound(_("There is no such import."))
    return found


def _with_text(rows: QuerySet[FaqEntry], wanted: EntryFilter) -> QuerySet[FaqEntry]:
    """Look for the text as it is written: within the lists, too, which the database has as JSON."""
    if not wanted.text:
        return rows
    rows = rows.alias(
        similar_text=Cast("similar_questions", TextField()),
        answers_text=Cast("answers", TextField()),
    )
    # A quote or backslash is escaped in JSON; every other character stands as it is.
    in_json = wanted.text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    looked = {
        "standard_question": Q(standard_question__icontains=wanted.text),
        "similar_questions": Q(similar_text__icontains=in_json),
        "answers": Q(answers_text__icontains=in_json),
    }
    if wanted.field:
        return rows.filter(looked[wanted.field])
    return rows.filter(
        looked["standard_question"] | looked["similar_questions"] | looked["answers"]
    )
