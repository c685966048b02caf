from __future__ import annotations

import re

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st

from knowledge.ingest.cut import LONGEST_PROTECTED, PROTECTED
from knowledge.ingest.places import ChunkDraft
from knowledge.ingest.split import SplitSettings, split
from knowledge.parsers.contract import Block, Box, ParsedDocument

SMALL = SplitSettings(size=200, small_section=40)


def document(*blocks: str) -> ParsedDocument:
    return ParsedDocument(blocks=tuple(Block(markdown=block) for block in blocks))


def texts(chunks: tuple[ChunkDraft, ...]) -> list[str]:
    return [chunk.text for chunk in chunks]


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


# --- properties ----------------------------------------------------------------------------------

words = st.text(alphabet="abcdefghij é漢字かなカナ한글。.!?|`#-*\\$[]()", min_size=1, max_size=30)
paragraphs = st.lists(words, min_size=1, max_size=40).map(" ".join)
headings = st.builds(lambda level, title: "#" * level + " " + title, st.integers(1, 6), words)
rows = st.lists(st.lists(words, min_size=2, max_size=4), min_size=1, max_size=12)
tables = rows.map(
    lambda table: "\n".join(
        ["| name | value | more | last |", "| --- | --- | --- | --- |"]
        + [
            "| " + " | ".join(cell.replace("|", "/").replace("\\", "") for cell in row) + " |"
            for row in table
        ]
    )
)
code = st.lists(words.map(lambda line: line.replace("`", "'")), min_size=1, max_size=30).map(
    lambda lines: "```py\n" + "\n".join(lines) + "\n```"
)
markdown = st.lists(st.one_of(paragraphs, headings, tables, code), max_size=12)
sizes = st.sampled_from([100, 150, 333, 1_200])


@given(markdown, sizes)
def test_no_text_is_lost_and_order_is_kept(blocks, size):
    parsed = document(*blocks)
    chunks = split(parsed, SplitSettings(size=size))
    covered = "".join(parsed.text[chunk.char_start : chunk.char_end] for chunk in chunks)
    assert letters(covered) == letters(parsed.text)
    ends = [0, *(chunk.char_end for chunk in chunks)]
    assert all(chunk.char_start >= end for chunk, end in zip(chunks, ends, strict=False))


@given(markdown, sizes)
def test_offsets_lead_to_the_chunks_own_words(blocks, size):
    parsed = document(*blocks)
    for chunk in split(parsed, SplitSettings(size=size)):
        assert parsed.text[chunk.char_start : chunk.char_end] in chunk.text


@given(markdown, sizes)
def test_chunks_keep_the_limit_and_are_numbered_without_gaps(blocks, size):
    parsed = document(*blocks)
    chunks = split(parsed, SplitSettings(size=size))
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert all(chunk.text.strip() for chunk in chunks)
    for chunk in chunks:
        body = parsed.text[chunk.char_start : chunk.char_end]
        assert len(chunk.text) <= size or PROTECTED.match(body)


@given(markdown, sizes)
def test_the_same_document_gives_the_same_chunks(blocks, size):
    settings = SplitSettings(size=size)
    assert split(document(*blocks), settings) == split(document(*blocks), settings)


@given(
    st.lists(st.lists(st.text("abc 漢", min_size=1, max_size=60), min_size=1), max_size=6), sizes
)
def test_splitting_a_chunk_again_changes_nothing(sections, size):
    settings = SplitSettings(size=size)
    blocks = ["# h\n\n" + "\n\n".join(section) for section in sections]
    for chunk in split(document(*blocks), settings):
        assert texts(split(document(chunk.text), settings)) == [chunk.text]


@given(paragraphs, sizes, st.integers(0, 50))
def test_overlap_repeats_text_and_loses_none(paragraph, size, overlap):
    parsed = document(paragraph)
    chunks = split(parsed, SplitSettings(size=size, overlap=overlap))
    position = 0
    for chunk in chunks:
        assert letters(parsed.text[position : chunk.char_start]) == ""
        assert position - chunk.char_start <= overlap
        assert len(chunk.text) <= size
        position = chunk.char_end


@given(st.text(alphabet=st.characters(), max_size=400))
@hypothesis_settings(max_examples=200)
def test_no_nul_and_no_lone_surrogate_reaches_a_chunk(text):
    for chunk in split(document(text, "a\x00b\ud800c"), SMALL):
        chunk.text.encode("utf-8")
        assert "\x00" not in chunk.text


