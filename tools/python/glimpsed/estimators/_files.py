"""Checkpoints: the daemon's files."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral
from typing import Any, TypeVar

import numpy as np

from .. import _core
from .._checkpoints import NAME, labels_of, read_bytes
from ._estimator import Started
from ._options import beginning_of, is_none, is_same, options_of, session_of, told_value, whole

_Self = TypeVar("_Self", bound="Files")


class Files:
    """save() and load()."""

    def save(self, path: str | os.PathLike[str]) -> str:
        """Writes a checkpoint, with which a daemon goes on where this estimator is. `path`: a file; or a folder, the
        daemon's --state-directory, where it becomes the newest. Whole or not at all, and durable. Returns the file's
        name. Of a folder on which a daemon runs: BlockingIOError, and nothing is written."""
        session = self._fitted()  # type: ignore[attr-defined]
        session.note(json.dumps(_noted(self)))
        saved = session.save()
        path = os.fspath(path)
        if not os.path.isdir(path):
            return _write(path, saved)
        with _no_daemon(path):
            numbers = [int(found[1]) for found in map(NAME.fullmatch, os.listdir(path)) if found]
            name = f"checkpoint-{max(numbers, default=0) + 1:012d}-{session.examples}.safetensors"
            return _write(os.path.join(path, name), saved)

    @classmethod
    def load(cls: type[_Self], path: str | os.PathLike[str], *, classes: Any = None, **parameters: Any) -> _Self:
        """An estimator that goes on where a checkpoint's daemon or estimator was. `path`: a file, or a folder, of which
        the newest. What the checkpoint tells becomes the parameters: algorithm, budget, and the options that decide
        what is computed. `parameters` are what it does not tell, as costs; those that contradict it are refused. The
        seed is told by checkpoints of save() alone. `classes`: of a classifier the labels, where they are other than
        the checkpoint's words say, as [False, True]."""
        saved = read_bytes(path)
        estimator = cls(**parameters)
        if classes is not None and not hasattr(estimator, "predict_proba"):
            raise ValueError(f"classes={classes!r}: a regressor has none")
        estimator._take(saved, parameters, classes)
        return estimator

    def _take(self, saved: bytes, given: Mapping[str, Any], classes: Any) -> None:
        is_classifier = hasattr(self, "predict_proba")
        described = _core.describe(saved)
        noted = json.loads(described["noted"] or "{}")
        dimension = int(described["dimension"])
        self._adopt(described, noted, given)
        session = session_of(
            beginning_of(self, dimension, described["names"], (), [] if is_classifier else None, True), saved)
        names = session.names()
        is_named = len(names) == dimension
        self._session = session
        self._started = Started(names if is_named else None, is_classifier)
        self.n_features_in_ = dimension
        if is_named:
            self.feature_names_in_ = np.array(names, dtype=object)
        if is_classifier:
            labels = labels_of(session.classes(), noted.get("classes"), classes)
            self._order = np.argsort(labels, kind="stable")
            self.classes_ = labels[self._order]

    def _adopt(self, described: Mapping[str, Any], noted: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        """What a checkpoint tells becomes the parameters."""
        told = {"seed": str(noted["seed"])} if noted.get("seed") is not None else {}
        told.update(described["told"])
        asked = {name: given[name] for name in ("algorithm", "budget", "seed") if name in given}
        if asked.get("algorithm") == "auto":
            del asked["algorithm"]
        if "budget" in asked:
            asked["budget"] = min(whole(asked["budget"], "budget"), int(described["dimension"]))
        for name, value in {**options_of(given.get("options")), **asked}.items():
            if name in told and not is_same(value, told[name]):
                made = f"with {told[name]}"
            elif name in described["decide"] and name not in told and not is_none(value):
                made = "without it"
            else:
                continue
            raise ValueError(f"{name.replace('-', '_')}={value!r}: the checkpoint was made {made}, which cannot be changed; "
                             "leave it out")
        self.algorithm, self.budget = told["algorithm"], int(told["budget"])
        if "seed" in noted:
            self.seed = noted["seed"]
        options = {name: told_value(value) for name, value in described["chosen"].items()}
        if "max_categories" in noted:
            options["max-categories"] = noted["max_categories"]
        options.update(options_of(given.get("options")))
        self.options = {name.replace("-", "_"): value for name, value in options.items()} or None


def _write(path: str, saved: bytes) -> str:
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


@contextmanager
def _no_daemon(folder: str) -> Iterator[None]:
    """Holds the lock that a daemon takes of its folder, where there was one."""
    try:
        lock = os.open(os.path.join(folder, "lock"), os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        yield
        return
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BlockingIOError(errno.EWOULDBLOCK, "a daemon runs on this folder, and would write over what it is given: "
                                  "end it first, or save to a file", folder) from None
        yield
    finally:
        os.close(lock)


def _noted(estimator: Any) -> dict[str, Any]:
    """What checkpoints do not tell, and load() is to know. A daemon that goes on from one does not keep it."""
    noted: dict[str, Any] = {}
    if estimator.seed is None or isinstance(estimator.seed, Integral):
        noted["seed"] = None if estimator.seed is None else int(estimator.seed)
    if "max-categories" in (options := options_of(estimator.options)):
        noted["max_categories"] = whole(options["max-categories"], "max_categories")
    if hasattr(estimator, "classes_"):
        noted["classes"] = estimator.classes_.dtype.kind
    return noted
