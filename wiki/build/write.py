"""Fifth step: what one document changes of one page. The model adds; it never hands out the page.

An answer names sentences and passages by handles. What it may change is what rests on a changed text
of this document; a sentence without a passage, or with a figure that no cited passage has, is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal
from uuid import UUID

from django.utils.translation import gettext as _
from pydantic import BaseModel, Field
from rapidfuzz import fuzz

from knowledge.enrich.asking import Wish
from knowledge.graph.extraction import Text
from wiki.build.anchors import Ground, anchored, is_still_told, missing_figures
from wiki.build.asking import PURPOSE
from wiki.build.candidates import asked_by_owner
from wiki.build.cite import shown
from wiki.build.reading import walled
from wiki.build.repeated import passages_moved_to, repeated_in
from wiki.build.state import PageState
from wiki.build.values import Addition, Passage, Patch, Source, Subject, Worded
from wiki.constants import PageKind
from wiki.models import WikiSettings
from wiki.prompts import wiki_prompt
from wiki.text.losses import figures_of
from wiki.text.patch import heading_above, headings_of
from wiki.text.sentences import Sentence, normal_sentence, sentence_hash

MOST_CHARACTERS: Final = 24_000
"""Of the passages of one call."""
MOST_TOKENS: Final = 8_000
LONGEST_SENTENCE: Final = 1_200
_REPEATED: Final = 92.0
"""Likeness, 0 to 100, from which a sentence says what another one says."""
_LINK: Final = re.compile(
    r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]|!?\[([^\[\]\n]*)\]\([^()\n]*\)"
)
_HANDLE: Final = re.compile(r"\s*\[(?:c\d+(?:,\s*)?)+\]")
_MARK: Final = re.compile(r"^(?:#{1,6}|[-*+>|]|\d{1,3}[.)])\s+")


class _Worded(BaseModel):
    text: Text = ""
    sources: list[Text] = Field(default_factory=list)


class _Outdated(_Worded):
    sentence: Text
    do: Literal["keep", "replace", "drop"]


class _Support(BaseModel):
    sentence: Text
    sources: list[Text] = Field(default_factory=list)


class _Section(BaseModel):
    heading: Text = ""
    as_list: bool = Field(default=False, alias="list")
    sentences: list[_Worded] = Field(default_factory=list)


class Answer(BaseModel):
    """The form of the model's answer."""

    summary: _Worded = Field(default_factory=_Worded)
    outdated: list[_Outdated] = Field(default_factory=list)
    support: list[_Support] = Field(default_factory=list)
    add: list[_Section]


@dataclass(frozen=True, kw_only=True)
class Task:
    """One document for one page."""

    subject: Subject
    source: Source
    state: PageState | None
    """None: the page is to be made."""
    passages: Mapping[str, Passage]
    """What the model reads, by handle."""
    sentences: Mapping[str, Sentence] = field(default_factory=dict)
    """What the model knows of the page, by handle."""
    outdated: frozenset[str] = frozenset()
    """Hashes of sentences that rest on a text that was changed."""
    anchored: Mapping[str, tuple[UUID, ...]] = field(default_factory=dict)
    """Sentences whose words still stand in the document, with the passages that have them."""
    repeated: Mapping[str, tuple[UUID, ...]] = field(default_factory=dict)
    """Sentences of other documents that rest on the very text of passages of this one."""

    @property
    def told_by_others(self) -> frozenset[str]:
        """Of the outdated sentences those that another document states, too."""
        rests = self.state.rests if self.state else {}
        return frozenset(
            text_hash
            for text_hash in self.outdated
            if any(each.document_id != self.source.document_id for each in rests[text_hash])
        )

    @property
    def needs_model(self) -> bool:
        """Whether there is anything to ask."""
        return bool(self.passages)


@dataclass(frozen=True, kw_only=True)
class Made:
    """A patch, and what was left out of the answer that it is made of."""

    patch: Patch
    dropped: tuple[str, ...] = ()
    """Sentences for the log."""
    doubts: tuple[str, ...] = ()
    """Why a person should look at it."""


def task_for(subject: Subject, source: Source, state: PageState | None) -> Task | None:
    """Return what is to be done about a page after a document was read; None when nothing is."""
    wanted = source.passages_with(subject.hashes)
    if state is None:
        return _task(subject, source, None, wanted) if wanted and not subject.is_written else None
    now = {each.hash for each in source.passages}
    stale = [
        text_hash
        for text_hash in state.resting_on(source.document_id)
        if any(
            each.document_id == source.document_id and each.hash not in now
            for each in state.rests[text_hash]
        )
    ]
    texts = {sentence.hash: sentence.text for sentence in state.sentences}
    texts.setdefault(sentence_hash(state.summary), state.summary)
    kept: dict[str, tuple[UUID, ...]] = {}
    ground = Ground(source.passages)
    for text_hash in stale:
        mine = [e.text for e in state.rests[text_hash] if e.document_id == source.document_id]
        passages = anchored(texts[text_hash], mine, ground) if text_hash in texts else ()
        if passages:
            kept[text_hash] = tuple(each.chunk_id for each in passages)
    outdated = frozenset(each for each in stale if each in texts and each not in kept)
    cited = subject.seen | state.hashes | passages_moved_to(source, state, kept)
    is_new = any(each.hash not in cited for each in wanted)
    repeated = {} if source.is_walled else repeated_in(source, state, wanted)
    if not (kept or outdated or is_new or repeated):
        return None
    needed = wanted if is_new or outdated else ()
    task = _task(subject, source, state, needed, outdated=outdated, kept=kept)
    return replace(task, repeated=repeated)


