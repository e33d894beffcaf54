"""Apple and its rivals: expansions, shards, sets, and the figures of ABHLT14 on small sets."""

import unittest
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd

from glimpsed import _core
from glimpsed.lab import products, shards, sparse
from glimpsed.lab.learners import FULL_INFORMATION, Method
from lab_support import LabTest, rows_of


def examples_of(x, y):
    rows, columns = np.nonzero(x)
    return sparse._examples(rows, columns, np.asarray(x, dtype=float)[rows, columns], np.asarray(y, dtype=float))


def learner(expander, d, examples=1000, exponent=1.0, rate=4.0, bigrams=False, idempotent=False):
    return _core.PolynomialLearner(expander, exponent, bigrams, [idempotent] * d, examples, rate)


def all_rows(n):
    return np.arange(n, dtype=np.uint32)


class ExpansionTest(unittest.TestCase):
    def test_quad_and_cubic_have_each_monomial_once(self):
        made = examples_of([[2, 3, 5, 7, 11]] * 2, [1, 2])
        for expander, degree in (("lin", 1), ("quad", 2), ("cubic", 3)):
            one = learner(expander, 5)
            one.learn(made.text, all_rows(2))
            monomials = sum(len(list(combinations_with_replacement(range(5), n))) for n in range(1, degree + 1))
            self.assertEqual((one.mean_features, one.slots), (monomials, monomials))

    def test_the_square_of_an_attribute_that_is_0_or_one_other_number_is_no_feature(self):
        made = examples_of([[1, 1, 1], [1, 0, 1]], [1, 2])
        self.assertEqual(made.text.idempotent(all_rows(2)), [True] * 3)
        self.assertEqual(examples_of([[1, 1], [2, 1]], [1, 2]).text.idempotent(all_rows(2)), [False, True])
        one = learner("quad", 3, idempotent=True)
        one.learn(made.text, all_rows(2))
        self.assertEqual(one.mean_features, (6 + 3) / 2)

    def test_neighbours_have_a_pair_each(self):
        made = examples_of([[2, 0, 3, 5], [2, 1, 0, 5]], [1, 2])
        one = learner("lin", 4, bigrams=True)
        one.learn(made.text, all_rows(2))
        self.assertEqual(one.mean_features, 5)  # three attributes and two pairs of neighbours in each

    def test_a_label_with_a_product_is_learned_by_those_that_have_it_and_not_by_lin(self):
        random = np.random.default_rng(1)
        x = random.choice([-1.0, 1.0], size=(6000, 6))
        made = examples_of(x, x[:, 1] + 2 * x[:, 2] * x[:, 4])
        losses = {}
        for expander in ("lin", "quad", "cubic", "apple", "ssm"):
            one = learner(expander, 6, 5000, rate=1.0)
            one.learn(made.text, all_rows(5000))
            losses[expander] = np.square(one.predict(made.text, np.arange(5000, 6000, dtype=np.uint32)) - made.labels[5000:]).mean()
        self.assertGreater(losses.pop("lin"), 3)
        self.assertTrue(all(loss < 0.5 for loss in losses.values()), losses)

    def test_more_parents_make_more_features(self):
        random = np.random.default_rng(1)
        made = examples_of(random.normal(size=(1200, 8)), random.normal(size=1200))
        features = []
        for exponent in (0.125, 0.5, 1.0):
            one = learner("apple", 8, 1200, exponent)
            one.learn(made.text, all_rows(1200))
            features.append(one.mean_features)
        self.assertEqual(features, sorted(features))
        self.assertLess(features[0], features[2])

    def test_apple_of_the_laboratory_is_the_librarys(self):
        random = np.random.default_rng(1)
        x = random.normal(size=(600, 5)).astype(np.float32)
        y = x[:, 0] * x[:, 1] + x[:, 2].astype(float)
        made = examples_of(x, y)
        own = learner("apple", 5, 500)
        own.learn(made.text, all_rows(500))
        beginning = _core.Beginning()
        beginning.options = {"algorithm": "apple", "dimension": "5", "horizon": "500", "step": "4"}
        session = _core.Session.begin(beginning)
        session.learn(_core.Rows.matrix(x[:500]), y[:500], None)
        librarys = session.predict(_core.Rows.matrix(x[500:]), None, False, False)
        np.testing.assert_allclose(own.predict(made.text, np.arange(500, 600, dtype=np.uint32)), librarys, rtol=1e-9)
        self.assertIn("apple", FULL_INFORMATION)

    def test_rows_beyond_the_examples_and_unknown_expanders_are_refused(self):
        made = examples_of([[1, 2]] * 2, [1, 2])
        with self.assertRaises(IndexError):
            learner("lin", 2).learn(made.text, np.array([2], dtype=np.uint32))
        with self.assertRaises(ValueError):
            learner("other", 2)
        with self.assertRaises(ValueError):
            Method("other")


