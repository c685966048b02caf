"""Chooses how a document is split, and checks what came of it.

Three tiers, best first: by headings; by other borders of sections (heuristic); by paragraphs and
sentences alone (recursive). A tier that the text does not suit, or whose chunks turn out bad, is
rejected with the reason; the last one is always taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from knowledge.base_settings import SplitOptions
from knowledge.ingest.boundaries import Markers, apply_markers, find_markers
from knowledge.ingest.cut import PROTECTED
from knowledge.ingest.parents import parents_of
from knowledge.ingest.places import ChunkDraft, Places, Stretch
from knowledge.ingest.profile import (
    FEWEST_HEADINGS,
    FEWEST_MARKERS,
    LEAST_DENSITY,
    DocumentProfile,
    profile_of,
)
from knowledge.ingest.sizes import TextLanguage, characters_of
from knowledge.ingest.split import Outline, SplitSettings, cut_outline, outline_of
from knowledge.parsers.contract import ParsedDocument

Tier = Literal["heading", "heuristic", "recursive"]
TIERS: tuple[Tier, ...] = ("heading", "heuristic", "recursive")
Fault = Literal[
    "few_headings", "sparse_headings", "few_markers", "nothing", "one", "tiny", "small", "long"
]
TINY = 50
TINY_SHARE = 0.25
LARGEST_SIZE = 7_500
SMALLEST_SIZE = 100


@dataclass(frozen=True, kw_only=True)
class Rejected:
    """A tier that was not taken."""

    tier: Tier
    fault: Fault
    value: float = 0
    """What was found."""
    limit: float = 0
    """What would have been good."""


@dataclass(frozen=True, kw_only=True)
class Split:
    """A document's chunks and how they came about."""

    chunks: tuple[ChunkDraft, ...]
    parents: tuple[ChunkDraft, ...]
    tier: Tier
    rejected: tuple[Rejected, ...]
    profile: DocumentProfile
    settings: SplitSettings


def split_document(
    document: ParsedDocument, options: SplitOptions, *, check: Callable[[], None] = lambda: None
) -> Split:
    """Return the chunks of a document as its base or upload wants them, in reading order.

    Args:
        document: what was read.
        options: how to split it.
        check: called now and then; what it raises ends the work.
    """
    outline = outline_of(document)
    check()
    profile = profile_of(outline.text, outline.units)
    settings = settings_for(options, profile.language)
    choice = _choose(outline, profile, options, settings, check)
    places = Places(document)
    parents: list[Stretch] = []
    of: list[int | None] = []
    if options.parents:
        size = max(options.parent_characters, settings.size)
        parents, of = parents_of(choice.stretches, size=size)
    return Split(
        chunks=places.drafts(outline.text, choice.stretches, of),
        parents=places.drafts(outline.text, parents),
        tier=choice.tier,
        rejected=tuple(choice.rejected),
        profile=choice.profile,
        settings=settings,
    )


def settings_for(options: SplitOptions, language: TextLanguage) -> SplitSettings:
    """Return the limits in characters for a text in this language."""
    known = language if options.language == "auto" else options.language
    if options.parents:
        size = options.child_characters
        return SplitSettings(size=size, overlap=size // 5, small_section=size // 6)
    size = options.size_characters
    if options.token_limit:
        size = characters_of(options.token_limit, known)
    size = min(max(size, SMALLEST_SIZE), LARGEST_SIZE)
    return SplitSettings(
        size=size,
        overlap=min(options.overlap_characters, size // 2),
        small_section=min(200, size // 4),
    )


def fault_of(
    text: str, stretches: Sequence[Stretch], settings: SplitSettings
) -> tuple[Fault, float, float] | None:
    """Return what is wrong with the chunks, with what was found and its limit; None: nothing."""
    if not stretches:
        return "nothing", 0, 1
    size = settings.size
    lengths = [stretch.length for stretch in stretches]
    if len(lengths) == 1 and len(text) > 2 * size:
        return "one", len(text), 2 * size
    if len(text) > size:
        tiny = sum(length < TINY for length in lengths) / len(lengths)
        if tiny > TINY_SHARE:
            return "tiny", tiny, TINY_SHARE
        if max(lengths) < size / 4:
            return "small", max(lengths), size / 4
    for stretch in stretches:
        if stretch.length > 2 * size and not _is_protected(text, stretch):
            return "long", stretch.length, 2 * size
    return None


@dataclass(kw_only=True)
class _Choice:
    tier: Tier
    stretches: list[Stretch]
    rejected: list[Rejected]
    profile: DocumentProfile


def _choose(
    outline: Outline,
    profile: DocumentProfile,
    options: SplitOptions,
    settings: SplitSettings,
    check: Callable[[], None],
) -> _Choice:
    """Return the first tier that suits, with its stretches, and those before it."""
    rejected: list[Rejected] = []
    for tier in _order(options):
        check()
        markers = Markers(found=())
        if tier == "heuristic":
            markers = find_markers(outline.text, outline.units)
            profile = replace(profile, markers=markers.counts)
        unsuited = _unsuited(tier, profile) if options.strategy == "auto" else None
        if unsuited is not None:
            rejected.append(unsuited)
            continue
        stretches = cut_outline(_outline_for(tier, outline, markers), settings, check=check)
        fault = None if tier == "recursive" else fault_of(outline.text, stretches, settings)
        if fault is None:
            return _Choice(tier=tier, stretches=stretches, rejected=rejected, profile=profile)
        rejected.append(Rejected(tier=tier, fault=fault[0], value=fault[1], limit=fault[2]))
    raise AssertionError("The last tier is always taken.")


def _order(options: SplitOptions) -> Iterator[Tier]:
    if options.strategy == "auto":
        yield from TIERS
        return
    yield options.strategy
    if options.strategy != "recursive":
        yield "recursive"


def _unsuited(tier: Tier, profile: DocumentProfile) -> Rejected | None:
    if tier == "heading" and not profile.has_headings:
        if profile.headings < FEWEST_HEADINGS:
            return Rejected(
                tier=tier, fault="few_headings", value=profile.headings, limit=FEWEST_HEADINGS
            )
        return Rejected(
            tier=tier, fault="sparse_headings", value=profile.heading_density, limit=LEAST_DENSITY
        )
    if tier == "heuristic" and not profile.has_markers:
        return Rejected(
            tier=tier, fault="few_markers", value=profile.marker_total, limit=FEWEST_MARKERS
        )
    return None


def _outline_for(tier: Tier, outline: Outline, markers: Markers) -> Outline:
    if tier == "heuristic":
        units, breaks = apply_markers(outline.text, outline.units, markers)
        return replace(outline, units=units, breaks=breaks)
    return replace(outline, sections="ignored") if tier == "recursive" else outline


def _is_protected(text: str, stretch: Stretch) -> bool:
    body = text[stretch.start : stretch.end]
    return body.startswith("$$") or PROTECTED.fullmatch(body) is not None
