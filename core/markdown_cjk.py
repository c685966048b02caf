"""Emphasis next to Chinese, Japanese and Korean text.

CommonMark closes `**` only beside a blank or punctuation, so `**重要。**下一句` stays open; models
write that all day. A CJK character beside the marker counts like a blank here, as in the browser's
markdown-it-cjk-friendly (the port for Python holds markdown-it-py back at 3.0).
"""

from __future__ import annotations

import unicodedata

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

_RADICALS, _HEXAGRAMS = "\u2e80", "\u4dff"
"""Between them, wide symbols are East Asian signs."""
_SELECTORS = ("\U000e0100", "\U000e01ef")
"""Select a variant of the ideograph before them."""


class CjkState(StateInline):
    """A state whose delimiters may open and close beside CJK characters."""

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803  # its names
        """Return whether the run of markers at `start` can open, can close, and its length."""
        marker = self.src[start]
        end = start
        while end < self.posMax and self.src[end] == marker:
            end += 1
        before = self.src[start - 1] if start > 0 else " "
        after = self.src[end] if end < self.posMax else " "
        opens, closes = _sides(before, after, inside_words=canSplitWord)
        return Scanned(opens, closes, end - start)


def _sides(before: str, after: str, *, inside_words: bool) -> tuple[bool, bool]:
    """Return whether markers between the two characters can open and can close."""
    if isWhiteSpace(ord(before)) or isWhiteSpace(ord(after)):
        return not isWhiteSpace(ord(after)), not isWhiteSpace(ord(before))
    point_before, point_after = _is_punctuation(before), _is_punctuation(after)
    if not inside_words:
        return point_before, point_after
    near_cjk = _is_cjk(before) or _is_cjk(after)
    return (
        point_before or near_cjk or not point_after,
        point_after or near_cjk or not point_before,
    )


def _is_punctuation(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)


def _is_cjk(char: str) -> bool:
    """Return whether it is East Asian writing or punctuation (an emoji is wide, but neither)."""
    width = unicodedata.east_asian_width(char)
    if width == "W":
        is_symbol = unicodedata.category(char) in {"So", "Sk"}
        return not is_symbol or _RADICALS <= char <= _HEXAGRAMS
    if width == "N":
        return unicodedata.name(char, "").startswith("HANGUL")
    return width in {"F", "H"} or _SELECTORS[0] <= char <= _SELECTORS[1]


class CjkInline(ParserInline):
    """The inline parser over `CjkState`."""

    @classmethod
    def like(cls, parser: ParserInline) -> CjkInline:
        """Return one with the same active rules as `parser`."""
        made = cls()
        made.ruler.enableOnly(parser.ruler.get_active_rules())
        made.ruler2.enableOnly(parser.ruler2.get_active_rules())
        return made

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Fill `tokens` with the inline tokens of `src`."""
        state = CjkState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens
