"""Which questions are the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from knowledge.faq.normal_form import normal_form, question_hash

SAME = [
    pytest.param("How do I pay?", "how do i pay", id="case and punctuation"),
    pytest.param("What's new?", "Whats new", id="apostrophe"),
    pytest.param("如何申請退款？", "如何申请退款", id="traditional"),
    pytest.param("ＶＰＮ　１２", "vpn 12", id="full width"),
    pytest.param("如何 安装 VPN", "如何安装vpn", id="blanks beside Chinese"),
    pytest.param("see https://example.org/a?b=c now", "See now", id="address"),
    pytest.param("  two \n  lines ", "two lines", id="blanks"),
]
OTHER = [
    pytest.param("C", "C#", id="C#"),
    pytest.param("C", "C++", id="C++"),
    pytest.param("5", "5%", id="percent"),
    pytest.param("1.5", "15", id="decimal"),
    pytest.param("new bie", "newbie", id="blank between Latin words"),
    pytest.param("?", "!", id="only punctuation"),
    pytest.param("https://a.example", "https://b.example", id="only addresses"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_people_call_the_same_has_one_normal_form(one: str, other: str) -> None:
    assert normal_form(one) == normal_form(other)
    assert question_hash(one) == question_hash(other)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_makes_another_question_stays(one: str, other: str) -> None:
    assert normal_form(one) != normal_form(other)


_TEXTS = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("乾坤發頭髮裡面只衹臺台後后麵面乾淨幹什麼 \u3000？！，.'#-Ａ１"),
    ),
    max_size=40,
)


@settings(max_examples=300, deadline=None)
@given(_TEXTS)
def test_a_normal_form_is_its_own_normal_form(text: str) -> None:
    once = normal_form(text)
    assert normal_form(once) == once


@given(_TEXTS)
def test_only_blank_texts_have_an_empty_normal_form(text: str) -> None:
    assert bool(normal_form(text)) == bool(text.replace("\u3000", " ").split())
