"""The load and the change of `reembedding.py`; imported once the settings are there."""

from __future__ import annotations

import random
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import connection
from django.utils import timezone

from benchmarks._forks import fork, kill
from benchmarks._library import Library, make_file
from benchmarks._reembedding_findings import Findings
from benchmarks._report import progress
from core.tenancy import space_scope
from knowledge.constants import EmbeddingChangeState as State
from knowledge.ingest.embed import text_of_vector
from knowledge.models import Embedding, EmbeddingChange
from knowledge.reembedding import services
from knowledge.reembedding.keeper import end_old_changes
from knowledge.reembedding.queries import compared_passages, open_change
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from providers.constants import ModelType, Provider
from providers.models import AIModel
from weknora_site.supervisor import image

LIMIT_SECONDS = 900.0
"""What takes longer ends the measuring."""
SAME = 0.999
"""Cosine of a passage with its own words; vectors are kept in half precision."""


class Askers:
    """Threads that ask for passages they know, and note what went wrong."""

    def __init__(self, library: Library, found: Findings) -> None:
        self.library, self.found = library, found
        self.phase = "before"
        self.known: list[tuple[UUID, str]] = []
        self._times: dict[str, list[float]] = {}
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def learn(self) -> None:
        """Read which passages can be found."""
        library = self.library
        with space_scope(library.space_id):
            rows = compared_passages(library.base.pk).select_related("document")
            self.known = [(row.pk, text_of_vector(row.document, row)) for row in rows]

    @contextmanager
    def asking(self, threads: int) -> Iterator[None]:
        """Ask from so many threads during the block."""
        self._threads = [
            threading.Thread(target=self._ask, args=(number,), daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._stop.set()
            for thread in self._threads:
                thread.join(60)
            self.found.questions = {name: len(times) for name, times in self._times.items()}
            self.found.p50_ms = {
                name: round(1000 * statistics.median(times), 1)
                for name, times in self._times.items()
            }

    def _ask(self, number: int) -> None:

        chance = random.Random(number)  # noqa: S311
        library = self.library
        while not self._stop.is_set():
            phase = self.phase
            chunk_id, words = chance.choice(self.known)
            began = time.monotonic()
            try:
                with space_scope(library.space_id):
                    result = retrieve(
                        library._actor,
                        query=words,
                        scope=Scope(base_ids=(library.base.pk,)),
                    )
            except Exception as error:  # noqa: BLE001  it is what is counted
                self.found.failures.append(f"{phase}: {error!r}")
                continue
            self._times.setdefault(phase, []).append(time.monotonic() - began)
            self.found.failures += [f"{phase}: {each}" for each in result.warnings]
            scores = [hit.dense_score or 0.0 for hit in result.hits if hit.chunk_id == chunk_id]
            if not scores or scores[0] < SAME:
                self.found.lost.append(f"{phase}: {chunk_id} {scores}")
        connection.close()


def change_under_load(files: int, *, threads: int, seconds: float, address: str) -> Findings:
    """Fill a base, ask it all the time, and change its model there, back and there again."""
    chance = random.Random(1)  # noqa: S311
    library = Library("Shelf", embedding_address=address)
    numbers = iter(range(10**9))
    for _ in range(files):
        library.add(make_file(next(numbers), chance))
    _until(lambda: library.open_documents() == 0)
    progress(f"{files} files are searchable")
    with space_scope(library.space_id):
        second = AIModel.objects.create(
            space_id=library.space_id,
            name="Other vectors",
            type=ModelType.EMBEDDING,
            provider=Provider.OPENAI_COMPATIBLE,
            base_url=address,
            model_id="other-vectors",
        )
        found = Findings()
        asker = Askers(library, found)
        asker.learn()
        actor, base_id = library._actor, library.base.pk

        def is_in(state: str) -> Callable[[], bool]:
            return lambda: getattr(open_change(base_id), "state", "") == state

        def switch(name: str, act: Callable[..., bool]) -> None:
            began = time.monotonic()
            while not act(actor, base_id=base_id):
                _until(lambda: not getattr(open_change(base_id), "wants_switch", False))
                break
            found.switches_ms[name] = round(1000 * (time.monotonic() - began), 1)
            progress(f"{name} after {found.switches_ms[name]} ms")

        def phase(name: str, *, adds: bool = True) -> None:
            asker.phase = name
            ends = time.monotonic() + seconds
            while time.monotonic() < ends:
                if adds:
                    library.add(make_file(next(numbers), chance))
                    found.arrived += 1
                time.sleep(seconds / 10)

        builder = fork(image.worker("runs"))
        try:
            with asker.asking(threads):
                phase("before")
                asker.phase = "building"
                services.start_change(actor, base_id=base_id, model_id=second.pk)
                _until(lambda: EmbeddingChange.objects.get().done > files // 5)
                kill(builder)
                progress("the worker is killed in the middle")
                builder = fork(image.worker("runs"))
                phase("building")
                _until(is_in(State.READY))
                switch("cut over", services.cut_over)
                phase("live")
                switch("undo", services.undo)
                phase("undone")
                services.start_change(actor, base_id=base_id, model_id=second.pk)
                _until(is_in(State.READY))
                switch("cut over again", services.cut_over)
                services.finish(actor, base_id=base_id)
                EmbeddingChange.objects.update(kept_until=timezone.now())
                asker.phase = "finished"
                end_old_changes()
                _until(lambda: not EmbeddingChange.objects.filter(forgotten_at=None).exists())
                phase("finished", adds=False)
                _until(lambda: library.open_documents() == 0)
                asker.learn()
                phase("with what arrived", adds=False)
            old = EmbeddingChange.objects.order_by("created_at")[0].from_identity
            found.passages = len(asker.known)
            found.leftover = Embedding.objects.filter(base_id=base_id, identity=old).count()
        finally:
            kill(builder)
    return found


def _until(is_true: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not is_true():
        if time.monotonic() - began > LIMIT_SECONDS:
            raise SystemExit(f"reembedding: it took longer than {LIMIT_SECONDS:.0f} s")
        time.sleep(0.05)
