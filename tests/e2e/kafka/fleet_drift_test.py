"""A fleet whose stream changes, over a real broker: all partitions forget what came before, each of them once, also where
an owner is killed before it did; and the model is one of the new stream."""

import json
import random
import signal
import unittest

from broker_support import needs_broker
from fleet_support import DIMENSION, PATIENCE, FleetTestCase, messages, settled
from harness import until

PARTITIONS = 4
BEFORE, TURN, AFTER = 8000, 800, 8000


def turned(count, seed):
    """The messages of another stream, whose labels have the other sign."""
    for partition, line in messages(count, seed, PARTITIONS):
        label, rest = line.split(" ", 1)
        yield partition, f"{-float(label):.3f} {rest}"


def loss(instance):
    """The mean squared error of the instance's model of the other stream."""
    model = json.loads(instance.model())
    chance = random.Random(99)
    total = 0
    for _ in range(1000):
        values = [chance.random() for _ in range(DIMENSION)]
        label = -(3 * values[0] - 2 * values[3] + values[5] * chance.random())
        error = model["bias"] + sum(weight * value for weight, value in zip(model["weights"], values)) - label
        total += error * error / 1000
    return total


@needs_broker
class FleetDrift(FleetTestCase):
    def cuts(self, instance):
        return [partition["cut"] for partition in self.fleet(instance)["partitions"]]

    def offsets(self, instance):
        """Before which messages the partitions were cut."""
        return [partition["cut_offset"] for partition in self.fleet(instance)["partitions"]]

    def owner_of_first(self, instances):
        """The one that decides, and the other."""
        here = [self.fleet(instance)["partitions"][0]["state"] == "here" for instance in instances]
        self.assertEqual(sorted(here), [False, True])
        return instances if here[0] else instances[::-1]

    def test_a_change_is_forgotten_by_each_partition_once_and_the_model_recovers(self):
        self.client.create_topic(self.topic, PARTITIONS)
        self.client.produce(self.topic, list(messages(BEFORE, 1, PARTITIONS)))
        instances = [self.instance("--drift", "auto", commit="300ms") for _ in range(2)]
        for instance in instances:
            self.wait_here(instance, 2)
            self.wait_model(instance, BEFORE)
        deciding, other = self.owner_of_first(instances)
        self.assertEqual(self.cuts(deciding), [None] * PARTITIONS)
        self.assertIsNone(self.fleet(deciding)["cut"])
        # The other's partitions are not cut: it stands still while the change is noticed, and then is killed.
        other.send_signal(signal.SIGSTOP)
        self.client.produce(self.topic, list(turned(TURN, 2)))
        until(lambda: self.fleet(deciding)["cut"], "the change to be noticed", PATIENCE)
        deciding.wait_log(r"fleet: the stream has changed: the mean squared error rose from .*; cut 1, decided from")
        cut = self.fleet(deciding)["cut"]
        self.assertEqual(cut["number"], 1)
        self.assertGreater(cut["after"], 2 * cut["before"])
        self.assertEqual(len(cut["decided_at"]), PARTITIONS)
        other.send_signal(signal.SIGKILL)
        other.wait()
        third = self.instance("--drift", "auto", commit="300ms")
        for instance in (deciding, third):
            until(lambda instance=instance: self.cuts(instance) == [1] * PARTITIONS, "all partitions to be cut", PATIENCE)
            self.wait_model(instance, BEFORE + TURN)
        where = self.offsets(deciding)
        self.assertEqual(self.offsets(third), where)
        for offset in where:
            self.assertGreaterEqual(offset, BEFORE // PARTITIONS)
            self.assertLessEqual(offset, (BEFORE + TURN) // PARTITIONS)
        self.client.produce(self.topic, list(turned(AFTER, 3)))
        for instance in (deciding, third):
            self.wait_model(instance, BEFORE + TURN + AFTER)
            status = instance.status()
            self.assertEqual((status["drift_alarms"], status["fleet"]["cut"]), (1, cut))
            self.assertLessEqual(status["drift_examples"], BEFORE + TURN)
            self.assertGreaterEqual(status["drift_examples"], BEFORE)
            metrics = instance.get("/metrics").body.decode()
            self.assertIn("glimpse_fleet_cuts_total 1\n", metrics)
            self.assertIn('glimpse_fleet_partition_cut{partition="3"} 1\n', metrics)
        self.assertEqual(settled(deciding.model()), settled(third.model()))
        with_cut = loss(third)
        for instance in (deciding, third):
            self.assertEqual(instance.stop(), 0)
        # What is committed says the same to one that comes later.
        late = self.instance("--drift", "auto")
        self.wait_model(late, BEFORE + TURN + AFTER)
        until(lambda: self.offsets(late) == where, "the cuts to be told", PATIENCE)
        self.assertEqual(self.cuts(late), [1] * PARTITIONS)
        self.assertAlmostEqual(loss(late), with_cut)
        self.assertEqual(late.stop(), 0)
        without = self.instance(group="without-" + self.group)
        self.wait_model(without, BEFORE + TURN + AFTER)
        self.assertIsNone(self.fleet(without)["cut"])
        self.assertLess(2 * with_cut, loss(without))


if __name__ == "__main__":
    unittest.main()
