"""The converted embedder is the original's equal, made once, and never half."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from providers.local import convert
from providers.local.convert import ConversionFailed, ensure_converted, locate
from providers.local.e5 import DIMENSIONS, MAXIMUM_TOKENS, NativeE5, OnnxE5
from providers.local.weights import Weights, WeightsUnusable, bundled_weights
from tests.providers.local_server import models_data_dir

TEXTS = [
    "How much protein should a female eat per day?",
    "第七条 供应商应在收到通知后十个工作日内作出书面答复。",
    "会議は来週の火曜日に延期されました。",
    "계약 기간은 서명일로부터 2년으로 한다.",
    "ＦＵＬＬ　ｗｉｄｔｈ, ﬁne ligatures and emoji 👩‍🚀",
    "def f(x):\n    return x ** 2  # squared",
    "",
]


@pytest.fixture(scope="module")
def onnx() -> OnnxE5:
    return OnnxE5(ensure_converted(models_data_dir()), threads=1)


@pytest.fixture(scope="module")
def native() -> NativeE5:
    return NativeE5()


@pytest.mark.parametrize("text", TEXTS)
def test_converted_vectors_are_the_originals(text: str, onnx: OnnxE5, native: NativeE5) -> None:
    ours, theirs = (engine.embed_text(text, kind="passage") for engine in (onnx, native))
    assert float(ours.vector @ theirs.vector) > 0.99
    assert ours.tokens == theirs.tokens
    assert float(np.linalg.norm(ours.vector)) == pytest.approx(1, abs=1e-4)


def test_queries_and_passages_differ(onnx: OnnxE5) -> None:
    query, passage = (onnx.embed_text("apple", kind=kind).vector for kind in ("query", "passage"))
    assert float(query @ passage) < 0.99


def test_two_engines_have_two_identities(onnx: OnnxE5, native: NativeE5) -> None:
    assert onnx.identity != native.identity
    assert locate(models_data_dir()).key in onnx.identity


def test_a_long_text_is_cut_at_its_end(onnx: OnnxE5) -> None:
    embedded = onnx.embed_text("word " * 5000, kind="passage")
    assert embedded.tokens == MAXIMUM_TOKENS
    assert np.isfinite(embedded.vector).all()


def test_token_vectors_leave_prefix_and_markers_out(onnx: OnnxE5) -> None:
    query = onnx.token_vectors("capital of France", kind="query")
    passage = onnx.token_vectors("capital of France", kind="passage")
    assert query.shape == passage.shape == (3, DIMENSIONS)
    assert np.allclose(np.linalg.norm(query, axis=1), 1, atol=1e-4)


def test_embedding_rows_are_the_tables_rows() -> None:
    weights = Weights(bundled_weights())
    shape = weights.shape
    assert (shape.hidden, shape.layers) == (DIMENSIONS, 12)
    ids = np.array([5, 100_000, 5])
    rows = weights.embedding_rows(ids)
    assert rows.shape == (3, DIMENSIONS)
    assert (rows[0] == rows[2]).all()
    assert not (rows[0] == rows[1]).all()


def test_two_starters_convert_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Path] = []

    def fake(model: convert.ConvertedModel) -> None:
        calls.append(model.folder)
        model.folder.mkdir()

    monkeypatch.setattr(convert, "_convert_in_subprocess", fake)
    threads = [threading.Thread(target=ensure_converted, args=(tmp_path,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == [locate(tmp_path).folder]


def test_a_model_that_differs_is_refused_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(convert, "_lowest_cosine", lambda model: 0.42)
    assert convert.main([str(bundled_weights()), str(tmp_path)]) == 1
    assert "cosine 0.4200, at least 0.99 is needed" in capsys.readouterr().err
    assert not (tmp_path / "done").exists()


def test_a_failed_conversion_says_why_and_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = tmp_path / "weights.bin"
    weights.write_bytes(b"E5S1 but nothing else")
    monkeypatch.setattr(convert, "bundled_weights", lambda: weights)
    with pytest.raises(ConversionFailed, match="cut short or damaged"):
        ensure_converted(tmp_path)
    assert not locate(tmp_path).folder.exists()
    assert list((tmp_path / "models").glob("making-*")) == []


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(WeightsUnusable, match="not an E5S1 file"):
        Weights(path)
