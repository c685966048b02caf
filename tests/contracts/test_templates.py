"""Promises that hold for every template: it compiles, it speaks through gettext, it needs no inline code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import engines

ROOT = Path(settings.BASE_DIR)
TEMPLATES = ROOT / "templates"
STATIC = ROOT / "static"
PATHS = sorted(TEMPLATES.rglob("*.html"))
NAMES = [str(path.relative_to(TEMPLATES)) for path in PATHS]
BRAND = re.compile(r"WeKnora Django|WeKnora")
VISIBLE_ATTRIBUTES = re.compile(r'\s(?:aria-label|title|placeholder|alt)="([^"]*)"')


def without_comments(source: str) -> str:
    source = re.sub(r"{% comment %}.*?{% endcomment %}", "", source, flags=re.DOTALL)
    return re.sub(r"{#.*?#}", "", source)


def without_translations(source: str) -> str:
    source = re.sub(
        r"{% blocktrans(?:late)?\b.*?{% endblocktrans(?:late)? %}", "", source, flags=re.DOTALL
    )
    source = re.sub(r"{% block nav_\w+ %}.*?{% endblock %}", "", source)  # an attribute, not text
    return re.sub(r"{%.*?%}|{{.*?}}", "", source, flags=re.DOTALL)


@pytest.fixture(params=PATHS, ids=NAMES)
def source(request) -> str:
    return without_comments(request.param.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_template_compiles(name):
    engines["django"].get_template(name)


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_template_says_what_it_needs(path):
    text = path.read_text(encoding="utf-8")
    takes_nothing = not re.search(r"{{\s*(?!block\.super)\w", without_comments(text))
    assert takes_nothing or "{% comment %}" in text


def test_template_has_no_inline_code(source):
    assert not re.search(r"<script(?![^>]*\ssrc=)", source), "a script without src"
    assert "<style" not in source
    assert not re.search(r"\sstyle=", source), "a style attribute: the policy forbids it"
    assert not re.search(r"<[^>]*\son[a-z]+=", source), "an event attribute"
    assert "javascript:" not in source


def test_template_says_nothing_untranslated(source):
    plain = without_translations(source)
    spoken = re.sub(r"<[^>]*>", " ", plain) + " ".join(VISIBLE_ATTRIBUTES.findall(plain))
    assert not re.search(r"[^\W\d_]{2,}", BRAND.sub("", re.sub(r"&\w+;", " ", spoken))), (
        spoken.split()
    )


def test_icon_only_controls_have_a_name(source):
    controls = re.findall(r"<(?:button|a)\b[^>]*\bbtn-icon\b[^>]*>", source)
    assert [control for control in controls if "aria-label=" not in control] == []


def test_template_uses_icons_of_the_sprite(source):
    (sprite,) = (STATIC / "vendor").glob("lucide-*.svg")
    known = set(re.findall(r'<symbol id="([^"]+)"', sprite.read_text(encoding="utf-8")))
    used = set(re.findall(r"""{% icon ["']([\w-]+)["']""", source))
    used |= set(re.findall(r"""\bicon_name=["']([\w-]+)["']""", source))
    assert used <= known


def test_template_uses_static_files_that_exist(source):
    for name in re.findall(r"""{% static ["']([^"']+)["']""", source):
        assert (STATIC / name).is_file(), name


def test_tables_have_a_caption(source):
    assert source.count("<table") == source.count("<caption")
