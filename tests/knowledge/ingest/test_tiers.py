from __future__ import annotations

import re

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st

from knowledge.base_settings import SplitOptions
from knowledge.ingest.cut import PROTECTED
from knowledge.ingest.tiers import Split, split_document
from knowledge.parsers.contract import Block, ParsedDocument

WORDS = "Some plain words that stand in a sentence. "


def document(*blocks: str) -> ParsedDocument:
    return ParsedDocument(blocks=tuple(Block(markdown=block) for block in blocks))


def options(**values: object) -> SplitOptions:
    return SplitOptions.model_validate({"size_characters": 200, **values})


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


def reasons(result: Split) -> dict[str, str]:
    return {each.tier: each.fault for each in result.rejected}


# --- properties ----------------------------------------------------------------------------------

words = st.text(alphabet="abcdefgh éÄ漢字かな한글。.!?|`#-*\\$[]()\f", min_size=1, max_size=30)
marks = st.sampled_from(
    [
        "1.2 Scope",
        "CHAPTER 3",
        "第三章 海",
        "THE TERMS",
        "----",
        "Page 3 of 9",
        "\f",
        "# One",
        "## Two",
    ]
)
blocks = st.one_of(st.lists(words, min_size=1, max_size=40).map(" ".join), marks)
texts = st.lists(blocks, max_size=14)
strategies = st.sampled_from(["auto", "heading", "heuristic", "recursive"])
sizes = st.sampled_from([200, 333, 1_200])


@hypothesis_settings(deadline=None)
@given(texts, strategies, sizes)
def test_every_tier_loses_nothing_keeps_the_order_and_says_nothing_twice(parts, strategy, size):
    parsed = document(*parts)
    chunks = split_document(parsed, options(strategy=strategy, size_characters=size)).chunks
    covered = "".join(parsed.text[chunk.char_start : chunk.char_end] for chunk in chunks)
    assert letters(covered) == letters(parsed.text)
    ends = [0, *(chunk.char_end for chunk in chunks)]
    assert all(chunk.char_start >= end for chunk, end in zip(chunks, ends, strict=False))
    assert all(parsed.text[each.char_start : each.char_end] in each.text for each in chunks)


@hypothesis_settings(deadline=None)
@given(texts, strategies, sizes)
def test_every_tier_keeps_the_limit_and_gives_the_same_each_time(parts, strategy, size):
    parsed, wanted = document(*parts), options(strategy=strategy, size_characters=size)
    result = split_document(parsed, wanted)
    assert split_document(parsed, wanted) == result
    for chunk in result.chunks:
        body = parsed.text[chunk.char_start : chunk.char_end]
        assert chunk.text.strip()
        assert len(chunk.text) <= size or PROTECTED.match(body)


@hypothesis_settings(deadline=None)
@given(texts, st.sampled_from([512, 1_000]))
def test_a_child_lies_in_its_parent_and_parents_keep_their_limit(parts, size):
    result = split_document(
        document(*parts), options(parents=True, parent_characters=size, child_characters=100)
    )
    for parent in result.parents:
        children = [each for each in result.chunks if each.parent == parent.index]
        assert len(children) > 1
        assert all(parent.char_start <= each.char_start for each in children)
        assert all(parent.char_end >= each.char_end for each in children)
        assert len(parent.text) <= size


# --- choice --------------------------------------------------------------------------------------


def test_a_text_with_headings_is_split_by_them():
    result = split_document(document(*[f"## Part {n}\n\n{WORDS * 4}" for n in range(5)]), options())
    assert (result.tier, result.rejected) == ("heading", ())
    assert [chunk.heading_path for chunk in result.chunks] == [(f"Part {n}",) for n in range(5)]


@pytest.mark.parametrize(
    "titles",
    [
        [f"{n}.1 Scope of it" for n in range(1, 7)],
        [f"Chapter {n}" for n in range(1, 7)],
        [f"第{n}章 海洋" for n in "一二三四五六"],
        ["GENERAL TERMS", "PAYMENT", "DELIVERY", "LIABILITY", "FINAL TERMS", "ANNEXES"],
        [f"§ {n} Grundsatz" for n in range(1, 7)],
    ],
    ids=["numbers", "chapters", "chinese", "capitals", "law"],
)
def test_titles_without_marks_divide_a_plain_text_and_become_breadcrumbs(titles):
    text = "\n".join(f"{title}\n{WORDS * 4}\n" for title in titles)
    result = split_document(document(text), options())
    assert result.tier == "heuristic"
    assert [chunk.heading_path[-1] for chunk in result.chunks] == titles
    assert reasons(result) == {"heading": "few_headings"}


