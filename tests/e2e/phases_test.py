"""The daemon says how it looks at attributes, since when and why; and what each of them is worth."""

import csv
import io
import os
import re
import subprocess
import unittest

from harness import TestCase, binary

SHAPE = ("--dimension", 40, "--budget", 8, "--format", "vw")


def generated(*arguments):
    """Attributes whose variances fall, and a label that some of them explain."""
    command = [os.environ["GLIMPSE_GEN_BIN"], "--dimension", "40", "--alpha", "-1", *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def metric(daemon, name):
    return float(re.search(rf"^{name} (\S+)$", daemon.get("/metrics").body.decode(), re.MULTILINE).group(1))


class Phases(TestCase):
    def test_every_learner_tells_its_phase_everywhere_and_the_same_after_a_restart(self):
        file = self.write("rows.vw", generated("--examples", 20000))
        for algorithm, phase in (("pairwise", 2), ("pairwise-screened", 2), ("two-phase-ddaerr", 2), ("aerr", 1),
                                 ("online-ridge", 1)):
            with self.subTest(algorithm):
                arguments = (*SHAPE, "--algorithm", algorithm, "--state-directory", self.path(algorithm), "--serve")
                if algorithm.startswith("two-phase"):
                    arguments += ("--phase1", 300)
                daemon = self.start(*arguments)
                begun = daemon.status()
                self.assertEqual((begun["phase"], begun["phase_since"], begun["look_ratio"]), (1, 0, 1))
                self.assertAlmostEqual(begun["effective_attributes"], 40)
                self.assertEqual(daemon.stop(), 0)
                daemon = self.start(*arguments, "--input", file)
                daemon.wait_examples(20000)
                status = daemon.status()
                self.assertEqual(status["phase"], phase)
                told = [status[name] for name in ("phase_since", "phase_reason", "look_ratio", "effective_attributes")]
                if phase == 2:
                    self.assertIn(f"phase 2 since example {status['phase_since']}", status["phase_reason"])
                    self.assertGreater(status["look_ratio"], 1.5)
                    self.assertLess(status["effective_attributes"], 39)
                    self.assertGreater(status["effective_attributes"], 1)
                else:
                    self.assertIn("this algorithm has one phase: ", status["phase_reason"])
                    self.assertEqual(told[2], 1)
                self.assertEqual(metric(daemon, "glimpse_phase"), phase)
                self.assertEqual(metric(daemon, "glimpse_phase_since_examples"), told[0])
                self.assertAlmostEqual(metric(daemon, "glimpse_look_ratio") / told[2], 1, places=5)
                self.assertAlmostEqual(metric(daemon, "glimpse_effective_attributes") / told[3], 1, places=5)
                chances = [row["probability"] for row in daemon.get("/v1/moments").json()["moments"]]
                self.assertAlmostEqual(max(chances) / min(chances) / told[2], 1, places=6)
                self.assertAlmostEqual(1 / sum(q * q for q in chances) / told[3], 1, places=6)
                self.assertEqual(daemon.stop(), 0)
                if phase == 2:
                    daemon.wait_text(f"info phase 2 since example {told[0]}")
                daemon = self.start(*arguments)
                again = daemon.status()
                self.assertEqual([again[name] for name in ("phase_since", "phase_reason", "look_ratio",
                                                           "effective_attributes")], told)
                self.assertEqual(daemon.stop(), 0)

    def test_where_nothing_is_preferred_looks_stay_uniform_and_the_summary_says_so(self):
        rows = "".join(f"{(i * 7919 % 13 - 6)} | " + " ".join(f"{j}:{1 if (i * 31 + j * 17) % 101 % 2 else -1}" for j in range(40))
                       + "\n" for i in range(8000))
        _, _, log = self.run_to_end(*SHAPE, "--progress", stdin=rows.encode())
        self.assertIn("phase 1", log.splitlines()[-3] + log.splitlines()[-2] + log.splitlines()[-1])
        self.assertIn("uniform: no attribute varies or explains more than others", log)
        self.assertRegex(log, r"phase +attributes +in model")


class Importances(TestCase):
    def test_a_model_has_what_each_attribute_is_worth_and_glimpsectl_sorts_by_it(self):
        file = self.write("rows.vw", generated("--examples", 20000))
        for algorithm, source in (("pairwise", "moments"), ("pairwise-screened", "moments"), ("aerr", "weights")):
            with self.subTest(algorithm):
                daemon = self.start(*SHAPE, "--algorithm", algorithm, "--serve", "--input", file)
                daemon.wait_examples(20000)
                model = daemon.get("/v1/model?fresh=true").json()
                self.assertEqual(model["importances_from"], source)
                self.assertEqual([len(model[name]) for name in ("weights", "importances", "importance_errors")], [40] * 3)
                known = [value for value in model["importances"] if value is not None]
                self.assertGreater(max(known), 0)
                self.assertGreaterEqual(min(known), 0)
                if source == "weights":
                    self.assertEqual(model["importance_errors"], [None] * 40)
                rows = list(csv.DictReader(io.StringIO(daemon.get("/v1/model?format=csv&fresh=true").body.decode())))[1:]
                self.assertEqual([float(row["importance"]) if row["importance"] else None for row in rows],
                                 model["importances"])
                shown = subprocess.run([binary("GLIMPSECTL_BIN"), "--server", f"unix:{daemon.http_path}", "model", "--top",
                                        "5"], capture_output=True, text=True, check=True).stdout
                self.assertIn("most important (5 of 40); importance: share of the label's variance\n", shown)
                ranked = sorted(range(40), key=lambda i: -(model["importances"][i] or 0))
                self.assertEqual([int(line.split()[0]) for line in shown.splitlines()[-5:]], ranked[:5])
                self.assertEqual(daemon.stop(), 0)

    def test_nothing_is_known_of_importances_before_the_first_example(self):
        for algorithm in ("pairwise", "pairwise-screened", "two-phase-ddaerr"):
            model = self.start(*SHAPE, "--algorithm", algorithm, "--serve").get("/v1/model").json()
            self.assertEqual((model["importances"], model["importance_errors"]), ([None] * 40, [None] * 40))


if __name__ == "__main__":
    unittest.main()
