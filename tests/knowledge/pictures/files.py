"""Small files with pictures in them."""

from __future__ import annotations

import base64
import io
import zipfile

from PIL import Image, ImageDraw
from pptx import Presentation
from pptx.util import Inches
from xlsxwriter import Workbook  # type: ignore[import-untyped]  # ships no types

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def drawing(words: str = "", *, size: tuple[int, int] = (300, 160), kind: str = "PNG") -> bytes:
    """Return a picture with words on it; other words give other bytes."""
    picture = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(picture)
    pen.ellipse((8, 8, size[0] // 3, size[1] - 8), fill="teal")
    pen.line((0, size[1], size[0], 0), fill="navy", width=5)
    for number in range(0, size[0], 7):  # enough bytes to be no icon
        pen.point((number, (number * number) % size[1]), fill=(number % 255, 40, 90))
    pen.text((20, size[1] // 3), words, "black", font_size=34)
    target = io.BytesIO()
    picture.save(target, kind)
    return target.getvalue()


def data_address(content: bytes, media_type: str = "image/png") -> str:
    """Return the address that holds a picture itself."""
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"


def markdown_file(*pictures: tuple[str, bytes]) -> bytes:
    """Return Markdown with a paragraph before each picture and one behind."""
    lines = ["# Harbour"]
    for words, content in pictures:
        lines += [
            "The lamp at the pier burns all night, from dusk until the sun rises again.",
            f"![{words}]({data_address(content)})",
        ]
    lines.append("Its keeper fills the tank each evening and writes the hour into the book.")
    return "\n\n".join(lines).encode()


def docx_file(content: bytes, *, words: str = "", text: str = "Before the picture.") -> bytes:
    """Return a Word file with a paragraph, a picture, a paragraph."""
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    drawn = (
        f'<w:p><w:r><w:drawing xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
        f'wordprocessingDrawing"><wp:inline><wp:docPr id="1" name="x" descr="{words}"/>'
        '<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData>'
        '<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture">'
        f'<pic:blipFill><a:blip xmlns:r="{relation}" r:embed="p1"/></pic:blipFill></pic:pic>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )
    body = f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>{drawn}"
    if text:
        body += "<w:p><w:r><w:t>Behind it.</w:t></w:r></w:p>"
    return _archive(
        {
            "[Content_Types].xml": "<Types xmlns='http://schemas.openxmlformats.org/package/2006/"
            "content-types'><Default Extension='png' ContentType='image/png'/><Override PartName="
            "'/word/document.xml' ContentType='application/vnd.openxmlformats-officedocument."
            "wordprocessingml.document.main+xml'/></Types>",
            "_rels/.rels": "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/"
            f"relationships'><Relationship Id='r1' Type='{relation}/officeDocument' "
            "Target='word/document.xml'/></Relationships>",
            "word/_rels/document.xml.rels": "<Relationships xmlns='http://schemas.openxmlformats."
            f"org/package/2006/relationships'><Relationship Id='p1' Type='{relation}/image' "
            "Target='media/image1.png'/></Relationships>",
            "word/document.xml": f"<w:document xmlns:w='{WORD}'><w:body>{body}</w:body>"
            "</w:document>",
            "word/media/image1.png": content,
        }
    )


def pptx_file(*slides: bytes) -> bytes:
    """Return slides with a title and a picture each."""
    presentation = Presentation()
    for number, content in enumerate(slides, 1):
        slide = presentation.slides.add_slide(presentation.slide_layouts[5])
        slide.shapes.title.text = f"Slide {number}"
        slide.shapes.add_picture(io.BytesIO(content), Inches(1), Inches(2))
    target = io.BytesIO()
    presentation.save(target)
    return target.getvalue()


def xlsx_file(content: bytes) -> bytes:
    """Return a workbook whose second sheet has a table and a picture."""
    target = io.BytesIO()
    with Workbook(target, {"in_memory": True}) as workbook:
        workbook.add_worksheet("First").write_row(0, 0, ["a", "b"])
        sheet = workbook.add_worksheet("Second")
        sheet.write_row(0, 0, ["lamp", "hours"])
        sheet.write_row(1, 0, ["pier", 11])
        sheet.insert_image("D4", "a.png", {"image_data": io.BytesIO(content)})
    return target.getvalue()


def odt_file(content: bytes, words: str) -> bytes:
    """Return an OpenDocument text with a paragraph that has a picture."""
    names = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for short, name in [
            ("office", "office"),
            ("text", "text"),
            ("draw", "drawing"),
            ("svg", "svg-compatible"),
        ]
    )
    body = (
        f'<office:document-content {names} xmlns:xlink="http://www.w3.org/1999/xlink"><office:body>'
        "<office:text><text:p>Before the picture.</text:p><text:p><draw:frame>"
        f'<draw:image xlink:href="Pictures/1.png"/><svg:desc>{words}</svg:desc></draw:frame>'
        "</text:p></office:text></office:body></office:document-content>"
    )
    return _archive(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": body,
            "Pictures/1.png": content,
        }
    )


def epub_file(content: bytes) -> bytes:
    """Return a book with one chapter that shows a picture of another folder."""
    return _archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:"
            "container'><rootfiles><rootfile full-path='OPS/book.opf'/></rootfiles></container>",
            "OPS/book.opf": "<package xmlns='http://www.idpf.org/2007/opf'><manifest><item id='c' "
            "href='text/one.xhtml' media-type='application/xhtml+xml'/></manifest><spine><itemref "
            "idref='c'/></spine></package>",
            "OPS/text/one.xhtml": "<html><body><h1>One</h1><p>Text of the chapter.</p>"
            "<p><img src='../img/a.png' alt='A lamp'/></p></body></html>",
            "OPS/img/a.png": content,
        }
    )


def mail_file(content: bytes) -> bytes:
    """Return a message whose HTML shows a picture that came with it, and one of another host."""
    encoded = base64.encodebytes(content).decode()
    return (
        "From: a@b.example\r\nTo: c@d.example\r\nSubject: Lamps\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/related; boundary="x"\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n'
        '<p>See the lamp.</p><img src="cid:lamp@b" alt="The lamp">'
        '<img src="https://spy.example/pixel.png" alt="elsewhere">\r\n'
        "--x\r\nContent-Type: image/png\r\nContent-ID: <lamp@b>\r\n"
        f"Content-Transfer-Encoding: base64\r\n\r\n{encoded}\r\n--x--\r\n"
    ).encode()


def pdf_file(
    *pages: bytes, text: str = "The lamp at the pier burns all night until dawn."
) -> bytes:
    """Return a PDF with a line of text above and below a picture (JPEG) on each page."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>", ""]
    kids = []
    streams: dict[int, bytes] = {}
    for content in pages:
        width, height = Image.open(io.BytesIO(content)).size
        first = len(objects) + 1
        lines = (
            f"BT /F1 12 Tf 60 740 Td ({text}) Tj ET\n"
            f"q 300 0 0 160 60 500 cm /P Do Q\n"
            f"BT /F1 12 Tf 60 300 Td (Its keeper fills the tank each evening.) Tj ET"
        ).encode()
        objects += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {first + 1} 0 R/Resources"
            f"<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/XObject<</P "
            f"{first + 2} 0 R>>>>>>",
            f"<</Length {len(lines)}>>",
            f"<</Type/XObject/Subtype/Image/Width {width}/Height {height}/ColorSpace/DeviceRGB"
            f"/BitsPerComponent 8/Filter/DCTDecode/Length {len(content)}>>",
        ]
        streams |= {first + 1: lines, first + 2: content}
        kids.append(f"{first} 0 R")
    objects[1] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>"
    out = b"%PDF-1.4\n"
    for number, text_ in enumerate(objects, 1):
        out += f"{number} 0 obj{text_}".encode()
        if number in streams:
            out += b"\nstream\n" + streams[number] + b"\nendstream\n"
        out += b"endobj\n"
    return out + b"trailer<</Root 1 0 R>>\n"


def _archive(parts: dict[str, str | bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return content.getvalue()
