"""Numbers of a text as values with units: digits, words and Han numerals, with magnitudes.

"1.5 million", "150万", "１億２,000万" and "one and a half" style words are the values they stand for.
Units of one dimension are made one, so that 5 km is 5,000 m; money keeps its currency.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_MAGNITUDES = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "hundred": 1e2,
    "k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "tn": 1e12,
    "百": 1e2, "千": 1e3, "万": 1e4, "萬": 1e4, "億": 1e8, "亿": 1e8, "兆": 1e12,
    "백": 1e2, "천": 1e3, "만": 1e4, "억": 1e8, "조": 1e12,
}  # fmt: skip
SCALE_WORDS = {
    1e3: ("thousand", "千"),
    1e6: ("million", "百万", "百萬"),
    1e9: ("billion", "十亿", "十億"),
}
"""How the head of a table says in what its figures are."""
_UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("%", "percent", "per cent", "pct", "퍼센트", "프로", "パーセント"), ("%", 1.0)),
    **dict.fromkeys(("$", "us$", "usd", "dollar", "dollars", "美元", "美金", "ドル", "달러"), ("usd", 1)),
    **dict.fromkeys(("€", "eur", "euro", "euros", "欧元", "歐元", "ユーロ", "유로"), ("eur", 1)),
    **dict.fromkeys(("£", "gbp", "pounds sterling", "英镑", "英鎊", "ポンド", "파운드"), ("gbp", 1)),
    **dict.fromkeys(("rmb", "cny", "yuan", "人民币", "人民幣", "元"), ("cny", 1)),
    **dict.fromkeys(("jpy", "yen", "円", "日元", "日圓", "엔"), ("jpy", 1)),
    **dict.fromkeys(("krw", "won", "원", "韩元", "韓元", "ウォン"), ("krw", 1)),
    **dict.fromkeys(("mm", "millimetres", "millimeters", "毫米", "ミリ"), ("m", 1e-3)),
    **dict.fromkeys(("cm", "centimetres", "centimeters", "厘米", "公分", "センチ"), ("m", 1e-2)),
    **dict.fromkeys(("metre", "metres", "meter", "meters", "米", "公尺", "メートル", "미터"), ("m", 1)),
    **dict.fromkeys(
        ("km", "kilometre", "kilometres", "kilometer", "kilometers", "公里", "千米", "キロメートル",
         "킬로미터"), ("m", 1e3)),
    **dict.fromkeys(("mile", "miles", "mi", "英里", "マイル", "마일"), ("m", 1609.344)),
    **dict.fromkeys(("ft", "foot", "feet", "英尺", "フィート", "피트"), ("m", 0.3048)),
    **dict.fromkeys(("mg", "milligrams", "毫克"), ("g", 1e-3)),
    **dict.fromkeys(("gram", "grams", "克", "公克", "グラム", "그램"), ("g", 1)),
    **dict.fromkeys(("kg", "kilogram", "kilograms", "公斤", "千克", "キログラム", "킬로그램"), ("g", 1e3)),
    **dict.fromkeys(("tonne", "tonnes", "ton", "tons", "吨", "噸", "トン", "톤"), ("g", 1e6)),
    **dict.fromkeys(("ms", "millisecond", "milliseconds", "毫秒"), ("s", 1e-3)),
    **dict.fromkeys(("second", "seconds", "sec", "秒", "秒钟", "초"), ("s", 1)),
    **dict.fromkeys(("minute", "minutes", "min", "分钟", "分鐘", "分間", "분"), ("s", 60)),
    **dict.fromkeys(("hour", "hours", "h", "小时", "小時", "時間", "시간"), ("s", 3600)),
    **dict.fromkeys(("day", "days", "天", "日間", "일간"), ("s", 86_400)),
    **dict.fromkeys(("week", "weeks", "周", "週", "週間", "주"), ("s", 604_800)),
    **dict.fromkeys(("month", "months", "个月", "個月", "か月", "ヶ月", "개월"), ("month", 1)),
    **dict.fromkeys(("year", "years", "年间", "年間", "년간"), ("month", 12)),
    **dict.fromkeys(("kb", "kilobytes"), ("byte", 1e3)),
    **dict.fromkeys(("mb", "megabytes"), ("byte", 1e6)),
    **dict.fromkeys(("gb", "gigabytes"), ("byte", 1e9)),
    **dict.fromkeys(("tb", "terabytes"), ("byte", 1e12)),
    **dict.fromkeys(("°c", "℃", "celsius", "摄氏度", "攝氏度"), ("°c", 1)),
    **dict.fromkeys(("°f", "℉", "fahrenheit", "华氏度"), ("°f", 1)),
    **dict.fromkeys(("century", "centuries", "世纪", "世紀", "세기"), ("century", 1)),
    **dict.fromkeys(("people", "persons", "人", "名", "명"), ("person", 1)),
}  # fmt: skip
_WORDS = {
    word: value
    for value, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
    )
} | {
    word: value * 10
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}  # fmt: skip
_ORDINALS = {
    word: value
    for value, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
        ],
        start=1,
    )
}
_HAN_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_SMALL = {"十": 10, "百": 100, "千": 1000}
_HAN_BIG = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75", "⅓": ".333333", "⅔": ".666667"}
_FRACTION = re.compile(r"(\d?)([½¼¾⅓⅔])")

_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_DIGITS = r"\d{1,3}(?:[, \u00a0\u2009]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?"
_MAGNITUDE = r"\s?(?:thousand|million|billion|trillion|hundred|bn|mn|tn)\b|[km](?=\b)|[百千万萬億亿兆백천만억조]+"
_NUMBER = re.compile(
    rf"(?P<prefix>us\$|usd\s?|[$€£¥]\s?|rmb\s?|百分之)?"
    rf"(?<![A-Za-z0-9_.])(?P<number>(?<!\d)(?:{_DIGITS}))"
    rf"(?P<magnitude>(?:{_MAGNITUDE})(?:(?:{_DIGITS})(?:[千万萬百만천백])?)?)?"
    rf"(?:st|nd|rd|th)?"
    rf"(?:[\s\-]?(?P<unit>{_UNIT})(?![a-z]))?",
    re.IGNORECASE,
)
_HAN_NUMBER = re.compile(
    rf"(?P<prefix>百分之)?(?P<number>[零〇一二两兩三四五六七八九十百千万萬亿億兆]+)(?:\s?(?P<unit>{_UNIT}))?"
)
_WORD_NUMBER = re.compile(
    rf"\b(?P<words>(?:{'|'.join(_WORDS)}|hundred|thousand|million|billion)"
    rf"(?:[\s-](?:and\s)?(?:{'|'.join(_WORDS)}|hundred|thousand|million|billion))*)\b"
    rf"(?:[\s-](?P<unit>{_UNIT})(?![a-z]))?",
    re.IGNORECASE,
)
_ORDINAL = re.compile(rf"\b(?:{'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_HAN_WORDS = re.compile(
    "一(?:些|般|样|樣|定|直|起|切|旦|方面|下|种|種|个|個|名|位|部|次|同|致|生|带|帶|度|时|時|律|向)|十分|三角|四处|百姓|唯一|第一次|统一|統一|之一|星期[一二三四五六]"
)
"""Words in which a numeral is no number, or too weak a one to be a claim."""


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A number as it is meant."""

    value: float
    unit: str
    """Of its dimension, such as "m" or "usd"; empty when it has none that is known."""
    text: str
    start: int
    bare: float
    """Without its magnitude: 793.4 of "793.4 million"."""
    is_spelled: bool = False
    """Written in words, such as "one": too common to be asked for."""

    def same(self, other: Quantity) -> bool:
        """Say whether both are one value and no known units are against it."""
        return self.equals(other) and (not self.unit or not other.unit or self.unit == other.unit)

    def equals(self, other: Quantity) -> bool:
        """Say whether both are one value, whatever their units."""
        return abs(self.value - other.value) <= 1e-6 * max(1.0, abs(self.value))

    def rounds(self, other: Quantity) -> bool:
        """Say whether this is the other rounded to this one's digits."""
        if self.unit and other.unit and self.unit != other.unit:
            return False
        if not other.value or not self.value:
            return False
        return abs(self.value - other.value) <= 0.5 * _step(self)


