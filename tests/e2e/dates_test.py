"""A column of dates is one attribute, one observation and one price, with several features: the number of days, and day of week,
month and hour where they vary."""

import datetime
import glob
import json
import math
import random
import unittest

from doors_formats_test import state_of
from harness import TestCase, until

INLINE = ("--solver", "inline", "--label", "y", "--seed", 1)


def effect(when):
    return (-3 if when.weekday() >= 5 else 0) + 2 * math.sin(when.hour * math.pi / 12)


def rows(count, seed=1, form="%Y-%m-%d %H:%M", ordered=False):
    """y, a number that says little, a date in 2026 and a word."""
    source = random.Random(seed)
    begin = datetime.datetime(2026, 1, 1)
    result = []
    for n in range(count):
        hours = n if ordered else source.randrange(8760)
        when = begin + datetime.timedelta(hours=hours, minutes=source.randrange(60))
        a = source.uniform(0, 1)
        y = effect(when) + a / 4 + source.gauss(0, 0.1)
        result.append([f"{y:.4f}", f"{a:.3f}", when.strftime(form), f"w{source.randrange(2)}"])
    return result


def text_of(table, header=("y", "a", "when", "word"), columns=(0, 1, 2, 3)):
    return "".join(",".join(row[c] for c in columns) + "\n" for row in [list(header), *table])


