"""--algorithm apple: what it finds is named, shown and kept; every format makes the same model; what it cannot do is
refused in one sentence."""

import json
import random
import re
import struct
import unittest

from harness import TestCase, csv, ndjson, svmlight
from monomials_support import NAMES, factors

APPLE = ("--algorithm", "apple", "--dimension", len(NAMES), "--horizon", 3000, "--seed", 3)


def rows(count, seed=1):
    """y = 4 hr·temp + hum + noise; half of the values are 0."""
    source = random.Random(seed)
    made = []
    for _ in range(count):
        x = [source.randrange(1, 65) / 64 if source.random() < 0.5 else 0.0 for _ in NAMES]
        made.append((4 * x[0] * x[1] + x[2] + source.randrange(-8, 9) / 64, x))
    return made


class Apple(TestCase):
    def named(self, *arguments):
        return self.start(*APPLE, "--attributes", self.write("names", "\n".join(NAMES)), *arguments)

    def test_a_product_is_found_and_every_form_of_the_model_names_it(self):
        daemon = self.named("--clip", "off")
        daemon.post("/v1/learn", ndjson(rows(3000)))
        model = daemon.get("/v1/model?fresh=true").json()
        self.assertEqual(model["dimension"], len(NAMES))
        for key in ("names", "attributes", "importances", "importance_errors"):
            self.assertEqual(len(model[key]), len(model["weights"]))
        self.assertEqual(model["names"][:6], list(NAMES))
        self.assertEqual(model["attributes"][:6], list(range(6)))
        self.assertIn("hr*temp", model["names"])
        self.assertEqual(len(set(model["names"])), len(model["names"]))
        for name, attributes in zip(model["names"], model["attributes"]):
            listed = attributes if isinstance(attributes, list) else [attributes]
            self.assertEqual([NAMES[i] for i in listed], factors(name))
        status = daemon.status()
        self.assertEqual(status["products"], len(model["weights"]) - 6)
        self.assertEqual(status["product_expansions"], 5)
        self.assertEqual(status["products_lacking"], 0)
        self.assertGreater(status["recent_r2"], 0.9)

        # A prediction is the bias and the weights of the features, where none is beyond its largest so far.
        for _, x in rows(3000)[:20]:
            value = dict(zip(NAMES, x))
            told = model["bias"]
            for name, weight in zip(model["names"], model["weights"]):
                product = weight
                for factor in factors(name):
                    product *= value[factor]
                told += product
            answer = daemon.post("/v1/predict", json.dumps([{"values": x}])).json()
            self.assertAlmostEqual(answer["predictions"][0], told, places=9)

        lines = daemon.get("/v1/model?format=csv").body.decode().splitlines()
        self.assertTrue(any(re.match(r"0\*1,hr\*temp,", line) for line in lines))
        self.assertEqual(len(lines), 2 + len(model["weights"]))
        tensors = daemon.get("/v1/model?format=safetensors").body
        length = struct.unpack("<Q", tensors[:8])[0]
        header = json.loads(tensors[8:8 + length])
        begin, end = (8 + length + offset for offset in header["degrees"]["data_offsets"])
        degrees = struct.unpack(f"<{(end - begin) // 4}I", tensors[begin:end])
        self.assertEqual(list(degrees), [len(factors(name)) for name in model["names"]])
        self.assertEqual(header["attributes"]["shape"], [sum(degrees)])
        metrics = daemon.get("/metrics").body.decode()
        self.assertIn(f"\nglimpse_products {status['products']}\n", metrics)
        self.assertIn("\nglimpse_products_lacking_total 0\n", metrics)

    def test_every_format_makes_the_same_model_and_counts_what_it_gives(self):
        made = rows(1200)
        given = sum(sum(v != 0 for v in x) for _, x in made)
        sparse = "".join(json.dumps({"label": y, "values": {str(i): v for i, v in enumerate(x) if v}}) + "\n"
                         for y, x in made)
        texts = {"dense ndjson": (ndjson(made), 7200), "sparse ndjson": (sparse, given),
                 "svmlight": (svmlight(made), 7200), "csv": (csv(made), 7200),
                 "sparse svmlight": (re.sub(r" \d+:0\.0(?= |\n)", "", svmlight(made)), given)}
        models = {}
        for name, (text, revealed) in texts.items():
            file = self.write("file", text)
            kind = ("--format", "csv", "--label", "#1") if name == "csv" else ()
            daemon = self.start(*APPLE, *kind, "--input", file, "--serve")
            daemon.wait_examples(1200)
            self.assertEqual(daemon.status()["attributes_revealed"], revealed, name)
            models[name] = daemon.get("/v1/model?fresh=true").json()
            self.assertEqual(daemon.stop(), 0)
        first = models["dense ndjson"]
        for name, model in models.items():
            self.assertEqual((model["weights"], model["bias"]), (first["weights"], first["bias"]), name)

    def test_a_wide_sparse_stream_takes_no_time_for_what_it_does_not_give(self):
        """A step of O(d) would take hours."""
        source = random.Random(1)
        lines = []
        for _ in range(20000):
            chosen = sorted(source.sample(range(1, 40), 8)) + [source.randrange(100, 2000000)]
            label = (3 in chosen and 7 in chosen) + 0.3 * source.random()
            lines.append(f"{label:.3f} " + " ".join(f"{i}:1" for i in chosen) + "\n")
        status, _, log = self.run_to_end("--algorithm", "apple", "--dimension", 2000000, "--max-features", 300,
                                         stdin="".join(lines).encode())
        self.assertEqual(status, 0, log)
        self.assertIn("20000 examples, 180000 attributes revealed", log)
        self.assertRegex(log, "warning the table of products is full with 300")
        self.assertEqual(log.count("products is full"), 1)

    def test_what_it_cannot_do_is_refused_in_one_sentence(self):
        daemon = self.named()
        daemon.post("/v1/learn", ndjson(rows(300)))
        for path, body in (("/v1/predict", {"known": {"hr": 1}}), ("/v1/ask", {"for": "prediction", "known": {"hr": 1}})):
            answer = daemon.post(path, json.dumps(body))
            self.assertEqual(answer.status, 409, answer.body)
            self.assertEqual(answer.error(), "whole_examples_only")
        answer = daemon.post("/v1/predict", json.dumps([{"values": [1, None, 1, 0, 0, 0]}])).json()
        self.assertEqual(len(answer["predictions"]), 1)
        self.assertNotIn("standard_errors", answer)
        answer = daemon.post("/v1/learn", ndjson(rows(1)) + '{"label":1,"values":{"hr":"rush"}}\n').json()
        self.assertEqual((answer["accepted"], answer["skipped"]), (1, 1))
        self.assertEqual(daemon.status()["odd_values"], 1)
        answer = daemon.post("/v1/learn", '{"label":1,"values":{"hr":1,"rain":null}}\n').json()
        self.assertEqual((answer["accepted"], answer["skipped"]), (0, 1))
        for arguments, sentence in (
                (("--radius", 2), "--radius 2: apple keeps its weights in no ball: leave it out"),
                (("--expansion-exponent", 3), "--expansion-exponent 3: must be from 0 to 2")):
            self.assertEqual(self.refused(*APPLE, *arguments), (2, f"glimpsed: {sentence}"))

    def test_words_of_a_first_row_are_refused_with_what_to_do(self):
        status, _, log = self.run_to_end("--algorithm", "apple", "--label", "y", "--strict",
                                         stdin=b"a,b,y\n1,sun,2\n2,rain,3\n")
        self.assertNotEqual(status, 0)
        self.assertIn("--algorithm apple learns from numbers alone: take --algorithm pairwise", log)


if __name__ == "__main__":
    unittest.main()
