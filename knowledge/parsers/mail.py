"""E-mail (EML) and saved web pages (MHTML): both are MIME messages."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator
from email.message import EmailMessage, MIMEPart
from urllib.parse import unquote

from knowledge.parsers.contract import Block, Member, ParsedDocument, Parser, ParseRefused
from knowledge.parsers.encodings import decode_text
from knowledge.parsers.html import read_page
from knowledge.parsers.markdown_writer import heading
from knowledge.parsers.pictures import PictureBag

_HEADERS = ("From", "To", "Cc", "Bcc", "Date")
_MAX_DEPTH = 3
_MAX_PARTS = 500
_MAX_ATTACHMENTS = 100
Attachment = tuple[str, bytes]


def parse_mail(content: bytes, _name: str) -> ParsedDocument:
    """Return headers and text of a message, those of attached messages below it.

    A saved web page has one root; its largest HTML part is the page.

    Raises:
        ParseRefused: hostile.
    """
    message = email.message_from_bytes(content, policy=email.policy.default)
    if not isinstance(message, EmailMessage):
        raise ParseRefused("damaged", "The file is no e-mail message. Save it anew.")
    if sum(1 for _ in message.walk()) > _MAX_PARTS:
        raise ParseRefused("hostile", f"The message has more than {_MAX_PARTS} parts.")
    if _is_web_page(message):
        return _web_page(message)
    attachments: list[Attachment] = []
    bag = PictureBag(_Related(message).open)
    blocks = list(_message(message, 1, attachments, bag))
    return ParsedDocument(
        blocks=tuple(Block(markdown=markdown) for markdown in blocks),
        title=_header(message, "Subject"),
        metadata={"from": _header(message, "From"), "date": _header(message, "Date")},
        members=tuple(Member(path=name, size_bytes=len(data)) for name, data in attachments),
        pictures=bag.pictures,
    )


def open_members(content: bytes) -> Iterator[bytes]:
    """Yield the attachments in the order of the members."""
    message = email.message_from_bytes(content, policy=email.policy.default)
    attachments: list[Attachment] = []
    if not _is_web_page(message):
        # What is attached is found on the way through the texts.
        for _ in _message(message, 1, attachments, PictureBag()):
            pass
    for _, data in attachments:
        yield data


def _is_web_page(message: EmailMessage) -> bool:
    if message.get_content_type() != "multipart/related":
        return False
    return bool(message["Snapshot-Content-Location"]) or not message["To"]


def _web_page(message: EmailMessage) -> ParsedDocument:
    pages = [_text(part) for part in message.walk() if part.get_content_type() == "text/html"]
    if not pages:
        raise ParseRefused("no_text", "The saved page has no page in it. Save it again.")
    bag = PictureBag(_Related(message).open)
    title, markdown = read_page(max(pages, key=len), bag)
    return ParsedDocument(
        blocks=(Block(markdown=markdown),) if markdown else (),
        title=title or _header(message, "Subject"),
        pictures=bag.pictures,
    )


class _Related:
    """Pictures that come with a message, by what its HTML calls them."""

    def __init__(self, message: EmailMessage) -> None:
        self._parts: dict[str, MIMEPart] = {}
        for part in message.walk():
            if part.get_content_maintype() == "image" and isinstance(part, MIMEPart):
                self._parts[f"cid:{_header(part, 'Content-ID').strip('<>')}"] = part
                self._parts[_header(part, "Content-Location")] = part

    def open(self, source: str) -> bytes | None:
        """Return the bytes of a picture; what is not in the message is not fetched."""
        part = self._parts.get(unquote(source) if source[:4] == "cid:" else source)
        payload = None if part is None else part.get_payload(decode=True)
        return payload if isinstance(payload, bytes) else None


def _message(
    message: EmailMessage, depth: int, attachments: list[Attachment], bag: PictureBag
) -> Iterator[str]:
    subject = _header(message, "Subject")
    if subject:
        yield heading(subject, depth)
    fields = [f"- {name}: {value}" for name in _HEADERS if (value := _header(message, name))]
    if fields:
        yield "\n".join(fields)
    body = _body(message, bag)
    if body:
        yield body
    for part in message.iter_attachments():
        if part.get_content_type() == "message/rfc822" and depth < _MAX_DEPTH:
            for inner in part.iter_parts():
                if isinstance(inner, EmailMessage):
                    yield from _message(inner, depth + 1, attachments, bag)
        elif len(attachments) < _MAX_ATTACHMENTS:
            attachments += _attachment(part)


def _attachment(part: MIMEPart) -> Iterator[Attachment]:
    """Yield a file with a name; pictures of the text itself are no attachments."""
    name = (_file_name(part) or "").replace("/", "_").strip()
    belongs_to_text = bool(part["Content-ID"]) and part.get_content_disposition() != "attachment"
    if not name or belongs_to_text:
        return
    payload = part.get_payload(decode=True)
    if isinstance(payload, bytes) and payload:
        yield name, payload


def _file_name(part: MIMEPart) -> str | None:
    try:
        return part.get_filename()
    except (ValueError, IndexError, AttributeError, TypeError, LookupError):
        return None


def _body(message: EmailMessage, bag: PictureBag) -> str:
    """Return the text of a message; HTML is richer, plain text the fallback."""
    try:
        part = message.get_body(preferencelist=("html", "plain"))
    except (AttributeError, KeyError, ValueError):
        part = None
    if part is None:
        return ""
    text = _text(part)
    if part.get_content_type() == "text/html":
        _, markdown = read_page(text, bag)
        if markdown.strip():
            return markdown
        plain = message.get_body(preferencelist=("plain",))
        text = _text(plain) if plain is not None else ""
    return text.strip()


def _text(part: MIMEPart) -> str:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    return decode_text(payload, declared=part.get_content_charset()).text


def _header(message: MIMEPart, name: str) -> str:
    """Return a header as text; broken ones raise all kinds of errors when they are decoded."""
    try:
        return " ".join(str(message[name] or "").split())
    except (ValueError, IndexError, AttributeError, TypeError, LookupError):
        return ""


PARSER = Parser(
    name="mail",
    version="3",
    file_types=frozenset({"eml", "mhtml"}),
    parse=parse_mail,
    label="Own reader",
    open_members=open_members,
)
