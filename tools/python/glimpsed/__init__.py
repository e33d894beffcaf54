"""glimpse: linear models from streams, learned while looking at few attributes of each example.

`Client`, `AsyncClient` and `Source` speak to a daemon, glimpsed; they need the standard library alone. The estimators
`GlimpseRegressor` and `GlimpseClassifier` learn in this process, with the daemon's own library; `glimpsed.river` has
them for River. They need numpy and scikit-learn, which are imported when one of them is asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .client import AsyncClient, Client, GlimpseError, Source, Tell
    from .estimators import GlimpseClassifier, GlimpseRegressor

_HOMES = {
    "AsyncClient": ".client", "Client": ".client", "GlimpseError": ".client", "Source": ".client", "Tell": ".client",
    "GlimpseClassifier": ".estimators", "GlimpseRegressor": ".estimators",
}

__all__ = ["AsyncClient", "Client", "GlimpseClassifier", "GlimpseError", "GlimpseRegressor", "Source", "Tell"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'glimpsed' has no attribute {name!r}")
    return getattr(importlib.import_module(home, __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
