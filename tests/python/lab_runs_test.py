"""Runs of methods, how B and the step are chosen, jobs that go on, and learning curves."""

import json
import math
import os
import signal
import subprocess
import sys
import time
import unittest

import numpy as np

from glimpsed.lab import jobs, tuning
from glimpsed.lab.data import DataOptions, Table, load
from glimpsed.lab.experiment import Curve, Point, Points, Row, attributes_needed, rows_csv, run_experiment, summarise, to_csv
from glimpsed.lab.jobs import Progress, Store, Workers
from glimpsed.lab.learners import (Method, answers, classification_error, learn, loss_ratio, moments_text, parse_named, predictions, run,
                                   within_reach)
from glimpsed.lab.tuning import Tuning, choose, folds_of
from glimpsed.lab.xoshiro import shuffled
from lab_support import SMALL, LabTest, budgeted, rows_of, simulated

SOURCE = simulated("simulated:ridge:-1:12", 300)


def of_run(method, prefixes, seed=1, order=None):
    train = SOURCE.prepare(1).train
    return list(run(method, train, np.arange(len(train), dtype=np.uint32) if order is None else order, prefixes, seed))


def double(x):
    return 2 * x


def fail(x):
    raise ValueError(f"no {x}")


class MethodTest(unittest.TestCase):
    def test_defaults_are_the_papers(self):
        method = Method("two-phase-ddaerr", {"budget": "4"})
        self.assertEqual(method.options, {"bias": "off", "budget": "4", "control-variates": "off", "draws": "separate", "phase1": "10%"})
        self.assertEqual(Method("pairwise", {"bias": "on"}).options, {"bias": "on"})

    def test_a_learner_with_options_behind_colons_has_the_daemons(self):
        method = parse_named("two-phase-ddaelr:radius=20:step=0.5", "learner", 7)
        self.assertEqual(method.options, {"bias": "on", "budget": "7", "control-variates": "on", "draws": "pairs", "phase1": "auto", "radius": "20",
                                          "step": "0.5"})
        for text in ("pairwise:seed=1", "pairwise:radius", "other"):
            with self.assertRaises(ValueError):
                parse_named(text, "learner")

    def test_what_the_learner_refuses_is_refused(self):
        for method in (Method("pairwise", {"budget": "50"}), Method("aelr", {"budget": "4"}), Method("aerr", {"budget": "x"})):
            with self.assertRaises(ValueError):
                method.check(12)
        for algorithm in ("offline-ridge", "two-phase-ddaerr-as-written"):
            with self.assertRaisesRegex(ValueError, "passes"):
                Method(algorithm, passes=2)
        for options, says in (({"bias": "on"}, "--bias"), ({"draws": "pairs"}, "--draws"), ({"radius": "1"}, "--step"),
                              ({"radius": "1", "step": "1", "phase1": "auto"}, "auto"), ({"radius": "1", "step": "theory"}, "theory")):
            with self.assertRaisesRegex(ValueError, says):
                Method("two-phase-ddaerr-as-written", {"budget": "4", **options}).check(12)

    def test_a_learners_prefix_is_the_run_that_ends_there_and_the_budget_holds(self):
        method = budgeted("aerr", 4, 2.0, 0.1)
        both, alone = of_run(method, [100, 300]), of_run(method, [100])
        np.testing.assert_array_equal(both[0].weights, alone[0].weights)
        self.assertLessEqual(both[1].attributes, 4 * 300)
        self.assertFalse(np.array_equal(both[0].weights, both[1].weights))

    def test_a_share_as_phase_1_is_one_of_each_prefix_and_a_horizon_makes_it_one_run(self):
        method = budgeted("two-phase-ddaerr", 4, 2.0, 0.1)
        np.testing.assert_array_equal(of_run(method, [100, 300])[0].weights, of_run(method, [100])[0].weights)
        one = method.having(horizon="300")
        self.assertTrue(method.depends_on_length)
        self.assertFalse(one.depends_on_length)
        self.assertFalse(np.array_equal(of_run(method, [100])[0].weights, of_run(one, [100, 300])[0].weights))

    def test_the_same_seed_gives_the_same_model_and_another_another(self):
        method = budgeted("ddaerr", 4, 2.0, 0.1)
        np.testing.assert_array_equal(of_run(method, [300], 5)[0].weights, of_run(method, [300], 5)[0].weights)
        self.assertFalse(np.array_equal(of_run(method, [300], 5)[0].weights, of_run(method, [300], 6)[0].weights))

    def test_passes_go_over_the_prefix_again_and_every_reveal_counts(self):
        once = of_run(budgeted("aer", 4, 2.0, 0.5), [100])[0]
        twice = of_run(Method("aer", {"budget": "4", "radius": "2.0", "step": "0.5"}, passes=2), [100])[0]
        self.assertEqual((twice.examples, twice.given), (100, 200))
        self.assertGreater(twice.attributes, 1.8 * once.attributes)

    def test_moments_that_are_known_are_those_of_the_rows_learned(self):
        text = moments_text(np.array([[1, -3], [3, 1]], dtype=np.float32))
        self.assertEqual(text.splitlines(), ["attribute,second_moment,mean,max_abs", "0,5.0,2.0,3.0", "1,5.0,-1.0,3.0"])

    def test_whole_examples_count_every_attribute(self):
        self.assertEqual(of_run(Method("online-ridge", {"step": "0.1"}), [100])[0].attributes, 1200)
        self.assertEqual(of_run(Method("offline-ridge"), [50])[0].attributes, 600)

    def test_steps_that_are_too_large_leave_most_examples_unlearned(self):
        snapshot = of_run(Method("online-ridge", {"step": "1e200"}), [300])[0]
        self.assertTrue(snapshot.mostly_skipped)
        self.assertFalse(of_run(Method("online-ridge", {"step": "0.1"}), [300])[0].mostly_skipped)


