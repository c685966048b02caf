"""What a permission costs with few and with many restrictions and grants: time and queries.

A viewer who is named by some of them asks for one document (`require`), for a page of documents
(`visible`), and for the passages that a search may find. With 10, 1,000 and 20,000 restrictions, as
many grants to people and to groups, and as many shares of bases, the number of queries must be the
same and the check must stay below its limit.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._report import finish, print_table, progress

if TYPE_CHECKING:
    from accounts.access import Actor
    from accounts.models import Space
    from knowledge.models import Document, KnowledgeBase

NAME = "access_cost"
TARGET = "require under 2 ms, the same queries"
LIMIT_MS = 2.0
SIZES = (10, 1_000, 20_000)
REPEATS = 200
CHECK = "require: view a document"


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one question costs."""

    queries: int
    quiet_ms: float
    """Below which one of five stays: what it costs when nobody else works."""
    median_ms: float
    p95_ms: float


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Who asks about what."""

    actor: Actor
    """A viewer."""
    document: Document
    """One behind a restriction that they pass."""
    base: KnowledgeBase


def measure(sizes: tuple[int, ...], *, repeats: int) -> dict[str, dict[int, Cost]]:
    """Grow one space through the sizes; return the cost of each question at each of them."""
    from core.tenancy import space_scope  # noqa: PLC0415  after the settings

    found: dict[str, dict[int, Cost]] = {}
    growth = Growth()
    for size in sizes:
        subject = growth.to(size)
        progress(f"{size:,} restrictions")
        with space_scope(subject.base.space_id):
            for name, ask in questions_of(subject, growth).items():
                found.setdefault(name, {})[size] = _cost(ask, repeats=repeats)
    return found


def questions_of(subject: Subject, growth: Growth) -> dict[str, Callable[[], object]]:
    """Return what is asked, by name."""
    from accounts.access import require, visible  # noqa: PLC0415  after the settings
    from knowledge.models import Chunk, Document  # noqa: PLC0415  the same

    actor, document = subject.actor, subject.document
    of_base = Document.objects.filter(base=subject.base).order_by("-created_at", "name")
    by_id = Document.objects.filter(pk=document.pk)
    passages = Chunk.objects.filter(document=document)
    return {
        CHECK: lambda: require(actor, "view", document),
        "visible: a page of documents": lambda: list(visible(actor, "view", of_base)[:50]),
        "visible: one document by id": lambda: visible(actor, "view", by_id).first(),
        "visible: passages of a document": lambda: list(visible(actor, "view", passages)),
        "visible: all passages, counted": lambda: visible(
            actor, "view", Chunk.objects.all()
        ).count(),
        "guest of a shared base": lambda: growth.guests_of(subject.base.pk),
    }


def _cost(ask: Callable[[], object], *, repeats: int) -> Cost:
    """Ask again and again; the best fifth tells the cost where others use the machine, too."""
    from django.db import connection  # noqa: PLC0415  after the settings
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415  the same

    for _ in range(5):
        ask()
    with CaptureQueriesContext(connection) as asked:
        ask()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        ask()
        times.append((time.perf_counter() - began) * 1000)
    return Cost(
        queries=len(asked),
        quiet_ms=statistics.quantiles(times, n=5)[0],
        median_ms=statistics.median(times),
        p95_ms=statistics.quantiles(times, n=20)[-1],
    )


class Growth:
    """A space whose restrictions, grants and shares grow, without the services' ceremony."""

    def __init__(self) -> None:
        from django.contrib.auth.models import Group, Permission  # noqa: PLC0415

        from accounts.actors import actor_of  # noqa: PLC0415  after the settings
        from accounts.models import Membership, Organisation, Space, User  # noqa: PLC0415
        from core.tenancy import space_scope  # noqa: PLC0415
        from knowledge.models import KnowledgeBase  # noqa: PLC0415

        self.space: Space = Space.objects.create(name="Cost")
        self.other: Space = Space.objects.create(name="Cost, other")
        self.user = User.objects.create_user("viewer@cost.example")
        self.guest_user = User.objects.create_user("guest@cost.example")
        Membership.objects.create(space=self.space, user=self.user, role="viewer")
        Membership.objects.create(space=self.other, user=self.guest_user, role="viewer")
        self.organisation = Organisation.objects.create(name="Cost", owner_space=self.space)
        for space in (self.space, self.other):
            self.organisation.members.create(member=space, role="editor")
        self.group = Group.objects.create(name="cost")
        self.user.groups.add(self.group)
        self.permission = Permission.objects.get(codename="pass_restriction")
        with space_scope(self.space.pk):
            self.base = KnowledgeBase.objects.create(space=self.space, name="Cost")
        self.actor = actor_of(self.user, space_id=self.space.pk)
        self.count = 0

    def to(self, size: int) -> Subject:
        """Grow to `size` restricted documents: every second names the viewer's group, every fourth them."""
        from django.db import connection  # noqa: PLC0415

        from core.tenancy import space_scope  # noqa: PLC0415  after the settings
        from knowledge import models  # noqa: PLC0415

        others = self._people(20)
        with space_scope(self.space.pk):
            documents = models.Document.objects.bulk_create(
                [self._document(number) for number in range(self.count, size)], batch_size=2000
            )
            models.Chunk.objects.bulk_create(map(self._chunk, documents), batch_size=2000)
            restrictions = models.Restriction.objects.bulk_create(
                [
                    models.Restriction(space=self.space, base=self.base, document=document)
                    for document in documents
                ],
                batch_size=2000,
            )
            models.DocumentWall.objects.bulk_create(
                [
                    models.DocumentWall(
                        space=self.space, document_id=row.document_id, restriction=row
                    )
                    for row in restrictions
                ],
                batch_size=2000,
            )
            models.RestrictionUserGrant.objects.bulk_create(
                [
                    models.RestrictionUserGrant(
                        content_object=row,
                        permission=self.permission,
                        user=self.user if number % 4 == 1 else others[number % len(others)],
                    )
                    for number, row in enumerate(restrictions)
                ],
                batch_size=2000,
            )
            models.RestrictionGroupGrant.objects.bulk_create(
                [
                    models.RestrictionGroupGrant(
                        content_object=row, permission=self.permission, group=self.group
                    )
                    for row in restrictions[::2]
                ],
                batch_size=2000,
            )
            self._share(size - self.count)
        self.count = size
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        return Subject(actor=self.actor, document=documents[0], base=self.base)

    def guests_of(self, base_id: object) -> object:
        """Ask as whom a person of the other space opens a shared base."""
        from accounts.actors import actor_of  # noqa: PLC0415  after the settings
        from accounts.guests import guests_of  # noqa: PLC0415

        guest = actor_of(self.guest_user, space_id=self.other.pk)
        return guests_of(guest, kind="base", object_ids=[base_id])  # type: ignore[list-item]  # a UUID

    def _people(self, count: int) -> list[object]:
        from accounts.models import User  # noqa: PLC0415  after the settings

        return [
            User.objects.get_or_create(email=f"other{number}@cost.example")[0]
            for number in range(count)
        ]

    def _share(self, count: int) -> None:
        from knowledge.models import BaseShare, KnowledgeBase  # noqa: PLC0415  after the settings

        bases = KnowledgeBase.objects.bulk_create(
            [
                KnowledgeBase(space=self.space, name=f"Shared {self.count + number}")
                for number in range(min(count, 2_000))
            ],
            batch_size=2000,
        )
        rows = [self.base] if self.count == 0 else []
        BaseShare.objects.bulk_create(
            [
                BaseShare(space=self.space, base=base, organisation=self.organisation)
                for base in (*rows, *bases)
            ],
            batch_size=2000,
        )

    def _document(self, number: int) -> Document:
        from django.utils import timezone  # noqa: PLC0415  after the settings

        from knowledge.models import Document  # noqa: PLC0415

        return Document(
            space=self.space,
            base=self.base,
            name=f"{number}.txt",
            folder_path=f"f{number % 50}",
            size_bytes=1,
            content_hash=f"{number:064d}",
            state="completed",
            chunk_count=1,
            searchable_at=timezone.now(),
        )

    def _chunk(self, document: Document) -> object:
        from knowledge.models import Chunk  # noqa: PLC0415  after the settings

        return Chunk(
            space=self.space,
            base=self.base,
            document=document,
            document_revision=1,
            position=0,
            text="text",
            content_hash="x",
            char_start=0,
            char_end=4,
        )


