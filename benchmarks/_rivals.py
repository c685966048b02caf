"""Asks other retrieval systems, in a Python of their own, on a base's passages and vectors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import numpy as np

from benchmarks._report import progress
from knowledge.models import Embedding, KnowledgeBase
from knowledge.text.analyze import analyze
from providers.services.clients import get_embedding_model

_BATCH = 64
SYSTEMS = ("BM25 (bm25s)", "dense alone", "LlamaIndex fusion")


def ask_rivals(base_id: UUID, questions: Sequence[str]) -> dict[str, list[list[str]]]:
    """Return by system, for each question, the names of the documents, best passage first.

    A system that is not installed is left out, and standard error tells so.
    """
    python = os.environ.get("WEKNORA_PEERS_PYTHON", sys.executable)
    script = Path(__file__).with_name("_retrieval_peers.py")
    with tempfile.TemporaryDirectory(prefix="weknora-rivals-") as folder:
        _write(Path(folder), base_id, questions)
        found = {}
        for system in SYSTEMS:
            done = subprocess.run(  # noqa: S603  our own script
                [python, str(script), system, folder], capture_output=True, text=True, check=False
            )
            if done.returncode:
                progress(f"{system} was left out: {done.stderr.strip()[-300:]}")
            else:
                found[system] = json.loads(done.stdout.splitlines()[-1])
        return found


def _write(folder: Path, base_id: UUID, questions: Sequence[str]) -> None:
    rows = list(
        Embedding.objects.filter(base_id=base_id)
        .select_related("chunk__document")
        .order_by("chunk__document__name", "chunk__position")
    )
    model = get_embedding_model(KnowledgeBase.objects.get(pk=base_id).embedding_model)
    asked = np.concatenate(
        [
            model.embed(list(questions[start : start + _BATCH]), kind="query")
            for start in range(0, len(questions), _BATCH)
        ]
    )
    passages = np.array([np.asarray(row.vector, dtype=np.float32) for row in rows])
    np.savez(folder / "vectors.npz", passages=passages, questions=asked)
    (folder / "texts.json").write_text(
        json.dumps(
            {
                "names": [row.chunk.document.name for row in rows],
                "passages": [analyze(row.chunk.text) for row in rows],
                "questions": [analyze(question) for question in questions],
            }
        )
    )
