"""Why a prediction is what it is, and how sure the weights are: ?explain=true and ?errors=true, glimpsectl, Python."""

import csv
import io
import json
import math
import random
import subprocess
import unittest

from client_support import ClientTestCase
from harness import binary, ndjson

D = 6
WEIGHTS = (3, -1, 0, 0.5, 0, 0)
SHAPE = ("--dimension", D, "--budget", 4, "--seed", 5)


def rows(count, seed=1):
    """Attributes about 2, the second of which follows the first; the label is 1 + ⟨w, x⟩ and noise."""
    source = random.Random(seed)
    made = []
    for _ in range(count):
        x = [2 + source.randrange(-64, 65) / 32 for _ in range(D)]
        x[1] = x[0] / 2 + source.randrange(-64, 65) / 32
        made.append((1 + sum(w * v for w, v in zip(WEIGHTS, x)) + source.randrange(-8, 9) / 16, x))
    return made


class Reasons(ClientTestCase):
    def learned(self, *arguments, records=None):
        self.daemon = daemon = self.start(*SHAPE, "--serve", *arguments)
        daemon.post("/v1/learn", ndjson(records or rows(4000)))
        daemon.get("/v1/model?fresh=true")
        return daemon

    def explain(self, body, query="", status=200):
        text = body if isinstance(body, str) else json.dumps(body)
        answer = self.daemon.post(f"/v1/predict?explain=true{query}", text)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json()

    def check_sums(self, answer):
        self.assertEqual(len(answer["explanations"]), len(answer["predictions"]))
        for prediction, told in zip(answer["predictions"], answer["explanations"]):
            parts = [part["contribution"] for part in told["contributions"]]
            total = math.fsum([told["at_means"], told["rest"], told["unknown"], told["clipped"], *parts])
            self.assertAlmostEqual(total, prediction, delta=1e-9 * (1 + abs(prediction) + sum(map(abs, parts))))
            self.assertEqual([abs(part) for part in parts], sorted(map(abs, parts), reverse=True))
        for error, told in zip(answer.get("standard_errors", ()), answer["explanations"]):
            self.assertAlmostEqual(error ** 2, told["variance"]["noise"] + told["variance"]["unknown"])

    def ctl(self, *arguments, **keywords):
        return subprocess.run([binary("GLIMPSECTL_BIN"), "--server", f"unix:{self.daemon.http_path}", *arguments],
                              capture_output=True, text=True, **keywords)

    def test_every_prediction_has_a_standard_error_where_that_is_asked_for(self):
        daemon = self.learned()
        made = rows(3000, seed=9)
        for count in (1, 3000):  # a small body, and one that a thread reads
            body = ndjson([(None, x) for _, x in made[:count]])
            plain = daemon.post("/v1/predict", body).json()
            told = daemon.post("/v1/predict?errors=true", body).json()
            self.assertNotIn("standard_errors", plain)
            self.assertEqual(told["predictions"], plain["predictions"])
            self.assertEqual(len(told["standard_errors"]), count)
        errors = [(prediction - label) / error for (label, _), prediction, error in zip(made, told["predictions"], told["standard_errors"])]
        self.assertTrue(0.5 < math.sqrt(sum(e * e for e in errors) / len(errors)) < 1.1)
        some = '{"values": [1, 2, null, 1, 1, 1]}\n{"values": [1, 2, 3, 1, 1, 1]}\n'
        self.assertEqual(daemon.post("/v1/predict?errors=true", some).json(), daemon.post("/v1/predict", some).json())
        self.assertEqual(daemon.post("/v1/predict?errors=some", some).status, 400)

    def test_contributions_and_the_prediction_at_the_means_add_up_with_every_algorithm(self):
        whole = [{"values": x} for _, x in rows(5, seed=2)]
        partial = [{"values": [None, 4, 1, None, 2, 2]}, {"values": {"0": 4}}, {"values": [None] * D}]
        needs = {"aelr": ("--radius", 5), "aer": ("--radius", 5, "--step", 0.01)}
        for algorithm in ("pairwise", "pairwise-screened", "aerr", "two-phase-ddaerr", "aelr", "online-ridge", "aer"):
            with self.subTest(algorithm):
                self.learned("--algorithm", algorithm, *needs.get(algorithm, ()))
                for query in ("", "&top=1", "&absent=unknown"):
                    answer = self.explain(whole + partial, query)
                    plain = self.daemon.post("/v1/predict?" + query[1:].replace("top=1", ""),
                                             json.dumps(whole + partial)).json()
                    self.assertEqual(answer["predictions"], plain["predictions"])
                    self.check_sums(answer)
                    for told in answer["explanations"][:len(whole)]:
                        self.assertEqual((told["unknown"], told["variance"]["unknown"]), (0, 0))
                self.assertEqual(len(self.explain(whole[0], "&top=1")["explanations"][0]["contributions"]), 1)
                self.assertEqual(self.explain(whole[0])["explanations"][0]["rest"], 0)
                self.check_sums(self.explain([{"known": {"1": 4}}, {"known": {}}]))
                self.assertEqual(self.daemon.stop(), 0)

    def test_means_that_moved_on_since_the_model_was_solved_are_in_the_unknown_part(self):
        source = random.Random(6)
        daemon = self.daemon = self.start("--dimension", 240, "--budget", 40, "--solver", "background", "--clip", "off",
                                          "--serve")
        for mean in (0, 4):
            made = [(x[0] - x[7], x) for x in ([mean + source.random() for _ in range(240)] for _ in range(600))]
            daemon.post("/v1/learn", ndjson(made))
            if mean == 0:
                daemon.get("/v1/model?fresh=true")
            body = [{"values": [1] * 230 + [None] * 10}, {"values": [None] * 20 + [1] * 220}]
            answer = self.explain(body, "&absent=zero")
            self.check_sums(answer)

    def test_each_contribution_is_the_weight_times_the_distance_from_the_mean(self):
        daemon = self.learned("--clip", "off")
        model = daemon.get("/v1/model?fresh=true").json()
        means = [row["mean"] for row in daemon.get("/v1/moments").json()["moments"]]
        x = [8, 2, 2, 0, 1, 3]
        told = self.explain({"values": x})["explanations"][0]
        self.assertEqual(told["contributions"][0]["attribute"], 0)
        for part in told["contributions"]:
            i = part["attribute"]
            self.assertEqual(part["value"], x[i])
            self.assertAlmostEqual(part["contribution"], model["weights"][i] * (x[i] - means[i]), places=9)
        self.assertAlmostEqual(told["at_means"], model["bias"] + sum(w * m for w, m in zip(model["weights"], means)))
        self.assertEqual(told["clipped"], 0)
        self.assertGreater(self.explain({"known": {"1": 4}})["explanations"][0]["unknown"], 1)  # tells of its twin
        unknown = [self.explain({"known": {str(i): 2 for i in range(n)}})["explanations"][0]["variance"]["unknown"]
                   for n in (0, 1, D)]
        self.assertGreater(unknown[0], unknown[1])
        self.assertEqual(unknown[2], 0)

    def test_clipping_is_a_part_of_its_own(self):
        bias = self.learned("--clip", "5:6").get("/v1/model").json()["bias"]
        answer = self.explain([{"values": [4] * D}, {"values": [0] * D}, {"values": [4] + [None] * (D - 1)}])
        known = self.explain({"known": {"0": 4}})
        self.check_sums(answer)
        self.check_sums(known)
        self.assertEqual(answer["predictions"], [6, 5, 6])
        self.assertAlmostEqual(answer["explanations"][1]["clipped"], 5 - bias)
        for told in (answer["explanations"][0], answer["explanations"][2], known["explanations"][0]):
            self.assertLess(told["clipped"], -2)

    def test_categories_have_parts_by_their_names(self):
        source = random.Random(3)
        records = []
        for _ in range(3000):
            x = [source.randrange(-64, 65) / 32 for _ in range(D - 1)]
            word = source.choice(("sun", "rain", "snow"))
            records.append({"label": x[0] + 2 * (word == "sun") + source.randrange(-8, 9) / 64,
                            "values": {**{f"a{i}": v for i, v in enumerate(x)}, "weather": word}})
        names = self.write("names.txt", "".join(f"a{i}\n" for i in range(D - 1)) + "weather\n")
        body = "\n".join(map(json.dumps, records))
        for algorithm in ("pairwise", "pairwise-screened"):
            with self.subTest(algorithm):
                daemon = self.daemon = self.start("--attributes", names, "--budget", 5, "--serve", "--clip", "off",
                                                  "--categories", "weather", "--algorithm", algorithm)
                self.assertEqual(daemon.post("/v1/learn", body).status, 200)
                daemon.get("/v1/model?fresh=true")
                values = {f"a{i}": 1.5 for i in range(D - 1)}
                answer = self.explain([{"values": {**values, "weather": word}} for word in ("sun", "hail", None)] +
                                      [{"values": {"a0": 1}}, {"values": values}])
                self.check_sums(answer)
                self.check_sums(self.explain([{"known": {"weather": "sun", "a0": 2}}, {"known": {"weather": "hail"}}]))
                parts = {part["name"]: part for part in answer["explanations"][0]["contributions"]}
                self.assertEqual((parts["weather=sun"]["attribute"], parts["weather=sun"]["value"]), (D - 1, 1))
                self.assertEqual(parts["weather=rain"]["value"], 0)
                self.assertGreater(parts["weather=sun"]["contribution"], 0.2)
                model = daemon.get("/v1/model?errors=true").json()
                self.assertEqual(len(model["weight_errors"]), len(model["weights"]))
                self.assertGreater(model["weight_errors"][model["names"].index("weather=sun")], 0)
                self.assertEqual(daemon.stop(), 0)

    def test_products_have_parts_by_their_names(self):
        source = random.Random(4)
        records = []
        for _ in range(6000):
            x = [3 + source.randrange(-64, 65) / 64 for _ in range(D)]
            records.append((x[0] + 4 * (x[1] - 3) * (x[2] - 3) + source.randrange(-8, 9) / 64, x))
        names = self.write("names.txt", "".join(f"a{i}\n" for i in range(D)))
        daemon = self.learned("--products", 2, "--attributes", names, "--clip", "off", records=records)
        answer = self.explain([{"values": [4] * D}, {"values": [4, None, 4, 4, 4, 2]}, {"values": [3.5] * D}])
        self.check_sums(answer)
        self.check_sums(self.explain([{"known": {"a1": 4, "a2": 2}}, {"known": {"a1": 4}}]))
        parts = {part["name"]: part for part in answer["explanations"][0]["contributions"]}
        self.assertEqual(parts["a1*a2"]["attribute"], [1, 2])
        self.assertAlmostEqual(parts["a1*a2"]["contribution"], 4, delta=0.5)
        model = daemon.get("/v1/model?errors=true").json()
        product = model["names"].index("a1*a2")
        self.assertLess(abs(model["weights"][product] - 4), 4 * model["weight_errors"][product])

    def test_what_cannot_be_explained_is_refused_with_the_reason(self):
        self.learned("--algorithm", "apple")
        self.assertIn("apple does not know the means", self.explain({"values": [1] * D}, status=400)["error"]["message"])
        self.assertEqual(self.explain({"known": {"1": 1}}, status=409)["error"]["code"], "whole_examples_only")
        for query, message in (("explain=yes", "explain 'yes' must be true or false"),
                               ("explain=true&top=0", "top '0' must be a whole number from 1 to 1000"),
                               ("explain=true&top=1001", "top '1001' must be"), ("top=3", "top is for explain=true"),
                               ("explain=true&why=1", "has no parameter 'why'")):
            answer = self.daemon.post("/v1/predict?" + query, json.dumps({"values": [1] * D}))
            self.assertEqual(answer.status, 400)
            self.assertIn(message, answer.json()["error"]["message"])
        large = "\n".join(json.dumps({"values": [1] * D}) for _ in range(1000))
        self.assertIn("explain is for at most 16384 bytes of examples",
                      self.explain(large, status=413)["error"]["message"])
        few = "\n".join(["1,1,1,1,1,1"] * 300)
        self.daemon.stop()
        self.learned()
        self.assertIn("at most 200 predictions of this model are explained at once",
                      self.explain(few, "&format=csv&top=1000", status=400)["error"]["message"])
        answer = self.daemon.get("/v1/model?errors=1")
        self.assertEqual((answer.status, answer.json()["error"]["code"]), (400, "invalid_errors"))

    def test_weights_have_errors_and_intervals_at_every_door(self):
        for arguments in ((), ("--solver", "background"), ("--algorithm", "pairwise-screened")):
            with self.subTest(arguments):
                daemon = self.learned(*arguments)
                self.assertNotIn("weight_errors", daemon.get("/v1/model").json())
                model = daemon.get("/v1/model?errors=true").json()
                self.assertEqual(model["interval"], 0.9)
                for i, true in enumerate(WEIGHTS):
                    low, high, error = (model[name][i] for name in ("weight_lows", "weight_highs", "weight_errors"))
                    self.assertAlmostEqual(high - low, 2 * 1.6448536269514722 * error)
                    self.assertLess(abs(model["weights"][i] - true), 4 * error)
                    self.assertLess(error, 0.2)
                table = list(csv.DictReader(io.StringIO(daemon.get("/v1/model?errors=true&format=csv").body.decode())))
                self.assertEqual([float(row["weight_error"]) for row in table[1:]], model["weight_errors"])
                self.assertEqual(table[0]["weight_low"], "")
                tensors = daemon.get("/v1/model?errors=true&format=safetensors").body
                header = json.loads(tensors[8:8 + int.from_bytes(tensors[:8], "little")])
                self.assertEqual(header["weight_errors"]["shape"], [D])
                shown = self.ctl("model", "--errors", check=True).stdout
                self.assertRegex(shown, r"attribute  importance +weight +90 % interval\n +0 .* ± .* ± .* to ")
                self.assertEqual(self.of(daemon).model(errors=True)["weight_errors"], model["weight_errors"])
                self.assertEqual(daemon.stop(), 0)

    def test_where_errors_are_not_known_they_are_null(self):
        for arguments, count in ((("--algorithm", "aerr"), 4000), ((), 1)):
            daemon = self.learned(*arguments, records=rows(count))
            model = daemon.get("/v1/model?errors=true&fresh=true").json()
            for name in ("weight_errors", "weight_lows", "weight_highs"):
                self.assertEqual(model[name], [None] * D)
            self.assertIn("\n0,,", daemon.get("/v1/model?errors=true&format=csv").body.decode())
            self.assertEqual(daemon.stop(), 0)
        empty = self.start(*SHAPE, "--serve").get("/v1/model?errors=true").json()
        self.assertEqual(empty["weight_errors"], [None] * D)

    def test_glimpsectl_and_python_explain(self):
        self.learned("--clip", "off")
        x = [8, 2, 2, 0, 1, 3]
        shown = self.ctl("predict", "--explain", "--top", "2", input=ndjson([(None, x)] * 900), check=True).stdout
        self.assertEqual(shown.count("the prediction at the means"), 900)  # in several pieces
        self.assertIn("\nexample 900: ", shown)
        told = self.of(self.daemon).predict([x], explain=True, top=2)
        lines = shown.splitlines()
        self.assertRegex(lines[0], r"^example 1: [0-9.]+; variance: [0-9.]+ of noise, 0 of what is not known$")
        self.assertEqual(lines[1].split(), ["contribution", "attribute", "value"])
        self.assertEqual(lines[3].split(), [f"{told.explanations[0].contributions[0].contribution:.6g}", "0", "8"])
        self.assertTrue(lines[5].endswith(" the others"))
        reasons = told.explanations[0]
        parts = sum(part.contribution for part in reasons.contributions)
        self.assertAlmostEqual(reasons.at_means + reasons.rest + parts, told.predictions[0], places=9)
        self.assertEqual(len(reasons.contributions), 2)
        self.assertIsNone(self.of(self.daemon).predict([x]).explanations)
        known = self.of(self.daemon).predict(known={1: 4}, explain=True)
        self.assertAlmostEqual(known.standard_errors[0] ** 2,
                               known.explanations[0].noise_variance + known.explanations[0].unknown_variance)
        self.assertIn("--top '3' is for the tables of --explain", self.ctl("predict", "--top", "3", input="").stderr)


if __name__ == "__main__":
    unittest.main()
