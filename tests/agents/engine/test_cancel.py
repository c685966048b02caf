"""The cancel token."""

from __future__ import annotations

import asyncio

import pytest

from agents.engine.cancel import CancelToken
from agents.engine.errors import RunCancelled


async def test_a_fired_token_interrupts_what_is_awaited() -> None:
    token = CancelToken()

    async def work() -> str:
        with token.interruptible():
            await asyncio.Event().wait()
        return "never"

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    token.cancel()
    token.cancel()
    with pytest.raises(RunCancelled):
        await task


async def test_a_token_that_fired_before_does_not_let_anyone_in() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(RunCancelled), token.interruptible():
        raise AssertionError


async def test_the_task_itself_may_fire_the_token() -> None:
    token = CancelToken()

    async def work() -> None:
        with token.interruptible():
            token.cancel()
            await asyncio.Event().wait()

    with pytest.raises(RunCancelled):
        await work()


async def test_a_block_that_ends_at_once_leaves_nothing_behind() -> None:
    token = CancelToken()
    with pytest.raises(RunCancelled), token.interruptible():
        token.cancel()
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_cancelled_task_stays_cancelled() -> None:
    token = CancelToken()

    async def work() -> None:
        with token.interruptible():
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    token.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_time_limit_around_the_block_still_works() -> None:
    token = CancelToken()

    async def work() -> None:
        async with asyncio.timeout(0.01):
            with token.interruptible():
                await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await work()
    token.check()


async def test_children_fire_with_their_parent_and_not_the_other_way() -> None:
    parent = CancelToken()
    child = CancelToken(parent)
    other = CancelToken(parent)
    child.cancel()
    assert (child.cancelled, parent.cancelled, other.cancelled) == (True, False, False)
    parent.cancel()
    assert other.cancelled
    assert CancelToken(parent).cancelled
    await other.wait()
