"""What helps, as links and buttons to the pages where it is done; only what the actor may do."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.access import Actor, may
from knowledge.constants import DocumentState
from knowledge.models import Chunk, Document, KnowledgeBase
from knowledge.why_not.verdicts import Remedy


def read_again(actor: Actor, document: Document) -> tuple[Remedy, ...]:
    """Read the document's file again: also makes vectors and words that are missing."""
    if not may(actor, "change", document):
        return ()
    url = reverse("document_retry", args=[document.pk])
    return (Remedy(label=_("Read again"), url=url, fields=()),)


def see_timeline(document: Document) -> Remedy:
    """Look how the document is read."""
    return Remedy(label=_("How it was read"), url=reverse("document_timeline", args=[document.pk]))


def see_document(document: Document) -> Remedy:
    """Look at the document."""
    return Remedy(label=_("Open the document"), url=reverse("document", args=[document.pk]))


def see_passage(chunk: Chunk, label: str = "") -> Remedy:
    """Look at a passage in its document."""
    url = reverse("document", args=[chunk.document_id])
    return Remedy(
        label=label or _("Open the passage"), url=f"{url}?chunk={chunk.pk}#chunk-{chunk.pk}"
    )


def give_password(actor: Actor, document: Document) -> tuple[Remedy, ...]:
    """Say how an encrypted file is opened."""
    if document.state != DocumentState.NEEDS_INPUT or not may(actor, "change", document):
        return ()
    return (see_document(document),)


def cut_otherwise(actor: Actor, document: Document) -> tuple[Remedy, ...]:
    """Try other settings of passages on the document."""
    if not may(actor, "change", document):
        return ()
    url = reverse("document_chunking", args=[document.pk])
    return (Remedy(label=_("Cut it otherwise"), url=url),)


def switch_on(actor: Actor, chunk: Chunk) -> tuple[Remedy, ...]:
    """Let the passage be found again."""
    if not may(actor, "change", chunk):
        return ()
    url = reverse("chunk_switch", args=[chunk.document_id, chunk.pk])
    return (Remedy(label=_("Switch it on"), url=url, fields=(("enabled", "1"),)),)


def edit_passage(actor: Actor, chunk: Chunk) -> tuple[Remedy, ...]:
    """Write what is missing into the passage."""
    if chunk.faq_entry_id is not None or not may(actor, "change", chunk):
        return ()
    url = reverse("chunk_edit", args=[chunk.document_id, chunk.pk])
    return (Remedy(label=_("Edit the passage"), url=url),)


def add_question(actor: Actor, chunk: Chunk, question: str) -> tuple[Remedy, ...]:
    """Let this very question lead to the passage."""
    if not question or chunk.faq_entry_id is not None or not may(actor, "change", chunk):
        return ()
    url = reverse("chunk_questions", args=[chunk.document_id, chunk.pk])
    fields = (("action", "add"), ("text", question))
    label = _("Let this question lead to it")
    return (Remedy(label=label, url=url, fields=fields),)


def edit_entry(chunk: Chunk) -> tuple[Remedy, ...]:
    """Open the entry of questions and answers that the passage is made of."""
    if chunk.faq_entry_id is None:
        return ()
    url = reverse("faq_entry", args=[chunk.faq_entry_id])
    return (Remedy(label=_("Open the entry"), url=url),)


def open_to_them(actor: Actor, document: Document) -> tuple[Remedy, ...]:
    """Change who may read the document."""
    if not may(actor, "share", document.base):
        return ()
    url = reverse("document_access", args=[document.pk])
    return (Remedy(label=_("Change who may read it"), url=url),)


def restore(actor: Actor, document: Document) -> tuple[Remedy, ...]:
    """Take the document out of the trash."""
    if not may(actor, "edit", document.base):
        return ()
    return (Remedy(label=_("Open the trash"), url=reverse("base_trash", args=[document.base_id])),)


def base_settings(actor: Actor, base: KnowledgeBase) -> tuple[Remedy, ...]:
    """Change how the base is searched."""
    if not may(actor, "change", base):
        return ()
    url = reverse("base_settings", args=[base.pk])
    return (Remedy(label=_("Settings of the knowledge base"), url=url),)


def set_default(actor: Actor, base: KnowledgeBase, label: str, **values: Any) -> tuple[Remedy, ...]:
    """Set how the base is searched, at once."""
    if not may(actor, "change", base):
        return ()
    fields = tuple((name, str(value)) for name, value in values.items())
    return (Remedy(label=label, url=reverse("base_search_default", args=[base.pk]), fields=fields),)


def add_document(actor: Actor, base: KnowledgeBase) -> tuple[Remedy, ...]:
    """Put the text into the base."""
    if not may(actor, "edit", base):
        return ()
    return (Remedy(label=_("Add a document"), url=reverse("base", args=[base.pk])),)
