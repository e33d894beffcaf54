"""glimpsed.read(): models that glimpsectl or a daemon learned predict in Python what glimpsectl predict --model says, to the
bit, whatever holds the table."""

import csv
import io
import json
import os
import pickle
import random
import subprocess
import sys
import unittest

import matplotlib
import numpy as np
import pandas as pd
import pyarrow as pa

import glimpsed
from glimpsed import GlimpseRegressor
from package_support import PackageTest, linear_set, newest_of

matplotlib.use("svg")
COLUMNS = ("amount", "id", "day", "region", "price", "units", "discount", "open")


def sales(rows, seed=1, date="{0}/{1}/2024", number="${:,.2f}", classes=False):
    """A table as a shop would have it: an id, dates, words, money, marks for what is missing, truth values."""
    source = random.Random(seed)
    made = []
    for n in range(rows):
        day, month, region = source.randrange(1, 29), source.randrange(1, 13), source.choice(("north", "south", "a, b", "#x"))
        price, units = source.randrange(100, 200000) / 100, source.randrange(1, 50)
        amount = 3 * units + price / 10 + (50 if region == "north" else 0) + source.gauss(0, 5)
        label = ("high" if amount > 180 else "low") if classes else number.format(amount)
        made.append((label, n + 1000, date.format(day, month), region, number.format(price), "?" if n % 9 == 4 else units,
                     source.choice(("", "NA", "5%", "10%")), ("True", "False")[n % 2]))
    return made


def text_of(rows, delimiter=",", names=COLUMNS):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerows([names, *rows] if names else rows)
    return text.getvalue()


def money(cell):
    return float(cell.strip("$").replace(",", ""))


