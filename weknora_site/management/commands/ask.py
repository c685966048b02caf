"""`manage.py ask "…" --base NAME`: a question, its events, its answer and its citations."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand

from accounts.access import Actor
from agents.constants import OPEN_RUN_STATES, RunState
from agents.engine.events import (
    AgentEvent,
    ModelRetry,
    RoundDegraded,
    ToolCallFinished,
    ToolCallStarted,
    parse_event,
)
from agents.models import AgentRun, RunEvent
from agents.queries import find_agent, get_run
from agents.services.conversations import Question, ask
from core.tenancy import space_scope
from knowledge.evidence import Evidence, read_evidence
from knowledge.queries import find_base
from weknora_site.terminal import acting, add_space_argument, wait_until, write_json


class Command(BaseCommand):
    """Ask an agent; exit code 1 when there is no answer."""

    help = "Ask an agent about a knowledge base."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("question")
        parser.add_argument("--base", required=True, help="name of the base")
        parser.add_argument("--agent", default="", help="name of the agent (default: the first)")
        add_space_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Ask, show what happens, and print the answer with its citations."""
        with acting(options["space"]) as actor:
            base = find_base(actor, options["base"])
            agent = find_agent(actor, options["agent"]) if options["agent"] else None
            question = Question(
                text=options["question"],
                agent_id=agent.pk if agent else None,
                base_ids=(base.pk,),
            )
            run = ask(actor, question)
            _follow(actor, run.pk, aloud=not options["as_json"])
            run = get_run(actor, run.pk)
            cited = read_evidence(actor, origin_id=run.answer.pk) if run.answer else []
            _report(run, cited, as_json=options["as_json"])
        if run.state != RunState.DONE:
            sys.exit(1)


def _follow(actor: Actor, run_id: UUID, *, aloud: bool) -> None:
    """Wait for the end of the run; say on stderr what it does when `aloud`."""
    seen = 0

    def done() -> bool:
        nonlocal seen
        with space_scope(actor.space_id):
            if aloud:
                for row in RunEvent.objects.filter(run_id=run_id, seq__gt=seen).order_by("seq"):
                    seen = row.seq_to
                    _tell(parse_event(row.data))
            return not AgentRun.objects.filter(pk=run_id, state__in=OPEN_RUN_STATES).exists()

    wait_until(done, queue="runs")


def _tell(event: AgentEvent) -> None:
    line = ""
    if isinstance(event, ToolCallStarted):
        line = event.title
    elif isinstance(event, ToolCallFinished):
        line = f"  {event.summary or event.name} ({event.duration_ms} ms)"
    elif isinstance(event, ModelRetry):
        line = f"  The model failed, again in {event.wait_seconds:.0f} s: {event.reason}"
    elif isinstance(event, RoundDegraded):
        line = f"  {event.detail}"
    if line:
        sys.stderr.write(line + "\n")


def _report(run: AgentRun, cited: list[Evidence], *, as_json: bool) -> None:
    answer = run.answer.text if run.answer else ""
    if as_json:
        citations = [
            {"document": each.document_name, "page": each.page_from, "text": each.text}
            for each in cited
        ]
        write_json(
            {
                "answer": answer,
                "citations": citations,
                "run_id": str(run.pk),
                "finish": run.outcome,
            }
        )
        return
    sys.stdout.write(f"{answer or run.reason}\n")
    for each in cited:
        page = f", page {each.page_from}" if each.page_from else ""
        sys.stdout.write(f"[{each.marker}] {each.document_name}{page}\n")
