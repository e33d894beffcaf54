"""Attributes that hold words, and labels of two words as 0 and 1 (of classes: classes/classes_test): what is learned from them, what is said of them, and that both
survive restarts, kills and unknown words."""

import csv
import gzip
import io
import json
import os
import random
import shutil
import unittest

from harness import TestCase, without_sanitizers

BUDGET = ("--budget", 3, "--solver", "inline", "--seed", 1)
RAW = os.path.join(os.environ.get("GLIMPSE_DATA", ""), "raw")
WEATHER = ("sun", "rain", 'snow, "heavy"', "\u96e8")


def rows(count, seed=1, label=lambda y: repr(y)):
    """day, temp, weather, wind, town; the label goes by temp and weather."""
    source = random.Random(seed)
    result = []
    for _ in range(count):
        temp = source.uniform(-10, 30)
        weather = source.choice(WEATHER)
        y = temp / 10 + {"sun": 3, "rain": -1}.get(weather, 0) + source.gauss(0, 0.1)
        quoted = '"' + weather.replace('"', '""') + '"' if "," in weather else weather
        result.append([repr(temp), quoted, repr(source.uniform(0, 9)), f"town {source.randrange(100)}", label(y)])
    return result


def table(lines, header=("temp", "weather", "wind", "town", "y")):
    return "".join(",".join(line) + "\n" for line in [header, *lines]).encode()


MISSING = ("", "?", "NA")


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def one_hot(header, lines):
    """A table with an indicator for each word in place of it, and its labels, of which words are 0 and 1; last."""
    columns = []
    for i, name in enumerate(header[:-1]):
        values = dict.fromkeys(line[i] for line in lines if line[i] not in MISSING)
        if all(is_number(value) for value in values):
            columns.append((i, name, None))
        else:
            columns += [(i, f"{name}={k}", value) for k, value in enumerate(values)]
    words = list(dict.fromkeys(line[-1] for line in lines))
    labels = [float(line[-1]) if is_number(line[-1]) else float(words.index(line[-1])) for line in lines]
    rows = [[line[i] if word is None or line[i] in MISSING else str(int(line[i] == word)) for i, _, word in columns]
            for line in lines]
    names = [name for _, name, _ in columns] + ["label"]
    texts = [",".join(names)] + [",".join([*row, repr(y)]) for row, y in zip(rows, labels)]
    return ("\n".join(texts) + "\n").encode(), labels


