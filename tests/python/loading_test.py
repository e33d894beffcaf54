"""What a checkpoint tells becomes the parameters of the estimator that is loaded; what it does not tell has to be said."""

import fcntl
import os
import unittest

import numpy as np
from sklearn.base import clone

from glimpsed import GlimpseClassifier, GlimpseRegressor
from package_support import PackageTest, linear_set


class ParametersTest(PackageTest):
    def test_a_clone_of_what_save_wrote_learns_the_same_model(self):
        X, y = linear_set(1500, 12)
        for parameters in ({"seed": 7, "options": {"half_life": 500}}, {"seed": 3, "algorithm": "pairwise-screened",
                           "options": {"active": 8, "drift": "auto"}}, {"algorithm": "aelr", "options": {"radius": 2.5}}):
            with self.subTest(**parameters):
                model = GlimpseRegressor(budget=4, **parameters).fit(X, y)
                loaded = GlimpseRegressor.load(model.save(self.path("model.safetensors")))
                told = loaded.get_params()
                for name, value in {"budget": 4, **parameters}.items():
                    if name == "options":
                        value = {**told["options"], **value}
                    self.assertEqual(told[name], value)
                np.testing.assert_array_equal(clone(loaded).fit(X, y).coef_, model.coef_)
        usual = GlimpseRegressor.load(GlimpseRegressor(budget=4).fit(X, y).save(self.path("usual.safetensors")))
        self.assertEqual(usual.options, None)

    def test_so_does_one_of_a_daemons_checkpoint_that_is_told_the_seed(self):
        X, y = linear_set(1500, 12)
        daemon = self.learn_f32(X, y, "--budget", "4", "--seed", "7", "--half-life", "500")
        loaded = GlimpseRegressor.load(daemon, seed=7)
        self.assertEqual(loaded.options, {"half_life": 500})
        np.testing.assert_array_equal(clone(loaded).fit(X, y).coef_, loaded.coef_)

    def test_parameters_that_contradict_the_checkpoint_are_refused(self):
        X, y = linear_set(300, 6)
        path = GlimpseRegressor(budget=4, seed=7, options={"half_life": 500}).fit(X, y).save(self.path("m.safetensors"))
        for parameters, message in (({"budget": 2}, "budget=2: the checkpoint was made with 4"),
                                    ({"algorithm": "aerr"}, "algorithm='aerr': the checkpoint was made with pairwise"),
                                    ({"seed": 8}, "seed=8: the checkpoint was made with 7"),
                                    ({"options": {"half_life": 400}}, "half_life=400: the checkpoint was made with 500"),
                                    ({"options": {"products": 2}}, "products=2: the checkpoint was made without it"), ({"classes": [1, 2]}, "a regressor")):
            with self.subTest(**parameters), self.assertRaisesRegex(ValueError, message):
                GlimpseRegressor.load(path, **parameters)
        same = GlimpseRegressor.load(path, budget=4, algorithm="auto", seed=7, options={"half_life": 500.0, "drift": "off"}, clip="off")
        self.assertEqual(same.clip, "off")

    def test_categories_that_save_was_told_of_are_kept(self):
        X, y = linear_set(200, 4)
        model = GlimpseRegressor(options={"max_categories": 60}).fit(X, y)
        self.assertEqual(GlimpseRegressor.load(model.save(self.path("m.safetensors"))).options, {"max_categories": 60})


class ClassesTest(PackageTest):
    def test_labels_keep_their_type(self):
        X, y = linear_set(1000, 6)
        for labels in (y > 1, np.where(y > 1, "1", "0"), (y > 1).astype(int), np.where(y > 1, "a", "b"),
                       (y > 1).astype(float), np.where(y > 1, "1", "0").astype(object)):
            with self.subTest(labels=labels[:1]):
                model = GlimpseClassifier(budget=4).fit(X, labels)
                loaded = GlimpseClassifier.load(model.save(self.path("model.safetensors")))
                self.assertEqual(loaded.classes_.tolist(), model.classes_.tolist())
                self.assertEqual(loaded.classes_.dtype.kind, "U" if labels.dtype.kind == "O" else labels.dtype.kind)
                self.assertEqual(loaded.score(X, labels), model.score(X, labels))

    def test_of_a_daemons_checkpoint_they_are_named(self):
        X, y = linear_set(500, 6)
        daemon = self.learn_f32(X, y > 1, "--budget", "4", "--classes", "0,1")
        words = GlimpseClassifier.load(daemon, classes=["1", "0"])
        self.assertEqual(words.classes_.tolist(), ["0", "1"])
        self.assertEqual(words.score(X, np.where(y > 1, "1", "0")), GlimpseClassifier.load(daemon).score(X, y > 1))
        with self.assertRaisesRegex(ValueError, r"the checkpoint has the classes \['0', '1'\]"):
            GlimpseClassifier.load(daemon, classes=[False, True])
        with self.assertRaisesRegex(ValueError, r"name them to load\(\)"):
            words.score(X, y > 1)


class FoldersTest(PackageTest):
    def test_save_refuses_a_folder_on_which_a_daemon_runs(self):
        X, y = linear_set(200, 5)
        model = GlimpseRegressor(budget=3).fit(X, y)
        self.learn_f32(X, y, "--budget", "3")
        model.save(self.path("state"))
        before = sorted(os.listdir(self.path("state")))
        with open(self.path("state/lock"), "r+b") as lock:  # as the daemon does
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with self.assertRaisesRegex(BlockingIOError, "a daemon runs on this folder"):
                model.save(self.path("state"))
        self.assertEqual(sorted(os.listdir(self.path("state"))), before)
        model.save(self.path("state"))


if __name__ == "__main__":
    unittest.main()
