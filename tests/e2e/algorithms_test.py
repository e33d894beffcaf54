"""Every algorithm behind --algorithm in the daemon: learns within its budget, says where it stands, and goes on after a
restart as if nothing had happened."""

import unittest

from harness import TestCase, examples, ndjson

DIMENSION = 12
BUDGET = 4
RIDGE = ("--radius", 4, "--step", 0.05)
LASSO = ("--radius", 4, "--step", 0.01)
PHASES = ("--phase1", 300, "--phase1-radius", 2, "--phase1-step", 0.02)
OPTIONS = {
    "aerr": RIDGE,
    "ddaerr": RIDGE,
    "two-phase-ddaerr": (*RIDGE, *PHASES),
    "online-ridge": RIDGE,
    "aelr": LASSO,
    "ddaelr": LASSO,
    "two-phase-ddaelr": (*LASSO, *PHASES),
    "online-lasso": LASSO,
    "aer": ("--radius", 4, "--step", 0.5),
    "baseline": ("--radius", 4),
    "pairwise": (),
    "pairwise-screened": ("--active", 6),
    "apple": ("--horizon", 850),
}
# Steps that need no number, and what only they use.
MORE = {
    "two-phase-ddaerr": [("--step", "auto"), ("--step", "adagrad", "--radius", 4),
                         ("--step", "theory", "--horizon", 1000, "--half-norm", 20, "--phase1", "10%")],
    "two-phase-ddaelr": [("--step", "auto", "--radius", 3), ("--step", "adagrad:0.02", "--radius", 3)],
    "pairwise": [("--radius", 0.5), ("--radius", 0.5, "--ball", "l1"), ("--solver", "inline"),
                 ("--products", 2), ("--products", 2, "--drift", "auto", "--half-life", 300), ("--budget", 6, "--products", 3)],
    "pairwise-screened": [("--active", 6, "--drift", "auto", "--half-life", 300), ("--active", 6, "--solver", "background"),
                          ("--active", 8, "--products", 2)],
    "aer": [("--step", "theory", "--horizon", 1000, "--radius", 4)],
    "apple": [("--step", 0.5, "--drift", "auto", "--half-life", 300),
              ("--expansion-exponent", 0.5, "--max-features", 40, "--fallback-parent", "on", "--bias", "off")],
}


class Algorithms(TestCase):
    def options_of(self, algorithm, options):
        known = self.write("moments.csv", "attribute,second_moment\n" +
                           "".join(f"{i},{1 / (i + 1)}\n" for i in range(DIMENSION)))
        moments = ("--moments", known) if algorithm in ("ddaerr", "ddaelr") else ()
        budget = () if "--budget" in options else ("--budget", BUDGET)
        return ("--dimension", DIMENSION, *budget, "--seed", 5, "--algorithm", algorithm, *moments, *options)

    def check(self, algorithm, options, state):
        """In three parts, ended by SIGTERM and by kill -9: the same bytes as in one go."""
        parts = [ndjson(examples(count, DIMENSION, seed)) for seed, count in ((1, 200), (2, 250), (3, 400))]
        arguments = (*self.options_of(algorithm, options), "--state-directory", self.path(state))
        paths = ("/v1/model?fresh=true", "/v1/moments", "/v1/model?fresh=true&format=safetensors")

        daemon = self.start(*arguments)
        daemon.post("/v1/learn", parts[0])
        status = daemon.status()
        self.assertEqual((status["algorithm"], status["examples"]), (algorithm, 200))
        if options in OPTIONS.values():
            if algorithm.startswith("pairwise"):  # whatever the sums of so few examples prefer
                self.assertIn(status["phase"], (1, 2))
            else:
                self.assertEqual(status["phase"], 2 if algorithm.startswith("dda") else 1)
        self.assertEqual(daemon.stop(), 0)

        daemon = self.start(*arguments)
        daemon.post("/v1/learn", parts[1])
        status = daemon.status()
        if "--phase1" in options:
            self.assertEqual(status["phase"], 2, status["phase_reason"])
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        daemon.kill()

        daemon = self.start(*arguments)
        self.assertEqual(daemon.status()["phase"], status["phase"])
        daemon.post("/v1/learn", parts[2])
        restarted = [daemon.get(path).body for path in paths]
        status = daemon.status()
        self.assertEqual(status["examples"], 850)
        self.assertEqual(status["examples_diverged"], 0)
        budget = options[options.index("--budget") + 1] if "--budget" in options else BUDGET
        each = DIMENSION if algorithm.startswith("online-") or algorithm == "apple" else budget
        self.assertLessEqual(status["attributes_revealed"], 850 * each)
        self.assertGreater(status["attributes_revealed"], 850 * each / 2)
        daemon.kill()

        straight = self.start(*self.options_of(algorithm, options))
        for part in parts:
            straight.post("/v1/learn", part)
        self.assertEqual([straight.get(path).body for path in paths], restarted)
        self.assertTrue(any(weight != 0 for weight in straight.get("/v1/model?fresh=true").json()["weights"]))
        straight.kill()

    def test_each_goes_on_after_restarts_as_one_that_never_stopped(self):
        for algorithm, options in OPTIONS.items():
            with self.subTest(algorithm=algorithm):
                self.check(algorithm, options, f"state-{algorithm}")

    def test_so_do_the_other_steps(self):
        for algorithm, list_of_options in MORE.items():
            for number, options in enumerate(list_of_options):
                with self.subTest(algorithm=algorithm, options=options):
                    self.check(algorithm, options, f"state-{algorithm}-{number}")


if __name__ == "__main__":
    unittest.main()
