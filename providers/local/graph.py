"""Writes the e5 encoder as an ONNX graph: input embeddings and a mask in, token vectors out.

The embedding table stays outside of the graph (see `weights`), so the file has 20 MB. Needs the
`onnx` package, which only the conversion imports.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from providers.local.weights import Weights

_OPSET = 17
_IR_VERSION = 9
_MASKED = -1e4


def write_encoder(weights: Weights, path: Path) -> None:
    """Write the encoder with float32 weights to `path`."""
    graph = _Graph(weights)
    graph.write(path)


class _Graph:
    """Collects nodes and constants; each method adds one part and returns its output's name."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._shape = weights.shape
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._add_shared_constants()

    def write(self, path: Path) -> None:
        state = self._embed()
        mask = self._mask()
        for layer in range(self._shape.layers):
            state = self._layer(state, mask, layer)
        hidden = self._shape.hidden
        graph = helper.make_graph(
            self._nodes,
            "e5",
            [
                helper.make_tensor_value_info(
                    "inputs_embeds", TensorProto.FLOAT, ["b", "s", hidden]
                ),
                helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["b", "s"]),
            ],
            [helper.make_tensor_value_info(state, TensorProto.FLOAT, ["b", "s", hidden])],
            self._constants,
        )
        opset = helper.make_opsetid("", _OPSET)
        model = helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION)
        onnx.checker.check_model(model)
        onnx.save(model, str(path))

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        # from_array wants C order; np.ascontiguousarray would turn scalars into vectors.
        self._constants.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def _node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def _add_shared_constants(self) -> None:
        shape = self._shape
        head_size = shape.hidden // shape.heads
        self._constant("zero", np.array(0))
        self._constant("one", np.array(1))
        self._constant("axes", np.array([1, 2]))
        self._constant("split", np.array([0, 0, shape.heads, head_size]))
        self._constant("join", np.array([0, 0, shape.hidden]))
        self._constant("one_f", np.float32(1) * np.ones((), np.float32))
        self._constant("half", np.full((), 0.5, np.float32))
        self._constant("inv_sqrt2", np.full((), math.sqrt(0.5), np.float32))
        self._constant("scale", np.full((), 1 / math.sqrt(head_size), np.float32))
        self._constant("masked", np.full((), _MASKED, np.float32))

    def _embed(self) -> str:
        hidden, positions = self._shape.hidden, self._shape.positions
        table = self._weights.vector("emb.pos").reshape(-1, hidden)[:positions]
        self._constant("positions", table + self._weights.vector("emb.type")[:hidden])
        shape = self._node("Shape", ["inputs_embeds"], "shape")
        length = self._node("Gather", [shape, "one"], "length")
        steps = self._node("Range", ["zero", length, "one"], "steps")
        rows = self._node("Gather", ["positions", steps], "position_rows")
        total = self._node("Add", ["inputs_embeds", rows], "embedded")
        return self._norm(total, "emb.ln", "embedded_norm")

    def _mask(self) -> str:
        as_float = self._node("Cast", ["attention_mask"], "mask_f", to=TensorProto.FLOAT)
        absent = self._node("Sub", ["one_f", as_float], "absent")
        penalty = self._node("Mul", [absent, "masked"], "penalty")
        return self._node("Unsqueeze", [penalty, "axes"], "mask")

    def _layer(self, state: str, mask: str, layer: int) -> str:
        prefix = f"l{layer}"
        attended = self._attention(state, mask, prefix)
        total = self._node("Add", [state, attended], f"{prefix}.sum1")
        state = self._norm(total, f"{prefix}.aln", f"{prefix}.norm1")
        total = self._node("Add", [state, self._feed_forward(state, prefix)], f"{prefix}.sum2")
        last = layer == self._shape.layers - 1
        return self._norm(
            total, f"{prefix}.oln", "last_hidden_state" if last else f"{prefix}.norm2"
        )

    def _attention(self, state: str, mask: str, prefix: str) -> str:
        query = self._heads(state, f"{prefix}.q", [0, 2, 1, 3])
        key = self._heads(state, f"{prefix}.k", [0, 2, 3, 1])
        value = self._heads(state, f"{prefix}.v", [0, 2, 1, 3])
        scores = self._node("MatMul", [query, key], f"{prefix}.scores")
        scores = self._node("Mul", [scores, "scale"], f"{prefix}.scaled")
        scores = self._node("Add", [scores, mask], f"{prefix}.visible")
        shares = self._node("Softmax", [scores], f"{prefix}.shares", axis=-1)
        context = self._node("MatMul", [shares, value], f"{prefix}.context")
        context = self._node("Transpose", [context], f"{prefix}.rows", perm=[0, 2, 1, 3])
        context = self._node("Reshape", [context, "join"], f"{prefix}.joined")
        hidden = self._shape.hidden
        return self._linear(context, f"{prefix}.ao", rows=hidden, columns=hidden)

    def _heads(self, state: str, name: str, order: list[int]) -> str:
        hidden = self._shape.hidden
        projected = self._linear(state, name, rows=hidden, columns=hidden)
        parts = self._node("Reshape", [projected, "split"], f"{name}.parts")
        return self._node("Transpose", [parts], f"{name}.heads", perm=order)

    def _feed_forward(self, state: str, prefix: str) -> str:
        hidden, inner = self._shape.hidden, self._shape.feed_forward
        wide = self._linear(state, f"{prefix}.fi", rows=inner, columns=hidden)
        scaled = self._node("Mul", [wide, "inv_sqrt2"], f"{prefix}.g1")
        error = self._node("Erf", [scaled], f"{prefix}.g2")
        factor = self._node("Add", [error, "one_f"], f"{prefix}.g3")
        product = self._node("Mul", [wide, factor], f"{prefix}.g4")
        gelu = self._node("Mul", [product, "half"], f"{prefix}.gelu")
        return self._linear(gelu, f"{prefix}.fo", rows=hidden, columns=inner)

    def _linear(self, state: str, name: str, *, rows: int, columns: int) -> str:
        matrix = self._weights.matrix(f"{name}.w", rows=rows, columns=columns)
        self._constant(f"{name}.W", matrix.T)
        self._constant(f"{name}.B", self._weights.vector(f"{name}.b"))
        product = self._node("MatMul", [state, f"{name}.W"], f"{name}.product")
        return self._node("Add", [product, f"{name}.B"], f"{name}.out")

    def _norm(self, state: str, name: str, output: str) -> str:
        self._constant(f"{name}.W", self._weights.vector(f"{name}.w"))
        self._constant(f"{name}.B", self._weights.vector(f"{name}.b"))
        inputs = [state, f"{name}.W", f"{name}.B"]
        epsilon = self._shape.norm_epsilon
        return self._node("LayerNormalization", inputs, output, axis=-1, epsilon=epsilon)
