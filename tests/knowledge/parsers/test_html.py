from __future__ import annotations

import pytest

from knowledge.parsers.html import parse_html, tidy_fragment


def read(body: str) -> str:
    return parse_html(f"<html><body>{body}</body></html>".encode(), "a.html").text


def test_the_main_part_is_kept_and_the_frame_is_not():
    text = read(
        "<nav>Home</nav><header>Brand</header><main><h1>Title</h1><p>Words of the page.</p></main>"
        "<footer>Imprint</footer>"
    )
    assert text == "# Title\n\nWords of the page."


def test_a_main_part_that_holds_next_to_nothing_is_not_believed():
    assert "All the words" in read(f"<main>x</main><p>{'All the words are here. ' * 20}</p>")


def test_an_article_is_found_in_a_page_without_main():
    article = "<p>" + "This is a long sentence of the article itself. " * 12 + "</p>"
    text = read(f"<nav><a href='/a'>Menu entry</a></nav><div>{article}</div><footer>Legal</footer>")
    assert "sentence of the article" in text
    assert "Menu entry" not in text


def test_a_plain_document_is_kept_whole():
    assert read("<h1>T</h1><p>a</p><ul><li>b</li></ul>") == "# T\n\na\n\n- b"


@pytest.mark.parametrize(
    "hidden",
    [
        "<p style='display: none'>X</p>",
        "<p hidden>X</p>",
        "<script>X</script>",
        "<div aria-hidden='true'>X</div>",
        "<!-- X -->",
        "<template>X</template>",
    ],
)
def test_what_a_reader_does_not_see_is_left_out(hidden):
    assert read(f"<p>seen</p>{hidden}") == "seen"


def test_links_keep_addresses_that_lead_somewhere_and_lose_tool_tips():
    text = read(
        "<p><a href='https://example.org/x' title='tip'>out</a> <a href='/in'>in</a> "
        "<a href='javascript:alert(1)'>bad</a></p>"
    )
    assert text == "[out](https://example.org/x) in bad"


def test_pictures_become_their_description():
    assert read("<p>See <img src='data:image/png;base64,AAAA' alt='a chart'> here</p>") == (
        "See a chart here"
    )


def test_merged_cells_are_filled():
    text = read(
        "<table><tr><th>Year</th><th>Name</th></tr><tr><td rowspan='2'>2024</td><td>a</td></tr>"
        "<tr><td>b</td></tr></table>"
    )
    assert text.splitlines()[2:] == ["| 2024 | a |", "| 2024 | b |"]


def test_a_cell_over_the_whole_width_stays_one():
    text = read(
        "<table><tr><th colspan='3'>Title</th></tr><tr><td>a</td><td>b</td><td>c</td></tr></table>"
    )
    assert text.count("Title") == 1


def test_the_encoding_of_the_page_is_believed():
    page = "<html><head><meta charset='windows-1252'></head><body>15,50 €</body></html>"
    assert parse_html(page.encode("cp1252"), "a.html").text == "15,50 €"


def test_the_title_is_that_of_the_head():
    page = b"<html><head><title> A \n B </title></head><body>x</body></html>"
    assert parse_html(page, "a.html").title == "A B"


def test_nesting_beyond_the_tree_parser_is_still_read():
    assert "deep" in read("<div>" * 400 + "deep" + "</div>" * 400)


def test_a_fragment_keeps_everything():
    assert tidy_fragment("<h2>x</h2><p>y</p>") == "## x\n\ny"
