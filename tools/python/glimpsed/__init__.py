"""glimpse: linear models from streams, learned while looking at few attributes of each example.

`Client`, `AsyncClient` and `Source` speak to a daemon, glimpsed; they need the standard library alone. The estimators
`GlimpseRegressor` and `GlimpseClassifier` learn in this process, with the daemon's own library; `glimpsed.river` has
them for River. `read(PATH)` has a model that glimpsectl or glimpsed has learned, to predict with. It needs numpy, and the
estimators scikit-learn as well; both are imported when they are asked for.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._model import Model, read
    from .client import AsyncClient, Client, GlimpseError, Source, Tell
    from .estimators import GlimpseClassifier, GlimpseRegressor

_HOMES = {
    "AsyncClient": ".client", "Client": ".client", "GlimpseError": ".client", "Source": ".client", "Tell": ".client",
    "GlimpseClassifier": ".estimators", "GlimpseRegressor": ".estimators",
    "Model": "._model", "read": "._model",
}

__all__ = ["AsyncClient", "Client", "GlimpseClassifier", "GlimpseError", "GlimpseRegressor", "Model", "Source", "Tell", "read"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'glimpsed' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    return getattr(importlib.import_module(home, __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
