"""The text of a page after a patch: what the patch does not name stays byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from wiki.build.crosslinks import Target, with_links
from wiki.build.state import PageState
from wiki.build.values import Patch, Worded
from wiki.text.patch import sentences_named, with_added, with_sentences, without_sentences
from wiki.text.sentences import sentence_hash, split_sentences


@dataclass(frozen=True, kw_only=True)
class Composed:
    """A page's new text."""

    content: str
    summary: str
    sources: dict[str, list[UUID]] = field(default_factory=dict)
    """Of the sentences that are new."""


def compose(state: PageState, patch: Patch, targets: Sequence[Target]) -> Composed:
    """Return the page's text with the patch, links in its new sentences included."""
    content = with_sentences(
        state.content, {text_hash: worded.text for text_hash, worded in patch.replaced.items()}
    )
    content = without_sentences(content, sentences_named(content, patch.removed))
    for addition in patch.added:
        content = with_added(
            content,
            heading=addition.heading,
            sentences=[each.text for each in addition.sentences],
            as_list=addition.as_list,
        )
    worded = [
        *patch.replaced.values(),
        *(each for addition in patch.added for each in addition.sentences),
    ]
    sources = _sources(worded)
    content = with_links(content, targets, own_slug=state.slug, only=set(sources))
    summary = state.summary
    mine = sentence_hash(state.summary) if state.summary else ""
    if patch.summary is not None:
        summary = patch.summary.text
        sources.update(_sources([patch.summary]) | _whole(patch.summary))
    elif mine in patch.replaced:
        summary = patch.replaced[mine].text
        sources.update(_whole(patch.replaced[mine]))
    elif mine in patch.removed:
        summary = ""
    return Composed(content=content, summary=summary, sources=sources)


def _sources(worded: Sequence[Worded]) -> dict[str, list[UUID]]:
    """Return what each sentence rests on; a text of several sentences gives all of them the same."""
    found: dict[str, dict[UUID, None]] = {}
    for each in worded:
        hashes = [sentence.hash for sentence in split_sentences(each.text)]
        for text_hash in hashes:
            found.setdefault(text_hash, {}).update(dict.fromkeys(each.chunks))
        found.setdefault(sentence_hash(each.text), {}).update(dict.fromkeys(each.chunks))
    return {text_hash: list(chunks) for text_hash, chunks in found.items() if chunks}


def _whole(worded: Worded) -> dict[str, list[UUID]]:
    return {sentence_hash(worded.text): list(worded.chunks)} if worded.chunks else {}
