"""Files that attack their reader, made on the spot: small to send, huge or endless to read."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable

from knowledge.parsers.containers import OLE_MAGIC

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
CONTENT_TYPES = (
    "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'>"
    "<Default Extension='rels' ContentType='application/vnd.openxmlformats-package.relationships+xml'/>"
    "<Override PartName='/{part}' ContentType='application/vnd.openxmlformats-officedocument.{kind}"
    ".main+xml'/></Types>"
)


def container(parts: dict[str, str | bytes], *, level: int = 9) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return content.getvalue()


def docx(
    body: str | bytes = "", *, prolog: str = "", more: dict[str, str | bytes] | None = None
) -> bytes:
    text = body.encode() if isinstance(body, str) else body
    document = (
        f"<?xml version='1.0'?>{prolog}<w:document xmlns:w='{WORD}'><w:body>".encode()
        + text
        + b"</w:body></w:document>"
    )
    main = "word/document.xml"
    relation = (
        f"<Relationships xmlns='{RELATIONS}'><Relationship Id='r1' "
        f"Type='{OFFICE_RELATIONS}/officeDocument' Target='{main}'/></Relationships>"
    )
    return container(
        {
            "[Content_Types].xml": CONTENT_TYPES.format(
                part=main, kind="wordprocessingml.document"
            ),
            "_rels/.rels": relation,
            main: document,
            **(more or {}),
        }
    )


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def xlsx(sheet_data: str | bytes, *, head: str = "", tail: str = "") -> bytes:
    rows = sheet_data.encode() if isinstance(sheet_data, str) else sheet_data
    sheet = (
        f"<worksheet xmlns='{SHEET}'>{head}<sheetData>".encode()
        + rows
        + f"</sheetData>{tail}</worksheet>".encode()
    )
    book = (
        f"<workbook xmlns='{SHEET}' xmlns:r='{OFFICE_RELATIONS}'><sheets>"
        "<sheet name='Data' sheetId='1' r:id='r1'/></sheets></workbook>"
    )
    return container(
        {
            "[Content_Types].xml": CONTENT_TYPES.format(
                part="xl/workbook.xml", kind="spreadsheetml.sheet"
            ),
            "_rels/.rels": f"<Relationships xmlns='{RELATIONS}'><Relationship Id='r1' "
            f"Type='{OFFICE_RELATIONS}/officeDocument' Target='xl/workbook.xml'/></Relationships>",
            "xl/workbook.xml": book,
            "xl/_rels/workbook.xml.rels": f"<Relationships xmlns='{RELATIONS}'><Relationship "
            f"Id='r1' Type='{OFFICE_RELATIONS}/worksheet' Target='worksheets/sheet1.xml'/>"
            "</Relationships>",
            "xl/worksheets/sheet1.xml": sheet,
        },
        level=1,
    )


def odf(content: str, kind: str = "text") -> bytes:
    office = "urn:oasis:names:tc:opendocument:xmlns"
    return container(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<?xml version='1.0'?>{content}".replace("OFFICE", office),
        }
    )


def pdf(objects: list[bytes], *, trailer: bytes = b"") -> bytes:
    content, offsets = b"%PDF-1.5\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return (
        content
        + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        + table
        + b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF"
        % (len(objects) + 1, trailer, len(content))
    )


FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
PAGE = (
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 5 0 R>>>>"
    b"/Contents 4 0 R>>"
)
CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"


def stream(data: bytes, extra: bytes = b"") -> bytes:
    return b"<</Length %d%s>>stream\n" % (len(data), extra) + data + b"\nendstream"


def one_page(text: bytes) -> bytes:
    return pdf([CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 1>>", PAGE, stream(text), FONT])


def flate_bomb() -> bytes:
    raw = b"BT /F1 12 Tf 1 0 0 1 10 700 Tm (hello world) Tj ET\n" * (1 << 21)
    packed = zlib.compress(zlib.compress(raw, 1), 9)
    page_stream = stream(packed, b"/Filter[/FlateDecode/FlateDecode]")
    return pdf([CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 1>>", PAGE, page_stream, FONT])


def page_loop() -> bytes:
    return pdf([CATALOG, b"<</Type/Pages/Kids[3 0 R 2 0 R]/Count 999999999>>", PAGE])


def many_pages() -> bytes:
    kids = b"<</Type/Pages/Kids[" + b"3 0 R " * 300_000 + b"]/Count 300000>>"
    return pdf([CATALOG, kids, PAGE, stream(b"BT /F1 12 Tf 10 700 Td (hello) Tj ET"), FONT])


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


LAUGHS = (
    "<!DOCTYPE lolz [<!ENTITY a0 'lollollollollol'>"
    + "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10))
    + "]>"
)
XXE = "<!DOCTYPE x [<!ENTITY xxe SYSTEM 'file:///etc/passwd'>]>"
ODT_BODY = (
    "<office:document-content xmlns:office='OFFICE:office:1.0' xmlns:text='OFFICE:text:1.0'>"
    "<office:body><office:text><text:p>{}</text:p></office:text></office:body>"
    "</office:document-content>"
)
ODS_BODY = (
    "<office:document-content xmlns:office='OFFICE:office:1.0' xmlns:text='OFFICE:text:1.0' "
    "xmlns:table='OFFICE:table:1.0'><office:body><office:spreadsheet><table:table table:name='A'>"
    "<table:table-row table:number-rows-repeated='1000000'><table:table-cell "
    "table:number-columns-repeated='16000' office:value-type='string'><text:p>x</text:p>"
    "</table:table-cell></table:table-row></table:table></office:spreadsheet></office:body>"
    "</office:document-content>"
)


def mail_in_mail() -> bytes:
    body = "Content-Type: text/plain\n\ninner"
    for number in range(300):
        body = f"Content-Type: multipart/mixed; boundary=b{number}\n\n--b{number}\n{body}\n--b{number}--\n"
    return f"From: a@example.org\nSubject: deep\n{body}".encode()


def deep_docx_table() -> bytes:
    depth = 3_000
    return docx("<w:tbl><w:tr><w:tc>" * depth + paragraph("x") + "</w:tc></w:tr></w:tbl>" * depth)


def rows_to_column_zz() -> bytes:
    rows = b"".join(
        b"<row r='%d'><c r='A%d'><v>1</v></c><c r='ZZ%d'><v>2</v></c></row>" % (n, n, n)
        for n in range(1, 200_000)
    )
    return xlsx(rows.replace(b"'", b'"'))


def lone_corner_cell() -> bytes:
    return xlsx(
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>9</v></c></row>'
    )


def shared_font_page(count: int) -> bytes:
    """A page of very many text objects."""
    return one_page(b"BT /F1 1 Tf " + b"1 0 0 1 9 9 Tm (x) Tj " * count + b"ET")


def million_objects() -> bytes:
    """A PDF of one page and a million objects that nobody needs."""
    useless = b"".join(b"%d 0 obj<<>>endobj\n" % number for number in range(10, 1_000_010))
    return one_page(b"BT /F1 12 Tf 9 9 Td (still here) Tj ET").replace(
        b"trailer", useless + b"trailer", 1
    )


def many_sheets(count: int) -> bytes:
    """A workbook that names `count` sheets, all of them one part."""
    sheets = "".join(
        f'<sheet name="s{number}" sheetId="{number}" r:id="r1"/>' for number in range(1, count + 1)
    )
    workbook = f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE_RELATIONS}"><sheets>{sheets}</sheets>'
    with zipfile.ZipFile(io.BytesIO(xlsx('<row r="1"><c r="A1"><v>1</v></c></row>'))) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    return container(parts | {"xl/workbook.xml": workbook + "</workbook>"})


def archive_with_link() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        link = zipfile.ZipInfo("passwd.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return content.getvalue()


HOSTILE: dict[str, Callable[[], bytes]] = {
    "objects-million.pdf": million_objects,
    "sheets.xlsx": lambda: many_sheets(100_000),
    "bomb.zip": lambda: container({f"{n}.txt": bytes(50_000_000) for n in range(11)}),
    "climbing.zip": lambda: container({"../../etc/cron.d/x": "x"}),
    "members.zip": lambda: container({f"{number}.txt": "x" for number in range(10_001)}),
    "link.zip": archive_with_link,
    "pixels.gif": lambda: b"GIF89a" + b"\xff\xff\xff\xff" + bytes(20),
    "pixels.webp": lambda: b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + b"\xff" * 6 + bytes(20),
    "laughs.xmind": lambda: container(
        {"content.xml": LAUGHS + "<x>&a9;</x>", "styles.xml": "<x/>"}
    ),
    "deep.xmind": lambda: container(
        {"content.json": "[" * 200_000 + "]" * 200_000, "metadata.json": "{}"}
    ),
    "noise.doc": lambda: OLE_MAGIC + bytes(range(256)) * 40 + "WordDocument".encode("utf-16-le"),
    "bomb.docx": lambda: docx(b"<w:p><w:r><w:t>" + b"A" * 150_000_000 + b"</w:t></w:r></w:p>"),
    "laughs.docx": lambda: docx(paragraph("&a9;"), prolog=LAUGHS),
    "xxe.docx": lambda: docx(paragraph("&xxe;"), prolog=XXE),
    "late-doctype.docx": lambda: docx(
        paragraph("&xxe;"), prolog="<!--" + " " * 2_000_000 + "-->" + XXE
    ),
    "climbing.docx": lambda: docx(paragraph("x"), more={"../../etc/cron.d/x": "x"}),
    "members.docx": lambda: docx(
        paragraph("x"), more={f"word/media/{number}.txt": "" for number in range(10_001)}
    ),
    "deep-tables.docx": deep_docx_table,
    "laughs.odt": lambda: odf(LAUGHS + ODT_BODY.format("&a9;")),
    "xxe.odt": lambda: odf(XXE + ODT_BODY.format("&xxe;")),
    "repeats.ods": lambda: odf(ODS_BODY, "spreadsheet"),
    "corner.xlsx": lone_corner_cell,
    "wide-rows.xlsx": rows_to_column_zz,
    "merged.xlsx": lambda: xlsx(
        '<row r="1"><c r="A1"><v>1</v></c><c r="B2"><v>1</v></c></row>',
        tail="<mergeCells>" + '<mergeCell ref="A1:XFD1048576"/>' * 100_001 + "</mergeCells>",
    ),
    "flate.pdf": flate_bomb,
    "loop.pdf": page_loop,
    "pages.pdf": many_pages,
    "objects.pdf": lambda: shared_font_page(60_000),
    "cut-off.pdf": lambda: one_page(b"BT /F1 12 Tf (x) Tj ET")[:150],
    "huge.png": lambda: png(60_000, 60_000),
    "deep.html": lambda: b"<div>" * 200_000 + b"deep text" + b"</div>" * 200_000,
    "tables.html": lambda: b"<table><tr><td>" * 5_000 + b"x" + b"</td></tr></table>" * 5_000,
    "spans.html": lambda: b"<table>" + b"<tr><td rowspan=60000 colspan=60000>x</td></tr>" * 500,
    "open-tags.html": lambda: b"<" * 1_000_000,
    "long-line.html": lambda: b"<p>" + b"word " * 4_000_000 + b"</p>",
    "deep.json": lambda: b"[" * 200_000 + b"]" * 200_000,
    "quotes.json": lambda: b'["' + b'\\"' * 2_000_000,
    "deep.rtf": lambda: b"{\\rtf1 " + b"{" * 300_000 + b"x" + b"}" * 300_000 + b"}",
    "unclosed.csv": lambda: b'a,b\n"' + b"a" * 5_000_000,
    "columns.csv": lambda: b"," * 3_000_000,
    "deep.eml": mail_in_mail,
    "brackets.md": lambda: b"[" * 2_000_000,
    "spaces.md": lambda: b"# " + b" " * 2_000_000 + b"x",
    "comments.md": lambda: b"<!--" * 500_000,
    "fences.md": lambda: b"```\n" * 200_000,
}