def portions_of(subject: Subject, source: Source) -> list[Subject]:
    """Return the subject once for each portion of its passages that fits into a call."""
    portions: list[set[str]] = [set()]
    size = 0
    for each in source.passages_with(subject.hashes):
        size += len(each.text)
        if portions[-1] and size > MOST_CHARACTERS:
            portions.append(set())
            size = len(each.text)
        portions[-1].add(each.hash)
    return [replace(subject, hashes=frozenset(each)) for each in portions]


def wish_for(task: Task, settings: WikiSettings) -> Wish:
    """Return what is asked of the model about one page."""
    subject, state = task.subject, task.state
    title = state.title if state else subject.name
    lines = [f"Subject of the page: {title}"]
    aliases = state.aliases if state else subject.aliases
    lines += [f"Other names: {'; '.join(aliases)}"] if aliases else []
    lines += [f"What it is: {subject.description}"] if subject.description else []
    if subject.kind == PageKind.SUMMARY:
        lines.append("The page is a summary of the whole document: its most important statements.")
    if state is not None:
        lines += ["", "Headings: " + ("; ".join(headings_of(state.content)) or "(none)")]
        lines += ["Sentences of the page:"]
        for handle, sentence in task.sentences.items():
            mark = " OUTDATED" if sentence.hash in task.outdated else ""
            lines.append(f"{handle}{mark}: {' '.join(sentence.text.split())}")
        has_summary = bool(state.summary) and sentence_hash(state.summary) not in task.outdated
        lines.append("The page has a summary." if has_summary else "The page has no summary.")
    lines += ["", f"Document: {task.source.title}", shown(dict(task.passages))]
    return Wish(
        instructions=wiki_prompt("write").render(
            language=settings.language or "the language of the passages",
            instructions=asked_by_owner(settings.content_instructions),
        ),
        material="\n".join(lines),
        purpose=PURPOSE,
        max_tokens=MOST_TOKENS,
    )


def patch_of(answer: Answer, task: Task) -> Made:
    """Return what an answer changes, as far as the rules let it."""
    return _Patching(task).read(answer)


