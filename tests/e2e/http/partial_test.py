"""Predictions from a few known attributes, and which attributes to obtain next for one prediction."""

import json
import os
import random
import unittest

from harness import TestCase

D = 6


def patients(count, seed=1):
    """x1 follows x0, the others stand alone; the label is 3·x0 + 2·x2 + 0.5·x5 and noise."""
    source = random.Random(seed)
    rows = []
    for _ in range(count):
        x = [source.gauss(0, 1) for _ in range(D)]
        x[1] = x[0] + source.gauss(0, 0.2)
        rows.append({"label": 3 * x[0] + 2 * x[2] + 0.5 * x[5] + source.gauss(0, 0.5), "values": x})
    return rows


class Partial(TestCase):
    def learned(self, *arguments, count=4000):
        daemon = self.start("--dimension", D, "--serve", "--input", os.devnull, "--clip", "off", *arguments)
        daemon.post("/v1/learn", "\n".join(json.dumps(row) for row in patients(count)))
        self.assertEqual(daemon.status()["examples"], count)
        return daemon

    def predict(self, daemon, body):
        answer = daemon.post("/v1/predict", body if isinstance(body, str) else json.dumps(body))
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def choose(self, daemon, known, count, **more):
        body = {"for": "prediction", "known": known, "count": count, **more}
        answer = daemon.post("/v1/ask", json.dumps(body))
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def test_what_is_unknown_is_told_by_what_is_known(self):
        daemon = self.learned("--budget", 4)
        weights = daemon.get("/v1/model").json()
        everything = {str(i): 0.5 * i - 1 for i in range(D)}
        whole = self.predict(daemon, {"values": everything})["predictions"][0]
        answer = self.predict(daemon, [{"known": everything}, {"known": {}}, {"known": {"1": 2}}, {"known": {"3": 2}}])
        by_all, by_none, by_twin, by_stranger = answer["predictions"]
        self.assertAlmostEqual(by_all, whole, places=9)
        self.assertAlmostEqual(by_none, weights["bias"], delta=0.1)  # the means are near 0
        # x1 says what x0 is: 3·E[x0 | x1 = 2] = 3·2/1.04, where x1's own weight, near 0, would say next to nothing.
        self.assertAlmostEqual(by_twin, 5.77, delta=0.8)
        self.assertAlmostEqual(by_stranger, 0, delta=0.4)
        errors = answer["standard_errors"]
        self.assertLess(errors[0], errors[2])
        self.assertLess(errors[2], errors[3])
        self.assertLessEqual(errors[3], errors[1])
        self.assertEqual(answer["examples"], 4000)

    def test_standard_errors_are_about_as_large_as_the_errors(self):
        daemon = self.learned("--budget", 4)
        rows = patients(400, seed=2)
        source = random.Random(3)
        known = [{str(i): row["values"][i] for i in source.sample(range(D), 3)} for row in rows]
        answer = self.predict(daemon, "\n".join(json.dumps({"known": k}) for k in known))
        shares = [(row["label"] - prediction) ** 2 / error ** 2
                  for row, prediction, error in zip(rows, answer["predictions"], answer["standard_errors"])]
        mean = sum(shares) / len(shares)
        self.assertGreater(mean, 0.3)
        self.assertLess(mean, 2)

    def test_without_pair_moments_the_plain_means_stand_in(self):
        daemon = self.learned("--budget", 4, "--algorithm", "aerr")
        model = daemon.get("/v1/model").json()
        moments = daemon.get("/v1/moments").json()["moments"]
        expected = model["bias"] + 2 * model["weights"][1] + sum(
            model["weights"][i] * moments[i]["mean"] for i in range(D) if i != 1)
        answer = self.predict(daemon, {"known": {"1": 2}})
        self.assertAlmostEqual(answer["predictions"][0], expected, places=6)
        self.assertGreater(answer["standard_errors"][0], 0)

    def test_the_attribute_that_tells_most_comes_first(self):
        daemon = self.learned("--budget", 4)
        answer = self.choose(daemon, {}, 3)
        self.assertEqual([c["attribute"] for c in answer["choices"]][:2], [0, 2])
        errors = [answer["standard_error"]] + [c["standard_error"] for c in answer["choices"]]
        self.assertEqual(errors, sorted(errors, reverse=True))
        self.assertEqual(answer["cost"], 3)
        # With x1 known x0 has little left to say.
        self.assertEqual(self.choose(daemon, {"1": 1.5}, 1)["choices"][0]["attribute"], 2)
        self.assertEqual(self.choose(daemon, {}, 1, available=[1, 2, 3])["choices"][0]["attribute"], 1)
        self.assertLessEqual(len(self.choose(daemon, {"0": 1}, 99)["choices"]), D - 1)

    def test_prices_count(self):
        prices = self.write("prices", "0 50\n1 1 blood\n2 1\n3 1\n4 1\n5 1 blood\n@blood 10\n")
        daemon = self.learned("--budget", 4, "--costs", prices)
        answer = self.choose(daemon, {}, 3)
        # x2 for 1; then x1 for 11, which says nearly what x0 does for 50; then x5 for 1, as the blood is there.
        self.assertEqual([(c["attribute"], c["cost"]) for c in answer["choices"]], [(2, 1), (1, 11), (5, 1)])
        self.assertEqual(answer["cost"], 13)
        # Known blood values have paid for the draw.
        first = self.choose(daemon, {"2": 0, "5": 1}, 1)["choices"][0]
        self.assertEqual((first["attribute"], first["cost"]), (1, 1))

    def test_what_was_given_is_never_advised_also_not_as_a_word_that_nobody_knows(self):
        names = self.write("names.txt", "sky\nwind\nsoil\n")
        daemon = self.start("--attributes", names, "--budget", 3, "--seed", 7)
        source = random.Random(1)
        rows = [{"sky": source.choice(["clear", "rain"]), "wind": source.random(), "soil": source.choice("ab")}
                for _ in range(500)]
        daemon.post("/v1/learn", "\n".join(json.dumps({"label": 5 * (row["sky"] == "rain") + row["wind"], "values": row})
                                           for row in rows))

        def advised(known, **more):
            return [choice["name"] for choice in self.choose(daemon, known, 3, **more)["choices"]]

        self.assertEqual(advised({})[0], "sky")
        for known in ({"sky": "rain"}, {"sky": "hail"}, {"0": "hail"}):
            self.assertEqual(sorted(advised(known)), ["soil", "wind"], known)
        self.assertEqual(advised({"sky": "hail", "soil": "c"}), ["wind"])
        self.assertEqual(advised({"sky": "hail"}, available=["sky", "soil"]), ["soil"])
        self.assertEqual(advised({"sky": "hail", "wind": 1, "soil": "c"}), [])
        self.assertEqual(advised({"sky": None})[0], "sky")
        twice = daemon.post("/v1/ask", '{"for": "prediction", "known": {"sky": "hail", "0": "hail"}}')
        self.assertEqual(twice.status, 422)
        self.assertIn("attribute 0 is given twice", twice.json()["error"]["message"])

    def test_names_are_accepted_and_shown(self):
        names = self.write("names", "age\nsex\nbmi\nfoo\nbar\nbaz\n")
        daemon = self.start("--attributes", names, "--budget", 4, "--serve", "--input", os.devnull)
        daemon.post("/v1/learn", "\n".join(json.dumps(row) for row in patients(500)))
        by_name = self.predict(daemon, {"known": {"age": 1, "bmi": 2}})
        self.assertEqual(by_name, self.predict(daemon, {"known": {"0": 1, "2": 2}}))
        choice = self.choose(daemon, {"sex": 0}, 1, available=["age", "bmi", 5])["choices"][0]
        self.assertEqual(choice["name"], "bmi")

    def test_before_the_first_example_nothing_is_claimed(self):
        daemon = self.start("--dimension", D, "--budget", 4, "--serve", "--input", os.devnull)
        self.assertEqual(self.predict(daemon, {"known": {"1": 5}}),
                         {"predictions": [0], "standard_errors": [None], "examples": 0})
        self.assertEqual(self.choose(daemon, {}, 2)["choices"], [])

    def test_refusals(self):
        daemon = self.learned("--budget", 4, count=50)
        many = {str(i): 1 for i in range(D)}
        for path, body, status, code in [
            ("/v1/predict", '{"known":{"9":1}}', 422, "invalid_known"),
            ("/v1/predict", '{"known":{"age":1}}', 422, "invalid_known"),
            ("/v1/predict", '{"known":{"1":1,"01":2}}', 422, "invalid_known"),
            ("/v1/predict", '{"known":{"1":1e99}}', 422, "invalid_known"),
            ("/v1/predict", '{"known":{"1":"x"}}', 422, "invalid_known"),
            ("/v1/predict", '{"known":[1]}', 400, "invalid_example"),
            ("/v1/predict", '{"known":{},"label":1}', 400, "invalid_example"),
            ("/v1/predict", '[{"known":{}},{"values":{}}]', 400, "invalid_example"),
            ("/v1/predict", '[{"known":{}},oops]', 400, "invalid_example"),
            ("/v1/ask", '{"for":"fun"}', 400, "invalid_ask"),
            ("/v1/ask", '{"known":{}}', 400, "invalid_ask"),
            ("/v1/ask", '{"for":"prediction","ttl":"1d"}', 400, "invalid_ask"),
            ("/v1/ask", '{"for":"prediction","known":{"9":1}}', 422, "invalid_known"),
            ("/v1/ask", '{"for":"prediction","available":[9]}', 422, "unknown_attribute"),
        ]:
            with self.subTest(body):
                answer = daemon.post(path, body)
                self.assertEqual((answer.status, answer.error()), (status, code), answer.body)
        self.assertEqual(self.choose(daemon, many, 5)["choices"], [])

    def test_an_attribute_may_be_called_known(self):
        daemon = self.start("--dimension", D, "--budget", 4, "--serve", "--input", os.devnull)
        self.assertEqual(daemon.post("/v1/learn", '{"label":1,"values":{"known":1}}').status, 200)
        self.assertEqual(daemon.post("/v1/predict", '{"values":{"known":1}}').status, 200)
        self.assertEqual(daemon.get("/v1/model").json()["names"], ["known"])


if __name__ == "__main__":
    unittest.main()
