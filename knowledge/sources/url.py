"""A web address as a document: fetched by the guarded client, judged, then read as any file is.

An error page is not content. Whatever the answer's status says, a page that holds next to nothing,
or whose few words only say that there is nothing, is refused with that reason and never indexed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from core.errors import Invalid, ServiceFailed, TooLarge
from core.http import Fetched, Request, fetch
from knowledge.ingest.parse import parse_file
from knowledge.parsers.contract import ParseRefused

LEAST_CHARACTERS = 50
"""Of the text of a page that says something."""
SHORT_PAGE = 600
"""A longer page with "not found" in its title is about that, and no error page."""
_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_TYPE_SUFFIXES = {
    "application/pdf": ".pdf",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "application/json": ".json",
    "application/epub+zip": ".epub",
    "application/rtf": ".rtf",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
}
_NOTHING_HERE = re.compile(
    r"\b(404|403|500|502|503)\b|not found|page (?:does not|doesn.t) exist|access denied|forbidden"
    r"|just a moment|are you (?:a )?(?:human|robot)|enable (?:javascript|cookies)"
    r"|javascript is (?:disabled|required)|service unavailable|captcha|error parsing web page"
    r"|页面不存在|找不到页面|访问被拒绝|ページが見つかりません|찾을 수 없",
    re.IGNORECASE,
)
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class WebFile:
    """What an address gave, ready to be kept."""

    name: str
    content: bytes


class NothingThere(Exception):
    """The address gave nothing worth reading; `reason` says why and what to do."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def clean_url(url: str) -> str:
    """Return the address as it is kept, without its fragment and without white space around it.

    Raises:
        Invalid: it is no address of the web, or one with a password in it.
    """
    cleaned = url.strip()
    if len(cleaned) > 2000 or any(ord(each) < 33 for each in cleaned):
        raise Invalid(_("The address has blanks in it, or over 2,000 characters; check it."))
    try:
        parts = urlsplit(cleaned)
        host, user = parts.hostname, parts.username
    except ValueError as error:
        raise Invalid(_("“%(address)s” is not a web address.") % {"address": cleaned}) from error
    if parts.scheme.lower() not in ("http", "https") or not host:
        raise Invalid(_("Enter a whole web address: it begins with https:// or http://."))
    if user:
        raise Invalid(_("An address with a name and password in it is not kept; leave them out."))
    return cleaned.partition("#")[0]


def name_of_url(url: str) -> str:
    """Return what a document is called as long as nothing is known but its address."""
    parts = urlsplit(url)
    last = unquote(PurePosixPath(parts.path).name)
    return _safe(last or parts.hostname or "page")


def fetch_file(url: str) -> WebFile:
    """Fetch an address and return its page or file.

    Raises:
        NothingThere: there is no content at the address, or none that can be read.
        AddressRefused: it may not be called from here.
        ServiceFailed: it does not answer; says whether to retry.
    """
    wanted = "text/html,application/xhtml+xml,application/pdf,*/*;q=0.8"
    try:
        got = fetch(
            Request(
                url=url,
                headers={"Accept": wanted, "User-Agent": "Mozilla/5.0 (compatible; reader)"},
                timeout_seconds=float(settings.FETCH_SECONDS),
                max_bytes=settings.MAX_UPLOAD_BYTES,
            )
        )
    except TooLarge as error:
        limit = settings.MAX_UPLOAD_BYTES // 1_000_000
        raise NothingThere(
            "too_large", _("The address gives over %(limit)s MB.") % {"limit": limit}
        ) from error
    _refuse_status(got)
    if _media_type(got.headers) in _PAGE_TYPES or _looks_like_page(got):
        return _page(got)
    return WebFile(name=_file_name(got), content=got.content)


