"""Data sets of the laboratory: where they come from, how they are split and scaled, and what is refused."""

import gzip
import os
import struct
import subprocess
import unittest

import numpy as np

from glimpsed.lab import data
from glimpsed.lab.data import DataOptions, Sets, Table, load
from glimpsed.lab.xoshiro import Random, Randoms, shuffled
from lab_support import LabTest, needs


class RandomTest(unittest.TestCase):
    def test_numbers_are_the_librarys(self):
        random = Random(1)
        self.assertEqual([random.bits() for _ in range(3)], [0xCFC5D07F6F03C29B, 0xBF424132963FE08D, 0x19A37D5757AAF520])

    def test_sequences_side_by_side_are_those_alone(self):
        many, alone = Randoms(np.array([0, 1, 2 ** 64 - 1], dtype=np.uint64)), [Random(0), Random(1), Random(2 ** 64 - 1)]
        for _ in range(5):
            self.assertEqual(many.bits().tolist(), [one.bits() for one in alone])
        self.assertEqual(many.nearly_normal().tolist(), [one.nearly_normal() for one in alone])

    def test_an_order_has_every_row_once_and_depends_on_the_seed(self):
        self.assertEqual(sorted(shuffled(100, 3).tolist()), list(range(100)))
        self.assertEqual(shuffled(100, 3).tolist(), shuffled(100, 3).tolist())
        self.assertNotEqual(shuffled(100, 3).tolist(), shuffled(100, 4).tolist())
        self.assertEqual(shuffled(1, 3).tolist(), [0])


class SimulatedTest(unittest.TestCase):
    @unittest.skipUnless(os.environ.get("GLIMPSE_GEN"), "GLIMPSE_GEN names no glimpse-gen")
    def test_sets_are_those_of_glimpse_gen(self):
        for kind, alpha, seed in (("ridge", -1, 1), ("lasso", -0.5, 7)):
            with self.subTest(kind=kind):
                text = subprocess.run([os.environ["GLIMPSE_GEN"], "--set", kind, "--alpha", str(alpha), "--dimension", "30", "--examples", "50", "--seed", str(seed),
                                       "--format", "csv"], capture_output=True, text=True, check=True).stdout
                cells = np.array([[float(cell) for cell in line.split(",")] for line in text.split() if line[0] in "-0123456789"])
                made = data.bernoulli(kind, alpha, 30, 50, seed)
                np.testing.assert_array_equal(np.column_stack((made.y, made.x)), cells)

    def test_ratios_are_the_papers(self):
        for alpha, ridge, lasso in ((0, 1, 1), (-0.5, 0.91, 0.086), (-1, 0.55, 0.014), (-2, 0.05, 0.0033)):
            with self.subTest(alpha=alpha):
                of_ridge = data.improvement_ratios(data.second_moments(data.bernoulli("ridge", alpha, 500, 20000, 1).x))[0]
                self.assertAlmostEqual(of_ridge, ridge, delta=0.02)
                of_lasso = data.improvement_ratios(data.second_moments(data.bernoulli("lasso", alpha, 500, 20000, 1).x))[1]
                self.assertAlmostEqual(of_lasso, lasso, delta=0.02)

    def test_ratios_by_hand(self):
        self.assertEqual(data.improvement_ratios(np.array([4.0, 1.0])), (0.9, 0.625))  # (2 + 1)^2/(2*5), 5/(2*4)
        self.assertEqual(data.improvement_ratios(np.zeros(3)), (0, 0))
        np.testing.assert_allclose(data.second_moments(np.array([[1, 2], [3, 0]], dtype=np.float32)), [5, 2])

    def test_lengths_dimension_and_seed_are_those_asked_for(self):
        sets = load(DataOptions("simulated:ridge:-1:40", examples=30, test_examples=20)).prepare(1)
        self.assertEqual((sets.train.x.shape, sets.test.x.shape), ((30, 40), (20, 40)))
        other = load(DataOptions("simulated:ridge:-1:40", examples=30, test_examples=20, data_seed=2)).prepare(1)
        self.assertFalse(np.array_equal(sets.train.x, other.train.x))

    def test_factors_explain_nine_tenths_of_the_label(self):
        made = data.factors(3, 40, 4000, 1)
        x = made.x.astype(float)
        w = np.linalg.lstsq(x, made.y, rcond=None)[0]
        explained = 1 - np.square(made.y - x @ w).mean() / made.y.var()
        self.assertGreater(explained, 0.75)
        self.assertLess(explained, 0.9)
        self.assertAlmostEqual(made.y.var(), 1 / 0.9, delta=0.1)


