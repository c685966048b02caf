"""Pages as files: Markdown with YAML in front, in folders, in a ZIP; out of a wiki and into one.

Nothing of an archive is written to a disk: its names only say which folders pages go to.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any, Final

import yaml
from django.utils.translation import gettext as _

from core.errors import Invalid, Refused, TooLarge
from wiki.constants import MAX_CONTENT, MAX_FOLDER_DEPTH, PageKind, PageStatus
from wiki.models import WikiPage

MOST_FILES: Final = 5_000
MOST_BYTES: Final = 200_000_000
"""Of all files of an archive, unpacked."""
MOST_PAGE_BYTES: Final = 4 * MAX_CONTENT + 100_000
_SUFFIXES: Final = (".md", ".markdown", ".txt")
_FRONT: Final = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_LONGEST_FRONT: Final = 60_000
_UNFIT: Final = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')
_HEADING: Final = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class PageFile:
    """A page as a file has it."""

    name: str
    """Of the file, with the folders before it."""
    title: str
    slug: str
    """Blank: of kind and title."""
    kind: str
    status: str
    summary: str
    aliases: tuple[str, ...]
    folder: str
    """Names joined by "/", at most `MAX_FOLDER_DEPTH`; blank: at the top."""
    content: str


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A file that was left out, and why."""

    name: str
    reason: str


def page_as_markdown(
    page: WikiPage,
    *,
    content: str,
    summary: str,
    sources: Sequence[str],
    written_at: datetime,
) -> str:
    """Return a page as a file; its text, as its reader gets it, follows the front byte for byte.

    `sources` are the names of documents; `written_at` is when that text was published.
    """
    front: dict[str, Any] = {
        "title": page.title,
        "slug": page.slug,
        "kind": str(page.kind),
        "status": str(page.status),
        "summary": summary,
        "aliases": list(page.aliases),
        "folder": page.folder.path if page.folder else "",
        "version": page.version,
        "updated": written_at.astimezone(UTC).isoformat(timespec="seconds"),
        "sources": list(sources),
    }
    kept = {name: value for name, value in front.items() if value not in ("", [])}
    return f"---\n{yaml.safe_dump(kept, allow_unicode=True, sort_keys=False)}---\n{content}"


def file_name_of(page: WikiPage, taken: set[str]) -> str:
    """Return where a page lies in an archive, and add it to those that are taken."""
    kind, _slash, name = page.slug.rpartition("/")
    folder = "/".join(map(fit_name, page.folder.path.split("/"))) + "/" if page.folder else ""
    found = f"{folder}{fit_name(name)}.md"
    if found.casefold() in taken:
        found = f"{folder}{fit_name(name)}--{fit_name(kind)}-{str(page.pk)[:8]}.md"
    taken.add(found.casefold())
    return found


