"""Checkpoints: the daemon's files."""

from __future__ import annotations

import os
import re
import tempfile
from typing import Any, TypeVar

import numpy as np

from .. import _core
from ._estimator import Started
from ._options import beginning_of

_Self = TypeVar("_Self", bound="Files")
_NAME = re.compile(r"checkpoint-(\d{12,})-(\d+)\.safetensors")


class Files:
    """save() and load()."""

    def save(self, path: str | os.PathLike[str]) -> str:
        """Writes a checkpoint, with which a daemon goes on where this estimator is. `path`: a file; or a folder, the
        daemon's --state-directory, where it becomes the newest. Whole or not at all, and durable. Returns the file's
        name. No daemon may run on the folder meanwhile."""
        saved = self._fitted().save()  # type: ignore[attr-defined]
        path = os.fspath(path)
        if os.path.isdir(path):
            numbers = [int(found[1]) for found in map(_NAME.fullmatch, os.listdir(path)) if found]
            examples = self._fitted().examples  # type: ignore[attr-defined]
            path = os.path.join(path, f"checkpoint-{max(numbers, default=0) + 1:012d}-{examples}.safetensors")
        folder = os.path.dirname(path) or "."
        handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(saved)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o640)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        folder_handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(folder_handle)
        finally:
            os.close(folder_handle)
        return path

    @classmethod
    def load(cls: type[_Self], path: str | os.PathLike[str], **parameters: Any) -> _Self:
        """An estimator that goes on where a checkpoint's daemon or estimator was. `path`: a file, or a folder, of which
        the newest. What the checkpoint tells holds, as the algorithm; `parameters` are what it does not, as costs."""
        path = os.fspath(path)
        if os.path.isdir(path):
            found = [(int(match[1]), name) for name in os.listdir(path) if (match := _NAME.fullmatch(name))]
            if not found:
                raise FileNotFoundError(f"{path}: there is no checkpoint")
            path = os.path.join(path, max(found)[1])
        with open(path, "rb") as file:
            saved = file.read()
        estimator = cls(**parameters)
        estimator._take(saved)
        return estimator

    def _take(self, saved: bytes) -> None:
        is_classifier = hasattr(self, "predict_proba")
        described = _core.describe(saved)
        dimension = int(described["dimension"])
        session = _core.Session.restore(
            saved, beginning_of(self, dimension, described["names"], (), [] if is_classifier else None))
        names = session.names()
        is_named = len(names) == dimension
        self._session = session
        self._started = Started(names if is_named else None, is_classifier)
        self.algorithm, self.budget = session.algorithm, session.budget
        self.n_features_in_ = dimension
        if is_named:
            self.feature_names_in_ = np.array(names, dtype=object)
        if is_classifier:
            from ._classifier import labels_of

            labels = labels_of(session.classes())
            self._order = np.argsort(labels, kind="stable")
            self.classes_ = labels[self._order]
