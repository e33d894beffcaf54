"""A fleet over a real broker: instances join, end, are killed, stand still and come back, and the broker restarts, in an
order that a seed gives. Nothing is lost and nothing learned twice: the model of all is, to the byte, that of one instance
that read everything undisturbed.

GLIMPSE_FLEET_EVENTS: how many events; GLIMPSE_FLEET_SEED: their order; GLIMPSE_FLEET_OUTAGE: seconds for which the broker
is gone in the test of that, at least.
"""

import itertools
import os
import random
import signal
import time
import unittest

from broker_support import needs_broker
from fleet_support import PATIENCE, SHORT_SILENCE, FleetTestCase, messages, settled
from harness import until
from kafka_support import KafkaError, TransactionalClient

EVENTS = int(os.environ.get("GLIMPSE_FLEET_EVENTS", "20"))
SEED = int(os.environ.get("GLIMPSE_FLEET_SEED", "1"))
OUTAGE = float(os.environ.get("GLIMPSE_FLEET_OUTAGE", str(SHORT_SILENCE + 1)))
PARTITIONS = 16
MESSAGES = 200_000
MOST_INSTANCES = 4


@needs_broker
class Fleet(FleetTestCase):
    stops_broker = True

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
        standing, still = [self.instance(silence=SHORT_SILENCE) for _ in range(3)], []
        happened = []
        restarts = chance.sample(range(EVENTS), max(1, EVENTS // 20))  # of the broker
        for number in range(EVENTS):
            share = MESSAGES // EVENTS if number + 1 < EVENTS else MESSAGES
            self.client.produce(self.topic, list(itertools.islice(rest, share)))
            kind = "restart" if number in restarts else chance.choice(self.possible(standing, still))
            self.happen(kind, chance, standing, still)
            happened.append(kind)
        for instance in still:
            instance.send_signal(signal.SIGCONT)
        standing += still
        if not standing:
            standing.append(self.instance())
        for instance in standing:
            self.wait_model(instance, MESSAGES)
        models = [settled(instance.model()) for instance in standing]
        moments = [instance.get("/v1/moments").body for instance in standing]
        until(lambda: sum(self.fleet(instance)["partitions_here"] for instance in standing) == PARTITIONS,
              f"all partitions to be here, after {happened}", PATIENCE)
        for instance in standing:
            self.assertEqual(instance.stop(), 0, happened)
        model, of_all = self.model_of_one(self.topic, MESSAGES)
        for other, other_moments in zip(models, moments):
            self.assertEqual(other, model, happened)
            self.assertEqual(other_moments, of_all, happened)

    @staticmethod
    def possible(standing, still):
        """What may happen to so many instances."""
        kinds = ["kill", "end", "stand still"] if len(standing) > 1 else []
        if still:
            kinds.append("come back")
        if len(standing) + len(still) < MOST_INSTANCES:
            kinds.append("join")
        return kinds

    def happen(self, kind, chance, standing, still):
        if kind == "restart":
            self.broker.restart()
        elif kind == "join":
            standing.append(self.instance(silence=SHORT_SILENCE))
        elif kind == "come back":
            back = still.pop(chance.randrange(len(still)))
            back.send_signal(signal.SIGCONT)
            standing.append(back)
        elif kind == "stand still":
            stopped = standing.pop(chance.randrange(len(standing)))
            before = {id(other): self.fleet(other)["assignments"] for other in standing}
            stopped.send_signal(signal.SIGSTOP)
            still.append(stopped)
            # Its partitions are others' by now: when it comes back it owns nothing that it thinks it does.
            until(lambda: all(self.fleet(other)["assignments"] > before[id(other)] for other in standing),
                  "its partitions to be given away", PATIENCE)
        else:
            gone = standing.pop(chance.randrange(len(standing)))
            if kind == "kill":
                gone.kill()
            else:
                self.assertEqual(gone.stop(), 0)

    def test_queries_are_answered_while_the_broker_is_gone_and_learning_goes_on_behind_it(self):
        self.client.create_topic(self.topic, 2)
        self.client.produce(self.topic, [(p % 2, line) for p, line in messages(2000)])
        instance = self.instance(silence=SHORT_SILENCE)
        self.wait_model(instance, 2000)
        before = len(instance.stderr)
        self.broker.stop()
        gone_at = time.monotonic()
        until(lambda: self.fleet(instance)["trouble"], "trouble to be told", PATIENCE)
        while True:
            self.assertEqual(instance.post("/v1/predict?format=vw", "| 0:1 3:1\n").status, 200)
            if time.monotonic() - gone_at > OUTAGE:
                break
            time.sleep(1)
        self.assertEqual([line for line in instance.stderr[before:].splitlines() if "fleet" in line],
                         [line for line in instance.stderr.splitlines() if "learning waits for the brokers" in line])
        self.assertEqual(instance.stderr.count("learning waits for the brokers"), 1)
        self.broker.start()
        self.client.produce(self.topic, [(p % 2, line) for p, line in messages(1000, 2)])
        self.wait_model(instance, 3000)
        until(lambda: self.fleet(instance)["trouble"] is None, "the trouble to end", PATIENCE)
        self.assertIn("goes on learning", instance.stderr)
        self.assertEqual(instance.stop(), 0)

    def test_an_owner_of_before_writes_nothing(self):
        self.client.create_topic(self.topic, 1)
        self.client.produce(self.topic, [(0, line) for _, line in messages(500)])
        instance = self.instance()
        self.wait_model(instance, 500)
        # Another one takes the partition's id, as its next owner would: what the instance commits then is refused.
        states, writer = f"{self.group}-states", f"glimpse/{self.group}/{self.topic}/0"
        with TransactionalClient(self.broker.address, writer) as zombie:
            self.client.produce(self.topic, [(0, line) for _, line in messages(500, 2)])
            until(lambda: self.fleet(instance)["fenced"] > 0, "a commit to be refused", PATIENCE)
            self.wait_model(instance, 1000)  # it has fenced the other one, and learned the same again
            # Now the other one is the owner of before.
            with self.assertRaises(KafkaError):
                zombie.begin()
                zombie.produce(states, [b"nonsense"])
                zombie.commit()
        self.assertNotIn(b"nonsense", [value for _, _, value in self.client.read(states, 0)])
        self.assertEqual(self.fleet(instance)["dropped_messages"], 500)
        model = settled(instance.model())
        self.assertEqual(instance.stop(), 0)
        self.assertEqual(self.model_of_one(self.topic, 1000)[0], model)

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


if __name__ == "__main__":
    unittest.main()
