"""Which revision introduced each sentence of a page, and whose it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wiki.models import WikiPage, WikiRevision
from wiki.text.sentences import split_sentences

if TYPE_CHECKING:
    from accounts.models import User


@dataclass(frozen=True, kw_only=True)
class BlamedSentence:
    """A sentence of the page's text: `content[start:end]`."""

    start: int
    end: int
    text: str
    hash: str
    """As `wiki.text.sentences` has it."""
    revision: WikiRevision
    """The one since which the page says it, without its text."""
    is_exact: bool
    """False: texts before that revision were thinned out, it may be older."""

    @property
    def author(self) -> User | None:
        """Who wrote it, where a person did."""
        return self.revision.author


def blame_page(page: WikiPage) -> tuple[BlamedSentence, ...]:
    """Return the page's sentences in their order, each with the revision that introduced it.

    That is the first of the unbroken row of revisions up to now whose texts have it; links and
    emphasis make no other sentence of one. Texts are read newest first, and no further than until
    every sentence is found.
    """
    sentences = split_sentences(page.content)
    open_hashes = {each.hash for each in sentences}
    since: dict[str, tuple[int, bool]] = dict.fromkeys(open_hashes, (page.version, True))
    texts = (
        WikiRevision.objects.filter(page=page, number__lt=page.version)
        .order_by("-number")
        .values_list("number", "content", "content_hash", "thinned_at")
    )
    last_hash = ""
    kept: frozenset[str] = frozenset()
    is_exact = True
    for number, content, content_hash, thinned_at in texts.iterator(chunk_size=20):
        if not open_hashes:
            break
        if thinned_at is not None:
            is_exact = False
            continue
        if content_hash != last_hash:
            kept = frozenset(each.hash for each in split_sentences(content))
            last_hash = content_hash
        for gone in open_hashes - kept:
            since[gone] = (since[gone][0], is_exact)
        open_hashes &= kept
        for still in open_hashes:
            since[still] = (number, True)
        is_exact = True
    numbers = {number for number, _ in since.values()}
    rows = WikiRevision.objects.filter(page=page, number__in=numbers).select_related("author")
    revisions = {row.number: row for row in rows.defer("content")}
    return tuple(
        BlamedSentence(
            start=each.start,
            end=each.end,
            text=each.text,
            hash=each.hash,
            revision=revisions[since[each.hash][0]],
            is_exact=since[each.hash][1],
        )
        for each in sentences
    )
