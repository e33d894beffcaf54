"""The studies of the laboratory, each from end to end on small data."""

import unittest

import numpy as np

from glimpsed.lab import jobs
from glimpsed.lab.commands import buying, classes, drift, partial, small_models, sweep, wide
from glimpsed.lab.data import Table
from glimpsed.lab.learners import as_the_daemon
from lab_support import SMALL, LabTest, rows_of, simulated


class RidgeScanTest(LabTest):
    def test_the_best_in_hindsight_is_one_factor_for_all_seeds_and_that_of_each_is_no_worse(self):
        rows = self.rows("pairwise", *SMALL, "--budget", "4", "--prefixes", "100,all", "--seeds", "3", "--ridge-factors", "0.5,1,4")
        self.assertEqual([row["examples"] for row in rows], [100, 800])
        for row in rows:
            self.assertLessEqual(row["best_of_each_seed"], row["best_in_hindsight"])
            self.assertIn(row["best_factor"], (0.5, 1, 4))
            self.assertAlmostEqual(row["over_best"], row["test_loss_ratio"] / row["best_in_hindsight"], places=6)
            self.assertLess(row["over_mean"], 1.02)

    def test_a_scans_rule_is_what_a_run_gives_and_factor_1_is_the_rule(self):
        rows = self.rows("pairwise", *SMALL, "--budget", "4", "--ridge-factors", "1,2", "--seeds", "1", "--rows")
        ran = self.rows("run", *SMALL, "--algorithm", "pairwise", "--budget", "4", "--bias", "on")
        self.assertEqual([row["ridge_factor"] for row in rows], ["rule", 1, 2])
        self.assertAlmostEqual(rows[0]["test_loss_ratio"], ran[0]["test_loss_ratio"], places=9)
        self.assertAlmostEqual(rows[1]["test_loss_ratio"], rows[0]["test_loss_ratio"], places=3)
        self.assertAlmostEqual(rows[2]["ridge"], 2 * rows[0]["ridge"], places=9)


class ProgressiveTest(LabTest):
    def test_a_progressive_loss_is_the_loss_to_its_standard_error(self):
        rows = self.rows("progressive", *SMALL, "--algorithm", "pairwise", "--budget", "6", "--bias", "on", "--prefixes", "800", "--seeds", "8")
        off = np.mean([row["progressive_loss"] - row["test_loss"] for row in rows])
        self.assertLess(abs(off), 3 * np.mean([row["standard_error"] for row in rows]) / np.sqrt(8) + 0.03)
        self.assertIn("no progressive loss", self.lab("progressive", *SMALL, "--algorithm", "offline-ridge", status=2))


