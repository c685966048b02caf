"""Outlook messages (MSG): headers and text; attachments become documents of their own."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from knowledge.parsers.contract import Block, Member, ParsedDocument, Parser, ParseRefused
from knowledge.parsers.encodings import decode_text
from knowledge.parsers.html import read_page
from knowledge.parsers.markdown_writer import heading
from knowledge.parsers.msg_properties import Storage, unpack_rtf
from knowledge.parsers.ole import open_streams
from knowledge.parsers.pictures import PictureBag
from knowledge.parsers.rtf import parse_rtf

_SUBJECT, _BODY, _HTML, _RTF = "0037", "1000", "1013", "1009"
_SENDER, _SENDER_ADDRESS, _SMTP_ADDRESS = "0C1A", "0C1F", "5D01"
_RECIPIENTS = (("To", "0E04"), ("Cc", "0E03"), ("Bcc", "0E02"))
_SENT, _RECEIVED = 0x0039, 0x0E06
_CONTENT, _LONG_NAME, _NAME, _CONTENT_ID = "3701", "3707", "3704", "3712"
_MAX_DEPTH, _MAX_ATTACHMENTS = 3, 100


def parse_msg(content: bytes, _name: str) -> ParsedDocument:
    """Return a message, those that are attached to it below it, and a list of attachments.

    Raises:
        ParseRefused: damaged.
    """
    message = Storage(open_streams(content))
    bag = PictureBag()
    blocks = [Block(markdown=text) for text in _message(message, 1, bag) if text.strip()]
    return ParsedDocument(
        blocks=tuple(blocks),
        title=message.text(_SUBJECT),
        metadata={"from": _sender(message), "date": _date(message)},
        members=tuple(
            Member(path=name, size_bytes=len(data)) for name, data in _attachments(message, 1)
        ),
        pictures=bag.pictures,
    )


def open_members(content: bytes) -> Iterator[bytes]:
    """Yield the attachments in the order of the members.

    Raises:
        ParseRefused: damaged.
    """
    for _, data in _attachments(Storage(open_streams(content)), 1):
        yield data


def _message(message: Storage, depth: int, bag: PictureBag) -> Iterator[str]:
    subject = message.text(_SUBJECT)
    if subject:
        yield heading(subject, depth)
    fields = [("From", _sender(message))]
    fields += [(name, message.text(tag)) for name, tag in _RECIPIENTS]
    fields += [("Date", _date(message))]
    lines = [f"- {name}: {' '.join(value.split())}" for name, value in fields if value.strip()]
    if lines:
        yield "\n".join(lines)
    yield _body(message, bag.with_opened(lambda source: _picture(message, source)))
    for attachment in message.attachments()[:_MAX_ATTACHMENTS]:
        inner = attachment.embedded()
        if inner is not None and depth < _MAX_DEPTH:
            yield from _message(inner, depth + 1, bag)


def _picture(message: Storage, source: str) -> bytes | None:
    """Return the attachment that the text shows in its midst."""
    wanted = unquote(source).removeprefix("cid:")
    for attachment in message.attachments()[:_MAX_ATTACHMENTS] if source[:4] == "cid:" else ():
        if attachment.text(_CONTENT_ID).strip("<>") == wanted:
            return attachment.binary(_CONTENT)
    return None


def _body(message: Storage, bag: PictureBag) -> str:
    """HTML is the richest, then packed rich text, then plain text."""
    html = message.binary(_HTML)
    page = decode_text(html).text if html else message.text(_HTML)
    if page.strip():
        _, markdown = read_page(page, bag)
        if markdown.strip():
            return markdown
    plain = message.text(_BODY).strip()
    if plain:
        return plain
    rtf = unpack_rtf(message.binary(_RTF))
    if not rtf:
        return ""
    try:
        return parse_rtf(rtf, "body.rtf").text
    except ParseRefused:
        return ""


def _attachments(message: Storage, depth: int) -> Iterator[tuple[str, bytes]]:
    for attachment in message.attachments()[:_MAX_ATTACHMENTS]:
        inner = attachment.embedded()
        if inner is not None:
            if depth < _MAX_DEPTH:
                yield from _attachments(inner, depth + 1)
            continue
        data = attachment.binary(_CONTENT)
        name = (attachment.text(_LONG_NAME) or attachment.text(_NAME)).replace("/", "_").strip()
        if data and name:
            yield name, data


def _sender(message: Storage) -> str:
    name = message.text(_SENDER)
    address = message.text(_SMTP_ADDRESS) or message.text(_SENDER_ADDRESS)
    # Addresses inside of an organisation are long paths that nobody reads.
    if "@" not in address or address == name:
        return name
    return f"{name} <{address}>" if name else address


def _date(message: Storage) -> str:
    return message.time(_SENT) or message.time(_RECEIVED)


PARSER = Parser(
    name="msg",
    version="2",
    file_types=frozenset({"msg"}),
    parse=parse_msg,
    label="Own reader",
    open_members=open_members,
)
