"""The same stream through every door and in every format: what end_to_end measures, and how it is checked.

Checked means: the state that is left, read from the checkpoint array by array, is the one that the slow path leaves.
The slow path is svmlight in one file whose indices descend in every line, with --validate full: nothing is searched for
there, every line is read whole, field by field; for f32 and npy, whose numbers are rounded, it says in full what the rows
hold. All solve inline: in the background, the
models that the loss is estimated with come when they are ready."""

import array
import hashlib
import json
import struct
import tempfile
from pathlib import Path

from .glimpse import Served, check_learned
from .runs import stop

DOORS = ("file", "pipe", "tcp", "unix")
FORMATS = ("csv", "svmlight", "vw", "ndjson", "f32", "npy")
SOLVING = ("auto", "pairwise", "pairwise-screened")  # algorithms that solve for their models
# How files were read, how far; which numbers were used; the times at which losses were noted.
NOT_STATE = ("inputs.", "names/limits", "names/numbers", "history.")


def digest(folder):
    """Of the last checkpoint in the folder: its texts and its arrays."""
    paths = sorted(Path(folder).glob("checkpoint-*.safetensors"))
    if not paths:
        stop(f"glimpsed left no checkpoint in {folder}")
    data = paths[-1].read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    texts = json.loads(header.pop("__metadata__")["glimpse"])["texts"]
    made = hashlib.sha256(repr([text for text in sorted(texts.items()) if not text[0].startswith(NOT_STATE)]).encode())
    for name, tensor in sorted(header.items()):
        if not name.startswith(NOT_STATE):
            begin, end = (8 + length + offset for offset in tensor["data_offsets"])
            made.update(name.encode() + data[begin:end])
    return made.hexdigest()


def write_singles(path, dimension):
    """Writes rows of f32 as svmlight that reads back as the same numbers, for Streams.make()."""
    def write(out):
        with open(path, "rb") as rows:
            while row := rows.read(4 * (dimension + 1)):
                numbers = array.array("f", row)
                pairs = " ".join([f"{i}:{numbers[i]!r}" for i in range(1, dimension + 1) if numbers[i]])
                out.write(f"{numbers[0]!r} {pairs}\n".encode())
    return write


def write_descending(path):
    """Writes svmlight with the same examples, whose indices descend, for Streams.make(). A line of one index, which would
    ascend as well, says that another is 0 before it."""
    def write(out):
        with open(path, "rb") as lines:
            for line in lines:
                label, *pairs = line.split()
                if len(pairs) == 1:
                    pairs.insert(0, b"1:0" if not pairs[0].startswith(b"1:") else b"2:0")
                pairs.sort(key=lambda pair: -int(pair.split(b":")[0]))
                out.write(b" ".join([label, *pairs]) + b"\n")
    return write


class Feeds:
    """Streams of one kind in these formats, and the ways of one glimpsed to learn from them, with options `more` where it is
    timed."""

    def __init__(self, glimpse, streams, kind, dimension, examples, algorithm, forms, more=()):
        self.glimpse, self.dimension, self.examples, self.more = glimpse, dimension, examples, more
        self.algorithm = ("--algorithm", algorithm)
        self.inline = ("--solver", "inline") if algorithm in SOLVING else ()
        self.stream_of = lambda form: streams.stream(kind, dimension, examples, form)
        self.paths = {form: self.stream_of(form) for form in forms}
        self.streams, self.slow, self.starts = streams, {}, {}

    def time(self, door, form, budget):
        """Seconds without start-up, and the memory."""
        return self.learn(door, form, budget, *self.more)

    def learn(self, door, form, budget, *more):
        more = (*self.algorithm, *more)
        if door in ("tcp", "unix"):
            with Served(self.glimpse, self.dimension, budget, form, "--replies", "none", *more) as served:
                took = served.feed(door, self.paths[form])
            check_learned(served.last_words, self.examples)
            return took, served.memory
        run = getattr(self.glimpse, door)(self.paths[form], self.dimension, budget, form, *more, examples=self.examples)
        return run.seconds - self.start(budget), run.memory

    def start(self, budget):
        """Seconds to learn from one record without values: the least of three runs."""
        if budget not in self.starts:
            with tempfile.NamedTemporaryFile() as one:
                one.write(b"0 |\n")
                one.flush()
                runs = [self.glimpse.file(one.name, self.dimension, budget, "vw", *self.algorithm) for _ in range(3)]
            self.starts[budget] = min(run.seconds for run in runs)
        return self.starts[budget]

    def state(self, door, form, budget):
        """The digest of what is learned through this door."""
        with tempfile.TemporaryDirectory(prefix="glimpse-state-") as folder:
            self.learn(door, form, budget, *self.inline, "--state-directory", folder)
            return digest(folder)

    def slow_state(self, form, budget):
        """What the slow path makes of the examples that the stream in this format has."""
        path = self.stream_of("svmlight")
        if form in ("f32", "npy"):
            singles = self.stream_of("f32")
            path = self.streams.make(singles.stem + "-singles.svmlight", write_singles(singles, self.dimension))
        path = self.streams.make(path.stem + "-descending.svmlight", write_descending(path))
        if (path, budget) not in self.slow:
            with tempfile.TemporaryDirectory(prefix="glimpse-state-") as folder:
                self.glimpse.file(path, self.dimension, budget, "svmlight", *self.algorithm, *self.inline, "--validate",
                                  "full", "--state-directory", folder, examples=self.examples)
                self.slow[path, budget] = digest(folder)
        return self.slow[path, budget]
