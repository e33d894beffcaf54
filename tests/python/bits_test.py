"""An estimator learns what the daemon learns, to the bit, and each goes on from the other's checkpoint."""

import os
import pickle
import unittest

import numpy as np

from glimpsed import GlimpseClassifier, GlimpseRegressor
from package_support import PackageTest, linear_set


class BitsTest(PackageTest):
    def check_same(self, X, y, model, *options):
        daemon = self.learn_f32(X, y, *options, state=str(len(os.listdir(self.folder))))
        model.save(self.path("mine.safetensors"))
        self.assert_same_bits(self.path("mine.safetensors"), daemon)
        return daemon

    def test_regression_has_the_daemons_bits(self):
        X, y = linear_set(3000, 40)
        self.check_same(X, y, GlimpseRegressor(budget=5, seed=7).fit(X, y), "--budget", "5", "--seed", "7")
        wide = GlimpseRegressor(budget=5, seed=7).fit(X.astype(np.float64), y.astype(np.float64))
        wide.save(self.path("wide.safetensors"))
        self.assert_same_bits(self.path("wide.safetensors"), self.path("mine.safetensors"))

    def test_so_have_other_algorithms_and_options(self):
        X, y = linear_set(3000, 40)
        for algorithm, more in (("two-phase-ddaerr", {}), ("pairwise-screened", {"active": 10}),
                                ("aelr", {"radius": 3}), ("apple", {}), ("pairwise", {"half_life": 500, "drift": "auto"})):
            with self.subTest(algorithm=algorithm, more=more):
                options = ["--algorithm", algorithm, "--budget", "6", "--seed", "2"]
                for name, value in more.items():
                    options += ["--" + name.replace("_", "-"), str(value)]
                model = GlimpseRegressor(budget=6, algorithm=algorithm, seed=2, options=more)
                self.check_same(X, y, model.fit(X, y), *options)

    def test_so_have_those_that_know_the_moments(self):
        X, y = linear_set(2000, 10)
        with open(self.path("moments.csv"), "w", encoding="utf-8") as file:
            file.write("attribute,second_moment\n" + "".join(f"{i},{1 + i / 10}\n" for i in range(10)))
        for algorithm, more in (("ddaerr", {}), ("ddaelr", {"radius": 4})):
            with self.subTest(algorithm=algorithm):
                options = {"moments": self.path("moments.csv"), **more}
                model = GlimpseRegressor(budget=4, algorithm=algorithm, options=options).fit(X[:1000], y[:1000])
                arguments = ["--algorithm", algorithm, "--budget", "4"]
                for name, value in options.items():
                    arguments += ["--" + name, str(value)]
                half = self.learn_f32(X[:1000], y[:1000], *arguments, state=algorithm + "-half")
                for copy in (pickle.loads(pickle.dumps(model)), GlimpseRegressor.load(half)):
                    self.check_same(X, y, copy.partial_fit(X[1000:], y[1000:]), *arguments)
                with self.assertRaisesRegex(ValueError, f"'{algorithm}' knows the second moments .* 'two-phase-{algorithm}'"):
                    GlimpseRegressor(budget=4, algorithm=algorithm, options=more).fit(X, y)
        with self.assertRaisesRegex(ValueError, "moments"):
            GlimpseRegressor(options={"moments": self.path("moments.csv")}).fit(X, y)
        with self.assertRaises(FileNotFoundError):
            GlimpseRegressor(algorithm="ddaerr", options={"moments": self.path("none")}).fit(X, y)

    def test_questions_in_between_change_nothing(self):
        X, y = linear_set(3000, 40)
        model = GlimpseRegressor(budget=5, seed=7)
        for begin in range(0, 3000, 250):
            model.partial_fit(X[begin:begin + 250], y[begin:begin + 250])
            model.predict(X[:3])
            self.assertEqual(len(model.coef_) + len(model.standard_errors_) + len(model.importances_), 120)
            model = pickle.loads(pickle.dumps(model))
        self.check_same(X, y, model, "--budget", "5", "--seed", "7")

    def test_rows_of_every_layout_are_read_where_they_lie(self):
        X, y = linear_set(1000, 12)
        GlimpseRegressor(budget=3).fit(X, y).save(self.path("plain.safetensors"))
        padded = np.zeros((1000, 24), np.float32)
        padded[:, ::2] = X
        for view in (np.asfortranarray(X), padded[:, ::2], X[::-1].copy()[::-1]):
            self.assertFalse(view.flags.c_contiguous)
            GlimpseRegressor(budget=3).fit(view, y).save(self.path("view.safetensors"))
            self.assert_same_bits(self.path("plain.safetensors"), self.path("view.safetensors"))

    def test_classes_have_the_daemons_bits(self):
        X, y = linear_set(3000, 20)
        digits = np.digitize(y, [0, 2]) * 3 + 1
        model = GlimpseClassifier(budget=5, seed=7).fit(X, digits)
        daemon = self.check_same(X, digits, model, "--budget", "5", "--seed", "7", "--classes", "1,4,7")
        loaded = GlimpseClassifier.load(daemon)
        self.assertEqual(loaded.classes_.tolist(), [1, 4, 7])
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))

    def test_values_beyond_all_measure_are_not_known(self):
        X, y = linear_set(1500, 10)
        X[np.random.default_rng(1).random(X.shape) < 0.01] = 1e35
        model = GlimpseRegressor(budget=4).fit(X, y)
        self.check_same(X, y, model, "--budget", "4")
        unknown = np.where(X > 1e30, np.nan, X)
        np.testing.assert_array_equal(model.predict(X), model.predict(unknown))

    def test_weights_are_importances(self):
        X, y = linear_set(2000, 10)
        weights = np.where(np.arange(2000) % 2 == 0, 1.0, 3.0)
        lines = []
        for row, label, weight in zip(X.tolist(), y.tolist(), weights.tolist()):
            values = " ".join(f"{place}:{value!r}" for place, value in enumerate(row))
            lines.append(f"{label!r} {weight} | {values}")
        with open(self.path("rows.vw"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        self.run_daemon("--format", "vw", "--dimension", "10", "--budget", "3", "--input", self.path("rows.vw"))
        model = GlimpseRegressor(budget=3).fit(X, y, sample_weight=weights)
        loaded = GlimpseRegressor.load(self.path("state"))
        np.testing.assert_array_equal(loaded.coef_, model.coef_)
        self.assertNotEqual(loaded.coef_.tolist(), GlimpseRegressor(budget=3).fit(X, y).coef_.tolist())


class GoesOnTest(PackageTest):
    def test_each_goes_on_where_the_other_was(self):
        X, y = linear_set(4000, 30)
        options = ("--budget", "5", "--seed", "7")
        whole = GlimpseRegressor(budget=5, seed=7).fit(X, y)
        whole.save(self.path("whole.safetensors"))
        half = self.learn_f32(X[:2000], y[:2000], *options)
        loaded = GlimpseRegressor.load(half).partial_fit(X[2000:], y[2000:])
        loaded.save(self.path("theirs-and-mine.safetensors"))
        self.assert_same_bits(self.path("theirs-and-mine.safetensors"), self.path("whole.safetensors"))

        os.mkdir(self.path("begun"))
        GlimpseRegressor(budget=5, seed=7).fit(X[:2000], y[:2000]).save(self.path("begun"))
        self.assertIn("checkpoint-000000000001-2000.safetensors", os.listdir(self.path("begun")))
        after = self.learn_f32(X[2000:], y[2000:], *options, state="begun", name="rest.f32")
        self.assert_same_bits(after, self.path("whole.safetensors"))

    def test_a_folder_gets_the_next_checkpoint(self):
        X, y = linear_set(200, 5)
        self.learn_f32(X, y, "--budget", "3")
        model = GlimpseRegressor.load(self.path("state")).partial_fit(X, y)
        self.assertIn("-400.safetensors", model.save(self.path("state")))
        self.assertEqual(GlimpseRegressor.load(self.path("state")).examples_learned_, 400)

    def test_what_cannot_be_loaded_says_why(self):
        X, y = linear_set(200, 5)
        path = GlimpseRegressor(budget=3).fit(X, y).save(self.path("numbers.safetensors"))
        with self.assertRaisesRegex(ValueError, "a regression: load it as a GlimpseRegressor"):
            GlimpseClassifier.load(path)
        with open(path, "r+b") as file:
            file.seek(-1, 2)
            file.write(b"\x7f")
        with self.assertRaisesRegex(ValueError, "checksum"):
            GlimpseRegressor.load(path)
        with self.assertRaises(FileNotFoundError):
            GlimpseRegressor.load(self.folder + "/none")


if __name__ == "__main__":
    unittest.main()