class PartialTest(LabTest):
    def test_the_more_is_known_the_smaller_the_error_and_chosen_ones_help(self):
        rows = self.rows("partial", *SMALL, "--budget", "6", "--seeds", "3", "--known", "0.2,0.5,0.8", "--buy", "1,3")
        of = {(row["known"], row["bought"], row["rule"]): row for row in rows}
        for rule in ("mean", "conditional", "exact"):
            self.assertGreater(of[0.2, 0, rule]["rmse"], of[0.5, 0, rule]["rmse"])
            self.assertGreater(of[0.5, 0, rule]["rmse"], of[0.8, 0, rule]["rmse"])
        self.assertEqual(of[1, 0, "full"]["over_full"], 1)
        self.assertLess(of[0.2, 0, "conditional"]["rmse"], of[0.2, 0, "mean"]["rmse"])
        self.assertLess(of[0.2, 3, "greedy"]["rmse"], of[0.2, 3, "random"]["rmse"])
        self.assertTrue(all(0.4 < row["honesty"] < 2.5 for row in rows))
        self.assertIn("above 1", self.lab("partial", *SMALL, "--budget", "4", "--known", "2", status=2))

    def test_means_are_as_sure_as_they_should_be_where_attributes_are_independent(self):
        rows = self.rows("partial", "--data", "simulated:ridge:-0.5:20", "--examples", "1000", "--budget", "5", "--seeds", "3", "--known", "0.5",
                         "--buy", "1", "--prefixes", "all")
        for row in rows:
            if row["rule"] in ("mean", "conditional", "exact"):
                self.assertAlmostEqual(row["honesty"], 1.04, delta=0.2, msg=row["rule"])

    def test_what_is_expected_of_two_correlated_attributes_by_hand(self):
        predictor = partial.Conditional(np.array([1.0, 2.0]), 0.5, np.array([1.0, 0.0]), np.array([[1.0, 0.5], [0.5, 1.0]]), 0.25)
        prediction, error = predictor.predict(np.array([3.0, 9.0]), np.array([True, False]))
        self.assertAlmostEqual(prediction, 3 + 2 * (0.5 * 2) + 0.5)
        self.assertAlmostEqual(error ** 2, 0.25 + 4 * 0.75)
        self.assertEqual(predictor.choose(np.array([False, False]), 1), [1])  # (2 + .5)^2 above (1 + 1)^2
        self.assertEqual(predictor.choose(np.array([True, True]), 1), [])

    def test_those_chosen_leave_the_least_variance_given_what_is_known(self):
        random = np.random.default_rng(1)
        for _ in range(20):
            root = random.normal(size=(7, 6))
            predictor = partial.Conditional(random.normal(size=6), 0, np.zeros(6), root.T @ root, 0)
            known = np.arange(6) == random.integers(6)
            for i in predictor.choose(known, 2):
                errors = {j: predictor.predict(np.zeros(6), known | (np.arange(6) == j))[1] for j in np.flatnonzero(~known).tolist()}
                self.assertEqual(i, min(errors, key=errors.__getitem__))
                known |= np.arange(6) == i

    def test_an_attribute_that_is_constant_tells_nothing(self):
        covariances = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.5], [0.0, 0.5, 1.0]])
        predictor = partial.Conditional(np.array([4.0, 1.0, 2.0]), 0.5, np.array([3.0, 1.0, 0.0]), covariances, 0.25)
        for first_is_known in (True, False):
            prediction, error = predictor.predict(np.array([3.0, 3.0, 9.0]), np.array([first_is_known, True, False]))
            self.assertAlmostEqual(prediction, 12 + 3 + 2 * (0.5 * 2) + 0.5)
            self.assertAlmostEqual(error ** 2, 0.25 + 4 * 0.75)

    def test_the_daemons_conditional_predictions_are_those_of_its_covariances(self):
        from glimpsed import _core
        from glimpsed.lab.learners import Method, learn
        train = simulated("simulated:factors:2:6", 4000).prepare(1).train
        session = Method("pairwise", {"budget": "6", "bias": "on"}).session(6, 1, 1)
        learn(session, train, np.arange(4000, dtype=np.uint32))
        weights, bias = session.model()
        own = partial.Conditional(weights, bias, session.means(), session.covariances(), 0)
        known = np.array([True, False, True, True, False, True])
        row = train.x[:1].copy()
        row[0, ~known] = np.nan
        daemons = session.predict(_core.Rows.matrix(row), None, False, False)[0]
        self.assertAlmostEqual(own.predict(train.x[0].astype(float), known)[0], daemons, places=6)


