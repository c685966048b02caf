"""The OCR process: loads its models once, locks the door, then reads one picture after another.

Started by `helper_process.py` as `python -m knowledge.ingest.ocr_worker FD IDLE_SECONDS`. It sees
raw pixels only; files are decoded in a forked child of the parser process. It lives on between
pictures because its models take seconds to load and its threads would not survive a fork.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import sys
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from rapidocr import RapidOCR
from rapidocr.utils.output import RapidOCROutput

from core.isolation import MIB, Limits, apply_limits, drop_root, leave_network
from knowledge.ingest.wire import dump

_MAX_REQUEST_BYTES = 64_000
# The line classifier turns correct lines upside down: 24 % wrong characters with it, 0.1 without.
# A second thread mostly waits for the first: 5.0 seconds of two processors against 3.1 of one.
_OPTIONS = {
    "Global.use_cls": False,
    "Global.log_level": "critical",
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}
_SAMPLE_SIZE = (400, 100)
_LIMITS = Limits(memory_bytes=4096 * MIB, cpu_seconds=None)


def read_picture(engine: RapidOCR, pixels: bytes, width: int, height: int) -> list[list[Any]]:
    """Return the lines as [[left, top, right, bottom], text, score from 0 to 1] in pixels."""
    picture = np.frombuffer(pixels, np.uint8).reshape(height, width, 3)
    found = engine(picture)
    if not isinstance(found, RapidOCROutput) or found.boxes is None:
        return []
    return [
        [
            [float(edge) for edge in (*corners.min(axis=0), *corners.max(axis=0))],
            text,
            float(score),
        ]
        for corners, text, score in zip(
            found.boxes, found.txts or (), found.scores or (), strict=True
        )
    ]


def serve(control: socket.socket, engine: RapidOCR, idle_seconds: float) -> None:
    """Work until the owner is gone or nothing came for `idle_seconds`."""
    while select.select([control], [], [], idle_seconds)[0]:
        message, descriptors, _, _ = socket.recv_fds(control, _MAX_REQUEST_BYTES, 4)
        if not message:
            return
        content, result, errors, line = descriptors
        with socket.socket(fileno=line) as report:
            _answer(engine, json.loads(message), content, result)
            for descriptor in (content, result, errors):
                os.close(descriptor)
            # The owner may have cancelled meanwhile.
            with contextlib.suppress(OSError):
                report.sendall(dump({"signal": 0, "timed_out": False}))


def _answer(engine: RapidOCR, request: dict[str, Any], content: int, result: int) -> None:
    width, height = request["width"], request["height"]
    try:
        pixels = os.pread(content, width * height * 3, 0)
        answer: dict[str, Any] = {"lines": read_picture(engine, pixels, width, height)}
    except (MemoryError, OSError, RuntimeError, ValueError) as error:
        answer = {"lines": [], "failed": [repr(error)[:300]]}
    data = memoryview(dump(answer))
    while data:
        data = data[os.write(result, data) :]


def _sample() -> bytes:
    picture = Image.new("RGB", _SAMPLE_SIZE, "white")
    ImageDraw.Draw(picture).text((20, 20), "Sample text 123", "black", font_size=40)
    return picture.tobytes()


def main() -> None:
    """Load everything while it is still trusted, then lock the door and serve."""
    control = socket.socket(fileno=int(sys.argv[1]))
    left = leave_network()
    engine = RapidOCR(params=_OPTIONS)
    # The first words that are read load the rest.
    if not read_picture(engine, _sample(), *_SAMPLE_SIZE):
        raise RuntimeError("OCR does not read its own sample: the models are missing or broken.")
    drop_root()
    apply_limits(_LIMITS, network_left=left)
    serve(control, engine, float(sys.argv[2]))


if __name__ == "__main__":
    main()
