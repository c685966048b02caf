"""The loop's state with its messages stored by content, so that storage grows linearly.

What only grows is stored once: each message, and the meanings of aliases in pages of 50. The row of
the run, which is written anew at each event, holds their hashes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from agents.engine.aliases import Source
from agents.engine.state import RunState as LoopState
from agents.models import MessageBlob
from core.jsonvalues import storable
from providers.contracts.chat import ChatMessage

SOURCES_A_PAGE = 50
_PAGES = "alias_pages"
Page = tuple[Source, ...]


def pack_state(space_id: int, state: LoopState) -> dict[str, Any]:
    """Return the state as JSON with hashes in place of messages and aliases; new ones are stored.

    A run is packed at each of its events: only what is new of it may cost anything.
    """
    sources = list(state.aliases.sources.values())
    whole = len(sources) // SOURCES_A_PAGE * SOURCES_A_PAGE
    pages = [
        tuple(sources[start : start + SOURCES_A_PAGE]) for start in range(0, whole, SOURCES_A_PAGE)
    ]
    excluded: dict[str, Any] = {"messages": True, "aliases": {"sources"}}
    packed: dict[str, Any] = storable(state.model_dump(mode="json", exclude=excluded))
    packed["aliases"]["sources"] = {each.alias: _dumped(each) for each in sources[whole:]}
    hashes = [_hash(message) for message in state.messages]
    page_hashes = [_page_hash(page) for page in pages]
    values: list[ChatMessage | Page] = [*state.messages, *pages]
    _store(space_id, dict(zip([*hashes, *page_hashes], values, strict=True)))
    packed["messages"], packed[_PAGES] = hashes, page_hashes
    return packed


def unpack_state(packed: dict[str, Any]) -> LoopState:
    """Return the state that was packed.

    Raises:
        KeyError: a message is missing from the store.
    """
    hashes = packed["messages"]
    blobs = _read([*hashes, *packed.get(_PAGES, ())])
    values = {key: value for key, value in packed.items() if key != _PAGES}
    aliases = {**packed.get("aliases", {}), "sources": _sources(packed, blobs)}
    messages = [blobs[each] for each in hashes]
    return LoopState.model_validate({**values, "messages": messages, "aliases": aliases})


def sources_in(packed: dict[str, Any]) -> dict[str, Source]:
    """Return what the aliases of a packed state stand for; empty when nothing was stored yet."""
    found = _sources(packed, _read(packed.get(_PAGES, ())))
    return {alias: Source.model_validate(source) for alias, source in found.items()}


def hashes_in(packed: dict[str, Any]) -> list[str]:
    """Return the hashes of all that a packed state refers to."""
    return [*packed.get("messages", ()), *packed.get(_PAGES, ())]


def forget() -> None:
    """Empty the memory of hashes; for measurements."""
    _hash.cache_clear()
    _page_hash.cache_clear()


def _store(space_id: int, values: dict[str, ChatMessage | Page]) -> None:
    known = MessageBlob.objects.filter(content_hash__in=values)
    missing = values.keys() - set(known.values_list("content_hash", flat=True))
    MessageBlob.objects.bulk_create(
        [
            MessageBlob(space_id=space_id, content_hash=key, content=_content(values[key]))
            for key in sorted(missing)  # in one order: two runs with the same message do not lock
        ],
        ignore_conflicts=True,
    )


def _read(hashes: Sequence[str]) -> dict[str, dict[str, Any]]:
    if not hashes:
        return {}
    rows = MessageBlob.objects.filter(content_hash__in=set(hashes))
    return dict(rows.values_list("content_hash", "content"))


def _sources(packed: dict[str, Any], blobs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for page in packed.get(_PAGES, ()):
        found |= {source["alias"]: source for source in blobs[page]["sources"]}
    found.update(packed.get("aliases", {}).get("sources", {}))
    return found


@lru_cache(maxsize=1024)
def _hash(message: ChatMessage) -> str:
    return hash_of(_content(message))


@lru_cache(maxsize=1024)
def _page_hash(page: Page) -> str:
    return hash_of(_content(page))


def _content(value: ChatMessage | Page) -> dict[str, Any]:
    if isinstance(value, ChatMessage):
        return _dumped(value)
    return {"sources": [_dumped(each) for each in value]}


def _dumped(value: ChatMessage | Source) -> dict[str, Any]:
    dumped: dict[str, Any] = storable(value.model_dump(mode="json"))
    return dumped


def hash_of(message: dict[str, Any]) -> str:
    """Return the SHA-256 of a message's canonical JSON, hexadecimal."""
    canonical = json.dumps(message, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
