"""The columns of import and export: their headings, and values that hold several texts.

Several texts stand in one cell with `##` between them. A text with marks that could be taken for
that has a backslash before each. A cell that a spreadsheet would calculate has an apostrophe in
front. Reading undoes both, so that what was exported comes back as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Column = Literal[
    "standard_question",
    "similar_questions",
    "negative_questions",
    "answers",
    "all_answers",
    "disabled",
    "not_recommended",
    "tag",
]
COLUMNS: dict[Column, tuple[str, str]] = {
    "tag": ("Tag", "分类"),
    "standard_question": ("Standard question", "问题"),
    "similar_questions": ("Similar questions", "相似问题"),
    "negative_questions": ("Negative questions", "反例问题"),
    "answers": ("Answers", "机器人回答"),
    "all_answers": ("All answers", "是否全部回复"),
    "disabled": ("Disabled", "是否停用"),
    "not_recommended": ("Not recommended", "是否禁止被推荐"),
}
"""English and Chinese heading, in the order of an export."""
_MORE_NAMES: dict[str, Column] = {
    "question": "standard_question",
    "标准问题": "standard_question",
    "标准问": "standard_question",
    "similar question": "similar_questions",
    "相似问": "similar_questions",
    "相似问法": "similar_questions",
    "negative question": "negative_questions",
    "反例问": "negative_questions",
    "answer": "answers",
    "答案": "answers",
    "回答": "answers",
    "reply with all answers": "all_answers",
    "reply all": "all_answers",
    "all reply": "all_answers",
    "全部回复": "all_answers",
    "is disabled": "disabled",
    "停用": "disabled",
    "not recommendable": "not_recommended",
    "recommendation disabled": "not_recommended",
    "禁止被推荐": "not_recommended",
    "category": "tag",
    "标签": "tag",
    "类别": "tag",
}
_NAMES: dict[str, Column] = {
    name.casefold(): column for column, names in COLUMNS.items() for name in names
} | _MORE_NAMES
_IN_BRACKETS = re.compile(r"[(（\[【].*$", re.DOTALL)
_BETWEEN = re.compile(r"(?<!\\)##")
_CALCULATED = re.compile(r"'*[=+\-@\t\r＝＋－＠]")
_TRUE = frozenset({"true", "yes", "y", "1", "是", "on", "x", "✓"})


def column_of(heading: str) -> Column | None:
    """Return which column a heading names; what stands in brackets behind it is a hint."""
    name = _IN_BRACKETS.sub("", heading.strip().lstrip("\ufeff*"))
    return _NAMES.get(" ".join(name.replace("_", " ").split()).casefold())


def join_texts(texts: Iterable[str]) -> str:
    """Return several texts as one cell."""
    return "##".join(_escaped(text) for text in texts)


def split_texts(cell: str) -> tuple[str, ...]:
    """Return the texts of a cell."""
    parts = (part.replace("\\#", "#").strip() for part in _BETWEEN.split(cell))
    return tuple(part for part in parts if part)


def safe_cell(text: str) -> str:
    """Return the text so that no spreadsheet calculates it."""
    return f"'{text}" if _CALCULATED.match(text) else text


def plain_cell(cell: str) -> str:
    """Undo `safe_cell`."""
    return cell[1:] if cell.startswith("'") and _CALCULATED.match(cell) else cell


def is_yes(cell: str) -> bool:
    """Whether a cell says yes."""
    return cell.strip().casefold() in _TRUE


def _escaped(text: str) -> str:
    needs = "##" in text or "\\#" in text or text.startswith("#") or text.endswith("#")
    escaped = text.replace("#", "\\#") if needs else text
    # A backslash at the end would hide the marks behind it; the blank goes when it is read.
    return f"{escaped} " if escaped.endswith("\\") else escaped
