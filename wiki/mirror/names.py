"""Where a page's file lies in a repository: as in its folders, and as every Git takes it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from wiki.pages.transfer import fit_name

_LIKE_GIT: Final = re.compile(r"git(~\d+)?", re.IGNORECASE)
"""What some file systems take for Git's own folder."""
_MOST_BYTES: Final = 200


def path_of(folder: str, slug: str, *, page_id: str, now: str, taken: Collection[str]) -> str:
    """Return the path of a page.

    `now` is where it lies; `taken` are the paths of all pages, with case folded.
    Two pages whose names differ only in what a file system does not tell apart get the page's id
    behind the name, and one that has it keeps it.
    """
    parts = [_part(part) for part in [*folder.split("/"), *slug.split("/")] if part]
    folders = "/".join(part + "-" if part.lower().endswith(".md") else part for part in parts[:-1])
    stem = f"{folders}/{parts[-1]}" if folders else parts[-1]
    plain, other = f"{stem}.md", f"{stem}--{page_id[:8]}.md"
    is_taken = plain.casefold() in taken and plain.casefold() != now.casefold()
    return other if now == other or is_taken else plain


def _part(name: str) -> str:
    visible = "".join(sign for sign in name if unicodedata.category(sign) not in ("Cf", "Zl", "Zp"))
    found = fit_name(visible)
    while len(found.encode()) > _MOST_BYTES:
        found = found[:-1]
    return found + "-" if _LIKE_GIT.fullmatch(found) else found
