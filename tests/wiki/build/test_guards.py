"""What may be published of a rewritten page, and links between pages."""

from __future__ import annotations

import pytest

from wiki.build.crosslinks import Target, with_links
from wiki.build.guards import judge
from wiki.text.sentences import sentence_hash, split_sentences

PAGE = (
    "The Pier Lamp burns 900 litres of oil. Ada Byron keeps it since 2019.\n\n"
    "## More\n\nSee [[entity/void|Void Works]].\n\n![Plan](picture:12)\n\nIt is green and tall.\n"
)
SOURCED = {sentence.hash for sentence in split_sentences(PAGE)}


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (PAGE.replace("900", "some"), "900"),
        (PAGE.replace(" Ada Byron keeps it since 2019.", ""), "Ada Byron"),
        (PAGE.replace("[[entity/void|Void Works]]", "Void Works"), "entity/void"),
        (PAGE.replace("![Plan](picture:12)\n\n", ""), "picture:12"),
        (PAGE[: len(PAGE) // 2], "shorter"),
    ],
)
def test_a_loss_makes_a_proposal_that_shows_it(after: str, told: str) -> None:
    judgement = judge(PAGE, after, sourced=SOURCED)
    assert not judgement.may_publish
    assert told in " ".join(judgement.doubts)


@pytest.mark.parametrize("after", ["", " \n", "## More\n", "![x](picture:12)\n"])
def test_an_emptied_page_is_refused(after: str) -> None:
    assert judge(PAGE, after, sourced=SOURCED).refusal


def test_additions_and_what_a_source_took_back_pass() -> None:
    assert judge(PAGE, PAGE + "\nMore.\n", sourced=SOURCED).may_publish
    gone = "Ada Byron keeps it since 2019."
    after = PAGE.replace(f" {gone}", "")
    assert judge(PAGE, after, sourced=SOURCED, gone={sentence_hash(gone)}).may_publish


def test_a_new_wording_keeps_what_the_document_says_still() -> None:
    old, new = "The Pier Lamp burns 900 litres of oil.", "The Pier Lamp burns oil."
    after = PAGE.replace(old, new)
    replaced = {sentence_hash(old): new}
    still = judge(
        PAGE, after, sourced=SOURCED, replaced=replaced, told_now=["It burns 900 litres."]
    )
    assert "900" in " ".join(still.doubts)
    assert judge(
        PAGE, after, sourced=SOURCED, replaced=replaced, told_now=["It burns."]
    ).may_publish


def test_links_go_to_the_longest_name_once_and_nowhere_else() -> None:
    targets = [Target(slug="a/lamp", name="Lamp"), Target(slug="a/pier-lamp", name="Pier Lamp")]
    text = "# Pier Lamp\n\n`Pier Lamp` The Pier Lamp is a lamp, a Lampion. Pier Lamp again.\n"
    assert with_links(text, targets, own_slug="a/other") == (
        "# Pier Lamp\n\n`Pier Lamp` The [[a/pier-lamp|Pier Lamp]] is a lamp, a Lampion."
        " Pier [[a/lamp|Lamp]] again.\n"
    )
    assert with_links("Pier Lamp.", targets[1:], own_slug="a/pier-lamp") == "Pier Lamp."
    chinese = [Target(slug="a/x", name="星晶")]
    assert with_links("工业级星晶。", chinese, own_slug="b") == "工业级[[a/x|星晶]]。"
