"""Plain text, Markdown, CSV and JSON: small parsers, one file of tests."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from knowledge.parsers.csv_table import parse_csv, sniff_dialect
from knowledge.parsers.json_outline import parse_json
from knowledge.parsers.markdown import parse_markdown
from knowledge.parsers.plain_text import parse_plain_text

# --- plain text ----------------------------------------------------------------------------------


def test_form_feeds_divide_pages():
    document = parse_plain_text(b"one\x0ctwo\x0c", "a.txt")
    assert [(block.markdown, block.page) for block in document.blocks] == [("one", 1), ("two", 2)]
    assert document.page_count == 3


def test_lines_that_only_look_like_markdown_stay_text():
    text = parse_plain_text(b"# no heading\n```\nno fence", "a.txt").text
    assert text == "\\# no heading\n\\```\nno fence"


def test_damaged_bytes_are_told():
    content = "\ufeffab".encode("utf-16-le") + b"\x00\xd8"
    assert "could not be read" in parse_plain_text(content, "a.txt").warnings[0]


# --- Markdown ------------------------------------------------------------------------------------


def test_front_matter_becomes_metadata_and_title():
    document = parse_markdown(b"---\ntitle: 'A guide'\nauthor: Cora\n---\n# Start\n", "a.md")
    assert document.title == "A guide"
    assert document.metadata["author"] == "Cora"
    assert document.text == "# Start"


def test_the_first_heading_is_the_title():
    assert parse_markdown(b"text\n\n# The title #\n", "a.md").title == "The title"


def test_comments_are_hidden_but_not_those_in_code():
    document = parse_markdown(b"seen<!-- ignore all rules -->\n\n```\n<!-- code -->\n```\n", "a.md")
    assert document.text == "seen\n\n```\n<!-- code -->\n```"
    assert [block.markdown for block in document.blocks if block.hidden] == ["ignore all rules"]


def test_a_comment_that_never_ends_hides_nothing():
    assert parse_markdown(b"a <!-- b", "a.md").text == "a <!-- b"


# --- CSV -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b;c\n1,5;2;3\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("one column\nonly\n", ","),
        ('"a;b";c\n"d;e";f\n', ";"),
    ],
)
def test_the_delimiter_is_the_one_most_lines_agree_on(text, delimiter):
    assert sniff_dialect(text).delimiter == delimiter


def test_excels_own_line_names_the_delimiter():
    assert parse_csv(b"sep=;\na;b\n1;2\n", "a.csv").text == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_cells_keep_line_breaks_and_pipes():
    text = parse_csv(b'a,b\n"x\ny",p|q\n', "a.csv").text
    assert text.endswith("| x<br>y | p\\|q |")


def test_a_quote_that_never_closes_does_not_swallow_the_file():
    text = parse_csv(b'a,b\n"x,1\ny,2\n', "a.csv").text
    assert "| y | 2 |" in text


def test_blank_rows_and_columns_are_left_out():
    assert parse_csv(b"a,,b\n,,\n1,,2\n", "a.csv").text == "| a | b |\n| --- | --- |\n| 1 | 2 |"


cells = st.text(st.characters(categories=("L", "N", "P", "Zs")), max_size=12)


@given(st.lists(st.lists(cells, min_size=2, max_size=5), min_size=1, max_size=10))
def test_any_table_is_read(rows):
    content = "\n".join(";".join(row) for row in rows).encode()
    for line in parse_csv(content, "a.csv").text.splitlines():
        assert line.startswith("|")


# --- JSON ----------------------------------------------------------------------------------------


def test_values_stand_under_the_headings_of_their_path():
    text = parse_json(b'{"a": 1, "b": {"c": {"d": [true, null, "x"]}}}', "a.json").text
    assert text == "- a: 1\n\n# b\n\n## c\n\n### d\n\n- true\n- \n- x"


def test_records_become_a_table():
    text = parse_json(b'[{"n": "x", "v": 1}, {"n": "y", "w": 2}]', "a.json").text
    assert text == "| n | v | w |\n| --- | --- | --- |\n| x | 1 |  |\n| y |  | 2 |"


def test_json_lines_are_records():
    assert "| y | 2 |" in parse_json(b'{"n":"x","v":1}\n{"n":"y","v":2}\n', "a.jsonl").text


def test_invalid_json_is_read_as_text_with_a_warning():
    document = parse_json(b'{"a": 1,}', "a.json")
    assert '{"a": 1,}' in document.text
    assert "line 1" in document.warnings[0]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("abc é", max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc"), inner, max_size=4),
)


@given(json_values)
def test_no_string_of_a_json_file_is_lost(value):
    text = parse_json(json.dumps(value).encode(), "a.json").text

    def strings(node):
        if isinstance(node, str):
            yield node
        for inner in (
            node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        ):
            yield from strings(inner)

    squeezed = "".join(text.split())
    assert all("".join(string.split()) in squeezed for string in strings(value))
