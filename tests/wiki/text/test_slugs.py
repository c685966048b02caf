"""Addresses of pages."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from core.errors import Invalid
from wiki.text.slugs import clean_slug, free_slug, is_slug, name_in_slug, slug_for


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Tide table, 2nd edition!", "tide-table-2nd-edition"),
        ("Überfahrt nach Łódź", "uberfahrt-nach-łodz"),
        ("港口 潮汐表", "港口-潮汐表"),
        ("a / b | [c] #d", "a-b-c-d"),
        ("Straße", "strasse"),
    ],
)
def test_a_name_is_in_lower_case_with_dashes(title: str, name: str) -> None:
    assert name_in_slug(title) == name


@given(st.text(max_size=200))
def test_what_is_made_of_any_title_is_an_address_or_refused(title: str) -> None:
    try:
        slug = slug_for("concept", title)
    except Invalid:
        assert not any(each.isalnum() for each in title if each.isascii())
    else:
        assert is_slug(slug)
        assert clean_slug(slug) == slug


def test_what_a_person_writes_becomes_an_address() -> None:
    assert clean_slug(" /Entity/Pier 4/ ") == "entity/pier-4"
    assert clean_slug("Docs/API", kind="concept") == "concept/docs-api"
    with pytest.raises(Invalid):
        clean_slug("concept/…")


def test_a_taken_address_gets_the_next_number() -> None:
    assert free_slug("concept/a", {"concept/a", "concept/a-2"}.__contains__) == "concept/a-3"
