from __future__ import annotations

import struct

from knowledge.parsers.msg import open_members, parse_msg
from knowledge.parsers.msg_properties import unpack_rtf
from tests.knowledge.parsers.ole_writer import ole_container

TICKS_OF_2024 = 133_485_408_000_000_000
PACKED_RTF = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232"
    "0af32068656c090020627705b06c647d0a800fa0"
)
"""The example of Microsoft's specification: "{\\rtf1\\ansi\\ansicpg1252\\pard hello world}"."""


def wide(text: str) -> bytes:
    return text.encode("utf-16-le")


def message(more: dict[str, bytes] | None = None) -> bytes:
    properties = bytes(32) + struct.pack("<HHIq", 0x40, 0x0039, 6, TICKS_OF_2024)
    return ole_container(
        {
            "__properties_version1.0": properties,
            "__substg1.0_0037001F": wide("Grüße aus dem Hafen"),
            "__substg1.0_0C1A001F": wide("Ann"),
            "__substg1.0_5D01001F": wide("ann@example.org"),
            "__substg1.0_0E04001F": wide("Bob; Carl"),
            **(more or {"__substg1.0_1000001F": wide("The lamp is lit.")}),
        }
    )


def test_a_message_has_its_headers_and_its_text() -> None:
    document = parse_msg(message(), "a.msg")
    assert document.title == "Grüße aus dem Hafen"
    assert [block.markdown for block in document.blocks] == [
        "# Grüße aus dem Hafen",
        "- From: Ann <ann@example.org>\n- To: Bob; Carl\n- Date: 2024-01-01 00:00+00:00",
        "The lamp is lit.",
    ]


def test_html_is_richer_than_plain_text() -> None:
    html = b"<html><body><p>A <b>bright</b> lamp</p></body></html>"
    document = parse_msg(
        message({"__substg1.0_10130102": html, "__substg1.0_1000001F": wide("plain")}), "a.msg"
    )
    assert document.blocks[-1].markdown == "A **bright** lamp"


def test_packed_rich_text_is_unpacked() -> None:
    assert unpack_rtf(PACKED_RTF).startswith(b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}")
    document = parse_msg(message({"__substg1.0_10090102": PACKED_RTF}), "a.msg")
    assert document.blocks[-1].markdown == "hello world"


def test_attachments_are_members_and_inner_messages_are_read() -> None:
    outer, inner = "__attach_version1.0_#00000000/", "__attach_version1.0_#00000001/"
    embedded = inner + "__substg1.0_3701000D/"
    content = message(
        {
            "__substg1.0_1000001F": wide("See the bill."),
            outer + "__substg1.0_3707001F": wide("bill.pdf"),
            outer + "__substg1.0_37010102": b"%PDF-",
            embedded + "__substg1.0_0037001F": wide("Inner"),
            embedded + "__substg1.0_1000001F": wide("Inner text."),
            embedded + "__attach_version1.0_#00000000/__substg1.0_3704001F": wide("deep/er.txt"),
            embedded + "__attach_version1.0_#00000000/__substg1.0_37010102": b"deep",
        }
    )
    document = parse_msg(content, "a.msg")
    assert [block.markdown for block in document.blocks][-3:] == [
        "See the bill.",
        "## Inner",
        "Inner text.",
    ]
    assert [(member.path, member.size_bytes) for member in document.members] == [
        ("bill.pdf", 5),
        ("deep_er.txt", 4),
    ]
    assert list(open_members(content)) == [b"%PDF-", b"deep"]
