"""The browser and the server must write the same HTML, so that an answer does not jump when it is done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import render_to_string

from core.markdown import render_markdown

pytestmark = pytest.mark.browser
SNIPPETS = json.loads(
    (Path(settings.BASE_DIR) / "tests/data/markdown.json").read_text(encoding="utf-8")
)
NORMALISE = """html => {
  const root = document.createElement("div");
  root.innerHTML = html;
  for (const node of root.querySelectorAll("*")) {
    const attributes = [...node.attributes].map(({name, value}) => [name, value]).sort();
    for (const [name] of attributes) node.removeAttribute(name);
    for (const [name, value] of attributes) node.setAttribute(name, value);
  }
  return root.innerHTML.trim();
}"""
RENDER = """async source => {
  const { render } = await import("/static/js/markdown.js");
  const root = document.createElement("div");
  root.append(render(source, { runId: "r1" }));
  return root.innerHTML;
}"""


def test_browser_and_server_agree_on_every_snippet(open_page):
    page = open_page(f"<!doctype html><html lang=en>{render_to_string('shell/_live.html')}")
    assert len(SNIPPETS) >= 60
    different = {}
    for snippet in SNIPPETS:
        server = page.evaluate(NORMALISE, render_markdown(snippet["markdown"], run_id="r1"))
        browser = page.evaluate(NORMALISE, page.evaluate(RENDER, snippet["markdown"]))
        if server != browser:
            different[snippet["name"]] = (server, browser)
    assert different == {}