class ShardsTest(unittest.TestCase):
    def test_frozen_parents_are_those_told_and_no_epoch_adds_to_them(self):
        random = np.random.default_rng(1)
        made = examples_of(random.normal(size=(300, 4)), random.normal(size=300))
        one = learner("apple", 4, 300)
        one.freeze_parents([(1,), (1, 2)])
        one.learn(made.text, all_rows(300))
        self.assertEqual(one.parents(), [(1,), (1, 2)])

    def test_weights_become_means_by_their_evidence_and_parents_the_union(self):
        random = np.random.default_rng(1)
        made = examples_of(random.normal(size=(400, 4)), random.normal(size=400))
        team = [learner("apple", 4, 200) for _ in range(2)]
        for k, one in enumerate(team):
            one.learn(made.text, np.arange(200 * k, 200 * k + 200, dtype=np.uint32))
        parents = {*team[0].parents(), *team[1].parents()}
        shares = [{factors: rest for factors, *rest in one.shares()} for one in team]
        factors = next(f for f in shares[0] if len(f) == 1 and f in shares[1])
        (weight, evidence, _), (other, others, _) = shares[0][factors], shares[1][factors]
        shards.unite_parents(team)
        shards.average(team)
        self.assertEqual({*team[0].parents()}, parents)
        for one in team:
            self.assertAlmostEqual(dict((f, w) for f, w, *_ in one.shares())[factors], (weight * evidence + other * others) / (evidence + others))


class SetsTest(LabTest):
    def test_words_are_attributes_of_their_own_numbered_as_they_come(self):
        frame = pd.DataFrame({"a": ["x", "y", None, "x"], "b": [0.0, 2.0, 3.0, 4.0]})
        rows, columns, values = sparse.entries_of(frame)
        self.assertEqual(list(zip(rows.tolist(), columns.tolist(), values.tolist())), [(0, 0, 1), (1, 1, 1), (1, 2, 2), (2, 2, 3), (3, 0, 1), (3, 2, 4)])
        rows, columns, _ = sparse.entries_of(pd.DataFrame({"a": [1, 2, 1]}), all_are_words=True)
        self.assertEqual(columns.tolist(), [0, 1, 0])

    def test_labels_are_taken_as_a_set_says(self):
        def labels(kind, value, y):
            return sparse.labels_of(sparse.SparseSet("s", "f", "first", kind, value, "no"), np.array(y, dtype=float)).tolist()
        self.assertEqual(labels("class", "2", [1, 2, 3]), [-1, 1, -1])
        self.assertEqual(labels("at least", "2", [1, 2, 3]), [-1, 1, 1])
        self.assertEqual(labels("unit", "", [2, 4, 3]), [0, 1, 0.5])
        self.assertEqual(labels("number", "", [2, 4, 3]), [2, 4, 3])
        with self.assertRaisesRegex(ValueError, "all 2 labels are the same"):
            labels("class", "7", [1, 2])

    def test_hands_of_nothing(self):
        def nothing(*cards):
            return bool(sparse.is_nothing(np.array([[rank for rank, _ in cards]], dtype=np.int8), np.array([[suit for _, suit in cards]], dtype=np.int8))[0])
        self.assertTrue(nothing((0, 0), (2, 1), (4, 0), (6, 0), (8, 0)))
        self.assertFalse(nothing((0, 0), (0, 1), (4, 0), (6, 0), (8, 0)))  # a pair
        self.assertFalse(nothing((0, 0), (2, 0), (4, 0), (6, 0), (8, 0)))  # a flush
        self.assertFalse(nothing((3, 0), (2, 1), (4, 0), (6, 0), (5, 0)))  # a straight
        self.assertFalse(nothing((0, 0), (12, 1), (11, 0), (10, 0), (9, 0)))  # the highest, with an ace
        self.assertTrue(nothing((0, 0), (12, 1), (11, 0), (10, 0), (1, 0)))
        hands = sparse.poker_hands(20000, 1)
        self.assertAlmostEqual(float(np.mean(hands.labels > 0)), 0.5012, delta=0.015)

    def test_every_set_of_the_paper_has_its_row(self):
        papers = products.papers()
        self.assertEqual(len(papers), 30)
        self.assertEqual(papers["covtype"].errors["apple-1"], 0.2208)
        self.assertEqual(papers["covtype"].reversed(papers["covtype"].errors)["apple-1"], 0.2331)
        names = [of.set for of in sparse.sparse_sets()]
        self.assertEqual(len(names), len(set(names)))


