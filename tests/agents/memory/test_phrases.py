"""What counts as a wish to remember, in four languages."""

from __future__ import annotations

import pytest

from agents.constants import MemoryKind
from agents.memory.phrases import wish_in


@pytest.mark.parametrize(
    ("question", "text", "kind"),
    [
        ("Remember that I prefer metric units.", "I prefer metric units.", MemoryKind.PREFERENCE),
        ("please remember: the plant is in Ulm", "the plant is in Ulm", MemoryKind.FACT),
        ("Remember my name is Zoë", "my name is Zoë", MemoryKind.PROFILE),
        (
            "Don't forget that I have to file the report by 2027-03-01.",
            "I have to file the report by 2027-03-01.",
            MemoryKind.TASK,
        ),
        ("Keep in mind that v1.2 is out. What changed in it?", "v1.2 is out.", MemoryKind.FACT),
        ("记住：我喜欢简短的回答", "我喜欢简短的回答", MemoryKind.PREFERENCE),
        ("请记住我是财务部的", "我是财务部的", MemoryKind.PROFILE),
        ("記住我住在台北。台北的天氣怎樣？", "我住在台北。", MemoryKind.PROFILE),
        ("覚えておいて：会議は火曜日です", "会議は火曜日です", MemoryKind.FACT),
        ("私は紅茶が好きだと覚えておいてください。", "私は紅茶が好きだ", MemoryKind.PREFERENCE),
        ("기억해줘: 공장은 울산에 있어", "공장은 울산에 있어", MemoryKind.FACT),
        ("나는 녹차를 좋아한다고 기억해 줘", "나는 녹차를 좋아한다", MemoryKind.PREFERENCE),
    ],
)
def test_a_wish_is_found_with_its_kind(question: str, text: str, kind: MemoryKind) -> None:
    found = wish_in(question)
    assert found is not None
    assert (found.text, found.kind) == (text, kind)


@pytest.mark.parametrize(
    "question",
    [
        "Do you remember that film?",
        "Remember when we spoke about leave?",
        "Remember that?",
        "How do I remember things better?",
        "What should I remember about travel expenses?",
        "记得吗",
        "你记住了什么？",
        "覚えていますか",
        "기억해?",
        "",
    ],
)
def test_talk_about_remembering_is_no_wish(question: str) -> None:
    assert wish_in(question) is None


def test_a_long_wish_is_cut_at_the_length_of_an_item() -> None:
    found = wish_in("Remember that " + "word " * 200)
    assert found is not None
    assert len(found.text) <= 300
    assert found.text.endswith("…")
