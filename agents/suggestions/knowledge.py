"""Questions from what stands in documents: titles and headings put into a sentence, no model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from agents.memory.texts import key_of, one_line
from agents.suggestions.values import Suggestion
from knowledge.constants import UNLISTED_SOURCES, DocumentSource, DocumentState
from knowledge.models import Chunk, Document, FaqEntry
from knowledge.text.scripts import Script, script_of

DOCUMENTS = 12
CHUNKS = 600
SHORTEST, LONGEST = 3, 60
_ABOUT: dict[Script, tuple[str, str]] = {
    "han": ("《{name}》讲了什么？", "《{name}》里关于“{heading}”是怎么说的？"),
    "japanese": (
        "「{name}」の内容を教えてください。",
        "「{name}」では「{heading}」についてどう書かれていますか。",
    ),
    "korean": ("‘{name}’은(는) 무슨 내용인가요?", "‘{name}’에서 ‘{heading}’에 대해 뭐라고 하나요?"),
}
"""By the script of the document's own words: who reads it asks in its language."""


def questions_of_bases(actor: Actor, base_ids: Sequence[UUID], *, most: int) -> list[Suggestion]:
    """Return questions about the newest documents of these bases that the actor may see."""
    rows = Document.objects.filter(base_id__in=base_ids, state=DocumentState.COMPLETED)
    rows = rows.exclude(source__in=UNLISTED_SOURCES)
    documents = list(visible(actor, "view", rows).order_by("-created_at", "name")[:DOCUMENTS])
    headings = _headings(actor, documents)
    first = [_question(each, headings[each.pk][:1]) for each in documents]
    second = [
        _question(each, headings[each.pk][1:2]) for each in documents if headings[each.pk][1:]
    ]
    return [*_recommended(actor, base_ids, most=most), *first, *second][:most]


def _recommended(actor: Actor, base_ids: Sequence[UUID], *, most: int) -> list[Suggestion]:
    """Return the questions that the owners of answers recommend, the newest first."""
    rows = FaqEntry.objects.filter(
        base_id__in=base_ids, is_enabled=True, is_recommended=True, indexed_at__isnull=False
    )
    found = visible(actor, "view", rows).order_by("-updated_at", "-number")[:most]
    documents = Document.objects.filter(base_id__in=base_ids, source=DocumentSource.FAQ)
    source = dict(documents.values_list("base_id", "pk"))
    return [
        Suggestion(
            text=one_line(entry.standard_question, limit=LONGEST * 2),
            source="knowledge",
            document_ids=(str(source[entry.base_id]),),
        )
        for entry in found
        if entry.base_id in source
    ]


def questions_near(
    actor: Actor, document_ids: Iterable[UUID], *, known: Iterable[str], most: int
) -> list[Suggestion]:
    """Return questions about headings of these documents that were not cited yet."""
    rows = Document.objects.filter(pk__in=set(document_ids))
    documents = list(visible(actor, "view", rows).order_by("name"))
    headings = _headings(actor, documents)
    cited = {key_of(each) for each in known}
    found: list[Suggestion] = []
    for document in documents:
        fresh = [each for each in headings[document.pk] if key_of(each) not in cited]
        found += [_question(document, [each]) for each in fresh[:most]]
    return found[:most]


def headings_of(actor: Actor, document_ids: Iterable[UUID]) -> dict[str, list[str]]:
    """Return the headings of each of the documents that the actor may see, by its name."""
    rows = Document.objects.filter(pk__in=set(document_ids))
    documents = list(visible(actor, "view", rows).order_by("name"))
    headings = _headings(actor, documents)
    return {each.name: headings[each.pk] for each in documents}


def _headings(actor: Actor, documents: Sequence[Document]) -> dict[UUID, list[str]]:
    """Return each document's headings in reading order, without its title."""
    found: dict[UUID, dict[str, str]] = {document.pk: {} for document in documents}
    titles = {document.pk: key_of(_title(document)) for document in documents}
    rows = Chunk.objects.filter(document__in=documents, is_enabled=True).exclude(heading_path=[])
    paths = visible(actor, "view", rows).order_by("position")
    for document_id, path in paths.values_list("document_id", "heading_path")[:CHUNKS]:
        heading = one_line(str(path[-1]), limit=LONGEST * 2)
        key = key_of(heading)
        if SHORTEST <= len(heading) <= LONGEST and key and key != titles[document_id]:
            found[document_id].setdefault(key, heading)
    return {document_id: list(headings.values()) for document_id, headings in found.items()}


def _question(document: Document, headings: Sequence[str]) -> Suggestion:
    name = _title(document)
    heading = headings[0] if headings else ""
    script = script_of(f"{name} {heading}")
    whole, part = _ABOUT.get(script) or (
        _("What is “{name}” about?"),
        _("What does “{name}” say about “{heading}”?"),
    )
    text = (part if heading else whole).format(name=name, heading=heading)
    return Suggestion(text=text, source="knowledge", document_ids=(str(document.pk),))


def _title(document: Document) -> str:
    stem = PurePath(document.name).stem or document.name
    return one_line(stem.replace("_", " "), limit=80)
