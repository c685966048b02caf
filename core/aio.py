"""The one bridge between async code and the ORM."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from channels.db import database_sync_to_async

P = ParamSpec("P")
R = TypeVar("R")


async def in_db(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a sync service in a worker thread, in the caller's space scope."""
    result: R = await database_sync_to_async(function)(*args, **kwargs)
    return result