class ClassesTest(LabTest):
    def table(self):
        random = np.random.default_rng(1)
        labels = random.integers(0, 3, 900)
        x = random.normal(size=(900, 5)) + 2 * np.eye(5)[labels]
        return self.write("classes.csv", "".join(f"{y + 4}," + ",".join(f"{v:.4f}" for v in row) + "\n" for y, row in zip(labels.tolist(), x.tolist())))

    def test_rows_have_losses_below_those_of_chance(self):
        rows = self.rows("classes", "--data", self.table(), "--test-share", "30%", "--split-seed", "each", "--budget", "3", "--seeds", "2",
                         "--prefixes", "200,all")
        self.assertEqual([*rows[0]], classes.HEADER)
        self.assertEqual([(row["seed"], row["examples"], row["classes"]) for row in rows], [(1, 200, 3), (1, 630, 3), (2, 200, 3), (2, 630, 3)])
        for row in rows[1::2]:
            self.assertLess(row["error"], 0.35)
            self.assertLess(row["log_loss"], np.log(3) - 0.2)
            self.assertLessEqual(row["best_log_loss"], row["log_loss"] + 1e-9)
            self.assertGreater(row["attributes"], 3 * 600)

    def test_beside_peers(self):
        text = self.lab("classes", "--data", self.table(), "--test-share", "30%", "--split-seed", "each", "--budgets", "3,5", "--peers", "LDA,logistic",
                        "--seeds", "2", "--directions")
        self.assertEqual([line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")][1:],
                         ["pairwise, K = 3", "pairwise, K = 5", "LDA", "logistic"])
        self.assertIn("R2", text)
        self.assertIn("must be of LDA, logistic", self.lab("classes", "--data", self.table(), "--budget", "3", "--peers", "other", status=2))

    def test_log_losses_of_other_slopes_are_by_the_same_scores(self):
        scores = np.array([[1.0, -1.0], [0.0, 2.0]])

        def probabilities(slope):
            p = np.exp(slope * scores)
            return p / p.sum(axis=1, keepdims=True)
        truth = np.array([0, 0])
        expected = [-np.log(probabilities(slope)[np.arange(2), truth]).mean() for slope in (0.5, 2.0)]
        np.testing.assert_allclose(classes.log_losses_of_slopes(probabilities(0.8), 0.8, truth, np.array([0.5, 2.0])), expected)


class SmallModelsTest(LabTest):
    def test_chosen_attributes_are_about_the_best_and_losses_about_what_is_told(self):
        rows = self.rows("small-models", "--data", "simulated:factors:3:8", "--examples", "4000", "--algorithm", "pairwise", "--budget", "6", "--bias", "on")
        self.assertEqual([row["attributes"] for row in rows], [1, 2, 3, 4, 5, 6, 7, 8])
        for row in rows:
            self.assertLessEqual(row["best"], row["chosen"] + 1e-9)
            self.assertLess(row["over_best"], 1.25)
            self.assertLess(abs(np.log(row["told_over_clipped"])), 0.4)

    def test_errors_of_subsets_are_those_of_least_squares(self):
        random = np.random.default_rng(1)
        x = random.normal(size=(50, 4)).astype(np.float32)
        y = x[:, 0] - 2.0 * x[:, 2] + random.normal(size=50) + 7
        subsets = small_models.Subsets(Table(x, y))
        design = np.column_stack((x[:, [0, 2]].astype(float), np.ones(50)))
        off = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        self.assertAlmostEqual(subsets.error((0, 2)), off.var() / y.var(), places=6)
        self.assertAlmostEqual(subsets.best(2), min(subsets.error(pair) for pair in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))))


class MergingTest(LabTest):
    def test_parts_that_are_merged_have_all_examples_and_lose_less_than_one_alone(self):
        for more in ((), ("--share-every", "200")):
            rows = self.rows("merging", *SMALL, "--budget", "5", "--parts", "1,4", "--seeds", "3", *more)
            self.assertEqual([(row["seed"], row["parts"], row["examples"]) for row in rows], [(s, p, 800) for s in (1, 2, 3) for p in (1, 4)])
            four = [row for row in rows if row["parts"] == 4]
            self.assertLess(sum(row["merged_loss"] for row in four), sum(row["first_part_loss"] for row in four))
            self.assertEqual(rows[0]["merged_loss"], rows[0]["first_part_loss"])
        self.assertIn("from 1 to the 800", self.lab("merging", *SMALL, "--budget", "4", "--parts", "900", status=2))


class DriftTest(LabTest):
    def test_parts_that_look_together_notice_a_change_before_half_of_them_would_alone(self):
        rows = self.rows("drift", "--dimension", "10", "--budget", "5", "--changed", "5", "--parts", "1,4", "--before", "2000", "--after", "8000", "--seeds", "2")
        self.assertEqual([*rows[0]], drift.HEADER)
        for row in rows:
            self.assertLessEqual(row["first_alone"], row["middle_alone"])
            self.assertLess(row["together"], 8001)
            self.assertEqual(row["false_alarms"], 0)
        self.assertLessEqual(sum(row["together"] for row in rows[1::2]), sum(row["middle_alone"] for row in rows[1::2]))

    def test_without_a_change_nothing_is_noticed(self):
        method = as_the_daemon("pairwise", {"budget": "4", "drift": "auto"})
        self.assertEqual(drift.measure(1, method, 6, 2, 1000, 1000, 0, 100), [1, 2, 1001, 1001, 1001, 1001, 0])


