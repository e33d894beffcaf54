"""Linear models as ONNX."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


_LARGEST = 1e30  # a number beyond it counts as missing wherever it comes from


class _Reach(NamedTuple):
    """How far predictions believe in each attribute. Beyond `low` and `high` a value counts as missing, as NaN does; of
    the others what is beyond `bound` counts as that."""

    low: np.ndarray
    high: np.ndarray
    bound: np.ndarray | None


def _reach(estimator: Any) -> _Reach:
    session = estimator._fitted()
    reaches = session.reaches()
    if estimator._range()[1] is False or len(reaches) == 0:
        everything = np.full(session.dimension, _LARGEST)
        return _Reach(-everything, everything, None)
    largest, low, high = reaches.T
    bound = np.where(largest > 0, 1.5 * largest, _LARGEST)
    return _Reach(np.maximum(low, -_LARGEST), np.minimum(high, _LARGEST), np.minimum(bound, _LARGEST))


class _Graph:
    """Nodes one behind the other."""

    def __init__(self, estimator: Any) -> None:
        import onnx

        session = estimator._fitted()
        if len(session.features()) > session.dimension:
            raise ValueError("to_onnx() tells models of numbers; this one has categories, dates or products")
        self.onnx = onnx
        self.dimension = session.dimension
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.last = "X"

    def constant(self, name: str, numbers: np.ndarray) -> str:
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(numbers, dtype=np.float32), name))
        return name

    def add(self, kind: str, output: str, *constants: np.ndarray, **attributes: Any) -> None:
        names = [self.constant(f"{output}_{place}", constant) for place, constant in enumerate(constants)]
        self.nodes.append(self.onnx.helper.make_node(kind, [self.last, *names], [output], **attributes))
        self.last = output

    def bound(self, estimator: Any) -> None:
        """Missing and wild values become the attribute's mean, and others stay within reach."""
        reach = _reach(estimator)
        self.add("GreaterOrEqual", "above_low", reach.low)  # of NaN false, as the next
        self.last = "X"
        self.add("LessOrEqual", "below_high", reach.high)
        self.nodes.append(self.onnx.helper.make_node("And", ["above_low", "below_high"], ["is_known"]))
        means = self.constant("means", estimator._fitted().means())
        self.nodes.append(self.onnx.helper.make_node("Where", ["is_known", "X", means], ["known"]))
        self.last = "known"
        if reach.bound is not None:
            self.add("Max", "above", -reach.bound)
            self.add("Min", "within", reach.bound)

    def finish(self, output: str, width: int, path: Any) -> Any:
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        self.nodes[-1].output[0] = output
        graph = helper.make_graph(
            self.nodes, "glimpse", [helper.make_tensor_value_info("X", kinds.FLOAT, [None, self.dimension])],
            [helper.make_tensor_value_info(output, kinds.FLOAT, [None, width])], self.constants)
        model = helper.make_model(graph, producer_name="glimpse", opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        self.onnx.checker.check_model(model)
        if path is not None:
            self.onnx.save(model, path)
        return model


def regressor_to_onnx(estimator: Any, path: Any) -> Any:
    graph = _Graph(estimator)
    weights = estimator.coef_
    if len(estimator._fitted().model()[0]) != graph.dimension:
        raise ValueError("to_onnx() tells models of attributes; this one has products")
    bounds, is_auto = estimator._range()
    if is_auto:
        bounds = estimator._fitted().label_range()
    graph.bound(estimator)
    graph.add("MatMul", "product", weights[:, None])
    graph.add("Add", "sum", np.array([estimator.intercept_]))
    if bounds is not None:
        graph.add("Max", "low", np.array([bounds[0]]))
        graph.add("Min", "high", np.array([bounds[1]]))
    return graph.finish("prediction", 1, path)


def classifier_to_onnx(estimator: Any, path: Any) -> Any:
    graph = _Graph(estimator)
    coef, intercept = estimator.coef_, estimator.intercept_
    if len(coef) == 1 and len(estimator.classes_) == 2:
        coef, intercept = np.vstack([np.zeros_like(coef), coef]), np.concatenate([[0.0], intercept])
    graph.bound(estimator)
    graph.add("MatMul", "product", coef.T)
    graph.add("Add", "scores", intercept)
    graph.add("Softmax", "softmax", axis=1)
    return graph.finish("probabilities", len(estimator.classes_), path)