class LossTest(unittest.TestCase):
    def test_losses_by_hand(self):
        y = np.array([1.0, -1.0, 1.0])
        self.assertAlmostEqual(loss_ratio(np.array([0.5, -1.0, -1.0]), y), (0.25 + 4) / 3)
        self.assertAlmostEqual(classification_error(np.array([0.5, -1.0, -1.0]), y), 1 / 3)
        self.assertTrue(math.isnan(classification_error(y, np.array([1.0, 2.0, 1.0]))))
        self.assertEqual(loss_ratio(np.array([1e200, 0, 0]), y), math.inf)
        self.assertEqual(loss_ratio(np.ones(3), np.zeros(3)), 0)
        np.testing.assert_allclose(predictions(np.array([2.0, -1.0]), 0.5, np.array([[1, 2], [3, 0]], dtype=np.float32)), [0.5, 6.5])

    def test_values_count_up_to_one_and_a_half_times_the_largest_seen(self):
        x = np.array([[-9, 1, 5]], dtype=np.float32)
        np.testing.assert_array_equal(within_reach(x, np.array([2.0, 2.0, 0.0])), [[-3, 1, 5]])

    def test_clipped_answers_are_the_daemons(self):
        sets = SOURCE.prepare(1)
        order = np.arange(len(sets.train), dtype=np.uint32)
        snapshot = of_run(Method("pairwise", {"budget": "4", "bias": "on"}), [60])[0]
        wide = Table(sets.test.x * 3, sets.test.y)
        from glimpsed import _core
        daemons = snapshot.session.predict(_core.Rows.matrix(wide.x), None, True, False)
        exported, clipped = answers(snapshot, sets.train, order, wide)(snapshot.weights, snapshot.bias)
        self.assertAlmostEqual(clipped, loss_ratio(daemons, wide.y), places=9)
        self.assertLess(clipped, exported)


