"""E-mail (EML) and saved web pages (MHTML): both are MIME messages."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator
from email.message import EmailMessage, MIMEPart

from knowledge.parsers.contract import Block, ParsedDocument, Parser, ParseRefused
from knowledge.parsers.encodings import decode_text
from knowledge.parsers.html import read_page
from knowledge.parsers.markdown_writer import heading

_HEADERS = ("From", "To", "Cc", "Bcc", "Date")
_MAX_DEPTH = 3
_MAX_PARTS = 500
_MAX_ATTACHMENTS = 100


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
    attachments: list[str] = []
    blocks = list(_message(message, 1, attachments))
    warnings = []
    if attachments:
        names = ", ".join(attachments[:10])
        warnings.append(f"Attachments were not read: {names}. Upload them by themselves.")
    return ParsedDocument(
        blocks=tuple(Block(markdown=markdown) for markdown in blocks),
        title=_header(message, "Subject"),
        warnings=tuple(warnings),
        metadata={"from": _header(message, "From"), "date": _header(message, "Date")},
    )


def _is_web_page(message: EmailMessage) -> bool:
    if message.get_content_type() != "multipart/related":
        return False
    return bool(message["Snapshot-Content-Location"]) or not message["To"]


def _web_page(message: EmailMessage) -> ParsedDocument:
    pages = [_text(part) for part in message.walk() if part.get_content_type() == "text/html"]
    if not pages:
        raise ParseRefused("no_text", "The saved page has no page in it. Save it again.")
    title, markdown = read_page(max(pages, key=len))
    return ParsedDocument(
        blocks=(Block(markdown=markdown),) if markdown else (),
        title=title or _header(message, "Subject"),
    )


def _message(message: EmailMessage, depth: int, attachments: list[str]) -> Iterator[str]:
    subject = _header(message, "Subject")
    if subject:
        yield heading(subject, depth)
    fields = [f"- {name}: {value}" for name in _HEADERS if (value := _header(message, name))]
    if fields:
        yield "\n".join(fields)
    body = _body(message)
    if body:
        yield body
    for part in message.iter_attachments():
        if part.get_content_type() == "message/rfc822" and depth < _MAX_DEPTH:
            for inner in part.iter_parts():
                if isinstance(inner, EmailMessage):
                    yield from _message(inner, depth + 1, attachments)
        elif len(attachments) < _MAX_ATTACHMENTS:
            attachments.append(part.get_filename() or part.get_content_type())


def _body(message: EmailMessage) -> str:
    """Return the text of a message; HTML is richer, plain text the fallback."""
    try:
        part = message.get_body(preferencelist=("html", "plain"))
    except (AttributeError, KeyError, ValueError):
        part = None
    if part is None:
        return ""
    text = _text(part)
    if part.get_content_type() == "text/html":
        _, markdown = read_page(text)
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


def _header(message: EmailMessage, name: str) -> str:
    """Return a header as text; broken ones raise all kinds of errors when they are decoded."""
    try:
        return " ".join(str(message[name] or "").split())
    except (ValueError, IndexError, AttributeError, TypeError, LookupError):
        return ""


PARSER = Parser(name="mail", version="1", file_types=frozenset({"eml", "mhtml"}), parse=parse_mail)
