"""A fleet over a real broker: instances join, end, are killed, stand still and come back, and the broker restarts, in an
order that a seed gives. Nothing is lost and nothing learned twice: the model of all is, to the byte, that of one instance
that read everything undisturbed.

GLIMPSE_FLEET_EVENTS: how many events; GLIMPSE_FLEET_SEED: their order.
"""

import ctypes
import itertools
import os
import random
import signal
import struct
import unittest

from broker_support import needs_broker
from fleet_support import DIMENSION, PATIENCE, FleetTestCase, messages, settled
from harness import until

EVENTS = int(os.environ.get("GLIMPSE_FLEET_EVENTS", "20"))
SEED = int(os.environ.get("GLIMPSE_FLEET_SEED", "1"))
PARTITIONS = 16
MESSAGES = 200_000
MOST_INSTANCES = 4


def write_state(client, topic, partition, key, version, value):
    """A message as states have them, which no instance wrote. `version`: sequence, offset, bytes, checksum, chunks."""
    end, of_topic, of_partition, of_value, of_key, flags, header = 0, 1, 3, 4, 5, 7, 9  # rd_kafka_vtype_t
    text = struct.pack("<IQQQQII", 1, *version, 0)[:44]
    produce = ctypes.CDLL("librdkafka.so.1").rd_kafka_producev
    size = ctypes.c_size_t
    error = produce(ctypes.c_void_p(client.producer), of_topic, topic.encode(), of_partition, partition, of_key, key.encode(),
                    size(len(key)), of_value, value, size(len(value)), flags, 2, header, b"glimpse-state", text,
                    size(len(text)), end)
    assert error == 0, error
    client.flush()


