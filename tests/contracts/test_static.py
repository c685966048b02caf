"""Promises of our own style sheets, scripts and vendored files."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest
from django.conf import settings

STATIC = Path(settings.BASE_DIR) / "static"
SHEETS = sorted((STATIC / "css").glob("*.css"))
SCRIPTS = sorted((STATIC / "js").glob("*.js"))
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
PHYSICAL = re.compile(
    r"(?<![\w-])(?:width|height|left|right|top|bottom|min-width|max-width|min-height|max-height"
    r"|(?:margin|padding|border)-(?:left|right|top|bottom)|text-align:\s*(?:left|right))\s*:"
)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def weight(paths: list[Path]) -> int:
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in paths)


def test_style_sheets_stay_under_40_kilobytes():
    assert weight(SHEETS) <= 40 * 1024


def with_imports(name: str) -> set[str]:
    found, waiting = set(), [name]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += re.findall(r"""["(]\./([\w-]+\.js)["']""", read(STATIC / "js" / current))
    return found


@pytest.mark.parametrize("entry", ["chat.js", "composer.js", "upload.js", "morph.js"])
def test_scripts_of_a_page_stay_under_20_kilobytes(entry):
    names = {"theme.js"} | with_imports("app.js") | with_imports(entry)
    assert len(names) > 5
    assert weight([STATIC / "js" / name for name in names]) <= 20 * 1024


def test_every_script_belongs_to_a_page():
    pages = "".join(read(path) for path in (STATIC.parent / "templates").rglob("*.html"))
    entries = set(re.findall(r"js/([\w-]+\.js)", pages))
    assert {path.name for path in SCRIPTS} == set().union(*map(with_imports, entries))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_script_is_a_short_module(path):
    lines = read(path).splitlines()
    assert len(lines) < 200
    assert max(map(len, lines)) <= 140


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_script_takes_texts_and_addresses_from_the_page(path):
    code = COMMENT.sub("", read(path))
    assert "/static/" not in code
    assert not re.search(r"\b(?:textContent|innerText|placeholder)\s*=\s*[\"'`]\w", code)
    assert "eval(" not in code


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.name)
def test_style_sheet_names_colours_only_as_tokens(path):
    if path.name == "tokens.css":
        return
    assert not re.search(r"#[0-9a-f]{3,8}\b|oklch\(|rgba?\(|hsl", COMMENT.sub("", read(path)))


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.name)
def test_style_sheet_mirrors_for_right_to_left(path):
    rules = re.sub(r"@media[^{]*", "", COMMENT.sub("", read(path)))
    assert PHYSICAL.findall(rules) == []
    for sides in re.findall(r"(?:padding|margin):\s*([^;{}]+);", rules):
        _, end, _, start = (sides.split() * 4)[:4] if len(sides.split()) == 4 else [""] * 4
        assert end == start, f"{sides}: write -block and -inline"


def test_tokens_that_are_used_exist():
    tokens = set(re.findall(r"(--[\w-]+)\s*:", "".join(map(read, SHEETS))))
    used = set(re.findall(r"var\((--[\w-]+)", "".join(map(read, SHEETS))))
    assert used <= tokens


def test_vendored_files_are_what_the_manifest_says():
    folder = STATIC / "vendor"
    entries = json.loads(read(folder / "vendor.json"))
    extra = {"vendor.json", "LICENCES.txt"}
    assert {entry["file"] for entry in entries} | extra == {path.name for path in folder.iterdir()}
    for entry in entries:
        assert hashlib.sha256((folder / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]
        assert all(part["licence"] for part in entry["packages"])
