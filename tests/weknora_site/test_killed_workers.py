"""SIGKILL of a worker in mid-work: another goes on from the rows, nothing is lost, nothing is twice."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.product import Product, wait_for
from tests.slow_model import SlowModel

pytestmark = [pytest.mark.slow, pytest.mark.serial]
WORDS = [f"word{number} " for number in range(50)]
PARAGRAPHS = 160


@pytest.fixture(scope="module")
def model() -> Iterator[SlowModel]:
    running = SlowModel(WORDS, pause_seconds=0.12)
    yield running
    running.close()


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory, model: SlowModel) -> Iterator[Product]:
    running = Product(
        tmp_path_factory.mktemp("killed"),
        WEKNORA_JOB_LEASE_SECONDS="4",
        WEKNORA_JOB_HEARTBEAT_SECONDS="1",
        WEKNORA_HOUSEKEEPING_SECONDS="1",
        LLM_BASE_URL=model.url,
        LLM_MODEL_NAME="slow",
    )
    running.start()
    yield running
    running.stop()


def in_background(product: Product, *arguments: str) -> tuple[threading.Thread, list[Any]]:
    """Run a command beside the test; its result is put into the list."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(product.command(*arguments)))
    thread.start()
    return thread, found


def test_ingestion_goes_on_where_its_worker_was_killed(product: Product) -> None:
    path = product.data_dir / "long.md"
    sections = (
        f"## Rule {n}\n\n" + f"Rule number {n} says that lamp {n} burns at night. " * 12
        for n in range(PARAGRAPHS)
    )
    path.write_text("\n\n".join(sections), encoding="utf-8")
    thread, result = in_background(product, "ingest", str(path), "--base", "Lamps", "--wait")
    wait_for(
        lambda: product.rows("SELECT 1 FROM knowledge_stage WHERE name = 'embed' AND done > 8"),
        seconds=60,
        what="the passages are being embedded",
    )
    product.kill_worker("ingest")
    thread.join(timeout=120)
    assert result[0]["documents"] == [{"name": "long.md", "state": "completed", "reason": ""}]
    document = "(SELECT id FROM knowledge_document WHERE name = 'long.md')"
    [(chunks, positions)] = product.rows(
        "SELECT count(*), count(DISTINCT position) FROM knowledge_chunk"
        f" WHERE document_id = {document}"
    )
    assert chunks == positions >= PARAGRAPHS / 2
    for table in ("knowledge_embedding", "knowledge_keywordrow"):
        [(rows,)] = product.rows(
            f"SELECT count(*) FROM {table} t JOIN knowledge_chunk c ON c.id = t.chunk_id"
            f" WHERE c.document_id = {document}"
        )
        assert rows == chunks, table
    [(counted,)] = product.rows(
        "SELECT chunk_count FROM knowledge_termstatistic t JOIN knowledge_knowledgebase b"
        " ON b.id = t.base_id WHERE b.name = 'Lamps' AND term = ''"
    )
    assert counted == chunks


def test_answer_goes_on_when_its_worker_is_killed(product: Product, model: SlowModel) -> None:
    calls = model.calls
    thread, result = in_background(product, "ask", "Count for me.", "--base", "Demo")
    wait_for(
        lambda: product.rows("SELECT 1 FROM agents_runevent WHERE data->>'text' LIKE '%word5%'"),
        seconds=60,
        what="the answer has begun",
    )
    product.kill_worker("runs")
    thread.join(timeout=120)
    answer = result[0]
    assert answer["finish"] == "answered"
    assert answer["answer"].split() == [word.strip() for word in WORDS]
    assert model.calls == calls + 2
    run = f"run_id = '{answer['run_id']}'"
    events = product.rows(f"SELECT seq, seq_to, type FROM agents_runevent WHERE {run} ORDER BY seq")
    assert [row[0] for row in events] == [1, *(row[1] + 1 for row in events[:-1])]
    assert [row[2] for row in events].count("run_finished") == 1
    [(answers,)] = product.rows("SELECT count(*) FROM agents_message WHERE role = 'assistant'")
    assert answers == 1
