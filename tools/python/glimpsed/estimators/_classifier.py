"""Classification."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets, unique_labels
from sklearn.utils.validation import assert_all_finite, column_or_1d

from .._checkpoints import word_of
from ._estimator import Estimator
from ._files import Files
from ._onnx import classifier_to_onnx
from ._plans import Buying
from ._rows import opened


class GlimpseClassifier(Buying, Files, ClassifierMixin, Estimator):
    """Classes by linear scores, learned while looking at `budget` attributes of each example.

    Parameters are those of GlimpseRegressor; `clip` other than 'off' keeps values that no example came near to from
    deciding. The algorithms 'pairwise' and 'pairwise-screened' learn any number of classes, the others two.

    Examples
    --------
    >>> import numpy as np
    >>> from glimpsed import GlimpseClassifier
    >>> random = np.random.default_rng(1)
    >>> X = random.normal(size=(3000, 10))
    >>> y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    >>> model = GlimpseClassifier(budget=3).fit(X, y)
    >>> model.classes_.tolist(), bool(model.score(X, y) > 0.9)
    (['no', 'yes'], True)
    >>> model.predict_proba(X[:2]).shape
    (2, 2)
    """

    classes_: np.ndarray

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GlimpseClassifier:
        """Begins again, and learns from the rows of X, in their order. X may be the path of a Parquet or Arrow file, and y the
        name of its label."""
        passes = self._passes()
        X, y = opened(X, y)
        examples = self._examples(X, reset=True, y=y)
        labels = self._checked(y)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self._begin_classes(examples)
        for _ in range(passes):
            self._learn(examples, codes, sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> GlimpseClassifier:
        """Goes on learning. `classes`: all that there will be, at the first call."""
        is_first = not hasattr(self, "_session")
        X, y = opened(X, y)
        examples = self._examples(X, reset=is_first, y=y)
        labels = self._checked(y)
        if is_first:
            self.__dict__.pop("classes_", None)  # of a fit() that failed
        if _check_partial_fit_first_call(self, classes):
            self._begin_classes(examples)
        self._learn(examples, self._codes_of(labels), sample_weight)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of classes_, a row each example."""
        session = self._fitted()
        examples = self._examples(X, reset=False)
        told = session.probabilities(examples.rows, self._range()[1])
        probabilities = np.zeros((told.shape[0], len(self.classes_)))
        is_known = self._order < told.shape[1]
        probabilities[:, is_known] = told[:, self._order[is_known]]
        return probabilities

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """Of two classes the log-odds of the second; of more the logarithm of each one's probability."""
        logarithms = self.predict_log_proba(X)
        return logarithms[:, 1] - logarithms[:, 0] if logarithms.shape[1] == 2 else logarithms

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each example."""
        probabilities = self.predict_proba(X)
        return self.classes_[np.argmax(probabilities, axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose class is predicted."""
        self._fitted()
        if self.classes_.dtype.kind == "U" and np.asarray(y).dtype.kind in "biuf" and np.size(y):
            raise ValueError(f"y holds numbers, as {np.asarray(y).ravel()[:1]!r}, and classes_ are words, "
                             f"{self.classes_!r}: of a checkpoint, name them to load(), as classes=[False, True]")
        return float(super().score(X, y, sample_weight))

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the log-odds: a row for each class, of two classes one row for the second."""
        return self._linear()[0]

    @property
    def intercept_(self) -> np.ndarray:
        """What belongs to coef_ where all attributes are 0."""
        return self._linear()[1]

    def to_onnx(self, path: Any = None) -> Any:
        """The scores as ONNX: attributes as numbers (float, [rows, attributes]) to `probabilities` ([rows, classes])."""
        return classifier_to_onnx(self, path)

    def _linear(self) -> tuple[np.ndarray, np.ndarray]:
        session = self._fitted()
        scores = session.class_model()
        if scores is None:
            raise AttributeError(f"the algorithm {session.algorithm} has no scores of classes: its probabilities come of "
                                 "the regression of the second class")
        weights, biases = scores
        coef = session.slope * weights.T[self._order][:, self._slots()]
        intercept = session.slope * biases[self._order]
        if len(self.classes_) == 2:
            return coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        return coef, intercept

    def _begin_classes(self, examples: Any) -> None:
        self._order = np.arange(len(self.classes_))
        words = [word_of(label) for label in self.classes_]
        self._begin(examples.shape[1], examples.names, examples.word_attributes, words)

    def _codes_of(self, labels: np.ndarray) -> np.ndarray:
        places = np.searchsorted(self.classes_, labels)
        places[places == len(self.classes_)] = 0
        is_other = self.classes_[places] != labels
        if np.any(is_other):
            other = labels[np.argmax(is_other)]
            raise ValueError(f"y has the class {other!r}, which is not among classes_ {self.classes_!r}")
        return self._order[places]

    @staticmethod
    def _checked(y: Any) -> np.ndarray:
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        unique_labels(labels)
        return labels