class TuningTest(LabTest):
    def choose(self, method, options, rows=200, processes=1, store=None):
        progress = Progress("", True)
        with Workers(processes, SOURCE, Store(None) if store is None else store) as workers:
            return choose(method, options, SOURCE, 1, rows, workers, progress)

    def test_folds_hold_out_each_row_once(self):
        rows = np.array([5, 3, 8, 1, 7], dtype=np.uint32)
        folds = folds_of(rows, 2)
        self.assertEqual([(a.tolist(), b.tolist()) for a, b in folds], [([3, 1], [5, 8, 7]), ([5, 8, 7], [3, 1])])

    def test_of_given_grids_every_pair_is_tried_and_the_least_mean_loss_wins(self):
        method = Method("online-ridge")
        options = Tuning(3, radii=(0.5, 2.0), steps=(0.01, 0.3))
        choice = self.choose(method, options)
        jobs._shared = SOURCE
        every = {(r, s): tuning._held_out_loss(method.having(radius=repr(r), step=repr(s)), options, 1, 200, 0) for r in options.radii for s in options.steps}
        best = min(every, key=every.get)
        self.assertEqual((float(choice.radius), float(choice.step)), best)
        self.assertAlmostEqual(choice.loss, every[best])

    def test_a_held_out_loss_is_the_mean_over_the_folds_computed_the_long_way(self):
        jobs._shared = SOURCE
        method = Method("offline-ridge", {"radius": "1.0"})
        losses = tuning._offline_losses(method, Tuning(2), 1, 40, (1.0,))
        train, rows = SOURCE.prepare(1).train, shuffled(300, 1)[:40]
        expected = []
        for learned, held_out in ((rows[1::2], rows[::2]), (rows[::2], rows[1::2])):
            snapshot = next(run(method, train, learned, [20], 1))
            expected.append(loss_ratio(predictions(snapshot.weights, 0, train.x[held_out]), train.y[held_out]))
        self.assertAlmostEqual(losses[0], np.mean(expected), places=9)

    def test_without_grids_powers_of_two_are_searched_to_where_no_neighbour_is_better(self):
        method = budgeted("aerr", 4, 1.0).having(radius=None)
        choice = self.choose(method, Tuning(2))
        radius, step = math.log2(float(choice.radius)), math.log2(float(choice.step))
        self.assertEqual((radius % 1, step % 1), (0, 0))
        jobs._shared = SOURCE
        for r in (-1, 0, 1):
            for s in (-1, 0, 1):
                near = method.having(radius=repr(2.0 ** (radius + r)), step=repr(2.0 ** (step + s)))
                self.assertGreaterEqual(tuning._held_out_loss(near, Tuning(2), 1, 200, tuning.draws_seed(1)), choice.loss)

    def test_the_choice_is_the_same_for_any_number_of_processes(self):
        method = budgeted("two-phase-ddaerr", 4, 1.0).having(radius=None)
        options = Tuning(2, radii=(1.0, 4.0), steps=(0.01, 0.1))
        self.assertEqual(self.choose(method, options), self.choose(method, options, processes=3))

    def test_two_phases_get_a_choice_each(self):
        choice = self.choose(budgeted("two-phase-ddaerr", 4, 1.0).having(radius=None, phase1="50"), Tuning(2, radii=(1.0, 4.0), steps=(0.01, 0.1)))
        self.assertIn(choice.phase1_radius, ("1.0", "4.0"))
        self.assertIn(choice.phase1_step, ("0.01", "0.1"))
        shared = self.choose(budgeted("two-phase-ddaerr", 4, 1.0).having(radius=None, phase1="auto"), Tuning(2, radii=(1.0,), steps=(0.1,)))
        self.assertIsNone(shared.phase1_radius)

    def test_two_phases_as_written_have_the_phase_1_of_the_librarys_and_a_phase_2_of_their_own(self):
        options = Tuning(2, radii=(1.0, 4.0), steps=(0.01, 0.1))
        store = Store(None)
        own, written = (self.choose(Method(name, {"budget": "4", "phase1": "50"}), options, store=store)
                        for name in ("two-phase-ddaerr", "two-phase-ddaerr-as-written"))
        self.assertEqual((own.phase1_radius, own.phase1_step), (written.phase1_radius, written.phase1_step))
        self.assertNotEqual(own.loss, written.loss)
        self.assertEqual(written, self.choose(Method("two-phase-ddaerr-as-written", {"budget": "4", "phase1": "50"}), options, processes=3))

    def test_a_choice_in_hindsight_is_by_the_test_set(self):
        choice = self.choose(Method("online-ridge"), Tuning(2, radii=(0.01, 8.0), steps=(0.1,), in_hindsight=True))
        self.assertEqual(choice.radius, "8.0")

    def test_too_few_rows_and_choices_that_all_diverge_are_refused(self):
        with self.assertRaisesRegex(ValueError, "at least 2 examples"):
            self.choose(Method("online-ridge"), Tuning(2), rows=1)
        with self.assertRaisesRegex(ValueError, "diverges"):
            self.choose(Method("online-ridge"), Tuning(2, radii=(1e30,), steps=(1e200,)))


