"""Assembling tool calls from deltas, whatever way a vendor cuts them.

Seen in the wild: pieces by index; the id only in the first piece, or in each; whole calls that all
carry index 0 with different ids; whole calls without any id; a name repeated in each piece or cut
in two; each piece holding everything so far.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from providers.contracts.chat import ToolCall, ToolCallDelta


@dataclass
class _Slot:
    call_id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)

    @property
    def arguments(self) -> str:
        joined = "".join(self.pieces)
        last = self.pieces[-1] if self.pieces else ""
        if len(self.pieces) > 1 and not is_json(joined) and is_json_object(last):
            return last
        return joined


class CallAssembler:
    """Collects the calls of one turn in the order in which they began."""

    def __init__(self, is_known: Callable[[str], bool]) -> None:
        """`is_known` says whether a tool of that name exists; it tells cut from repeated names."""
        self._is_known = is_known
        self._slots: list[_Slot] = []
        self._by_index: dict[int, _Slot] = {}

    def __bool__(self) -> bool:
        return bool(self._slots)

    def feed(self, delta: ToolCallDelta) -> None:
        """Add one piece."""
        slot = self._slot_for(delta)
        slot.call_id = slot.call_id or delta.call_id
        if delta.name:
            slot.name = self._name(slot, delta.name)
        if delta.arguments:
            slot.pieces.append(delta.arguments)

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls; ids and arguments are as the vendor sent them."""
        return tuple(
            ToolCall(call_id=slot.call_id, name=slot.name, arguments=slot.arguments or "{}")
            for slot in self._slots
            if slot.name or slot.pieces
        )

    def _slot_for(self, delta: ToolCallDelta) -> _Slot:
        at_index = self._by_index.get(delta.index)
        if delta.call_id:
            for slot in self._slots:
                if slot.call_id == delta.call_id:
                    return slot
            # An id may come late; a second id at the same index is a second call.
            if at_index is not None and not at_index.call_id and not self._is_whole(at_index):
                return at_index
            return self._new_slot(delta.index)
        if at_index is None:
            return self._new_slot(delta.index)
        if delta.name and self._is_whole(at_index):
            return self._new_slot(delta.index)
        return at_index

    def _new_slot(self, index: int) -> _Slot:
        slot = _Slot()
        self._slots.append(slot)
        self._by_index[index] = slot
        return slot

    @staticmethod
    def _is_whole(slot: _Slot) -> bool:
        return bool(slot.name) and is_json_object(slot.arguments)

    def _name(self, slot: _Slot, piece: str) -> str:
        if not slot.name:
            return piece
        if self._is_known(slot.name + piece):
            return slot.name + piece
        if self._is_known(slot.name) or slot.name == piece or slot.pieces:
            return slot.name
        return piece if self._is_known(piece) else slot.name + piece


def is_json(text: str) -> bool:
    """Whether the text is one complete JSON value."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_json_object(text: str) -> bool:
    """Whether the text is one complete JSON object."""
    return text.lstrip().startswith("{") and is_json(text)
