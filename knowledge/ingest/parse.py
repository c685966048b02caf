"""The one door to the parsers: a file in, a document or a reason out; never in this process."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable
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


def parse_file(
    content_path: Path,
    name: str,
    *,
    limits: Limits | None = None,
    should_cancel: Callable[[], bool] | None = None,
) -> ParsedDocument:
    """Read the file at `content_path`, which its owner calls `name`, in an isolated process.

    Safe to call from several threads. `should_cancel` is asked a few times a second.

    Raises:
        ParseRefused: the file is not read, for a reason that its owner can act on.
        ParseCancelled: `should_cancel` returned True.
        HelperUnavailable: the parser process does not start; not the file's fault.
        FileNotFoundError: there is nothing at `content_path`.
    """
    check_name(name)
    with content_path.open("rb") as content:
        check_size(os.fstat(content.fileno()).st_size, GateLimits())
        outcome = run_parser(
            {"work": "parse", "name": name},
            content=content.fileno(),
            limits=limits or Limits(),
            should_cancel=should_cancel,
        )
    return document_from_json((outcome.answer or {})["document"])


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


def _death(outcome: Outcome, limits: Limits) -> ParseRefused:
    """Say in words what the child died of."""
    if outcome.timed_out or outcome.signal == signal.SIGXCPU:
        return ParseRefused(
            "timed_out",
            f"Reading this file took longer than {limits.wall_seconds:.0f} seconds and was "
            "stopped. Split it into parts or save it anew.",
        )
    if any(word in outcome.errors for word in _MEMORY_WORDS):
        return ParseRefused(
            "out_of_memory",
            "Reading this file takes more memory than one file may use. Split it into parts.",
        )
    _logger.warning("A parser died of signal %s: %s", outcome.signal, outcome.errors)
    return ParseRefused(
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
