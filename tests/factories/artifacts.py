"""Published files for tests."""

from __future__ import annotations

from itertools import count

from agents.models import AgentRun, Artifact
from agents.services.artifacts import NewFile, publish_file
from core.tenancy import space_scope

_numbers = count(1)


def make_artifact(
    run: AgentRun, *, name: str = "report.md", content: str = "# Report\n\nAll is well."
) -> Artifact:
    """Publish a file in the run's conversation."""
    with space_scope(run.space_id):
        return publish_file(
            run_id=run.pk,
            call_id=f"publish_{next(_numbers)}",
            file=NewFile(name=name, content=content),
        )
