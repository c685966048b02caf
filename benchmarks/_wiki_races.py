"""One random interleaving over a wiki, and the promises that must hold after it.

Threads edit, propose, approve, reject, merge, rename, roll back, delete, bring back and move, all at
once, over the product's own services and a real PostgreSQL. Used by `wiki_races.py` and by the suite.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from unittest.mock import patch
from uuid import UUID

from celery import current_app
from django.db import connections

from accounts.access import Actor
from accounts.constants import Role
from accounts.models import Membership, Space, User
from core.errors import ProjectError
from core.tenancy import space_scope
from knowledge.models import KnowledgeBase
from wiki.changes.deciding import publish_change, review_change
from wiki.changes.rebasing import needs_rebase, plan_rebase, rebase_change
from wiki.constants import (
    OPEN_CHANGE_STATES,
    AuthorKind,
    ChangeState,
    ReviewMode,
    Verdict,
)
from wiki.models import WikiChange, WikiFolder, WikiPage, WikiSettings
from wiki.pages.authors import agent_of
from wiki.services.folders import create_folder, delete_folder, move_folder, rename_folder
from wiki.services.history import roll_back
from wiki.services.pages import (
    create_page,
    delete_page,
    edit_page,
    move_page,
    rename_page,
    restore_page,
)
from wiki.values import VersionConflict, hash_of

LONGEST_PAUSE_SECONDS = 0.004
PAGES = 3
TRIES = 12
Action = Callable[["Races", "Case"], None]


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """An edit that was published at once."""

    page_id: UUID
    number: int
    seen_hash: str
    """Of the text that its author saw."""
    text: str


@dataclass
class Case:
    """A wiki with some pages that link to each other, and what was done to it."""

    base: KnowledgeBase
    page_ids: list[UUID] = field(default_factory=list)
    accepted: list[Accepted] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)
    actions: list[str] = field(default_factory=list)
    surprises: list[str] = field(default_factory=list)
    """Exceptions that no promise allows: deadlocks, broken rows."""


@dataclass
class Races:
    """A space with people and threads, in which cases are played one after the other."""

    space: Space
    people: tuple[User, ...]
    proposer: User
    pool: ThreadPoolExecutor
    chance: random.Random
    counts: Counter[str] = field(default_factory=Counter)
    numbers: Iterator[int] = field(default_factory=count)

    def admin(self) -> Actor:
        """Return one of those who may publish."""
        return self._actor(random.choice(self.people), Role.ADMIN)  # noqa: S311

    def viewer(self) -> Actor:
        """Return who may only propose."""
        return self._actor(self.proposer, Role.VIEWER)

    def _actor(self, user: User, role: Role) -> Actor:
        return Actor(
            kind="user", id=str(user.pk), user_id=user.pk, space_id=self.space.pk, role=role
        )

    def play(self) -> list[str]:
        """Play one case; return which promises it broke."""
        from benchmarks._wiki_promises import broken_promises  # noqa: PLC0415  needs Case

        with space_scope(self.space.pk):
            case = self._begin()
            actions = self._choose()
            case.actions = [name for name, _ in actions]
            wait([self.pool.submit(self._act, case, action) for _, action in actions])
            broken = broken_promises(case)
            self._count(case)
            case.base.delete()
        return [f"{'+'.join(case.actions)}: {each}" for each in broken]

    def _begin(self) -> Case:
        number = next(self.numbers)
        base = KnowledgeBase.objects.create(space=self.space, name=f"Race {number}")
        mode = self.chance.choice([ReviewMode.OPEN, ReviewMode.AGENTS, ReviewMode.ALL])
        WikiSettings.objects.create(space=self.space, base=base, review=mode)
        case = Case(base=base)
        slugs = [f"concept/page-{each}" for each in range(PAGES)]
        for slug in slugs:
            links = " ".join(f"[[{each}]] [[{each}|name]]" for each in slugs if each != slug)
            made = create_page(
                self.admin(),
                base_id=base.pk,
                title=slug[-6:],
                kind="concept",
                slug=slug,
                content=f"# Head\n\nFirst line.\n\nSee {links}.\n\nLast line.\n",
                review=False,
            )
            assert made.revision is not None
            case.page_ids.append(made.revision.page_id)
        for _ in range(2):
            _Actions.proposes(self, case)
        return case

    def _choose(self) -> list[tuple[str, Action]]:
        names = self.chance.choices(
            list(_WEIGHTS), weights=list(_WEIGHTS.values()), k=self.chance.randint(3, 6)
        )
        names += [name for name in names if name == "double click"]
        return [(name, _ACTIONS[name]) for name in names]

    def _act(self, case: Case, action: Action) -> None:
        time.sleep(random.uniform(0, LONGEST_PAUSE_SECONDS))  # noqa: S311  an interleaving
        with space_scope(self.space.pk):
            try:
                action(self, case)
            except ProjectError as refusal:
                case.refusals[refusal.code] += 1
            except Exception as error:  # noqa: BLE001  told as a broken promise
                case.surprises.append(f"{type(error).__name__}: {error}")

    def _count(self, case: Case) -> None:
        self.counts.update(case.actions)
        self.counts["edits published at once"] += len(case.accepted)
        self.counts["refused for a stated reason"] += sum(case.refusals.values())
        for state in WikiChange.objects.filter(base=case.base).values_list("state", flat=True):
            self.counts[f"→ {state}"] += 1


def _page(case: Case) -> WikiPage:
    return WikiPage.objects.get(pk=random.choice(case.page_ids))  # noqa: S311


def _change(case: Case) -> WikiChange | None:
    rows = list(WikiChange.objects.filter(base=case.base, state__in=OPEN_CHANGE_STATES))
    return random.choice(rows) if rows else None  # noqa: S311


def _added(content: str, word: str) -> str:
    """Return the text with a new line in one of three places."""
    place = random.choice(["First line.", "Last line.", "# Head"])  # noqa: S311
    return content.replace(place, f"{place}\n\n{word}", 1)


class _Actions:
    """What threads do to a wiki. Names are those of the table."""

    @staticmethod
    def edits(races: Races, case: Case) -> None:
        """Add a line, again on the newer version each time that somebody was faster."""
        word = f"Edit {next(races.numbers)}."
        actor = races.admin()
        for _ in range(TRIES):
            page = _page(case)
            text = _added(page.content, word)
            try:
                outcome = edit_page(actor, page.pk, on_version=page.version, content=text)
            except VersionConflict:
                case.refusals["version"] += 1
                continue
            if outcome.revision is not None:
                case.accepted.append(
                    Accepted(
                        page_id=page.pk,
                        number=outcome.revision.number,
                        seen_hash=hash_of(page.content),
                        text=text,
                    )
                )
            return

    @staticmethod
    def proposes(races: Races, case: Case) -> None:
        """Propose a line, as an agent or as somebody who may not publish."""
        page = _page(case)
        text = _added(page.content, f"Proposal {next(races.numbers)}.")
        if random.random() < 0.5:  # noqa: S311
            edit_page(races.viewer(), page.pk, on_version=page.version, content=text)
            return
        actor = races.admin()
        author = agent_of(actor, agent_id=None, run_id=UUID(int=next(races.numbers)))
        assert author.kind == AuthorKind.AGENT
        edit_page(actor, page.pk, on_version=page.version, content=text, author=author, review=True)

    @staticmethod
    def approves(races: Races, case: Case) -> None:
        """Approve and publish; merge first where the page moved on."""
        change = _change(case)
        if change is None:
            return
        actor = races.admin()
        for _ in range(TRIES):
            change = WikiChange.objects.get(pk=change.pk)
            try:
                if needs_rebase(change):
                    plan = plan_rebase(change)
                    rebase_change(
                        actor,
                        change,
                        edition=plan.edition,
                        onto_version=plan.onto_version,
                        field_answers={each.name: each.ours for each in plan.field_clashes},
                        answers=tuple(f"{each.ours}{each.theirs}" for each in plan.merge.clashes),
                    )
                    change = WikiChange.objects.get(pk=change.pk)
                review_change(
                    actor, change, verdict=Verdict.APPROVE, edition=change.edition, publish=True
                )
            except VersionConflict:
                case.refusals["version"] += 1
                continue
            return

    @staticmethod
    def clicks_twice(races: Races, case: Case) -> None:
        """Approve and publish the one proposal that another thread publishes, too."""
        change = WikiChange.objects.filter(base=case.base).order_by("number").first()
        if change is None:
            return
        actor = races.admin()
        if change.state != ChangeState.APPROVED:
            review_change(
                actor, change, verdict=Verdict.APPROVE, edition=change.edition, publish=True
            )
        else:
            publish_change(actor, change)

    @staticmethod
    def rejects(races: Races, case: Case) -> None:
        """Reject."""
        change = _change(case)
        if change is not None:
            review_change(
                races.admin(), change, verdict=Verdict.REJECT, edition=change.edition, note="No."
            )

    @staticmethod
    def renames(races: Races, case: Case) -> None:
        """Give a page another address; sometimes one that another page wants, too."""
        page = _page(case)
        number = random.choice([1, 2, next(races.numbers)])  # noqa: S311
        rename_page(
            races.admin(), page.pk, new_slug=f"concept/new-{number}", on_version=page.version
        )

    @staticmethod
    def rolls_back(races: Races, case: Case) -> None:
        """Bring an earlier text back."""
        page = _page(case)
        number = random.randint(1, page.version)  # noqa: S311
        roll_back(races.admin(), page.pk, number=number, on_version=page.version)

    @staticmethod
    def deletes(races: Races, case: Case) -> None:
        """Delete a page."""
        page = _page(case)
        delete_page(races.admin(), page.pk, on_version=page.version)

    @staticmethod
    def deletes_and_restores(races: Races, case: Case) -> None:
        """Delete a page and take it out of the trash again."""
        page = _page(case)
        delete_page(races.admin(), page.pk, on_version=page.version)
        restore_page(races.admin(), page.pk)

    @staticmethod
    def creates(races: Races, case: Case) -> None:
        """Make a page at an address that others may be making."""
        made = create_page(
            races.admin(),
            base_id=case.base.pk,
            title="New",
            kind="concept",
            slug=f"concept/new-{random.randint(1, 2)}",  # noqa: S311
            content="See [[concept/page-0]] and [[concept/new-1]].\n",
        )
        if made.revision is not None:
            case.page_ids.append(made.revision.page_id)

    @staticmethod
    def sorts(races: Races, case: Case) -> None:
        """Make a folder, put a page in, move and rename it, try to delete it."""
        actor = races.admin()
        folder = create_folder(actor, base_id=case.base.pk, name=f"F{next(races.numbers)}")
        move_page(actor, _page(case).pk, folder_id=folder.pk)
        others = WikiFolder.objects.filter(base=case.base).exclude(pk=folder.pk)
        parent = others.order_by("?").first()
        move_folder(actor, folder.pk, parent_id=parent.pk if parent else None)
        rename_folder(actor, folder.pk, name=f"G{next(races.numbers)}")
        delete_folder(actor, folder.pk)


_ACTIONS: dict[str, Action] = {
    "edit": _Actions.edits,
    "propose": _Actions.proposes,
    "approve": _Actions.approves,
    "double click": _Actions.clicks_twice,
    "reject": _Actions.rejects,
    "rename": _Actions.renames,
    "roll back": _Actions.rolls_back,
    "delete": _Actions.deletes,
    "delete and restore": _Actions.deletes_and_restores,
    "create": _Actions.creates,
    "sort": _Actions.sorts,
}
_WEIGHTS = {
    **dict.fromkeys(_ACTIONS, 2),
    "edit": 6,
    "propose": 4,
    "approve": 6,
    "double click": 3,
    "rename": 4,
    "delete": 1,
}


@contextmanager
def races_in(space: Space, *, seed: int, threads: int = 7) -> Iterator[Races]:
    """Make people in the space, and play in it; nothing is sent to workers."""
    with ExitStack() as stack, space_scope(space.pk):
        stack.enter_context(patch.object(current_app, "send_task", lambda *_, **__: None))
        pool = stack.enter_context(ThreadPoolExecutor(threads))
        people = tuple(_member(space, f"racer{n}", Role.ADMIN) for n in range(3))
        yield Races(
            space=space,
            people=people,
            proposer=_member(space, "proposer", Role.VIEWER),
            pool=pool,
            chance=random.Random(seed),  # noqa: S311  a seed, no secret
        )
        barrier = threading.Barrier(threads)
        wait([pool.submit(_close_connections, barrier) for _ in range(threads)])


def _close_connections(barrier: threading.Barrier) -> None:
    connections.close_all()
    barrier.wait(timeout=20)


def _member(space: Space, name: str, role: Role) -> User:
    user = User.objects.create(email=f"{name}@races.test", name=name)
    Membership.objects.create(space=space, user=user, role=role)
    return user
