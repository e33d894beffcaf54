"""Streams that change, and the algorithm that is chosen where none is named."""

import os
import subprocess
import unittest

from harness import TestCase, examples, svmlight, until

GENERATED = ("--dimension", 40, "--budget", 8, "--format", "vw")


def generated(*arguments):
    command = [os.environ["GLIMPSE_GEN_BIN"], "--dimension", "40", "--alpha", "-1", *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


class Drift(TestCase):
    def test_a_change_is_told_in_the_log_in_the_status_and_in_the_metrics_and_kept(self):
        for algorithm in ("pairwise", "pairwise-screened", "two-phase-ddaerr"):
            with self.subTest(algorithm):
                file = self.write("turning.vw", generated("--examples", 20000, "--flip-at", 10000))
                arguments = (*GENERATED, "--algorithm", algorithm, "--drift", "auto", "--recent", 10000, "--input", file,
                             "--serve", "--state-directory", self.path(algorithm))
                daemon = self.start(*arguments)
                daemon.wait_examples(20000)
                status = daemon.status()
                self.assertEqual(status["drift_alarms"], 1)
                self.assertGreater(status["drift_examples"], 10000)
                self.assertLess(status["drift_examples"], 12000)
                self.assertIn("glimpse_drift_alarms_total 1\n", daemon.get("/metrics").body.decode())
                counted = "counted from the change noticed after" in status["phase_reason"]
                self.assertEqual(counted, algorithm.startswith("two-phase"))
                self.assertLess(status["recent_loss"], status["progressive_loss"])
                self.assertEqual(daemon.stop(), 0)
                daemon.wait_log(r"the stream has changed: the mean squared error rose from \S+ to \S+ "
                                                r"\(\S+ to \S+ of the labels' variance\); "
                                                r"noticed after 1[01][0-9]{3} examples")
                daemon = self.start(*arguments)
                self.assertEqual(daemon.status()["drift_alarms"], 1)
                self.assertEqual(daemon.stop(), 0)
                self.assertNotIn("the stream has changed", daemon.stderr)

    def test_without_a_change_and_without_the_option_nothing_is_said(self):
        for option, content in ((("--drift", "auto"), generated("--examples", 20000)),
                                ((), generated("--examples", 20000, "--flip-at", 10000))):
            _, _, log = self.run_to_end(*GENERATED, *option, stdin=content)
            self.assertNotIn("the stream has changed", log)

    def test_a_model_that_is_worse_than_the_mean_is_withheld_until_a_later_one_is_better(self):
        for algorithm in ("pairwise", "pairwise-screened"):
            with self.subTest(algorithm):
                rows = generated("--examples", 40000, "--flip-at", 4000).splitlines(keepends=True)
                first, rest = self.write("first.vw", b"".join(rows[:6500])), self.write("rest.vw", b"".join(rows[6500:]))
                arguments = (*GENERATED, "--algorithm", algorithm, "--serve", "--state-directory", self.path(algorithm))
                daemon = self.start(*arguments, "--input", first)
                daemon.wait_examples(6500)
                status = daemon.status()
                self.assertEqual((status["model_served"], status["model_served_examples"]), ("mean", None))
                self.assertGreater(status["model_excess"], 2 * status["model_excess_error"])
                self.assertIn("glimpse_model_withheld 1\n", daemon.get("/metrics").body.decode())
                model = daemon.get("/v1/model").json()
                self.assertEqual(set(model["weights"]), {0})
                self.assertEqual(daemon.stop(), 0)
                daemon.wait_log(r"the newest model is withheld \(example \d+\): over \d+ examples")

                daemon = self.start(*arguments, "--input", rest)
                daemon.wait_examples(40000)
                until(lambda: daemon.status()["model_served"] == "newest", "a later model is better than the mean")
                self.assertIn("glimpse_model_withheld 0\n", daemon.get("/metrics").body.decode())
                self.assertNotEqual(set(daemon.get("/v1/model").json()["weights"]), {0})
                self.assertEqual(daemon.stop(), 0)
                daemon.wait_log(r"(?s)the newest model is withheld \(example 6500\).*the newest model answers again")

    def test_what_cannot_forget_refuses_to(self):
        for option, value in (("--drift", "auto"), ("--half-life", "100")):
            status, line = self.refused("--dimension", 4, "--budget", 3, "--algorithm", "baseline", "--radius", 1,
                                        option, value)
            self.assertEqual(status, 2)
            self.assertTrue(line.startswith(f"glimpsed: {option} {value}: "), line)


class Automatic(TestCase):
    def chosen(self, *arguments):
        daemon = self.start(*arguments, "--budget", 3, "--format", "svmlight")
        return daemon.status()["algorithm"]

    def test_pairwise_where_the_pairs_fit_and_pairwise_screened_beyond(self):
        self.assertEqual(self.chosen("--dimension", 100), "pairwise")
        self.assertEqual(self.chosen("--dimension", 100, "--pair-memory", "100KiB"), "pairwise-screened")
        self.assertEqual(self.chosen("--dimension", 10000), "pairwise-screened")

    def test_active_asks_for_pairwise_screened(self):
        self.assertEqual(self.chosen("--dimension", 100, "--active", "20"), "pairwise-screened")

    def test_the_first_order_learner_where_pairwise_screened_has_no_such_thing(self):
        costs = self.write("costs", "* 1\n")
        for arguments in (("--costs", costs, "--budget-cost", 3), ("--pair-memory", 1)):
            with self.subTest(arguments):
                self.assertEqual(self.chosen("--dimension", 10000, *arguments), "two-phase-ddaerr")

    def test_an_option_of_the_first_order_learner_asks_for_it(self):
        self.assertEqual(self.chosen("--dimension", 100, "--step", "0.01"), "two-phase-ddaerr")
        self.assertEqual(self.chosen("--dimension", 100, "--phase1", "50"), "two-phase-ddaerr")

    def test_a_checkpoint_keeps_its_algorithm(self):
        file = self.write("rows.svm", svmlight(examples(50)))
        arguments = ("--budget", 3, "--format", "svmlight", "--state-directory", self.path("state"))
        self.run_to_end("--dimension", 4, "--algorithm", "aerr", *arguments, "--input", file)
        daemon = self.start(*arguments)
        self.assertEqual((daemon.status()["algorithm"], daemon.status()["examples"]), ("aerr", 50))


if __name__ == "__main__":
    unittest.main()
