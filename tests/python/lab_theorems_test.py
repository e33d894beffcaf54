"""What the papers show of the learners, on reduced versions of their settings with fixed seeds. What they prove is tested in
lib/learn (gradient, css10: theorems_test.cpp).

Orderings (KS15 section 5, CSS10 section 4): with fixed B and step. A margin is a factor on mean test losses, about half of what
was measured, and a number of standard errors of the mean difference: the runs of a seed have the same order of examples, so that
they are compared seed by seed.
"""

import math
import unittest

import numpy as np

from glimpsed.lab import jobs
from glimpsed.lab.commands import pairwise
from glimpsed.lab.data import DataOptions, load
from lab_support import budgeted, losses, needs, simulated


def in_errors(values):
    """The mean in standard errors."""
    return values.mean() / (values.std(ddof=1) / math.sqrt(len(values)))


def gain_above(low, high):
    """By how many standard errors the first logarithm of a ratio of losses is the greater. They are of different data."""
    logs = [np.log(a / b) for a, b in (low, high)]
    return (logs[0].mean() - logs[1].mean()) / math.sqrt(sum(one.var(ddof=1) / len(one) for one in logs))


class OrderingsTest(unittest.TestCase):
    def losses(self, source, algorithm, radius, step=None, seeds=40, budget=5, **options):
        found = losses(source, budgeted(algorithm, budget, radius, step, **options), seeds)
        print(f"  {algorithm}: {found.mean():.4f} +- {found.std(ddof=1) / math.sqrt(seeds):.4f}")
        return found

    def check_between(self, uniform, two, known, margins, errors):
        """The mean of `two` lies between, by these factors and standard errors."""
        self.assertGreater(uniform.mean(), margins[0] * known.mean())
        self.assertLess(two.mean(), margins[1] * uniform.mean())
        self.assertGreater(two.mean(), margins[2] * known.mean())
        self.assertGreater(in_errors(uniform - two), errors)
        self.assertGreater(in_errors(two - known), 3)

    def test_ridge_ddaerr_is_better_than_aerr_and_two_phased_between_the_more_so_the_lower_rho_is(self):
        """B and step as 5-fold cross-validation chose them for each algorithm on 10,000 examples."""
        mild = simulated("simulated:ridge:-1", 10000)
        aerr, two, dda = (self.losses(mild, *one) for one in (("aerr", 4.0, 2 ** -9), ("two-phase-ddaerr", 8.0, 2 ** -7), ("ddaerr", 16.0, 2 ** -10)))
        self.check_between(aerr, two, dda, (1.08, 0.95, 1.02), 3)
        low = simulated("simulated:ridge:-2", 10000)
        low_aerr, low_two, low_dda = (self.losses(low, *one) for one in (("aerr", 2.0, 2 ** -9), ("two-phase-ddaerr", 2.0, 2 ** -7), ("ddaerr", 8.0, 2 ** -7)))
        self.check_between(low_aerr, low_two, low_dda, (1.7, 0.9, 1.3), 3)
        self.assertGreater(gain_above((low_aerr, low_dda), (aerr, dda)), 3)

    def test_lasso_ddaelr_is_better_than_aelr_and_two_phased_between_the_more_so_the_lower_rho_is(self):
        """B and step are the best of a grid. At alpha = -2 a phase 1 of a tenth misses, in many runs, attributes that the label
        hangs on, and there is no saying whether Two-Phased is better than AELR; with 30 % there is."""
        mild = simulated("simulated:lasso:-1", 20000)
        aelr, dda = self.losses(mild, "aelr", 16.0, 0.002), self.losses(mild, "ddaelr", 8.0, 0.016)
        two = self.losses(mild, "two-phase-ddaelr", 16.0, 0.016, phase1_radius="32", phase1_step="0.004")
        self.check_between(aelr, two, dda, (1.2, 0.9, 1.05), 3)
        low = simulated("simulated:lasso:-2", 20000)
        low_aelr, low_dda = self.losses(low, "aelr", 128.0, 0.004), self.losses(low, "ddaelr", 128.0, 0.008)
        low_two = self.losses(low, "two-phase-ddaelr", 128.0, 0.016, phase1="30%", phase1_radius="128", phase1_step="0.004")
        self.check_between(low_aelr, low_two, low_dda, (1.35, 0.9, 1.15), 2)
        self.assertGreater(gain_above((low_aelr, low_dda), (aelr, dda)), 2)

    def test_lasso_at_rho_1_knowing_the_moments_changes_nothing(self):
        """With alpha = 0 every attribute is 1 in every example: the label is a constant, and both learn it."""
        flat = simulated("simulated:lasso:0", 3000)
        aelr, dda = (self.losses(flat, name, 32.0, 0.001, seeds=6).mean() for name in ("aelr", "ddaelr"))
        self.assertAlmostEqual(aelr, dda, delta=1e-5 * (1 + dda))

    @needs("GLIMPSE_MNIST")
    def test_aer_is_far_better_than_baseline_on_mnist_with_four_pixels_an_image(self):
        """B and step are the best of a grid for each of the two."""
        source = load(DataOptions("mnist:3,5", scale="none"))
        aer = self.losses(source, "aer", 4.0, 0.125, seeds=20, budget=4)
        baseline = self.losses(source, "baseline", 0.5, seeds=20, budget=4)
        self.assertLess(aer.mean(), 0.92 * baseline.mean())
        self.assertGreater(in_errors(baseline - aer), 5)


