from __future__ import annotations

import io
import json
import stat
import zipfile

import pytest

from knowledge.parsers.archive import open_members, parse_archive
from knowledge.parsers.contract import ParseRefused
from knowledge.parsers.xmind import parse_xmind
from tests.knowledge.ingest.hostile import container


def test_files_are_members_and_rubbish_is_left_out() -> None:
    content = container(
        {
            "a.txt": "one",
            "folder/b.md": "two",
            "__MACOSX/folder/._b.md": "x",
            "folder/.DS_Store": "x",
            "folder/empty.txt": "",
        }
    )
    document = parse_archive(content, "x.zip")
    assert [(member.path, member.size_bytes) for member in document.members] == [
        ("a.txt", 3),
        ("folder/b.md", 3),
    ]
    assert document.text == "- a.txt\n- folder/b.md"
    assert list(open_members(content)) == [b"one", b"two"]


def test_a_link_to_elsewhere_is_no_file() -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        link = zipfile.ZipInfo("passwd")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("a.txt", "one")
    document = parse_archive(content.getvalue(), "x.zip")
    assert [member.path for member in document.members] == ["a.txt"]
    assert "1 links" in document.warnings[0]


def test_names_of_other_machines_are_read() -> None:
    content = container({"placeholder": "x"}).replace(
        b"placeholder", "合同.txt".encode("gb18030")[:8].ljust(11, b"t")
    )
    assert parse_archive(content, "x.zip").members[0].path.startswith("合同")


def test_an_archive_of_nothing_is_refused() -> None:
    with pytest.raises(ParseRefused) as refusal:
        parse_archive(container({"folder/": ""}), "x.zip")
    assert refusal.value.code == "no_text"


MAP = {
    "title": "Sheet",
    "rootTopic": {
        "title": "Harbour",
        "children": {
            "attached": [
                {
                    "title": "Berths",
                    "notes": {"plain": {"content": "Ask\nfirst."}},
                    "children": {
                        "attached": [
                            {"title": "North", "labels": ["deep"]},
                            {"title": "Chart", "href": "https://harbour.example"},
                        ]
                    },
                },
                {"title": "Alone"},
            ]
        },
    },
}
EXPECTED_MAP = [
    "# Harbour",
    "## Berths",
    "- Note: Ask first.\n- North\n  - Labels: deep\n- [Chart](https://harbour.example)",
    "- Alone",
]


def test_a_mind_map_becomes_headings_and_lists() -> None:
    content = container({"content.json": json.dumps([MAP]), "metadata.json": "{}"})
    document = parse_xmind(content, "a.xmind")
    assert [block.markdown for block in document.blocks] == EXPECTED_MAP


def test_an_old_mind_map_reads_the_same() -> None:
    xml = (
        '<xmap-content xmlns="urn:xmind:xmap:xmlns:content:2.0" '
        'xmlns:xlink="http://www.w3.org/1999/xlink"><sheet><topic><title>Harbour</title><children>'
        '<topics type="attached"><topic><title>Berths</title><notes><plain>Ask first.</plain>'
        '</notes><children><topics type="attached"><topic><title>North</title><labels>'
        "<label>deep</label></labels></topic><topic "
        'xlink:href="https://harbour.example"><title>Chart</title></topic></topics></children>'
        "</topic><topic><title>Alone</title></topic></topics></children></topic></sheet>"
        "</xmap-content>"
    )
    content = container({"content.xml": xml, "styles.xml": "<x/>"})
    assert [block.markdown for block in parse_xmind(content, "a").blocks] == EXPECTED_MAP
