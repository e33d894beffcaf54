#!/usr/bin/env python3
"""The monkey itself: a seed says everything, and what is wrong is seen."""

import json
import os
import random
import sys
import types
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

from attacks import check_json  # noqa: E402
from checkpoints import Checkpoint, differences  # noqa: E402
from learners import ALGORITHMS, Learner  # noqa: E402
from magnitudes import ALIKE  # noqa: E402
from scenario import DOORS, Scenario  # noqa: E402
from strict import Complaints, Strict, check_replies  # noqa: E402

MODEL = '{"algorithm":"aerr","dimension":2,"examples":5,"attributes_revealed":9,"age_seconds":0,"bias":1,"weights":[%s,2]}'


class FakeDaemon:
    """Answers every request for the model with `weight` in it."""

    def __init__(self, weight):
        self.weight = weight

    def request(self, method, path, body=None):
        return types.SimpleNamespace(status=200, body=(MODEL % self.weight).encode())

    def get(self, path):
        if "csv" in path:
            return types.SimpleNamespace(status=200, body=f"attribute,name,weight\nbias,,1\n0,,{self.weight}\n1,,2\n".encode())
        header = json.dumps({"bias": {"dtype": "F64", "shape": [1], "data_offsets": [0, 0]}}).encode()
        return types.SimpleNamespace(status=200, body=len(header).to_bytes(8, "little") + header)


class Monkey(unittest.TestCase):
    def test_a_seed_gives_the_same_scenario(self):
        for seed in range(40):
            one, other = Scenario(seed, 60), Scenario(seed, 60)
            self.assertEqual(one.describe(), other.describe())
            self.assertEqual([portion.content for portion in one.portions], [portion.content for portion in other.portions])
            self.assertEqual(one.learner.arguments("f"), other.learner.arguments("f"))

    def test_many_seeds_reach_every_learner_door_and_format(self):
        algorithms, doors, forms = set(), set(), set()
        for seed in range(150):
            scenario = Scenario(seed, 8)
            algorithms.add(scenario.learner.algorithm)
            doors.update(portion.door for portion in scenario.portions)
            forms.update(portion.form for portion in scenario.portions)
        self.assertEqual(algorithms, set(ALGORITHMS))
        self.assertEqual(doors, set(DOORS))
        self.assertEqual(forms, {"svmlight", "vw", "csv", "ndjson", "f32", "npy"})
        self.assertEqual(len({Learner(random.Random(seed)).algorithm for seed in range(150)}), len(ALGORITHMS))

    def test_many_seeds_reach_labels_that_are_alike_and_extreme_importances(self):
        scenarios = [Scenario(seed, 8) for seed in range(400)]
        self.assertLessEqual(set(ALIKE), {scenario.labels.name for scenario in scenarios})
        self.assertIn("extreme", {scenario.importances for scenario in scenarios})
        self.assertIn("look-at-best", {name for scenario in scenarios for name in scenario.learner.options})
        for name, make in ALIKE.items():
            rule = make(random.Random(1))
            labels = [rule(number) for number in range(10)]
            self.assertLessEqual(len(set(labels)), 2, name)

    def test_numbers_that_are_none_are_seen(self):
        for weight in ("null", "NaN", "Infinity", "1e999", '"1"', "true"):
            strict = Strict(FakeDaemon(weight), "off", ([], []))
            strict.model()
            self.assertTrue(strict.wrong, weight)
        strict = Strict(FakeDaemon("-5e-324"), "off", ([], []))
        strict.model()
        self.assertEqual(strict.wrong, [])

    def test_texts_that_are_no_numbers_are_seen(self):
        for text in ("nan", "-nan", "inf", "+Inf", "1e999", "", "0x1", "1_0"):
            wrong = Complaints()
            wrong.text("x", text)
            self.assertTrue(wrong, text)
        wrong = Complaints()
        check_replies(wrong, "1.5\n-2e-300 tag\nerror: line 3: no\nresume 3\ndurable 2\n0\n", (-2, 2))
        self.assertEqual(wrong, [])
        check_replies(wrong, "2.5\n", (-2, 2))
        self.assertEqual(len(wrong), 1)

    def test_an_impossible_number_is_seen_by_its_name(self):
        for name, value in (("loss", -.1), ("held_out_recent_loss", -1e-9), ("r2", 1.01), ("recent_r2", 2), ("rmse", -1),
                            ("probability", 1.5), ("label_variance", -2), ("glimpse_progressive_loss", -1)):
            wrong = Complaints()
            check_json(wrong, "x", {"a": [{name: value}]})
            self.assertEqual(len(wrong), 1, name)
        wrong = Complaints()
        check_json(wrong, "x", {"recent_r2": -3, "recent_loss_estimate": -1, "bias": -2, "loss": None, "model_excess": -1})
        self.assertEqual(wrong, [])

    def test_a_changed_bit_is_seen(self):
        one = {"weights": [0.1, 0.0], "names": ["a"]}
        self.assertEqual(differences("", one, json.loads(json.dumps(one))), [])
        self.assertEqual(len(differences("", one, {"weights": [0.1, -0.0], "names": ["a"]})), 1)
        self.assertEqual(len(differences("", one, {"weights": [0.10000000000000002, 0.0], "names": ["b"]})), 2)
        self.assertEqual(len(differences("", one, {"weights": [0.1], "names": ["a"]})), 1)

    def test_numbers_of_a_checkpoint_that_are_not_finite_are_seen(self):
        infinity, one = b"\0\0\0\0\0\0\xf0\x7f", b"\0\0\0\0\0\0\xf0\x3f"
        self.assertEqual(Checkpoint({}, {"w": ("F64", one), "labels.min": ("F64", infinity)}).infinite(), [])
        self.assertEqual(len(Checkpoint({}, {"w": ("F64", one + infinity)}).infinite()), 1)
        missing = b"\0\0\0\0\0\0\xf8\x7f"
        self.assertEqual(Checkpoint({}, {"first.examples": ("F64", one + missing)}).infinite(), [])
        self.assertEqual(len(Checkpoint({}, {"first.examples": ("F64", infinity)}).infinite()), 1)
        self.assertEqual(len(Checkpoint({}, {"w": ("F64", missing)}).infinite()), 1)
        same, other = Checkpoint({}, {"w": ("F64", one)}), Checkpoint({}, {"w": ("F64", infinity)})
        self.assertEqual(same.differences(other), ["w"])
        self.assertEqual(same.differences(Checkpoint({}, {"w": ("F64", one), "inputs.names": ("U8", b"x")})), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
