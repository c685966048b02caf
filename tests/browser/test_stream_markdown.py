"""Text that arrives in pieces ends as the same HTML as text that arrives at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import render_to_string

pytestmark = pytest.mark.browser
SNIPPETS = json.loads(
    (Path(settings.BASE_DIR) / "tests/data/markdown.json").read_text(encoding="utf-8")
)
LATE_DEFINITIONS = {"reference link", "citation before a reference"}
"""Their definition comes after their use: right only when the server's HTML replaces them."""
STREAM = """async ([pieces, final]) => {
  const { StreamMarkdown } = await import("/static/js/stream-markdown.js");
  const { render } = await import("/static/js/markdown.js");
  const [streamed, whole] = [document.createElement("div"), document.createElement("div")];
  const stream = new StreamMarkdown(streamed, { runId: "r1" });
  for (const piece of pieces) {
    stream.push(piece);
    stream.flush();
  }
  stream.end(final);
  whole.append(render(pieces.join(""), { runId: "r1" }));
  for (const node of streamed.querySelectorAll(".md-in")) {
    node.classList.remove("md-in");
    if (!node.className) node.removeAttribute("class");
  }
  const plain = (root) => root.innerHTML.replace(/\\s+/g, " ").trim();
  return [plain(streamed), plain(whole)];
}"""


@pytest.fixture
def page_with_strings(open_page):
    return open_page(f"<!doctype html><html lang=en>{render_to_string('shell/_live.html')}")


@pytest.mark.parametrize("size", [1, 3, 11])
def test_pieces_of_any_size_end_as_the_whole(page_with_strings, size):
    different = {}
    for snippet in SNIPPETS:
        if snippet["name"] in LATE_DEFINITIONS:
            continue
        source = snippet["markdown"]
        pieces = [source[at : at + size] for at in range(0, len(source), size)]
        streamed, whole = page_with_strings.evaluate(STREAM, [pieces, None])
        if streamed != whole:
            different[snippet["name"]] = (streamed, whole)
    assert different == {}


def test_server_text_replaces_what_was_streamed(page_with_strings):
    final = "<p>Other <strong>text</strong>.</p>"
    streamed, _ = page_with_strings.evaluate(STREAM, [["Some *te", "xt*."], final])
    assert streamed == final


@pytest.mark.parametrize(
    ("half", "healed"),
    [
        ("**bo", "**bo**"),
        ("a **", "a "),
        ("call `f(x", "call `f(x`"),
        ("see [1", "see "),
        ("see [the site](https://exa", "see [the site]"),
        ("![a picture", ""),
        ("```py\nx = '**", "```py\nx = '**"),
        ("done **a** b", "done **a** b"),
    ],
)
def test_half_typed_marks_do_not_flash(page_with_strings, half, healed):
    heal = "async half => (await import('/static/js/stream-markdown.js')).heal(half)"
    assert page_with_strings.evaluate(heal, half) == healed
