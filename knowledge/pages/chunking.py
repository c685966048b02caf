"""Context of the page that tries out how text is split: words, figures, chunks in their parts."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, median
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from knowledge.ingest.boundaries import BoundaryKind
from knowledge.ingest.places import ChunkDraft
from knowledge.ingest.sizes import TextLanguage
from knowledge.ingest.tiers import Fault, Rejected, Tier
from knowledge.services.chunking import MOST_CHUNKS, Preview, ReadingEstimate
from providers.tokens import estimate_tokens

_BARS = 10
_TIERS: dict[Tier, Any] = {
    "heading": gettext_lazy("By headings"),
    "heuristic": gettext_lazy("By chapters, numbers and page ends"),
    "recursive": gettext_lazy("By paragraphs and sentences"),
}
_LANGUAGES: dict[TextLanguage, Any] = {
    "en": gettext_lazy("English or similar"),
    "de": gettext_lazy("German"),
    "zh": gettext_lazy("Chinese or Japanese"),
    "mixed": gettext_lazy("Mixed or another script"),
}
_BORDERS: dict[BoundaryKind, Any] = {
    "form_feed": gettext_lazy("Form feeds"),
    "numbered": gettext_lazy("Numbered titles"),
    "chapter": gettext_lazy("Chapter lines"),
    "capitals": gettext_lazy("Titles in capitals"),
    "separator": gettext_lazy("Separating lines"),
    "page_footer": gettext_lazy("Page footers"),
    "blank_lines": gettext_lazy("Runs of blank lines"),
}
_FAULTS: dict[Fault, Any] = {
    "few_headings": gettext_lazy("Headings found: %(value)s; at least %(limit)s are needed."),
    "sparse_headings": gettext_lazy(
        "Headings are rare: %(value)s a line, more than %(limit)s are needed."
    ),
    "few_markers": gettext_lazy(
        "Other borders of sections found: %(value)s; at least %(limit)s are needed, or a chapter"
        " line, or a form feed."
    ),
    "nothing": gettext_lazy("It gave no passage."),
    "one": gettext_lazy(
        "It gave one passage for %(value)s characters; from %(limit)s on there must be more."
    ),
    "tiny": gettext_lazy(
        "%(value)s of the passages had fewer than 50 characters; %(limit)s are allowed."
    ),
    "small": gettext_lazy(
        "All passages were small: the largest has %(value)s characters, less than %(limit)s, a"
        " quarter of the size."
    ),
    "long": gettext_lazy(
        "A passage has %(value)s characters; %(limit)s, twice the size, are the most."
    ),
}
_SHARES: frozenset[Fault] = frozenset({"tiny"})


def preview_context(preview: Preview) -> dict[str, Any]:
    """Return what `_chunking_result.html` takes."""
    made = preview.made
    sizes = [len(chunk.text) for chunk in made.chunks]
    return {
        "tier": _TIERS[made.tier],
        "rejected": [
            {"tier": _TIERS[each.tier], "reason": _reason(each)} for each in made.rejected
        ],
        "profile": _profile(preview),
        "figures": _figures(preview, sizes),
        "bars": _histogram(sizes),
        "chunks": _chunks(preview),
        "hidden_count": max(0, len(made.chunks) - MOST_CHUNKS),
    }


def estimate_words(estimate: ReadingEstimate) -> str:
    """Say what reading again takes."""
    parts = [
        ngettext("%(n)s document", "%(n)s documents", estimate.documents)
        % {"n": f"{estimate.documents:,}"},
        _("about %(n)s tokens to embed") % {"n": f"{estimate.tokens:,}"},
    ]
    if estimate.seconds:
        parts.append(_duration(estimate.seconds))
    if estimate.cents:
        parts.append(
            _("about %(price)s of the model’s price") % {"price": f"{estimate.cents / 100:.2f}"}
        )
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return _("about %(n)s seconds of work") % {"n": max(1, round(seconds))}
    return _("about %(n)s minutes of work") % {"n": f"{round(seconds / 60):,}"}


def _reason(rejected: Rejected) -> str:
    def shown(number: float) -> str:
        if rejected.fault in _SHARES:
            return f"{number:.0%}"
        return f"{number:,.0f}" if number >= 1 or not number else f"{number:.4g}"

    words = str(_FAULTS[rejected.fault])
    return words % {"value": shown(rejected.value), "limit": shown(rejected.limit)}


def _profile(preview: Preview) -> list[tuple[str, str]]:
    profile = preview.made.profile
    rows: list[tuple[Any, int | str]] = [
        (_("Characters"), profile.characters),
        (_("Lines"), profile.lines),
        (_("Language"), str(_LANGUAGES[profile.language])),
        (_("Headings"), profile.headings),
        (_("Paragraphs"), profile.paragraphs),
        (_("Tables"), profile.tables),
        (_("Blocks of code"), profile.code_blocks),
        (_("Formulas"), profile.formulas),
    ]
    rows += [(_BORDERS[kind], count) for kind, count in profile.markers.items()]
    return [(str(name), f"{value:,}" if isinstance(value, int) else value) for name, value in rows]


def _figures(preview: Preview, sizes: Sequence[int]) -> list[tuple[str, str]]:
    if not sizes:
        return []
    made = preview.made
    tokens = sum(estimate_tokens(chunk.text) for chunk in made.chunks)
    rows = [
        (_("Passages"), f"{len(sizes):,}"),
        (_("Sections to read"), f"{len(made.parents):,}"),
        (_("Limit"), f"{made.settings.size:,}"),
        (_("Shortest"), f"{min(sizes):,}"),
        (_("Median"), f"{median(sizes):,.0f}"),
        (_("Mean"), f"{mean(sizes):,.0f}"),
        (_("Longest"), f"{max(sizes):,}"),
        (_("Tokens, about"), f"{tokens:,}"),
    ]
    return [row for row in rows if made.parents or row[0] != _("Sections to read")]


def _histogram(sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Return how many chunks there are of each size, in up to ten steps."""
    if not sizes:
        return []
    step = max(1, -(-max(sizes) // _BARS))
    counts = [0] * -(-max(sizes) // step)
    for size in sizes:
        counts[(size - 1) // step] += 1
    return [
        {
            "label": f"{number * step + 1:,}–{(number + 1) * step:,}",
            "count": count,
            "percent": round(100 * count / max(counts)),
        }
        for number, count in enumerate(counts)
    ]


def _chunks(preview: Preview) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = []
    covered = 0
    for chunk in preview.made.chunks[:MOST_CHUNKS]:
        shown.append(
            {
                "number": chunk.index + 1,
                "heading": " › ".join(chunk.heading_path),
                "size": f"{len(chunk.text):,}",
                "tokens": f"{estimate_tokens(chunk.text):,}",
                "place": f"{chunk.char_start:,}–{chunk.char_end:,}",
                "section": None if chunk.parent is None else chunk.parent + 1,
                "parts": _parts(chunk, covered),
            }
        )
        covered = chunk.char_end
    return shown


def _parts(chunk: ChunkDraft, covered: int) -> list[dict[str, str]]:
    """Return the chunk's text as repeated header, overlap, its own, and what closes it."""
    begin = chunk.prefix_length
    overlap = begin + max(0, min(covered, chunk.char_end) - chunk.char_start)
    end = begin + chunk.char_end - chunk.char_start
    pieces = [
        ("repeated", chunk.text[:begin]),
        ("overlap", chunk.text[begin:overlap]),
        ("", chunk.text[overlap:end]),
        ("repeated", chunk.text[end:]),
    ]
    return [{"kind": kind, "text": text} for kind, text in pieces if text]
