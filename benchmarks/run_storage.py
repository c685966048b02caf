"""A long run: what it leaves in the database, and how soon another worker goes on with it.

The real runner and database, a scripted model, and a tool that finds eight passages of 250 tokens at
each call, as a search does: 100 calls, over 200,000 tokens of results in all. Stored bytes are those
of the run's own rows, column by column as PostgreSQL keeps them (compressed, wherever they lie, with
24 bytes a row), without indexes; the size on disk of the tables with indexes, and with the dead
versions that vacuum has not taken yet, stands beside it. Then the worker dies before its last model
call, and the time from taking the lease to that call in a process that knows nothing of the run is
measured.

    python benchmarks/run_storage.py [--calls N] [--tokens N]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agents.engine.tools import Tool, ToolContext, ToolResult, tool
from benchmarks._report import finish, print_table
from core.embedded.layout import Layout
from core.embedded.services import embedded_services
from providers.contracts.chat import ChatChunk, ChatMessage, ToolCallDelta, ToolSpec, Usage
from weknora_site.supervisor import image

if TYPE_CHECKING:
    from agents.models import AgentRun

NAME = "run_storage"
MAX_BYTES = 5_000_000
MAX_SECONDS = 2.0
TARGET = "under 5.0 MB and 2.0 s"
ROUNDS = 99
PASSAGES = 8
_ROW_BYTES = 24
_NAMESPACE = UUID(int=7)
_REPOSITORY = Path(__file__).resolve().parent.parent


class WorkerDies(BaseException):
    """Ends the work in the middle, as a kill would."""


@dataclass
class LongWorker:
    """A model that asks for one search a round, and at the end for what is left of them."""

    calls: int
    dies: bool
    name: str = "scripted"
    context_tokens: int = 1_000_000
    asked: int = 0
    first_asked_at: float = field(default=0.0)

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        options: Any = None,
    ) -> AsyncIterator[ChatChunk]:
        """Play one turn."""
        self.first_asked_at = self.first_asked_at or time.perf_counter()
        done = sum(message.role == "tool" for message in messages)
        if done >= self.calls:
            if self.dies:
                raise WorkerDies
            yield ChatChunk(text="That is what the documents say [c1][c9].")
            yield ChatChunk(finish_reason="stop", usage=Usage(input_tokens=1, output_tokens=1))
            return
        self.asked += 1
        yield ChatChunk(text="I look further.")
        last = self.asked >= ROUNDS
        for index in range(self.calls - done if last else 1):
            number = done + index
            yield ChatChunk(
                tool_call=ToolCallDelta(
                    index=index,
                    call_id=f"call_{number}",
                    name="find",
                    arguments=f'{{"query": "question number {number}"}}',
                )
            )
        yield ChatChunk(finish_reason="tool_calls")


@dataclass(kw_only=True)
class Library:
    """Texts to find: words of this repository's own documents in random order, by seed."""

    words_a_passage: int
    passages: int = 0

    def __post_init__(self) -> None:
        sources = sorted((_REPOSITORY / "docs").rglob("*.md"))
        text = " ".join(path.read_text(encoding="utf-8") for path in sources)
        self._words = re.findall(r"[A-Za-z]{2,}", text)
        self._chance = random.Random(11)  # noqa: S311  a seed, no secret

    def text(self) -> str:
        """Return the text of the next passage."""
        self.passages += 1
        words = self._chance.choices(self._words, k=self.words_a_passage)
        return " ".join(words)


def find_tool(library: Library) -> Tool[Any]:
    """Return a tool that finds eight passages at each call, written as a search writes them."""
    from agents.tools.passages import Passage, card_of, write_passages  # noqa: PLC0415  settings

    @tool()
    async def find(ctx: ToolContext[Any], query: str) -> ToolResult:
        """Find passages."""
        passages = []
        for number in range(PASSAGES):
            document = uuid5(_NAMESPACE, f"document {library.passages // 20}")
            passages.append(
                Passage(
                    chunk_id=uuid5(_NAMESPACE, f"{query} {number}"),
                    document_id=document,
                    base_id=_NAMESPACE,
                    document_name=f"Report {library.passages // 20}.pdf",
                    text=library.text(),
                    page_from=number + 1,
                    score=0.5,
                )
            )
        return ToolResult(
            output=write_passages(passages, ctx.aliases),
            summary=f"{len(passages)} passages",
            data={"hits": card_of(passages)},
        )

    return find


@dataclass(kw_only=True)
class Findings:
    """What was measured."""

    by_table: dict[str, int]
    rows: dict[str, int]
    on_disk: dict[str, int]
    events: int
    result_tokens: int
    run_seconds: float
    resume_seconds: float
    outcome: str

    @property
    def stored(self) -> int:
        """Bytes of all rows of the run."""
        return sum(self.by_table.values())


def measure(calls: int, tokens: int, *, folder: Path) -> Findings:
    """Make the run in an installation of its own in the empty `folder`."""
    environment = {
        "WEKNORA_DATA_DIR": str(folder),
        "WEKNORA_LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "weknora_site.settings",
    }
    os.environ.update(environment)
    with embedded_services(Layout(folder), durable=False):
        image.load(environment)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            image.prepare()
        try:
            return _measure(calls, tokens)
        finally:
            _let_go_of_the_database()


def _let_go_of_the_database() -> None:
    """Close the connections before the server goes; the pool would complain."""
    from django.db import connection  # noqa: PLC0415  after the settings

    connection.close()
    getattr(connection, "close_pool")()  # noqa: B009  only PostgreSQL's has one