def _refuse_status(got: Fetched) -> None:
    if got.status in (408, 425, 429) or got.status >= 500:
        raise ServiceFailed(
            _("The address answered with error %(status)s.") % {"status": got.status}, retry=True
        )
    if got.status in (401, 402, 403, 407, 451):
        raise NothingThere(
            "not_open",
            _(
                "The address answered %(status)s: it is not open to everybody. Download the page"
                " or file yourself and upload it."
            )
            % {"status": got.status},
        )
    if got.status >= 400 or got.status < 200 or got.status in (204, 205):
        raise NothingThere(
            "not_there",
            _("The address answered %(status)s: there is no content. Check it.")
            % {"status": got.status},
        )
    if not got.content.strip():
        raise NothingThere("empty", _("The address answered with nothing at all. Check it."))


def _page(got: Fetched) -> WebFile:
    """Return the page when what it says is more than that there is nothing."""
    title = _title(got.content)
    content = _with_charset(got)
    text = _text_of(content)
    shown = " ".join(text.split())
    if len(shown) < LEAST_CHARACTERS:
        raise NothingThere(
            "no_text",
            _(
                "The page has next to no text (%(n)s characters); perhaps a script creates it in"
                " the browser. Print it to PDF and upload that."
            )
            % {"n": len(shown)},
        )
    if len(shown) < SHORT_PAGE and _NOTHING_HERE.search(f"{title}\n{shown}"):
        raise NothingThere(
            "error_page",
            _("The page only says: “%(text)s”. Check the address.") % {"text": shown[:160]},
        )
    return WebFile(name=_safe(title or name_of_url(got.url), suffix=".html"), content=content)


def _text_of(content: bytes) -> str:
    """Return the page's text; it is read where everything foreign is read, in isolation."""
    with NamedTemporaryFile(suffix=".html") as file:
        Path(file.name).write_bytes(content)
        try:
            return parse_file(Path(file.name), "page.html").text
        except ParseRefused as refusal:
            raise NothingThere(refusal.code, refusal.reason) from refusal


def _with_charset(got: Fetched) -> bytes:
    """Let the page say itself in which encoding the server sent it: its file has no head."""
    charset = _header(got.headers).get_content_charset()
    if not charset or charset in ("utf-8", "us-ascii"):
        return got.content
    try:
        return got.content.decode(charset).encode("utf-8-sig")
    except (LookupError, UnicodeDecodeError):
        return got.content


def _title(content: bytes) -> str:
    found = _TITLE.search(content[:200_000])
    if found is None:
        return ""
    text = re.sub(r"&[a-z#0-9]+;|<[^>]*>", " ", found[1].decode("utf-8", "replace"))
    return " ".join(text.split())


def _looks_like_page(got: Fetched) -> bool:
    if _media_type(got.headers) not in ("", "text/plain", "application/octet-stream"):
        return False
    start = got.content[:1000].lstrip(b"\xef\xbb\xbf \r\n\t").lower()
    return start.startswith((b"<!doctype html", b"<html"))


def _file_name(got: Fetched) -> str:
    header = Message()
    header["content-disposition"] = _field(got.headers, "content-disposition")
    name = header.get_filename() or name_of_url(got.url)
    suffix = _TYPE_SUFFIXES.get(_media_type(got.headers), "")
    has_one = re.search(r"\.[A-Za-z0-9]{1,5}$", name) is not None
    return _safe(name, suffix="" if has_one else suffix)


def _media_type(headers: Mapping[str, str]) -> str:
    return _header(headers).get_content_type() if _field(headers, "content-type") else ""


def _header(headers: Mapping[str, str]) -> Message:
    header = Message()
    header["content-type"] = _field(headers, "content-type") or "application/octet-stream"
    return header


def _field(headers: Mapping[str, str], name: str) -> str:
    found = next((value for key, value in headers.items() if key.lower() == name), "")
    return re.sub(r"[\r\n]+", " ", found)


def _safe(name: str, *, suffix: str = "") -> str:
    """Return a file name out of foreign words."""
    plain = re.sub(r"[\x00-\x1f\x7f/\\:*?\"<>|\ud800-\udfff]+", " ", name)
    plain = " ".join(plain.split()).strip(". ")[:180] or "page"
    return plain if not suffix or plain.lower().endswith(suffix) else f"{plain}{suffix}"


def as_stream(file: WebFile) -> io.BytesIO:
    """Return the content for the store."""
    return io.BytesIO(file.content)