class JobsTest(LabTest):
    def test_what_was_put_is_found_again_for_its_key_only(self):
        Store(self.path("jobs")).put("a", "job", [1, None])
        store = Store(self.path("jobs"))
        self.assertEqual(store.find("a"), [1, None])
        self.assertIsNone(store.find("b"))
        self.assertIsNone(Store(None).find("a"))

    def test_a_line_that_was_cut_short_does_not_count_and_the_next_is_sound(self):
        store = Store(self.path("jobs"))
        store.put("a", "job", 1)
        store.put("b", "job", 2)
        whole = self.read("jobs/results.jsonl")
        with open(self.path("jobs/results.jsonl"), "r+b") as file:
            file.truncate(len(whole) - 3)
        cut = Store(self.path("jobs"))
        self.assertEqual((cut.find("a"), cut.find("b")), (1, None))
        cut.put("b", "job", 3)
        self.assertEqual((Store(self.path("jobs")).find("a"), Store(self.path("jobs")).find("b")), (1, 3))

    def test_results_are_in_order_and_what_is_kept_is_not_computed_again(self):
        for processes in (1, 3):
            store = Store(None)
            store.put(f"{__name__}.double data (1,)", "kept", -7)
            store.put(f"{__name__}.double other data (2,)", "kept", -7)
            with Workers(processes, None, store) as workers:
                self.assertEqual(workers.map(double, [(0,), (1,), (2,), (3,)], "data", Progress("", True)), [0, -7, 4, 6])

    def test_an_error_of_a_job_is_raised(self):
        for processes in (1, 2):
            with self.assertRaisesRegex(ValueError, "no 5"), Workers(processes, None, Store(None)) as workers:
                workers.map(fail, [(5,)], "", Progress("", True))

    def test_a_command_that_was_killed_goes_on(self):
        """Those of its jobs that were done are not done again, and the rows are those of a run at once."""
        arguments = ["run", *SMALL, "--algorithm", "aerr", "--budget", "4", "--cv", "3", "--seeds", "3", "--jobs", "2", "--quiet"]
        at_once = self.lab(*arguments, "--output-directory", self.path("whole"))
        running = subprocess.Popen([sys.executable, "-m", "glimpsed.lab", *arguments, "--output-directory", self.path("jobs")], start_new_session=True)
        kept = self.path("jobs/results.jsonl")
        while not (os.path.exists(kept) and self.read("jobs/results.jsonl").count(b"\n") >= 5):
            self.assertIsNone(running.poll())
            time.sleep(0.01)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        before = self.read("jobs/results.jsonl").splitlines(keepends=True)
        done = [json.loads(line)["key"] for line in before if line.endswith(b"\n")]
        self.assertEqual(self.lab(*arguments, "--output-directory", self.path("jobs")), at_once)
        after = [json.loads(line)["key"] for line in self.read("jobs/results.jsonl").splitlines()]
        self.assertEqual(after[:len(done)], done)
        self.assertEqual(len(after), len(set(after)))

    def test_workers_end_with_a_parent_that_was_killed(self):
        running = subprocess.Popen([sys.executable, "-m", "glimpsed.lab", "run", *SMALL, "--algorithm", "aerr", "--budget", "4", "--cv", "10", "--cv-repeats",
                                    "50", "--jobs", "2", "--quiet", "--output-directory", self.path("jobs")], start_new_session=True)
        while not os.path.exists(self.path("jobs/results.jsonl")):
            self.assertIsNone(running.poll())
            time.sleep(0.01)
        running.kill()
        running.wait()
        with self.assertRaises(ProcessLookupError):
            for _ in range(1000):
                os.killpg(running.pid, 0)
                time.sleep(0.01)

    def test_ctrl_c_ends_it_with_a_word_and_status_130(self):
        running = subprocess.Popen([sys.executable, "-m", "glimpsed.lab", "run", *SMALL, "--algorithm", "aerr", "--budget", "4", "--cv", "10", "--cv-repeats",
                                    "50", "--jobs", "2", "--output-directory", self.path("jobs")], stderr=subprocess.PIPE, text=True, start_new_session=True)
        while not os.path.exists(self.path("jobs/results.jsonl")):
            self.assertIsNone(running.poll())
            time.sleep(0.01)
        os.killpg(running.pid, signal.SIGINT)
        _, says = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130)
        self.assertIn("goes on from here", says)
        self.assertNotIn("Traceback", says)


