"""Linear models as ONNX, run by onnxruntime."""

import unittest

import numpy as np
import onnxruntime

from glimpse import GlimpseClassifier, GlimpseRegressor
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
