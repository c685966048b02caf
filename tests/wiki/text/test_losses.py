"""What a rewrite loses."""

from __future__ import annotations

from wiki.text.losses import losses
from wiki.text.sentences import sentence_hash

OLD = (
    "Founded on 3 May 2019 by **Ada Byron** with $1,200 and 15 % of Void Works.\n\n"
    "See [[entity/void|Void]] and [site](https://a.example/x).\n\n![Plan](picture:1234)\n"
)


def test_nothing_is_lost_by_adding() -> None:
    found = losses(OLD, OLD + "\nMore about it.\n", sourced={sentence_hash("More about it.")})
    assert not found.is_any
    assert found.shrink == 0


def test_each_kind_of_loss_is_named() -> None:
    sentence = "Founded on 3 May 2019 by **Ada Byron** with $1,200 and 15 % of Void Works."
    found = losses(OLD, "Founded by Ada.", sourced={sentence_hash(sentence)})
    assert found.dates == ("3May2019",)
    assert found.figures == ("1200", "15%")
    assert found.names == ("Ada Byron", "Void Works", "Void")
    assert found.links == ("entity/void", "https://a.example/x")
    assert found.images == ("picture:1234",)
    assert len(found.sentences) == 1
    assert found.shrink > 0.8
    assert not found.is_emptied


def test_another_spelling_of_a_figure_is_no_loss() -> None:
    assert not losses("It has 1,200 seats.", "It has 1200 seats, all new.").is_any


def test_chinese_names_and_years() -> None:
    found = losses("“深渊之门”实验室在 2150 年前完成。", "实验室完成。")
    assert found.names == ("深渊之门",)
    assert found.dates == ("2150年",)


def test_an_emptied_page() -> None:
    assert losses("Something.", " \n").is_emptied
    assert not losses("", "").is_emptied
