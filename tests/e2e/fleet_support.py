"""What tests of fleets share: instances that learn from a topic, one topic and one group a test."""

import ctypes
import json
import random
import struct

from broker_support import KafkaTestCase
from harness import until

DIMENSION = 8
PATIENCE = 120  # of a fleet that deals out its partitions again, on a machine that is busy
SECONDS_OF_SILENCE = 6
SHORT_SILENCE = 2  # of an instance that is to be missed soon, in a test that holds whenever it is missed


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


def write_state(client, topic, partition, key, version, value, form=1):
    """A message as states have them, which no instance wrote. `version`: sequence, offset, bytes, checksum, chunks."""
    end, of_topic, of_partition, of_value, of_key, flags, header = 0, 1, 3, 4, 5, 7, 9  # rd_kafka_vtype_t
    text = struct.pack("<IQQQQII", form, *version, 0)[:44]
    produce = ctypes.CDLL("librdkafka.so.1").rd_kafka_producev
    size = ctypes.c_size_t
    error = produce(ctypes.c_void_p(client.producer), of_topic, topic.encode(), of_partition, partition, of_key, key.encode(),
                    size(len(key)), of_value, value, size(len(value)), flags, 2, header, b"glimpse-state", text,
                    size(len(text)), end)
    assert error == 0, error
    client.flush()


def fleet_arguments(group, address, commit="500ms", dimension=DIMENSION, format="vw", silence=SECONDS_OF_SILENCE):
    return ("--fleet", group, "--input", address, "--dimension", dimension, "--budget", min(3, dimension), "--format", format,
            "--fleet-commit-every", commit, "--fleet-session", f"{silence}s")


class FleetTestCase(KafkaTestCase):
    """Each test has a topic and a group of its own."""

    def setUp(self):
        super().setUp()
        self.topic, self.group = self.unique("t"), self.unique("g")

    def instance(self, *arguments, group=None, topic=None, commit="500ms", dimension=DIMENSION, format="vw",
                 silence=SECONDS_OF_SILENCE, **keywords):
        address = self.broker.topic_address(topic or self.topic)
        return self.start(*fleet_arguments(group or self.group, address, commit, dimension, format, silence), *arguments,
                          **keywords)

    def fleet(self, instance):
        return instance.status()["fleet"]

    def wait_model(self, instance, examples):
        """Until the instance answers with a model of so many examples."""
        try:
            until(lambda: self.fleet(instance)["model"]["examples"] == examples, f"a model of {examples} examples", PATIENCE)
        except (AssertionError, OSError) as error:
            ended = instance.process.poll()
            now = self.fleet(instance) if ended is None else f"ended with {ended}"
            raise AssertionError(f"{error}; {now}; log:\n{instance.stderr[-8000:]}") from error

    def wait_here(self, instance, partitions):
        """Until the instance learns from so many partitions."""
        until(lambda: self.fleet(instance)["partitions_here"] == partitions, f"{partitions} partitions here", PATIENCE)