def write_archive(files: Iterator[tuple[str, str]], folders: Sequence[str]) -> IO[bytes]:
    """Return a ZIP of named texts and of folders, open at its beginning."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder in folders:
            archive.writestr("/".join(map(fit_name, folder.split("/"))) + "/", b"")
        for name, text in files:
            archive.writestr(name, text.encode())
    target.seek(0)
    return target


def read_archive(source: IO[bytes]) -> tuple[list[PageFile], list[Problem]]:
    """Return the pages of a ZIP in the order of their names, and what was left out of it.

    Raises:
        Invalid: it is no ZIP.
        TooLarge: it holds too many files, or too much.
        Refused: a name in it leads out of it: whoever made it meant harm.
    """
    try:
        archive = zipfile.ZipFile(source)
    except zipfile.BadZipFile as error:
        raise Invalid(_("The file is no ZIP archive, or a damaged one.")) from error
    with archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(entries) > MOST_FILES:
            raise TooLarge(
                _("The archive holds %(n)s files; at most %(most)s are taken in.")
                % {"n": len(entries), "most": MOST_FILES}
            )
        return _read_entries(archive, sorted(entries, key=lambda each: each.filename))


def read_file(name: str, data: bytes) -> PageFile:
    """Return the page that a single file holds.

    Raises:
        Invalid: it is no Markdown in UTF-8, or what stands in front of it is no YAML.
        TooLarge, Refused: as in `read_archive`.
    """
    parts = _safe_parts(name)
    if not parts[-1].lower().endswith(_SUFFIXES):
        raise Invalid(_("Only Markdown files are taken in (.md)."))
    if len(data) > MOST_PAGE_BYTES:
        raise TooLarge(_("The file is too large for a page."))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(_("The file is not in UTF-8. Save it anew in that encoding.")) from error
    front, content = _split(text)
    return _page_file(parts, front, content)


def _read_entries(
    archive: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo]
) -> tuple[list[PageFile], list[Problem]]:
    pages: list[PageFile] = []
    problems: list[Problem] = []
    total = 0
    for entry in entries:
        _safe_parts(entry.filename)
        try:
            with archive.open(entry) as stream:
                data = stream.read(MOST_PAGE_BYTES + 1)
            total += len(data)
            if total > MOST_BYTES:
                raise TooLarge(
                    _("The archive holds more than %(most)s MB, unpacked.")
                    % {"most": MOST_BYTES // 1_000_000}
                )
            pages.append(read_file(entry.filename, data))
        except (RuntimeError, NotImplementedError, zipfile.BadZipFile, EOFError, OSError):
            reason = _("It cannot be unpacked: it is damaged, or locked with a password.")
            problems.append(Problem(name=entry.filename, reason=reason))
        except (Invalid, TooLarge) as error:
            if total > MOST_BYTES:
                raise
            problems.append(Problem(name=entry.filename, reason=error.message))
    return pages, problems


def _safe_parts(name: str) -> list[str]:
    """Return the parts of a name that stays inside of its archive."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts or ".." in parts or name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
        raise Refused(
            _("The name “%(name)s” in the archive leads out of it: nothing was taken in.")
            % {"name": name[:200]}
        )
    return parts


def _split(text: str) -> tuple[Mapping[str, Any], str]:
    found = _FRONT.match(text)
    if found is None:
        return {}, text
    if len(found[1]) > _LONGEST_FRONT:
        raise Invalid(_("What stands in front of the page, between the lines “---”, is too long."))
    try:
        front = yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Invalid(
            _("What stands in front of the page, between the lines “---”, is no YAML.")
        ) from error
    if not isinstance(front, dict):
        return {}, text  # a line of dashes, and no front
    return front, text[found.end() :]


def _page_file(parts: Sequence[str], front: Mapping[str, Any], content: str) -> PageFile:
    stem = parts[-1].rsplit(".", 1)[0]
    heading = _HEADING.search(content)
    aliases = front.get("aliases")
    folder = _word(front, "folder") if "folder" in front else "/".join(parts[:-1])
    return PageFile(
        name="/".join(parts),
        title=_word(front, "title") or (heading[1] if heading else stem),
        slug=_word(front, "slug"),
        kind=_choice(front, ("kind", "type"), PageKind.values, PageKind.CONCEPT),
        status=_choice(front, ("status",), PageStatus.values, PageStatus.PUBLISHED),
        summary=_word(front, "summary"),
        aliases=tuple(map(str, aliases)) if isinstance(aliases, list) else (),
        folder="/".join(
            [" ".join(each.split()) for each in folder.split("/") if each.strip()][
                :MAX_FOLDER_DEPTH
            ]
        ),
        content=content,
    )


def _word(front: Mapping[str, Any], name: str) -> str:
    value = front.get(name)
    return "" if value is None or isinstance(value, (dict, list)) else str(value)


def _choice(
    front: Mapping[str, Any], names: Sequence[str], known: Sequence[str], otherwise: str
) -> str:
    return next((each for name in names if (each := _word(front, name)) in known), otherwise)


def fit_name(name: str) -> str:
    """Return a name that every file system can keep."""
    return _UNFIT.sub("-", name).strip(". ") or "-"
