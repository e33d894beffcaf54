"""Linear models as ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np


def _reach(estimator: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """How far predictions believe in each attribute: what is beyond counts as that."""
    reaches = estimator._fitted().reaches()
    if estimator._range()[1] is False or len(reaches) == 0:
        return None
    bound = np.where(reaches[:, 0] > 0, 1.5 * reaches[:, 0], np.inf)
    largest = float(np.finfo(np.float32).max)
    return np.maximum(-bound, -largest).astype(np.float32), np.minimum(bound, largest).astype(np.float32)


class _Graph:
    """Nodes one behind the other."""

    def __init__(self, estimator: Any) -> None:
        import onnx

        session = estimator._fitted()
        if session.slots():
            raise ValueError("to_onnx() tells models of numbers; this one has categories")
        self.onnx = onnx
        self.dimension = session.dimension
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.last = "X"

    def add(self, kind: str, output: str, *constants: np.ndarray, **attributes: Any) -> None:
        names = []
        for place, constant in enumerate(constants):
            names.append(f"{output}_{place}")
            self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(constant, dtype=np.float32), names[-1]))
        self.nodes.append(self.onnx.helper.make_node(kind, [self.last, *names], [output], **attributes))
        self.last = output

    def bound(self, estimator: Any) -> None:
        reach = _reach(estimator)
        if reach is not None:
            self.add("Max", "above", reach[0])
            self.add("Min", "within", reach[1])

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
    if len(weights) != graph.dimension:
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
