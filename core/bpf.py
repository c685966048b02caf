"""The few instructions that system call filters are made of."""

from __future__ import annotations

import struct

LOAD, JUMP_EQUAL, JUMP_ABOVE, JUMP_AT_LEAST, JUMP_BITS, RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
ALLOW = 0x7FFF0000
FAIL = 0x00050000
"""Added to an error number: the call fails with it."""
OFFSET_NUMBER, OFFSET_ARCH = 0, 4
OFFSET_ARGUMENTS = (16, 24, 32)
"""Where the lower halves of the first three arguments are, on little-endian machines."""
X32_NUMBERS = 0x40000000
"""Numbers from here on are of the x32 calls of an x86-64 kernel."""


def step(code: int, value: int, *, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one instruction; the jumps count instructions that are left out."""
    return struct.pack("=HBBI", code, if_true, if_false, value)