class ScalingTest(unittest.TestCase):
    def setUp(self):
        self.sets = Sets(Table(np.array([[3, 4, 0], [1, -2, 0]], dtype=np.float32), np.array([1.0, 3.0])),
                         Table(np.array([[6, 8, 5]], dtype=np.float32), np.array([4.0])))

    def test_factors_come_from_the_training_set_alone(self):
        norm = data.scaled(self.sets, "norm")
        np.testing.assert_allclose(norm.train.x[0], [0.6, 0.8, 0], rtol=1e-6)
        np.testing.assert_allclose(norm.test.x[0], [1.2, 1.6, 1], rtol=1e-6)
        largest = data.scaled(self.sets, "maxabs")
        np.testing.assert_allclose(largest.train.x, [[1, 1, 0], [1 / 3, -0.5, 0]], rtol=1e-6)
        np.testing.assert_allclose(largest.test.x[0], [2, 2, 5], rtol=1e-6)
        centred = data.scaled(self.sets, "centred")
        np.testing.assert_allclose(centred.train.x, [[1, 3, 0], [-1, -3, 0]])
        np.testing.assert_allclose(centred.test.x[0], [4, 7, 5])
        both = data.scaled(self.sets, "maxabs-norm")
        np.testing.assert_allclose(both.train.x[0], np.array([1, 1, 0]) / np.sqrt(2), rtol=1e-6)

    def test_standardised_labels_have_mean_0_and_variance_1(self):
        made = data.standardised(self.sets)
        np.testing.assert_allclose(made.train.y, [-1, 1])
        np.testing.assert_allclose(made.test.y, [2])
        equal = data.standardised(Sets(Table(self.sets.train.x, np.array([0.1, 0.1])), self.sets.test))
        np.testing.assert_array_equal(equal.train.y, [0, 0])


