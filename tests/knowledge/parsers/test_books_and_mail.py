"""ODT, EPUB, RTF, e-mail and saved pages."""

from __future__ import annotations

import pytest

from knowledge.parsers.contract import ParseRefused
from knowledge.parsers.epub import parse_epub
from knowledge.parsers.mail import parse_mail
from knowledge.parsers.odf import parse_odf
from knowledge.parsers.rtf import parse_rtf
from tests.knowledge.ingest.hostile import container, odf

# --- RTF -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rtf", "text"),
    [
        (rb"{\rtf1\ansi one\par two\par}", "one\n\ntwo"),
        (rb"{\rtf1\ansi caf\'e9 \u8364? \u-10179?\u-8704?}", "café € 😀"),
        (rb"{\rtf1\ansi{\fonttbl{\f0\fcharset128 MS;}}\f0 \'93\'fa\'96\'7b}", "日本"),
        (rb"{\rtf1\ansi{\fonttbl{\f0\fcharset134 S;}}\f0 \'d6\'d0}", "中"),
        (
            rb"{\rtf1{\stylesheet{\s1 heading 1;}}\pard\s1 Title\par\pard text\par}",
            "# Title\n\ntext",
        ),
        (rb"{\rtf1\pard\outlinelevel1 Part\par}", "## Part"),
        (
            rb"{\rtf1\pard{\pntext\'B7\tab}a\par{\listtext 2.\tab}b\par\pard c\par}",
            "- a\n1. b\n\nc",
        ),
        (
            rb"{\rtf1\trowd\intbl a\cell b\cell\row\trowd\intbl c\cell d\cell\row\pard after\par}",
            "| a | b |\n| --- | --- |\n| c | d |\n\nafter",
        ),
        (rb"{\rtf1{\*\unknown junk}{\pict 0102}{\info{\author X}}text}", "text"),
        (rb"{\rtf1{\field{\*\fldinst HYPERLINK x}{\fldrslt link}} x}", "link x"),
        (rb"{\rtf1 see{\footnote note text\par} end\par}", "see[1] end\n\n[1] note text"),
        (rb"{\rtf1 a\emdash b\~c\_d\{e\}}", "a—b c-d{e}"),
        (rb"{\rtf1 \bin5 \par}}after}", "after"),
    ],
)
def test_rtf_is_written_as_markdown(rtf, text):
    assert parse_rtf(rtf, "a.rtf").text == text


def test_hidden_rtf_text_is_flagged():
    document = parse_rtf(rb"{\rtf1 seen {\v secret} end\par}", "a.rtf")
    assert document.text.split() == ["seen", "end"]
    assert [block.markdown for block in document.blocks if block.hidden] == ["secret"]


def test_the_title_of_rtf_is_in_its_properties():
    assert parse_rtf(rb"{\rtf1{\info{\title My report}{\author x}}text}", "a.rtf").title == (
        "My report"
    )


# --- ODT, ODP ------------------------------------------------------------------------------------

NAMES = " ".join(
    f"xmlns:{name}='OFFICE:{space}:1.0'"
    for name, space in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
        "style": "style",
        "presentation": "presentation",
    }.items()
)


def read_odf(body: str, *, styles: str = "", kind: str = "text") -> list[str]:
    content = (
        f"<office:document-content {NAMES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body>{body}</office:body></office:document-content>"
    )
    return [block.markdown for block in parse_odf(odf(content, kind), "a.odt").blocks]


def test_headings_spaces_and_notes_of_odt():
    assert read_odf(
        "<office:text><text:h text:outline-level='2'>Title</text:h>"
        "<text:p>a<text:s text:c='2'/>b<text:note><text:note-citation>1</text:note-citation>"
        "<text:note-body><text:p>why</text:p></text:note-body></text:note></text:p></office:text>"
    ) == ["## Title", "a  b[1]", "[1] why"]


def test_lists_of_odt_are_nested_and_numbered():
    numbers = (
        "<text:list-style style:name='L1'><text:list-level-style-number text:level='1'/>"
        "</text:list-style>"
    )
    inner = "<text:list><text:list-item><text:p>b</text:p></text:list-item></text:list>"
    assert read_odf(
        "<office:text><text:list text:style-name='L1'><text:list-item><text:p>a</text:p>"
        f"{inner}</text:list-item></text:list></office:text>",
        styles=numbers,
    ) == ["1. a\n  1. b"]


def test_merged_cells_of_odt_are_filled():
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    tall = "<table:table-cell table:number-rows-spanned='2'><text:p>x</text:p></table:table-cell>"
    assert read_odf(
        f"<office:text><table:table><table:table-row>{tall}{cell.format('1')}</table:table-row>"
        f"<table:table-row><table:covered-table-cell/>{cell.format('2')}</table:table-row>"
        "</table:table></office:text>"
    ) == ["| x | 1 |\n| --- | --- |\n| x | 2 |"]


