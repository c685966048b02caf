"""Two hundred documents with secrets behind changing restrictions: does any answer leak one?

People of two spaces, of every role, suspended, removed and not signed in, knock at every door that
reads: pages, files, exports, streams, sockets, tools, services. In between permissions change:
restrictions, groups, roles, memberships, shares, folders, deletions. An oracle that knows nothing of
the product's policies says who may see what; a secret in an answer to anybody else is a leak. A door
behind which nobody ever saw a secret is blind and tells nothing: that breaks the promise, too.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._report import finish, print_table, progress

if TYPE_CHECKING:
    from benchmarks._canary_doors import Doors
    from benchmarks._canary_stories import Stories
    from benchmarks._canary_world import CanaryWorld

NAME = "canaries"
TARGET = "0 leaks, 0 blind doors"
CALLS_BETWEEN_CHANGES = 20
DOCUMENTS = 200


@dataclass(kw_only=True)
class Findings:
    """What was counted."""

    calls: Counter[str] = field(default_factory=Counter)
    sightings: Counter[str] = field(default_factory=Counter)
    """Secrets in answers to those who may see them, by door."""
    leaks: list[str] = field(default_factory=list)
    blind: list[str] = field(default_factory=list)
    changes: int = 0


def play(*, calls: int, documents: int, seed: int) -> Findings:
    """Build a world in the present database and knock; the caller has made the database."""
    from benchmarks._canary_doors import DOORS, NEVER_SHOW, Doors  # noqa: PLC0415  after the settings
    from benchmarks._canary_world import build_world  # noqa: PLC0415  the same
    from tests.knowledge.search_models import WordModel  # noqa: PLC0415  the same

    chance = random.Random(seed)  # noqa: S311  a seed, no secret
    model = WordModel()
    world = build_world(chance, documents=documents, model=model)
    stories = _tell_stories(world, chance, count=max(24, documents // 2))
    doors = Doors(world=world, stories=stories, chance=chance)
    found = Findings()
    for number in range(calls):
        if number % CALLS_BETWEEN_CHANGES == CALLS_BETWEEN_CHANGES - 1:
            _change(world, stories, chance, model)
            found.changes += 1
        name = DOORS[number % len(DOORS)]
        _knock(doors, name, found)
        if number % 1000 == 999:
            progress(f"{number + 1} of {calls}, {len(found.leaks)} leaks")
    found.blind = [name for name in DOORS if not found.sightings[name] and name not in NEVER_SHOW]
    return found


def _knock(doors: Doors, name: str, found: Findings) -> None:
    world = doors.world
    person = doors.chance.choice(world.people)
    call = doors.knock(name, person)
    found.calls[name] += 1
    leaks = world.leaks(person, call.sent, call.answer)
    found.leaks += [
        f"{name} showed {person.name} ({person.role}, {person.state}) the secret {token} of document"
        f" {world.by_token[token].number}: {_around(call.answer, token)}"
        for token in leaks
    ]
    found.sightings[name] += sum(token in call.answer for token in world.by_token) - len(leaks)


def _around(answer: str, token: str) -> str:
    place = answer.index(token)
    return repr(answer[max(0, place - 80) : place + 40])


def _tell_stories(world: CanaryWorld, chance: random.Random, *, count: int) -> Stories:
    from agents.models import Agent, MemorySettings  # noqa: PLC0415  after the settings
    from benchmarks._canary_stories import Stories, tell_story  # noqa: PLC0415  the same
    from core.tenancy import space_scope  # noqa: PLC0415  the same
    from providers.constants import ModelType  # noqa: PLC0415  the same
    from tests.factories.providers import make_model  # noqa: PLC0415  the same

    stories = Stories()
    for space in (world.a, world.b):
        make_model(space, type=ModelType.CHAT, is_default=True)
        with space_scope(space.pk):
            MemorySettings.objects.create(space=space, is_enabled=True)
            stories.agents[space.pk] = Agent.objects.create(
                space=space,
                name="Canary",
                mode="react",
                base_scope="all",
                config={"question_suggestions": {"follow_ups": {"enabled": True}}},
            )
    for _ in range(count):
        tell_story(world, stories, chance.choice(world.people), chance)
    return stories


def _change(world: CanaryWorld, stories: Stories, chance: random.Random, model: Any) -> None:
    """Change who may see what, or tell a new story."""
    from benchmarks import _canary_world as changes  # noqa: PLC0415  after the settings
    from benchmarks._canary_stories import tell_story  # noqa: PLC0415  the same

    what = chance.choices(
        ("restriction", "group", "member", "move", "remove", "add", "share", "story"),
        weights=(8, 3, 3, 3, 1, 1, 1, 4),
    )[0]
    match what:
        case "restriction":
            changes.change_restriction(world, chance)
        case "group":
            changes.change_group(world, chance)
        case "member":
            changes.change_membership(world, chance)
        case "move":
            changes.move_document(world, chance)
        case "remove":
            changes.remove_secret(world, chance)
        case "add":
            changes.add_secret(world, chance, model)
        case "share":
            changes.toggle_share(world)
        case _:
            tell_story(world, stories, chance.choice(world.people), chance)


def measure(*, calls: int, seed: int, folder: Path) -> Findings:
    """Start a database of its own in `folder`, and play."""
    from core.embedded.layout import Layout  # noqa: PLC0415  after the arguments
    from core.embedded.services import embedded_services  # noqa: PLC0415  the same
    from weknora_site.supervisor import image  # noqa: PLC0415  the same

    environment = {
        "WEKNORA_DATA_DIR": str(folder),
        "WEKNORA_LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "weknora_site.settings",
    }
    os.environ.update(environment)
    with embedded_services(Layout(folder), durable=False):
        image.load(environment)
        _prepare()
        return play(calls=calls, documents=DOCUMENTS, seed=seed)


def _prepare() -> None:
    from django.conf import settings  # noqa: PLC0415  after the settings
    from django.core.management import call_command  # noqa: PLC0415  the same
    from django.test.utils import setup_test_environment  # noqa: PLC0415  the same

    logging.disable(logging.CRITICAL)  # refusals are what is tried here
    call_command("migrate", verbosity=0, interactive=False)
    setup_test_environment()
    settings.CHANNEL_LAYERS["default"] = {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    settings.CACHES["default"] = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}
    use_word_model()


def use_word_model() -> None:
    """Let every base be searched with a model that needs no weights."""
    from knowledge.retrieval import models  # noqa: PLC0415  after the settings
    from tests.knowledge.search_models import WordModel  # noqa: PLC0415  the same

    vars(models)["get_embedding_model"] = lambda _: WordModel()


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="weknora-canaries-", dir="/var/tmp") as folder:
        found = measure(calls=arguments.calls, seed=arguments.seed, folder=Path(folder))
    rows = [
        (name, f"{count:,}", f"{found.sightings[name]:,}") for name, count in found.calls.items()
    ]
    print_table(("door", "calls", "secrets seen by who may"), rows)
    for each in [*found.leaks[:50], *(f"{name} is blind" for name in found.blind)]:
        progress(each)
    seconds = time.monotonic() - began
    value = (
        f"{len(found.leaks)} leaks, {len(found.blind)} blind doors in {arguments.calls:,} calls"
        f" with {found.changes:,} changes, {seconds:.0f} s"
    )
    return finish(NAME, value, target=TARGET, met=not (found.leaks or found.blind))


if __name__ == "__main__":
    sys.exit(main())
