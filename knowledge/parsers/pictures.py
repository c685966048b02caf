"""Pictures inside of documents: a parser puts each into a bag and writes what the bag returns.

Nothing is decoded here: header, size and hash are enough to know which pictures are worth a
reference. Their bytes are fetched later, by another child (`kept_pictures`).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from urllib.parse import unquote_to_bytes

from knowledge.ingest.gates_media import image_size
from knowledge.parsers.contract import Block, Box, ParsedDocument, Picture
from knowledge.parsers.office_xml import MOST_PICTURE_BYTES
from knowledge.text.pictures import (
    clean_words,
    drop_references,
    references_of,
    write_reference,
)

LEAST_EDGE = 64
LEAST_BYTES = 512
MOST_BYTES = MOST_PICTURE_BYTES
MOST_PIXELS = 50_000_000
MOST_IN_A_TEXT = 200
"""Different pictures that get a reference."""
_FEWEST_PAGES = 4
_REPEATED_SHARE = 0.5
_MOST_DATA_ADDRESS = 40_000_000
_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*")
_kept: ContextVar[dict[str, bytes] | None] = ContextVar("kept_pictures", default=None)
OpenSource = Callable[[str], bytes | None]


class PictureBag:
    """The pictures of one document, each once."""

    def __init__(
        self,
        open_source: OpenSource | None = None,
        *,
        open_known: Callable[[str], Picture | None] | None = None,
    ) -> None:
        """Name what gives the bytes behind a source that is no data address, if anything does.

        Args:
            open_source: gives the bytes.
            open_known: gives what another bag knows already.
        """
        self._open = open_source
        self._known = open_known
        self._found: dict[str, Picture] = {}

    def with_sources(self, locate: Callable[[str], str]) -> PictureBag:
        """Return this bag for a part of the document that calls its sources otherwise."""
        opened = self._open
        return self.with_opened((lambda source: opened(locate(source))) if opened else None)

    def with_opened(self, open_source: OpenSource | None) -> PictureBag:
        """Return this bag for a part of the document that opens its sources otherwise."""
        bag = PictureBag(open_source)
        bag._found = self._found
        return bag

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """What was put in, in its order."""
        return tuple(self._found.values())

    def add(self, content: bytes | None, *, words: str = "") -> str:
        """Return the reference to a picture; only its words for an icon, or what is no picture."""
        words = clean_words(words)
        size = _size(content)
        if content is None or size is None:
            return words
        key = hashlib.sha256(content).hexdigest()[:20]
        if (kept := _kept.get()) is not None:
            kept[key] = content
        return self.note(key, width=size[0], height=size[1], size_bytes=len(content), words=words)

    def note(
        self,
        key: str,
        *,
        width: int,
        height: int,
        size_bytes: int,
        words: str = "",
        page: int | None = None,
        box: Box | None = None,
    ) -> str:
        """Return the reference to a picture of which the parser knows enough itself."""
        words = clean_words(words)
        if key not in self._found:
            if len(self._found) >= MOST_IN_A_TEXT or not is_worth_it(width, height, size_bytes):
                return words
            self._found[key] = Picture(
                key=key,
                width=width,
                height=height,
                size_bytes=size_bytes,
                words=words,
                page=page,
                box=box,
            )
        return write_reference(key, words)

    def add_source(self, source: str, *, words: str = "") -> str:
        """Return the reference to the picture behind the `src` of an image; nothing is fetched."""
        source = source.strip()
        if source[:5].lower() == "data:":
            return self.add(_data(source), words=words)
        if self._known is not None and (known := self._known(source)) is not None:
            self._found.setdefault(known.key, replace(known, words=clean_words(words)))
            return write_reference(known.key, words)
        return self.add(self._open(source) if self._open and source else None, words=words)


def is_worth_it(width: int, height: int, size_bytes: int) -> bool:
    """Say whether a picture is no icon, and none that is too large to be read."""
    return (
        min(width, height) >= LEAST_EDGE
        and width * height <= MOST_PIXELS
        and LEAST_BYTES <= size_bytes <= MOST_BYTES
    )


def _size(content: bytes | None) -> tuple[int, int] | None:
    if content is None or not LEAST_BYTES <= len(content) <= MOST_BYTES:
        return None
    if not content.startswith(_MAGIC) and content[8:12] != b"WEBP":
        return None
    return image_size(content)


def _data(address: str) -> bytes | None:
    """Return the bytes of a data address; None where it holds no picture."""
    head, comma, data = address.partition(",")
    head = head.lower()
    if not comma or not head.startswith("data:image/") or len(data) > _MOST_DATA_ADDRESS:
        return None
    plain = unquote_to_bytes(data)
    if not head.endswith(";base64"):
        return plain
    try:
        return base64.b64decode(plain)
    except (binascii.Error, ValueError):
        return None


@contextmanager
def kept_pictures() -> Iterator[dict[str, bytes]]:
    """Give the bytes of the pictures that parsers put into bags meanwhile, by their keys."""
    kept: dict[str, bytes] = {}
    token = _kept.set(kept)
    try:
        yield kept
    finally:
        _kept.reset(token)


def settle_pictures(document: ParsedDocument) -> ParsedDocument:
    """Take out what stands on every other page (a logo), and say where the others stand first."""
    if not document.pictures:
        return document
    places: defaultdict[str, list[Block]] = defaultdict(list)
    for block in document.blocks:
        if not block.hidden:
            for reference in references_of(block.markdown):
                places[reference.key].append(block)
    pages = max(document.page_count or 0, *(block.page or 0 for block in document.blocks), 0)
    dropped = {key for key, blocks in places.items() if _is_repeated(blocks, pages)}
    blocks = document.blocks
    if dropped:
        blocks = tuple(
            replace(block, markdown=drop_references(block.markdown, dropped)) for block in blocks
        )
    return replace(
        document,
        blocks=blocks,
        pictures=tuple(
            _placed(picture, places[picture.key][0])
            for picture in document.pictures
            if picture.key in places and picture.key not in dropped
        ),
    )


def _is_repeated(blocks: list[Block], pages: int) -> bool:
    on_pages = {block.page for block in blocks if block.page is not None}
    return pages >= _FEWEST_PAGES and len(on_pages) >= _REPEATED_SHARE * pages


def _placed(picture: Picture, block: Block) -> Picture:
    if picture.page is not None:
        return picture
    return replace(picture, page=block.page, box=block.box)
