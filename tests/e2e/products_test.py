"""--products 2 and 3: what explains the label is found from K looks, named, kept, answered from parts; what it cannot do is
refused in one sentence."""

import json
import math
import random
import re
import unittest

from harness import TestCase, ndjson
from monomials_support import NAMES, factors

PRODUCTS = ("--dimension", len(NAMES), "--budget", 4, "--products", 2, "--seed", 3)


def rows(count, seed=1):
    """y = 4 hr·temp + 2 hum² + wind + noise, of attributes about 3."""
    source = random.Random(seed)
    made = []
    for _ in range(count):
        x = [3 + source.randrange(-64, 65) / 64 for _ in NAMES]
        made.append((4 * (x[0] - 3) * (x[1] - 3) + 2 * (x[2] - 3) ** 2 + x[3] + source.randrange(-8, 9) / 64, x))
    return made


class Products(TestCase):
    def named(self, *arguments):
        return self.start(*PRODUCTS, "--attributes", self.write("names", "\n".join(NAMES)), *arguments)

    def test_products_are_found_named_and_within_the_budget(self):
        daemon = self.named("--clip", "off")
        daemon.post("/v1/learn", ndjson(rows(6000)))
        status = daemon.status()
        self.assertEqual(status["attributes_revealed"], 4 * 6000)
        self.assertGreaterEqual(status["products"], 2)
        self.assertGreater(status["recent_r2"], 0.5)
        model = daemon.get("/v1/model?fresh=true").json()
        self.assertEqual(model["names"][:6], list(NAMES))
        self.assertIn("hr*temp", model["names"])
        self.assertIn("hum^2", model["names"])
        for key in ("names", "attributes", "importances", "importance_errors"):
            self.assertEqual(len(model[key]), len(model["weights"]))
        for name, attributes in zip(model["names"], model["attributes"]):
            listed = attributes if isinstance(attributes, list) else [attributes]
            self.assertEqual([NAMES[i] for i in listed], factors(name))
        lines = daemon.get("/v1/model?format=csv").body.decode().splitlines()
        self.assertTrue(any(re.match(r"0\*1,hr\*temp,", line) for line in lines))
        self.assertIn(f"\nglimpse_products {status['products']}\n", daemon.get("/metrics").body.decode())
        # The exported model is the one that answers.
        for label, x in rows(20, seed=2):
            value = dict(zip(NAMES, x))
            told = model["bias"]
            for name, weight in zip(model["names"], model["weights"]):
                product = weight
                for factor in factors(name):
                    product *= value[factor]
                told += product
            answer = daemon.post("/v1/predict", json.dumps([{"values": x}])).json()["predictions"][0]
            self.assertAlmostEqual(answer, told, places=6)
            self.assertLess(abs(answer - label), 2)

    def test_products_of_three_are_found_named_and_answered(self):
        daemon = self.start("--dimension", len(NAMES), "--budget", 6, "--products", 3, "--seed", 3, "--clip", "off",
                            "--attributes", self.write("names", "\n".join(NAMES)))
        made = [(label + 6 * (x[0] - 3) * (x[3] - 3) * (x[4] - 3), x) for label, x in rows(6000)]
        daemon.post("/v1/learn", ndjson(made))
        self.assertGreater(daemon.status()["recent_r2"], 0.9)
        model = daemon.get("/v1/model?fresh=true").json()
        weights = dict(zip(model["names"], model["weights"]))
        self.assertGreater(weights["hr*wind*day"], 4)
        for _, x in rows(20, seed=2):
            value = dict(zip(NAMES, x))
            told = model["bias"] + sum(weight * math.prod(value[factor] for factor in factors(name))
                                       for name, weight in weights.items())
            answer = daemon.post("/v1/predict", json.dumps([{"values": x}])).json()["predictions"][0]
            self.assertAlmostEqual(answer, told, places=6)
            known = daemon.post("/v1/predict", json.dumps({"known": value})).json()["predictions"][0]
            self.assertAlmostEqual(known, answer, places=6)

    def test_predictions_from_a_part_and_what_to_look_at_next(self):
        daemon = self.named()
        daemon.post("/v1/learn", ndjson(rows(6000)))
        whole = {"hr": 3.9, "temp": 3.8, "hum": 3, "wind": 3, "day": 3, "rain": 3}
        known = {"hr": 3.9, "temp": 3.8}

        def answer(values):
            told = daemon.post("/v1/predict", json.dumps({"known": values})).json()
            return told["predictions"][0], told["standard_errors"][0]

        # 4·0.9·0.8 more than without the product.
        nothing, most = answer({})
        part, less = answer(known)
        self.assertGreater(part - nothing, 1)
        self.assertLess(less, most)
        all_known, least = answer(whole)
        self.assertLess(least, less)
        direct = daemon.post("/v1/predict", json.dumps([{"values": whole}])).json()["predictions"][0]
        self.assertAlmostEqual(all_known, direct, places=6)
        missing = daemon.post("/v1/predict", json.dumps([{"values": {**whole, "hum": None}}])).json()
        self.assertEqual(len(missing["standard_errors"]), 1)
        # With hr known temp tells the product as well.
        asked = daemon.post("/v1/ask", json.dumps({"for": "prediction", "known": {"hr": 3.9}, "count": 1})).json()
        self.assertEqual(asked["choices"][0]["name"], "temp")

    def test_among_many_attributes_products_with_those_that_matter_are_found_and_survive_kill_9(self):
        source = random.Random(5)
        made = []
        for _ in range(24000):
            x = [source.randrange(-64, 65) / 64 for _ in range(150)]
            made.append((2 * x[20] + x[77] + 6 * x[20] * x[140] + source.randrange(-8, 9) / 64, x))
        many = ("--dimension", 150, "--budget", 20, "--products", 2, "--seed", 7, "--clip", "off")
        whole = self.start(*many)
        bodies = ndjson(made[:16000]), ndjson(made[16000:])
        for body in bodies:
            whole.post("/v1/learn", body)
        expected = whole.get("/v1/model?fresh=true").json()
        self.assertIn([20, 140], expected["attributes"])
        state = self.path("state")
        daemon = self.start(*many, "--state-directory", state)
        daemon.post("/v1/learn", bodies[0])
        daemon.post("/v1/checkpoint")
        daemon.kill()
        daemon = self.start(*many, "--state-directory", state)
        daemon.post("/v1/learn", bodies[1])
        model = daemon.get("/v1/model?fresh=true").json()
        self.assertEqual((model["weights"], model["names"]), (expected["weights"], expected["names"]))
        value = {str(i): x for i, x in enumerate(made[0][1])}
        told = daemon.post("/v1/predict", json.dumps([{"values": made[0][1]}])).json()["predictions"][0]
        known = daemon.post("/v1/predict", json.dumps({"known": value})).json()["predictions"][0]
        self.assertAlmostEqual(told, known, places=6)

    def test_the_learner_that_screens_finds_products_among_attributes_that_explain_nothing_alone(self):
        source = random.Random(5)
        made = []
        for _ in range(20000):
            x = [3 + source.randrange(-64, 65) / 64 for _ in range(150)]
            made.append((2 * x[20] + 6 * (x[20] - 3) * (x[140] - 3) + 6 * (x[50] - 3) * (x[90] - 3)
                         + source.randrange(-8, 9) / 64, x))
        many = ("--algorithm", "pairwise-screened", "--active", 40, "--dimension", 150, "--budget", 20, "--products", 2,
                "--seed", 7, "--clip", "off")
        whole = self.start(*many)
        bodies = ndjson(made[:12000]), ndjson(made[12000:])
        for body in bodies:
            whole.post("/v1/learn", body)
        status = whole.status()
        self.assertEqual(status["attributes_revealed"], 20 * len(made))
        self.assertGreaterEqual(status["products"], 2)
        expected = whole.get("/v1/model?fresh=true&errors=true").json()
        self.assertIn([20, 140], expected["attributes"])
        self.assertIn([50, 90], expected["attributes"])
        self.assertEqual(len(expected["weight_errors"]), len(expected["weights"]))
        state = self.path("state")
        daemon = self.start(*many, "--state-directory", state)
        daemon.post("/v1/learn", bodies[0])
        daemon.post("/v1/checkpoint")
        daemon.kill()
        daemon = self.start(*many, "--state-directory", state)
        daemon.post("/v1/learn", bodies[1])
        model = daemon.get("/v1/model?fresh=true&errors=true").json()
        for key in ("weights", "names", "bias", "weight_errors"):
            self.assertEqual(model[key], expected[key])
        for _, x in made[:20]:
            told = model["bias"]
            for weight, attributes in zip(model["weights"], model["attributes"]):
                told += weight * math.prod(x[i] for i in (attributes if isinstance(attributes, list) else [attributes]))
            answer = daemon.post("/v1/predict", json.dumps([{"values": x}])).json()["predictions"][0]
            self.assertAlmostEqual(answer, told, places=6)
        # A part: products are known where their factors are, and expected else; what completes one is bought next.
        for one in (daemon, whole):
            one.get("/v1/model?fresh=true")
        x = [3] * 150
        x[20], x[140] = 3.75, 2.25
        errors = []
        for known in ([20], [20, 140], [20, 140, 50, 90], range(150)):
            body = json.dumps({"known": {str(i): x[i] for i in known}})
            answer = daemon.post("/v1/predict?explain=true&top=3", body).json()
            self.assertEqual(answer, whole.post("/v1/predict?explain=true&top=3", body).json())
            told = answer["explanations"][0]
            parts = sum(part["contribution"] for part in told["contributions"])
            self.assertAlmostEqual(told["at_means"] + parts + told["rest"] + told["unknown"] + told["clipped"],
                                   answer["predictions"][0], places=6)
            errors.append(answer["standard_errors"][0])
        self.assertEqual(errors, sorted(errors, reverse=True))
        self.assertLess(errors[2], errors[0] / 2)
        answer = daemon.post("/v1/predict", json.dumps({"values": x})).json()["predictions"][0]
        self.assertAlmostEqual(daemon.post("/v1/predict", body).json()["predictions"][0], answer, places=6)
        asked = daemon.post("/v1/ask", json.dumps({"for": "prediction", "known": {"20": 3.9}, "count": 1})).json()
        self.assertEqual(asked["choices"][0]["attribute"], 140)
        missing = daemon.post("/v1/predict?absent=unknown", json.dumps({"values": {"20": 3.75, "140": 2.25}})).json()
        known = daemon.post("/v1/predict", json.dumps({"known": {"20": 3.75, "140": 2.25}})).json()
        self.assertAlmostEqual(missing["predictions"][0], known["predictions"][0], places=6)
        self.assertAlmostEqual(missing["standard_errors"][0], known["standard_errors"][0], places=6)

    def test_under_a_limit_of_cost_that_leaves_few_draws_free_products_are_found_within_it(self):
        costs = self.write("costs", "hr 3\ntemp 2\nhum 1\n* 4\n")
        priced = ("--costs", costs, "--budget-cost", 8, "--clip", "off")  # two draws are free, a model wants four
        parts = [ndjson(rows(count, seed)) for seed, count in ((1, 5000), (2, 5000))]
        whole = self.named(*priced)
        for part in parts:
            whole.post("/v1/learn", part)
        expected = whole.get("/v1/model?fresh=true").json()
        self.assertIn("hr*temp", expected["names"])
        plans = whole.post("/v1/ask", json.dumps({"count": 64})).json()["plans"]
        price = (3, 2, 1, 4, 4, 4)
        for plan in plans:
            self.assertLessEqual(sum(price[i] for i in plan["attributes"]), 8)
        state = self.path("state")
        for part in parts:
            daemon = self.named(*priced, "--state-directory", state)
            daemon.post("/v1/learn", part)
            model = daemon.get("/v1/model?fresh=true").json()
            daemon.post("/v1/checkpoint")
            daemon.kill()
        self.assertEqual((model["weights"], model["names"]), (expected["weights"], expected["names"]))

    def test_kill_9_and_a_restart_change_nothing(self):
        parts = [ndjson(rows(count, seed)) for seed, count in ((1, 1500), (2, 1700), (3, 1900))]
        whole = self.named()
        for part in parts:
            whole.post("/v1/learn", part)
        expected = whole.get("/v1/model?fresh=true").json()
        state = self.path("state")
        for number, part in enumerate(parts):
            daemon = self.named("--state-directory", state)
            self.assertEqual(daemon.status()["examples"], (0, 1500, 3200)[number])
            daemon.post("/v1/learn", part)
            model = daemon.get("/v1/model?fresh=true").json()
            daemon.post("/v1/checkpoint")
            daemon.kill()
        self.assertEqual((model["weights"], model["names"]), (expected["weights"], expected["names"]))

    def test_more_attributes_and_another_budget_on_the_same_state(self):
        state = self.path("state")
        daemon = self.named("--state-directory", state)
        daemon.post("/v1/learn", ndjson(rows(300)))
        self.assertEqual(daemon.stop(), 0)
        daemon = self.start("--budget", 5, "--products", 2, "--state-directory", state)
        daemon.post("/v1/learn", ndjson(rows(100)))
        self.assertEqual(daemon.status()["attributes_revealed"], 4 * 300 + 5 * 100)
        self.assertEqual(daemon.stop(), 0)
        status, log = self.refused("--dimension", 7, "--budget", 5, "--products", 2, "--state-directory", state)
        self.assertNotEqual(status, 0)
        self.assertIn("the state has products of its attributes (--products), and takes no more attributes", log)

    def test_what_it_cannot_do_is_refused_in_one_sentence(self):
        small = ("--dimension", 6, "--products", 2)
        screened = ("--dimension", 200, "--budget", 4, "--products", 2, "--algorithm", "pairwise-screened")
        for arguments, sentence in (
                ((*small, "--budget", 3), "--products 2: needs a --budget of 4 or more: two products are of 4 attributes"),
                ((*small, "--budget", 4, "--radius", 2),
                 "--products 2: contradicts --radius: attributes and products have no common unit"),
                ((*small, "--budget", 4, "--bias", "off"),
                 "--products 2: needs --bias on, as products are of what is about a centre"),
                ((*small, "--budget", 4, "--algorithm", "aerr"),
                 "--products 2: has an effect on --algorithm pairwise and pairwise-screened only"),
                ((*screened, "--active", 7),
                 "--products 2: needs --active 8 or more, as half of these may have products, not 7"),
                ((*screened, "--active", 50, "--pair-memory", "48KiB"),
                 "--products 2: would keep 62880 bytes for the pairs of 50 attributes and the products of 4 of them, but "
                 "--pair-memory is 49152: make it larger, or --active smaller"),
                (("--dimension", 200, "--budget", 4, "--products", 2, "--pair-memory", "800KiB"),
                 "--products 2: would keep 911904 bytes for the pairs of 200 attributes and the products of 8 of them, but "
                 "--pair-memory is 819200: make it larger, or leave attributes out (--ignore)"),
                ((*small[:2], "--budget", 4, "--products", "4"), "--products 4: must be one of off, 2, 3"),
                ((*small[:2], "--budget", 5, "--products", 3),
                 "--products 3: needs a --budget of 6 or more: two products are of 6 attributes")):
            self.assertEqual(self.refused(*arguments), (2, f"glimpsed: {sentence}"))
        status, _, log = self.run_to_end("--label", "y", "--budget", 4, "--products", 2, "--strict",
                                         stdin=b"a,b,c,d,y\n1,sun,1,1,2\n2,rain,2,2,3\n")
        self.assertNotEqual(status, 0)
        self.assertIn("--products are of numbers alone: leave --products out, or the attribute with --ignore", log)


if __name__ == "__main__":
    unittest.main()
