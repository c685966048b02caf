"""What `wiki_history.py` and the suite check of a history: texts, patches, roll-backs, speed."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise, permutations
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from core.textpatch import apply_patch, changed_lines, unified_patch

if TYPE_CHECKING:
    from accounts.access import Actor


@dataclass(frozen=True, kw_only=True)
class Written:
    """A revision of the source."""

    page: str
    number: int
    at: datetime
    text: str


@dataclass(kw_only=True)
class Found:
    """What was checked, and what was wrong."""

    checked: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def check(self, holds: bool, told: str) -> None:
        """Count one check."""
        self.checked += 1
        if not holds:
            self.wrong.append(told)


def read_history(path: Path) -> dict[str, list[Written]]:
    """Return the pages of a file with their revisions, oldest first."""
    pages: dict[str, list[Written]] = {}
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as lines:
        for line in lines:
            row = json.loads(line)
            written = Written(
                page=row["page"],
                number=row["revision"],
                at=datetime.fromisoformat(row["date"]),
                text=row["text"],
            )
            pages.setdefault(written.page, []).append(written)
    for rows in pages.values():
        rows.sort(key=lambda each: each.number)
    return pages


def take_in(actor: Actor, base_id: UUID, pages: dict[str, list[Written]]) -> dict[str, UUID]:
    """Import each page with its history; return the pages' ids."""
    from wiki.services.transfer import HistoricRevision, import_history  # noqa: PLC0415

    found: dict[str, UUID] = {}
    for name, rows in pages.items():
        page = import_history(
            actor,
            base_id=base_id,
            slug=f"concept/{name}",
            title=name,
            revisions=[HistoricRevision(content=each.text, written_at=each.at) for each in rows],
        )
        found[name] = page.pk
    return found


def check_texts(ids: dict[str, UUID], pages: dict[str, list[Written]]) -> Found:
    """See that every revision says what the source says, byte for byte, and when."""
    from wiki.models import WikiRevision  # noqa: PLC0415
    from wiki.values import hash_of  # noqa: PLC0415

    found = Found()
    began = time.monotonic()
    for name, rows in pages.items():
        kept = list(WikiRevision.objects.filter(page_id=ids[name]).order_by("number"))
        found.check(len(kept) == len(rows), f"{name}: {len(kept)} of {len(rows)} revisions")
        for revision, written in zip(kept, rows, strict=False):
            same = revision.content.encode() == written.text.encode()
            whole = same and revision.content_hash == hash_of(written.text)
            found.check(whole, f"{name} {written.number}: another text")
            found.check(revision.written_at == written.at, f"{name} {written.number}: another time")
    found.seconds = time.monotonic() - began
    return found


def pairs_of(
    pages: dict[str, list[Written]], *, sample: int | None, seed: int
) -> Iterator[tuple[Written, Written]]:
    """Yield all neighbours, and of all other pairs, in both directions, a sample; None: each."""
    neighbours = [pair for rows in pages.values() for pair in pairwise(rows)]
    yield from neighbours
    others = [pair for rows in pages.values() for pair in permutations(rows, 2)]
    if sample is not None and sample < len(others):
        others = random.Random(seed).sample(others, sample)  # noqa: S311
    yield from others


def check_patches(pairs: Sequence[tuple[Written, Written]], *, others: bool = True) -> Found:
    """See that each patch gives the other text, also by `patch`, and is no longer than it must."""
    found = Found()
    with tempfile.TemporaryDirectory(prefix="wiki-history-") as folder:
        for old, new in pairs:
            told = f"{old.page} {old.number}..{new.number}"
            began = time.monotonic()
            patch = unified_patch(old.text, new.text)
            found.seconds += time.monotonic() - began
            found.check(apply_patch(old.text, patch) == new.text, f"{told}: another text")
            if others and old.text != new.text:
                least = _minimal(Path(folder), old.text, new.text)
                ours = changed_lines(patch)
                found.check(ours <= least, f"{told}: {ours} lines, not {least}")
                by_patch = _patched(Path(folder), patch)
                found.check(by_patch == new.text.encode(), f"{told}: `patch` makes another text")
    return found


def _minimal(folder: Path, old: str, new: str) -> int:
    """Return how many lines `diff --minimal` changes."""
    (folder / "old").write_bytes(old.encode())
    (folder / "new").write_bytes(new.encode())
    command = ["diff", "--minimal", "--text", str(folder / "old"), str(folder / "new")]
    printed = subprocess.run(command, capture_output=True, check=False).stdout  # noqa: S603
    return sum(line.startswith((b"<", b">")) for line in printed.split(b"\n"))


def _patched(folder: Path, patch: str) -> bytes:
    (folder / "patch").write_bytes(patch.encode())
    command = [
        "patch",
        "--binary",
        "--silent",
        "--force",
        str(folder / "old"),
        str(folder / "patch"),
    ]
    subprocess.run(command, capture_output=True, check=False)  # noqa: S603
    return (folder / "old").read_bytes()


def check_roll_backs(actor: Actor, ids: dict[str, UUID], pages: dict[str, list[Written]]) -> Found:
    """Roll each page back to each of its revisions: a new revision with the very text, each time."""
    from wiki.models import WikiPage, WikiRevision  # noqa: PLC0415
    from wiki.services.history import roll_back  # noqa: PLC0415

    found = Found()
    for name, rows in pages.items():
        version = len(rows)
        said = rows[-1].text
        for number, written in enumerate(rows, start=1):
            if written.text == said:
                continue  # nothing to roll back: the page says that
            began = time.monotonic()
            outcome = roll_back(actor, ids[name], number=number, on_version=version, review=False)
            found.seconds += time.monotonic() - began
            version += 1
            said = written.text
            revision = outcome.revision
            holds = (
                revision is not None
                and revision.number == version
                and revision.restored_from == number
                and revision.content.encode() == written.text.encode()
                and WikiPage.objects.get(pk=ids[name]).content == written.text
            )
            found.check(holds, f"{name}: no roll-back to {number}")
        numbers = WikiRevision.objects.filter(page_id=ids[name]).order_by("number")
        chain = list(numbers.values_list("number", flat=True))
        found.check(chain == list(range(1, version + 1)), f"{name}: the chain has gaps")
    return found


def long_pages(lines: int, *, seed: int = 1) -> tuple[str, str]:
    """Return two texts of so many lines that differ in a tenth of them, some added, some gone."""
    chance = random.Random(seed)  # noqa: S311
    words = [
        "tide",
        "harbour",
        "gauge",
        "keel",
        "anchor",
        "pilot",
        "mast",
        "rope",
        "signal",
        "buoy",
        "chart",
        "lamp",
    ]
    old: list[str] = []
    for number in range(lines):
        line = " ".join(chance.choices(words, k=chance.randint(4, 16)))
        if number % 40 == 0:
            old.append(f"## Section {number // 40}")
        elif number % 7 == 0:
            old.append("")
        elif number % 11 == 0:
            old.append(f"| {number} | {line} |")
        else:
            old.append(f"{line} {number}.")
    new: list[str] = []
    for line in old:
        fate = chance.random()
        if fate < 0.06 and line:
            kept = line.split(" ")
            kept[chance.randrange(len(kept))] = "changed"
            new.append(" ".join(kept))
        elif fate < 0.08:
            new += (line, "A line that was not there before.")
        elif fate >= 0.1:
            new.append(line)
    return "\n".join(old) + "\n", "\n".join(new) + "\n"
