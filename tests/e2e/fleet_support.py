"""What tests of fleets share: a broker a class, and instances that learn from a topic a test."""

import itertools
import json
import random
import shutil
import tempfile

from broker_support import Broker
from harness import TestCase, until
from kafka_support import Client

DIMENSION = 8
PATIENCE = 120  # of a fleet that deals out its partitions again, on a machine that is busy
SECONDS_OF_SILENCE = 6


def messages(count, seed=1, partitions=16):
    """Lines in VW's format, to partitions in turn."""
    chance = random.Random(seed)
    for number in range(count):
        values = [chance.random() for _ in range(DIMENSION)]
        label = 3 * values[0] - 2 * values[3] + values[5] * chance.random()
        yield number % partitions, f"{label:.3f} |" + "".join(f" {i}:{v:.3f}" for i, v in enumerate(values)) + "\n"


def settled(model):
    """A model's answer without what depends on when it was asked for."""
    return {key: value for key, value in json.loads(model).items() if key != "age_seconds"}


class FleetTestCase(TestCase):
    """One broker serves all tests of a class, each with a topic and a group of its own."""

    numbers = itertools.count(1)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.mkdtemp(prefix="glimpse-fleet-")
        cls.addClassCleanup(shutil.rmtree, folder, True)
        cls.broker = Broker(folder)
        cls.addClassCleanup(cls.broker.discard)
        cls.client = Client(cls.broker.address)
        cls.addClassCleanup(cls.client.close)

    def setUp(self):
        super().setUp()
        number = next(FleetTestCase.numbers)
        self.topic, self.group = f"t{number}", f"g{number}"

    def instance(self, *arguments, group=None, topic=None, commit="500ms", dimension=DIMENSION, format="vw",
                 **keywords):
        return self.start("--fleet", group or self.group, "--input", self.broker.topic_address(topic or self.topic),
                          "--dimension", dimension, "--budget", 3,
                          "--format", format, "--fleet-commit-every", commit, "--fleet-session", f"{SECONDS_OF_SILENCE}s",
                          *arguments, **keywords)

    def fleet(self, instance):
        return instance.status()["fleet"]

    def wait_model(self, instance, examples):
        """Until the instance answers with a model of so many examples."""
        try:
            until(lambda: self.fleet(instance)["model"]["examples"] == examples, f"a model of {examples} examples", PATIENCE)
        except AssertionError as error:
            raise AssertionError(f"{error}; {self.fleet(instance)}; log:\n{instance.stderr[-8000:]}") from error

    def wait_here(self, instance, partitions):
        """Until the instance learns from so many partitions."""
        until(lambda: self.fleet(instance)["partitions_here"] == partitions, f"{partitions} partitions here", PATIENCE)
