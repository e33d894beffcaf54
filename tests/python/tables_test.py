"""Tables of pandas and Arrow: names, categories, values that are not known; what is refused, and how."""

import os
import pickle
import threading
import time
import tracemalloc
import unittest
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa

from glimpsed import GlimpseClassifier, GlimpseRegressor, _core
from package_support import PackageTest, linear_set, newest_of


def rides(rows=1500, seed=1):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "hour": random.integers(0, 24, rows), "temperature": np.round(random.uniform(0, 30, rows), 1),
        "weather": pd.Categorical(random.choice(["clear", "cloudy", "rain"], rows)),
        "day": random.choice(["mon", "sun"], rows)})
    frame["rides"] = 90 + 3 * frame.hour + 8 * frame.temperature - 25 * (frame.weather == "rain") + 9 * (frame.day == "sun")
    return frame


class TablesTest(PackageTest):
    def test_names_and_categories_have_the_daemons_bits(self):
        frame = rides()
        model = GlimpseRegressor(budget=3, seed=5).fit(frame.drop(columns="rides"), frame.rides)
        self.assertEqual(model.feature_names_in_.tolist(), ["hour", "temperature", "weather", "day"])
        self.assertEqual(sorted(model.slot_names_[4:]),
                         ["day=mon", "day=sun", "weather=clear", "weather=cloudy", "weather=rain"])
        self.assertGreater(model.score(frame.drop(columns="rides"), frame.rides), 0.97)
        frame.to_csv(self.path("rides.csv"), index=False)
        self.run_daemon("--label", "rides", "--budget", "3", "--seed", "5", "--input", self.path("rides.csv"))
        model.save(self.path("mine.safetensors"))
        loaded = GlimpseRegressor.load(self.path("state"))
        np.testing.assert_array_equal(loaded.coef_, model.coef_)
        self.assertEqual(loaded.slot_names_, model.slot_names_)
        self.assert_same_bits(self.path("mine.safetensors"), newest_of(self.path("state")))

    def test_each_weight_has_a_name(self):
        random = np.random.default_rng(1)
        X = pd.DataFrame({"a": random.normal(size=900), "b": random.normal(size=900), "w": random.choice(list("abcdefgh"), 900),
                          "v": random.choice(list("abcdefg"), 900)})
        y = X.a * X.b + X.a
        for options, kind in (({}, X), ({"products": 2}, X[["a", "b"]]), ({"products": 3}, X[["a", "b"]])):
            model = GlimpseRegressor(budget=2, options=options, passes=5).fit(kind, y)
            with self.subTest(options):
                self.assertEqual(len(model.slot_names_), 19 if kind is X else 3 if options["products"] == 2 else len(model.coef_))
                self.assertEqual({len(model.coef_), len(model.standard_errors_)}, {len(model.slot_names_)})
                if kind is not X:
                    self.assertAlmostEqual(model.coef_[model.slot_names_.index("a*b")], 1, delta=0.3)
        model = GlimpseClassifier(budget=2).fit(X, X.w)
        self.assertEqual(model.coef_.shape, (8, len(model.slot_names_)))

    def test_errors_are_in_pythons_words(self):
        X = rides(50).drop(columns="rides")
        for wrong, message in (
                ({"options": {"half_lif": 3}}, r"^options: there is no 'half_lif'; did you mean 'half_life'\?$"),
                ({"options": {"dimension": 3}}, "^options: there is no 'dimension'"),
                ({"options": {"half_life": -3}}, "^half_life=-3: must be a whole number from 1"),
                ({"options": {"drift": "atuo"}}, r"^drift='atuo': must be one of off, auto; did you mean 'auto'\?$"),
                ({"algorithm": "pairwse"}, r"^algorithm='pairwse': must be .*; did you mean 'pairwise'\?$"),
                ({"budget_cost": 3}, "^budget_cost=3: needs costs, what"),
                ({"costs": {"wether": 1}}, "^costs: X has no attribute 'wether'; did you mean 'weather'")):
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                GlimpseRegressor(**wrong).fit(X, X.hour)
        with self.assertRaisesRegex(ValueError, "y='hours': X has no column, or several, of this name; did you mean 'hour'"):
            GlimpseRegressor().fit(pa.Table.from_pandas(X), "hours")

    def test_arrow_is_read_as_pandas_is(self):
        frame = rides()
        X = frame.drop(columns="rides")
        of_pandas = GlimpseRegressor(budget=3).fit(X, frame.rides)
        table = pa.Table.from_pandas(X, preserve_index=False)
        for arrow in (table, pa.concat_tables([table.slice(0, 700), table.slice(700)])):
            of_arrow = GlimpseRegressor(budget=3).fit(arrow, frame.rides)
            np.testing.assert_array_equal(of_arrow.coef_, of_pandas.coef_)
            np.testing.assert_array_equal(of_arrow.predict(arrow), of_pandas.predict(X))
            self.assertEqual(of_arrow.feature_names_in_.tolist(), X.columns.tolist())

    def test_values_that_are_not_known(self):
        frame = rides()
        X = frame.drop(columns="rides").astype({"hour": "Int64"})
        X.loc[::7, "hour"] = pd.NA
        X.loc[::5, "weather"] = np.nan
        X.loc[::3, "temperature"] = np.nan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of some rows nothing that is looked at is known
            model = GlimpseRegressor(budget=3).fit(X, frame.rides)
            arrow = GlimpseRegressor(budget=3).fit(pa.Table.from_pandas(X, preserve_index=False), frame.rides)
        np.testing.assert_array_equal(model.coef_, arrow.coef_)
        self.assertLess(model.attributes_revealed_, 3 * 1500 * 0.9)
        told, errors = model.predict(X, return_std=True)
        self.assertTrue(np.isfinite(told).all())
        whole = X.notna().all(axis=1).to_numpy()
        self.assertGreater(errors[~whole].mean(), 1.5 * errors[whole].mean())
        self.assertGreater(np.corrcoef(told[whole], frame.rides[whole])[0, 1], 0.97)

    def test_arrays_with_nan_are_those_of_the_daemon(self):
        X, y = linear_set(1500, 10)
        X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
        with self.assertWarnsRegex(UserWarning, "of 1500 examples were not learned from"):
            model = GlimpseRegressor(budget=4, seed=1).fit(X, y)
        model.save(self.path("mine.safetensors"))
        self.assert_same_bits(self.path("mine.safetensors"), self.learn_f32(X, y, "--budget", "4"))

    def test_words_that_say_missing_have_the_daemons_bits(self):
        frame = rides()
        frame["day"] = frame["day"].astype(object)
        for place, mark in enumerate(("", "NA", "?", "N/A", "null", "-", " ", " n/a ")):
            frame.loc[place + 3::40, "day"] = mark
        weather = np.asarray(frame["weather"], dtype=object)
        weather[5::11] = "?"
        frame["weather"] = pd.Categorical(weather)
        X = frame.drop(columns="rides")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = GlimpseRegressor(budget=3, seed=5).fit(X, frame.rides)
            arrow = GlimpseRegressor(budget=3, seed=5).fit(pa.Table.from_pandas(X, preserve_index=False), frame.rides)
        self.assertEqual(sorted(model.slot_names_[4:]),
                         ["day=mon", "day=sun", "weather=clear", "weather=cloudy", "weather=rain"])
        frame.to_csv(self.path("rides.csv"), index=False)
        self.run_daemon("--label", "rides", "--budget", "3", "--seed", "5", "--input", self.path("rides.csv"))
        model.save(self.path("mine.safetensors"))
        self.assert_same_bits(self.path("mine.safetensors"), newest_of(self.path("state")))
        np.testing.assert_array_equal(arrow.coef_, model.coef_)
        unknown = X.assign(day=X["day"].map(lambda day: day if day in ("mon", "sun") else None))
        np.testing.assert_array_equal(model.predict(X), model.predict(unknown))

    def test_numbers_among_marks_of_missing_ones_are_numbers(self):
        hour = pd.Series([8.0, "?", 12, None, "", 18.5] * 50, dtype=object)
        X = pd.DataFrame({"hour": hour, "noise": np.arange(300.0) % 7})
        y = np.arange(300.0) % 6
        told = GlimpseRegressor(budget=2).fit(X, y)
        plain = X.assign(hour=[8.0, np.nan, 12.0, np.nan, np.nan, 18.5] * 50)
        self.assertEqual(told.slot_names_, ["hour", "noise"])
        np.testing.assert_array_equal(told.predict(X), GlimpseRegressor(budget=2).fit(plain, y).predict(plain))

    def test_unknown_categories_say_nothing(self):
        frame = rides()
        X = frame.drop(columns="rides")
        model = GlimpseRegressor(budget=4).fit(X, frame.rides)
        other = X.head(5).assign(weather="hail")
        missing = X.head(5).assign(weather=pd.Categorical([None] * 5, categories=["rain"]))
        np.testing.assert_allclose(model.predict(other), model.predict(missing))

    def test_categories_beyond_the_limit_share_a_weight(self):
        X = pd.DataFrame({"place": [f"p{row % 50}" for row in range(2000)], "x": np.arange(2000.0)})
        y = (np.arange(2000) % 50).astype(float)
        few = GlimpseRegressor(budget=2).fit(X, y)
        all_of_them = GlimpseRegressor(budget=2, options={"max_categories": 60}).fit(X, y)
        self.assertEqual((len(few.slot_names_), len(all_of_them.slot_names_)), (2 + 33, 2 + 50))
        self.assertIn("place=(other)", few.slot_names_)
        self.assertGreater(all_of_them.score(X, y), few.score(X, y))

    def test_columns_are_checked(self):
        frame = rides()
        X = frame.drop(columns="rides")
        model = GlimpseRegressor(budget=3).fit(X, frame.rides)
        with self.assertRaisesRegex(ValueError, "feature names should match"):
            model.predict(X.rename(columns={"hour": "time"}))
        with self.assertRaisesRegex(ValueError, "holds numbers|is a number|numbers"):
            model.predict(X.assign(hour="noon"))
        with self.assertRaisesRegex(ValueError, "column 'day' is of type datetime64"):
            GlimpseRegressor().fit(X.assign(day=pd.Timestamp("2011-01-01")), frame.rides)
        with self.assertRaisesRegex(ValueError, "infinity: row 2, attribute 'temperature'"):
            GlimpseRegressor().fit(X.assign(temperature=np.where(np.arange(1500) == 2, np.inf, 1)), frame.rides)

    def test_classes_of_tables_go_through_pickles(self):
        frame = rides()
        X = frame.drop(columns="day")
        model = GlimpseClassifier(budget=4).fit(X, frame.day)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
        for one in (copy, model):
            one.partial_fit(X, frame.day)
        np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
        loaded = GlimpseClassifier.load(model.save(os.path.join(self.folder, "classes.safetensors")))
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