class FilesTest(PackageTest):
    """Tables, and what glimpsectl makes of them."""

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def ctl(self, *arguments):
        path = os.path.dirname(os.environ["GLIMPSE_BIN"]) + os.pathsep + os.environ["PATH"]
        done = subprocess.run([os.environ["GLIMPSECTL_BIN"], *map(str, arguments)], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PATH": path}, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fit(self, rows, *options, delimiter=","):
        table = self.write("sales.csv", text_of(rows, delimiter))
        self.ctl("fit", table, "--label", "amount", "-o", self.path("sales.glimpsed"), *options)
        return glimpsed.read(self.path("sales.glimpsed"))

    def told(self, path, *options, model="sales.glimpsed"):
        """The predictions of glimpsectl predict --model."""
        header, *lines = self.ctl("predict", path, "--model", self.path(model), *options).splitlines()
        self.assertEqual(header.split(",")[0], "prediction")
        return [line.split(",")[0] for line in lines]

    def assert_predicts(self, told, *predictions):
        for got in predictions:
            self.assertEqual([float(word) for word in told], got.tolist())


class ReadTest(FilesTest):
    def test_a_fitted_table_is_predicted_to_the_bit_from_whatever_holds_it(self):
        model = self.fit(sales(2000))
        self.assertEqual((model.label, model.names, model.examples), ("amount", list(COLUMNS[1:]), 2000))
        path = self.write("new.csv", text_of([row[1:] for row in sales(300, 2)], names=COLUMNS[1:]))
        told = self.told(path)
        frame = pd.read_csv(path)
        texts = pd.read_csv(path, dtype=str, keep_default_na=False)
        typed = frame.assign(day=pd.to_datetime(frame.day, format="%d/%m/%Y"), region=frame.region.astype("category"),
                             price=frame.price.str.replace("[$,]", "", regex=True).astype(float),
                             units=pd.to_numeric(frame.units, errors="coerce").astype("Int64"))
        self.assertEqual((frame.open.dtype, typed.day.dtype.kind, typed.units.isna().sum()), (np.bool_, "M", 33))
        self.assert_predicts(told, model.predict(frame), model.predict(texts), model.predict(typed),
                             model.predict(pa.Table.from_pandas(typed)), model.predict(texts.to_numpy()), model.predict(texts.to_numpy().tolist()),
                             model.predict({name: frame[name].tolist() for name in frame}),
                             model.predict({name: typed[name].to_numpy() for name in typed}))
        copy = pickle.loads(pickle.dumps(model))
        self.assert_predicts(told, copy.predict(frame))
        self.assertEqual((repr(copy), copy.weights, len(copy._history)), (repr(model), model.weights, len(model._history)))
        others = frame[[*reversed(frame.columns)]].rename(columns=" {}".format)
        self.assert_predicts(told, model.predict(others.assign(amount="?", shop=7)))
        self.assert_predicts(told[150:], model.predict(frame[150:]))
        errors = model.predict(frame, return_std=True)[1]
        self.assertGreater(errors[frame.units == "?"].min(), 2 * errors[(frame.units != "?") & frame.discount.notna()].max())

    def test_tables_of_other_marks_are_read_as_they_were_learned(self):
        rows = sales(1500, date="{0:02}.{1:02}.2024", number="{:.2f}")
        rows = [(*(str(cell).replace(".", ",") if place in (0, 4) else cell for place, cell in enumerate(row[:6])),
                 "-999" if n % 5 == 0 else n % 7, row[7]) for n, row in enumerate(rows)]
        model = self.fit(rows, "--", "--missing", "discount=-999", delimiter=";")
        path = self.write("new.csv", text_of([row[1:] for row in rows[:200]], ";", COLUMNS[1:]))
        told = self.told(path)
        frame = pd.read_csv(path, sep=";")
        self.assertEqual(frame.discount.dtype.kind, "i")
        self.assert_predicts(told, model.predict(frame), model.predict(frame.assign(discount=frame.discount.astype(float))))
        numbers = pd.read_csv(path, sep=";", decimal=",")
        self.assertEqual(numbers.price.dtype, float)
        listed = {name: [None if value != value else value for value in numbers[name].tolist()] for name in numbers}
        self.assert_predicts(told, model.predict(numbers), model.predict(listed))
        with self.assertRaisesRegex(ValueError, r"column 'price': '12\.5' is not a finite number"):
            model.predict(frame.assign(price="12.5"))  # as in a table

    def test_classes_are_predicted_by_name_with_probabilities(self):
        model = self.fit(sales(2000, classes=True))
        path = self.write("new.csv", text_of([row[1:] for row in sales(200, 3)], names=COLUMNS[1:]))
        frame = pd.read_csv(path)
        self.assertEqual(sorted(model.classes), ["high", "low"])
        self.assertEqual(model.predict(frame).tolist(), self.told(path))
        answer = json.loads(self.ctl("predict", path, "--model", self.path("sales.glimpsed"), "--json", "--predict", "label"))
        self.assertEqual(model.classes.tolist(), answer["classes"])
        self.assertEqual(model.predict_proba(frame).max(axis=1).tolist(), answer["probability"])
        told = model.explain(frame)
        self.assertEqual(told["class"].tolist(), self.told(path))
        np.testing.assert_allclose(told.prediction, np.ptp(np.log(model.predict_proba(frame)), axis=1), atol=1e-9)
        self.assertGreater(abs(model.weights["units"]), 0)
        with self.assertRaisesRegex(ValueError, "predict_proba"):
            model.predict(frame, return_std=True)

    def test_numbers_that_are_classes_are_numbers(self):
        rows = [(str(n % 3), n % 3 + n % 7 / 10) for n in range(600)]
        self.ctl("fit", self.write("t.csv", text_of(rows, names=("y", "x"))), "--label", "y", "-o", self.path("m"), "--", "--task", "classes")
        model = glimpsed.read(self.path("m"))
        got = model.predict({"x": [row[1] for row in rows]})
        self.assertEqual((got.dtype.kind, set(got.tolist()) <= {0, 1, 2}), ("i", True))
        with self.assertRaisesRegex(ValueError, "of more each class"):
            _ = model.weights

    def test_arrays_and_models_without_names_go_by_their_places(self):
        X, y = linear_set(1000, 6)
        checkpoint = self.learn_f32(X, y, "--budget", "3")
        model = glimpsed.read(self.path("state"))
        self.assertEqual((model.names, model.label), (["0", "1", "2", "3", "4", "5"], ""))
        wanted = GlimpseRegressor.load(checkpoint).predict(X)
        for table in (X, X.astype(float), X.tolist(), pd.DataFrame(X), np.asfortranarray(X)):
            np.testing.assert_array_equal(model.predict(table), wanted)
        with self.assertRaisesRegex(ValueError, "5 columns, and the model 6 attributes"):
            model.predict(X[:, 1:])

    def test_a_table_without_a_header_keeps_its_forms(self):
        rows = sales(800)
        path = self.write("rows.csv", text_of(rows, names=()))
        self.run_daemon("--input", path, "--label", "#1", "--ignore", "#2", "--budget", "all")
        model = glimpsed.read(self.path("state"))
        asked = self.write("asked.csv", text_of([("", *row[1:]) for row in rows[:100]], names=()))
        self.assert_predicts(self.told(asked, model="state"), model.predict(pd.DataFrame(rows[:100]).drop(columns=[0, 1])))

    def test_other_checkpoints_are_read(self):
        lines = "".join(json.dumps({"label": n % 5 + 2 * (n % 3) + n % 5 * (n % 3), "values": {"a": n % 5, "b": f"{n % 3}", "w": "xyz"[n % 3]}}) + "\n"
                        for n in range(600))
        path = self.write("lines.json", lines)
        for state, options in (("plain", ()), ("products", ("--products", "2")), ("apple", ("--algorithm", "apple")),
                               ("costs", ("--costs", self.write("prices", "* 1\n"), "--budget-cost", "3"))):
            with self.subTest(state):
                given = ("--ignore", "w") if state in ("products", "apple") else ()
                self.run_daemon("--input", path, "--dimension", "3", "--budget", "3", *options, *given, state=state)
                model = glimpsed.read(self.path(state))
                table = {name: [json.loads(line)["values"][name] for line in lines.splitlines()[:50]] for name in "abw"}
                asked = self.write("asked.json", "".join(
                    json.dumps({"values": dict(zip(table, row))}) + "\n" for row in zip(*table.values())))
                got = model.predict(table, missing_columns="allow")
                self.assertGreater(np.ptp(got), 1)
                if state == "products":  # which glimpsectl does not restore
                    X = np.array([[*map(float, row), np.nan] for row in zip(table["a"], table["b"])])
                    self.assertEqual(got.tolist(), GlimpseRegressor.load(self.path(state)).predict(X).tolist())
                    self.assertIn("a*b", model.weights)
                else:
                    self.assert_predicts(self.told(asked, model=state), got)

    def test_what_is_added_sums_up_to_the_prediction(self):
        model = self.fit(sales(2000))
        frame = pd.DataFrame(sales(300, 5), columns=COLUMNS, index=range(7, 307))
        told = model.explain(frame)
        self.assertEqual(told.columns.tolist(), ["at means", *model.names, "unknown", "clipped", "prediction"])
        self.assertEqual(told.index.tolist(), frame.index.tolist())
        self.assertEqual(told.prediction.tolist(), model.predict(frame).tolist())
        np.testing.assert_allclose(told.drop(columns="prediction").sum(axis=1), told.prediction, rtol=1e-9)
        self.assertTrue((told.units[frame.units == "?"] == 0).all())
        self.assertTrue((told.unknown[frame.units == "?"] != 0).all())
        north = told.region[frame.region == "north"]
        self.assertTrue(north.between(25, 50).all(), north)
        self.assertIsInstance(model.explain({name: frame[name].tolist() for name in frame})["region"], np.ndarray)

    def test_weights_and_importances_have_names(self):
        model = self.fit(sales(2000))
        self.assertEqual(list(model.importances)[:3], ["price", "units", "region"])
        self.assertGreater(model.importances["region"], 0.05)
        self.assertAlmostEqual(model.weights["units"], 3, delta=0.4)
        self.assertIn("region=a, b", model.weights)
        self.assertIn("day: Monday", model.weights)

    def test_columns_that_lack_are_named_and_extra_ones_passed_over(self):
        model = self.fit(sales(400))
        frame = pd.DataFrame(sales(20, 2), columns=COLUMNS)
        for wrong, message in (
                (frame.rename(columns={"price": "prise"}), "no column 'price', which missing_columns='allow' takes for unknown in "
                                                           "all rows; did you mean 'prise'[?]"),
                (frame[["day", "open"]], "'id', 'region', 'price', 'units', 'discount', which"),
                (frame[["amount"]], "no column 'id', 'day', 'region', 'price', 'units', 'discount', 'open'$"),
                (frame.assign(price="cheap"), "column 'price': 'cheap' is not a finite number"),
                (frame.assign(day="someday"), "column 'day': 'someday' is not a date or time"),
                (frame.assign(id=[1.0] * 19 + [np.inf]), "column 'id' has an infinite number: row 19"),
                (frame.iloc[:, [*range(8), 4]], "a column 'price' twice"),
                ({"a": [1], "b": [1, 2]}, "of one length; these have: {'a': 1, 'b': 2}"),
                (frame.price, "has no columns"), ([], "has no columns"), ({}, "of one length")):
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                model.predict(wrong)
        with self.assertRaisesRegex(ValueError, "missing_columns='ignore': must be 'refuse' or 'allow'"):
            model.predict(frame, missing_columns="ignore")
        path = self.write("part.csv", text_of([row[2:5] for row in sales(20, 2)], names=COLUMNS[2:5]))
        self.assert_predicts(self.told(path, "--", "--missing-columns", "allow"), model.predict(frame[["price", "day", "region"]], missing_columns="allow"))

    def test_files_that_are_no_model_are_refused(self):
        table = self.write("t.csv", text_of([(n % 7, n % 5, n % 3, n % 2) for n in range(100)], names=("y", "z", "x", "w")))
        for path, kind, message in ((self.path("nowhere"), FileNotFoundError, "nowhere"), (self.folder, FileNotFoundError, "no checkpoint"),
                                    (table, ValueError, "checkpoint")):
            with self.subTest(path), self.assertRaisesRegex(kind, message):
                glimpsed.read(path)
        self.run_daemon("--input", table, "--label", "y,z", "--budget", "2", state="two")
        with self.assertRaisesRegex(ValueError, "several labels"):
            GlimpseRegressor.load(self.path("two"))

    def fit_several(self):
        """Of sales three labels: one of money with its sign, one that the id decides, one that the price does."""
        table = self.write("sales.csv", text_of([(*row, row[1] / 8, 2 * money(row[4]) - 7) for row in sales(2000)], names=(*COLUMNS, "age", "twice")))
        self.run_daemon("--input", table, "--label", "amount,age,twice", "--budget", "all")
        return glimpsed.read(self.path("state"))

    def test_several_labels_have_a_column_each(self):
        model = self.fit_several()
        self.assertEqual((model.label, model.labels, model.examples), ("amount", ["amount", "age", "twice"], 2000))
        self.assertIn("of 'amount', 'age', 'twice': numbers from 7 attributes", repr(model))
        path = self.write("new.csv", text_of([row[1:] for row in sales(300, 2)], names=COLUMNS[1:]))
        frame = pd.read_csv(path)
        got, errors = model.predict(frame, return_std=True)
        self.assertEqual((got.shape, errors.shape), ((300, 3), (300, 3)))
        for place, label in enumerate(model.labels):
            with self.subTest(label):
                self.assert_predicts(self.told(path, "--label", label, model="state"), got[:, place], model.predict(frame)[:, place],
                                     pickle.loads(pickle.dumps(model)).predict(frame)[:, place])
                told = model.explain(frame, label=label)
                self.assertEqual(told.prediction.tolist(), got[:, place].tolist())
                np.testing.assert_allclose(told.drop(columns="prediction").sum(axis=1), told.prediction, rtol=1e-9, atol=1e-9)
        self.assertEqual(model.explain(frame).prediction.tolist(), got[:, 0].tolist())
        lacks_units = (frame.units == "?").to_numpy()
        self.assertGreater(errors[lacks_units, 0].min(), 2 * errors[~lacks_units & frame.discount.notna(), 0].max())
        self.assertLess(errors[lacks_units, 2].min(), 1.1 * errors[~lacks_units, 2].max())
        with self.assertRaisesRegex(ValueError, "label='aeg': must be one of 'amount', 'age', 'twice'; did you mean 'age'[?]"):
            model.explain(frame, label="aeg")

    def test_weights_of_several_labels_are_shaped_as_those_of_scikit_learn(self):
        model = self.fit_several()
        names = list(model.weights["age"])
        self.assertEqual((model.coef_.shape, model.intercept_.shape, list(model.weights)), ((3, len(names)), (3,), model.labels))
        for place, label in enumerate(model.labels):
            self.assertEqual(list(model.weights[label].values()), model.coef_[place].tolist())
        self.assertAlmostEqual(model.coef_[1, names.index("id")], 1 / 8, delta=0.02)
        self.assertAlmostEqual(model.coef_[2, names.index("price")], 2, delta=0.2)
        self.assertEqual([next(iter(shares)) for shares in model.importances.values()], ["price", "id", "price"])
        one = self.fit(sales(300))
        self.assertEqual((one.coef_.tolist(), type(one.intercept_)), (list(one.weights.values()), float))
        two = self.fit(sales(300, classes=True))
        self.assertEqual((two.coef_.tolist(), two.intercept_.shape), ([list(two.weights.values())], (1,)))
        X, y = linear_set(500, 4)
        path = self.learn_f32(X, y, "--budget", "4", state="plain")
        plain = glimpsed.read(path)
        np.testing.assert_allclose(X @ plain.coef_ + plain.intercept_, plain.predict(X), rtol=1e-6, atol=1e-6)

    def test_a_plot_of_several_labels_is_of_the_one_named(self):
        model = self.fit_several()
        frame = pd.DataFrame(sales(100, 2), columns=COLUMNS).assign(twice=range(1, 101))
        figure = model.plot(frame, "twice")
        self.assertEqual([text.get_text() for text in figure.axes[0].get_legend().get_texts()], model.labels)
        curves = [line.get_ydata()[-1] for line in figure.axes[0].lines]
        self.assertTrue(0.9 < curves[0] < curves[1] < curves[2], curves)
        true, predicted = figure.axes[2].lines[0].get_data()
        self.assertEqual((list(true), list(predicted)), (list(range(1, 101)), model.predict(frame)[:, 2].tolist()))
        self.assertEqual(model.plot(frame, "amount").axes[2].lines[0].get_xdata()[0], money(frame.amount[0]))
        for label, first in ((None, "price"), ("age", "id"), ("twice", "price")):
            bars = model.plot(label=label).axes[1]
            self.assertEqual([text.get_text() for text in bars.get_yticklabels()][-1], first)
        for label in ("amunt", range(100)):
            with self.subTest(label), self.assertRaisesRegex(ValueError, "must be one of 'amount', 'age', 'twice'"):
                model.plot(frame, label)

    def test_a_plot_has_what_is_known(self):
        for classes in (False, True):
            with self.subTest(classes=classes):
                model = self.fit(sales(1000, classes=classes))
                frame = pd.DataFrame(sales(100, 2, classes=classes), columns=COLUMNS)
                figure = model.plot(frame, "amount")
                figure.savefig(self.path("p.svg"))
                self.assertEqual(len(figure.axes), 3)
                self.assertGreater(len(figure.axes[0].lines[0].get_xdata()), 10)
                self.assertEqual([label.get_text() for label in figure.axes[1].get_yticklabels()][-1], "price")
                self.assertEqual(len(model.plot().axes), 2)
                with self.assertRaisesRegex(ValueError, "no column 'amunt'; did you mean 'amount'[?]"):
                    model.plot(frame, "amunt")
        with self.assertRaisesRegex(ValueError, "a table and its label"):
            model.plot(frame)

    def test_without_matplotlib_pandas_and_scikit_learn_the_rest_works(self):
        self.fit(sales(300))
        program = ("import sys\nfor name in ('matplotlib', 'pandas', 'sklearn', 'pyarrow'): sys.modules[name] = None\n"
                   f"import glimpsed\nmodel = glimpsed.read({self.path('sales.glimpsed')!r})\n"
                   "print(len(model.predict({name: ['1', '2'] for name in model.names if name != 'day'}, missing_columns='allow')))\n"
                   "try: model.plot()\nexcept ImportError as error: print(error)\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.stdout, "2\nplot() draws with matplotlib, which is not installed: pip install matplotlib\n", done.stderr)


class ClientFramesTest(FilesTest):
    """Client.predict() and Client.learn() of DataFrames, against a daemon."""

    def of(self, *options, state="served"):
        self.start_daemon("--http", "unix:" + self.path("socket"), *options, state=state)
        client = glimpsed.Client("unix:" + self.path("socket"), retries=20)
        self.addCleanup(client.close)
        return client

    def test_a_frame_is_predicted_as_its_file_is(self):
        self.fit(sales(1000))
        path = self.write("new.csv", text_of([row[1:] for row in sales(100, 2)], names=COLUMNS[1:]))
        frame = pd.read_csv(path)
        client = self.of("--restore", self.path("sales.glimpsed"), "--learn", "off")
        told = tuple(map(float, self.told(path)))
        self.assertEqual(client.predict(frame).predictions, told)
        typed = frame.assign(day=pd.to_datetime(frame.day, format="%d/%m/%Y"), units=pd.to_numeric(frame.units, errors="coerce"))
        self.assertEqual(client.predict(typed, explain=True).predictions, told)
        with self.assertRaisesRegex(glimpsed.GlimpseError, "'prise'; did you mean 'price'"):
            client.predict(frame.rename(columns={"price": "prise"}))

    def test_a_frame_beyond_the_largest_body_is_predicted_and_learned_in_pieces(self):
        rows = 9001
        frame = pd.DataFrame({"a": np.arange(rows) % 97, "b": np.arange(rows) % 89 / 8, "word": ["x" * 90, "y" * 90, None] * (rows // 3) + ["x" * 90]})
        labels = 2.0 * frame.a - frame.b
        client = self.of("--dimension", "3", "--budget", "3", "--serve", "--max-body", "600000")
        self.assertEqual(client.learn(frame, labels).accepted, rows)
        self.assertGreater(len(frame.to_json(orient="records")), 600_000)
        client._object("POST", "/v1/freeze", again=True)
        told = client.predict(frame)
        self.assertEqual((len(told.predictions), told.examples), (rows, rows))
        for first in (0, 4000, 8000, rows - 1):  # the first and last rows of pieces
            self.assertEqual(client.predict(frame[first:first + 1]).predictions, told.predictions[first:first + 1])
        self.assertEqual(len(told.standard_errors), rows)
        self.assertEqual(len(client.predict(frame[:600], explain=True).explanations), 600)

    def test_a_frame_is_learned_with_its_labels(self):
        frame = pd.DataFrame({"a": range(600), "b": [1.5, None, 2] * 200, "word": pd.Categorical(["x", "y"] * 300),
                              "flag": [True, False, False] * 200}).sample(frac=1, random_state=1)
        labels = 2.0 * frame.a + 300 * (frame.word == "x")
        client = self.of("--dimension", "4", "--budget", "4", "--serve")
        report = client.learn(frame.assign(y=labels), "y")
        self.assertEqual((report.accepted, report.error_count), (600, 0))
        self.assertEqual(client.learn(frame[:10], labels[:10].to_numpy()).accepted, 10)
        self.assertEqual(client.model()["names"], ["a", "b", "word=x", "word=y", "flag"])
        self.assertGreater(np.corrcoef(client.predict(frame).predictions, labels)[0, 1], 0.99)
        for y, message in (("yy", "no column 'yy'$"), ("wrod", "did you mean 'word'"), (None, "y is the name"), (labels[:5], "for each row"),
                           ([None, *labels[1:]], "the label of row 0 is missing")):
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                client.learn(frame, y)
        with self.assertRaisesRegex(ValueError, "y is for a DataFrame"):
            client.learn([(1, [1, 2, 3, 4])], "y")
        self.assertEqual(client.status()["examples"], 610)


if __name__ == "__main__":
    unittest.main()