class ExperimentTest(unittest.TestCase):
    def test_points_in_attributes_are_prefixes_of_as_many_examples_as_may_be_looked_at_with_them(self):
        points = Points((10, 120, 600), in_attributes=True)
        self.assertEqual(points.prefixes(5, 100), [2, 24])
        self.assertEqual(points.prefixes(60, 100), [1, 2, 10])
        self.assertEqual(Points((5, 200), all=True).prefixes(5, 100), [5, 100])

    def test_rows_do_not_depend_on_processes_and_seeds_are_what_they_are_alone(self):
        curves = [Curve("A", budgeted("aerr", 4, 2.0, 0.1)), Curve("B", Method("pairwise", {"budget": "4"}))]
        def run_with(seeds, processes):
            return run_experiment(curves, SOURCE, Points((50,), all=True), seeds, Store(None), processes, True)
        both = run_with([3, 4], 1)
        self.assertEqual(rows_csv(both.rows), rows_csv(run_with([3, 4], 3).rows))
        self.assertEqual([row for row in both.rows if row.seed == 4], run_with([4], 1).rows)
        self.assertEqual([(row.algorithm, row.seed, row.examples) for row in both.rows[:3]], [("A", 3, 50), ("A", 3, 300), ("A", 4, 50)])

    def test_cross_validation_never_looks_at_the_test_set(self):
        sets = SOURCE.prepare(1)
        curve = [Curve("A", Method("offline-ridge"), Tuning(3))]
        chosen = run_experiment(curve, SOURCE, Points(all=True), [1], Store(None), 1, True).chosen
        other = load(DataOptions("simulated:ridge:-1:12", examples=300, test_examples=1))
        self.assertEqual(run_experiment(curve, other, Points(all=True), [1], Store(None), 1, True).chosen, chosen)
        self.assertEqual(len(sets.train), 300)

    def test_examples_that_were_not_learned_from_are_told(self):
        outcome = run_experiment([Curve("A", Method("online-ridge", {"step": "1e200"}))], SOURCE, Points(all=True), [1, 2], Store(None), 1, True)
        self.assertRegex(outcome.warnings[0], "^A: [0-9]+ of 600 examples were not learned from")

    def test_summaries_are_means_and_deviations_by_curve_and_prefix(self):
        rows = [Row("A", 1, 10, 40, 0.5, 0.1), Row("A", 2, 10, 60, 0.7, 0.3), Row("A", 1, 5, 20, 1.0, float("nan"))]
        self.assertEqual(list(summarise(rows)), ["A"])
        first, second = summarise(rows)["A"]
        self.assertEqual((first.examples, first.runs, first.deviation), (5, 1, 0))
        self.assertEqual((second.examples, second.attributes, second.runs), (10, 50, 2))
        self.assertAlmostEqual(second.mean, 0.6)
        self.assertAlmostEqual(second.deviation, math.sqrt(0.02))
        self.assertAlmostEqual(second.classification_error, 0.2)

    def test_attributes_needed_lie_on_a_line_in_their_logarithm(self):
        curve = [Point(1, 10, 0.9, 0, 0, 1), Point(2, 1000, 0.5, 0, 0, 1)]
        self.assertAlmostEqual(attributes_needed(curve, 0.7), 100)
        self.assertEqual(attributes_needed(curve, 0.95), 10)
        self.assertIsNone(attributes_needed(curve, 0.4))

    def test_csv_quotes_commas_and_leaves_out_what_is_no_number(self):
        self.assertEqual(to_csv(["a", "b"], [["x,y", 1.5], [float("nan"), 2.0], [None, float("inf")]]), 'a,b\n"x,y",1.5\n,2\n,inf\n')


class RunCommandTest(LabTest):
    def test_rows_have_their_columns_and_the_same_bytes_for_any_number_of_jobs(self):
        arguments = ["run", *SMALL, "--algorithm", "two-phase-ddaerr", "--budget", "4", "--radius", "2", "--step", "0.05", "--seeds", "2", "--prefixes", "100,all"]
        text = self.lab(*arguments, "--jobs", "1")
        self.assertEqual(text, self.lab(*arguments, "--jobs", "2"))
        self.assertEqual(text.splitlines()[0], "algorithm,seed,examples,attributes,test_loss_ratio,classification_error")
        self.assertEqual([(row["seed"], row["examples"]) for row in rows_of(text)], [(1, 100), (1, 800), (2, 100), (2, 800)])

    def test_what_cannot_be_is_refused_with_status_2(self):
        for arguments, says in ((["--algorithm", "pairwise", "--budget", "4", "--prefixes", "900"], "900 is more than 800"),
                                (["--algorithm", "pairwise", "--budget", "99"], "budget"), (["--algorithm", "other"], "invalid choice"),
                                (["--test-share", "30"], "as 30%"), (["--prefixes", "x"], "whole number")):
            self.assertRegex(self.lab("run", *SMALL, *arguments, status=2), says)
        self.assertIn("is no command", self.lab("other", status=2))


if __name__ == "__main__":
    unittest.main()
