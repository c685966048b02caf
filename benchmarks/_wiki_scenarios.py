"""Twenty ways in which documents of a wiki change, and a model that reads them by rule."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from providers.contracts.chat import ChatChunk, ChatMessage, ChatOptions, ToolSpec

SUBJECTS = ("Pier Lamp", "Ada Byron", "Void Works", "Rope Store", "北港灯塔", "Low Gate")
LAMP = (
    "The Pier Lamp burns 900 litres of oil a year. The Pier Lamp was lit on 3 May 1871.\n\n"
    "Ada Byron keeps the lamps since 2019. Ada Byron earns 410 pounds a month.\n\n"
    "Void Works built the tower for 1,200 pounds."
)
STORE = (
    "The Rope Store holds 46 coils of hemp. The Rope Store opens at 6 in the morning.\n\n"
    "Ada Byron counts the coils each Friday.\n\n"
    "Void Works repaired the roof in 2004."
)
TABLE = "The Low Gate closes at force 9.\n\n- The Low Gate is 14 metres wide.\n- The Low Gate has 3 bells."
CHINESE = "北港灯塔建于1898年。北港灯塔高32米。\n\n北港灯塔的灯每12秒闪一次。"


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Documents before and after; None takes one away."""

    name: str
    before: dict[str, str]
    after: dict[str, str | None]
    by_hand: str = ""
    """What a person adds to every page in between."""
    at_once: bool = True
    """Whether all changes are built together."""


def _one(name: str, text: str, changed: str | None, *, by_hand: str = "") -> Scenario:
    """Return a change of one document beside another one."""
    before = {"a.md": text, "b.md": STORE}
    return Scenario(name=name, before=before, after={"a.md": changed}, by_hand=by_hand)


SCENARIOS: tuple[Scenario, ...] = (
    _one("a figure changes", LAMP, LAMP.replace("900", "950")),
    _one("a date changes", LAMP, LAMP.replace("3 May 1871", "4 June 1872")),
    _one("a sentence is added", LAMP, LAMP.replace("a year.", "a year. The Pier Lamp is green.")),
    _one("a sentence goes", LAMP, LAMP.replace(" Ada Byron earns 410 pounds a month.", "")),
    _one("a paragraph is added", LAMP, LAMP + "\n\nThe Pier Lamp is shut in fog."),
    _one("a paragraph goes", LAMP, LAMP.rpartition("\n\n")[0]),
    _one("paragraphs change places", LAMP, "\n\n".join(reversed(LAMP.split("\n\n")))),
    _one("paragraphs are joined", LAMP, LAMP.replace("\n\n", " ")),
    _one("a paragraph is split", LAMP, LAMP.replace("a year. The", "a year.\n\nThe")),
    _one("nothing changes", LAMP, LAMP),
    _one("only white space changes", LAMP, LAMP.replace("\n\n", "\n\n\n")),
    _one("a document goes", LAMP, None),
    Scenario(
        name="a document goes, another says the same",
        before={"a.md": LAMP, "b.md": STORE, "c.md": LAMP.split("\n\n")[1]},
        after={"a.md": None},
    ),
    Scenario(
        name="a document comes that repeats",
        before={"a.md": LAMP},
        after={"c.md": LAMP.split("\n\n")[0] + "\n\nThe Pier Lamp has a brass door."},
    ),
    Scenario(
        name="a document comes on something new", before={"a.md": LAMP}, after={"t.md": TABLE}
    ),
    _one("a list item changes", TABLE, TABLE.replace("14 metres", "15 metres")),
    _one("a Chinese figure changes", CHINESE, CHINESE.replace("32米", "35米")),
    _one(
        "a person wrote on the pages", LAMP, LAMP.replace("900", "950"), by_hand="Checked in May."
    ),
    Scenario(
        name="two documents change at once",
        before={"a.md": LAMP, "b.md": STORE},
        after={"a.md": LAMP.replace("1,200", "1,300"), "b.md": STORE.replace("46", "48")},
    ),
    Scenario(
        name="two documents change one by one",
        before={"a.md": LAMP, "b.md": STORE},
        after={"a.md": LAMP.replace("410", "420"), "b.md": STORE.replace("Friday", "Monday")},
        at_once=False,
    ),
)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a scenario's document."""
    flat = re.sub(r"\s*\n+(?:- )?\s*", "\n", text)
    return [s.strip() for s in re.split(r"(?<=[.!?])\s+|(?<=。)\s*|\n", flat) if s.strip()]


