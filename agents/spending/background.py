"""Calls of models by apps below (documents' enrichment) fall under budgets and are counted."""

from __future__ import annotations

from agents.spending.gate import refusal_for
from agents.spending.metering import meter
from providers.metering import MeteredCall, register_spending


def _gate(user_id: int | None) -> str | None:
    return refusal_for(agent_id=None, user_id=user_id)


def _count(call: MeteredCall) -> None:
    meter(
        space_id=call.space_id,
        user_id=call.user_id,
        model=call.model,
        usage=call.usage,
        purpose=call.purpose,
    )


register_spending(gate=_gate, meter=_count)
