"""`manage.py evaluate --base NAME`: ask the golden questions of a base, for a build that checks them."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from django.core.management.base import BaseCommand
from django.db import connection

from agents.queries import find_agent
from core.tenancy import space_scope
from knowledge.constants import OPEN_EVALUATIONS, EvaluationState
from knowledge.evaluation.runs import DEFAULT_K, Plan, start_run
from knowledge.models import EvaluationRun
from knowledge.queries import find_base
from weknora_site.terminal import acting, add_space_argument, give_up, wait_until, write_json


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """A measure and the least value of its mean."""

    name: str
    least: float


class Command(BaseCommand):
    """Evaluate a base; exit code 1 when a measure is below what it should be, or the run failed."""

    help = "Ask the confirmed golden questions of a knowledge base."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--base", required=True, help="name of the base")
        parser.add_argument("--agent", default="", help="name of an agent that is asked")
        parser.add_argument("-k", type=int, default=DEFAULT_K, help="passages that count")
        parser.add_argument("--label", default="", help="what the run is called")
        parser.add_argument(
            "--at-least",
            action="append",
            default=[],
            metavar="MEASURE=VALUE",
            help="such as hit@5=0.9 or correctness=0.7; below it the exit code is 1",
        )
        add_space_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the evaluation to its end and print its figures."""
        thresholds, k = _thresholds(options["at_least"], options["k"])
        with acting(options["space"]) as actor:
            base = find_base(actor, options["base"])
            agent = find_agent(actor, options["agent"]) if options["agent"] else None
            plan = Plan(
                kind="answers" if agent else "retrieval",
                subject_id=agent.pk if agent else None,
                label=options["label"],
                k=k,
            )
            run = start_run(actor, base_id=base.pk, plan=plan)
        _wait(run)
        with space_scope(run.space_id):
            run.refresh_from_db()
        failures = _failures(run, thresholds)
        if options["as_json"]:
            write_json(_as_json(run, failures))
        else:
            _print(run, failures)
        if failures or run.state != EvaluationState.DONE:
            sys.exit(1)


def _thresholds(given: list[str], k: int) -> tuple[list[Threshold], int]:
    """Return the thresholds and the k that they name, which all have to agree on."""
    found: list[Threshold] = []
    named: set[int] = set()
    for each in given:
        measure, _equals, value = each.partition("=")
        name, _at, at = measure.partition("@")
        try:
            found.append(Threshold(name=name.strip(), least=float(value)))
            named |= {int(at)} if at else set()
        except ValueError:
            give_up(f"--at-least takes MEASURE=VALUE such as hit@5=0.9, not {each!r}.")
    if len(named) > 1:
        give_up("One evaluation has one k; run the command once for each.")
    return found, next(iter(named), k)


def _wait(run: EvaluationRun) -> None:
    def is_over() -> bool:
        with space_scope(run.space_id):
            state = EvaluationRun.objects.values_list("state", flat=True).get(pk=run.pk)
        return state not in OPEN_EVALUATIONS

    # An agent's answers are jobs of another queue: where no worker runs, both are served here.
    queues = ("enrich", "runs") if run.kind != "retrieval" else ("enrich",)
    with ThreadPoolExecutor(len(queues), thread_name_prefix="evaluate") as pool:
        waiting = [pool.submit(_serve, is_over, queue) for queue in queues]
        for each in waiting:
            each.result()


def _serve(is_over: Callable[[], bool], queue: str) -> None:
    try:
        wait_until(is_over, queue=queue)
    finally:
        connection.close()


def _failures(run: EvaluationRun, thresholds: list[Threshold]) -> list[str]:
    means = run.metrics.get("means", {})
    failures = []
    for each in thresholds:
        mean = means.get(each.name)
        if mean is None:
            failures.append(f"{each.name} was not measured")
        elif mean["value"] < each.least:
            failures.append(f"{each.name} is {mean['value']:.4f}, less than {each.least:g}")
    return failures


def _as_json(run: EvaluationRun, failures: list[str]) -> dict[str, Any]:
    return {
        "id": str(run.pk),
        "state": run.state,
        "reason": run.reason,
        "k": run.k,
        "questions": run.total,
        "answered": run.done,
        "settings": run.options,
        **run.metrics,
        "failures": failures,
    }


def _print(run: EvaluationRun, failures: list[str]) -> None:
    sys.stdout.write(f"{run.state}: {run.done} of {run.total} questions, k = {run.k}\n")
    for name, mean in run.metrics.get("means", {}).items():
        bounds = f"{mean['low']:.4f}–{mean['high']:.4f}"
        sys.stdout.write(f"{name:20} {mean['value']:.4f}  ({bounds}, {mean['count']})\n")
    sys.stdout.write(f"expected passages gone: {run.metrics.get('gone', 0)}\n")
    for each in (run.reason, *failures):
        if each:
            sys.stderr.write(f"{each}\n")
