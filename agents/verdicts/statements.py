"""Sentences that say something about the sources or the answer instead of the world."""

from __future__ import annotations

import re

_ABOUT_SOURCES = re.compile(
    r"\b(?:documents?|sources?|passages?|knowledge bases?|context|provided (?:text|information|material)s?)\b"
    r"[^.]{0,60}\b(?:do(?:es)? not|don't|doesn't|did not|no|nothing|not)\b"
    r"|\b(?:I|we) (?:could not|couldn't|cannot|can't|did not|didn't|was unable to|am unable to|found no)\b"
    r"|\b(?:no|nothing) (?:information|passages?|mention|documents?|about this)\b"
    r"|\blet me know\b|\bwould you like\b|\bhope this helps\b"
    r"|(?:文档|文檔|文件|资料|資料|知识库|知識庫|来源|來源|段落)[^。]{0,20}(?:没有|沒有|未|无|無|不)"
    r"|(?:资料|資料|文書|ドキュメント|ナレッジベース)[^。]{0,20}(?:ありません|見つかりません|記載がない|記載されていません)"
    r"|(?:문서|자료|지식)[^.]{0,20}(?:없습니다|않습니다|찾을 수 없)",
    re.IGNORECASE,
)


def is_about_sources(sentence: str) -> bool:
    """Say whether a sentence only tells what the sources lack, or speaks to the reader."""
    return _ABOUT_SOURCES.search(sentence) is not None