def one_form(text: str) -> str:
    """Return a text in one compatibility form; ½ becomes .5, which NFKC would take apart."""
    decimals = _FRACTION.sub(lambda found: (found[1] or "0") + _FRACTIONS[found[2]], text)
    return unicodedata.normalize("NFKC", decimals)


def read_quantities(text: str) -> list[Quantity]:
    """Return the numbers of a text (NFKC, any case) in their order."""
    found: list[Quantity] = []
    taken: list[tuple[int, int]] = []
    for quantity, end in (*_in_digits(text), *_in_han(text), *_in_words(text)):
        if not any(start < end and quantity.start < stop for start, stop in taken):
            taken.append((quantity.start, end))
            found.append(quantity)
    return sorted(found, key=lambda each: each.start)


def _in_digits(text: str) -> Iterator[tuple[Quantity, int]]:
    for match in _NUMBER.finditer(text):
        number, magnitude = match["number"], (match["magnitude"] or "").strip()
        bare = _plain_number(number)
        value = _with_magnitude(bare, magnitude)
        unit, factor = _unit_of(match["prefix"], match["unit"])
        yield (
            Quantity(
                value=value * factor,
                unit=unit,
                text=match.group().strip(),
                start=match.start(),
                bare=bare,
            ),
            match.end(),
        )


