"""What the HTTP door tells of what was learned: the model, moments and predictions, in every format."""

import json
import random
import struct
import unittest

from harness import SMALL, csv, examples, f32, svmlight, vw
from http_support import HttpTestCase


def read_safetensors(data):
    """An independent reader: {name: (dtype, values)}, metadata."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, tensor in header.items():
        assert tensor["dtype"] == "F64", tensor
        begin, end = (8 + length + offset for offset in tensor["data_offsets"])
        (count,) = tensor["shape"]
        assert end - begin == 8 * count
        tensors[name] = struct.unpack(f"<{count}d", data[begin:end])
    assert sum(8 * len(values) for values in tensors.values()) == len(data) - 8 - length
    return tensors, metadata


class HttpAnswers(HttpTestCase):
    def test_the_model_in_json_and_csv_is_the_same(self):
        daemon = self.learned()
        model = daemon.get("/v1/model").json()
        self.assertEqual(set(model),
                         set("algorithm dimension examples attributes_revealed age_seconds bias weights "
                             "importances_from importances importance_errors bounds".split()))
        self.assertEqual(model["age_seconds"], 0)
        self.assertEqual((model["dimension"], len(model["weights"]), model["examples"]), (4, 4, 300))
        answer = daemon.get("/v1/model?format=csv")
        self.assertEqual((answer.headers["Glimpse-Examples"], answer.headers["Glimpse-Age-Seconds"]), ("300", "0"))
        lines = answer.body.decode().splitlines()
        self.assertEqual(lines[0], "attribute,name,weight,importance,importance_error")
        self.assertEqual([float(line.split(",")[2]) for line in lines[1:]], [model["bias"], *model["weights"]])
        self.assertTrue(any(model["weights"]))

    def test_the_model_counts_the_attributes_that_skipped_examples_showed_before_and_after_a_restart(self):
        arguments = ("--dimension", 4, "--budget", 4, "--algorithm", "aerr", "--state-directory", self.path("state"))
        daemon = self.start(*arguments)
        daemon.post("/v1/learn", '{"label": 1, "values": [1, 2, 3, 4]}')
        before = daemon.get("/v1/model").json()
        daemon.post("/v1/learn", '{"label": 1, "values": [null, 2, 3, 4]}\n{"label": 1, "values": [1, 2, 3, null]}')
        model = daemon.get("/v1/model").json()
        self.assertEqual((model["examples"], model["weights"]), (before["examples"], before["weights"]))
        self.assertEqual(model["attributes_revealed"], daemon.status()["attributes_revealed"])
        self.assertGreater(model["attributes_revealed"], before["attributes_revealed"])
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(self.start(*arguments).get("/v1/model").json(), model)

    def test_the_model_in_safetensors_is_read_back_by_another_reader(self):
        daemon = self.learned()
        model = daemon.get("/v1/model").json()
        answer = daemon.get("/v1/model?format=safetensors")
        self.assertEqual(answer.headers["Content-Type"], "application/octet-stream")
        tensors, metadata = read_safetensors(answer.body)
        self.assertEqual(list(tensors["weights"]), model["weights"])
        self.assertEqual(list(tensors["bias"]), [model["bias"]])
        self.assertEqual((metadata["algorithm"], metadata["examples"]), ("pairwise", "300"))

    def test_an_exported_model_answers_as_the_daemon_does_within_its_bounds(self):
        def answer(model, bounds, x):
            total = model["bias"]
            for i, (weight, value) in enumerate(zip(model["weights"], x)):
                if bounds.get("means"):
                    low, high, limit = (bounds[name][i] for name in ("lows", "highs", "limits"))
                    value = bounds["means"][i] if not low <= value <= high else max(-limit, min(limit, value))
                total += weight * value
            return max(bounds["label"][0], min(bounds["label"][1], total))

        source = random.Random(4)
        for arguments, has_means in (((), True), (("--algorithm", "pairwise-screened"), True), (("--algorithm", "aerr"), False),
                                     (("--clip", "-3:3"), False)):
            with self.subTest(arguments):
                daemon = self.start(*SMALL, *arguments)
                learned = [[source.gauss(0, 1) for _ in range(4)] for _ in range(600)]
                daemon.post("/v1/learn", "".join(json.dumps({"label": 2 * x[0] - x[1] + source.gauss(0, 1), "values": x}) + "\n"
                                                 for x in learned))
                model = daemon.get("/v1/model").json()
                bounds = model["bounds"]
                self.assertEqual("means" in bounds, has_means)
                tensors, _ = read_safetensors(daemon.get("/v1/model?format=safetensors").body)
                self.assertEqual(list(tensors["label_bounds"]), bounds["label"])
                for name in ("means", "lows", "highs", "limits"):
                    self.assertEqual(list(tensors.get(name, [])), bounds.get(name, []))
                # Most within, some beyond the reach of one attribute and beyond the labels.
                asked = [[source.gauss(0, 2 if n % 3 else 0.5) for _ in range(4)] for n in range(300)]
                if has_means:
                    asked = [x for x in asked if all(low < v < high for v, low, high in zip(x, bounds["lows"], bounds["highs"]))]
                    self.assertTrue(any(abs(v) > limit for x in asked for v, limit in zip(x, bounds["limits"])))
                told = daemon.post("/v1/predict", "".join(json.dumps({"values": x}) + "\n" for x in asked)).json()["predictions"]
                self.assertTrue(any(value in bounds["label"] for value in told))
                self.assertEqual([answer(model, bounds, x) for x in asked], told)
                # A wild value costs what its attribute explains, and no more: its plain product is 10,000 times a label.
                wild = [[1e4 if i == n % 4 else v for i, v in enumerate(x)] for n, x in enumerate(asked)]
                told = daemon.post("/v1/predict", "".join(json.dumps({"values": x}) + "\n" for x in wild)).json()["predictions"]
                for x, prediction in zip(wild, told):
                    self.assertAlmostEqual(answer(model, bounds, x), prediction, delta=1)
                self.assertEqual(daemon.stop(), 0)

    def test_an_unknown_format_is_refused(self):
        daemon = self.start(*SMALL)
        for path in ("/v1/model?format=xml", "/v1/moments?format=safetensors"):
            self.assertEqual((daemon.get(path).status, daemon.get(path).error()), (400, "invalid_format"))
        answer = daemon.get("/v1/model?fresh=1")
        self.assertEqual((answer.status, answer.error()), (400, "invalid_fresh"))
        self.assertEqual(daemon.post("/v1/learn?format=xml", "1").status, 400)

    def test_what_a_client_sent_is_shown_as_text_whatever_it_was(self):
        daemon = self.start(*SMALL)
        for path, code, shown in (("/v1/model?format=%ff", "invalid_format", r"\xff"),
                                  ("/v1/model?fresh=%ff%c3", "invalid_fresh", r"\xff\xc3"),
                                  ("/v1/moments?format=%80", "invalid_format", r"\x80"),
                                  ("/v1/plans?after=%ff", "invalid_id", r"\xff"),
                                  ("/v1/plans?limit=%ff", "invalid_limit", r"\xff")):
            answer = daemon.get(path)
            self.assertEqual((answer.status, answer.error()), (400, code))
            self.assertIn(f"'{shown}'", answer.json()["error"]["message"])

    def test_moments_are_those_of_what_was_revealed(self):
        daemon = self.learned()
        rows = daemon.get("/v1/moments").json()["moments"]
        self.assertEqual([row["attribute"] for row in rows], [0, 1, 2, 3])
        self.assertAlmostEqual(sum(row["probability"] for row in rows), 1, places=9)
        self.assertGreater(sum(row["count"] for row in rows), 300)
        for row in rows:
            self.assertAlmostEqual(row["second_moment"], 1 / 3, delta=0.1)  # uniform on [-1, 1]
        lines = daemon.get("/v1/moments?format=csv").body.decode().splitlines()
        self.assertEqual(len(lines), 5)
        # The CSV is what --moments reads.
        file = self.write("moments.csv", "\n".join(lines) + "\n")
        other = self.start("--dimension", 4, "--budget", 3, "--algorithm", "ddaerr", "--moments", file)
        self.assertEqual(other.status()["algorithm"], "ddaerr")

    def test_predictions_are_bias_plus_weights_times_values(self):
        daemon = self.learned("--clip", "off")
        model = daemon.get("/v1/model").json()
        rows = [values for _, values in examples(50, seed=9)]
        wanted = [model["bias"] + sum(w * x for w, x in zip(model["weights"], row)) for row in rows]
        bodies = {
            "JSON array of arrays": json.dumps(rows),
            "JSON array of objects": json.dumps([{"values": row} for row in rows]),
            "sparse": json.dumps([{"values": {str(i): v for i, v in enumerate(row)}} for row in rows]),
            "NDJSON": "".join(json.dumps({"values": row}) + "\n" for row in rows),
            "NDJSON of arrays": "".join(json.dumps(row) + "\n" for row in rows),
            "labelled": "".join(json.dumps({"label": 5, "values": row}) + "\n" for row in rows),
        }
        for name, body in bodies.items():
            answer = daemon.post("/v1/predict", body)
            self.assertEqual(answer.status, 200, (name, answer.body))
            got = answer.json()["predictions"]
            self.assertEqual(len(got), len(wanted), name)
            for a, b in zip(got, wanted):
                self.assertAlmostEqual(a, b, delta=1e-9, msg=name)
        labelled = [(0.0, row) for row in rows]
        for name, body in (("svmlight", svmlight(labelled)), ("vw", vw(labelled)), ("csv", csv(labelled)),
                           ("f32", f32(labelled))):
            answer = daemon.post(f"/v1/predict?format={name}", body)
            self.assertEqual(answer.status, 200, (name, answer.body))
            for a, b in zip(answer.json()["predictions"], wanted):
                self.assertAlmostEqual(a, b, delta=1e-9, msg=name)
        self.assertEqual(daemon.status()["examples"], 300)  # nothing was learned

    def test_one_dense_example_is_predicted(self):
        daemon = self.learned()
        self.assertEqual(len(daemon.post("/v1/predict", "[1, 0, 0, 0]").json()["predictions"]), 1)

    def test_what_is_learned_shows_in_predictions(self):
        daemon = self.learned(count=3000)
        prediction = daemon.post("/v1/predict", "[1, 0, 0, 0]").json()["predictions"][0]
        self.assertAlmostEqual(prediction, 1, delta=0.5)

    def test_questions_that_cannot_be_answered_are_400(self):
        daemon = self.learned()
        for body in ("", "  \n", "{", "[", "[1, 2]", "[1, 2, 3, 4, 5]", "[1, 2, 3, NaN]", '[1, 2, 3, "four"]',
                     '{"values": [1, 2, 3, 1e999]}', '{"values": {"4": 1}}',
                     '{"value": [1, 2, 3, 4]}', '{"values": [1, 2, 3, 4]} x', "[[1, 2, 3, 4], [1]]", "nonsense"):
            answer = daemon.post("/v1/predict", body)
            self.assertEqual(answer.status, 400, (body, answer.body))
            self.assertIn(answer.error(), ("invalid_example", "invalid_input"), body)
        self.assertIn("example 2: ", daemon.post("/v1/predict", "[[1,2,3,4],[1]]").json()["error"]["message"])
        # A refused question is no fault of the stream.
        self.assertEqual(daemon.status()["parse_errors"], 0)

    def test_an_unknown_name_counts_for_nothing_in_a_question(self):
        daemon = self.start(*SMALL, "--clip", "off")  # all labels are the same
        daemon.post("/v1/learn", '{"label": 1, "values": {"height": 1}}\n' * 50)
        body = '[{"values": {"height": 1}}, {"values": {"height": 1, "unheard": 5}}]'
        one, two = daemon.post("/v1/predict", body).json()["predictions"]
        self.assertEqual(one, two)
        self.assertEqual(daemon.get("/v1/model").json()["names"], ["height"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
