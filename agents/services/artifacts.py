"""Files that agents make for people: published once per call, a name again is a new version."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from accounts.services.quota import require_storage
from agents.artifact_types import MAX_BYTES, collected_name, media_type_of, safe_name
from agents.constants import RunState
from agents.models import AgentRun, Artifact, Conversation
from agents.runs.store import Lease, LeaseLost
from agents.tracing.closed import closed_runs, is_closed
from core.errors import Invalid, NotFound
from knowledge.storage import delete_file, open_file, store_file
from sandbox.contract import CollectedFile, Collection

FOLDER = "artifacts"
PREVIEW_BYTES = 200 * 1024


@dataclass(frozen=True, kw_only=True)
class NewFile:
    """What is to be published."""

    name: str
    content: str
    media_type: str = ""
    """Only decides about the ending of a name that has none."""


def publish_file(
    *, run_id: UUID, call_id: str, file: NewFile, lease: Lease | None = None
) -> Artifact:
    """Store the file and return its row; the same call again returns the row it made before.

    It belongs to the conversation of the person: that of the run at the top, when a run called by
    another run publishes it.

    Raises:
        Invalid: the name or type cannot be used, or the content is empty or too long.
        LimitReached: the space has no room for it.
        LeaseLost: another worker has the run.
    """
    name = safe_name(file.name, media_type=file.media_type)
    content = file.content.encode("utf-8", errors="replace")
    if not content.strip():
        raise Invalid("The file would be empty; give its whole content.", field="content")
    if len(content) > MAX_BYTES:
        raise Invalid(
            f"The file has {len(content):,} bytes; {MAX_BYTES:,} are the most. Publish it in parts."
        )
    run = AgentRun.objects.get(pk=run_id)
    known = Artifact.objects.filter(run=run, call_id=call_id).first()
    if known is not None:
        return known
    require_storage(run.space_id, more_bytes=len(content))
    stored = store_file(run.space_id, BytesIO(content), folder=FOLDER)
    with transaction.atomic():
        if lease is not None:
            _require(lease)
        conversation = Conversation.objects.select_for_update().get(pk=_top_conversation(run))
        earlier = Artifact.objects.filter(conversation=conversation, name=name)
        version = (earlier.aggregate(last=Max("version"))["last"] or 0) + 1
        made, _created = Artifact.objects.get_or_create(
            run=run,
            call_id=call_id,
            defaults={
                "space_id": run.space_id,
                "conversation": conversation,
                "name": name,
                "version": version,
                "media_type": media_type_of(name),
                "size": stored.size_bytes,
                "content_hash": stored.content_hash,
            },
        )
    return made


@dataclass(frozen=True, kw_only=True)
class Published:
    """What became of collected files."""

    made: tuple[Artifact, ...]
    """New ones, and new contents of earlier ones."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Paths and English reasons."""


def publish_collected(
    *, run_id: UUID, collection: Collection, lease: Lease | None = None
) -> Published:
    """Give the files of a sandbox's output to the person; one that is known already is passed over.

    A file made again in the same run takes the place of the one before; in a later run it is a new
    version.

    Raises:
        LimitReached: the space has no room for them.
        LeaseLost: another worker has the run.
    """
    run = AgentRun.objects.get(pk=run_id)
    made, left_out = [], []
    for file in collection.files:
        if not file.data:
            left_out.append((file.path, "It is empty."))
            continue
        found = _publish_one(run, file, lease)
        if found is not None:
            made.append(found)
    return Published(made=tuple(made), left_out=tuple(left_out))


def _publish_one(run: AgentRun, file: CollectedFile, lease: Lease | None) -> Artifact | None:
    name = collected_name(file.path)
    digest = hashlib.sha256(file.data).hexdigest()
    call_id = f"output:{hashlib.sha256(name.encode()).hexdigest()[:32]}"
    with transaction.atomic():
        if lease is not None:
            _require(lease)
        conversation = Conversation.objects.select_for_update().get(pk=_top_conversation(run))
        earlier = Artifact.objects.filter(conversation=conversation, name=name)
        newest = earlier.order_by("-version").first()
        if newest is not None and newest.content_hash == digest:
            return None
        require_storage(run.space_id, more_bytes=len(file.data))
        stored = store_file(run.space_id, BytesIO(file.data), folder=FOLDER)
        same = Artifact.objects.filter(run=run, call_id=call_id).first()
        if same is not None:
            before = Artifact(space_id=run.space_id, content_hash=same.content_hash)
            same.content_hash, same.size = stored.content_hash, stored.size_bytes
            same.save(update_fields=["content_hash", "size"])
            forget_bytes(before)
            return same
        return Artifact.objects.create(
            space_id=run.space_id,
            conversation=conversation,
            run=run,
            call_id=call_id,
            name=name,
            version=(newest.version if newest is not None else 0) + 1,
            media_type=media_type_of(name),
            size=stored.size_bytes,
            content_hash=stored.content_hash,
        )


def get_artifact(actor: Actor, artifact_id: UUID) -> Artifact:
    """Return a file that was made in one of the actor's conversations.

    Raises:
        NotFound: there is none, the conversation is somebody else's, or the agent had read something
            that is closed to the actor now.
    """
    rows = Artifact.objects.filter(pk=artifact_id).select_related("conversation")
    found = visible(actor, "view", rows).first()
    if found is None or is_closed(actor, found.run_id):
        raise NotFound(_("There is no such file."))
    return found


def versions_of(actor: Actor, artifact: Artifact) -> list[Artifact]:
    """Return all versions of a file, the newest first."""
    rows = Artifact.objects.filter(conversation=artifact.conversation, name=artifact.name)
    found = list(visible(actor, "view", rows).order_by("-version"))
    closed = closed_runs(actor, {each.run_id for each in found})
    return [each for each in found if each.run_id not in closed]


def open_artifact(artifact: Artifact) -> BinaryIO:
    """Open the file for reading."""
    return open_file(artifact.space_id, artifact.content_hash, folder=FOLDER)


def beginning_of(artifact: Artifact) -> str:
    """Return the first 200 KB of the file as text; a character that was cut is left out."""
    with open_artifact(artifact) as file:
        return file.read(PREVIEW_BYTES).decode("utf-8", errors="ignore")


def forget_bytes(artifact: Artifact) -> None:
    """Remove the stored bytes of a deleted row, once no other file has the same ones."""
    space_id, content_hash = artifact.space_id, artifact.content_hash
    if not Artifact.objects.filter(space_id=space_id, content_hash=content_hash).exists():
        transaction.on_commit(lambda: delete_file(space_id, content_hash, folder=FOLDER))


def _top_conversation(run: AgentRun) -> UUID:
    while run.parent is not None:
        run = run.parent
    return run.conversation_id


def _require(lease: Lease) -> None:
    mine = AgentRun.objects.select_for_update().filter(
        pk=lease.run_id, lease_epoch=lease.epoch, state=RunState.RUNNING
    )
    if not mine.exists():
        raise LeaseLost