class Categories(TestCase):
    def state(self):
        return ("--state-directory", self.path("state"))

    def learn(self, stdin, *arguments, state=True):
        status, _, log = self.run_to_end(*BUDGET, "--label", "last", *(self.state() if state else ()), *arguments,
                                         stdin=stdin)
        self.assertEqual(status, 0, log)
        return log

    def serve(self, *arguments):
        return self.start(*BUDGET, "--label", "last", *self.state(), *arguments)

    def model(self, daemon):
        model = daemon.get("/v1/model").json()
        return model, dict(zip(model["names"], model["weights"]))

    def test_words_are_categories_that_cost_one_look(self):
        log = self.learn(table(rows(3000)))
        self.assertIn("csv: header, 4 attributes, label 'y' (column #5), 2 categories: weather, town", log)
        self.assertIn("finished: 3000 examples, 9000 attributes revealed", log)
        daemon = self.serve()
        model, weights = self.model(daemon)
        self.assertEqual(model["dimension"], 4)
        self.assertEqual(len(model["weights"]), 2 + 4 + 33)  # of the towns 32, and all others
        self.assertEqual(model["attributes"][:6], [0, 1, 1, 1, 1, 2])
        self.assertAlmostEqual(weights["weather=sun"] - weights["weather=rain"], 4, delta=0.2)
        self.assertIn("town=(other)", weights)
        self.assertIn('weather=snow, "heavy"', weights)
        lines = daemon.get("/v1/model?format=csv").body.decode().splitlines()
        self.assertEqual(lines[0], "attribute,name,weight,importance,importance_error")
        self.assertTrue(any(line.startswith("1,weather=\u96e8,") for line in lines), lines)
        tensors = daemon.get("/v1/model?format=safetensors").body
        header = json.loads(tensors[8:8 + int.from_bytes(tensors[:8], "little")])
        self.assertEqual(header["attributes"]["shape"], [39])
        self.assertEqual(json.loads(header["__metadata__"]["features"]), model["names"])
        moments = daemon.get("/v1/moments").json()["moments"]
        self.assertEqual(len(moments), 4)
        self.assertIsNone(moments[1]["mean"])
        self.assertGreater(moments[1]["count"], 1000)
        self.assertGreater(moments[1]["probability"], moments[2]["probability"])

    def predict(self, daemon, **values):
        answer = daemon.post("/v1/predict", json.dumps({"values": values}))
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def test_predictions_take_words_by_json_and_csv(self):
        self.learn(table(rows(3000)))
        daemon = self.serve()
        sun = self.predict(daemon, temp=10, weather="sun", wind=3, town="town 1")
        self.assertAlmostEqual(sun["predictions"][0], 4, delta=0.3)
        self.assertNotIn("standard_errors", sun)
        lines = daemon.post("/v1/predict?format=csv", 'temp,weather,wind,town\n10,sun,3,town 1\n')
        self.assertEqual(lines.json()["predictions"], sun["predictions"])
        # What was never seen, or is not given, is unknown: the others tell what is to be expected.
        for unknown in ({"weather": "hail"}, {"weather": "?"}, {"weather": None}, {}):
            answer = self.predict(daemon, temp=10, wind=3, town="town 1", **unknown)
            self.assertAlmostEqual(answer["predictions"][0], 1.5, delta=0.4)
            self.assertGreater(answer["standard_errors"][0], 1)
        known = daemon.post("/v1/predict", json.dumps({"known": {"weather": "rain", "temp": 10}})).json()
        self.assertAlmostEqual(known["predictions"][0], 0, delta=0.4)
        self.assertLess(known["standard_errors"][0], 0.6)
        chosen = daemon.post("/v1/ask", json.dumps({"for": "prediction", "known": {"wind": 1}, "count": 1})).json()
        self.assertEqual([choice["name"] for choice in chosen["choices"]], ["weather"])
        wrong = daemon.post("/v1/predict", json.dumps({"values": {"temp": "warm"}}))
        self.assertEqual(wrong.status, 400)
        self.assertIn("'temp' holds numbers", wrong.json()["error"]["message"])

    def test_plans_name_an_attribute_once_and_are_told_in_words(self):
        daemon = self.start(*BUDGET, *self.state(), "--attributes", self.write("names", "temp\nweather\nwind\n"))
        source = random.Random(3)
        for n in range(300):
            plan = daemon.post("/v1/ask", "{}").json()["plans"][0]
            self.assertEqual(sorted(plan["names"]), ["temp", "weather", "wind"])
            weather = source.choice(WEATHER)
            values = {"temp": n % 7, "weather": weather, "wind": None}
            y = n % 7 + (3 if weather == "sun" else 0)
            answer = daemon.post("/v1/tell", json.dumps({"id": plan["id"], "label": y, "values": values}))
            self.assertEqual(answer.json()["status"], "learned", answer.body)
        self.assertEqual(daemon.status()["attributes_revealed"], 600)
        _, weights = self.model(daemon)
        self.assertAlmostEqual(weights["weather=sun"] - weights["weather=rain"], 3, delta=0.3)
        plan = daemon.post("/v1/ask", "{}").json()["plans"][0]
        wrong = daemon.post("/v1/tell", json.dumps({"id": plan["id"], "label": 1, "values": ["hot", "sun", 1]}))
        self.assertEqual(wrong.status, 422, wrong.body)
        self.assertIn("value 'hot' is a word, and 'temp' holds numbers", wrong.json()["message"])

    def test_kill_9_and_the_same_again_give_the_same_bits(self):
        lines = rows(6000, label=lambda y: "warm" if y > 1 else "cold")
        path = self.write("table", table(lines))
        self.learn(b"", "--input", path)
        daemon = self.serve()
        expected = daemon.model()
        names = self.model(daemon)[0]["names"]
        daemon.stop()
        os.rename(self.path("state"), self.path("whole"))
        arguments = (*self.state(), "--label", "last", "--checkpoint-examples", 500, "--serve", "--listen", "tcp:127.0.0.1:0")
        for target in (40, 700, 2500):
            grown = self.write("grown", table(lines[:target]))
            daemon = self.start(*BUDGET, *arguments, "--input", grown)
            daemon.wait_examples(target)
            daemon.kill()
        self.write("grown", table(lines))
        daemon = self.start(*BUDGET, *arguments, "--input", self.path("grown"))
        daemon.wait_examples(6000)
        self.assertEqual(self.model(daemon)[0]["names"], names)
        self.assertEqual(json.loads(daemon.model())["weights"], json.loads(expected)["weights"])

    def test_a_label_of_two_words_is_0_and_1_where_regression_is_asked_for(self):
        regression = ("--task", "regression")
        log = self.learn(table(rows(500, label=lambda y: "warm" if y > 1 else "cold")), *regression)
        self.assertIn("label 'y' (column #5) of words", log)
        self.assertRegex(log, "label: '(warm|cold)' is 0, '(warm|cold)' is 1")
        status, _, log = self.run_to_end(*BUDGET, "--label", "last", *self.state(), *regression,
                                         stdin=table([["1", "sun", "2", "town 1", "mild"]]))
        self.assertEqual(status, 1)
        self.assertRegex(log, "label 'mild' is one class too many: there are 2 .(warm|cold), (warm|cold).; "
                              "with --task regression two words are 0 and 1, and there are no others")

    def test_words_that_cannot_be_learned_from_are_refused_with_the_mend(self):
        words = b"y,sex,age\n1,M,20\n2,F,30\n"
        for stdin, arguments, mend in (
                (words, ("--algorithm", "two-phase-ddaerr"), "learns from numbers alone: take --algorithm pairwise"),
                (words, ("--categories", "Age"), "did you mean 'age'?"),
                (words, ("--max-categories", 0), "--max-categories 0")):
            with self.subTest(arguments=arguments):
                status, message = self.refused("--budget", 2, *arguments, stdin=stdin)
                self.assertEqual(status, 2)
                self.assertIn(mend, message)

    def test_a_word_among_numbers_is_missing_wherever_it_stands(self):
        ages = ["20", "30", "40", "50", "60"]
        for at in (0, 2, 4):
            rows = [*ages[:at], "old", *ages[at + 1:]]
            table = "y,age,b\n" + "".join(f"{n},{age},{n % 3}\n" for n, age in enumerate(rows))
            with self.subTest(at=at):
                status, _, log = self.run_to_end("--budget", 2, "--seed", at, stdin=table.encode())
                self.assertIn(f"column #2 ('age'): 1 of 5 values is not of its type, the first is 'old' in record {at + 1}: "
                              "such values count as missing; --categories age takes all as words, --strict refuses them", log)
                self.assertIn("finished: 5 examples, 9 attributes revealed", log)
                self.assertIn("words where numbers are, which counted as missing: 1", log)
                status, _, log = self.run_to_end("--budget", 2, "--strict", stdin=table.encode())
                self.assertEqual(status, 1, log)
                self.assertIn("value 'old' is a word, and 'age' holds numbers", log)
                status, _, log = self.run_to_end("--budget", 2, "--categories", "age", stdin=table.encode())
                self.assertIn("finished: 5 examples, 10 attributes revealed", log)

    def test_categories_that_have_no_room_are_said(self):
        towns = table(rows(400))
        _, _, log = self.run_to_end("--budget", 2, "--pair-memory", "1KiB", "--algorithm", "pairwise", stdin=towns)
        self.assertIn("no weights for more categories from example ", log)
        self.assertIn("--pair-memory is full", log)
        _, _, log = self.run_to_end("--budget", 2, stdin=towns)
        self.assertNotIn("no weights for more categories", log)

    def test_a_table_without_a_header_is_read_again_after_a_restart(self):
        lines = table(rows(400), header=()).split(b"\n", 1)[1]
        self.learn(lines)
        log = self.learn(lines)
        self.assertIn("finished: 800 examples", log)
        self.assertIn(" 0 lines that could not be read", log)

    @without_sanitizers
    @unittest.skipUnless(os.path.isdir(RAW), "no GLIMPSE_DATA")
    def test_tables_as_their_publishers_have_them(self):
        with gzip.open(os.path.join(RAW, "adult.csv.gz")) as file:
            adult = file.read()
        status, _, log = self.run_to_end("--label", "Salary", "--budget", 5, stdin=adult)
        self.assertEqual(status, 0, log)
        self.assertIn("csv: header, 14 attributes, label 'Salary' (column #15) of words, 8 categories: workclass, ", log)
        self.assertIn("label: class 0 is '<=50K'", log)
        self.assertIn("label: class 1 is '>50K'", log)
        self.assertRegex(log, r"finished: 32561 examples, 16\d{4} attributes revealed, 0 predictions, 0 lines")
        for name, attributes in (("abalone.csv", 8), ("auto_imports.csv", 25)):
            with open(os.path.join(RAW, name), "rb") as file:
                content = file.read()
            status, _, log = self.run_to_end("--label", "last", "--budget", 5, stdin=content)
            self.assertEqual(status, 0, log)
            self.assertIn(f"csv: no header, {attributes} attributes", log)
            self.assertIn(" 0 lines that could not be read", log)

    def predictions_of(self, content, label, seed):
        """Of the model of a whole table, for that table."""
        folder = self.path("state-of-one")
        shutil.rmtree(folder, True)
        options = ("--budget", 5, "--label", label, "--solver", "inline", "--seed", seed, "--state-directory", folder,
                   "--task", "regression")
        status, _, log = self.run_to_end(*options, stdin=content)
        self.assertEqual(status, 0, log)
        daemon = self.start(*options)
        predictions = daemon.post("/v1/predict?format=csv", content).json()["predictions"]
        daemon.stop()
        return predictions

    def r2(self, content, labels, label):
        """1 − the squared error over the labels' variance, of three seeds."""
        mean = sum(labels) / len(labels)
        variance = sum((y - mean) ** 2 for y in labels)
        scores = []
        for seed in range(1, 4):
            predictions = self.predictions_of(content, label, seed)
            self.assertEqual(len(predictions), len(labels))
            scores.append(1 - sum((p - y) ** 2 for p, y in zip(predictions, labels)) / variance)
        return sum(scores) / len(scores)

    @without_sanitizers
    @unittest.skipUnless(os.path.isdir(RAW), "no GLIMPSE_DATA")
    def test_categories_are_as_good_as_indicators_by_hand(self):
        """Of five looks an example, over three seeds: at an attribute, or at an indicator of the table one-hot by hand."""
        for name, label in (("abalone.csv", "last"), ("auto_imports.csv", "last"), ("adult.csv.gz", "Salary")):
            opened = gzip.open if name.endswith(".gz") else open
            with opened(os.path.join(RAW, name), "rb") as file:
                content = file.read()
            lines = [[field.strip() for field in line] for line in csv.reader(io.StringIO(content.decode())) if line]
            header = lines.pop(0) if label != "last" else [str(i) for i in range(len(lines[0]))]
            by_hand, labels = one_hot(header, lines)
            with self.subTest(name):
                ours = self.r2(content, labels, label)
                theirs = self.r2(by_hand, labels, "last")
                print(f"{name}: R2 {ours:.3f}, one-hot by hand {theirs:.3f}")
                self.assertGreater(ours, theirs - 0.02)


if __name__ == "__main__":
    unittest.main()