class ArraysTest(unittest.TestCase):
    def test_what_is_looked_at_is_checked(self):
        X, y = linear_set(300, 10)
        X[200, :] = np.inf
        with self.assertRaisesRegex(ValueError, "infinity: row 200, attribute 0"):
            GlimpseRegressor().fit(X, y)
        with self.assertRaisesRegex(ValueError, "infinite value: row 200, attribute"):
            GlimpseRegressor(validate="looked").fit(X, y)
        X[200, :] = 0
        X[201:, 3] = -np.inf
        with self.assertRaisesRegex(ValueError, "infinity: row 201, attribute 3"):
            GlimpseRegressor().fit(np.asfortranarray(X.astype(np.float64)), y)

    def test_an_infinite_number_is_found_wherever_it_is(self):
        random = np.random.default_rng(4)
        for dtype in (np.float32, np.float64):
            whole = np.full((90, 74), np.finfo(dtype).max, dtype)
            whole[::3], whole[1::3] = np.nan, -0.0
            layouts = {"C": whole, "Fortran": np.asfortranarray(whole), "rows": whole[::2], "columns": whole[:, 3:],
                       "reversed": whole[::-1, ::-1], "one row": whole[:1], "one column": whole[:, :1]}
            for layout, X in layouts.items():
                last = X.shape[0] - 1, X.shape[1] - 1
                for place in [(0, 0), last, *zip(random.integers(0, X.shape[0], 20), random.integers(0, X.shape[1], 20))]:
                    with self.subTest(dtype=dtype.__name__, layout=layout, place=place):
                        self.assertIsNone(_core.Rows.matrix(X).find_infinite())
                        before, X[place] = X[place], random.choice([-np.inf, np.inf])
                        self.assertEqual(_core.Rows.matrix(X).find_infinite(), place)
                        X[place] = before

    def test_parameters_are_named(self):
        X, y = linear_set(50, 5)
        for parameters, message in (({"budget": 1}, "budget"), ({"algorithm": "best"}, "algorithm='best'"),
                                    ({"options": {"half_lives": 3}}, "there is no 'half_lives'; did you mean 'half_life'"),
                                    ({"options": {"half_life": 0}}, "half_life=0"), ({"passes": 0}, "passes=0"),
                                    ({"validate": "no"}, "validate='no'"), ({"costs": [1, 2]}, "costs has 2 prices")):
            with self.subTest(**parameters), self.assertRaisesRegex(ValueError, message):
                GlimpseRegressor(**parameters).fit(X, y)
        for parameters, message in (({"budget": None}, "budget=None: must be a whole number"),
                                    ({"budget": float("inf")}, "budget=inf: must be a whole number"),
                                    ({"passes": "x"}, "passes='x': must be a whole number"),
                                    ({"costs": 3}, "costs=3: must be a price for each attribute"),
                                    ({"costs": "1"}, "costs='1': must be"), ({"costs": ["x"] * 5}, "the price 'x'"),
                                    ({"costs": [float("nan")] * 5}, "the price nan"),
                                    ({"costs": {0: (1, "a", 2)}}, "must be a price and the group"),
                                    ({"options": [1]}, r"options=\[1\]: must be a dictionary"),
                                    ({"clip": "x"}, "clip='x': must be"), ({"clip": None}, "clip=None: must be"),
                                    ({"clip": (0, "y")}, "clip=")):
            with self.subTest(**parameters), self.assertRaisesRegex(ValueError, message):
                GlimpseRegressor(**parameters).fit(X, y)
        numpys = GlimpseRegressor(costs={np.int64(3): np.float32(7.27), 1: np.int16(2), "*": 1}, budget=2).fit(X, y)
        python = GlimpseRegressor(costs={3: 7.27, 1: 2, "*": 1}, budget=2).fit(X, y)
        np.testing.assert_array_equal(numpys.coef_, python.coef_)
        with self.assertRaisesRegex(ValueError, "Expected (2D array|a 2-dimensional)"):
            GlimpseRegressor().fit(pd.Series(y), y)
        with self.assertRaisesRegex(ValueError, "cannot be read as a table"):
            GlimpseRegressor().fit(pa.chunked_array([y]), y)
        model = GlimpseClassifier(budget=1)
        with self.assertRaisesRegex(ValueError, "budget"):
            model.fit(X, y > 1)
        model.set_params(budget=3).partial_fit(X, y > 1, classes=[False, True])
        self.assertEqual(model.classes_.tolist(), [False, True])
        with self.assertRaisesRegex(ValueError, r"clip=\(3, 1\)"):
            GlimpseRegressor(clip=(3, 1)).fit(X, y).predict(X)
        self.assertLessEqual(GlimpseRegressor(clip=(0, 0.5)).fit(X, y).predict(X).max(), 0.5)

    def test_arrays_are_not_copied(self):
        X, y = linear_set(20000, 200)
        model = GlimpseRegressor().partial_fit(X[:10], y[:10])
        for array in (X, X.astype(np.float64), np.asfortranarray(X)):
            labels = y.astype(np.float64)
            tracemalloc.start()
            model.partial_fit(array, labels)
            GlimpseRegressor().fit(array, labels)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            self.assertLess(peak, array.nbytes / 8)

    def test_others_run_while_rows_are_learned(self):
        X, y = linear_set(400000, 50)
        done = threading.Event()
        learning = threading.Thread(target=lambda: (GlimpseRegressor().fit(X, y), done.set()))
        learning.start()
        turns = 0
        while not done.is_set():
            turns += 1
            time.sleep(0.001)
        learning.join()
        self.assertGreater(turns, 20)

    def test_threads_share_a_model(self):
        X, y = linear_set(20000, 50)
        model = GlimpseRegressor().partial_fit(X[:100], y[:100])
        threads = [threading.Thread(target=call) for call in
                   [lambda: model.partial_fit(X, y), lambda: model.predict(X)] * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(model.examples_learned_, 60100)


if __name__ == "__main__":
    unittest.main()
