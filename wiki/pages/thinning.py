"""Which old texts go: those of building and agents beyond what the base keeps; rows and hashes stay."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from accounts.actors import system_actor
from accounts.services.audit import record_audit
from wiki.constants import OPEN_CHANGE_STATES, AuthorKind
from wiki.models import WikiChange, WikiDraft, WikiPage, WikiRevision, WikiSettings

_MACHINES = (AuthorKind.PIPELINE, AuthorKind.AGENT)


def thin_space() -> int:
    """Thin the wikis of the current space; returns how many texts went."""
    return sum(thin_revisions(row) for row in WikiSettings.objects.select_related("base"))


def thin_revisions(settings: WikiSettings) -> int:
    """Take the texts of a base's old revisions away; returns how many.

    Of what building wrote, the newest `keep_pipeline_revisions` of a page stay; of all that building
    and agents wrote, the newest `keep_revisions`. What people wrote, rolled back or imported stays,
    the newest revision of a page stays, and so does every text that an open change request or a
    draft was made on.
    """
    least = min(settings.keep_pipeline_revisions, settings.keep_revisions)
    pages = (
        WikiRevision.objects.filter(_is_thick(), page__base_id=settings.base_id)
        .order_by()
        .values("page_id")
        .annotate(number_of=Count("pk"))
        .filter(number_of__gt=least)
    )
    thinned = sum(_thin(row["page_id"], settings) for row in pages)
    if thinned:
        record_audit(
            system_actor(space_id=settings.space_id),
            "wiki.thin",
            target=settings.base,
            base_id=settings.base_id,
            revisions=thinned,
        )
    return thinned


@transaction.atomic
def _thin(page_id: UUID, settings: WikiSettings) -> int:
    page = WikiPage.objects.select_for_update(of=("self",), no_key=True).get(pk=page_id)
    rows = WikiRevision.objects.filter(_is_thick(), page=page).order_by("-number")
    numbers = list(rows.values_list("number", "author_kind"))
    built = [number for number, kind in numbers if kind == AuthorKind.PIPELINE]
    old = {
        *built[settings.keep_pipeline_revisions :],
        *[number for number, _kind in numbers][settings.keep_revisions :],
    }
    old -= {page.version, *_needed(page)}
    return WikiRevision.objects.filter(page=page, number__in=old).update(
        content="", summary="", thinned_at=timezone.now()
    )


def _is_thick() -> Q:
    return Q(author_kind__in=_MACHINES, thinned_at__isnull=True)


def _needed(page: WikiPage) -> set[int]:
    """Return the versions that somebody's unfinished work was made on."""
    changes = WikiChange.objects.filter(page=page, state__in=OPEN_CHANGE_STATES)
    drafts = WikiDraft.objects.filter(page=page)
    return {
        *changes.values_list("on_version", flat=True),
        *drafts.values_list("on_version", flat=True),
    }
