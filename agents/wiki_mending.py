"""From an issue of a wiki to a chat with the agent that mends pages; the wiki's page links here."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from agents.models import Agent
from core.errors import NotFound
from wiki.issues.flagging import get_issue
from wiki.issues.mending import AddressOf, register_mender
from wiki.issues.words import describe_issues

FIXER = "wiki-fixer"


@dataclass(frozen=True, kw_only=True)
class Mending:
    """What a new chat is filled with."""

    agent: Agent
    base_id: UUID
    text: str


def fixer_of(actor: Actor) -> Agent | None:
    """Return the agent that mends wikis; None where it is switched off or not for the actor."""
    rows = Agent.objects.filter(builtin_key=FIXER, is_enabled=True).select_related("chat_model")
    return visible(actor, "use", rows).first()


def mending_of(actor: Actor, issue_id: UUID) -> Mending:
    """Return what to ask of whom about an issue.

    Raises:
        NotFound: there is no such issue for the actor, or no agent that mends.
    """
    issue = get_issue(actor, issue_id)
    agent = fixer_of(actor)
    described = describe_issues(actor, [issue])
    if agent is None or not described:
        raise NotFound(_("No agent that mends wiki pages is switched on in this space."))
    text = _("Mend the wiki page “%(title)s” (%(slug)s), issue %(id)s: %(words)s") % {
        "title": issue.page.title,
        "slug": issue.page.slug,
        "id": issue.pk,
        "words": described[0].words,
    }
    return Mending(agent=agent, base_id=issue.base_id, text=text)


def _mender(actor: Actor) -> AddressOf | None:
    if fixer_of(actor) is None:
        return None
    address = reverse("chat_new")
    return lambda issue_id: f"{address}?issue={issue_id}"


register_mender(_mender)