class TableTest(LabTest):
    def table(self, rows=20):
        return self.write("table.csv", "".join(f"{i},{i}.5,{-i}\n" for i in range(rows)))

    def test_csv_and_svmlight_give_the_same_rows(self):
        plain = load(DataOptions(self.write("a.csv", "1,0,2.5\n-1,3,0\n" * 10))).prepare(1)
        sparse = load(DataOptions(self.write("a.svm", "1 2:2.5\n-1 1:3\n" * 10))).prepare(1)
        with gzip.open(self.path("a.csv.gz"), "wt") as file:
            file.write("1,0,2.5\n-1,3,0\n" * 10)
        packed = load(DataOptions(self.path("a.csv.gz"))).prepare(1)
        for other in (sparse, packed):
            np.testing.assert_array_equal(plain.train.x, other.train.x)
            np.testing.assert_array_equal(plain.train.y, other.train.y)

    def test_the_label_may_be_in_another_column(self):
        for column, first in (("first", [0.5, 0]), ("last", [0, 0.5]), ("#2", [0, 0])):
            source = load(DataOptions(self.table(), label_column=column))
            row = np.flatnonzero(source._whole.train.x[:, 0] == first[0])[0]
            np.testing.assert_array_equal(source._whole.train.x[row], np.array(first, dtype=np.float32) + 0)

    def test_a_file_is_split_by_share_and_seed(self):
        source = load(DataOptions(self.table(), test_share=0.3, split_seed=None))
        self.assertTrue(source.resplits)
        self.assertEqual(source.training_size, 14)
        one, other = source.prepare(1), source.prepare(2)
        self.assertEqual(sorted([*one.train.y, *one.test.y]), list(range(20)))
        self.assertNotEqual(sorted(one.test.y), sorted(other.test.y))
        order = shuffled(20, 1)
        np.testing.assert_array_equal(one.test.y, order[:6])
        np.testing.assert_array_equal(one.train.y, order[6:])
        fixed = load(DataOptions(self.table()))  # a tenth, the same for all seeds
        self.assertEqual((fixed.training_size, fixed.resplits), (18, False))
        np.testing.assert_array_equal(fixed.prepare(1).test.y, fixed.prepare(2).test.y)
        self.assertEqual(load(DataOptions(self.table(), examples=5)).training_size, 5)

    def test_one_label_against_the_rest(self):
        made = load(DataOptions(self.write("c.csv", "1,5\n2,6\n3,7\n" * 5), positive=2)).prepare(1)
        self.assertEqual(set(made.train.y), {-1, 1})
        np.testing.assert_array_equal(made.train.y == 1, made.train.x[:, 0] == 6)

    def test_what_cannot_be_is_refused(self):
        for options, says in ((DataOptions("simulated:ridge:x"), "simulated:ridge:ALPHA"), (DataOptions("simulated:other:1"), "simulated:ridge:ALPHA"),
                              (DataOptions("mnist:3"), "mnist:3,5"), (DataOptions("mnist:3,3"), "two digits"),
                              (DataOptions(self.table(), label_column="#4"), "no column #4"), (DataOptions(self.table(), scale="x"), "maxabs-norm"),
                              (DataOptions(self.table(), test_share=1.5), "between 0% and 100%"), (DataOptions(self.write("p.csv", "1,2\n" * 20), positive=99), "0 of 20"),
                              (DataOptions("simulated:ridge:-1", positive=1), "--positive is for files"),
                              (DataOptions(self.table(), largest_dimension=1), "more than 1"),
                              (DataOptions(self.write("words.csv", "1,a\n2,b\n")), "whole examples of numbers"),
                              (DataOptions(self.write("nan.csv", "1,2\n2,nan\n")), "line 2, column 2"), (DataOptions(self.write("one.csv", "1,2\n")), "leaves no examples")):
            with self.subTest(says=says), self.assertRaisesRegex(ValueError, says):
                load(options)
        with self.assertRaises(FileNotFoundError):
            load(DataOptions(self.path("none.csv")))


class MnistTest(LabTest):
    def folder_of(self, digits):
        """A folder like MNIST's, of images of 2 x 2."""
        for part in ("train", "t10k"):
            pixels = bytes(range(4 * len(digits)))
            with open(self.path(f"{part}-images-idx3-ubyte"), "wb") as file:
                file.write(struct.pack(">4I", 0x803, len(digits), 2, 2) + pixels)
            with open(self.path(f"{part}-labels-idx1-ubyte"), "wb") as file:
                file.write(struct.pack(">2I", 0x801, len(digits)) + bytes(digits))
        return self.folder

    def test_a_pair_is_minus_1_and_1_and_pixels_are_from_0_to_1(self):
        folder = self.folder_of([3, 7, 5])
        made = load(DataOptions(f"mnist:5,3:{folder}", scale="none")).prepare(1)
        np.testing.assert_array_equal(made.train.y, [1, -1])
        np.testing.assert_allclose(made.train.x[1], np.array([8, 9, 10, 11]) / 255, rtol=1e-6)
        self.assertEqual(load(DataOptions(f"mnist:all:{folder}", scale="none")).prepare(1).train.y.tolist(), [3, 7, 5])

    def test_files_that_are_cut_are_refused(self):
        folder = self.folder_of([3, 5])
        with open(self.path("train-labels-idx1-ubyte"), "r+b") as file:
            file.truncate(9)
        with self.assertRaisesRegex(ValueError, "tools/fetch-mnist"):
            load(DataOptions(f"mnist:3,5:{folder}"))

    @needs("GLIMPSE_MNIST")
    def test_as_it_ships(self):
        made = load(DataOptions("mnist:3,5")).prepare(1)
        self.assertEqual((len(made.train), len(made.test)), (11552, 1902))
        self.assertAlmostEqual(float(np.sqrt(np.square(made.train.x).sum(axis=1).max())), 1, delta=1e-6)
        ridge, lasso = data.improvement_ratios(data.second_moments(made.train.x))
        self.assertAlmostEqual(ridge, 0.470, delta=0.001)
        self.assertAlmostEqual(lasso, 0.190, delta=0.001)


if __name__ == "__main__":
    unittest.main()
