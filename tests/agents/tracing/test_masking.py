"""Secrets do not leave a run: by their names, by their form, and no SQL in traces."""

from __future__ import annotations

import pytest

from agents.tracing.masking import MASK, mask_arguments, mask_text, mask_value, preview

KEY = "sk-" + "a1B2" * 6


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "api_key",
        "apiKey".replace("K", "_k"),
        "client_secret",
        "access-token",
        "Authorization",
        "db.passwd",
    ],
)
def test_values_with_the_name_of_a_secret_are_hidden(name: str) -> None:
    assert mask_value({"outer": [{name: "harmless"}]}) == {"outer": [{name: MASK}]}


@pytest.mark.parametrize(
    "name", ["author", "tokens", "monkey", "keyboard", "passage", "max_tokens"]
)
def test_names_that_only_look_alike_stay(name: str) -> None:
    assert mask_value({name: "shown"}) == {name: "shown"}


@pytest.mark.parametrize(
    "secret",
    [KEY, "AKIA" + "A1" * 8, "ghp_" + "x" * 36, "eyJhbGciOiJI.eyJzdWIiOiIx.sig-nature"],
)
def test_what_looks_like_a_key_is_hidden_anywhere(secret: str) -> None:
    shown = mask_text(f"Use {secret} for it.")
    assert secret not in shown
    assert shown == f"Use {MASK} for it."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgres://me:hunter22@db/x", f"postgres://me:{MASK}@db/x"),
        ("Authorization: Bearer abcdefgh1234", f"Authorization: Bearer {MASK}"),
        ("password=hunter22&user=me", f"password={MASK}&user=me"),
        ("a plain sentence about tokens", "a plain sentence about tokens"),
    ],
)
def test_passwords_inside_of_texts_are_hidden(text: str, shown: str) -> None:
    assert mask_text(text) == shown


def test_sql_does_not_leave_as_a_trace() -> None:
    sql = "SELECT name FROM patients WHERE diagnosis = 'flu'"
    assert mask_arguments("data_analysis", {"query": sql, "limit": 3}) == {
        "query": MASK,
        "limit": 3,
    }
    assert mask_arguments("anything", {"sql": sql})["sql"] == MASK
    assert mask_arguments("anything", {"query": sql})["query"] == MASK
    assert (
        mask_arguments("knowledge_search", {"query": "select a plan"})["query"] == "select a plan"
    )


def test_previews_are_short_and_hold_no_keys() -> None:
    shown = preview({"text": "x" * 9000, "key": KEY})
    assert len(shown) == 4000
    assert KEY not in preview(f"{KEY} {'y' * 100}")
