"""A glimpsed that has learned and is asked: for the timing of predictions."""

import tempfile
from pathlib import Path

from .glimpse import Glimpse


class Trained:
    """A model of VW text in a checkpoint of its own: a context. `folder` is there as long, for others' files, too."""

    def __init__(self, glimpse: Glimpse, train, dimension, budget, *more):
        self.glimpse, self.train, self.dimension, self.budget, self.more = glimpse, train, dimension, budget, more

    def __enter__(self):
        self.kept = tempfile.TemporaryDirectory(prefix="glimpse-trained-")
        self.folder = Path(self.kept.name)
        state = self.folder / "state"
        self.glimpse.file(self.train, self.dimension, self.budget, "vw", *self.more, "--state-directory", state)
        self.checkpoint = max(state.glob("checkpoint-*.safetensors"))
        return self

    def __exit__(self, *unused):
        self.kept.cleanup()

    def ask(self, path, *more, write_to=None):
        """The run that answers the lines of `path`, start-up included; answers in its `out`, or in `write_to`."""
        return self.glimpse.file(path, self.dimension, self.budget, "vw", *self.more, *more, "--restore",
                                 self.checkpoint, replies="unlabelled", write_to=write_to)

    def answer_nothing(self):
        """The seconds of start-up, and of one line without values."""
        with tempfile.NamedTemporaryFile() as one:
            one.write(b"|\n")
            one.flush()
            return self.ask(one.name).seconds
