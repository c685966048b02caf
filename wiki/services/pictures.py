"""Use cases of pictures in pages: put one into the wiki of a base, read one.

Whoever may propose an edit of the wiki may add one; whoever sees the base sees it. A picture is
decoded and written anew by a confined child, as those of documents are: only bytes that we wrote
ourselves go out.
"""

from __future__ import annotations

import base64
import hashlib
import io
import tempfile
from pathlib import Path
from typing import Final
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.quota import require_storage
from core.errors import Invalid, NotFound, Refused, TooLarge
from knowledge.ingest.pictures import MEDIA_TYPE, iterate_pictures
from knowledge.parsers.contract import ParseRefused
from knowledge.storage import open_file, store_file
from wiki.queries import require_wiki

MOST_BYTES: Final = 10_000_000
_ENGINE: Final = "markdown"
"""Reads pictures that stand in a text as data: the shortest way into the confined child."""


def add_picture(actor: Actor, *, base_id: UUID, content: bytes) -> str:
    """Keep a picture for pages of a base; return the SHA-256 by which it is read.

    Raises:
        NotFound, AccessDenied: as `require` has it for the wiki; guests add none.
        TooLarge: it has more than `MOST_BYTES`, or the space is full (LimitReached).
        Refused: it is no picture that can be shown.
    """
    base = require_wiki(actor, base_id)
    require(actor, "view", base)
    if actor.user_id is None or actor.is_guest:
        raise Invalid(_("Pictures are added by members of the space only."))
    if len(content) > MOST_BYTES:
        raise TooLarge(_("A picture may have 10 MB at most."))
    shown = _written_anew(content)
    require_storage(base.space_id, more_bytes=len(shown))
    return store_file(base.space_id, io.BytesIO(shown), folder=picture_folder(base_id)).content_hash


def read_picture(actor: Actor, *, base_id: UUID, content_hash: str) -> tuple[bytes, str]:
    """Return a picture and its media type.

    Raises:
        NotFound: the actor may not see the base, or there is no such picture in its wiki.
    """
    base = require_wiki(actor, base_id)
    try:
        with open_file(base.space_id, content_hash, folder=picture_folder(base_id)) as stored:
            return stored.read(), MEDIA_TYPE
    except FileNotFoundError as error:
        raise NotFound(_("There is no such picture.")) from error


def picture_folder(base_id: UUID) -> str:
    """Return where the pictures of a base's wiki are stored."""
    return f"wiki-pictures/{base_id}"


def _written_anew(content: bytes) -> bytes:
    key = hashlib.sha256(content).hexdigest()[:20]
    data = base64.b64encode(content).decode()
    with tempfile.TemporaryDirectory(prefix="weknora-") as folder:
        path = Path(folder) / "picture.md"
        path.write_text(f"![x](data:image/png;base64,{data})\n", encoding="ascii")
        try:
            found = list(iterate_pictures(path, path.name, engine=_ENGINE, keys=[key]))
        except ParseRefused as error:
            raise Refused(_no_picture()) from error
    if not found or not found[0].content:
        raise Refused(_no_picture())
    return found[0].content


def _no_picture() -> str:
    return _(
        "This is no picture that can be shown: PNG, JPEG, GIF or WebP, at least 64 pixels wide and"
        " high, not of one color."
    )
