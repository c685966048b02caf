"""What tools left in `/workspace/output`: collected behind each call that may have changed it.

Processes end with their command, so that nothing can appear there later; a file made anew in the same
turn takes the place of the one before.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any
from uuid import UUID

from django.conf import settings

from agents.engine.errors import ToolFailed
from agents.services.artifacts import publish_collected
from agents.tools.artifacts import file_data
from agents.tools.deps import RunDeps
from core.aio import in_db
from core.errors import NotFound, ProjectError
from sandbox.contract import MIB, OUTPUT, ArtifactLimits, Collection, Workspace
from sandbox.services.sessions import OpenSession

SANDBOX = "sandbox"
"""`display_type` of the data of a call that may have made files."""
_MOST_KNOWN = 500
_LEFT_OUT_SHOWN = 20
_known: OrderedDict[UUID, tuple[Any, ...]] = OrderedDict()
"""What stood in the output of a workspace when it was collected last, by this process."""


def with_output(
    workspace: Workspace, session: OpenSession, *, changed: str = ""
) -> Collection | None:
    """Return what stands in the output now; None where nothing of it changed since the last time.

    `changed` is the one file that the call wrote, where that is known.
    """
    if changed and not changed.startswith(f"{OUTPUT}/"):
        return None
    try:
        entries = workspace.list_files(OUTPUT, limit=2000)
    except NotFound:
        return None
    stands = tuple((each.path, each.kind, each.size_bytes, each.modified_at) for each in entries)
    if not changed and _known.get(session.id, ()) == stands:
        return None
    _known[session.id] = stands
    _known.move_to_end(session.id)
    while len(_known) > _MOST_KNOWN:
        _known.popitem(last=False)
    return workspace.collect(
        ArtifactLimits(
            file_bytes=settings.SANDBOX_FILE_MB * MIB,
            total_bytes=settings.SANDBOX_TURN_MB * MIB,
        )
    )


async def collected_data(
    deps: RunDeps, collection: Collection | None
) -> tuple[str, dict[str, Any]]:
    """Give what was collected to the person; return words for the model and the card's data.

    Raises:
        ToolFailed: the space has no room for the files.
    """
    if collection is None:
        return "", {"display_type": SANDBOX, "files": []}
    try:
        published = await in_db(
            publish_collected, run_id=deps.run_id, collection=collection, lease=deps.lease
        )
    except ProjectError as refusal:
        raise ToolFailed(refusal.message, code=refusal.code) from refusal
    left_out = [*collection.left_out, *published.left_out]
    words = ""
    if published.made:
        names = ", ".join(repr(each.name) for each in published.made)
        words += f"\nGiven to the person, who sees and downloads them: {names}."
    for path, reason in left_out[:_LEFT_OUT_SHOWN]:
        words += f"\nNot given to the person: {path!r}. {reason}"
    if len(left_out) > _LEFT_OUT_SHOWN:
        words += f"\n… and {len(left_out) - _LEFT_OUT_SHOWN} more."
    return words, {
        "display_type": SANDBOX,
        "files": [file_data(each) for each in published.made],
        "left_out": [
            {"path": path, "reason": reason} for path, reason in left_out[:_LEFT_OUT_SHOWN]
        ],
        "left_out_more": max(0, len(left_out) - _LEFT_OUT_SHOWN),
    }


def told_about(notice: str, output: str) -> str:
    """Put what the model must know about the workspace in front of a result."""
    return f"[{notice}]\n{output}" if notice else output
