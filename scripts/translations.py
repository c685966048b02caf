"""Catalogues of the product's words: `update` collects them from the code, `compile` makes them readable.

`python scripts/translations.py update` adds new words to each `locale/*/LC_MESSAGES/django.po` and takes
out those that no code has any more. `compile` writes the `.mo` files next to them; `make` does it.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "locale"
LANGUAGES = ("zh_Hans", "ja", "ko")
PACKAGES = (
    "core",
    "accounts",
    "providers",
    "knowledge",
    "wiki",
    "sandbox",
    "agents",
    "integrations",
)
CODE = (*PACKAGES, "weknora_site", "templates")
KEYWORDS: dict[str, tuple[int | tuple[int, str], ...] | None] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "_lazy": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}


def collect() -> Catalog:
    """Return every word of the code, with the files it stands in."""
    found = Catalog(fuzzy=False)
    for path in _files():
        name = path.relative_to(ROOT).as_posix()
        for _line, message, comments, context in _messages(path):
            if message and message != ("", ""):
                found.add(message, None, [(name, 0)], auto_comments=comments, context=context)
    return found


def update(language: str) -> Catalog:
    """Bring a language's catalogue up to the code; what it says already stays."""
    path = po_path(language)
    kept = read_catalogue(language) if path.exists() else Catalog(locale=language, fuzzy=False)
    kept.update(collect(), no_fuzzy_matching=True)
    kept.obsolete.clear()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, kept, width=100, sort_output=True, omit_header=False, include_lineno=False)
    return kept


def compile_all() -> None:
    """Write the `.mo` of each catalogue that is newer than its own."""
    for language in LANGUAGES:
        path = po_path(language)
        target = path.with_suffix(".mo")
        if not path.exists() or (
            target.exists() and target.stat().st_mtime_ns >= path.stat().st_mtime_ns
        ):
            continue
        draft = target.with_suffix(f".{os.getpid()}")
        with draft.open("wb") as file:
            write_mo(file, read_catalogue(language))
        draft.replace(target)


def read_catalogue(language: str) -> Catalog:
    """Return what a language's file says."""
    with po_path(language).open("rb") as file:
        return read_po(file, locale=language)


def missing(catalogue: Catalog) -> list[Message]:
    """Return what has no translation yet, or not all of its plural forms."""
    return [each for each in catalogue if each.id and not all(forms_of(each))]


def forms_of(message: Message) -> tuple[str, ...]:
    """Return a translation in all its plural forms; most have one."""
    text = message.string
    return (text or "",) if isinstance(text, str | None) else tuple(text)


def po_path(language: str) -> Path:
    """Return where a language's words stand."""
    return LOCALE / language / "LC_MESSAGES" / "django.po"


def _files() -> Iterator[Path]:
    for folder in CODE:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".html", ".txt"} and "migrations" not in path.parts:
                yield path


def _messages(path: Path) -> Iterator[tuple[int, str | tuple[str, ...], list[str], str | None]]:
    content = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        from django.utils.translation.template import templatize  # noqa: PLC0415  needs settings

        # What is no call is blanked out; without its indentation the rest is read as Python.
        lines = templatize(content, origin=str(path)).splitlines()
        content = "\n".join(line.lstrip() for line in lines)
    yield from extract(
        "python", io.BytesIO(content.encode()), keywords=KEYWORDS, comment_tags=("Translators:",)
    )


def main() -> int:
    """Do what the first argument says."""
    match sys.argv[1:]:
        case ["compile"]:
            compile_all()
        case ["update"]:
            from django.conf import settings  # noqa: PLC0415  only templates need it

            settings.configure(USE_I18N=True)
            for language in LANGUAGES:
                catalogue = update(language)
                print(f"{language}: {len(catalogue)} words, {len(missing(catalogue))} missing")
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
