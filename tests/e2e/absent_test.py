"""Absent is not zero: what becomes of attributes that an object of JSON does not give, and of names nobody knows."""

import json
import os
import random
import unittest

from harness import TestCase

NAMES = ("age", "bp", "sgot")


def patient(source):
    """bp follows age; sgot stands alone."""
    age = source.gauss(50, 10)
    return dict(zip(NAMES, (age, 80 + age + source.gauss(0, 1), source.gauss(0, 1))))


def label(values):
    return values["age"] + values["bp"] + values["sgot"]


class Absent(TestCase):
    def learned(self, *arguments):
        daemon = self.start("--attributes", self.write("names", "\n".join(NAMES) + "\n"), "--budget", 3, "--seed", 1,
                            "--serve", "--input", os.devnull, "--listen", "tcp:127.0.0.1:0", *arguments)
        source = random.Random(1)
        patients = [patient(source) for _ in range(2000)]
        answer = daemon.post("/v1/learn", "".join(json.dumps({"label": label(p), "values": p}) + "\n" for p in patients))
        self.assertEqual(answer.json()["accepted"], 2000)
        return daemon

    def test_a_name_that_is_not_known_is_refused_with_the_nearest(self):
        daemon = self.learned()
        for path, body in (("/v1/predict", {"values": {"age": 60, "BP": 130}}),
                           ("/v1/predict?absent=zero", {"values": {"age": 60, "BP": 130}}),
                           ("/v1/learn", {"label": 1, "values": {"age": 60, "BP": 130}}),
                           ("/v1/learn?absent=zero", {"label": 1, "values": {"age": 60, "BP": 130}})):
            answer = daemon.post(path, json.dumps(body))
            self.assertEqual((answer.status, answer.error()), (400, "invalid_example"), path)
            self.assertIn("no attribute is called 'BP'; did you mean 'bp'?", answer.body.decode())
        answer = daemon.post("/v1/predict", '{"known": {"BP": 1}}')
        self.assertIn("no attribute is called 'BP'; did you mean 'bp'?", answer.body.decode())

    def test_an_absent_attribute_is_unknown_and_told_from_the_others(self):
        daemon = self.learned()
        known = {"age": 60, "sgot": 1}
        by_values = daemon.post("/v1/predict", json.dumps({"values": known})).json()
        self.assertEqual(by_values, daemon.post("/v1/predict", json.dumps({"known": known})).json())
        self.assertEqual(by_values, daemon.post("/v1/predict", '{"values": [60, null, 1]}').json())
        self.assertAlmostEqual(by_values["predictions"][0], 201, delta=1)
        self.assertLess(by_values["standard_errors"][0], 5)  # labels spread by 20
        whole = dict(known, bp=140)
        both = daemon.post("/v1/predict", json.dumps([{"values": whole}, {"values": known}, {"values": whole}])).json()
        self.assertEqual(both["predictions"][1], by_values["predictions"][0])
        self.assertEqual(both["standard_errors"][0], both["standard_errors"][2])
        self.assertLess(both["standard_errors"][0], both["standard_errors"][1])
        alone = daemon.post("/v1/predict", json.dumps({"values": whole})).json()
        self.assertEqual((alone["predictions"][0], sorted(alone)), (both["predictions"][0], ["examples", "predictions"]))

    def test_a_large_body_has_a_standard_error_for_each(self):
        daemon = self.learned()
        whole, part = {"age": 60, "bp": 140, "sgot": 1}, {"age": 60, "sgot": 1}
        few = [whole] * 2000 + [part] + [whole] * 2000 + [part]
        small = daemon.post("/v1/predict", json.dumps([{"values": v} for v in few[-2:]])).json()
        large = daemon.post("/v1/predict", json.dumps([{"values": v} for v in few])).json()
        self.assertEqual([len(large[key]) for key in ("predictions", "standard_errors")], [len(few)] * 2)
        self.assertEqual(large["standard_errors"], [small["standard_errors"][v is part] for v in few])
        self.assertEqual(large["predictions"], [small["predictions"][v is part] for v in few])

    def test_sparse_data_says_so(self):
        daemon = self.learned()
        body = '{"values": {"age": 60}}'
        zero = daemon.post("/v1/predict?absent=zero", body).json()
        self.assertEqual(zero, daemon.post("/v1/predict", '{"values": {"age": 60, "bp": 0, "sgot": 0}}').json())
        self.assertNotEqual(zero["predictions"], daemon.post("/v1/predict", body).json()["predictions"])
        daemon.stop()
        daemon = self.learned("--absent", "zero")
        self.assertNotIn("standard_errors", daemon.post("/v1/predict", body).json())
        self.assertIn("standard_errors", daemon.post("/v1/predict?absent=unknown", body).json())
        answer = daemon.post("/v1/predict?absent=never", body)
        self.assertEqual(answer.status, 400)
        self.assertIn("absent 'never' is unknown: auto, unknown or zero", answer.body.decode())

    def test_a_stream_answers_as_http_does(self):
        daemon = self.learned("--clip", "off")
        over_http = daemon.post("/v1/predict", '{"values": {"age": 60}}').json()["predictions"][0]
        stream = daemon.client()
        self.assertEqual(float(stream.ask('{"values": {"age": 60}}\n')), over_http)
        self.assertEqual(stream.ask('{"values": {"agee": 60}}\n'), "error: line 2: no attribute is called 'agee'; did you mean 'age'?\n")
        stream.close()

    def test_attributes_without_names_are_zero_where_absent(self):
        daemon = self.start("--dimension", 3, "--budget", 3, "--serve", "--input", os.devnull)
        daemon.post("/v1/learn", "".join(f"[{i % 3}, {i % 5}, {i % 7}]\n".replace("[", '{"label": %d, "values": [' % i)
                                         .replace("]", "]}") for i in range(50)))
        self.assertEqual(daemon.post("/v1/predict", '{"values": {"1": 2}}').json(),
                         daemon.post("/v1/predict", '{"values": [0, 2, 0]}').json())


if __name__ == "__main__":
    unittest.main()