def test_form_feeds_divide_pages():
    pages = [f"{WORDS * 4}end of {n}." for n in range(3)]
    result = split_document(document("\n\f\n".join(pages)), options(size_characters=400))
    assert result.tier == "heuristic"
    assert [chunk.text for chunk in result.chunks] == pages


def test_the_lines_of_a_list_and_of_a_paragraph_in_capitals_are_no_titles():
    listed = "\n".join(f"{n}. Take the part" for n in range(1, 30))
    loud = "\n".join(["NO WARRANTY IS GIVEN FOR THIS", "SOFTWARE AND ITS PARTS"] * 10)
    result = split_document(document(listed, loud), options())
    assert result.tier == "recursive"
    assert result.profile.marker_total == 0


def test_plain_prose_is_split_by_sentences_with_its_only_heading_above():
    result = split_document(document("# Tale", WORDS * 30), options())
    assert result.tier == "recursive"
    assert reasons(result) == {"heading": "few_headings", "heuristic": "few_markers"}
    assert {chunk.heading_path for chunk in result.chunks} == {("Tale",)}
    assert all(chunk.text.endswith(".") for chunk in result.chunks)


def test_a_heading_is_never_the_last_line_of_a_chunk():
    parts = [WORDS * 2, "# First", WORDS * 3, "# Second", WORDS * 3]
    for size in range(200, 400, 10):
        result = split_document(
            document(*parts), options(size_characters=size, strategy="recursive")
        )
        assert not any(re.search(r"# \w+$", chunk.text) for chunk in result.chunks)


# --- the checks of what came of it ---------------------------------------------------------------


def test_many_tiny_sections_are_rejected_for_the_next_tier():
    text = "\n\n".join(f"# {'I' * (n % 5 + 1)}\n\n{'x' * 180}\n\n## B{n}" for n in range(20))
    result = split_document(document(text), options(strategy="heading", size_characters=200))
    assert result.tier == "recursive"
    assert reasons(result) == {"heading": "tiny"}


def test_sections_that_are_all_small_are_rejected():
    text = "\n\n".join(f"# Word {n}\n\n{'explained ' * 21}" for n in range(20))
    result = split_document(document(text), options(size_characters=1_200))
    assert reasons(result) == {"heading": "small", "heuristic": "few_markers"}
    assert max(len(chunk.text) for chunk in result.chunks) > 900


def test_a_short_text_is_one_chunk_and_that_is_no_fault():
    result = split_document(document("# A\n\none\n\n# B\n\ntwo\n\n# C\n\nthree"), options())
    assert (result.tier, len(result.chunks)) == ("heading", 1)


def test_a_long_formula_does_not_reject_the_headings():
    formula = "$$\n" + "a + b\n" * 200 + "$$"
    parts = [f"## Part {n}\n\n{WORDS * 4}" for n in range(5)]
    result = split_document(document(*parts, formula), options())
    assert result.tier == "heading"
    assert any(chunk.text == formula for chunk in result.chunks)


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "language", "most"),
    [
        ("The words of this sentence are common. ", "en", 360),
        ("Die Wörter sind nicht selten und auch für uns. ", "de", 405),
        ("这是一个句子，很短。", "zh", 153),
        ("Слова этого предложения. ", "mixed", 270),
    ],
)
def test_a_limit_in_tokens_becomes_characters_by_language(sentence, language, most):
    result = split_document(document(sentence * 90), options(token_limit=100))
    assert result.profile.language == language
    assert result.settings.size == most
    assert max(len(chunk.text) for chunk in result.chunks) <= most


def test_a_language_that_was_chosen_goes_before_the_one_that_was_found():
    result = split_document(document("words " * 90), options(token_limit=100, language="zh"))
    assert result.settings.size == 153


def test_an_overlap_over_half_of_the_size_is_half_of_it():
    assert split_document(document("x"), options(overlap_characters=900)).settings.overlap == 100


def test_parents_end_where_a_section_does_and_a_lone_child_has_none():
    parts = [f"## Part {n}\n\n{WORDS * 30}" for n in range(3)]
    wanted = options(parents=True, parent_characters=2_000, child_characters=300)
    result = split_document(document(*parts), wanted)
    assert [parent.heading_path for parent in result.parents] == [(f"Part {n}",) for n in range(3)]
    assert all(chunk.parent is not None for chunk in result.chunks)
    alone = split_document(document("A few words."), wanted)
    assert (len(alone.chunks), alone.parents, alone.chunks[0].parent) == (1, (), None)


# --- stopping ------------------------------------------------------------------------------------


def test_the_check_is_called_and_ends_the_work():
    class Stop(Exception):
        pass

    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise Stop

    with pytest.raises(Stop):
        split_document(document(*["words"] * 2_000), options(), check=check)
