"""Hand in an edit: it is published, or becomes a change request where its author needs a review.

Every edit goes this way, whoever makes it: pages, API, agents' tools and building.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound
from knowledge.models import KnowledgeBase
from wiki.changes.checking import check_text
from wiki.changes.publishing import publish_request, write
from wiki.changes.requests import (
    Proposal,
    fingerprint_of,
    is_refused,
    open_request,
    same_open,
    text_of_page,
)
from wiki.changes.rights import (
    is_machine,
    may_publish,
    require_proposing,
    review_mode,
    settings_of,
    waits,
)
from wiki.changes.risks import find_risks, stored_risks
from wiki.changes.rules import Rule, rule_for
from wiki.constants import ChangeAction
from wiki.models import WikiChange, WikiPage, WikiRevision
from wiki.pages.writing import lock_wiki
from wiki.values import Edit


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of an edit: exactly one of the two, or none when there was nothing to do."""

    revision: WikiRevision | None = None
    """What was published; of a deletion the last revision of the page."""
    change: WikiChange | None = None
    note: str = ""
    """Why it waits, or why nothing was done; a sentence for people and models."""


@transaction.atomic
def submit(
    actor: Actor,
    base: KnowledgeBase,
    page: WikiPage | None,
    edit: Edit,
    *,
    on_version: int,
    action: ChangeAction = ChangeAction.EDIT,
    review: bool | None = None,
) -> Outcome:
    """Publish an edit made on a version of a page, or open a change request for it.

    `review` True asks for a review though none is needed; False is for imports and tests of those
    who may publish. None: as page and base say (`ReviewMode`), by the kind of author and what
    the actor may do. An edit without a page makes one, an edit with another slug renames; of a
    deletion the text is not read. The base's rules approve only what the actor could publish
    themselves, also by the hand of an agent.

    Raises:
        NotFound, AccessDenied: as `require` has it for the wiki.
        Invalid: the text is no page (blank title, bad slug, too long).
        VersionConflict: the page was changed meanwhile and the edit would be published at once.
        Conflict: another page has the slug.
    """
    require_proposing(actor, base, page)
    lock_wiki(base)
    proposal = _checked(base, page, edit, on_version=on_version, action=action)
    if _says_nothing_new(proposal):
        return Outcome(note=_("The page says that already: nothing was changed."))
    settings = settings_of(base)
    mode = review_mode(settings, page)
    entitled = may_publish(actor, base, page)
    must_wait = not entitled or (waits(mode, edit.author) if review is None else review)
    if (must_wait or is_machine(edit.author)) and is_refused(proposal):
        return Outcome(note=_("This was proposed before and refused for good: nothing was done."))
    if not must_wait:
        return Outcome(revision=_publish(actor, proposal))
    rule = rule_for(proposal, settings.auto_approve) if entitled and not review else None
    if rule is not None:
        return _approve_by(rule, actor, proposal)
    return _propose(actor, proposal, entitled=entitled)


def _checked(
    base: KnowledgeBase,
    page: WikiPage | None,
    edit: Edit,
    *,
    on_version: int,
    action: ChangeAction,
) -> Proposal:
    if page is not None:
        page = WikiPage.objects.filter(pk=page.pk, base=base, trashed_at__isnull=True).first()
        if page is None:
            raise NotFound(_("This page was deleted."))
        if not 1 <= on_version <= page.version:
            raise Invalid(_("The page has no version %(n)d.") % {"n": on_version})
    action = _action(page, edit, action)
    if action == ChangeAction.DELETE and page is not None:
        edit = replace(edit, text=text_of_page(page), sources={})
    else:
        edit = replace(edit, text=check_text(edit.text))
    _see_slug_free(base, page, edit.text.slug)
    return Proposal(
        base=base,
        page=page,
        edit=edit,
        on_version=on_version if page else 0,
        action=action,
        fingerprint=fingerprint_of(page, action, edit.text),
    )


def _action(page: WikiPage | None, edit: Edit, action: ChangeAction) -> ChangeAction:
    if page is None:
        if action == ChangeAction.DELETE:
            raise Invalid(_("There is no page to delete."))
        return ChangeAction.CREATE
    if action == ChangeAction.DELETE:
        return action
    return ChangeAction.EDIT if edit.text.slug == page.slug else ChangeAction.RENAME


def _see_slug_free(base: KnowledgeBase, page: WikiPage | None, slug: str) -> None:
    rows = WikiPage.objects.filter(base=base, slug=slug, trashed_at__isnull=True)
    if page is not None:
        rows = rows.exclude(pk=page.pk)
    if rows.exists():
        raise Conflict(_("Another page has the address “%(slug)s”.") % {"slug": slug})


def _says_nothing_new(proposal: Proposal) -> bool:
    page = proposal.page
    if page is None or proposal.action == ChangeAction.DELETE:
        return False
    return text_of_page(page) == proposal.edit.text


def _publish(actor: Actor, proposal: Proposal) -> WikiRevision:
    revision = write(
        proposal.base,
        proposal.page,
        proposal.edit,
        expected_version=proposal.on_version,
        action=proposal.action,
    )
    record_audit(
        actor,
        f"wiki.{proposal.action}",
        target=revision.page,
        base_id=proposal.base.pk,
        version=revision.number,
    )
    return revision


def _approve_by(rule: Rule, actor: Actor, proposal: Proposal) -> Outcome:
    change = open_request(proposal, risks=_risks(proposal), actor=actor, rule=rule.name)
    revision = publish_request(change, by=None)
    record_audit(
        actor,
        "wiki.publish",
        target=change,
        base_id=proposal.base.pk,
        number=change.number,
        rule=rule.name,
    )
    return Outcome(revision=revision, note=_("Published by the rule “%s”.") % rule.label)


def _risks(proposal: Proposal) -> list[dict[str, str]]:
    return stored_risks(find_risks(proposal.page, proposal.edit, proposal.action))


def _propose(actor: Actor, proposal: Proposal, *, entitled: bool) -> Outcome:
    waiting = same_open(proposal)
    if waiting is not None:
        note = _("Change request %(n)d proposes the same and waits already.")
        return Outcome(change=waiting, note=note % {"n": waiting.number})
    change = open_request(proposal, risks=_risks(proposal), actor=actor)
    record_audit(
        actor,
        "wiki.propose",
        target=change,
        base_id=proposal.base.pk,
        number=change.number,
        asks_for=proposal.action,
    )
    note = (
        _("It waits for a review as change request %(n)d.")
        if entitled
        else _("You may not publish here: it waits as change request %(n)d for somebody who may.")
    )
    return Outcome(change=change, note=note % {"n": change.number})
