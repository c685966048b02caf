"""Passages as people see them: with their pictures, as far as these are kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from uuid import UUID

from django.urls import reverse
from django.utils.safestring import SafeString

from core.markdown import render_markdown
from knowledge.models import DocumentPicture
from knowledge.text.pictures import picture_id, references_of, replace_references

Passage = tuple[UUID, str]
"""A document's id, and a text of it with references."""


def kept_among(passages: Iterable[Passage]) -> frozenset[UUID]:
    """Return the ids of the pictures of these texts that are kept: one query, or none.

    Asks nobody: the caller may read the texts, and the door of each picture asks again.
    """
    wanted = {
        picture_id(document_id, reference.key)
        for document_id, text in passages
        for reference in references_of(text)
    }
    if not wanted:
        return frozenset()
    rows = DocumentPicture.objects.filter(pk__in=wanted)
    return frozenset(rows.values_list("pk", flat=True))


def passage_html(document_id: UUID, text: str, *, kept: Collection[UUID]) -> SafeString:
    """Return a passage as safe HTML; each picture leads to itself in full size.

    A picture that is not kept (yet) is shown as its words.
    """
    markdown: dict[str, str] = {}
    for reference in references_of(text):
        pk = picture_id(document_id, reference.key)
        if pk in kept:
            address = reverse("picture", args=[pk])
            markdown[reference.key] = f"[![{reference.words}]({address})]({address})"
    return render_markdown(replace_references(text, markdown))


def passages_html(passages: Iterable[Passage]) -> list[SafeString]:
    """Return several passages as safe HTML, in their order."""
    passages = list(passages)
    kept = kept_among(passages)
    return [passage_html(document_id, text, kept=kept) for document_id, text in passages]
