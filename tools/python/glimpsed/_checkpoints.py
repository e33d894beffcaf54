"""Checkpoints: files of the daemon, of the estimators and of glimpsectl fit."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

NAME = re.compile(r"checkpoint-(\d{12,})-(\d+)\.safetensors")


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """A checkpoint: the file, or of a folder the newest one in it. Raises FileNotFoundError, OSError."""
    path = os.fspath(path)
    if os.path.isdir(path):
        found = [(int(match[1]), name) for name in os.listdir(path) if (match := NAME.fullmatch(name))]
        if not found:
            raise FileNotFoundError(f"{path}: there is no checkpoint")
        path = os.path.join(path, max(found)[1])
    with open(path, "rb") as file:
        return file.read()


def word_of(label: Any) -> str:
    """A class as the daemon says it: labels that are numbers are the words that they are written as, 3.0 and 3 alike."""
    if isinstance(label, (float, np.floating)):
        return str(int(label)) if float(label).is_integer() else repr(float(label))
    return str(label)


def labels_of(words: list[str], kind: str | None, classes: Any) -> np.ndarray:
    """Classes of a checkpoint, by their codes: those of `classes` that its words stand for; or of the `kind` of numpy's
    types that save() noted; or numbers where all of them are."""
    if classes is not None:
        given = np.asarray(list(classes))
        spelled = [word_of(label) for label in given]
        if sorted(spelled) != sorted(words):
            raise ValueError(f"classes={classes!r}: the checkpoint has the classes {sorted(words)}")
        return given[[spelled.index(word) for word in words]]
    if kind == "b" and set(words) <= {"False", "True"}:
        return np.array([word == "True" for word in words])
    if kind in ("U", "O"):
        return np.array(words)
    for number in (int, float):
        try:
            numbers = [number(word) for word in words]
        except ValueError:
            continue
        if [word_of(one) for one in numbers] == words:
            return np.array(numbers, dtype=float if kind == "f" else None)
    return np.array(words)