def _in_han(text: str) -> Iterator[tuple[Quantity, int]]:
    masked = _HAN_WORDS.sub(lambda found: "\u0000" * len(found[0]), text)
    for match in _HAN_NUMBER.finditer(masked):
        value = han_value(match["number"])
        if value is None:
            continue
        unit, factor = _unit_of(match["prefix"], match["unit"])
        is_weak = len(match["number"]) == 1 and not unit
        quantity = Quantity(
            value=value * factor,
            unit=unit,
            text=match.group(),
            start=match.start(),
            bare=value,
            is_spelled=is_weak,
        )
        yield quantity, match.end()


def _in_words(text: str) -> Iterator[tuple[Quantity, int]]:
    for match in _WORD_NUMBER.finditer(text):
        value = _word_value(match["words"].casefold())
        unit, factor = _unit_of(None, match["unit"])
        quantity = Quantity(
            value=value * factor,
            unit=unit,
            text=match.group(),
            start=match.start(),
            bare=value,
            is_spelled=value <= 1,
        )
        yield quantity, match.end()
    for match in _ORDINAL.finditer(text):
        value = float(_ORDINALS[match.group().casefold()])
        quantity = Quantity(
            value=value,
            unit="",
            text=match.group(),
            start=match.start(),
            bare=value,
            is_spelled=True,
        )
        yield quantity, match.end()


def han_value(numeral: str) -> float | None:
    """Return the value of a Han numeral such as 三百二十 or 二〇一六; None when it is none."""
    if all(each in _HAN_DIGITS for each in numeral):
        return float("".join(str(_HAN_DIGITS[each]) for each in numeral))
    total = section = digit = 0
    for each in numeral:
        if each in _HAN_DIGITS:
            digit = _HAN_DIGITS[each]
        elif each in _HAN_SMALL:
            section += (digit or 1) * _HAN_SMALL[each]
            digit = 0
        else:
            whole = section + digit
            if not whole:
                return None
            total = (
                (total + whole) * _HAN_BIG[each]
                if each in "亿億兆"
                else total + whole * _HAN_BIG[each]
            )
            section = digit = 0
    return float(total + section + digit)


def _plain_number(number: str) -> float:
    return float(re.sub(r"[, \u00a0\u2009]", "", number))


def _with_magnitude(bare: float, magnitude: str) -> float:
    """Return the value of "3" with "億2,000万": each part with its own magnitude."""
    if not magnitude:
        return bare
    whole = _MAGNITUDES.get(magnitude.casefold())
    if whole is not None:
        return bare * whole
    match = re.match(rf"([^\d]+)(?:({_DIGITS})(\D*))?", magnitude)
    if match is None:
        return bare
    factor = 1.0
    for each in match[1]:
        factor *= _MAGNITUDES.get(each, 1.0)
    rest = _plain_number(match[2]) if match[2] else 0.0
    for each in match[3] or "":
        rest *= _MAGNITUDES.get(each, 1.0)
    return bare * factor + rest


def _word_value(words: str) -> float:
    total = current = 0.0
    for word in re.split(r"[\s-]+", words):
        if word in _WORDS:
            current += _WORDS[word]
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _MAGNITUDES:
            total += (current or 1) * _MAGNITUDES[word]
            current = 0
    return total + current


def _unit_of(prefix: str | None, unit: str | None) -> tuple[str, float]:
    before = (prefix or "").strip().casefold()
    if before == "百分之":
        return "%", 1.0
    if before == "¥":
        return "", 1.0  # yen or yuan
    if before:
        return _UNITS[before]
    return _UNITS.get((unit or "").casefold(), ("", 1.0))


def _step(quantity: Quantity) -> float:
    """Return what the last digit that is written stands for."""
    digits = re.search(r"\d[\d,]*(?:\.(\d+))?", quantity.text)
    if digits is None or not quantity.bare:
        return 0.0
    factor = quantity.value / quantity.bare
    if digits[1]:
        return float(10 ** -len(digits[1]) * factor)
    whole = digits[0].replace(",", "")
    zeros = len(whole) - len(whole.rstrip("0"))
    return float(10**zeros * factor)
