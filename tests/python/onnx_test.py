"""Linear models as ONNX, run by onnxruntime."""

import unittest

import numpy as np
import onnxruntime

from glimpsed import GlimpseClassifier, GlimpseRegressor
from package_support import PackageTest, linear_set


def run(model, X):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"X": X})[0]


class OnnxTest(PackageTest):
    def test_numbers_are_predicted_alike(self):
        X, y = linear_set(3000, 20)
        for clip in ("auto", "off", (-1.0, 1.5)):
            for algorithm in ("pairwise", "two-phase-ddaerr"):
                with self.subTest(clip=clip, algorithm=algorithm):
                    model = GlimpseRegressor(clip=clip, algorithm=algorithm).fit(X, y)
                    told = run(model.to_onnx(self.path("model.onnx")), X)
                    self.assertEqual(told.shape, (3000, 1))
                    np.testing.assert_allclose(told[:, 0], model.predict(X), rtol=1e-4, atol=1e-4)
                    with open(self.path("model.onnx"), "rb") as file:
                        saved = onnxruntime.InferenceSession(file.read()).run(None, {"X": X})[0]
                    np.testing.assert_array_equal(saved, told)

    def test_what_is_far_out_is_bounded_alike(self):
        X, y = linear_set(3000, 20)
        far = X[:200].copy()
        far[np.arange(200), np.arange(200) % 20] *= 1.4
        model = GlimpseRegressor().fit(X, y)
        np.testing.assert_allclose(run(model.to_onnx(), far)[:, 0], model.predict(far), rtol=1e-4, atol=1e-4)

    def check_means(self, model, far):
        """The graph's answers against those of the model, where missing values count as means."""
        reaches, means = model._session.reaches(), model._session.means()
        known = np.where(np.abs(far) <= 1e30, far, np.nan)
        if len(reaches):
            largest, low, high = reaches.T
            known = np.where((known < low) | (known > high), np.nan, known)
            known = np.clip(known, -1.5 * largest, 1.5 * largest)
        known = np.where(np.isnan(known), means, known)
        low, high = model._session.label_range()
        expected = np.clip(known @ model.coef_ + model.intercept_, low, high)
        told = run(model.to_onnx(), far)[:, 0]
        np.testing.assert_allclose(told, expected, rtol=1e-4, atol=1e-4)
        return told

    @staticmethod
    def with_wild(X, rows):
        far = X[:rows].copy()
        for row in range(rows):
            far[row, row % 7] = (np.nan, 1e6, -1e6, 3e38)[row % 4]
        return far

    def test_missing_and_wild_values_count_as_means_where_predict_does_so(self):
        for algorithm, dimension in (("two-phase-ddaerr", 20), ("pairwise", 230)):  # of 230 too many are known
            with self.subTest(algorithm=algorithm):
                X, y = linear_set(3000, dimension)
                X += 2  # of mean 0 nothing would be told
                model = GlimpseRegressor(algorithm=algorithm).fit(X, y)
                far = self.with_wild(X, 200)
                np.testing.assert_allclose(self.check_means(model, far), model.predict(far), rtol=1e-3, atol=1e-3)

    def test_wild_values_of_heavy_tails_count_as_means(self):
        random = np.random.default_rng(1)
        X = np.exp(2 * random.normal(size=(3000, 10))).astype(np.float32)
        y = X[:, 0] - X[:, 1] + random.normal(size=3000)
        model = GlimpseRegressor(budget=4).fit(X, y)
        _, low, high = model._session.reaches().T
        is_wild = ((X < low) | (X > high)).any(axis=1)
        self.assertGreater(is_wild.sum(), 0)
        told = self.check_means(model, X)
        np.testing.assert_allclose(told[~is_wild], model.predict(X[~is_wild]), rtol=1e-3, atol=1e-3)
        self.check_means(model, self.with_wild(X, 200))

    def test_classes_of_wild_rows_are_those_of_means(self):
        X, y = linear_set(3000, 20)
        X += 2
        for bins in ([0.5], [0, 2]):
            with self.subTest(classes=len(bins) + 1):
                model = GlimpseClassifier().fit(X, np.digitize(y, bins))
                far = self.with_wild(X, 200)
                _, low, high = model._session.reaches().T
                meant = np.where((far >= low) & (far <= high), far, model._session.means()).astype(np.float32)
                self.assertTrue((meant != far).any(axis=1).all())
                probabilities = run(model.to_onnx(), far)
                np.testing.assert_allclose(probabilities, model.predict_proba(meant), rtol=1e-3, atol=1e-4)

    def test_classes_are_as_probable(self):
        X, y = linear_set(3000, 20)
        for bins in ([0.5], [0, 2]):
            with self.subTest(classes=len(bins) + 1):
                model = GlimpseClassifier().fit(X, np.digitize(y, bins))
                probabilities = run(model.to_onnx(), X)
                np.testing.assert_allclose(probabilities, model.predict_proba(X), rtol=1e-4, atol=1e-5)
                np.testing.assert_array_equal(probabilities.argmax(axis=1), model.predict(X))
                if len(bins) == 1:
                    score = X @ model.coef_[0] + model.intercept_[0]
                    np.testing.assert_allclose(score, model.decision_function(X), rtol=1e-3, atol=1e-3)

    def test_what_is_not_told_says_so(self):
        X, y = linear_set(500, 4)
        import pandas as pd
        frame = pd.DataFrame(X).add_prefix("x").assign(word=np.where(X[:, 0] > 0, "a", "b"))
        with self.assertRaisesRegex(ValueError, "categories"):
            GlimpseRegressor().fit(frame, y).to_onnx()
        with self.assertRaisesRegex(ValueError, "products"):
            GlimpseRegressor(options={"products": 2}).fit(X, y).to_onnx()


if __name__ == "__main__":
    unittest.main()
