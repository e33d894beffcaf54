"""The estimators for River: examples are dictionaries, learned one after the other.

>>> from glimpsed.river import GlimpseRegressor
>>> model = GlimpseRegressor(budget=2)
>>> for hour in range(500):
...     x = {"hour": float(hour % 24), "sky": "rain" if hour % 3 == 0 else "clear", "noise": float(hour % 7)}
...     model.learn_one(x, 2 * x["hour"] - 5 * (x["sky"] == "rain"))
>>> 10 < model.predict_one({"hour": 12.0, "sky": "rain", "noise": 1.0}) < 28
True
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from river import base

from . import _core

__all__ = ["GlimpseClassifier", "GlimpseRegressor"]


class _Learner:
    """What both share. Attributes get places as they come, up to `max_attributes`; looks go to those that an example
    has. What an example does not give is not known of it."""

    def __init__(self, budget: int = 5, max_attributes: int = 64, algorithm: str = "pairwise", seed: int = 1,
                 clip: bool = True) -> None:
        self.budget = budget
        self.max_attributes = max_attributes
        self.algorithm = algorithm
        self.seed = seed
        self.clip = clip
        self._session = self._begin()

    def _begin(self) -> _core.Session:
        if self.max_attributes < 2:
            raise ValueError(f"max_attributes={self.max_attributes!r}: must be at least 2")
        return _core.Session.begin(self._beginning())

    def _beginning(self) -> _core.Beginning:
        beginning = _core.Beginning()
        beginning.options = {"algorithm": self.algorithm, "dimension": str(self.max_attributes), "seed": str(self.seed),
                             "budget": str(min(self.budget, self.max_attributes))}
        beginning.process = int.from_bytes(os.urandom(3), "little")
        return beginning

    @property
    def attributes_revealed(self) -> int:
        """How many values were looked at."""
        return self._session.attributes_revealed

    def _learn(self, x: Mapping[Any, Any], label: float, w: float) -> None:
        self._session.learn_one(_values(x), label, w)

    def __getstate__(self) -> dict[str, Any]:
        self._session.refresh()  # or the copy, which solves for its model at once, would have a newer one
        return {**self.__dict__, "_session": self._session.save()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._session = _core.Session.restore(state["_session"], self._beginning())
        self._session.refresh()


class GlimpseRegressor(_Learner, base.Regressor):
    """A linear model of a number, learned while looking at `budget` attributes of each example."""

    def learn_one(self, x: Mapping[Any, Any], y: float, w: float = 1.0) -> None:
        """Learns from an example; `w`: its importance."""
        self._learn(x, float(y), w)

    def predict_one(self, x: Mapping[Any, Any]) -> float:
        """The prediction; 0 before the first example."""
        return self._session.predict_one(_values(x), None, self.clip)


class GlimpseClassifier(_Learner, base.Classifier):
    """Classes by linear scores, learned while looking at `budget` attributes of each example."""

    def __init__(self, budget: int = 5, max_attributes: int = 64, algorithm: str = "pairwise", seed: int = 1,
                 clip: bool = True) -> None:
        self._classes: list[Any] = []
        super().__init__(budget, max_attributes, algorithm, seed, clip)

    def _beginning(self) -> _core.Beginning:
        beginning = super()._beginning()
        beginning.classes = []
        return beginning

    @property
    def _multiclass(self) -> bool:
        return self.algorithm.startswith("pairwise")

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learns from an example; `w`: its importance."""
        code = int(self._session.class_code(f"{type(y).__name__}:{y}"))
        if code == len(self._classes):
            self._classes.append(y)
        self._learn(x, code, w)

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of each class so far."""
        return dict(zip(self._classes, self._session.probabilities_one(_values(x), self.clip)))


def _values(x: Mapping[Any, Any]) -> list[tuple[str, float | str]]:
    """Numbers and words by name, in the order of the names: that of a dictionary says nothing. None, NaN and words that
    stand for them, as '' and 'NA', are not known."""
    return sorted((str(name), value if isinstance(value, str) else math.nan if value is None else float(value))
                  for name, value in x.items())
