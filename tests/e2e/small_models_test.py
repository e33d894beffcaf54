"""Models of few attributes: /v1/model?attributes=N and ?cost=C, glimpsectl model --attributes, the Python client."""

import json
import pathlib
import random
import subprocess
import unittest

from client_support import ClientTestCase
from glimpsed.client import InvalidRequest
from harness import binary, ndjson

D = 8
SHAPE = ("--dimension", D, "--budget", 4, "--seed", 5)


def rows(count, seed=1):
    """The label is 1 + 3·x5 + x2 + x0/2 and noise."""
    source = random.Random(seed)
    made = []
    for _ in range(count):
        x = [2 + source.randrange(-64, 65) / 32 for _ in range(D)]
        made.append((1 + 3 * x[5] + x[2] + x[0] / 2 + source.randrange(-16, 17) / 4, x))
    return made


class SmallModels(ClientTestCase):
    def learned(self, *arguments, count=6000, names=True):
        named = ("--attributes", self.write("names.txt", "".join(f"a{i}\n" for i in range(D)))) if names else ()
        self.daemon = self.start(*SHAPE, *named, "--serve", *arguments)
        self.daemon.post("/v1/learn", ndjson(rows(count)))
        return self.daemon

    def ctl(self, *arguments, **keywords):
        return subprocess.run([binary("GLIMPSECTL_BIN"), "--server", f"unix:{self.daemon.http_path}", *arguments],
                              capture_output=True, text=True, **keywords)

    def refused(self, query, status):
        answer = self.daemon.get("/v1/model?" + query)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json()["error"]["message"]

    def loss(self, told):
        total = 0
        for label, x in rows(2000, seed=2):
            named = {f"a{i}": value for i, value in enumerate(x)}
            total += (told["bias"] + sum(w * named[name] for name, w in told["weights"].items()) - label) ** 2
        return total / 2000

    def test_the_best_attributes_their_weights_and_the_curve_of_losses(self):
        for arguments in ((), ("--solver", "background"), ("--algorithm", "pairwise-screened")):
            with self.subTest(arguments):
                daemon = self.learned(*arguments)
                told = daemon.get("/v1/model?attributes=3").json()
                self.assertEqual((told["attributes"], told["names"]), ([5, 2, 0], ["a5", "a2", "a0"]))
                self.assertEqual((told["examples"], told["cost"]), (6000, None))
                self.assertEqual(set(told["weights"]), {"a5", "a2", "a0"})
                self.assertAlmostEqual(told["weights"]["a5"], 3, delta=0.2)
                bounds, whole = told["bounds"], daemon.get("/v1/model").json()["bounds"]
                self.assertEqual(bounds["label"], whole["label"])
                for name in ("means", "lows", "highs", "limits"):
                    self.assertEqual(bounds[name], [whole[name][i] for i in told["attributes"]])
                self.assertLess(abs(told["loss"] - self.loss(told)), 0.05 * told["loss"] + 2 * told["loss_error"])
                self.assertLess(told["loss_error"], 0.05 * told["loss_of_mean"])
                curve = told["curve"]
                self.assertEqual([point["attributes"] for point in curve], [0, 1, 2, 3])
                self.assertEqual([point["added_names"] for point in curve], [[], ["a5"], ["a2"], ["a0"]])
                losses = [point["loss"] for point in curve]
                self.assertEqual(losses, sorted(losses, reverse=True))
                self.assertEqual(losses[0], told["loss_of_mean"])
                self.assertEqual(len(daemon.get("/v1/model?attributes=100").json()["attributes"]), D)
                self.assertEqual(len(daemon.get("/v1/model").json()["weights"]), D)
                self.assertEqual(daemon.stop(), 0)

    def test_a_limit_of_cost_buys_what_predicts_best_for_it(self):
        costs = self.write("costs", "a5 10\na2 1\na0 1\n* 2\n")
        self.learned("--costs", costs)
        self.assertEqual(self.daemon.get("/v1/model?cost=2").json()["names"], ["a2", "a0"])
        told = self.daemon.get("/v1/model?cost=11").json()
        self.assertEqual((sorted(told["names"]), told["cost"]), (["a2", "a5"], 11))
        both = self.daemon.get("/v1/model?cost=11&attributes=1").json()
        self.assertEqual((both["names"], both["cost"]), (["a5"], 10))
        nothing = self.daemon.get("/v1/model?cost=0.5").json()
        self.assertEqual((nothing["attributes"], nothing["weights"], nothing["loss"]), ([], {}, nothing["loss_of_mean"]))
        by_number = self.daemon.get("/v1/model?attributes=2").json()
        self.assertEqual((by_number["names"], by_number["cost"]), (["a5", "a2"], 11))

    def test_the_answer_is_the_same_after_a_kill(self):
        state = self.path("state")
        daemon = self.learned("--state-directory", state)
        daemon.post("/v1/checkpoint", "")
        before = daemon.get("/v1/model?attributes=4").json()
        daemon.kill()
        again = self.start(*SHAPE, "--attributes", self.path("names.txt"), "--serve", "--state-directory", state)
        after = again.get("/v1/model?attributes=4").json()
        for told in (before, after):
            del told["age_seconds"]
        self.assertEqual(before, after)

    def test_what_cannot_be_told_is_refused_with_the_reason(self):
        self.learned(count=100)
        self.assertIn("attributes '0' must be a whole number from 1 to 256", self.refused("attributes=0", 400))
        self.assertIn("cost 'x'", self.refused("cost=x", 400))
        self.assertIn("what attributes cost is not known; --costs FILE", self.refused("cost=3", 409))
        self.assertIn("is told as json, not as csv", self.refused("attributes=2&format=csv", 400))
        self.daemon.stop()
        for arguments, message in ((("--algorithm", "aerr"), "--algorithm aerr keeps no moments of pairs"),
                                   (("--products", 2), "a small model has no products")):
            self.learned(*arguments, count=100)
            self.assertIn(message, self.refused("attributes=2", 409))
            self.daemon.stop()
        self.learned(count=0)
        self.assertIn("nothing was learned yet", self.refused("attributes=2", 409))
        self.daemon.stop()
        self.learned("--algorithm", "pairwise-screened", "--active", 3, count=1)
        self.assertIn("no attribute is active yet", self.refused("attributes=2", 409))

    def test_glimpsectl_and_python_show_it(self):
        self.learned()
        shown = self.ctl("model", "--attributes", "3", check=True).stdout
        self.assertRegex(shown, r"(?m)^attributes  added  expected loss")
        self.assertRegex(shown, r"(?m)^ +3  a0 +[0-9.]+ ± [0-9.]+ +█+$")
        self.assertRegex(shown, r"(?m)^ +[0-9.]+  a5$")
        picture = pathlib.Path(self.path("curve.svg"))
        told = json.loads(self.ctl("model", "--attributes", "3", "--json", "--svg", str(picture), check=True).stdout)
        self.assertEqual(picture.read_text().count("<circle"), 4)
        of_client = self.of(self.daemon).small_model(attributes=3)
        self.assertEqual(of_client["weights"], told["weights"])
        with self.assertRaises(ValueError):
            self.of(self.daemon).small_model()
        with self.assertRaisesRegex(InvalidRequest, r"1e\+300"):  # and not "1e 300"
            self.of(self.daemon).small_model(cost=1e300)
        for arguments, message in ((("--svg", "x.svg"), "--svg draws the curve of --attributes N or --cost MONEY"),
                                   (("--attributes", "3", "--errors"), "--errors is of the whole model"),
                                   (("--attributes", "3", "--format", "csv"), "--format 'csv' is of the whole model"),
                                   (("--attributes", "3", "--top", "2"), "--top is of the whole model"),
                                   (("--cost", "3&x"), "--cost '3&x' must be an amount")):
            refused = self.ctl("model", *arguments)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn(message, refused.stderr)
        self.assertIn("--costs FILE", self.ctl("model", "--cost", "3").stderr)


if __name__ == "__main__":
    unittest.main()