def report(found: dict[str, dict[int, Cost]]) -> int:
    """Print the table and the last line."""
    sizes = sorted(next(iter(found.values())))
    rows = []
    for name, costs in found.items():
        for size in sizes:
            cost = costs[size]
            rows.append(
                (
                    name,
                    f"{size:,}",
                    cost.queries,
                    f"{cost.quiet_ms:.2f}",
                    f"{cost.median_ms:.2f}",
                    f"{cost.p95_ms:.2f}",
                )
            )
    print_table(
        ("question", "restrictions", "queries", "best fifth ms", "median ms", "p95 ms"), rows
    )
    same = all(len({cost.queries for cost in costs.values()}) == 1 for costs in found.values())
    checks = found[CHECK]
    worst = max(cost.quiet_ms for cost in checks.values())
    queries = {cost.queries for cost in checks.values()}
    value = (
        f"{worst:.2f} ms at worst, {sorted(queries)} queries,"
        f" {'the same' if same else 'NOT the same'} at every size"
    )
    return finish(NAME, value, target=TARGET, met=same and worst < LIMIT_MS)


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--repeats", type=int, default=REPEATS)
    arguments = parser.parse_args()
    from core.embedded.layout import Layout  # noqa: PLC0415  after the arguments
    from core.embedded.services import embedded_services  # noqa: PLC0415
    from weknora_site.supervisor import image  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="weknora-access-", dir="/var/tmp") as folder:
        environment = {
            "WEKNORA_DATA_DIR": folder,
            "WEKNORA_LOG_LEVEL": "ERROR",
            "DJANGO_SETTINGS_MODULE": "weknora_site.settings",
        }
        os.environ.update(environment)
        with embedded_services(Layout(Path(folder)), durable=False):
            image.load(environment)
            from django.core.management import call_command  # noqa: PLC0415  after the settings

            call_command("migrate", verbosity=0, interactive=False)
            found = measure(tuple(sorted(arguments.sizes)), repeats=arguments.repeats)
    return report(found)


if __name__ == "__main__":
    sys.exit(main())
