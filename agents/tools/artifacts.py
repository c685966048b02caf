"""Handing a file to the person."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from agents.artifact_types import MAX_BYTES
from agents.engine.errors import ToolFailed
from agents.engine.tools import Arguments, Tool, ToolContext, ToolResult, tool
from agents.models import Artifact
from agents.services.artifacts import NewFile, publish_file
from agents.tools.deps import RunDeps
from agents.tools.registry import Offer
from core.aio import in_db
from core.errors import ProjectError

ARTIFACT = "artifact"
"""`display_type` of a published file's data: the chat shows it as a file."""


def _title(arguments: Arguments) -> str:
    return f"Publishing {arguments['name']}"


@tool(
    side_effects="idempotent",
    also_known_as=("PUBLISH_FILE",),
    argument_names={
        "filename": "name",
        "path": "name",
        "filepath": "name",
        "text": "content",
        "mimetype": "media_type",
        "contenttype": "media_type",
    },
    title=_title,
)
async def publish_artifact(
    ctx: ToolContext[RunDeps],
    name: Annotated[
        str, Field(min_length=1, max_length=255, description="File name with its ending.")
    ],
    content: Annotated[
        str, Field(min_length=1, max_length=MAX_BYTES, description="The whole text of the file.")
    ],
    media_type: Annotated[
        str | None, Field(max_length=100, description="Only when the name has no ending.")
    ] = None,
) -> ToolResult:
    r"""Give the person a file to look at and download: a report, a table, a diagram, a piece of code.

    Use it when the person asks for a file, or when a table or text is too long for an answer. Text
    files only: md, csv, json, txt, html, svg, xml, py and the like. Publishing a name again makes a
    new version. Mention the file in the answer by its name; do not repeat its content there.
    Citations in brackets such as [c1] mean nothing inside of a file: write the source's name.
    Example: {"name": "rents.csv", "content": "lease,rent\nA,900\nB,1100\n"}
    """
    file = NewFile(name=name, content=content, media_type=media_type or "")
    try:
        made = await in_db(
            publish_file,
            run_id=ctx.deps.run_id,
            call_id=ctx.call_id,
            file=file,
            lease=ctx.deps.lease,
        )
    except ProjectError as refusal:
        raise ToolFailed(refusal.message, code=refusal.code) from refusal
    again = f", version {made.version}" if made.version > 1 else ""
    return ToolResult(
        output=f"Published {made.name!r}{again}, {made.size:,} bytes. The person sees it.",
        summary=f"{made.name}{again}",
        data={"display_type": ARTIFACT, "file": file_data(made)},
    )


def file_data(artifact: Artifact) -> dict[str, Any]:
    """Return what the chat shows of a file."""
    return {
        "id": str(artifact.pk),
        "name": artifact.name,
        "version": artifact.version,
        "size_bytes": artifact.size,
        "media_type": artifact.media_type,
    }


def is_of_use(offer: Offer) -> bool:
    """Whether the agent works with tools at all; one that only talks needs no files."""
    return bool(offer.names)


ARTIFACT_TOOLS: tuple[Tool[RunDeps], ...] = (publish_artifact,)
