"""The workspace of a run's conversation, for the tools that use it: opened, used, cancelled, healed.

Backends are synchronous and may take minutes, so their calls run in threads of their own, never in
the lane of the run's database calls. A call that is cancelled stops its command at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import posixpath
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from uuid import UUID

from agents.engine.errors import ToolFailed
from agents.engine.tools import ToolContext
from agents.runs.family import top_conversation
from agents.tools.deps import RunDeps
from core.aio import in_db
from core.errors import ProjectError
from sandbox.contract import INPUT, WORKSPACE, CancelCheck, SkillMount, Workspace
from sandbox.errors import SandboxGone
from sandbox.queries import config_for
from sandbox.services.backends import probe
from sandbox.services.sessions import (
    STARTED_ANEW,
    OpenSession,
    begin_use,
    end_use,
    forget_workspace,
    open_session,
)

R = TypeVar("R")
Mounter = Callable[[RunDeps], Sequence[SkillMount]]
Stager = Callable[[RunDeps, Workspace], None]
FILE_SECONDS = 60.0
_END_SECONDS = 2.5
"""For a stopped command to die; the engine waits three seconds for a tool to end."""
_threads = ThreadPoolExecutor(64, thread_name_prefix="sandbox")
_mounters: list[Mounter] = []
_stagers: list[Stager] = []
_locks: weakref.WeakValueDictionary[tuple[int, UUID, str], asyncio.Lock] = (
    weakref.WeakValueDictionary()
)


def register_mounter(mounter: Mounter) -> None:
    """Add what says which skills stand read-only in a run's workspace."""
    if mounter not in _mounters:
        _mounters.append(mounter)


def register_stager(stager: Stager) -> None:
    """Add what puts files into a workspace that was just made, such as attachments."""
    if stager not in _stagers:
        _stagers.append(stager)


def sandbox_works(deps: RunDeps) -> bool:
    """Say whether the agent's sandbox runs commands, from its probe."""
    try:
        return probe(config_for(deps.config.sandbox_config_id)).works
    except ProjectError:
        return False


async def use_workspace(
    ctx: ToolContext[RunDeps],
    work: Callable[[Workspace, OpenSession, CancelCheck], R],
    *,
    seconds: float = FILE_SECONDS,
) -> tuple[R, str]:
    """Do something in the workspace; returns what came of it and what the model must be told.

    One that its backend has lost is made anew once.

    Raises:
        ToolFailed: there is no sandbox, or it could not do its part.
    """
    told = ""
    for is_last in (False, True):
        try:
            session = await in_db(_open, ctx.deps)
            await in_db(begin_use, session.id, seconds=seconds)
            return await _carry_out(ctx, session, work), session.notice or told
        except SandboxGone as gone:
            if is_last:
                raise ToolFailed(gone.message, code=gone.code, retry=True) from gone
            await in_db(forget_workspace, session.id)
            told = STARTED_ANEW
        except ProjectError as refusal:
            raise ToolFailed(refusal.message, code=refusal.code) from refusal
    raise AssertionError("the second attempt returned or raised")


async def _carry_out(
    ctx: ToolContext[RunDeps],
    session: OpenSession,
    work: Callable[[Workspace, OpenSession, CancelCheck], R],
) -> R:
    stopped = threading.Event()

    def cancelled() -> bool:
        return stopped.is_set() or ctx.cancel.cancelled

    def carry_out() -> R:
        if session.is_new:
            for stage in _stagers:
                stage(ctx.deps, session.workspace)
        return work(session.workspace, session, cancelled)

    future = asyncio.get_running_loop().run_in_executor(_threads, carry_out)
    try:
        with ctx.cancel.interruptible():
            return await asyncio.shield(future)
    finally:
        stopped.set()
        if not future.done():
            await asyncio.wait({future}, timeout=_END_SECONDS)
        if future.done():
            future.exception()
        await in_db(end_use, session.id)


def _open(deps: RunDeps) -> OpenSession:
    return open_session(
        conversation_id=top_conversation(deps.run_id),
        user_id=deps.actor.user_id,
        config=config_for(deps.config.sandbox_config_id),
        skills=[mount for mounts in _mounters for mount in mounts(deps)],
    )


@contextlib.asynccontextmanager
async def alone_with(ctx: ToolContext[RunDeps], path: str) -> AsyncIterator[None]:
    """Let calls about the same file of a conversation take turns; others go on beside them."""
    key = (id(asyncio.get_running_loop()), ctx.deps.conversation_id, path)
    lock = _locks.get(key)
    if lock is None:
        lock = _locks[key] = asyncio.Lock()
    async with lock:
        yield


def workspace_path(path: str, *, writes: bool = False) -> str:
    """Return an absolute path in the workspace; a relative one begins there.

    Raises:
        ToolFailed: it leads out of it, or into what only the platform writes.
    """
    if "\x00" in path:
        raise ToolFailed("A path cannot hold a NUL character.", code="bad_path")
    whole = posixpath.normpath(posixpath.join(WORKSPACE, path.strip() or "."))
    if whole != WORKSPACE and not whole.startswith(f"{WORKSPACE}/"):
        raise ToolFailed(f"{path!r} is not below {WORKSPACE}.", code="bad_path")
    if writes and (whole in (WORKSPACE, INPUT) or whole.startswith(f"{INPUT}/")):
        raise ToolFailed(
            f"{INPUT} is read-only; write below {WORKSPACE} or {WORKSPACE}/output.",
            code="read_only",
        )
    return whole
