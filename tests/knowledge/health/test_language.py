"""Which texts look like a language, and which do not."""

from __future__ import annotations

import random

import pytest

from knowledge.health.language import plausibility

TEXTS = {
    "en": "The committee will publish its report on the state of the harbour before the end of the"
    " year, together with a list of the repairs that were made since the last inspection.",
    "de": "Der Ausschuss veröffentlicht seinen Bericht über den Zustand des Hafens vor dem Ende des"
    " Jahres, zusammen mit einer Liste der Arbeiten, die seit der letzten Prüfung gemacht wurden.",
    "ru": "Комитет опубликует свой отчёт о состоянии гавани до конца года вместе со списком"
    " ремонтных работ, которые были выполнены со времени последней проверки.",
    "ar": "ستنشر اللجنة تقريرها عن حالة الميناء قبل نهاية العام مع قائمة بالإصلاحات التي تمت منذ آخر"
    " تفتيش وهذه القائمة متاحة لجميع الأعضاء في المكتب",
    "zh": "委员会将在年底之前公布关于港口状况的报告，并附上自上次检查以来所做的维修清单。"
    "这个清单可以在办公室里看到，也可以在网上找到，所有的人都可以看。",
    "zh-Hant": "委員會將在年底之前公布關於港口狀況的報告，並附上自上次檢查以來所做的維修清單。"
    "這個清單可以在辦公室裡看到，也可以在網上找到，所有的人都可以看。",
    "ja": "委員会は年末までに港の状態についての報告書を公表し、前回の検査以降に行われた修理の"
    "一覧を添付する。この一覧は事務所で見ることができる。",
    "ko": "위원회는 연말까지 항구의 상태에 관한 보고서를 발표하고 지난 검사 이후에 이루어진 수리"
    " 목록을 첨부할 것이다. 이 목록은 사무실에서 볼 수 있으며 모든 사람이 볼 수 있다.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_text_of_a_language_is_plausible(language: str) -> None:
    assert plausibility(TEXTS[language]).score > 0.75


@pytest.mark.parametrize("language", ["en", "de", "ru", "ar"])
def test_text_with_swapped_letters_is_not(language: str) -> None:
    text = TEXTS[language].lower()
    letters = sorted({sign for sign in text if sign.isalpha()})
    others = random.Random(3).sample(letters, len(letters))
    spoiled = text.translate(dict(zip(map(ord, letters), others, strict=True)))
    assert plausibility(spoiled).score < 0.5


def test_latin_text_read_as_utf_16_is_not() -> None:
    spoiled = (TEXTS["en"] * 2).encode().decode("utf-16-le", "replace")
    assert plausibility(spoiled).score < 0.5


def test_chinese_text_read_with_the_wrong_code_page_is_not() -> None:
    spoiled = TEXTS["zh"].encode("utf-8").decode("gb18030", "replace")
    assert plausibility(spoiled).score < 0.6


@pytest.mark.parametrize("text", ["", "4711 12.5 %", "OK", "ภาษาไทยเป็นภาษาที่มีระดับเสียง" * 10])
def test_figures_and_scripts_without_a_table_are_not_judged(text: str) -> None:
    assert plausibility(text).score == 1.0
