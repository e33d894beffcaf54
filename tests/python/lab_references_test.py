"""Offline references: ridge, lasso, leaving one out, and scores of classes."""

import unittest

import numpy as np

from glimpsed.lab import references
from glimpsed.lab.data import DataOptions, Table, load
from glimpsed.lab.references import Equations, lasso, leave_one_out_ridge, normal_equations, ridge
from lab_support import needs


def table(n, d, seed=1, copies=False):
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, d)).astype(np.float32)
    if copies:
        x[:, 1] = x[:, 0]
    return Table(x, x.astype(float) @ random.normal(size=d) + random.normal(size=n))


def equations(of, bias=False):
    return normal_equations(of, np.arange(len(of), dtype=np.uint32), bias)


def gap(equations, w, radius, norm):
    """How far w is from optimal over ||w||_norm <= B at most: the Frank-Wolfe gap B*||c||_* - <c, w>, c = b - Aw."""
    c = equations.b - equations.a @ w
    dual = np.abs(c).max() if norm == 1 else np.linalg.norm(c)
    return float(radius * dual - c @ w)


class BallTest(unittest.TestCase):
    def test_normal_equations_are_means_with_the_bias_last(self):
        made = equations(Table(np.array([[1, 2], [3, 4]], dtype=np.float32), np.array([1.0, -1.0])), True)
        np.testing.assert_allclose(made.a, [[5, 7, 2], [7, 10, 3], [2, 3, 1]])
        np.testing.assert_allclose(made.b, [-1, -1, 0])
        self.assertEqual((made.c, made.n), (1, 2))

    def test_equations_without_a_part_are_those_of_the_rest(self):
        whole, rows = table(30, 4), np.arange(30, dtype=np.uint32)
        rest = normal_equations(whole, rows, False).without(normal_equations(whole, rows[:10], False))
        other = normal_equations(whole, rows[10:], False)
        np.testing.assert_allclose(rest.a, other.a)
        np.testing.assert_allclose([*rest.b, rest.c, rest.n], [*other.b, other.c, other.n])

    def test_by_hand_where_attributes_are_independent(self):
        made = Equations(np.eye(2), np.array([3.0, 4.0]), 25.0, 10)
        for radius, of_ridge, of_lasso in ((10, [3, 4], [3, 4]), (2.5, [1.5, 2], [0.75, 1.75]), (1, [0.6, 0.8], [0, 1])):
            np.testing.assert_allclose(ridge(made, [radius])[0], of_ridge)
            np.testing.assert_allclose(lasso(made, [radius])[0], of_lasso)
        self.assertAlmostEqual(made.loss_ratio(np.array([3.0, 4.0])), 0)
        self.assertAlmostEqual(made.loss_ratio(np.array([3.0, 0.0])), 16 / 25)

    def test_solutions_are_optimal_in_the_ball(self):
        for of in (table(200, 20), table(10, 20), table(200, 20, copies=True)):
            made = equations(of)
            radii = [0.3, 1, 3]
            for solve, norm in ((ridge, 2), (lasso, 1)):
                for radius, w in zip(radii, solve(made, radii)):
                    self.assertLessEqual(np.linalg.norm(w, norm), radius * (1 + 1e-9))
                    self.assertLess(gap(made, w, radius, norm), 1e-8 * made.c)

    def test_without_a_ball_it_is_least_squares(self):
        of = table(100, 5)
        expected = np.linalg.lstsq(of.x.astype(float), of.y, rcond=None)[0]
        for solve in (ridge, lasso):
            np.testing.assert_allclose(solve(equations(of), [float("inf")])[0], expected, rtol=1e-6)

    def test_labels_that_depend_on_nothing_give_0(self):
        of = table(50, 5)
        for solve in (ridge, lasso):
            np.testing.assert_array_equal(solve(equations(Table(of.x, np.zeros(50))), [1.0])[0], np.zeros(5))

    @needs("GLIMPSE_MNIST")
    def test_on_mnist_whose_pixels_are_many_and_some_all_but_copies(self):
        made = equations(load(DataOptions("mnist:3,5", scale="none", examples=2000)).prepare(1).train)
        for solve, norm in ((ridge, 2), (lasso, 1)):
            for radius, w in zip([1, 8], solve(made, [1, 8])):
                self.assertLess(gap(made, w, radius, norm), 1e-6 * made.c)


class LeaveOneOutTest(unittest.TestCase):
    def test_lambda_is_the_one_with_the_least_error_of_leaving_one_out(self):
        """Against scores that are computed by leaving one out, for fixed centres and units."""
        for n, d in ((25, 4), (12, 20)):
            of = table(n, d)
            of = Table(of.x, of.y + 3 * of.x[:, 0])
            x = of.x.astype(float)
            z = (x - x.mean(axis=0)) / x.std(axis=0)
            errors = {}
            for k in range(-20, 9):
                off = []
                for i in range(n):
                    rest = np.arange(n) != i
                    centre, mean = z[rest].mean(axis=0), of.y[rest].mean()
                    w = np.linalg.solve((z[rest] - centre).T @ (z[rest] - centre) + n * 2.0 ** k * np.eye(d), (z[rest] - centre).T @ (of.y[rest] - mean))
                    off.append(of.y[i] - mean - (z[i] - centre) @ w)
                errors[k] = np.square(off).mean()
            best = min(errors, key=errors.get)
            self.assertLess(best, 8)
            expected = np.linalg.solve(z.T @ z + n * 2.0 ** best * np.eye(d), z.T @ (of.y - of.y.mean())) / x.std(axis=0)
            weights, bias = leave_one_out_ridge(of)
            np.testing.assert_allclose(weights, expected, rtol=1e-6)
            self.assertAlmostEqual(bias, of.y.mean() - expected @ x.mean(axis=0), places=6)

    def test_noise_is_predicted_by_the_mean(self):
        of = table(40, 3)
        y = np.tile([1.0, 2.0], 20)
        weights, bias = leave_one_out_ridge(Table(np.tile(of.x[:20], (2, 1)) * 0 + np.arange(3, dtype=np.float32), y))
        np.testing.assert_array_equal(weights, np.zeros(3))
        self.assertEqual(bias, 1.5)


class ClassesTest(unittest.TestCase):
    def test_scores_by_hand(self):
        scores = references.class_scores(np.array([[0.8, 0.2], [0.6, 0.4]]), np.array([0, 1]))
        self.assertAlmostEqual(scores["error"], 0.5)
        self.assertAlmostEqual(scores["brier"], (2 * 0.04 + 2 * 0.36) / 2)
        self.assertAlmostEqual(scores["log_loss"], -(np.log(0.8) + np.log(0.4)) / 2)

    def test_peers_tell_apart_what_is_apart(self):
        random = np.random.default_rng(1)
        y = np.repeat([1.0, 2.0, 5.0], 60)
        of = Table((random.normal(size=(180, 2)) + 6 * np.array([[1, 0], [0, 1], [1, 1]])[np.arange(180) // 60]).astype(np.float32), y)
        for name in ("LDA", "logistic"):
            self.assertLess(references.peer_scores(name, of, of)["error"], 0.05, name)

    def test_directions_of_small_variance(self):
        """The label hangs on the difference of two attributes that are nearly equal."""
        random = np.random.default_rng(1)
        base = random.normal(size=2000)
        off = 0.1 * np.sign(random.normal(size=2000))
        explained, small = references.directions(Table(np.column_stack((base + off, base - off)).astype(np.float32), np.sign(off)))
        self.assertGreater(explained, 0.99)
        self.assertGreater(small, 0.99)


if __name__ == "__main__":
    unittest.main()
