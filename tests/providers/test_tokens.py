"""Tokens are counted from shipped ranks; without them they are estimated, visibly."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from providers import tokens


@pytest.fixture(autouse=True)
def _fresh(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    settings.DATA_DIR = tmp_path
    tokens._encoding.cache_clear()
    yield
    tokens._encoding.cache_clear()


@pytest.mark.parametrize(
    ("text", "count"), [("hello world", 2), ("お誕生日おめでとう", 9), ("", 0)]
)
def test_tokens_are_counted_without_a_network(text: str, count: int) -> None:
    assert tokens.count_tokens(text) == count


def test_special_tokens_in_a_text_are_plain_text() -> None:
    assert tokens.count_tokens("<|endoftext|>") > 1


def test_ranks_are_installed_where_tiktoken_looks(tmp_path: Path) -> None:
    assert tokens.install_ranks()
    folder = Path(os.environ["TIKTOKEN_CACHE_DIR"])
    assert folder == tmp_path / "models" / "tiktoken"
    assert [file.name for file in folder.iterdir()] == [tokens.CACHE_NAME]


def test_damaged_ranks_are_replaced(tmp_path: Path) -> None:
    target = tmp_path / "models" / "tiktoken" / tokens.CACHE_NAME
    target.parent.mkdir(parents=True)
    target.write_bytes(b"half a file")
    assert tokens.install_ranks()
    assert target.stat().st_size > 1_000_000


def test_missing_ranks_are_estimated_and_said_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tokens, "_shipped", lambda: None)
    assert tokens.count_tokens("12345678") == 2
    assert tokens.count_tokens("知识库") == 3
    assert caplog.text.count("counts are estimates") == 1