@needs_broker
class Fleet(FleetTestCase):
    def model_of_one(self, topic, examples):
        """What an instance makes of the topic that nobody disturbs."""
        one = self.instance(group="undisturbed-" + topic, topic=topic)
        self.wait_model(one, examples)
        model, moments = settled(one.model()), one.get("/v1/moments").body
        self.assertEqual(one.stop(), 0)
        return model, moments

    def test_whatever_happens_to_its_instances_a_fleet_learns_each_message_once(self):
        self.client.create_topic(self.topic, PARTITIONS)
        chance = random.Random(SEED)
        rest = messages(MESSAGES)
        standing, still = [self.instance() for _ in range(3)], []
        happened = []
        for number in range(EVENTS):
            share = MESSAGES // EVENTS if number + 1 < EVENTS else MESSAGES
            self.client.produce(self.topic, list(itertools.islice(rest, share)))
            kinds = ["restart"] if number == EVENTS // 2 else ["kill", "end", "stand still", "join", "come back"]
            happened.append(self.happen(chance.choice(kinds), chance, standing, still))
        for instance in still:
            instance.send_signal(signal.SIGCONT)
        standing += still
        if not standing:
            standing.append(self.instance())
        for instance in standing:
            self.wait_model(instance, MESSAGES)
        models = [settled(instance.model()) for instance in standing]
        moments = [instance.get("/v1/moments").body for instance in standing]
        fleets = [self.fleet(instance) for instance in standing]
        self.assertEqual(sum(fleet["partitions_here"] for fleet in fleets), PARTITIONS, happened)
        for instance in standing:
            self.assertEqual(instance.stop(), 0, happened)
        model, of_all = self.model_of_one(self.topic, MESSAGES)
        for other, other_moments in zip(models, moments):
            self.assertEqual(other, model, happened)
            self.assertEqual(other_moments, of_all, happened)

    def happen(self, kind, chance, standing, still):
        """One event. Says what it was: where there is none to which it could happen, another one."""
        if kind == "restart":
            self.broker.restart()
        elif kind == "come back" and still:
            back = still.pop(chance.randrange(len(still)))
            back.send_signal(signal.SIGCONT)
            standing.append(back)
        elif kind == "stand still" and len(standing) > 1:
            stopped = standing.pop(chance.randrange(len(standing)))
            before = {id(other): self.fleet(other)["assignments"] for other in standing}
            stopped.send_signal(signal.SIGSTOP)
            still.append(stopped)
            # Its partitions are others' by now: when it comes back it owns nothing that it thinks it does.
            until(lambda: all(self.fleet(other)["assignments"] > before[id(other)] for other in standing),
                  "its partitions to be given away", PATIENCE)
        elif kind in ("kill", "end") and len(standing) > 1:
            gone = standing.pop(chance.randrange(len(standing)))
            if kind == "kill":
                gone.kill()
            else:
                self.assertEqual(gone.stop(), 0)
        elif len(standing) + len(still) < MOST_INSTANCES:
            kind = "join"
            standing.append(self.instance())
        else:
            kind = "nothing"
        return kind

    def test_queries_are_answered_while_the_broker_is_gone_and_learning_goes_on_behind_it(self):
        self.client.create_topic(self.topic, 2)
        self.client.produce(self.topic, [(p % 2, line) for p, line in messages(2000)])
        instance = self.instance()
        self.wait_model(instance, 2000)
        self.broker.stop()
        until(lambda: self.fleet(instance)["trouble"], "trouble to be told", PATIENCE)
        self.assertEqual(instance.post("/v1/predict?format=vw", "| 0:1 3:1\n").status, 200)
        self.assertEqual(instance.stderr.count("learning waits for the brokers"), 1)
        self.broker.start()
        self.client.produce(self.topic, [(p % 2, line) for p, line in messages(1000, 2)])
        self.wait_model(instance, 3000)
        until(lambda: self.fleet(instance)["trouble"] is None, "the trouble to end", PATIENCE)
        self.assertIn("goes on learning", instance.stderr)
        self.assertEqual(instance.stop(), 0)

    def test_doors_of_an_instance_answer_and_teach_nothing(self):
        self.client.create_topic(self.topic, 2)
        instance = self.instance()
        for method, path in (("POST", "/v1/learn"), ("POST", "/v1/unfreeze"), ("POST", "/v1/merge"),
                             ("POST", "/v1/promote"), ("POST", "/v1/checkpoint")):
            answer = instance.request(method, path, b"1 | 0:1\n")
            self.assertEqual((answer.status, answer.json()["error"]["code"]), (409, "fleet"), path)
            self.assertIn(f"learns from topic '{self.topic}' alone", answer.json()["error"]["message"])
        self.assertEqual(instance.get("/metrics").status, 200)
        self.assertIn("glimpse_fleet_up", instance.get("/metrics").body.decode())
        self.assertEqual(instance.stop(), 0)

    def test_a_damaged_state_is_named_and_the_one_before_it_is_used(self):
        self.client.create_topic(self.topic, 1)
        self.client.produce(self.topic, [(0, line) for _, line in messages(500)])
        first = self.instance()
        self.wait_model(first, 500)
        self.client.produce(self.topic, [(0, line) for _, line in messages(500, 2)])
        self.wait_model(first, 1000)
        model = settled(first.model())
        self.assertEqual(first.stop(), 0)
        write_state(self.client, f"{self.group}-states", 0, "0/0/0", (1_000_000, 1001, 5, 12345, 1), b"wrong")
        second = self.instance()
        second.wait_log(rf"topic of states '{self.group}-states': state 1000000 of partition 0.*the state before it is used")
        self.wait_model(second, 1000)
        self.assertEqual(settled(second.model()), model)

    def test_what_cannot_go_on_is_refused_with_a_sentence(self):
        self.client.create_topic(self.topic, 2)
        self.client.produce(self.topic, [(p % 2, line) for p, line in messages(100)])
        instance = self.instance()
        self.wait_model(instance, 100)
        self.assertEqual(instance.stop(), 0)
        with self.subTest("other options than the states'"):
            other = self.instance(dimension=DIMENSION - 1, ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertRegex(other.stderr, r"the fleet cannot go on: partition \d: .*dimension=8")
        with self.subTest("another number of partitions"):
            self.client.add_partitions(self.topic, 3)
            other = self.instance(ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertIn(f"'{self.group}-states' has 2 partitions, and the input has 3", other.stderr)
        with self.subTest("messages that were deleted before they were learned"):
            self.client.create_topic("other", 1)
            self.client.produce("other", [(0, line) for _, line in messages(100)])
            instance = self.instance(group="other-" + self.group, topic="other")
            self.wait_model(instance, 100)
            self.assertEqual(instance.stop(), 0)
            self.client.produce("other", [(0, line) for _, line in messages(100, 2)])
            self.client.delete_records("other", 0, 150)
            other = self.instance(group="other-" + self.group, topic="other", ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertIn("partition 0 does not have the message that is to be learned next", other.stderr)
        with self.subTest("no such topic"):
            other = self.instance(topic="nowhere", ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertIn("topic 'nowhere' is not on the brokers", other.stderr)


if __name__ == "__main__":
    unittest.main()