# --- headings ------------------------------------------------------------------------------------


def test_a_chunk_knows_the_headings_above_it():
    long_text = "Words of a section. " * 15
    chunks = split(document("# Guide", long_text, "## Install *now*", long_text), SMALL)
    assert chunks[0].heading_path == ("Guide",)
    assert chunks[-1].heading_path == ("Guide", "Install now")
    assert len({chunk.heading_path for chunk in chunks}) == 2


def test_an_underlined_line_is_a_heading():
    chunks = split(document("Guide\n=====\n\ntext " + "x" * 60), SMALL)
    assert chunks[0].heading_path == ("Guide",)


def test_small_sections_join_their_next_sibling_under_the_common_heading():
    chunks = split(document("# G\n\n" + "x " * 60, "## A\n\nfew", "## B\n\nfew words"), SMALL)
    assert texts(chunks)[1:] == ["## A\n\nfew\n\n## B\n\nfew words"]
    assert chunks[1].heading_path == ("G",)


def test_a_small_last_section_joins_its_elder_sibling():
    chunks = split(document("## A\n\n" + "word " * 20, "## B\n\nfew"), SMALL)
    assert len(chunks) == 1


def test_a_heading_is_not_left_alone_above_a_long_paragraph():
    chunks = split(document("## Title", "Sentence here. " * 40), SMALL)
    assert chunks[0].text.startswith("## Title\n\nSentence here.")


# --- tables --------------------------------------------------------------------------------------


def test_each_slice_of_a_table_has_whole_rows_under_the_header():
    rows = [f"| name {number} | {number * 11} |" for number in range(60)]
    header = "| who | how many |\n| --- | ---: |"
    chunks = split(document(header + "\n" + "\n".join(rows)), SMALL)
    assert len(chunks) > 3
    assert all(chunk.text.startswith(header) for chunk in chunks)
    assert [line for chunk in chunks for line in chunk.text.split("\n")[2:]] == rows


def test_a_table_that_fits_a_chunk_is_not_cut_to_fill_the_one_before():
    table = "| a | b |\n| --- | --- |\n" + "\n".join(["| 111 | 222 |"] * 9)
    chunks = split(document("Intro words. " * 8, table), SMALL)
    assert texts(chunks)[-1] == table


def test_a_row_that_is_too_long_is_cut_between_cells_under_their_names():
    cells = ["first " * 15, "second " * 15, "third " * 15]
    row = "| " + " | ".join(cell.strip() for cell in cells) + " |"
    chunks = split(document("| one | two | three |\n|---|---|---|\n" + row), SMALL)
    assert any(chunk.text == f"| one |\n| --- |\n| {cells[0].strip()} |" for chunk in chunks)
    assert any(chunk.text == f"| three |\n| --- |\n| {cells[2].strip()} |" for chunk in chunks)


def test_an_escaped_pipe_is_no_cell_border():
    row = "| " + "left \\| still left " * 12 + " | right |"
    chunks = split(document("| a | b |\n|---|---|\n" + row), SMALL)
    assert any(chunk.text.endswith("| b |\n| --- |\n| right |") for chunk in chunks)


def test_a_table_with_a_very_wide_header_goes_by_groups_of_columns():
    names = [f"column number {number}" for number in range(30)]
    values = [f"value {number}" for number in range(30)]
    table = "\n".join(["| " + " | ".join(row) + " |" for row in (names, ["---"] * 30, values)])
    chunks = split(document(table), SMALL)
    carrying = next(chunk for chunk in chunks if "value 17 " in chunk.text)
    assert "column number 17" in carrying.text


# --- code and prose ------------------------------------------------------------------------------


def test_each_slice_of_code_opens_and_closes_its_fence():
    lines = [f"print({number})" for number in range(80)]
    chunks = split(document("```python\n" + "\n".join(lines) + "\n```"), SMALL)
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.startswith("```python\n")
        assert chunk.text.endswith("\n```")
    assert [line for chunk in chunks for line in chunk.text.split("\n")[1:-1]] == lines


def test_a_heading_inside_code_is_no_heading():
    chunks = split(document("# Real\n\n```\n# not one\n```"), SMALL)
    assert chunks[0].heading_path == ("Real",)
    assert len(chunks) == 1