class WideTest(LabTest):
    def test_learners_on_a_wide_stream_are_measured_exactly(self):
        rows = self.rows("wide", "--dimension", "300", "--relevant", "4", "--budget", "30", "--counts", "1000,4000", "--learner", "pairwise-screened:active=40",
                         "--learner", "ddaerr")
        self.assertEqual([(row["learner"], row["examples"]) for row in rows],
                         [(name, n) for name in ("pairwise-screened:active=40", "ddaerr") for n in (1000, 4000)])
        self.assertLess(rows[1]["unexplained"], 0.5)
        self.assertLess(rows[1]["unexplained"], rows[0]["unexplained"])
        self.assertIn("must be", self.lab("wide", "--learner", "pairwise", "--relevant", "3", "--group", "2", status=2))

    def test_a_risk_is_the_mean_over_many_examples(self):
        stream = wide.Wide(12, 6, 0.4, 0.0, 3, 0.7, 0.5, 1)
        words, u = stream.examples(0, 40000), stream.chances
        x = stream.values(words[:, None], np.arange(12, dtype=np.uint64)[None, :], u).astype(float)
        np.testing.assert_allclose(x.mean(axis=0), u, atol=0.02)
        correlation = np.corrcoef(x.T)
        self.assertAlmostEqual(correlation[0, 1], 0.49, delta=0.03)
        self.assertAlmostEqual(correlation[0, 3], 0, delta=0.03)
        w = np.linspace(-1, 1, 12)
        noise = 0.5 * np.random.default_rng(1).standard_normal(len(x))
        self.assertAlmostEqual(stream.risk(w, 0.3), np.square(x @ w + 0.3 - x @ stream.weights - noise).mean(), delta=0.05)
        self.assertEqual(int(np.abs(stream.weights).sum()), 6)


class SweepTest(LabTest):
    def test_a_folder_has_a_page_with_rows_for_each_cell_and_seed(self):
        random = np.random.default_rng(1)
        for name in ("one", "two"):
            self.write(f"{name}.csv", "".join(f"{row[0] + row[1]:.4f}," + ",".join(f"{v:.4f}" for v in row) + "\n" for row in random.normal(size=(150, 4)).tolist()))
        self.write("words.csv", "1,a\n2,b\n")
        self.write("notes.txt", "no table")
        arguments = ["sweep", self.folder, "--algorithms", "pairwise,online-ridge:step=0.1", "--budgets", "2,d", "--prefixes", "50,all", "--seeds", "2", "--best",
                     "1,2", "--rows", self.path("cells"), "--runs", self.path("runs")]
        page = self.lab(*arguments, "--jobs", "2")
        cells, runs = (rows_of(self.read(name).decode()) for name in ("cells", "runs"))
        self.assertEqual(len(cells), 2 * (2 + 1 + 1) * 2)
        self.assertEqual(len(runs), 2 * len(cells))
        pairwise = next(cell for cell in cells if cell["learner"] == "pairwise" and cell["K"] == 4)
        self.assertLess(pairwise["clipped_over_mean"], 0.3)
        self.assertLess(pairwise["exported_over_best"], 1.1)
        self.assertIn("words: ", page)
        self.assertIn("## By data set", page)
        self.assertEqual(page, self.lab(*arguments, "--jobs", "1"))
        self.assertIn("no table", self.lab("sweep", self.folder, "--only", "three", status=2))
        self.assertIn("is needed", self.lab("sweep", status=2))

    def test_budgets_are_numbers_or_parts_of_d(self):
        self.assertEqual([sweep.budget_of(text, 40) for text in ("2", "d/10", "d", "50", "d/30")], [2, 4, 40, None, None])
        for text in ("1", "d/0", "x", "d/"):
            with self.assertRaises(sweep.argparse.ArgumentTypeError):
                sweep.budgets(text)

    def test_cells_by_hand(self):
        def row(seed, exported, mean, offline):
            return {"data": "a", "dimension": 3, "learner": "pairwise", "budget": "2", "K": 2, "prefix": "all", "examples": 9, "attributes": 18, "seed": seed,
                    "exported": exported, "clipped": exported, "trials": [(exported, 1), (2 * seed / 10, 2)], "prefix_mean": mean, "offline_exported": offline,
                    "offline_clipped": None}
        cell = sweep.cells_of([row(1, 0.4, 2, 0.2), row(2, 0.6, 4, 0.3)], (1.0, 4.0), "training")[0]
        self.assertAlmostEqual(cell["exported_loss"], 0.5)
        self.assertAlmostEqual(cell["exported_error"], np.std([0.4, 0.6], ddof=1) / np.sqrt(2))
        self.assertEqual((cell["exported_worst_seed"], cell["exported_best_factor"]), (0.6, 4))
        self.assertAlmostEqual(cell["exported_over_best"], 0.5 / 0.3)
        self.assertAlmostEqual(cell["exported_over_offline"], 2)
        self.assertEqual((cell["clipped_best_factor"], cell["clipped_over_offline"]), (1, None))
        self.assertAlmostEqual(sweep.cells_of([row(1, 0.4, 2, 0.2)], (), "prefix")[0]["exported_over_mean"], 0.2)


