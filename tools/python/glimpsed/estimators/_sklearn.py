"""What releases of scikit-learn since 1.2, which Debian 12 has, have moved or renamed."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn.utils import validation


def _name_of(function: Any, newer: str, older: str) -> str:
    return newer if newer in inspect.signature(function).parameters else older


_ALL_FINITE = _name_of(validation.check_array, "ensure_all_finite", "force_all_finite")  # 1.6
_NOT_NEGATIVE = _name_of(validation._check_sample_weight, "ensure_non_negative", "only_non_negative")  # 1.7


def check_numbers(X: Any, estimator: Any) -> np.ndarray:
    """X as an array of float64 or float32, infinite numbers among them or not."""
    return validation.check_array(X, dtype=[np.float64, np.float32], estimator=estimator, input_name="X",
                                  **{_ALL_FINITE: False})


def check_weights(weights: Any, X: Any) -> np.ndarray:
    """A weight from 0 for each row of X, as float64."""
    return validation._check_sample_weight(weights, X, dtype=np.float64, **{_NOT_NEGATIVE: True})


def check_attributes(estimator: Any, X: Any, y: Any, reset: bool) -> None:
    """Notes how many attributes X has and what they are called (`reset`), or compares."""
    if hasattr(validation, "validate_data"):  # 1.6
        validation.validate_data(estimator, X=X, y=y, reset=reset, skip_check_array=True)
        return
    estimator._check_feature_names(X, reset=reset)
    if y is None:
        raise ValueError(f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None.")
    estimator._check_n_features(X, reset=reset)