def _measure(calls: int, tokens: int) -> Findings:
    from accounts.models import Space  # noqa: PLC0415  after the settings
    from core.tenancy import space_scope  # noqa: PLC0415  the same

    library = Library(words_a_passage=round(tokens / calls / PASSAGES / 1.25))
    with space_scope(Space.objects.get().pk):
        before = _on_disk()
        run = _ask(library)
        began = time.perf_counter()
        _work(run, LongWorker(calls=calls, dies=True))
        seconds = time.perf_counter() - began
        model = LongWorker(calls=calls, dies=False)
        _forget_everything()
        began = time.perf_counter()
        _work(run, model)
        resumed = model.first_asked_at - began
        run.refresh_from_db()
        by_table, rows = _stored(run)
        after = _on_disk()
        return Findings(
            by_table=by_table,
            rows=rows,
            on_disk={name: after[name] - before[name] for name in after},
            events=run.last_seq,
            result_tokens=_tokens_of_results(run),
            run_seconds=seconds,
            resume_seconds=resumed,
            outcome=run.outcome,
        )


def _ask(library: Library) -> AgentRun:
    from accounts.actors import actor_of  # noqa: PLC0415  after the settings
    from accounts.models import Membership  # noqa: PLC0415
    from agents.models import Agent  # noqa: PLC0415
    from agents.services.conversations import Question, ask  # noqa: PLC0415
    from agents.tools.registry import register_tools  # noqa: PLC0415
    from providers.models import AIModel  # noqa: PLC0415

    register_tools((find_tool(library),))
    owner = Membership.objects.select_related("user").get()
    chat = AIModel.objects.create(
        space_id=owner.space_id, name="scripted", type="chat", model_id="scripted"
    )
    agent = Agent.objects.create(
        space_id=owner.space_id,
        name="Reader",
        chat_model=chat,
        config={"allowed_tools": ["find"], "max_iterations": ROUNDS + 1},
    )
    actor = actor_of(owner.user, space_id=owner.space_id)
    return ask(actor, Question(text="What do all these reports say?", agent_id=agent.pk))


def _work(run: AgentRun, model: LongWorker) -> None:
    """Be one worker: take the run and carry it on until the model ends it or the worker dies."""
    from agents.runs import prepare  # noqa: PLC0415  after the settings
    from agents.runs.runner import run_agent  # noqa: PLC0415
    from core.jobs.handlers import JobContext  # noqa: PLC0415

    vars(prepare)["get_chat_model"] = lambda _row: model
    context = JobContext(
        job_id=run.job_id or run.pk,
        space_id=run.space_id,
        attempt=1,
        lease_epoch=1,
        deadline=time.monotonic() + 3600,
    )
    try:
        run_agent(context, run_id=run.pk)
    except WorkerDies:
        return


def _forget_everything() -> None:
    """Empty what this process keeps of messages, as in a worker that never saw the run."""
    from agents.runs import blobs  # noqa: PLC0415  after the settings

    blobs.forget()


_TABLES = {
    "agents_agentrun": "id = %(run)s",
    "agents_runevent": "run_id = %(run)s",
    "agents_toolcall": "run_id = %(run)s",
    "agents_storedresult": "run_id = %(run)s",
    "agents_modelusage": "run_id = %(run)s",
    "agents_messageblob": "true",
    "agents_message": "conversation_id = %(conversation)s",
}


def _stored(run: AgentRun) -> tuple[dict[str, int], dict[str, int]]:
    from django.db import connection  # noqa: PLC0415  after the settings

    sizes, rows = {}, {}
    for table, where in _TABLES.items():
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT column_name FROM information_schema.columns WHERE table_name = %s", [table]
            )
            parts = [f"coalesce(pg_column_size({name}), 0)" for (name,) in cursor.fetchall()]
            cursor.execute(
                f"SELECT count(*), coalesce(sum({' + '.join(parts)}), 0) FROM {table}"  # noqa: S608
                f" WHERE {where}",
                {"run": run.pk, "conversation": run.conversation_id},
            )
            found, size = cursor.fetchone()
        sizes[table], rows[table] = int(size) + _ROW_BYTES * found, found
    return sizes, rows


def _on_disk() -> dict[str, int]:
    from django.db import connection  # noqa: PLC0415  after the settings

    sizes = {}
    for table in _TABLES:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_total_relation_size(%s)", [table])
            sizes[table] = cursor.fetchone()[0]
    return sizes


def _tokens_of_results(run: AgentRun) -> int:
    from agents.engine.tokens import default_counter  # noqa: PLC0415  reads a large file
    from agents.models import RunEvent  # noqa: PLC0415  after the settings

    counter = default_counter()
    rows = RunEvent.objects.filter(run=run, type="tool_call_finished")
    return sum(counter.count(row.data["output"]) for row in rows)


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--tokens", type=int, default=215_000, help="of all results together")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weknora-storage-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o711)
        found = measure(options.calls, options.tokens, folder=Path(folder))
    print_table(
        ["table", "rows", "stored kB", "on disk kB"],
        [
            [name, found.rows[name], f"{size / 1000:,.0f}", f"{found.on_disk[name] / 1000:,.0f}"]
            for name, size in found.by_table.items()
        ],
    )
    print_table(
        ["run", "value"],
        [
            ["outcome", found.outcome],
            ["events", found.events],
            ["tokens of results", f"{found.result_tokens:,}"],
            ["seconds of the first worker", f"{found.run_seconds:.1f}"],
        ],
    )
    met = (
        found.stored < MAX_BYTES
        and found.resume_seconds < MAX_SECONDS
        and found.outcome == "answered"
    )
    value = f"{found.stored / 1e6:.2f} MB stored, {found.resume_seconds:.2f} s to resume"
    return finish(NAME, value, target=TARGET, met=met)


if __name__ == "__main__":
    sys.exit(main())