class BuyingTest(LabTest):
    def test_rules_buy_within_the_limit_until_nothing_fits(self):
        prices = np.array([1.0, 2.0, 4.0, 0.5])
        self.assertEqual(buying.draw_set(prices, 3.5, "cheapest first", np.random.default_rng(1)), [0, 1, 3])
        self.assertEqual(buying.draw_set(prices, 0.6, "cheapest first", np.random.default_rng(1)), [3])
        random = np.random.default_rng(1)
        for rule in buying.BUYERS[1:4]:
            for _ in range(50):
                chosen = buying.draw_set(prices, 4.6, rule, random)
                left = 4.6 - prices[chosen].sum()
                self.assertGreaterEqual(left, 0)
                self.assertTrue(all(prices[i] > left for i in range(4) if i not in chosen))

    def test_prices_have_median_1_and_of_the_limits_each_buys_two(self):
        prices = np.concatenate([buying.prices_of(200, 1, 0.1, seed) for seed in range(20)])
        self.assertAlmostEqual(float(np.median(prices)), 1, delta=0.1)
        self.assertAlmostEqual(float(np.log(prices).std()), 1, delta=0.05)
        with self.assertRaisesRegex(ValueError, "hardly ever buy two"):
            buying.prices_of(2, 1, 0.1, 1)

    def test_every_way_to_buy_stays_within_the_limit_and_the_page_has_each_cell(self):
        arguments = ["buying", "--data", "simulated:factors:3:12", "--largest-training", "200", "--shares", "20%,50%", "--draws", "2"]
        page = self.lab(*arguments, "--jobs", "2")
        self.assertEqual(page, self.lab(*arguments, "--jobs", "1"))
        self.assertEqual(sum("±" in line for line in page.splitlines()), 2)
        self.assertIn("| by data set: over |", page)
        jobs._shared = sweep.Source(sweep.DataOptions("simulated:factors:3:12", examples=100, standardise_labels=True), 1)
        for buyer in buying.BUYERS:
            loss, attributes, money = buying.run_buyer(1, 0.3, buyer, 1.0, 0.3)
            self.assertLessEqual(money, 1 + 1e-9, buyer)
            self.assertGreater(money, 0.5, buyer)
            self.assertGreaterEqual(attributes, 1)
            self.assertLess(loss, 2)

    def test_a_cell_is_over_the_rule_with_the_least_mean(self):
        results = np.zeros((5, 2, 3))
        results[:, :, 0] = [[0.4, 0.6], [0.9, 0.9], [0.7, 0.9], [1, 1], [1, 1]]
        cell = buying.Cell("a", 0.1, results)
        self.assertEqual(cell.best_rule, 2)
        self.assertAlmostEqual(cell.over(2), 0.5 / 0.8)
        self.assertAlmostEqual(cell.error(2), 0)


if __name__ == "__main__":
    unittest.main()
