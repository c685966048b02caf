"""The tokenizer: the original's counts on any text, the likeliest split, an end to every text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from providers.local.e5 import NativeE5
from providers.local.unigram import UnigramTokenizer
from providers.local.weights import Vocabulary, Weights, bundled_weights

PIECES = [("<s>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]


@pytest.fixture(scope="module")
def real() -> UnigramTokenizer:
    return UnigramTokenizer(Weights(bundled_weights()).vocabulary())


@pytest.fixture(scope="module")
def native() -> NativeE5:
    return NativeE5()


def small(**scores: float) -> UnigramTokenizer:
    pieces = (*PIECES, *((name.replace("_", "▁"), score) for name, score in scores.items()))
    return UnigramTokenizer(Vocabulary(pieces=pieces, begin_id=0, end_id=1, unknown_id=2))


def test_the_likeliest_split_wins() -> None:
    tokenizer = small(_a=-1.0, b=-1.0, _ab=-3.0, c=-1.0, bc=-1.5)
    assert tokenizer.encode("abc", limit=10) == [0, 3, 7, 1]
    assert tokenizer.encode("ab", limit=10) == [0, 3, 4, 1]


def test_neighbouring_unknown_characters_are_one_piece() -> None:
    tokenizer = small(_=-1.0, a=-1.0)
    assert tokenizer.encode("a??a", limit=10) == [0, 3, 4, 2, 4, 1]


def test_blanks_and_compatibility_forms_are_made_one() -> None:
    tokenizer = small(_=-9.0, _ab=-1.0, _fi=-1.0)
    assert tokenizer.encode("  ab\n\t ﬁ", limit=10) == tokenizer.encode("ab fi", limit=10)


def test_a_text_is_cut_at_the_limit_and_keeps_its_end_mark() -> None:
    assert small(_a=-1.0).encode("a " * 50, limit=5) == [0, 3, 3, 3, 1]


@pytest.mark.parametrize(
    "text",
    [
        "How much protein should a female eat per day?",
        "第七条 供应商应在收到通知后十个工作日内作出书面答复。",
        "会議は来週の火曜日に延期されました。",
        "계약 기간은 서명일로부터 2년으로 한다.",
        "def f(x): return x ** 2",
        "Ünïcödé ＡＢＣ 👩‍🚀 ﬁne",
    ],
)
def test_counts_are_the_original_engines(
    text: str, real: UnigramTokenizer, native: NativeE5
) -> None:
    counted = native.embed_text(text, kind="passage").tokens
    assert len(real.encode(f"passage: {text}", limit=512)) == counted


@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=st.text(max_size=600))
def test_any_text_has_an_end(real: UnigramTokenizer, text: str) -> None:
    ids = real.encode(text, limit=64)
    assert 2 <= len(ids) <= 64
    assert (ids[0], ids[-1]) == (0, 2)