class Dates(TestCase):
    def r_squared(self, daemon, columns=(1, 2, 3)):
        asked = rows(1000, seed=9)
        body = text_of(asked, columns=columns)
        predicted = daemon.post("/v1/predict?format=csv", body).json()["predictions"]
        labels = [float(row[0]) for row in asked]
        mean = sum(labels) / len(labels)
        return 1 - sum((p - y) ** 2 for p, y in zip(predicted, labels)) / sum((y - mean) ** 2 for y in labels)

    def names(self, daemon):
        return daemon.get("/v1/model").json()["names"]

    def test_weekly_and_daily_cycles_are_learned_from_two_of_three_attributes(self):
        path = self.write("table.csv", text_of(rows(20000)))
        for budget in (2, 3):
            with self.subTest(budget=budget):
                daemon = self.start(*INLINE, "--budget", budget, "--input", path, "--serve")
                daemon.wait_examples(20000)
                self.assertEqual(daemon.status()["attributes_revealed"], 20000 * budget)
                self.assertGreater(self.r_squared(daemon), 0.9)
                names = self.names(daemon)
                days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
                self.assertEqual([name for name in names if name.endswith("day")], [f"when: {day}" for day in days])
                self.assertEqual([name for name in names if "hour" in name], [f"when: hour {h}" for h in range(24)])
                self.assertEqual(sum(name.startswith("when") for name in names), 1 + 7 + 12 + 24)
                daemon.kill()
        # As a number alone, which under a ball it is.
        daemon = self.start(*INLINE, "--budget", 2, "--radius", 1000, "--input", path, "--serve")
        daemon.wait_examples(20000)
        daemon.wait_log("attribute 'when' holds dates, of which --algorithm pairwise learns the number of days alone")
        self.assertLess(self.r_squared(daemon), 0.1)

    def test_a_date_is_one_observation_and_has_one_price(self):
        path = self.write("when.csv", text_of(rows(3000), columns=(0, 1, 2)))
        daemon = self.start(*INLINE, "--budget", 2, "--costs", self.write("costs", "when 2.5\na 1\n"), "--input", path, "--serve")
        daemon.wait_examples(3000)
        status = daemon.status()
        self.assertEqual((status["attributes_revealed"], status["cost_spent"]), (6000, 10500))
        self.assertGreater(self.r_squared(daemon, (1, 2)), 0.9)
        importances = daemon.get("/v1/model").json()["importances"]
        self.assertGreater(importances[1], 0.8)  # of the attribute: its number's
        small = daemon.get("/v1/model?attributes=1").json()
        self.assertEqual(small["attributes"], [1])

    def test_a_column_of_times_of_day_has_hours(self):
        path = self.write("table.csv", text_of(rows(9000, form="%H:%M")))
        daemon = self.start(*INLINE, "--budget", 2, "--input", path, "--serve")
        daemon.wait_examples(9000)
        self.assertEqual([name for name in self.names(daemon) if name.startswith("when")],
                         ["when", *(f"when: hour {h}" for h in range(24))])
        ask = lambda when: daemon.post("/v1/predict?format=csv", f"a,when,word\n0.5,{when},w0\n").json()["predictions"][0]
        self.assertAlmostEqual(ask("06:00") - ask("18:59"), 4, delta=0.4)
        self.assertAlmostEqual(ask("12:00"), ask("00:30"), delta=0.4)

    def test_neither_seed_nor_budget_nor_door_nor_form_changes_what_a_date_is(self):
        reference = None
        for seed in range(8):
            for budget in (2, 3):
                content = text_of(rows(400)).encode()
                folder = self.path(f"state-{seed}-{budget}")
                options = ("--solver", "inline", "--label", "y", "--seed", seed, "--budget", budget)
                status, _, log = self.run_to_end(*options, "--state-directory", folder, stdin=content)
                self.assertEqual(status, 0, log)
                self.assertIn("when') with day of week, month, hour", log)
                daemon = self.start("--budget", budget, "--state-directory", folder)
                names = sorted(name for name in self.names(daemon) if name.startswith("when"))
                if budget == 3:
                    reference = reference or names
                    self.assertEqual(names, reference)
                daemon.kill()
        states = []
        for number, form in enumerate(("%Y-%m-%dT%H:%MZ", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M", "%d %b %Y %H:%M", "%m/%d/%Y %H:%M")):
            content = text_of(rows(400, form=form)).encode()
            for door in ("file", "pipe"):
                folder = self.path(f"form-{number}-{door}")
                source = ("--input", self.write("table.csv", content)) if door == "file" else ()
                status, _, log = self.run_to_end(*INLINE, "--budget", 2, "--state-directory", folder, *source, stdin=content)
                self.assertEqual(status, 0, log)
                states.append(state_of(folder))
        self.assertEqual(len(set(states)), 1)

    def test_a_kill_and_a_restart_change_no_bit(self):
        path = self.write("table.csv", text_of(rows(20000, ordered=True)))
        options = (*INLINE, "--budget", 2, "--checkpoint-examples", 300)
        status, _, log = self.run_to_end(*options, "--state-directory", self.path("straight"), "--input", path)
        self.assertEqual(status, 0, log)
        options += ("--state-directory", self.path("killed"), "--input", path)
        for target in (400, 7000):
            daemon = self.start(*options, "--serve")
            until(lambda: daemon.status()["examples"] >= target, f"{target} examples")
            daemon.kill()
        status, _, log = self.run_to_end(*options)
        self.assertEqual(status, 0, log)
        self.assertEqual(state_of(self.path("killed")), state_of(self.path("straight")))
        daemon = self.start("--budget", 2, "--state-directory", self.path("killed"))
        self.assertIn("when: hour 7", self.names(daemon))
        self.assertGreater(self.r_squared(daemon), 0.9)
        # Dates in JSON, before a table came.
        ask = lambda when: daemon.post("/v1/predict", json.dumps({"values": {"a": 0.5, "when": when, "word": "w0"}})).json()
        self.assertEqual(ask("1970-01-02 12:00"), ask(1.5))
        self.assertEqual(daemon.post("/v1/predict", '{"values": {"a": 1, "when": "some day", "word": "w0"}}').status, 400)
        learn = [{"label": float(y), "values": {"a": float(a), "when": when, "word": word}} for y, a, when, word in rows(20, seed=3)]
        self.assertEqual(daemon.post("/v1/learn", "".join(json.dumps(line) + "\n" for line in learn)).json()["accepted"], 20)
        self.assertEqual(daemon.status()["odd_values"] if "odd_values" in daemon.status() else 0, 0)
        self.assertEqual(daemon.post("/v1/learn?format=csv", text_of(rows(20, seed=3))).json()["accepted"], 20)
        self.assertGreater(self.r_squared(daemon), 0.9)

    def test_two_learners_of_dates_merge_and_the_result_outlives_a_kill(self):
        table, options = rows(8000), (*INLINE, "--budget", 2)
        for name, part, columns in (("one", table[:4000], (0, 1, 2, 3)), ("two", table[4000:], (2, 3, 0, 1))):
            path = self.write(f"{name}.csv", text_of(part, columns=columns))
            status, _, log = self.run_to_end(*options, "--state-directory", self.path(name), "--input", path)
            self.assertEqual(status, 0, log)
        with open(max(glob.glob(self.path("two", "checkpoint-*"))), "rb") as file:
            body = file.read()
        daemon = self.start(*options, "--state-directory", self.path("one"))
        names = self.names(daemon)
        answer = daemon.post("/v1/merge", body)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertEqual(sorted(self.names(daemon)), sorted(names))
        self.assertGreater(self.r_squared(daemon), 0.95)
        model = daemon.model()
        daemon.kill()
        daemon = self.start(*options, "--state-directory", self.path("one"))
        self.assertEqual(daemon.status()["examples"], 8000)
        self.assertEqual(daemon.model(), model)

    def test_a_sample_of_the_first_hour_of_a_stream_in_order_keeps_no_cycle_out(self):
        table = rows(9000, ordered=True)
        daemon = self.start(*INLINE, "--budget", 2, "--sample-records", 2, "--serve", "--input",
                            self.write("table.csv", text_of(table)))
        daemon.wait_examples(9000)
        self.assertGreater(self.r_squared(daemon), 0.9)

    def test_who_does_not_know_the_date_gets_a_larger_error(self):
        daemon = self.start(*INLINE, "--budget", 2, "--serve", "--input", self.write("table.csv", text_of(rows(9000))))
        daemon.wait_examples(9000)
        known = {"a": 0.5, "word": "w0"}
        without = daemon.post("/v1/predict", json.dumps({"known": known})).json()
        days = (datetime.datetime(2026, 6, 6, 6) - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1)
        saturday = daemon.post("/v1/predict", json.dumps({"known": {**known, "when": days}})).json()
        self.assertLess(abs(saturday["predictions"][0] - (-3 + 2 + 0.125)), 0.5)
        text = daemon.post("/v1/predict", json.dumps({"known": {**known, "when": "2026-06-06 06:00"}})).json()
        self.assertEqual(text["predictions"], saturday["predictions"])
        self.assertGreater(without["standard_errors"][0], 1.5)
        self.assertLess(saturday["standard_errors"][0], 0.6)

    def test_learners_of_numbers_alone_say_so_once(self):
        table = [row[:3] for row in rows(500)]
        content = text_of(table, ("y", "a", "when"), (0, 1, 2)).encode()
        status, _, log = self.run_to_end("--label", "y", "--budget", 2, "--algorithm", "two-phase-ddaerr", stdin=content)
        self.assertEqual(status, 0, log)
        line = "attribute 'when' holds dates, of which --algorithm two-phase-ddaerr learns the number of days alone: " \
            "--algorithm pairwise, without --products and --radius, also learns day of week, month, hour"
        self.assertEqual(log.count(line), 1, log)
        self.assertIn("finished: 500 examples", log)


if __name__ == "__main__":
    unittest.main()
