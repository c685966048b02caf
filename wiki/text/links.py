r"""Links between pages: `[[slug]]`, `[[slug|name]]`, `[[slug#part|name]]`.

In a table the bar may be escaped, as Markdown asks for it there: `[[slug\|name]]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_LINK: Final = re.compile(
    r"\[\[([^\[\]|#\n\\]{1,200})(#[^\[\]|\n\\]{0,200})?(?:\\?\|([^\[\]\n]{0,512}))?\]\]"
)
_CODE: Final = re.compile(
    r"^(?P<fence>[ ]{0,3}(?P<mark>`{3,}|~{3,}))[^\n]*\n.*?(?:^[ ]{0,3}(?P=mark)[`~]*[ \t]*$|\Z)"
    r"|(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link as the text has it."""

    start: int
    end: int
    slug: str
    part: str
    """The heading after `#`, without it; blank when there is none."""
    name: str
    """What is shown; blank: the title of the page."""


def find_links(content: str) -> Iterator[Link]:
    """Yield the links of a text in their order; those in code are none."""
    code = [each.span() for each in _CODE.finditer(content)]
    for found in _LINK.finditer(content):
        if any(start <= found.start() < end for start, end in code):
            continue
        yield Link(
            start=found.start(),
            end=found.end(),
            slug=found[1].strip(),
            part=(found[2] or "")[1:].strip(),
            name=(found[3] or "").strip(),
        )


def slugs_in(content: str) -> list[str]:
    """Return the slugs that a text links to, each once, in the order of their first link."""
    return list(dict.fromkeys(link.slug for link in find_links(content)))


def replace_links(content: str, written: Callable[[Link], str | None]) -> str:
    """Return the text with each link as `written` has it; None leaves it as it is."""
    pieces: list[str] = []
    at = 0
    for link in find_links(content):
        instead = written(link)
        if instead is not None:
            pieces += (content[at : link.start], instead)
            at = link.end
    return "".join((*pieces, content[at:]))


def rename_slugs(content: str, renamed: Mapping[str, str]) -> str:
    """Return the text with links to old slugs pointing to the new ones; names and parts stay."""

    def written(link: Link) -> str | None:
        slug = renamed.get(link.slug)
        if slug is None:
            return None
        return f"[[{slug}{'#' + link.part if link.part else ''}{'|' + link.name if link.name else ''}]]"

    return replace_links(content, written)


def unlink(content: str, slug: str, title: str) -> str:
    """Return the text with links to a page that is gone turned into plain words."""
    return replace_links(content, lambda link: (link.name or title) if link.slug == slug else None)
