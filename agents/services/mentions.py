"""What a question names with @: offered as one types, checked when it is asked."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from agents.bindings import capabilities_by_base, is_of_use, requirements_of, takes_files
from agents.catalogue import tools_for
from agents.constants import BaseScope
from agents.models import Agent
from agents.runs.scope import bases_of
from core.errors import Invalid, NotFound
from knowledge.constants import DocumentSource
from knowledge.models import Document, KnowledgeBase
from knowledge.sharing.parts import shared_bases

MentionKind = Literal["base", "document"]
MOST_MENTIONS = 20
MOST_SUGGESTIONS = 12
MOST_BASES_SUGGESTED = 5


@dataclass(frozen=True, kw_only=True)
class Mention:
    """One thing that a question names."""

    kind: MentionKind
    id: UUID


def read_mention(written: str) -> Mention:
    """Return a mention as a form has it: `base:<id>` or `document:<id>`.

    Raises:
        Invalid: it has another form.
    """
    kind, _colon, key = written.partition(":")
    with contextlib.suppress(ValueError):
        if kind == "base":
            return Mention(kind="base", id=UUID(key))
        if kind == "document":
            return Mention(kind="document", id=UUID(key))
    raise Invalid(_("What you named with @ cannot be read; remove it and name it again."))


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """Something that may be named."""

    kind: MentionKind
    id: UUID
    name: str
    detail: str
    """Of a base how much it holds, of a document where it lies."""


@dataclass(frozen=True, kw_only=True)
class Mentioned:
    """Checked mentions, as the question and its run keep them."""

    stored: tuple[dict[str, Any], ...] = ()
    base_ids: tuple[UUID, ...] = ()
    document_ids: tuple[UUID, ...] = ()


def check_mentions(actor: Actor, agent: Agent, mentions: Sequence[Mention]) -> Mentioned:
    """Return what the mentions limit the question to.

    Named documents narrow their own bases; named bases are searched whole.

    Raises:
        Invalid: there are too many.
        NotFound: one is gone, hidden from the actor, or of no use to this agent.
    """
    wanted = list(dict.fromkeys(mentions))
    if len(wanted) > MOST_MENTIONS:
        raise Invalid(_("Name at most %(n)s things with @.") % {"n": MOST_MENTIONS})
    if not wanted:
        return Mentioned()
    bases = {base.pk: base for base in mentionable_bases(actor, agent)}
    documents = _documents_by_id(actor, agent, bases.values(), wanted)
    stored: list[dict[str, Any]] = []
    for each in wanted:
        found = bases.get(each.id) if each.kind == "base" else documents.get(each.id)
        if found is None:
            raise NotFound(
                _(
                    "What you named with @ is gone, or this agent cannot read it. Remove it from your question."
                )
            )
        stored.append({"kind": each.kind, "id": str(each.id), "name": found.name})
    named = [each.id for each in wanted if each.kind == "base"]
    around = [documents[each.id].base_id for each in wanted if each.kind == "document"]
    return Mentioned(
        stored=tuple(stored),
        base_ids=tuple(dict.fromkeys([*named, *around])),
        document_ids=tuple(each.id for each in wanted if each.kind == "document"),
    )


def suggest_mentions(actor: Actor, agent: Agent, *, search: str = "") -> list[Suggestion]:
    """Return bases, then documents, that serve the agent and have the text in their name."""
    text = search.replace("\x00", "").strip()[:200]
    bases = mentionable_bases(actor, agent)
    found = [base for base in bases if text.casefold() in base.name.casefold()]
    suggestions = [
        Suggestion(kind="base", id=base.pk, name=base.name, detail=_detail(actor, base))
        for base in found[:MOST_BASES_SUGGESTED]
    ]
    rows = mentionable_documents(actor, agent, bases)
    if text:
        rows = rows.filter(Q(name__icontains=text) | Q(folder_path__icontains=text))
    room = MOST_SUGGESTIONS - len(suggestions)
    suggestions += [
        Suggestion(
            kind="document", id=row.pk, name=row.name, detail=_place(row.base.name, row.folder_path)
        )
        for row in rows.order_by("-created_at", "name")[:room]
    ]
    return suggestions


def mentionable_bases(actor: Actor, agent: Agent) -> list[KnowledgeBase]:
    """Return the bases that the agent's tools can use and the actor may see, by name.

    Behind the own ones stand those that other spaces share, where the agent may read every base.
    Of an agent that another space shares its bases come first, then the actor's own.
    """
    tools = tools_for(agent.settings.allowed_tools, mode=agent.mode)
    requirements = requirements_of(agent.mode, tools)
    found = [*bases_of(actor, agent, ()), *_shared(actor, agent)]
    if agent.space_id != actor.space_id:
        found += visible(actor, "use", KnowledgeBase.objects.order_by("name"))
    can = capabilities_by_base(found)
    return [base for base in found if is_of_use(can[base.pk], requirements)]


def mentionable_documents(
    actor: Actor, agent: Agent, bases: Sequence[KnowledgeBase]
) -> QuerySet[Document]:
    """Return the documents that may be named: none when no tool of the agent takes files."""
    config = agent.settings
    if not takes_files(agent.mode, tools_for(config.allowed_tools, mode=agent.mode)):
        return Document.objects.none()
    rows = Document.objects.filter(
        base_id__in=[base.pk for base in bases], searchable_at__isnull=False
    ).exclude(source=DocumentSource.WIKI)
    rows = rows.select_related("base")
    if config.supported_file_types:
        kinds = [each.lstrip(".").lower() for each in config.supported_file_types]
        rows = rows.filter(file_type__in=kinds)
    return visible(actor, "view", rows)


def _shared(actor: Actor, agent: Agent) -> list[KnowledgeBase]:
    if agent.base_scope != BaseScope.ALL or agent.space_id != actor.space_id:
        return []
    return shared_bases(actor, None)


def _detail(actor: Actor, base: KnowledgeBase) -> str:
    if base.space_id == actor.space_id:
        return _("Knowledge base")
    return _("Knowledge base of %(space)s") % {"space": base.space.name}


def _documents_by_id(
    actor: Actor, agent: Agent, bases: Iterable[KnowledgeBase], wanted: Sequence[Mention]
) -> dict[UUID, Document]:
    ids = [each.id for each in wanted if each.kind == "document"]
    if not ids:
        return {}
    rows = mentionable_documents(actor, agent, list(bases)).filter(pk__in=ids)
    return {row.pk: row for row in rows}


def _place(base_name: str, folder_path: str) -> str:
    return f"{base_name} › {folder_path}" if folder_path else base_name
