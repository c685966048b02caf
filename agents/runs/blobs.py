"""The loop's state with its messages stored by content, so that storage grows linearly."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from agents.engine.state import RunState as LoopState
from agents.models import MessageBlob
from core.jsonvalues import storable


def pack_state(space_id: int, state: LoopState) -> dict[str, Any]:
    """Return the state as JSON with a hash in place of each message; new messages are stored."""
    packed: dict[str, Any] = storable(state.model_dump(mode="json"))
    hashes = []
    blobs: dict[str, Any] = {}
    for message in packed["messages"]:
        content_hash = hash_of(message)
        hashes.append(content_hash)
        blobs[content_hash] = message
    MessageBlob.objects.bulk_create(
        [
            MessageBlob(space_id=space_id, content_hash=content_hash, content=message)
            for content_hash, message in blobs.items()
        ],
        ignore_conflicts=True,
    )
    packed["messages"] = hashes
    return packed


def unpack_state(packed: dict[str, Any]) -> LoopState:
    """Return the state that was packed.

    Raises:
        KeyError: a message is missing from the store.
    """
    hashes = packed["messages"]
    blobs = dict(
        MessageBlob.objects.filter(content_hash__in=set(hashes)).values_list(
            "content_hash", "content"
        )
    )
    return LoopState.model_validate({**packed, "messages": [blobs[each] for each in hashes]})


def hash_of(message: dict[str, Any]) -> str:
    """Return the SHA-256 of a message's canonical JSON, hexadecimal."""
    canonical = json.dumps(message, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
