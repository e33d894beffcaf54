"""What the newest checkpoint of a folder holds, and in what two runs of the same records may differ."""

import array
import json
import math
import os
import re

# Where a run was interrupted, when, and over which doors, but not what was learned.
PLACES = re.compile(r"inputs\.|sources\.|plans\.|predictions$|spending\.refused|history\.")
# Infinite while no label was learned; NaN where an open plan was told nothing yet, and what no sample knew.
OPEN = re.compile(r"labels\.(min|max)$|plans\.|history\.samples$")
MISSING = re.compile(r"first\.examples$")  # NaN where a value was missing or left out
KINDS = {"F64": "d", "F32": "f", "U64": "Q", "U32": "I", "U8": "B"}


def newest(folder):
    names = [name for name in os.listdir(folder) if re.fullmatch(r"checkpoint-\d+-\d+\.safetensors", name)]
    return os.path.join(folder, max(names))


class Checkpoint:
    def __init__(self, texts, tensors):
        self.texts, self.tensors = texts, tensors

    def examples(self):
        return int.from_bytes(self.tensors["learner.counts"][1][:8], "little")

    def estimates(self):
        """Of the progressive loss, of examples for which there was a model."""
        return int.from_bytes(self.tensors["progressive.recent_counts"][1][:8], "little")

    def infinite(self):
        """Complaints about numbers that are none."""
        wrong = []
        for name, (kind, data) in self.tensors.items():
            if kind not in ("F64", "F32") or OPEN.match(name):
                continue
            for i, value in enumerate(array.array(KINDS[kind], data)):
                if not math.isfinite(value) and not (MISSING.match(name) and math.isnan(value)):
                    wrong.append(f"checkpoint: {name}[{i}] is {value!r}")
                    break
        return wrong

    def differences(self, other, ignored=()):
        """Names of what the two learned differently."""
        names = sorted(set(self.tensors) | set(other.tensors))
        return [name for name in names if not PLACES.match(name) and not name.startswith(tuple(ignored)) and
                self.tensors.get(name) != other.tensors.get(name)]


def read_checkpoint(path):
    with open(path, "rb") as file:
        data = file.read()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    texts = json.loads(header.pop("__metadata__")["glimpse"])["texts"]
    tensors = {}
    for name, tensor in header.items():
        begin, end = (8 + length + offset for offset in tensor["data_offsets"])
        tensors[name] = (tensor["dtype"], data[begin:end])
    return Checkpoint(texts, tensors)


def differences(place, one, other):
    """Places where two answers differ in a bit, and how: 0 and -0 are different."""
    if isinstance(one, dict) and isinstance(other, dict):
        found = []
        for name in sorted(set(one) | set(other)):
            found += differences(f"{place}.{name}" if place else name, one.get(name), other.get(name))
        return found
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        found = []
        for i, (a, b) in enumerate(zip(one, other)):
            found += differences(f"{place}[{i}]", a, b)
        return found
    return [] if repr(one) == repr(other) else [f"{place} is {str(other)[:80]}, not {str(one)[:80]}"]
