"""Merge a change request with what the page became since it was made.

Ours is the page as it is now, theirs the proposal, base the version that the proposal was made on.
What both changed differently is put before a person; the result is a new edition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar

from django.db import transaction
from django.utils.translation import gettext as _, gettext_lazy

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid
from core.textmerge import Merge, merge_texts
from wiki.changes.deciding import rewrite
from wiki.changes.requests import text_of_change, text_of_page
from wiki.changes.rights import is_own
from wiki.changes.states import lock_change, move
from wiki.constants import OPEN_CHANGE_STATES, ChangeAction, ChangeState, PageKind, PageStatus
from wiki.models import WikiChange, WikiRevision
from wiki.values import PageText, VersionConflict

LABELS: Final[Mapping[str, Any]] = {
    "slug": gettext_lazy("Address"),
    "title": gettext_lazy("Title"),
    "kind": gettext_lazy("Kind"),
    "status": gettext_lazy("State"),
    "summary": gettext_lazy("Summary"),
}
V = TypeVar("V")


@dataclass(frozen=True, kw_only=True)
class FieldClash:
    """A field besides the text that both sides changed."""

    name: str
    base: str
    ours: str
    theirs: str


@dataclass(frozen=True, kw_only=True)
class Rebase:
    """A proposal merged onto a version, as far as that goes without a person."""

    onto_version: int
    edition: int
    text: PageText
    """Merged; where fields or text clash, as the page has them."""
    merge: Merge
    """Of the content."""
    field_clashes: tuple[FieldClash, ...]

    @property
    def is_clean(self) -> bool:
        """Whether a person needs to decide nothing."""
        return not self.merge.clashes and not self.field_clashes


def needs_rebase(change: WikiChange) -> bool:
    """Say whether an open change request was made on an older version than the page has."""
    return (
        change.page is not None
        and change.state in OPEN_CHANGE_STATES
        and change.on_version != change.page.version
    )


def plan_rebase(change: WikiChange) -> Rebase:
    """Return the merge of a change request with its page as it is now."""
    page = change.page
    if page is None:
        raise ValueError("a new page has nothing to be merged with")
    base, ours, theirs = _base_of(change), text_of_page(page), text_of_change(change)
    merge = merge_texts(base.content, ours.content, theirs.content)
    values, clashes = _merged_fields(base, ours, theirs)
    content = ours.content if merge.clashes else merge.text
    return Rebase(
        onto_version=page.version,
        edition=change.edition,
        text=PageText(**values, content=content),
        merge=merge,
        field_clashes=tuple(clashes),
    )


@transaction.atomic
def rebase_change(
    actor: Actor,
    change: WikiChange,
    *,
    edition: int,
    onto_version: int,
    field_answers: Mapping[str, str] | None = None,
    answers: tuple[str, ...] = (),
) -> WikiChange:
    """Merge a change request onto the page's version that the actor saw, as a new edition.

    `answers` are the texts for what clashes, in order; `field_answers` the values of fields that
    clash. Without anything left to change it is superseded. Verdicts so far lapse.

    Raises:
        NotFound, AccessDenied: the actor may neither decide nor is the author.
        VersionConflict: the page was changed again meanwhile.
        Conflict: it is decided, has another edition, or something clashes and has no answer.
        Invalid: the merged text is no page.
    """
    require(actor, "view" if is_own(actor, change) else "change", change)
    change = lock_change(change)
    if change.page is None or change.state not in OPEN_CHANGE_STATES:
        raise Conflict(_("There is nothing to merge: it is decided, or a new page."))
    if change.on_version == change.page.version:
        raise Conflict(_("There is nothing to merge: the page is as it was."))
    if change.edition != edition:
        raise Conflict(_("The proposal has another text meanwhile. Look at it again."))
    if change.page.version != onto_version:
        raise VersionConflict(
            _("The page was changed again meanwhile: look at the newer version."),
            current_version=change.page.version,
        )
    text = _resolved(plan_rebase(change), field_answers or {}, answers)
    was_draft = change.state == ChangeState.DRAFT
    if change.action == ChangeAction.DELETE:
        text = text_of_page(change.page)
    elif text == text_of_page(change.page):
        move(change, ChangeState.SUPERSEDED, by=actor)
        return change
    rewrite(change, text, on_version=onto_version)
    move(change, ChangeState.DRAFT if was_draft else ChangeState.IN_REVIEW, by=actor)
    record_audit(
        actor,
        "wiki.rebase",
        target=change,
        base_id=change.base_id,
        number=change.number,
        version=onto_version,
    )
    return change


def _resolved(plan: Rebase, field_answers: Mapping[str, str], answers: tuple[str, ...]) -> PageText:
    open_fields = [clash.name for clash in plan.field_clashes if clash.name not in field_answers]
    if open_fields or len(answers) != len(plan.merge.clashes):
        raise Conflict(
            _("Both the page and the proposal changed the same place: decide what stays.")
        )
    values: dict[str, Any] = {f.name: getattr(plan.text, f.name) for f in fields(plan.text)}
    for clash in plan.field_clashes:
        values[clash.name] = field_answers[clash.name]
    try:
        values["kind"], values["status"] = PageKind(values["kind"]), PageStatus(values["status"])
    except ValueError:
        raise Invalid(_("There is no such kind or state of a page.")) from None
    values["content"] = plan.merge.resolved(list(answers))
    return PageText(**values)


def _merged_fields(
    base: PageText, ours: PageText, theirs: PageText
) -> tuple[dict[str, Any], list[FieldClash]]:
    values: dict[str, Any] = {"aliases": tuple(_joined_names(base, ours, theirs))}
    clashes: list[FieldClash] = []
    for name in LABELS:
        was, here, there = (getattr(each, name) for each in (base, ours, theirs))
        values[name] = there if here == was else here
        if here != was and there not in (was, here):
            clashes.append(FieldClash(name=name, base=was, ours=here, theirs=there))
    return values, clashes


def _joined_names(base: PageText, ours: PageText, theirs: PageText) -> Iterator[str]:
    """Yield the other names: those that neither side removed, and those that one added."""
    for name in dict.fromkeys((*ours.aliases, *theirs.aliases)):
        if name not in base.aliases or (name in ours.aliases and name in theirs.aliases):
            yield name


def _base_of(change: WikiChange) -> PageText:
    """Return the text that the proposal was made on; a thinned one has no content."""
    row = WikiRevision.objects.get(page_id=change.page_id, number=change.on_version)
    return PageText(
        slug=row.slug,
        title=row.title,
        kind=PageKind(row.kind),
        status=PageStatus(row.status),
        summary=row.summary,
        content=row.content,
        aliases=tuple(row.aliases),
    )
