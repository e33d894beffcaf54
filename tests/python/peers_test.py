"""The peers' own suites: check_estimator of scikit-learn and of River, whole; and the estimators at work in both."""

import os
import pickle
import unittest
import warnings

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # before scipy is imported: one check wants it

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import glimpsed.river
import river.checks
from glimpsed import GlimpseClassifier, GlimpseRegressor
from river import datasets, evaluate, metrics, preprocessing

# What cannot hold, with its reason: as on the package's page.
EXPECTED = {"check_sample_weight_equivalence_on_dense_data":
            "a row of weight 2 is looked at once, at other attributes than the same row twice"}


class SklearnTest(unittest.TestCase):
    def check(self, estimator):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = check_estimator(estimator, expected_failed_checks=EXPECTED, on_fail=None, on_skip=None)
        told = {result["check_name"]: result["status"] for result in results if result["status"] != "passed"}
        self.assertEqual(told, {name: "xfail" for name in EXPECTED})
        self.assertGreater(len(results), 50)

    def test_regressors_pass(self):
        for algorithm in ("auto", "pairwise-screened"):
            with self.subTest(algorithm=algorithm):
                self.check(GlimpseRegressor(algorithm=algorithm))

    def test_classifiers_pass(self):
        self.check(GlimpseClassifier())

    def test_pipelines_searches_and_cross_validation_work(self):
        X, y = load_diabetes(return_X_y=True)
        pipeline = make_pipeline(StandardScaler(), GlimpseRegressor(budget=5, passes=3))
        self.assertGreater(cross_val_score(pipeline, X, y).mean(), 0.35)
        search = GridSearchCV(pipeline, {"glimpseregressor__budget": [2, 10]}, n_jobs=2).fit(X, y)
        self.assertEqual(search.best_params_, {"glimpseregressor__budget": 10})
        TransformedTargetRegressor(GlimpseRegressor(), func=np.log, inverse_func=np.exp).fit(X, y).predict(X)

    def test_classifiers_are_scored(self):
        X, y = load_breast_cancer(return_X_y=True)
        self.assertGreater(cross_val_score(GlimpseClassifier(budget=8, passes=2), X, y, scoring="roc_auc").mean(), 0.95)
        self.assertGreater(cross_val_score(GlimpseClassifier(budget=8, passes=2), X, y).mean(), 0.9)


class RiverTest(unittest.TestCase):
    def check(self, model):
        checks = list(river.checks.yield_checks(model))
        self.assertGreater(len(checks), 20)
        for check in checks:
            with self.subTest(check=getattr(check, "__name__", check)):
                check(model.clone())
        river.checks.check_estimator(model)

    def test_regressors_pass(self):
        self.check(glimpsed.river.GlimpseRegressor())
        self.check(glimpsed.river.GlimpseRegressor(algorithm="two-phase-ddaerr"))

    def test_classifiers_pass(self):
        self.check(glimpsed.river.GlimpseClassifier())

    def test_pipelines_work_and_numbers_are_learned(self):
        error = evaluate.progressive_val_score(datasets.TrumpApproval().take(1000), preprocessing.StandardScaler() |
                                               glimpsed.river.GlimpseRegressor(budget=3), metrics.MAE())
        self.assertLess(error.get(), 2)

    def test_words_are_categories(self):
        model = glimpsed.river.GlimpseClassifier(budget=2)
        random = np.random.default_rng(1)
        right = 0
        for example in range(2000):
            x = {"sky": str(random.choice(["rain", "clear", "snow"])), "wind": random.normal(), "id": random.normal()}
            label = x["sky"] != "clear"
            proba = model.predict_proba_one(x)
            right += example >= 1000 and max(proba, key=proba.get) == label
            model.learn_one(x, bool(label))
        self.assertGreater(right, 980)
        self.assertLessEqual(model.attributes_revealed, 4000)
        self.assertIs(type(model.predict_one({"sky": "rain"})), bool)

    def test_words_that_say_missing_are_not_known(self):
        told, plain = (glimpsed.river.GlimpseRegressor(budget=2) for _ in range(2))
        for example in range(300):
            sky = ("rain", "?", "clear", "", "NA")[example % 5]
            known = sky if sky in ("rain", "clear") else None
            told.learn_one({"sky": sky, "wind": example % 7.0}, example % 5)
            plain.learn_one({"sky": known, "wind": example % 7.0}, example % 5)
        self.assertEqual(told.attributes_revealed, 300 + 120)
        for sky in ("rain", "?", "clear", " "):
            self.assertEqual(told.predict_one({"sky": sky, "wind": 3.0}),
                             plain.predict_one({"sky": sky if sky in ("rain", "clear") else None, "wind": 3.0}))

    def test_a_pickle_predicts_as_the_model_does_and_goes_on_alike(self):
        random = np.random.default_rng(2)
        rows = [{name: random.normal() for name in "abcd"} for _ in range(900)]
        model = glimpsed.river.GlimpseRegressor(budget=2)
        for count, x in enumerate(rows):
            model.learn_one(x, 2 * x["a"] - x["b"])
            if count == 500:
                model.predict_one(x)
            if count == 510:  # between two times that the model is solved for
                copy = pickle.loads(pickle.dumps(model))
                self.assertEqual(copy.predict_one(x), model.predict_one(x))
            if count > 510:
                copy.learn_one(x, 2 * x["a"] - x["b"])
                self.assertEqual(copy.predict_one(x), model.predict_one(x))

    def test_a_name_that_is_given_twice_is_refused(self):
        for budget in (2, 3):
            model = glimpsed.river.GlimpseRegressor(budget=budget)
            model.learn_one({"a": 1.0, "1": 2.0}, 1.0)
            with self.assertRaisesRegex(ValueError, "attribute '1' is given twice"):
                model.learn_one({1: 1.0, "a": 1.0, "1": 2.0}, 1.0)
            self.assertEqual(model.attributes_revealed, 2)
            model.learn_one({1: 1.0, "a": 1.0}, 1.0)

    def test_too_many_attributes_are_refused(self):
        model = glimpsed.river.GlimpseRegressor(max_attributes=3)
        model.learn_one({"a": 1, "b": 2, "c": 3}, 1)
        before = model.predict_one({"a": 3}), model.attributes_revealed
        with self.assertRaisesRegex(ValueError, "'d'"):
            model.learn_one({"a": 1, "d": 1}, 1)
        self.assertEqual((model.predict_one({"a": 3}), model.attributes_revealed), before)


if __name__ == "__main__":
    unittest.main()