class PairwiseTest(unittest.TestCase):
    """What the pairwise learner must do without anything tuned. Margins are about half of what was measured to be left."""

    FACTORS = (0.125, 0.25, 0.5, 0.707, 1.0, 1.414, 2.0, 4.0, 8.0)

    def scan(self, options, budget, prefixes, seeds, factors=(1.0,)):
        """Of each prefix the loss, over the mean's, and over the best ridge's in hindsight."""
        source = load(options)
        jobs._shared = source
        points = [point for seed in range(1, seeds + 1) for point in pairwise.scan(seed, budget, prefixes, factors)]
        rows = [dict(zip(("examples", "runs", "loss", "deviation", "factor", "best"), line.split(",")), over_mean=float(line.split(",")[9]),
                     over_best=float(line.split(",")[7])) for line in pairwise.summary(points, factors).splitlines()[1:]]
        for row in rows:
            print(f"{options.data.rpartition('/')[2]}, K = {budget}, {row['examples']} examples: {row['loss']}, over the mean {row['over_mean']:.3f}")
        return rows

    def test_on_simulated_data_it_is_never_worse_than_predicting_the_mean(self):
        for data in ("simulated:ridge:0", "simulated:ridge:-0.5", "simulated:ridge:-1"):
            for row in self.scan(DataOptions(data, examples=1000), 5, [50, 100, 200, 500, 1000], 20):
                self.assertLess(row["over_mean"], 1.02)

    @needs("GLIMPSE_DATA")
    def test_on_data_in_units_of_its_own_it_is_never_worse_than_the_mean_and_soon_much_better(self):
        for name, half in (("ailerons", 0.65), ("bike_hour", 0.8), ("cal_housing", 0.6), ("abalone", 0.7)):
            rows = self.scan(DataOptions(f"{name}.csv.gz"), 5, [50, 100, 1000], 10, self.FACTORS)
            self.assertTrue(all(row["over_mean"] < 1.02 for row in rows), name)
            self.assertLess(rows[1]["over_mean"], half, name)
            self.assertLess(rows[2]["over_best"], 1.1, name)

    @needs("GLIMPSE_DATA")
    def test_heavy_tails_within_a_tenth_of_the_best_ridge_after_1000_examples(self):
        self.assertLess(self.scan(DataOptions("cpu_act.csv.gz"), 5, [1000], 10, self.FACTORS)[0]["over_best"], 1.1)

    @needs("GLIMPSE_MNIST")
    def test_on_mnist_with_57_pixels_42_and_31_hundredths_after_200_and_1000_examples(self):
        rows = self.scan(DataOptions("mnist:3,5", scale="none"), 57, [200, 1000], 10)
        self.assertLess(float(rows[0]["loss"]), 0.42)
        self.assertLess(float(rows[1]["loss"]), 0.31)


if __name__ == "__main__":
    unittest.main()
