"""Gates before any parser: what is refused unread, with a reason that its owner can act on.

They run where the parsers run, isolated, and read as little as they can. Every reason says in one
or two sentences what is wrong and what to do. The pages of a PDF are counted by its parser: their
tree may be packed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from knowledge.ingest.gates_markup import check_html_depth, check_json_depth, check_rtf_depth
from knowledge.ingest.gates_media import check_image
from knowledge.ingest.gates_zip import ZipLimits, check_container, check_sheets
from knowledge.parsers.contract import ParseRefused


@dataclass(frozen=True, kw_only=True)
class GateLimits:
    """The largest things that are let through."""

    file_bytes: int = 100_000_000
    zip_members: int = 10_000
    zip_bytes: int = 500_000_000
    """Of all members together, inflated."""
    zip_ratio: int = 100
    """Inflated bytes for each stored one, over the whole container."""
    sheet_cells: int = 20_000_000
    image_pixels: int = 50_000_000
    html_depth: int = 1_000
    json_depth: int = 200
    rtf_depth: int = 200

    @property
    def zip(self) -> ZipLimits:
        """Those for containers."""
        return ZipLimits(members=self.zip_members, size=self.zip_bytes, ratio=self.zip_ratio)


def check_name(name: str) -> None:
    """Refuse names that would lead somewhere else.

    Raises:
        ParseRefused: hostile.
    """
    parts = name.replace("\\", "/").split("/")
    if "\0" in name or ".." in parts or parts[0] == "":
        raise ParseRefused(
            "hostile",
            "The file name is empty, leads outside of its folder or holds a NUL character. "
            "Rename the file.",
        )


def check_size(size_bytes: int, limits: GateLimits) -> None:
    """Refuse the empty and the too large.

    Raises:
        ParseRefused: empty, too_large.
    """
    if size_bytes == 0:
        raise ParseRefused("empty", "The file is empty (0 bytes). Upload it again.")
    if size_bytes > limits.file_bytes:
        raise ParseRefused(
            "too_large",
            f"The file has {size_bytes / 1e6:,.0f} MB; at most {limits.file_bytes / 1e6:,.0f} MB "
            "are read. Split it into parts.",
        )


def check_content(content: bytes, file_type: str, limits: GateLimits) -> None:
    """Refuse content of `file_type` that would harm or overwhelm its parser.

    Raises:
        ParseRefused: hostile, too_large, damaged.
    """
    gate = _GATES.get(file_type)
    if gate is not None:
        gate(content, limits)


def _container(content: bytes, limits: GateLimits) -> None:
    check_container(content, limits.zip)


def _sheets(content: bytes, limits: GateLimits) -> None:
    check_container(content, limits.zip)
    check_sheets(content, limits.sheet_cells)


def _image(content: bytes, limits: GateLimits) -> None:
    check_image(content, limits.image_pixels)


def _html(content: bytes, limits: GateLimits) -> None:
    check_html_depth(content, limits.html_depth)


def _json(content: bytes, limits: GateLimits) -> None:
    check_json_depth(content, limits.json_depth)


def _rtf(content: bytes, limits: GateLimits) -> None:
    check_rtf_depth(content, limits.rtf_depth)


_GATES: dict[str, Callable[[bytes, GateLimits], None]] = {
    "docx": _container,
    "pptx": _container,
    "odt": _container,
    "odp": _container,
    "epub": _container,
    "xlsx": _sheets,
    "xlsb": _container,
    "ods": _sheets,
    "zip": _container,
    "xmind": _container,
    **dict.fromkeys(("png", "jpg", "gif", "webp", "tiff", "bmp"), _image),
    "html": _html,
    "json": _json,
    "rtf": _rtf,
}
