"""The one door to the parsers: a file in, a document or a reason out; never in this process."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from core.isolation import Limits
from knowledge.ingest.gates import GateLimits, check_name, check_size
from knowledge.ingest.helper_process import (
    HelperProcess,
    HelperUnavailable,
    Outcome,
    ParseCancelled,
)
from knowledge.ingest.wire import document_from_json
from knowledge.parsers.contract import ParsedDocument, ParseRefused

__all__ = ["ParseCancelled", "ParsedDocument", "ParseRefused", "HelperUnavailable", "parse_file"]

_logger = logging.getLogger(__name__)
_PARSERS = HelperProcess(
    "knowledge.ingest.zygote",
    # Fewer, larger pages make a fork cost 3 ms instead of 6; other C libraries ignore it.
    environment={"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"},
)
_MEMORY_WORDS = ("memory allocation", "out of memory", "MemoryError", "bad_alloc", "alloc")
_warned_of_open_network = False
_BASE_SECONDS = 18.0
_FIRST_SHARE = 0.6
"""Of the time, for the engine that is asked first."""
_LEAST_SECONDS = 2.0
_MOST_ENGINES = 3
_MEMBER_BATCH_BYTES = 48_000_000


def parse_file(
    content_path: Path,
    name: str,
    *,
    password: str = "",
    engines: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    should_cancel: Callable[[], bool] | None = None,
) -> ParsedDocument:
    """Read the file at `content_path`, which its owner calls `name`, in an isolated process.

    Safe to call from several threads. `should_cancel` is asked a few times a second.

    Args:
        content_path: where the bytes are.
        name: what its owner calls it.
        password: opens an encrypted file.
        engines: by our name of a type, the engine to ask first; the others follow when it fails.
        limits: what the work may use; by default as much as a file of this size needs.
        should_cancel: whether somebody stopped the work.

    Raises:
        ParseRefused: the file is not read, for a reason that its owner can act on.
        ParseCancelled: `should_cancel` returned True.
        HelperUnavailable: the parser process does not start; not the file's fault.
        FileNotFoundError: there is nothing at `content_path`.
    """
    check_name(name)
    options = {"password": password, "engines": dict(engines or {})}
    with content_path.open("rb") as content:
        size_bytes = os.fstat(content.fileno()).st_size
        check_size(size_bytes, GateLimits())
        answer = _first_that_lives(
            {"work": "parse", "name": name, "options": options},
            content=content.fileno(),
            limits=limits or limits_for(size_bytes),
            should_cancel=should_cancel,
        )
    return document_from_json(answer["document"])


def limits_for(size_bytes: int) -> Limits:
    """Return the time that an honest file of this size needs at most; an attack is a small file."""
    megabytes = size_bytes / 1e6
    return Limits(
        cpu_seconds=min(round(_BASE_SECONDS + 3 * megabytes), 120),
        wall_seconds=min(_BASE_SECONDS * 1.5 + 5 * megabytes, 180.0),
    )


def iterate_members(
    content_path: Path,
    name: str,
    *,
    password: str = "",
    should_cancel: Callable[[], bool] | None = None,
) -> Iterator[bytes]:
    """Yield the bytes of each of `ParsedDocument.members`; empty ones for what is too large.

    Raises:
        ParseRefused, ParseCancelled, HelperUnavailable, FileNotFoundError: as `parse_file`.
    """
    first = 0
    with content_path.open("rb") as content:
        size_bytes = os.fstat(content.fileno()).st_size
        while True:
            outcome = run_parser(
                {
                    "work": "members",
                    "name": name,
                    "password": password,
                    "first": first,
                    "most_bytes": _MEMBER_BATCH_BYTES,
                },
                content=content.fileno(),
                limits=limits_for(size_bytes),
                should_cancel=should_cancel,
            )
            sizes: list[int] = (outcome.answer or {})["sizes"]
            if not sizes:
                return
            place = 0
            for size in sizes:
                yield outcome.payload[place : place + size]
                place += size
            first += len(sizes)


@dataclass(frozen=True, kw_only=True)
class EngineCard:
    """An engine as a person chooses it."""

    name: str
    label: str
    automatic: bool
    """Asked without being chosen, at the latest when others fail."""


@cache
def engines() -> dict[str, tuple[EngineCard, ...]]:
    """Return the engines of each type, the one that is asked first at the head.

    The parser process knows them: importing them here would load every document library.

    Raises:
        HelperUnavailable: the parser process does not start.
    """
    nothing = os.memfd_create("nothing")
    try:
        outcome = run_parser(
            {"work": "engines"}, content=nothing, limits=Limits(), should_cancel=None
        )
    finally:
        os.close(nothing)
    found: dict[str, list[list[Any]]] = (outcome.answer or {})["engines"]
    return {
        file_type: tuple(
            EngineCard(name=name, label=label, automatic=automatic)
            for name, label, automatic in cards
        )
        for file_type, cards in found.items()
    }


def _first_that_lives(
    request: dict[str, Any],
    *,
    content: int,
    limits: Limits,
    should_cancel: Callable[[], bool] | None,
) -> dict[str, Any]:
    """Ask again without the engine that died, within the same time; return the answer."""
    started = time.monotonic()
    death: ParseRefused | None = None
    for skipped in range(_MOST_ENGINES):
        left = limits.wall_seconds - (time.monotonic() - started)
        share = left * _FIRST_SHARE if skipped == 0 else left
        if death is not None and left < _LEAST_SECONDS:
            break
        options = request["options"] | {"skipped": skipped}
        try:
            outcome = run_parser(
                request | {"options": options},
                content=content,
                limits=replace(limits, wall_seconds=share),
                should_cancel=should_cancel,
            )
        except ParserDied as problem:
            death = death or problem
        except ParseRefused as refusal:
            # "crashed" from a living child: there is no other engine.
            raise (death if death and refusal.code == "crashed" else refusal) from refusal
        else:
            return outcome.answer or {}
    raise death or ParseRefused("crashed", "No engine can read this file. Save it as PDF.")


class ParserDied(ParseRefused):
    """The child is dead: it was killed, or its engine broke it."""


def run_parser(
    request: dict[str, Any],
    *,
    content: int,
    limits: Limits,
    should_cancel: Callable[[], bool] | None,
) -> Outcome:
    """Have one request done by a forked child of the parser process; it has an answer.

    Raises:
        ParseRefused: the child refused the file or died of it.
        ParseCancelled: `should_cancel` returned True.
        HelperUnavailable: the parser process does not start.
    """
    outcome = _PARSERS.run(request, content=content, limits=limits, should_cancel=should_cancel)
    if outcome.answer is None:
        raise _death(outcome, limits)
    if "refused" in outcome.answer:
        raise ParseRefused(*outcome.answer["refused"])
    _warn_of_open_network(outcome.answer["confinement"][0])
    return outcome


def _death(outcome: Outcome, limits: Limits) -> ParserDied:
    """Say in words what the child died of."""
    if outcome.timed_out or outcome.signal == signal.SIGXCPU:
        return ParserDied(
            "timed_out",
            f"Reading this file took longer than {limits.wall_seconds:.0f} seconds and was "
            "stopped. Split it into parts or save it anew.",
        )
    if outcome.out_of_memory or any(word in outcome.errors for word in _MEMORY_WORDS):
        return ParserDied(
            "out_of_memory",
            "Reading this file takes more memory than one file may use. Split it into parts.",
        )
    _logger.warning("A parser died of signal %s: %s", outcome.signal, outcome.errors)
    return ParserDied(
        "crashed",
        "The file makes its parser fail, so it is probably damaged. Save it anew or as PDF.",
    )


def _warn_of_open_network(network: str) -> None:
    global _warned_of_open_network
    if network == "open" and not _warned_of_open_network:
        _warned_of_open_network = True
        _logger.warning(
            "Parsers could reach the network here: neither namespaces nor filters work."
        )
