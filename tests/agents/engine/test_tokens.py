"""Counting tokens, offline."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from agents.engine.tokens import (
    RANKS_FILE,
    EstimatedCounter,
    MessageCounter,
    TiktokenCounter,
    default_counter,
)
from providers.contracts.chat import ChatMessage, ImagePart, ToolCall

WHEEL = "data/cl100k_base.tiktoken"


@pytest.fixture
def fresh_default() -> object:
    default_counter.cache_clear()
    yield
    default_counter.cache_clear()


def test_without_ranks_the_count_is_an_estimate_and_nothing_is_downloaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fresh_default: object
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert isinstance(default_counter(), EstimatedCounter)


def test_with_ranks_the_count_is_exact(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fresh_default: object
) -> None:
    tiktoken_ext = importlib.import_module("tiktoken_ext")

    ranks = next(
        Path(folder) / WHEEL for folder in tiktoken_ext.__path__ if (Path(folder) / WHEEL).is_file()
    )
    (tmp_path / RANKS_FILE).symlink_to(ranks)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    counter = default_counter()
    assert isinstance(counter, TiktokenCounter)
    assert [counter.count("hello world"), counter.count("お誕生日おめでとう")] == [2, 9]
    assert counter.count("<|endoftext|>") > 1


def test_the_estimate_knows_scripts_without_spaces() -> None:
    counter = EstimatedCounter()
    assert counter.count("") == 0
    assert counter.count("hello") == 1
    assert counter.count("お誕生日おめでとう") == 9
    assert counter.count("word " * 400) == 500


def test_long_texts_are_counted_slice_by_slice() -> None:
    sizes = []

    def encode(text: str) -> list[int]:
        sizes.append(len(text))
        return [0] * len(text)

    assert TiktokenCounter(encode).count("x" * 50_000) == 50_000
    assert max(sizes) <= 20_000


def test_a_message_counts_with_its_calls_and_pictures() -> None:
    counter = MessageCounter(EstimatedCounter())
    plain = ChatMessage(role="user", content="word " * 8)
    call = ToolCall(call_id="a", name="search", arguments='{"queries": ["x"]}')
    picture = ImagePart(media_type="image/png", data_base64="")
    assert counter.message(plain) == 13
    assert counter.message(plain.model_copy(update={"tool_calls": (call,)})) > 15
    assert counter.message(plain.model_copy(update={"images": (picture,)})) == 1_013
