"""Parents: larger stretches of which the chunks that are searched are parts.

They are made from their children, so that a child never goes over the border of its parent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from knowledge.ingest.places import Stretch
from knowledge.ingest.sections import common


def group_children(children: Sequence[Stretch], *, size: int) -> list[list[Stretch]]:
    """Group children that follow one another under parents of at most `size` characters.

    A parent that is long enough ends where another section begins.
    """
    groups: list[list[Stretch]] = []
    for child in children:
        group = groups[-1] if groups else None
        if group and _fits(group, child, size):
            group.append(child)
        else:
            groups.append([child])
    return groups


def parents_of(children: Sequence[Stretch], *, size: int) -> tuple[list[Stretch], list[int | None]]:
    """Return the parents, and of each child the index of its own; None where it is all of it."""
    parents: list[Stretch] = []
    of: list[int | None] = []
    for group in group_children(children, size=size):
        if len(group) == 1:
            of.append(None)
            continue
        of += [len(parents)] * len(group)
        parents.append(_parent(group))
    return parents, of


def _fits(group: Sequence[Stretch], child: Stretch, size: int) -> bool:
    first = group[0]
    length = len(first.prefix) + child.end - first.start + len(child.suffix)
    if length > size:
        return False
    is_new_section = len(common(child.path, first.path)) < len(first.path)
    return not (is_new_section and group[-1].end - first.start >= size // 4)


def _parent(group: Sequence[Stretch]) -> Stretch:
    path = group[0].path
    for child in _distinct(group):
        path = common(path, child.path)
    return Stretch(
        start=group[0].start,
        end=group[-1].end,
        path=path,
        prefix=group[0].prefix,
        suffix=group[-1].suffix,
    )


def _distinct(group: Sequence[Stretch]) -> Iterator[Stretch]:
    before: tuple[str, ...] | None = None
    for child in group:
        if child.path != before:
            yield child
        before = child.path
