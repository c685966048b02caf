"""Which documents of a base are shown, and in which order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone

from knowledge.constants import DocumentState
from knowledge.models import Document
from knowledge.organising.paths import clean_folder_path, within

SORTS: Mapping[str, tuple[str, ...]] = {
    "-added": ("-created_at", "name", "pk"),
    "added": ("created_at", "name", "pk"),
    "name": ("name", "pk"),
    "-name": ("-name", "pk"),
    "-changed": ("-updated_at", "pk"),
    "changed": ("updated_at", "pk"),
    "-size": ("-size_bytes", "pk"),
    "size": ("size_bytes", "pk"),
    "review": ("review_by", "name", "pk"),
}
REVIEW_SOON = timedelta(days=14)


@dataclass(frozen=True, kw_only=True)
class DocumentFilter:
    """What a document must be like; blank, None and empty mean anything."""

    search: str = ""
    """A part of the name or of the folder."""
    state: str = ""
    file_type: str = ""
    source: str = ""
    tag_ids: tuple[int, ...] = ()
    """One of them is enough."""
    folder: str | None = None
    """None: wherever it lies; blank: at the root."""
    with_subfolders: bool = True
    owner_id: int | None = None
    updated_from: date | None = None
    updated_to: date | None = None
    metadata_key: str = ""
    metadata_value: str = ""
    """With `metadata_key`: blank for any value."""
    review: str = ""
    """"due": the day has come; "soon": within two weeks."""
    sort: str = "-added"

    @property
    def narrows(self) -> bool:
        """Whether it leaves anything out."""
        return self != DocumentFilter(sort=self.sort, with_subfolders=self.with_subfolders)


def filtered(rows: QuerySet[Document], wanted: DocumentFilter) -> QuerySet[Document]:
    """Return those of the documents that fit, in the order that was asked for."""
    where = Q()
    for each in (_by_name, _by_kind, _by_place, _by_people, _by_time, _by_metadata):
        where &= each(wanted)
    found = rows.filter(where)
    if wanted.tag_ids:
        found = found.filter(
            pk__in=Document.objects.filter(tag_rows__tag_id__in=wanted.tag_ids).values("pk")
        )
    return found.order_by(*SORTS.get(wanted.sort, SORTS["-added"]))


def _by_name(wanted: DocumentFilter) -> Q:
    if not wanted.search:
        return Q()
    return Q(name__icontains=wanted.search) | Q(folder_path__icontains=wanted.search)


def _by_kind(wanted: DocumentFilter) -> Q:
    where = Q()
    if wanted.state == "draft":
        where &= Q(is_draft=True)
    elif wanted.state in DocumentState.values:
        where &= Q(state=wanted.state, is_draft=False)
    if wanted.file_type:
        where &= Q(file_type=wanted.file_type)
    if wanted.source:
        where &= Q(source=wanted.source)
    return where


def _by_place(wanted: DocumentFilter) -> Q:
    if wanted.folder is None:
        return Q()
    folder = clean_folder_path(wanted.folder)
    if folder and wanted.with_subfolders:
        return within("folder_path", folder)
    return Q(folder_path=folder)


def _by_people(wanted: DocumentFilter) -> Q:
    return Q() if wanted.owner_id is None else Q(owner_id=wanted.owner_id)


def _by_time(wanted: DocumentFilter) -> Q:
    where = Q()
    if wanted.updated_from:
        where &= Q(updated_at__date__gte=wanted.updated_from)
    if wanted.updated_to:
        where &= Q(updated_at__date__lte=wanted.updated_to)
    if wanted.review:
        last = timezone.localdate() + (REVIEW_SOON if wanted.review == "soon" else timedelta())
        where &= Q(review_by__lte=last)
    return where


def _by_metadata(wanted: DocumentFilter) -> Q:
    key, value = wanted.metadata_key, wanted.metadata_value
    if not key:
        return Q()
    if not value:
        return Q(metadata__has_key=key)
    # Whatever its kind was when it was entered: 7, "7" and yes are found by what is read.
    choices: list[object] = [value]
    if value.casefold() in ("yes", "no", "true", "false"):
        choices.append(value.casefold() in ("yes", "true"))
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if math.isfinite(number):  # JSON knows no others
        choices.append(number)
    where = Q()
    for choice in choices:
        where |= Q(metadata__contains={key: choice})
    return where
