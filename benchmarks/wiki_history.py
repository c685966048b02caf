"""A public history goes through the wiki: kept, compared, patched and rolled back, byte for byte.

Every revision is imported and read again; the patch between neighbours, and between any two of a
sample, must give the other text, by our code and by `patch`, with no more lines than
`diff --minimal`; every page is rolled back to every revision that it had. Then a page of 2,500 lines
is compared and shown.

    python benchmarks/wiki_history.py [FILE] [--pairs N | --all] [--seed N]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._installation import first_owner, throw_away_installation
from benchmarks._report import finish, no_data, print_table, progress, shared_data
from benchmarks._wiki_history import (
    Found,
    check_patches,
    check_roll_backs,
    check_texts,
    long_pages,
    pairs_of,
    read_history,
    take_in,
)

if TYPE_CHECKING:
    from accounts.access import Actor

NAME = "wiki_history"
LINES = 2_500
MOST_MILLISECONDS = 300
TARGET = f"nothing wrong, {LINES:,} lines compared in < {MOST_MILLISECONDS} ms, shown in as many"
_REPEATS = 5


def measure(path: Path, *, sample: int | None, seed: int) -> int:
    """Run all checks, print them; return the exit code."""
    pages = read_history(path)
    total = sum(map(len, pages.values()))
    progress(f"{total} revisions of {len(pages)} pages")
    with throw_away_installation(models=False):
        from core.tenancy import space_scope  # noqa: PLC0415  after the settings

        actor = first_owner()
        with space_scope(actor.space_id):
            base_id = _wiki(actor)
            began = time.monotonic()
            ids = take_in(actor, base_id, pages)
            progress(f"imported in {time.monotonic() - began:.1f} s")
            texts = check_texts(ids, pages)
            patches = check_patches(list(pairs_of(pages, sample=sample, seed=seed)))
            progress(f"{patches.checked} checks of patches, {len(patches.wrong)} wrong")
            backs = check_roll_backs(actor, ids, pages)
            again = check_texts_after(ids, pages)
            speeds = _speeds(actor, base_id)
    return _report(
        {
            "revisions kept": texts,
            "patches": patches,
            "roll-backs": backs,
            "revisions after them": again,
        },
        speeds,
    )


def check_texts_after(ids: dict[str, UUID], pages: dict[str, list[object]]) -> Found:
    """See that roll-backs left the revisions alone."""
    from wiki.models import WikiRevision  # noqa: PLC0415  after the settings

    found = Found()
    for name, rows in pages.items():
        kept = dict(WikiRevision.objects.filter(page_id=ids[name]).values_list("number", "content"))
        for number, written in enumerate(rows, start=1):
            found.check(kept.get(number) == written.text, f"{name} {number} was changed")  # type: ignore[attr-defined]  # Written
    return found


def _wiki(actor: Actor) -> UUID:
    from knowledge.services.bases import create_base  # noqa: PLC0415  after the settings
    from wiki.services.settings import enable_wiki  # noqa: PLC0415  the same

    base = create_base(actor, name="History")
    enable_wiki(actor, base_id=base.pk)
    return base.pk


def _speeds(actor: Actor, base_id: UUID) -> dict[str, float]:
    """Return the milliseconds that comparing and showing a long page takes, the median of some."""
    from django.contrib.auth import get_user_model  # noqa: PLC0415  after the settings
    from django.test import Client  # noqa: PLC0415  the same
    from django.urls import reverse  # noqa: PLC0415  the same

    from core.textdiff import diff_lines  # noqa: PLC0415  the same
    from wiki.services.history import compare  # noqa: PLC0415  the same
    from wiki.services.pages import create_page, edit_page  # noqa: PLC0415  the same

    old, new = long_pages(LINES)
    made = create_page(
        actor, base_id=base_id, title="Long", kind="concept", content=old, review=False
    )
    assert made.revision is not None
    page = made.revision.page
    edit_page(actor, page.pk, on_version=1, content=new, review=False)
    client = Client(SERVER_NAME="localhost")
    client.force_login(
        get_user_model().objects.get(pk=actor.user_id),
        backend="allauth.account.auth_backends.AuthenticationBackend",
    )
    addresses = {
        "page shown": reverse("wiki_page", args=[base_id, page.slug]),
        "comparison shown": reverse("wiki_compare", args=[base_id, page.pk]) + "?from=1&to=2",
    }
    speeds = {
        "lines compared": _median(lambda: diff_lines(old, new)),
        "revisions compared": _median(lambda: compare(actor, page.pk, old=1, new=2)),
    }
    for name, address in addresses.items():
        answer = client.get(address)
        if answer.status_code != 200:
            raise SystemExit(f"{NAME}: {address} answers {answer.status_code}")
        speeds[name] = _median(lambda address=address: client.get(address))
    return speeds


def _median(task: Callable[[], object]) -> float:
    taken: list[float] = []
    for _ in range(_REPEATS):
        began = time.perf_counter()
        task()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def _report(checks: dict[str, Found], speeds: dict[str, float]) -> int:
    rows = [
        (name, f"{found.checked:,}", len(found.wrong), f"{found.seconds:.1f}")
        for name, found in checks.items()
    ]
    print_table(("what", "checks", "wrong", "seconds"), rows)
    print_table(
        (f"{LINES:,} lines, median", "ms"), [(name, f"{ms:.0f}") for name, ms in speeds.items()]
    )
    wrong = [each for found in checks.values() for each in found.wrong]
    for each in wrong[:50]:
        progress(each)
    slowest = max(speeds, key=lambda name: speeds[name])
    value = f"{len(wrong)} wrong, {slowest} in {speeds[slowest]:.0f} ms"
    met = not wrong and speeds[slowest] < MOST_MILLISECONDS
    return finish(NAME, value, target=TARGET, met=met)


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = shared_data("wiki-history", "revisions.jsonl.gz")
    parser.add_argument("file", nargs="?", type=Path, default=default)
    parser.add_argument("--pairs", type=int, default=3_000, help="of others than neighbours")
    parser.add_argument("--all", action="store_true", help="every pair, in both directions")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if not arguments.file.exists():
        return no_data(NAME, arguments.file)
    sample = None if arguments.all else arguments.pairs
    return measure(arguments.file, sample=sample, seed=arguments.seed)


if __name__ == "__main__":
    sys.exit(main())
