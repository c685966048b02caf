"""What the answerer says in its own words; everything else it says is quoted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """Its sentences in one language."""

    nothing_fits: str
    other_language: str
    search_failed: str
    """With one place for the reason."""
    nothing_given: str


_PHRASES = {
    "en": Phrases(
        nothing_fits="Nothing in the documents answers this question.",
        other_language="*Found in another language, please check.*",
        search_failed="The search did not work, so I cannot answer: {reason}",
        nothing_given="I can only quote passages from documents, and I was given none.",
    ),
    "zh": Phrases(
        nothing_fits="文档中没有能回答这个问题的内容。",
        other_language="*内容来自其他语言的文档，请核对。*",
        search_failed="检索没有成功，因此无法回答：{reason}",
        nothing_given="我只能引用文档中的原文，但没有收到任何段落。",
    ),
    "ja": Phrases(
        nothing_fits="この質問に答える内容は文書の中に見つかりませんでした。",
        other_language="*別の言語の文書で見つかりました。内容をご確認ください。*",
        search_failed="検索に失敗したため、お答えできません：{reason}",
        nothing_given="文書の一節を引用することしかできませんが、一節が渡されていません。",
    ),
    "ko": Phrases(
        nothing_fits="이 질문에 답하는 내용을 문서에서 찾지 못했습니다.",
        other_language="*다른 언어로 된 문서에서 찾았습니다. 확인해 주세요.*",
        search_failed="검색에 실패하여 답할 수 없습니다: {reason}",
        nothing_given="문서의 구절만 인용할 수 있는데, 전달된 구절이 없습니다.",
    ),
}


def phrases_for(language: str) -> Phrases:
    """Return the phrases in a language, in English where there are none."""
    return _PHRASES.get(language, _PHRASES["en"])