class SummaryTest(unittest.TestCase):
    def summary(self, **errors):
        runs = [products.Run("s", name.replace("_", "-"), 1, 1, error, 0, seconds, 0, 1, 1, 0) for name, (error, seconds) in errors.items()]
        return products.summarise(pd.DataFrame(runs)).loc["s"]

    def test_relative_errors_and_times_by_hand(self):
        made = self.summary(lin=(0.4, 1), quad=(0.2, 4), cubic=(0.3, 9), apple_1=(0.1, 2), apple_2=(0.25, 3))
        self.assertAlmostEqual(made.relative_error["apple-1"], -0.5)
        self.assertAlmostEqual(made.relative_error["apple-best"], -0.5)
        self.assertEqual(made.relative_time["quad"], 4)
        self.assertNotIn("ssm-1", made.index)
        for equal_or_missing in ({"cubic": (0.4, 9)}, {}):
            self.assertTrue(np.isnan(self.summary(lin=(0.4, 1), quad=(0.4, 4), **equal_or_missing).relative_error["lin"]))

    def test_columns_of_alpha_are_nearer_to_the_papers_one_way_round(self):
        paper = products.Paper(1, {"lin": 1.0}, {"lin": 1.0, **{f"apple-{a:g}": a * 8 for a in products.EXPONENTS}})
        as_printed = self.summary(lin=(1, 1), **{f"apple_{a:g}": (1, a * 8) for a in products.EXPONENTS})
        self.assertTrue(products.columns_nearer(as_printed, paper, "seconds"))
        other = self.summary(lin=(1, 1), **{f"apple_{a:g}": (1, b * 8) for a, b in zip(products.EXPONENTS, products.EXPONENTS[::-1])})
        self.assertFalse(products.columns_nearer(other, paper, "seconds"))
        self.assertIsNone(products.columns_nearer(other, None, "seconds"))

    def test_methods_have_names(self):
        self.assertEqual([products.parse_method(name) for name in ("quad", "bigram", "apple-0.5", "bigram+apple-1")],
                         [("quad", 1, False), ("lin", 1, True), ("apple", 0.5, False), ("apple", 1, True)])


class FiguresTest(LabTest):
    def test_figures_of_small_sets_are_drawn_and_what_is_kept_is_not_run_again(self):
        random = np.random.default_rng(1)
        x = random.integers(0, 3, (120, 4))
        self.write("titanic.csv.gz", "")
        import gzip
        with gzip.open(self.path("titanic.csv.gz"), "wt") as file:
            file.write("".join(f"{1 if row[0] == row[1] else -1},{','.join(map(str, row))}\n" for row in x.tolist()))
        arguments = ["figure", "ablht-", "--only", "titanic", "--tables", self.folder, "--rates", "1,4", "--seeds", "1", "--jobs", "2", "--output-directory",
                     self.path("out")]
        self.lab(*arguments)
        rows = rows_of(self.read("out/ablht.csv").decode())
        self.assertEqual([row["method"] for row in rows], list(products.METHODS))
        self.assertTrue(all(0 <= row["error"] <= 1 and row["rate"] in (1, 4) and row["seconds"] > 0 for row in rows))
        for name in ("ablht-1.svg", "ablht-2.png", "ablht-3.svg", "ablht-4.svg", "ablht-4-time.svg", "ablht-7.png"):
            self.assertGreater(len(self.read(f"out/{name}")), 1000, name)
        page = self.read("out/ablht-table-2.md").decode()
        self.assertIn("| relative error below .5, alpha = 1 | 26 |", page)
        self.assertEqual(page.count("not at hand"), 30 - 18)
        self.assertEqual(len(rows_of(self.read("out/ablht-table-1.csv").decode())), 24)
        kept = self.read("out/ablht.jobs/results.jsonl")
        self.lab(*arguments)
        self.assertEqual(self.read("out/ablht.jobs/results.jsonl"), kept)
        self.assertIn("there is no such set", self.lab("figure", "ablht-1", "--only", "other", status=2))


if __name__ == "__main__":
    unittest.main()
