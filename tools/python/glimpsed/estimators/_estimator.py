"""What the regressor and the classifier share."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.utils.validation import check_consistent_length

from .. import _core
from ._options import beginning_of, clip_of, session_of, whole
from ._rows import Examples, examples_of, with_attributes
from ._sklearn import check_attributes, check_weights


_KINDS = (np.dtype(np.float32), np.dtype(np.float64))  # what the extension reads


class Started(NamedTuple):
    """What a session was begun with, beside the parameters."""

    names: list[str] | None
    has_classes: bool


class Estimator(BaseEstimator):
    """Parameters, rows, fitting, and what is known of a model."""

    _session: _core.Session
    _started: Started
    n_features_in_: int

    def __init__(self, budget: int = 5, costs: Any = None, algorithm: str = "auto", seed: int | None = 1, *,
                 budget_cost: Any = None, passes: int = 1, clip: Any = "auto", validate: str = "full",
                 options: Any = None) -> None:
        self.budget = budget
        self.costs = costs
        self.algorithm = algorithm
        self.seed = seed
        self.budget_cost = budget_cost
        self.passes = passes
        self.clip = clip
        self.validate = validate
        self.options = options

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_session")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # the same, before 1.6
        return {"allow_nan": True}

    def _fitted(self) -> _core.Session:
        if not hasattr(self, "_session"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate "
                                 "arguments before using this estimator.")
        return self._session

    # Examples.

    def _examples(self, X: Any, reset: bool, y: Any = "no_validation") -> Examples:
        if self.validate not in ("full", "looked"):
            raise ValueError(f"validate={self.validate!r}: must be 'full' or 'looked'")
        if not reset and y is not None and self._is_ready(X):
            examples = Examples(_core.Rows.matrix(X), None, [], X.shape, X)
        else:
            if not reset:
                X = with_attributes(X, getattr(self, "feature_names_in_", None))
            examples = examples_of(X, self)
            check_attributes(self, X if _has_names(X) else examples.checked, y, reset)
        if self.validate == "full":
            examples.refuse_infinite()
        return examples

    def _is_ready(self, X: Any) -> bool:
        """Whether scikit-learn's checks, which take far longer than learning a row, would find nothing."""
        return (type(X) is np.ndarray and X.ndim == 2 and X.dtype in _KINDS and X.flags.aligned and X.shape[0] > 0
                and X.shape[1] == self.n_features_in_ and not hasattr(self, "feature_names_in_"))

    @staticmethod
    def _weights(sample_weight: Any, examples: Examples) -> np.ndarray | None:
        if sample_weight is None:
            return None
        return np.ascontiguousarray(check_weights(sample_weight, examples.checked), dtype=np.float64)

    def _begin(self, dimension: int, names: Sequence[str] | None, word_attributes: Sequence[int],
               classes: Sequence[str] | None) -> None:
        """A learner that has learned nothing."""
        self._session = session_of(beginning_of(self, dimension, names, word_attributes, classes))
        self._started = Started(None if names is None else list(names), classes is not None)

    def _learn(self, examples: Examples, labels: np.ndarray, sample_weight: Any) -> None:
        if len(labels) != examples.shape[0]:
            check_consistent_length(examples.checked, labels)
        weights = self._weights(sample_weight, examples)
        _, skipped = self._session.learn(examples.rows, np.ascontiguousarray(labels, dtype=np.float64), weights)
        if skipped:
            warnings.warn(f"{skipped} of {examples.shape[0]} examples were not learned from: of each all that was looked at "
                          "was missing, or a number was beyond 1e30, or the label far beyond those before",
                          DataConversionWarning, stacklevel=4)

    def _passes(self) -> int:
        passes = whole(self.passes, "passes")
        if passes < 1:
            raise ValueError(f"passes={self.passes!r}: must be a whole number from 1")
        return passes

    # What is known of the model.

    @property
    def attributes_revealed_(self) -> int:
        """How many values were looked at, all examples together."""
        return self._fitted().attributes_revealed

    @property
    def examples_learned_(self) -> int:
        """How many examples were learned from."""
        return self._fitted().examples

    @property
    def n_iter_(self) -> int:
        """Passes over the examples of the last fit()."""
        self._fitted()
        return self._passes()

    @property
    def importances_(self) -> np.ndarray:
        """What each attribute is worth: how much larger the expected squared error were without it, all others
        refitted, as a share of the labels' variance. NaN: not known."""
        shares, _ = self._fitted().importances()
        return self._of_attributes(shares)

    @property
    def importance_errors_(self) -> np.ndarray:
        """The standard errors of these."""
        _, errors = self._fitted().importances()
        return self._of_attributes(errors)

    @property
    def feature_importances_(self) -> np.ndarray:
        """The same as importances_, where scikit-learn looks for it."""
        return self.importances_

    def _of_attributes(self, numbers: np.ndarray) -> np.ndarray:
        d = self._fitted().dimension
        return np.full(d, np.nan) if len(numbers) == 0 else np.array(numbers[:d])

    @property
    def standard_errors_(self) -> np.ndarray:
        """The standard errors of the weights, in the order of coef_. NaN: not known. Asked for, they take longer than
        the model."""
        session = self._fitted()
        errors = session.weight_errors()
        slots = self._slots()
        return np.full(len(slots), np.nan) if len(errors) == 0 else np.array(errors[slots])

    @property
    def slot_names_(self) -> list[str]:
        """What the numbers of coef_ belong to, one name each: attributes, and behind them categories, parts of dates
        and products: 'weather=rain', 'day: Monday', 'age*bmi'."""
        return [name for _, name, _ in self._fitted().features()]

    def _slots(self) -> list[int]:
        return [slot for slot, _, _ in self._fitted().features()]

    def _range(self) -> tuple[tuple[float, float] | None, bool]:
        return clip_of(self.clip)

    # Copies.

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_session" in state:
            state["_session"] = state["_session"].save()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved = state.pop("_session", None)
        super().__setstate__(state)
        if saved is not None:
            self._restore(saved)

    def _restore(self, saved: bytes) -> None:
        started = self._started
        classes: list[str] | None = [] if started.has_classes else None
        self._session = session_of(
            beginning_of(self, self.n_features_in_, started.names, (), classes, True), saved)


def _has_names(X: Any) -> bool:
    return hasattr(X, "columns") or hasattr(X, "column_names")
