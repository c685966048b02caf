"""Tags for documents that have none, chosen from those that the base has."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext_noop
from pydantic import BaseModel

from knowledge.base_settings import BaseSettings
from knowledge.constants import UNLISTED_SOURCES, StageName
from knowledge.enrich.asking import Wish, ask_value
from knowledge.enrich.jobs import CHOOSE_TAGS
from knowledge.enrich.made import passages_of
from knowledge.enrich.material import about
from knowledge.enrich.registry import Enriching, Enrichment
from knowledge.models import Document, DocumentTag, Tag
from knowledge.prompts import knowledge_prompt

MOST_TAGS_SHOWN = 500
MOST_CHARACTERS = 16_000
SURE_ENOUGH = 0.75
_TAGGED = gettext_noop("It has tags already.")


class _Choice(BaseModel):
    number: int
    confidence: float | None = None

    @property
    def sureness(self) -> float:
        """How sure the model is, 0..1; some count to a hundred, and some do not say."""
        if self.confidence is None:
            return 1.0
        return self.confidence / 100 if self.confidence > 1 else self.confidence


class _Answer(BaseModel):
    tags: list[_Choice]


def choose_tags(enriching: Enriching) -> None:
    """Put tags on the document that the model is sure of; only the base's own, and only if it has none."""
    document, report = enriching.document, enriching.report
    tags = list(Tag.objects.filter(base=document.base).order_by("position", "name"))
    tags = tags[:MOST_TAGS_SHOWN]
    if not tags:
        report.skipped(gettext_noop("The knowledge base has no tags to choose from."))
        return
    if DocumentTag.objects.filter(document=document).exists():
        report.skipped(_TAGGED)
        return
    most = enriching.settings.enrichment.tags_most
    answer = ask_value(
        enriching,
        Wish(
            instructions=knowledge_prompt("tags").render(most=str(most)),
            material=_material(document, tags),
            purpose="tags",
            max_tokens=300,
        ),
        _Answer,
    )
    chosen = _sure(answer, tags)[:most]
    report.note(tags=[tag.name for tag, _ in chosen])
    with transaction.atomic():
        enriching.context.check_lease()
        Document.objects.select_for_update().get(pk=document.pk)
        if DocumentTag.objects.filter(document=document).exists():
            report.skipped(_TAGGED)
            return
        _put(document, chosen)


def _material(document: Document, tags: Sequence[Tag]) -> str:
    listed = "\n".join(f"{number}. {tag.name}" for number, tag in enumerate(tags, 1))
    text = "\n\n".join(passage.text for passage in passages_of(document))[:MOST_CHARACTERS]
    return f"Tags:\n{listed}\n\nDocument:\n{about(document)}\n\n{text}"


def _sure(answer: _Answer, tags: Sequence[Tag]) -> list[tuple[Tag, float]]:
    """Return the tags that exist and are sure enough, surest first, each once."""
    found: dict[int, float] = {}
    for choice in answer.tags:
        if 1 <= choice.number <= len(tags) and SURE_ENOUGH <= choice.sureness <= 1:
            found.setdefault(choice.number, choice.sureness)
    ranked = sorted(found.items(), key=lambda pair: -pair[1])
    return [(tags[number - 1], sureness) for number, sureness in ranked]


def _put(document: Document, chosen: Sequence[tuple[Tag, float]]) -> None:
    # A tag that was deleted while the model thought is not put on.
    there = set(
        Tag.objects.filter(pk__in=[tag.pk for tag, _ in chosen]).values_list("pk", flat=True)
    )
    DocumentTag.objects.bulk_create(
        [
            DocumentTag(space_id=document.space_id, document=document, tag=tag, confidence=sureness)
            for tag, sureness in chosen
            if tag.pk in there
        ],
        ignore_conflicts=True,
    )


def _wanted(document: Document, settings: BaseSettings) -> bool:
    return settings.enrichment.tags and document.source not in UNLISTED_SOURCES


ENRICHMENT = Enrichment(stage=StageName.TAGS, job=CHOOSE_TAGS, wanted=_wanted, run=choose_tags)
