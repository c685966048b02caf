"""Everything that parsers load lazily, loaded before the first fork.

A child can open no file, so what is not in memory by then does not exist for it.
"""

from __future__ import annotations

import codecs
import contextlib
import encodings.aliases
import gc
import importlib
import io
import time
import zipfile
from pathlib import Path

from cryptography.hazmat.backends import default_backend
from PIL import Image
from pptx import Presentation

from knowledge.ingest.reencode import encode
from knowledge.ingest.render import render_page
from knowledge.ingest.unlock import unlock
from knowledge.parsers.contract import ParseRefused
from knowledge.parsers.registry import engines_by_type

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_THREADS = Path("/proc/self/task")
_THREAD_END_SECONDS = 5.0
_PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R
/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
4 0 obj<</Length 40>>stream
BT /F1 12 Tf 10 100 Td (Sample text) Tj ET
endstream endobj
trailer<</Root 1 0 R>>
"""
_TEXTS = (
    ("Schöne Grüße für später, „süß“ und länger als ein paar Wörter – 15,50 €.\n", "cp1252"),
    ("L'été était très chaud, j'ai acheté un café au lait à côté.\n", "iso-8859-15"),
    ("Привет, это обычный русский текст для проверки.\n", "koi8-r"),
    ("日本語の文章です。漢字とかなが混ざっています。\n", "cp932"),
    ("名前,年齢,住所\n髙橋淳,35,名古屋\n", "cp932"),
    ("中文文档，用于测试编码的识别。\n", "gb18030"),
)
_UNLOCKING = ("format.ooxml", "format.doc97", "format.ppt97", "format.xls97")
_PAGE = """<html><head><title>Sample</title></head><body><nav><a href="/x">x</a></nav>
<p>Some text that is long enough for an article to be found in it, with a second clause.</p>
<table><tr><td rowspan="2">a</td><td>b</td></tr><tr><td>c</td></tr></table></body></html>"""


def warm_parsers() -> None:
    """Import all parsers, look up all codecs and read one small sample of each type."""
    for name in set(encodings.aliases.aliases.values()):
        with contextlib.suppress(LookupError):
            codecs.lookup(name)
    parsers = engines_by_type()
    for file_type, sample in _samples():
        for parser in parsers.get(file_type, ()):
            with contextlib.suppress(ParseRefused):
                parser.parse(sample, f"sample.{file_type}")
    for picture in ("PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP"):
        render_page(_picture(picture), 1)
        encode("", _picture(picture))
    _unlock_samples()
    render_page(_PDF, 1)


def _unlock_samples() -> None:
    """Load what opens files with a password: the formats are loaded when they are met."""
    for name in _UNLOCKING:
        importlib.import_module(f"msoffcrypto.{name}")
    default_backend()
    with contextlib.suppress(ParseRefused):
        unlock(_PDF, "password")


def await_single_thread() -> None:
    """Wait until the threads that libraries started for a sample have ended.

    Raises:
        RuntimeError: one stays; a forked child would not have it and wait for it for ever.
    """
    gc.collect()
    deadline = time.monotonic() + _THREAD_END_SECONDS
    while len(list(_THREADS.iterdir())) > 1:
        if time.monotonic() > deadline:
            raise RuntimeError(
                "A document library keeps a thread running in the parser process; forked children "
                "would wait for it. Find it with `py-spy dump` and give it no thread pool."
            )
        time.sleep(0.01)


def _samples() -> list[tuple[str, bytes]]:
    """Return small documents; texts of two lengths make the statistics load all their tables."""
    return [
        *(("txt", (text * n).encode(encoding)) for text, encoding in _TEXTS for n in (1, 40)),
        ("md", b"# Title\n"),
        ("csv", b"a;b\n1;2\n"),
        ("json", b'{"a": [1]}'),
        ("html", _PAGE.encode()),
        ("eml", b"From: a@b.example\nSubject: =?utf-8?q?x?=\nContent-Type: text/html\n\n<p>x</p>"),
        ("rtf", b"{\\rtf1\\ansi x\\par}"),
        ("pdf", _PDF),
        ("xmind", _archive({"content.json": '[{"rootTopic": {"title": "x"}}]'})),
        ("zip", _archive({"a.txt": "x"})),
        ("docx", _docx()),
        ("pptx", _pptx()),
    ]


def _docx() -> bytes:
    parts = {
        "[Content_Types].xml": "<Types xmlns='http://schemas.openxmlformats.org/package/2006/"
        "content-types'/>",
        "_rels/.rels": "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/"
        "relationships'><Relationship Id='r1' Type='http://schemas.openxmlformats.org/"
        "officeDocument/2006/relationships/officeDocument' Target='word/document.xml'/>"
        "</Relationships>",
        "word/document.xml": f"<w:document xmlns:w='{_WORD}'><w:body><w:p><w:r><w:t>x</w:t></w:r>"
        "</w:p></w:body></w:document>",
    }
    return _archive(parts)


def _archive(parts: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return content.getvalue()


def _picture(kind: str) -> bytes:
    content = io.BytesIO()
    Image.linear_gradient("L").resize((8, 8)).convert("RGB").save(content, kind)
    return content.getvalue()


def _pptx() -> bytes:
    presentation = Presentation()
    presentation.slides.add_slide(presentation.slide_layouts[0])
    content = io.BytesIO()
    presentation.save(content)
    return content.getvalue()