class _Patching:
    """Reads one answer."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.dropped: list[str] = []
        self.doubts: list[str] = []
        self.replaced: dict[str, Worded] = {}
        self.kept: dict[str, tuple[UUID, ...]] = dict(task.anchored)
        self.supported: dict[str, tuple[UUID, ...]] = dict(task.repeated)
        self.removed: set[str] = set()
        self.left: set[str] = set()
        self.beside: list[Addition] = []
        self.known = {each.hash: each.text for each in (task.state.sentences if task.state else ())}

    def read(self, answer: Answer) -> Made:
        for each in answer.outdated:
            self._decide(each)
        for support in answer.support:
            self._support(support)
        added = [made for section in answer.add if (made := self._section(section))]
        patch = Patch(
            summary=self._summary(answer.summary),
            replaced=self.replaced,
            kept=self.kept,
            supported=self.supported,
            removed=frozenset(self.removed),
            left=frozenset(self.left),
            added=(*self.beside, *added),
        )
        return Made(patch=patch, dropped=tuple(self.dropped), doubts=tuple(self.doubts))

    def _decide(self, given: _Outdated) -> None:
        sentence = self.task.sentences.get(given.sentence.strip())
        if sentence is None or sentence.hash not in self.task.outdated:
            self.dropped.append(_("An answer wanted to change a sentence that it may not change."))
            return
        passages = self._passages(given.sources)
        if given.do == "drop":
            if sentence.hash in self.task.told_by_others:
                self.left.add(sentence.hash)
                return
            if is_still_told(sentence.text, self.task.source.passages):
                self.doubts.append(
                    _("The document seems to say still: “%(text)s”") % {"text": sentence.text[:200]}
                )
            self.removed.add(sentence.hash)
        elif not passages:
            self.dropped.append(given.text or sentence.text)
        elif given.do == "keep":
            if missing_figures(sentence.text, self._grounds(passages)):
                self.dropped.append(sentence.text)
            else:
                self.kept[sentence.hash] = tuple(each.chunk_id for each in passages)
        elif worded := self._worded(given):
            if sentence.hash in self.task.told_by_others:
                self._put_beside(sentence, worded)
            elif sentence_hash(worded.text) in self.known:
                self.removed.add(sentence.hash)
            else:
                self.replaced[sentence.hash] = worded
                self.known[sentence_hash(worded.text)] = worded.text

    def _put_beside(self, sentence: Sentence, worded: Worded) -> None:
        """Add what the document says now where another one says still what it said before."""
        self.left.add(sentence.hash)
        if self._same(worded.text) is None and self.task.state is not None:
            heading = heading_above(self.task.state.content, sentence.start)
            self.beside.append(Addition(heading=heading, sentences=(worded,)))
            self.known[sentence_hash(worded.text)] = worded.text

    def _support(self, given: _Support) -> None:
        sentence = self.task.sentences.get(given.sentence.strip())
        passages = self._passages(given.sources)
        if sentence is None or not passages or sentence.hash in self.task.outdated:
            return
        if not missing_figures(sentence.text, self._grounds(passages)):
            self._add_support(sentence.hash, tuple(each.chunk_id for each in passages))

    def _section(self, section: _Section) -> Addition | None:
        found: list[Worded] = []
        for given in section.sentences:
            worded = self._worded(given)
            if worded is None:
                continue
            same = self._same(worded.text)
            if same is not None:
                if same not in self.task.outdated and same not in self.replaced:
                    self._add_support(same, worded.chunks)
                continue
            self.known[sentence_hash(worded.text)] = worded.text
            found.append(worded)
        if not found:
            return None
        heading = " ".join(plain(section.heading).split())[:120]
        return Addition(heading=heading, sentences=tuple(found), as_list=section.as_list)

    def _summary(self, given: _Worded) -> Worded | None:
        state = self.task.state
        mine = sentence_hash(state.summary) if state and state.summary else ""
        if mine and mine not in self.task.outdated:
            return None
        return self._worded(given) if given.text.strip() else None

    def _worded(self, given: _Worded) -> Worded | None:
        text = clean_sentence(given.text)
        if not text:
            return None
        passages = self._passages(given.sources)
        if not passages or missing_figures(text, self._grounds(passages)):
            self.dropped.append(text)
            return None
        return Worded(text=text, chunks=tuple(each.chunk_id for each in passages))

    def _same(self, text: str) -> str | None:
        return next((key for key, known in self.known.items() if says_the_same(text, known)), None)

    def _add_support(self, text_hash: str, chunks: tuple[UUID, ...]) -> None:
        self.supported[text_hash] = tuple(
            dict.fromkeys((*self.supported.get(text_hash, ()), *chunks))
        )

    def _passages(self, handles: Sequence[str]) -> list[Passage]:
        named = (self.task.passages.get(each.strip().strip("[]")) for each in handles)
        return list(dict.fromkeys(each for each in named if each is not None))

    def _grounds(self, passages: Sequence[Passage]) -> list[str]:
        return [
            self.task.source.title,
            *(text for each in passages for text in (*each.headings, each.text)),
        ]


def clean_sentence(text: str) -> str:
    """Return a model's sentence on one line, without links, pictures, handles and marks of blocks."""
    one = _MARK.sub("", " ".join(plain(text).split()))
    return one if normal_sentence(one) and len(one) <= LONGEST_SENTENCE else ""


def plain(text: str) -> str:
    """Return a text without links, pictures, handles and comments; their words stay."""
    words = _LINK.sub(lambda link: link[1] or link[2] or "", text)
    return _HANDLE.sub("", words.replace("<!--", "").replace("-->", "")).replace("```", "")


def says_the_same(one: str, other: str) -> bool:
    """Whether two sentences say the same, as far as spelling tells."""
    first, second = normal_sentence(one), normal_sentence(other)
    if first == second:
        return True
    return fuzz.ratio(first, second) >= _REPEATED and figures_of(one) == figures_of(other)


def _task(
    subject: Subject,
    source: Source,
    state: PageState | None,
    wanted: Sequence[Passage],
    *,
    outdated: frozenset[str] = frozenset(),
    kept: Mapping[str, tuple[UUID, ...]] | None = None,
) -> Task:
    sentences: dict[str, Sentence] = {}
    if state is not None:
        closed = walled({e.document_id for supports in state.rests.values() for e in supports})
        closed.discard(source.document_id)
        for number, sentence in enumerate(state.sentences, 1):
            # What only some may read must not come into what rests on this document.
            if not any(e.document_id in closed for e in state.rests.get(sentence.hash, ())):
                sentences[f"s{number}"] = sentence
    places = {each.chunk_id: number for number, each in enumerate(source.passages, 1)}
    passages: dict[str, Passage] = {}
    for each in wanted:
        passages[f"c{places[each.chunk_id]}"] = each
    return Task(
        subject=subject,
        source=source,
        state=state,
        passages=passages,
        sentences=sentences,
        outdated=outdated,
        anchored=kept or {},
    )
