"""Terms of texts in many scripts: what is asked and what is indexed must meet."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given, strategies as st

from knowledge.text.analyze import analyze, share_language
from knowledge.text.latin import MAXIMUM_TERM

TEXTS = st.text(
    alphabet=st.characters(codec="utf-8")
    | st.sampled_from("aB1-_.'’ 東京タワーは가나다라中国的рус’½ﬁ"),
    max_size=200,
)


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        pytest.param("notice periods", "The period of notice", id="English forms of a word"),
        pytest.param("RO-20221108", "Rechnung RO-20221108 vom Mai", id="code"),
        pytest.param("ro 20221108", "RO-20221108", id="parts of a code"),
        pytest.param("2018-23-51", "AD 2018-23-51 applies", id="number with parts"),
        pytest.param("1000", "rund 1,000 Euro", id="thousands"),
        pytest.param("iphone 15", "iPhone15", id="letters and digits"),
        pytest.param("knowledge_search", "call knowledge_search() first", id="identifier"),
        pytest.param("C++", "written in C++, mostly", id="C++"),
        pytest.param("ＲＯ－２０２２", "RO-2022", id="full width"),
        pytest.param("Rechnungen", "Die Summe der Rechnungen ist in der Datei", id="German"),
        pytest.param("Wie hoch ist die Rechnung?", "Das ist die Summe der Rechnungen", id="stems"),
        pytest.param("eau froide", "Le débit de l’eau est faible", id="elision"),
        pytest.param("москва", "Он живёт в Москва", id="Cyrillic"),
        pytest.param("中国科学院", "他在中国科学院工作", id="Chinese"),
        pytest.param("計算所", "中國科學院計算所", id="Traditional Chinese"),
        pytest.param("東京都の人口", "東京都には人口が多い", id="Japanese"),
        pytest.param("データベース", "データベースを使う", id="katakana"),
        pytest.param("りんごはどこ", "りんごを食べる", id="hiragana"),
        pytest.param("東京タワー", "1958年、東京にタワーが立った", id="kanji and katakana apart"),
        pytest.param("서울의 인구", "서울에서 인구가 늘었다", id="Korean particles"),
        pytest.param("물", "물은 맑다", id="Korean noun of one syllable"),
        pytest.param("ภาษาไทย", "เรียนภาษาไทยทุกวัน", id="Thai"),
        pytest.param("हिन्दी", "मैं हिन्दी बोलता हूँ", id="Hindi"),
    ],
)
def test_a_question_shares_terms_with_the_passage_that_answers(question, passage):
    assert set(analyze(question)) & set(analyze(passage))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The dogs are running.", ["dog", "run"]),
        ("RO-20221108", ["ro-20221108", "ro", "20221108"]),
        ("1,234.5 and 3.14", ["1234.5", "3.14"]),
        ("don't the company's", ["compani"]),
        (
            "小明毕业于中国科学院",
            ["小明", "毕业", "中国", "科学", "学院", "科学院", "中国科学院", "小明"],
        ),
        ("電波塔です", ["電波塔", "電波", "波塔", "塔で"]),
        ("대한민국의", ["대한민국", "대한", "한민", "민국", "국의"]),
        ("", []),
        ("的了是", []),
        ("?!… 🙂", []),
    ],
)
def test_terms_come_in_the_order_of_the_text(text, terms):
    assert analyze(text) == terms


@pytest.mark.parametrize("question", ["什么是的", "what is the", "はどこですか", "무엇입니까"])
def test_words_that_only_ask_give_no_terms(question):
    assert len(analyze(question)) <= 1


@given(TEXTS)
def test_any_text_gives_short_terms_that_a_database_can_keep(text):
    for term in analyze(text):
        assert 0 < len(term) <= MAXIMUM_TERM
        assert term.split() == [term]
        assert "\x00" not in term
        term.encode()


@given(TEXTS)
def test_case_and_width_change_nothing(text):
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    assert analyze(wide) == analyze(text)


def test_a_term_is_found_again_in_any_sentence_around_it():
    sentences = (
        "The {} was sent on Monday.",
        "请看 {} 的说明。",
        "{}を見てください。",
        "Das ist {}.",
    )
    for code in ("ro-20221108", "2018-23-51", "v1.2.3", "b737-max8"):
        for sentence in sentences:
            assert code in analyze(sentence.format(code))


@pytest.mark.parametrize(
    ("question", "passage", "same"),
    [
        ("What is the notice period?", "The notice period is two weeks.", True),
        ("通知期是多久？", "The notice period is two weeks.", False),
        ("通知期是多久？", "通知期为两周。", True),
        ("東京の人口は？", "The population of Tokyo", False),
        ("東京都人口", "東京都の人口は約千四百万人です。", True),
        ("서울의 인구는?", "The population of Seoul", False),
        ("Wie hoch ist die Summe der Rechnung?", "What is the sum of all that we have?", False),
        ("RO-20221108", "通知期为两周。", False),
        ("2022", "通知期为两周。", True),
        ("Gesamtsumme", "The sum of all that we have.", True),
    ],
)
def test_whether_two_texts_share_a_language(question, passage, same):
    assert share_language(question, passage) is same


def test_a_megabyte_takes_less_than_a_second_once_words_were_seen():
    english = "The quick consultants are reviewing invoices of the river bridge project. " * 7_000
    chinese = "小明硕士毕业于中国科学院计算所，后在日本京都大学深造。" * 6_000
    analyze(english[:1_000] + chinese[:1_000])
    for text in (english, chinese):
        start = time.process_time()
        analyze(text)
        speed = len(text.encode()) / (time.process_time() - start)
        assert speed > 1_000_000, f"{speed / 1e6:.2f} MB/s"


def test_threads_do_not_disturb_each_other():
    words = [f"{stem}{ending}" for stem in ("walk", "jump") for ending in ("ing", "ed", "s")]
    texts = [f"{word} number {n}ing{n}" for n in range(300) for word in words]
    alone = [analyze(text) for text in texts]
    results: list[bool] = []

    def compare() -> None:
        results.append([analyze(text) for text in texts] == alone)

    threads = [threading.Thread(target=compare) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4
