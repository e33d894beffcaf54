"""Predictions are clipped alike on every door: to the labels learned from, to a range that was given, or not."""

import json
import signal
import unittest

from harness import SMALL, TestCase, examples, ndjson, vw

DOOR = ("--listen", "tcp:127.0.0.1:0")
# The first weight is near 1 and the last near -0.5. The predictions of BEYOND are beyond every label, also where
# attributes count as 1.5 times the largest value seen, which is 1. Those of FAR are far from every label: learning
# leaves such values out as wild.
BEYOND = [[2.5, 0, 0, -2.5], [-2.5, 0, 0, 2.5]]
FAR = [[1000, 0, 0, -1000], [-1000, 0, 0, 1000]]
NEAR = [[0.25, 0, 0, 0]]


class Clip(TestCase):
    def learned(self, *arguments, rows=None):
        daemon = self.start(*SMALL, *DOOR, *arguments)
        daemon.post("/v1/learn", ndjson(rows or examples(500)))
        return daemon

    def over_http(self, daemon, rows):
        return daemon.post("/v1/predict", json.dumps(rows)).json()["predictions"]

    def over_stream(self, daemon, rows):
        with daemon.client() as client:
            client.send("".join("| " + " ".join(f"{i}:{v}" for i, v in enumerate(row)) + "\n" for row in rows))
            return [float(line) for line in client.finish().splitlines()]

    def model_says(self, daemon, rows):
        """bias + <weights, x>, which no clipping touches."""
        model = daemon.get("/v1/model").json()
        return [model["bias"] + sum(w * x for w, x in zip(model["weights"], row)) for row in rows]

    def check(self, daemon, rows, wanted):
        for answers in (self.over_http(daemon, rows), self.over_stream(daemon, rows)):
            self.assertEqual(len(answers), len(wanted))
            for answer, number in zip(answers, wanted):
                self.assertAlmostEqual(answer, number, delta=1e-9)

    def labels(self, daemon):
        status = daemon.status()
        return status["clip"], status["label_min"], status["label_max"]

    def test_by_default_predictions_lie_in_the_range_of_the_labels_learned(self):
        rows = examples(500)
        low, high = min(y for y, _ in rows), max(y for y, _ in rows)
        daemon = self.learned(rows=rows)
        self.assertEqual(self.labels(daemon), ("auto", low, high))
        self.assertGreater(self.model_says(daemon, BEYOND)[0], high)
        self.assertEqual(self.over_http(daemon, BEYOND), [high, low])
        self.assertEqual(self.over_stream(daemon, BEYOND), [high, low])
        self.check(daemon, NEAR, self.model_says(daemon, NEAR))

    def test_by_default_pairwise_believes_in_attributes_to_1_5_times_the_largest_value_seen(self):
        daemon = self.learned()
        far, bounded = [[2.5, 0, 0, 1]], [[1.5 * max(abs(x[0]) for _, x in examples(500)), 0, 0, 1]]
        answer = self.over_http(daemon, far)[0]
        self.assertAlmostEqual(answer, self.model_says(daemon, bounded)[0], delta=0.05)  # not all 500 were revealed
        self.assertGreater(abs(answer - self.model_says(daemon, far)[0]), 0.5)

    def test_by_default_pairwise_takes_a_wild_value_for_a_missing_one(self):
        daemon = self.learned()
        self.check(daemon, [[1000, 0, 0, 0.5]], self.over_http(daemon, [[None, 0, 0, 0.5]]))

    def test_before_the_first_label_nothing_is_clipped(self):
        daemon = self.start(*SMALL, *DOOR)
        self.assertEqual(self.labels(daemon), ("auto", None, None))
        self.check(daemon, FAR, [0, 0])  # an empty model
        with daemon.client() as client:
            self.assertEqual(float(client.ask("7 0 | 0:1\n| 0:1\n")), 0)  # importance 0: as if it had not come
        self.assertEqual(self.labels(daemon), ("auto", None, None))
        daemon.post("/v1/learn", ndjson([(7, [1, 0, 0, 0])]))
        self.assertEqual(self.labels(daemon), ("auto", 7, 7))
        self.check(daemon, FAR, [7, 7])

    def test_examples_that_were_not_learned_do_not_widen_the_range(self):
        daemon = self.learned(rows=[(1, [1, 0, 0, 0]), (2, [0, 1, 0, 0])])
        daemon.post("/v1/learn", '{"label": -1e31, "values": [0, 0, 0, 0]}\n'  # out of range
                                 '{"label": 60, "values": {"9": 1}}\n')  # cannot be read
        daemon.post("/v1/predict", '{"label": 70, "values": [1, 0, 0, 0]}')
        self.assertEqual(self.labels(daemon), ("auto", 1, 2))
        self.assertEqual(daemon.status()["examples"], 2)

    def test_the_label_of_an_example_without_values_widens_it_with_pairwise_alone(self):
        for algorithm, highest in ((["pairwise"], 50), (["pairwise-screened"], 50), (["aelr", "--radius", "1"], 2)):
            with self.subTest(algorithm[0]):
                daemon = self.learned("--algorithm", *algorithm, rows=[(1, [1, 0, 0, 0]), (2, [0, 1, 0, 0])])
                daemon.post("/v1/learn", '{"label": 50, "values": [null, null, null, null]}')
                self.assertEqual(self.labels(daemon), ("auto", 1, highest))
                self.assertEqual(daemon.status()["examples"], 2)

    def test_off_answers_bias_plus_weights_times_values(self):
        daemon = self.learned("--clip", "off")
        self.assertEqual(self.labels(daemon)[0], "off")
        self.assertGreater(self.model_says(daemon, FAR)[0], 500)
        self.check(daemon, FAR + NEAR, self.model_says(daemon, FAR + NEAR))

    def test_a_given_range_is_that_of_every_prediction(self):
        for clip, wanted in (("-0.5:0.125", [0.125, -0.5]), ("-1e2:2e2", [200, -100])):
            with self.subTest(clip):
                daemon = self.learned("--clip", clip)
                self.assertEqual(self.over_http(daemon, FAR), wanted)
                self.assertEqual(self.over_stream(daemon, FAR), wanted)
        empty = self.start(*SMALL, *DOOR, "--clip", "3:5")
        self.assertEqual(self.over_http(empty, NEAR), [3])  # also before the first label
        self.assertEqual(empty.status()["clip"], "3:5")

    def test_clipping_does_not_change_what_is_learned(self):
        models = [json.loads(self.learned("--clip", clip).model()) for clip in ("auto", "off", "-0.01:0.01")]
        bounds = [model.pop("bounds") for model in models]
        self.assertEqual(models[1:], 2 * models[:1])
        self.assertEqual(bounds[1:], [{"label": [None, None]}, {"label": [-0.01, 0.01]}])

    def test_with_replies_all_the_range_is_that_of_the_labels_before_the_line(self):
        daemon = self.start(*SMALL, *DOOR, "--replies", "all", "--outliers", "keep")
        with daemon.client() as client:
            client.send(vw(examples(500)))
            for _ in range(500):
                client.line()
            _, low, high = self.labels(daemon)
            self.assertEqual(float(client.ask("9 | 0:1000 3:-1000\n")), high)  # predicted first, then learned
            self.assertEqual(self.labels(daemon), ("auto", low, 9))
            self.assertEqual(float(client.ask("-9 0 | 0:1000000\n")), 9)
            self.assertEqual(float(client.ask("'tag| 0:1000000\n").split()[0]), 9)
            self.assertEqual(float(client.ask("-9 | 0:-1000000\n")), low)
            self.assertEqual(self.labels(daemon), ("auto", -9, 9))

    def test_predictions_on_standard_output_are_clipped_too(self):
        high = max(y for y, _ in examples(500))
        content = (vw(examples(500)) + "| 0:2.5 3:-2.5\n").encode()
        self.assertEqual(float(self.run_to_end(*SMALL, stdin=content)[1]), high)
        content = (vw(examples(500)) + "| 0:1000 3:-1000\n").encode()
        self.assertGreater(float(self.run_to_end(*SMALL, "--clip", "off", stdin=content)[1]), 500)

    def test_the_range_is_kept_over_restarts(self):
        state = ("--state-directory", self.path("state"))
        daemon = self.learned(*state)
        labels, answers = self.labels(daemon), self.over_http(daemon, FAR + NEAR)
        self.assertEqual(daemon.stop(), 0)
        daemon = self.start(*SMALL, *DOOR, *state)
        self.assertEqual(self.labels(daemon), labels)
        self.assertEqual(self.over_http(daemon, FAR + NEAR), answers)
        daemon.kill()
        # --clip is no part of the state: it may differ from start to start.
        daemon = self.start(*SMALL, *DOOR, *state, "--clip", "off")
        self.assertEqual(self.labels(daemon), ("off", *labels[1:]))
        self.check(daemon, FAR, self.model_says(daemon, FAR))
        daemon.kill()
        self.assertEqual(self.labels(self.start(*SMALL, *DOOR, *state)), labels)

    def test_sighup_changes_it_for_connections_that_are_open(self):
        file = self.write("glimpsed.conf", "")
        daemon = self.learned("--config", file)
        high = self.labels(daemon)[2]
        with daemon.client() as client:
            self.assertEqual(float(client.ask("| 0:2.5 3:-2.5\n")), high)
            self.write("glimpsed.conf", "clip = -2:2\n")
            daemon.send_signal(signal.SIGHUP)
            daemon.wait_log("SIGHUP: the configuration was read again")
            self.assertEqual(float(client.ask("| 0:1000\n")), 2)
        self.assertEqual(self.labels(daemon), ("-2:2", *self.labels(daemon)[1:]))
        self.assertNotIn("cannot change while running", daemon.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