@pytest.mark.parametrize(
    ("sentence", "end"),
    [
        ("这是一个句子，很短。", "。"),
        ("これは文です。", "。"),
        ("한국어 문장입니다. ", "."),
        ("A sentence. ", "."),
    ],
    ids=["zh", "ja", "ko", "en"],
)
def test_prose_is_cut_at_the_end_of_sentences(sentence, end):
    chunks = split(document(sentence * 80), SMALL)
    assert len(chunks) > 2
    assert all(chunk.text.endswith(end) for chunk in chunks)


def test_a_link_is_not_cut():
    link = "[the whole manual of the machine](https://example.org/manual/of/the/machine)"
    chunks = split(document("word " * 32 + link + " word" * 30), SMALL)
    assert sum(link in chunk.text for chunk in chunks) == 1


@pytest.mark.parametrize(
    "whole",
    [
        "$$" + "x+y " * 90 + "$$",
        "$$\n" + "a = b\n\n" * 50 + "$$",
        "`" + "code " * 80 + "`",
        "![a picture](data:image/png;base64," + "A" * 900 + ")",
        "[a manual](https://example.org/" + "way/" * 90 + ")",
    ],
    ids=["formula", "formula_with_blank_lines", "code", "picture", "link"],
)
def test_what_is_protected_stays_whole_even_over_the_size(whole):
    around = "Some words stand here. " * 20
    in_a_line = () if "\n\n" in whole else (f"{around}{whole} {around}",)
    for blocks in (in_a_line or (whole,), (around, whole, around)):
        chunks = split(document(*blocks), SMALL)
        assert sum(whole in chunk.text for chunk in chunks) == 1
        assert all(len(chunk.text) <= 200 or whole in chunk.text for chunk in chunks)


def test_no_chunk_is_longer_than_the_longest_that_is_protected():
    for whole in ("`" + "y" * 20_000 + "`", "$$\n" + "x" * 20_000 + "\n$$", "[a](" + "z" * 20_000):
        chunks = split(document(whole), SplitSettings(size=7_500))
        assert max(len(chunk.text) for chunk in chunks) <= LONGEST_PROTECTED


def test_overlap_repeats_no_row_of_a_table_and_no_line_of_code():
    table = "| a | b |\n| --- | --- |\n" + "\n".join(["| 111 | 222 |"] * 8)
    chunks = split(
        document(table, "A sentence of words. " * 8), SplitSettings(size=200, overlap=90)
    )
    assert all(chunk.text.startswith(("| a | b |", "A sentence")) for chunk in chunks)


def test_overlap_begins_at_a_sentence():
    chunks = split(document("One sentence here. " * 30), SplitSettings(size=200, overlap=45))
    assert chunks[1].char_start < chunks[0].char_end
    assert all(chunk.text.startswith("One sentence") for chunk in chunks)


# --- places --------------------------------------------------------------------------------------


def test_pages_and_boxes_come_from_the_blocks_of_the_chunk():
    blocks = (
        Block(markdown="first", page=1, box=Box(left=0.1, top=0.1, right=0.5, bottom=0.2)),
        Block(markdown="unseen", page=1, hidden=True),
        Block(markdown="second", page=1, box=Box(left=0.2, top=0.3, right=0.9, bottom=0.4)),
    )
    (chunk,) = split(ParsedDocument(blocks=blocks), SMALL)
    assert (chunk.page_from, chunk.page_to) == (1, 1)
    assert chunk.box == Box(left=0.1, top=0.1, right=0.9, bottom=0.4)
    assert "unseen" not in chunk.text


def test_a_chunk_over_two_pages_has_a_span_and_no_box():
    box = Box(left=0, top=0, right=1, bottom=1)
    blocks = tuple(Block(markdown="words", page=page, box=box) for page in (3, 4))
    (chunk,) = split(ParsedDocument(blocks=blocks), SMALL)
    assert (chunk.page_from, chunk.page_to, chunk.box) == (3, 4, None)


def test_a_document_without_text_has_no_chunks():
    assert split(document("", "  \n "), SMALL) == ()


@pytest.mark.parametrize("wrong", [{"size": 99}, {"overlap": -1}, {"overlap": 601}])
def test_settings_that_cannot_work_are_refused(wrong):
    with pytest.raises(ValueError, match="use|needs"):
        SplitSettings(**wrong)
