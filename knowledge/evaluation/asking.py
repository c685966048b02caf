"""Asks the space's chat model something for an evaluation, in a place for background work."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel

from core.aio import LoopThread
from core.errors import Conflict
from core.jobs.handlers import JobContext
from core.jobs.interrupt import wait_interruptibly
from knowledge.enrich.asking import Wish, collect, value_of, writing_model
from knowledge.models import EvaluationRun
from providers.concurrency import background_slot
from providers.metering import MeteredCall, count, refusal_for
from providers.services.clients import background_places, get_chat_model

_loop = LoopThread("evaluation")
V = TypeVar("V", bound=BaseModel)


def ask_model(context: JobContext, run: EvaluationRun, wish: Wish, kind: type[V]) -> tuple[V, str]:
    """Return a model's answer as a value, and the model's name; counted for who began the run.

    Raises:
        ModelError: the call failed, or ("bad_response") the answer is of another form.
        ProjectError: a budget is spent, or no model can write.
        JobCancelled: somebody stopped it.
    """
    if refusal := refusal_for(run.author_id):
        raise Conflict(refusal)
    row = writing_model(run.space_id)
    with background_slot(
        str(row.pk), limit=background_places(row), cancelled=lambda: context.cancelled
    ):
        context.check()
        asked = _loop.submit(collect(get_chat_model(row), wish))
        text, usage = wait_interruptibly(asked, should_cancel=lambda: context.cancelled)
    count(
        MeteredCall(
            space_id=run.space_id,
            user_id=run.author_id,
            model=row,
            usage=usage,
            purpose=wish.purpose,
        )
    )
    return value_of(text, kind), row.name
