"""Fleets of every kind of learner that may be in one: after a kill the model of all instances is, to the byte, that of one
which read everything undisturbed, and it has learned something. And a fleet whose brokers want TLS and a password."""

import json
import random
import unittest

from broker_support import needs_broker
from fleet_support import DIMENSION, SHORT_SILENCE, FleetTestCase, fleet_arguments, messages, settled
from harness import until

PARTITIONS = 3
MESSAGES = 3000
TOWNS = {"north": 3, "south": -1, "east": 0.5}


def numbers(count, seed, dimension=DIMENSION):
    for _, line in messages(count, seed):
        label, values = line.split(" |")
        noise = random.Random(line)
        yield label + " |" + values.rstrip() + "".join(f" {i}:{noise.random():.3f}" for i in range(DIMENSION, dimension)) + "\n"


def categories(count, seed):
    chance = random.Random(seed)
    for _ in range(count):
        town, age = chance.choice(list(TOWNS)), chance.random()
        yield json.dumps({"label": round(TOWNS[town] + 2 * age, 3), "values": {"age": age, "town": town}})


def classes(count, seed):
    chance = random.Random(seed)
    for _ in range(count):
        name, centre = chance.choice([("red", (0, 0)), ("green", (4, 0)), ("blue", (0, 4))])
        yield json.dumps({"label": name, "values": {"a": centre[0] + chance.gauss(0, 1), "b": centre[1] + chance.gauss(0, 1)}})


KINDS = {
    "screened": (lambda n, s: numbers(n, s, 20), dict(dimension=20), ("--algorithm", "pairwise-screened", "--active", "6")),
    "half-life": (numbers, {}, ("--half-life", "500")),
    "first order": (numbers, {}, ("--algorithm", "aerr")),
    "two phases": (numbers, {}, ("--algorithm", "two-phase-ddaerr")),
    "categories": (categories, dict(dimension=2, format="ndjson"), ()),
    "classes": (classes, dict(dimension=2, format="ndjson"), ()),
}
FIRST_ORDER = ("first order", "two phases")


class Kind:
    """A topic, the instances of a fleet that learns from it, and one undisturbed."""

    def __init__(self, name, test):
        self.name, self.test = name, test
        self.make, self.shape, self.arguments = KINDS[name]
        self.topic = f"{test.topic}-{name.replace(' ', '-')}"
        test.client.create_topic(self.topic, PARTITIONS)
        self.rest = list(self.make(MESSAGES // 2, 2))
        self.produce(self.make(MESSAGES // 2, 1))
        self.first, self.second = self.start("g-"), self.start("g-", silence=SHORT_SILENCE)

    def start(self, group, **keywords):
        return self.test.instance(*self.arguments, group=group + self.topic, topic=self.topic, commit="200ms", **self.shape,
                                  **keywords)

    def produce(self, lines, begin=0):
        self.test.client.produce(self.topic, [(n % PARTITIONS, line) for n, line in enumerate(lines, begin)])

    def kill_one(self):
        self.test.wait_model(self.first, MESSAGES // 2)
        self.produce(self.rest[:500])
        self.second.kill()
        self.produce(self.rest[500:], 500)
        self.third, self.alone = self.start("g-"), self.start("alone-")

    def check_same(self):
        test = self.test
        for instance in (self.first, self.third, self.alone):
            test.wait_model(instance, MESSAGES)
        expected = settled(self.alone.model())
        test.assertEqual(expected["positions"], [MESSAGES // PARTITIONS] * PARTITIONS)
        for instance in (self.first, self.third):
            test.assertEqual(settled(instance.model()), expected)
            test.assertEqual(instance.get("/v1/moments").body, self.alone.get("/v1/moments").body)
        positions = ",".join(str(MESSAGES // PARTITIONS) for _ in range(PARTITIONS))
        for path in ("/v1/moments", "/v1/model?format=csv"):
            test.assertEqual(self.alone.get(path).headers["Glimpse-Positions"], positions)

    def predictions(self, lines):
        """Of the labels of examples, beside these."""
        format = self.shape.get("format", "vw")
        if format == "vw":
            truths, asked = zip(*((float(line.split()[0]), line[line.index("|"):]) for line in lines))
        else:
            truths, asked = zip(*((row["label"], json.dumps({"values": row["values"]}) + "\n") for row in map(json.loads, lines)))
        answer = self.alone.post(f"/v1/predict?format={format}", "".join(asked))
        self.test.assertEqual(answer.headers["Glimpse-Positions"], self.alone.get("/v1/moments").headers["Glimpse-Positions"])
        return truths, answer.json()["predictions"]

    def check_learned(self):
        truths, told = self.predictions(list(self.make(500, 3)))
        if self.name == "classes":
            self.test.assertLess(sum(name != truth for name, truth in zip(told, truths)), 50)
            return
        mean = sum(truths) / len(truths)
        error = sum((t - y) ** 2 for t, y in zip(told, truths)) / sum((mean - y) ** 2 for y in truths)
        self.test.assertLess(error, 0.9 if self.name in FIRST_ORDER else 0.3)  # nan is not, either


@needs_broker
class FleetKinds(FleetTestCase):
    def test_models_of_all_kinds_are_those_of_one_that_read_everything(self):
        kinds = [Kind(name, self) for name in KINDS]
        for kind in kinds:
            kind.kill_one()
        for kind in kinds:
            with self.subTest(kind.name):
                kind.check_same()
                kind.check_learned()

    def test_a_fleet_reads_and_commits_over_tls_with_a_password(self):
        self.client.create_topic(self.topic, 2)
        self.client.produce(self.topic, [(p % 2, line) for p, line in messages(400)])
        arguments = fleet_arguments(self.group, f"kafka://{self.broker.secure_address}/{self.topic}")
        instances = [self.start(*arguments, *self.secure_properties("open sesame")) for _ in range(2)]
        for instance in instances:
            self.wait_model(instance, 400)
            self.assertEqual(instance.stop(), 0)
            self.assertNotIn("sesame", instance.stderr)
        wrong = self.start(*arguments, *self.secure_properties("wrong"))
        wrong.wait_log("waits for the brokers")


if __name__ == "__main__":
    unittest.main()
