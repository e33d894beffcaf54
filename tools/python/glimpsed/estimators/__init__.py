"""Estimators in this process, as scikit-learn's are."""

from ._classifier import GlimpseClassifier
from ._plans import Plan
from ._regressor import GlimpseRegressor

__all__ = ["GlimpseClassifier", "GlimpseRegressor", "Plan"]
