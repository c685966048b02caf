"""What stands above a passage when it is embedded and indexed."""

from __future__ import annotations

import pytest

from knowledge.text.passages import says_something, text_to_embed, text_to_index, title_of


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Travel_policy 2026.pdf", "Travel policy 2026"),
        ("RO-20221108.pdf", "RO-20221108"),
        ("v1.2 notes", "v1.2 notes"),
        ("archive.tar", "archive"),
        ("出張旅費.txt", "出張旅費"),
        (".gitignore", ".gitignore"),
        ("Annual report. Final", "Annual report. Final"),
    ],
)
def test_a_files_name_gives_its_title(name, title):
    assert title_of(name) == title


@pytest.mark.parametrize(
    ("title", "telling"),
    [
        ("Travel policy", True),
        ("出張旅費", True),
        ("휴가", True),
        ("RO-20221108", False),
        ("0001", False),
        ("p17", False),
        ("IMG 20240501", True),
        ("d41d8cd98f00b204e9800998ecf8427e", False),
    ],
)
def test_only_titles_with_words_are_embedded(title, telling):
    assert says_something(title) is telling


def test_a_heading_that_the_passage_begins_with_is_not_said_twice():
    text = text_to_embed(
        document_name="Handbook.md",
        heading_path=["Contracts", "Notice"],
        text="## Notice\n\nTwo weeks.",
    )
    assert text == "Handbook\nContracts\n## Notice\n\nTwo weeks."


def test_a_document_is_found_by_its_number_even_when_that_is_not_embedded():
    name = "RO-20221108.pdf"
    assert text_to_embed(document_name=name, heading_path=[], text="Total.") == "Total."
    indexed = text_to_index(document_name=name, heading_path=[], text="Total.")
    assert indexed == "RO-20221108\nTotal."
