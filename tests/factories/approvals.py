"""Requests for approval for tests, without a run that asked for them."""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from typing import Any

from django.utils import timezone

from agents.models import AgentRun, Approval
from core.tenancy import space_scope

_numbers = count(1)


def make_approval(run: AgentRun, **fields: Any) -> Approval:
    """Make an open request of the run for a call of the tool `send`."""
    number = next(_numbers)
    values: dict[str, Any] = {
        "requested_seq": number,
        "call_id": f"call-{number}",
        "tool_name": "send",
        "title": "Send it to ada",
        "arguments": {"to": "ada"},
        "decision_hash": f"{number:064d}",
        "due_at": timezone.now() + timedelta(days=1),
    }
    with space_scope(run.space_id):
        return Approval.objects.create(space_id=run.space_id, run=run, **(values | fields))
