"""Regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import assert_all_finite, column_or_1d

from ._estimator import Estimator
from ._files import Files
from ._onnx import regressor_to_onnx
from ._plans import Buying
from ._rows import opened


class GlimpseRegressor(Buying, Files, RegressorMixin, Estimator):
    """A linear model of a number, learned while looking at `budget` attributes of each example.

    Parameters
    ----------
    budget : how many attributes of each example are looked at, from 2; where there are fewer, all are
    costs : prices of attributes: a sequence, or {"bilirubin": (7.27, "blood"), "sgot": (7.27, "blood"), "@blood": 2.10}
    algorithm : 'auto', 'pairwise', 'pairwise-screened', 'two-phase-ddaerr', ...: the daemon's
    seed : of the draws; None: another one each time
    budget_cost : with `costs`, what an example may cost
    passes : how often fit() goes over its examples
    clip : predictions are moved into the range of the labels ('auto'), into (low, high), or not at all ('off')
    validate : 'full': no number of X may be infinite; 'looked': none of those that are looked at
    options : further options of the daemon, by name: {"half_life": 10000, "drift": "auto"}

    Examples
    --------
    >>> import numpy as np
    >>> from glimpsed import GlimpseRegressor
    >>> random = np.random.default_rng(1)
    >>> X = random.normal(size=(2000, 20)).astype(np.float32)
    >>> y = X[:, 3] - 2 * X[:, 7]
    >>> model = GlimpseRegressor(budget=4).fit(X, y)
    >>> model.attributes_revealed_
    8000
    >>> round(model.score(X, y), 2), round(GlimpseRegressor(budget=4, passes=3).fit(X, y).score(X, y), 2)
    (0.89, 0.98)
    >>> [int(place) for place in np.argsort(-model.importances_)[:2]]
    [7, 3]
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GlimpseRegressor:
        """Begins again, and learns from the rows of X, in their order. X may be the path of a Parquet or Arrow file, and y the
        name of its label."""
        passes = self._passes()
        X, y = opened(X, y)
        examples = self._examples(X, reset=True, y=y)
        labels = self._labels(y)
        self._begin(examples.shape[1], examples.names, examples.word_attributes, None)
        for _ in range(passes):
            self._learn(examples, labels, sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> GlimpseRegressor:
        """Goes on learning."""
        is_first = not hasattr(self, "_session")
        X, y = opened(X, y)
        examples = self._examples(X, reset=is_first, y=y)
        labels = self._labels(y)
        if is_first:
            self._begin(examples.shape[1], examples.names, examples.word_attributes, None)
        self._learn(examples, labels, sample_weight)
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predictions by the newest model. Values that are missing (NaN) are told from those given. `return_std`: their
        standard errors as well, of a row whose attributes are all known that of the model; NaN: not known."""
        session = self._fitted()
        examples = self._examples(X, reset=False)
        bounds, is_auto = self._range()
        return session.predict(examples.rows, bounds, is_auto, return_std)

    @property
    def coef_(self) -> np.ndarray:
        """The weights, as many as slot_names_ has names for them."""
        return np.array(self._fitted().model()[0][self._slots()])

    @property
    def intercept_(self) -> float:
        """The bias."""
        return float(self._fitted().model()[1])

    def to_onnx(self, path: Any = None) -> Any:
        """The linear model as ONNX: attributes as numbers (float, [rows, attributes]) to `prediction` ([rows, 1]),
        moved into the range that `clip` says. `path`: written there as well. Categories and products are refused. What
        is missing, and what predict() takes for missing, counts as the attribute's mean."""
        return regressor_to_onnx(self, path)

    @staticmethod
    def _labels(y: Any) -> np.ndarray:
        if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "fiu" and np.isfinite(y).all():
            return y.astype(np.float64, copy=False)
        labels = column_or_1d(y, warn=True)
        if np.iscomplexobj(labels):
            raise ValueError("Complex data not supported")
        labels = labels.astype(np.float64, copy=False)
        assert_all_finite(labels, input_name="y")
        return labels
