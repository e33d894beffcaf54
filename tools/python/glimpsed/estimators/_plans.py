"""Attributes that are bought: which, and what came of it."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._checkpoints import word_of
from ._options import whole

_MOST_OPEN = 1 << 20  # plans at a time
_BEGAN = time.time() - time.monotonic()


def _now() -> float:
    """Seconds since 1970, whoever sets the clock meanwhile."""
    return _BEGAN + time.monotonic()


class Plan(NamedTuple):
    """What to get of the next example. `names`: of the attributes, where they have any."""

    id: str
    attributes: tuple[int, ...]
    names: tuple[str, ...]
    cost: float


class Buying:
    """ask() and tell(): for examples of which nobody has all attributes.

    >>> from glimpsed import GlimpseRegressor
    >>> model = GlimpseRegressor(budget=2, costs={"age": 1, "sgot": (7.27, "blood"), "protime": (8.3, "blood"), "@blood": 2})
    >>> plan = model.ask(features=["age", "sgot", "protime"])[0]
    >>> len(plan.attributes)
    2
    >>> model.tell(plan, 1.5, [61, 12])
    'learned'
    >>> model.tell(plan, 1.5, [61, 12])
    'duplicate'
    """

    _session: _core.Session

    def ask(self, count: int = 1, *, features: Any = None, classes: Any = None, available: Sequence[Any] | None = None,
            ttl: float | None = None) -> list[Plan]:
        """Plans for the next `count` examples. `features`: how many attributes there are, or their names, where nothing
        was learned yet; `classes`: of a classifier the same. `available`: attributes that can be had, by number or name.
        `ttl`: seconds after which a plan that was not told is closed."""
        count = whole(count, "count")
        if not 0 <= count <= _MOST_OPEN:
            raise ValueError(f"count={count}: must be from 0 to {_MOST_OPEN}, as many plans as may be open at a time")
        if not hasattr(self, "_session"):
            self._begin_asking(features, classes)
        now = _now()
        expires = math.inf if ttl is None else now + ttl
        among = sorted({self._place(one) for one in available or ()})
        names = self._session.names()
        plans = []
        for _ in range(count):
            plan_id, attributes, cost = self._session.ask(among, now, min(expires, 1e15))
            named = tuple(names[place] for place in attributes) if len(names) == self._session.dimension else ()
            plans.append(Plan(plan_id, tuple(attributes), named, cost))
        return plans

    def tell(self, plan: Plan | str, label: Any, values: Any, importance: float = 1.0) -> str:
        """Learns from an answered plan. `values`: in the order of plan.attributes, or by name or number; None: refused.
        Returns 'learned', 'not_learned', or 'duplicate' where it was told before. Raises LookupError where there is no
        such plan, RuntimeError where it is closed otherwise."""
        if isinstance(values, Mapping):
            if isinstance(plan, str):
                raise ValueError("values by name need the plan, not its id alone")
            by_place = {self._place(name): value for name, value in values.items()}
            if set(by_place) != set(plan.attributes):
                raise ValueError(f"values must be of the plan's attributes, {plan.names or plan.attributes}")
            values = [by_place[place] for place in plan.attributes]
        plan_id = plan if isinstance(plan, str) else plan.id
        told = [math.nan if value is None else value if isinstance(value, str) else float(value) for value in values]
        number = float(label) if not hasattr(self, "_codes_of") else float(self._codes_of(np.array([label]))[0])
        if not math.isfinite(number):
            raise ValueError(f"label {label!r} must be finite")
        if not 0 <= importance < math.inf:
            raise ValueError(f"importance {importance!r} must be at least 0")
        return self._session.tell(plan_id, told, number, float(importance), _now())

    def abandon(self, plan: Plan | str) -> None:
        """Closes a plan that will not be told."""
        self._session.abandon(plan if isinstance(plan, str) else plan.id, _now())

    def _begin_asking(self, features: Any, classes: Any) -> None:
        if features is None:
            raise ValueError("ask() needs `features`, the number of attributes or their names, before anything was learned")
        names = None if isinstance(features, int) else [str(name) for name in features]
        dimension = features if names is None else len(names)
        self.n_features_in_ = dimension
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        words = None
        if hasattr(self, "predict_proba"):
            if classes is None:
                raise ValueError("ask() needs `classes` before anything was learned")
            self.classes_ = np.unique(classes)
            self._order = np.arange(len(self.classes_))
            words = [word_of(label) for label in self.classes_]
        self._begin(dimension, names, (), words)  # type: ignore[attr-defined]

    def _place(self, attribute: Any) -> int:
        names = self._session.names()
        if isinstance(attribute, str):
            if attribute not in names:
                raise ValueError(f"there is no attribute {attribute!r}")
            return names.index(attribute)
        place = int(attribute)
        if not 0 <= place < self._session.dimension:
            raise ValueError(f"there is no attribute {attribute!r}: they are 0 to {self._session.dimension - 1}")
        return place
