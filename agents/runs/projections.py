"""Rows that follow from events, written in the transaction that stores the event.

```python
@projects(ApprovalRequested)
def store_request(run: AgentRun, event: ApprovalRequested) -> None: ...
```

A projection runs under the run's row lock and lease, once for each event. What it raises rolls the
event back, so it only writes rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from agents.engine.events import AgentEvent
from agents.models import AgentRun

E = TypeVar("E")
Projection = Callable[[AgentRun, E], None]
_projections: dict[type[Any], list[Projection[Any]]] = {}


def projects(event_type: type[E]) -> Callable[[Projection[E]], Projection[E]]:
    """Register a function for one type of events; its module is imported by the app's `ready()`."""

    def register(function: Projection[E]) -> Projection[E]:
        _projections.setdefault(event_type, []).append(function)
        return function

    return register


def project(run: AgentRun, events: Iterable[AgentEvent]) -> None:
    """Write what follows from the events."""
    for event in events:
        for function in _projections.get(type(event), ()):
            function(run, event)