def test_slides_of_odp_are_pages():
    slide = (
        "<draw:page><draw:frame presentation:class='title'><draw:text-box><text:p>T{}</text:p>"
        "</draw:text-box></draw:frame></draw:page>"
    )
    body = f"<office:presentation>{slide.format(1)}{slide.format(2)}</office:presentation>"
    assert read_odf(body, kind="presentation") == ["## T1", "## T2"]


# --- EPUB ----------------------------------------------------------------------------------------


def epub(more: dict[str, str] | None = None) -> bytes:
    package = (
        "<package xmlns='http://www.idpf.org/2007/opf' xmlns:dc='http://purl.org/dc/elements/1.1/'>"
        "<metadata><dc:title>A book</dc:title><dc:creator>Ann</dc:creator></metadata><manifest>"
        "<item id='b' href='b.xhtml' media-type='application/xhtml+xml'/>"
        "<item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>"
        "<item id='n' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/>"
        "</manifest><spine><itemref idref='n'/><itemref idref='a'/><itemref idref='b'/></spine></package>"
    )
    page = "<html xmlns='http://www.w3.org/1999/xhtml'><body>{}</body></html>"
    nav = page.format("<nav><ol><li><a href='b.xhtml#x'>Chapter two</a></li></ol></nav>")
    return container(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'>"
            "<rootfiles><rootfile full-path='OEBPS/p.opf'/></rootfiles></container>",
            "OEBPS/p.opf": package,
            "OEBPS/nav.xhtml": nav,
            "OEBPS/a.xhtml": page.format("<h1>Chapter one</h1><p>first</p>"),
            "OEBPS/b.xhtml": page.format("<p>second</p>"),
            **(more or {}),
        }
    )


def test_chapters_of_epub_follow_the_spine_with_titles_from_the_navigation():
    document = parse_epub(epub(), "a.epub")
    assert [block.markdown for block in document.blocks] == [
        "# Chapter one\n\nfirst",
        "# Chapter two\n\nsecond",
    ]
    assert (document.title, document.metadata["creator"]) == ("A book", "Ann")


def test_a_protected_book_is_refused():
    protected = '<encryption><CipherReference URI="OEBPS/a.xhtml"/></encryption>'
    with pytest.raises(ParseRefused, match="copy-protected") as refusal:
        parse_epub(epub({"META-INF/encryption.xml": protected}), "a.epub")
    assert refusal.value.code == "encrypted"


def test_scrambled_fonts_are_no_protection():
    fonts = '<encryption><CipherReference URI="OEBPS/f.otf"/></encryption>'
    assert parse_epub(epub({"META-INF/encryption.xml": fonts}), "a.epub").blocks


# --- mail ----------------------------------------------------------------------------------------

MULTIPART = (
    "From: Ann <a@example.org>\nTo: b@example.org\nSubject: =?utf-8?B?R3LDvMOfZQ==?=\n"
    "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=X\n\n"
    "--X\nContent-Type: multipart/alternative; boundary=Y\n\n"
    "--Y\nContent-Type: text/plain\n\nplain\n--Y\nContent-Type: text/html; charset=utf-8\n\n"
    "<p>rich <b>text</b></p>\n--Y--\n"
    "--X\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=bill.pdf\n\nx\n"
    "--X\nContent-Type: message/rfc822\n\nFrom: c@example.org\nSubject: Inner\n\ninner body\n--X--\n"
)


def test_a_message_has_headers_the_richer_body_and_inner_messages():
    document = parse_mail(MULTIPART.encode(), "a.eml")
    assert document.title == "Grüße"
    assert [block.markdown for block in document.blocks] == [
        "# Grüße",
        "- From: Ann <a@example.org>\n- To: b@example.org",
        "rich **text**",
        "## Inner",
        "- From: c@example.org",
        "inner body",
    ]
    assert [member.path for member in document.members] == ["bill.pdf"]
    assert document.warnings == ()


def test_broken_headers_do_not_stop_the_reading():
    document = parse_mail(
        b"From: =?x?q?=?= <\xff\nSubject: \xe4\xf6\nDate: never\n\nbody\n", "a.eml"
    )
    assert document.blocks[-1].markdown == "body"


def test_a_message_of_too_many_parts_is_refused():
    parts = "".join("--X\nContent-Type: text/plain\n\nx\n" for _ in range(600))
    content = f"From: a@b\nContent-Type: multipart/mixed; boundary=X\n\n{parts}--X--\n"
    with pytest.raises(ParseRefused) as refusal:
        parse_mail(content.encode(), "a.eml")
    assert refusal.value.code == "hostile"


def test_a_saved_page_is_its_largest_html_part():
    content = (
        "From: <Saved by a browser>\nSubject: Page\nMIME-Version: 1.0\n"
        "Content-Type: multipart/related; type=text/html; boundary=X\n\n"
        "--X\nContent-Type: text/html\n\n<p>ad</p>\n"
        "--X\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n"
        "<html><head><title>Real</title></head><body><p>caf=C3=A9 and more</p></body></html>\n--X--\n"
    )
    document = parse_mail(content.encode(), "a.mhtml")
    assert (document.title, document.text) == ("Real", "café and more")