@dataclass
class ScriptedExtractor:
    """Reads by rule: a subject's sentences are those that name it, word for word."""

    name: str = "scripted extractor"
    context_tokens: int = 200_000
    calls: list[str] = field(default_factory=list)

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions | None = None,
    ) -> AsyncIterator[ChatChunk]:
        """Answer what is asked."""
        asked, material = messages[0].content, messages[1].content
        if asked.startswith("You read a document"):
            self.calls.append("read")
            answer: object = {
                "subjects": [_subject(s) for s in SUBJECTS if s in material.partition("Text:")[2]]
            }
        elif asked.startswith("You are given subjects"):
            answer = {"supports": _supports(material)}
        elif asked.startswith("You keep one page"):
            self.calls.append("write")
            answer = _written(material)
        elif asked.startswith("You put new pages"):
            answer = {"places": []}
        else:
            answer = {"same": []}
        yield ChatChunk(text=json.dumps(answer, ensure_ascii=False))
        yield ChatChunk(finish_reason="stop")


def _subject(name: str) -> dict[str, object]:
    return {"name": name, "kind": "entity", "aliases": [], "description": ""}


def _passages(material: str) -> dict[str, str]:
    parts = re.split(r"\n?\[(c\d+)\][^\n]*\n", material)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _supports(material: str) -> list[dict[str, object]]:
    passages = _passages(material)
    subjects = re.findall(r"^(ref-\d+): (.*)$", material, re.M)
    return [
        {"subject": handle, "passages": [c for c, text in passages.items() if name in text]}
        for handle, name in subjects
    ]


def _written(material: str) -> dict[str, object]:
    subject = re.search(r"Subject of the page: (.*)", material)
    name = subject[1] if subject else ""
    if "The page is a summary" in material:
        return {"add": []}
    told = [
        (sentence, handle)
        for handle, text in _passages(material).items()
        for sentence in sentences_of(text)
        if name in sentence
    ]
    page = dict(re.findall(r"^(s\d+)(?: OUTDATED)?: (.*)$", material, re.M))
    outdated = re.findall(r"^(s\d+) OUTDATED: (.*)$", material, re.M)
    free = [each for each in told if each[0] not in page.values()]
    decided: list[dict[str, object]] = []
    for handle, text in outdated:
        kept = next((each for each in told if each[0] == text), None)
        near = max(free, key=lambda each: _shared(each[0], text), default=None)
        if kept:
            decided.append({"sentence": handle, "do": "keep", "sources": [kept[1]]})
        elif near and _shared(near[0], text) > 0.5:
            free.remove(near)
            decided.append(
                {"sentence": handle, "do": "replace", "text": near[0], "sources": [near[1]]}
            )
        else:
            decided.append({"sentence": handle, "do": "drop"})
    support = [
        {"sentence": handle, "sources": [c for s, c in told if s == text]}
        for handle, text in page.items()
        if any(s == text for s, _ in told)
    ]
    sentences = [{"text": s, "sources": [c]} for s, c in free]
    add = [{"heading": "", "list": False, "sentences": sentences}] if sentences else []
    return {"outdated": decided, "support": support, "add": add}


def _shared(one: str, other: str) -> float:
    first, second = set(re.findall(r"\w", one)), set(re.findall(r"\w", other))
    words = set(re.findall(r"\w+", one)) & set(re.findall(r"\w+", other))
    alike = len(first & second) / max(1, len(first | second))
    return max(alike * 0.7, len(words) / max(1, len(set(re.findall(r"\w+", other)))))
