"""Recognises "remember that …" in English, Chinese, Japanese and Korean, without a model."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.constants import MemoryKind
from agents.memory.texts import one_line

_BEFORE = (
    re.compile(
        r"(?is)^\s*(?:(?:please|hey|ok(?:ay)?|and|also)[\s,]+)*(?:can you |could you )?"
        r"(?:(?:please )?remember(?: for (?:me|later|the future))?(?: that\b|\s*[:：,]| (?=(?:i|my|we|our)\b))"
        r"|(?:do not|don['\u2019]t) forget(?: that\b|\s*[:：]| (?=(?:i|my|we|our)\b))"
        r"|(?:keep|bear) in mind(?: that\b|\s*[:：]))\s*[:：,]?\s*(?P<rest>.+)$"
    ),
    re.compile(
        r"(?s)^\s*(?:请|請|帮我|幫我|麻烦|麻煩)*\s*(?:(?:你)?(?:要)?"
        r"(?:记住|記住|记下来?|記下來?|记一下|記一下|记得|記得)|(?:不要|别|別)忘(?:记|記|了)?)(?!了?[吗嗎么麼])"
        r"\s*[:：,，、]?\s*(?P<rest>.+)$"
    ),
    re.compile(
        r"(?s)^\s*(?:覚えて|おぼえて|憶えて|記憶して)(?:おいて)?(?:ください|下さい|ね|ほしい)?"
        r"\s*[:：,、。]\s*(?P<rest>.+)$"
    ),
    re.compile(
        r"(?s)^\s*(?:꼭\s*)?(?:기억해|기억하|잊지\s*마)(?:\s*(?:줘|주세요|줄래|둬|두세요|세요|요))?"
        r"\s*[:：,.]?\s+(?P<rest>.+)$|^\s*기억해(?:줘|주세요)?\s*[:：,]\s*(?P<more>.+)$"
    ),
)
_BEHIND = (
    re.compile(
        r"(?s)^\s*(?P<rest>[^\n]+?)(?:と|こと)?を?(?:覚えて|おぼえて|憶えて|記憶して)"
        r"(?:おいて)?(?:ください|下さい|ね|ほしい)?[。!！]?\s*$"
    ),
    re.compile(
        r"(?s)^\s*(?P<rest>[^\n]+?)(?:(?<=[라다])고|는 (?:것|걸|거)|을|를|,)?\s+(?:꼭\s*)?기억해"
        r"\s*(?:줘|주세요|둬|두세요)?[.!]?\s*$"
    ),
)
_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?](?!\s|$)[^.!?。！？\n]*)*(?:[.!?。！？]+|\n|$)")
_QUESTION_END = ("?", "\uff1f", "吗", "嗎", "ですか", "ますか", "까")

_KINDS: tuple[tuple[re.Pattern[str], MemoryKind, str], ...] = (
    (
        re.compile(
            r"(?i)^(?:my name is|i am called|call me)\b|我(?:叫|的名字)|私の名前|제 이름|내 이름"
        ),
        MemoryKind.PROFILE,
        "name",
    ),
    (
        re.compile(
            r"(?i)\b(?:i (?:prefer|like|love|hate|dislike|want you to|would like)|always (?:answer|reply"
            r"|use|write)|never (?:answer|reply|use|write)|(?:answer|reply) (?:me )?in)\b"
            r"|喜欢|喜歡|偏好|请用|請用|讨厌|討厭|好き|嫌い|好む|좋아|싫어|선호"
        ),
        MemoryKind.PREFERENCE,
        "",
    ),
    (
        re.compile(
            r"(?i)^(?:i am|i['\u2019]m|i work|i live|my (?:job|role|team|department|time ?zone|title))\b"
            r"|^我(?:是|在|住)|^私は|^(?:나는|저는)"
        ),
        MemoryKind.PROFILE,
        "",
    ),
    (
        re.compile(
            r"(?i)\b(?:deadline|due (?:on|by)|i (?:must|have to|need to)|to-?do)\b|截止|待办|待辦|締め切り|마감"
        ),
        MemoryKind.TASK,
        "",
    ),
)


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What a person asked to remember."""

    text: str
    kind: MemoryKind
    topic: str = ""


def wish_in(question: str) -> Wish | None:
    """Return what the question asks to remember; None when it asks for nothing of that kind."""
    for pattern in (*_BEFORE, *_BEHIND):
        match = pattern.match(question)
        if match is not None:
            words = match.groupdict()
            text = _statement(words.get("rest") or words.get("more") or "")
            return _wish(text) if text else None
    return None


def _statement(words: str) -> str:
    """Return the sentences before the first question; a wish is often followed by one."""
    kept: list[str] = []
    for match in _SENTENCE.finditer(words):
        sentence = match.group().strip()
        if not sentence:
            continue
        if sentence.rstrip("。. !！").endswith(_QUESTION_END):
            break
        kept.append(sentence)
    return one_line(" ".join(kept)).strip(" ,;:，、：")


def _wish(text: str) -> Wish:
    for pattern, kind, topic in _KINDS:
        if pattern.search(text):
            return Wish(text=text, kind=kind, topic=topic)
    return Wish(text=text, kind=MemoryKind.FACT)
