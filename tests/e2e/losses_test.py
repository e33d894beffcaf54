"""The losses that are told are a function of the input alone: not of the door, its speed, the solver or a restart."""

import random
import re
import subprocess
import unittest

from harness import TestCase, binary, until, without_sanitizers

LOSSES = ("examples", "attributes_revealed", "progressive_loss", "progressive_loss_error", "recent_loss",
          "recent_loss_error", "label_variance", "r2", "recent_r2", "model_excess", "held_out_examples",
          "held_out_values", "held_out_loss", "held_out_loss_error", "held_out_recent_loss", "held_out_r2")
NARROW = ("--algorithm", "pairwise", "--dimension", 40, "--budget", 5)
MIDDLE = ("--algorithm", "pairwise", "--dimension", 200, "--budget", 5)
WIDE = ("--algorithm", "pairwise", "--dimension", 1200, "--budget", 20)
SCREENED = ("--algorithm", "pairwise-screened", "--active", 150, "--dimension", 1500, "--budget", 20)
HOLD_OUT = ("--hold-out", "5%")


def lines(count, dimension, seed=1):
    """svmlight lines of which a few attributes are not 0; the first eight tell the label."""
    generator = random.Random(seed)
    made = []
    for _ in range(count):
        places = sorted({generator.randrange(8) for _ in range(4)} |
                        {generator.randrange(dimension) for _ in range(6)})
        values = {place: generator.randrange(-32, 33) / 16 for place in places}
        label = sum(values.get(place, 0) * (1 if place % 2 else -1) for place in range(8))
        label += generator.randrange(-8, 9) / 16
        made.append(f"{label} " + " ".join(
            f"{place + 1}:{value}" for place, value in values.items()) + "\n")
    return made


def incomplete(count, dimension, seed=1):
    """Lines of CSV in which one value in ten is missing; attributes depend on each other."""
    generator = random.Random(seed)
    made = []
    for _ in range(count):
        common = generator.randrange(-32, 33) / 16
        values = [common + generator.randrange(-32, 33) / 16 for _ in range(dimension)]
        label = values[0] - values[1] + values[2]
        made.append(",".join([str(label)] + ["NA" if generator.random() < 0.1 else str(x) for x in values]) + "\n")
    return made


class Losses(TestCase):
    form = "svmlight"

    def told(self, daemon, records):
        """The losses once all records are worked through."""
        def all_in():
            status = daemon.status()
            return self.worked_through(status) == len(records) and status
        status = until(all_in, "all records are worked through")
        self.assertEqual(daemon.stop(), 0)
        return {name: status[name] for name in LOSSES}

    def through_file(self, records, *arguments):
        path = self.write("records", "".join(records))
        return self.told(self.start(*arguments, *HOLD_OUT, "--format", self.form, "--input", path, "--serve"), records)

    def through_pipe(self, records, *arguments, pieces=1):
        """In pieces, each of which is worked through before the next is written."""
        daemon = self.start(*arguments, *HOLD_OUT, "--format", self.form, "--input", "-", "--serve",
                            stdin=subprocess.PIPE)
        def write(text):
            daemon.process.stdin.write(text)
            daemon.process.stdin.flush()
        self.feed(daemon, records, pieces, write)
        return self.told(daemon, records)

    def through_socket(self, records, *arguments, pieces=1):
        daemon = self.start(*arguments, *HOLD_OUT, "--format", self.form, "--listen", "tcp:localhost:0")
        with daemon.client() as client:
            self.feed(daemon, records, pieces, client.send)
            client.finish()
        return self.told(daemon, records)

    def through_learn(self, records, *arguments, pieces=1):
        daemon = self.start(*arguments, *HOLD_OUT, "--format", self.form)
        accepted = held_out = 0
        step = -(-len(records) // pieces)
        for begin in range(0, len(records), step):
            answer = daemon.post(f"/v1/learn?format={self.form}", "".join(records[begin:begin + step])).json()
            accepted += answer["accepted"]
            held_out += answer.get("held_out", 0)
        told = self.told(daemon, records)
        self.assertEqual((accepted, held_out), (told["examples"], told["held_out_examples"]))
        return told

    def through_send(self, records, *arguments):
        door = self.path("stream.sock")
        daemon = self.start(*arguments, *HOLD_OUT, "--format", self.form, "--listen", f"unix:{door}",
                            "--state-directory", self.path("state"))
        sent = subprocess.run([binary("GLIMPSECTL_BIN"), "send", "--source", "all", "--to", f"unix:{door}",
                               self.write("records", "".join(records))], capture_output=True, text=True, check=False)
        self.assertEqual(sent.returncode, 0, sent.stderr)
        return self.told(daemon, records)

    @staticmethod
    def worked_through(status):
        return status["examples"] + status["held_out_examples"] + status["examples_skipped_missing"]

    def feed(self, daemon, records, pieces, write):
        step = -(-len(records) // pieces)
        for begin in range(0, len(records), step):
            piece = records[begin:begin + step]
            write("".join(piece).encode())
            if pieces > 1:
                until(lambda: self.worked_through(daemon.status()) >= begin + len(piece),
                      "the piece is worked through")

    def check_same(self, records, arguments):
        inline, background, automatic = (("--solver", place) for place in ("inline", "background", "auto"))
        expected = self.through_file(records, *arguments, *inline)
        self.assertGreater(expected["r2"], 0.2)
        self.assertGreater(expected["held_out_examples"], 0.03 * len(records))
        for told in (self.through_file(records, *arguments, *background),
                     self.through_pipe(records, *arguments, *background),
                     self.through_pipe(records, *arguments, *background, pieces=40),
                     self.through_socket(records, *arguments, *automatic),
                     self.through_socket(records, *arguments, *background, pieces=25),
                     self.through_learn(records, *arguments, *background, pieces=30),
                     self.through_learn(records, *arguments, *inline, pieces=7),
                     self.through_send(records, *arguments, *automatic)):
            self.assertEqual(told, expected)

    def test_few_attributes(self):
        self.check_same(lines(6000, 40), NARROW)

    def test_attributes_whose_judges_are_solved_for_elsewhere(self):
        self.check_same(lines(6000, 200), MIDDLE)

    @without_sanitizers
    def test_changes_of_the_stream(self):
        self.check_same(lines(6000, 200), (*MIDDLE, "--drift", "auto"))

    @without_sanitizers
    def test_older_examples_that_count_less(self):
        self.check_same(lines(6000, 200), (*MIDDLE, "--half-life", 1000))

    def test_missing_values(self):
        self.form = "csv"
        self.check_same(incomplete(4000, 20), ("--algorithm", "pairwise", "--dimension", 20, "--budget", 5))

    @without_sanitizers
    def test_many_attributes(self):
        self.check_same(lines(9500, 1200), WIDE)

    @without_sanitizers
    def test_screened_attributes(self):
        self.check_same(lines(7000, 1500), SCREENED)

    def test_a_crash_before_a_model_judges(self):
        records = lines(9500, 1200)
        for place in ("inline", "background"):
            with self.subTest(place):
                expected = self.through_learn(records, *WIDE, "--solver", place)
                arguments = (*WIDE, *HOLD_OUT, "--format", self.form, "--solver", place,
                             "--state-directory", self.path(f"state-{place}"))
                daemon = self.start(*arguments)
                # A model of 4,096 examples judges from the 8,192nd on, and one record in 20 is held out.
                for begin, end in ((0, 4350), (4350, 8000), (8000, 9500)):
                    answer = daemon.post("/v1/learn?format=svmlight", "".join(records[begin:end]))
                    self.assertEqual(answer.status, 200)
                    if end == len(records):
                        break
                    self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
                    daemon.post("/v1/learn?format=svmlight", "".join(records[end:end + 300]))  # lost
                    daemon.kill()
                    daemon = self.start(*arguments)
                self.assertEqual(self.told(daemon, records), expected)

    def test_what_is_held_out_teaches_nothing(self):
        records = lines(400, 40)
        daemon = self.start(*NARROW, "--hold-out", "20%", "--format", self.form)
        kept = []
        for record in records:  # a request each says what became of it
            answer = daemon.post("/v1/learn?format=svmlight", record).json()
            if answer["accepted"]:
                kept.append(record)
            else:
                self.assertEqual(answer["held_out"], 1)
        self.assertLess(len(kept), 350)
        plain = self.start(*NARROW, "--format", "svmlight")
        plain.post("/v1/learn?format=svmlight", "".join(kept))
        self.assertEqual(plain.model(), daemon.model())
        for name in ("examples", "attributes_revealed", "progressive_loss"):
            self.assertEqual(plain.status()[name], daemon.status()[name])
        self.assertEqual(plain.status()["held_out_examples"], 0)
        self.assertIsNone(plain.status()["held_out_loss"])
        self.assertIn("glimpse_held_out_loss ", daemon.get("/metrics").body.decode())
        self.assertNotIn("glimpse_held_out", plain.get("/metrics").body.decode())

    def test_shares_that_cannot_be_held_out_are_refused(self):
        for share in ("0%", "51%", "0.01", "-1%", "one", "%"):
            status, line = self.refused(*NARROW, "--hold-out", share)
            self.assertEqual(status, 2)
            self.assertIn("must be a percentage above 0% and up to 50%", line)


class Reported(TestCase):
    """What is reported of losses can be, is recent where it says so, and is in the label's unit."""

    def rows(self, count, flip=None, beyond=0.0, seed=1):
        generator = random.Random(seed)
        made = []
        for t in range(count):
            x = [generator.gauss(0, 1) for _ in range(10)]
            label = sum((-1) ** i * (i + 1) / 4 * x[i] for i in range(10)) + generator.gauss(0, .3)
            made.append(f"{(-label if flip and t >= flip else label) + beyond!r}," + ",".join(f"{v:.4f}" for v in x) + "\n")
        return "".join(made).encode()

    def learned(self, rows, *arguments, budget=4, hold_out="5%"):
        daemon = self.start("--dimension", 10, "--budget", budget, "--format", "csv", "--hold-out", hold_out, *arguments)
        self.assertEqual(daemon.post("/v1/learn?format=csv", rows).status, 200)
        until(lambda: sum(daemon.status()[name] for name in ("examples", "held_out_examples", "examples_left_out")) == rows.count(b"\n"),
              "all rows are worked through")
        return daemon

    def test_recent_figures_forget_what_was_before_their_window(self):
        for algorithm in ("pairwise", "two-phase-ddaerr", "aerr"):
            status = self.learned(self.rows(49000, flip=47000), "--algorithm", algorithm, hold_out="1%").status()
            for name in ("recent_r2", "held_out_recent_r2"):
                self.assertLess(status[name], .2)
            self.assertGreater(status["r2"], .5)
        wider = self.learned(self.rows(49000, flip=47000), "--algorithm", algorithm, "--recent", 20000, hold_out="1%").status()
        self.assertGreater(wider["recent_r2"], .2)
        self.assertEqual(wider["progressive_loss"], status["progressive_loss"])

    def test_labels_far_from_0_have_the_losses_of_labels_near_it(self):
        step = {"aer": ("--step", .3)}
        least = {"aelr": .4, "aer": .1, "baseline": .6}  # as with labels near 0, or nearly
        for algorithm in ("pairwise", "pairwise-screened", "apple", "two-phase-ddaerr", "aerr", "aelr", "online-ridge", "aer", "baseline"):
            with self.subTest(algorithm):
                ball = ("--radius", 15, *step.get(algorithm, ())) if algorithm in ("aelr", "aer", "baseline") else ()
                status = self.learned(self.rows(8000, beyond=1e9), "--algorithm", algorithm, *ball,
                                      budget=10 if algorithm in ("apple", "online-ridge") else 4).status()
                for name in ("r2", "recent_r2", "held_out_r2", "held_out_recent_r2"):
                    self.assertGreater(status[name], least.get(algorithm, .8), name)
                    self.assertLessEqual(status[name], 1, name)
                self.assertLess(status["rmse"], 5)

    def test_an_estimate_below_0_is_reported_as_0_with_its_error_and_under_a_name_of_its_own(self):
        reported = set()
        for seed in range(1, 5):
            daemon = self.learned(self.rows(6000, seed=seed), "--recent", 50, budget=2)
            status, metrics = daemon.status(), daemon.get("/metrics").body.decode()
            estimate = status["recent_loss_estimate"]
            reported.add(estimate < 0)
            self.assertEqual(status["recent_loss"], max(estimate, 0))
            self.assertEqual(status["recent_r2"], min(status["recent_r2_estimate"], 1))
            self.assertAlmostEqual(status["recent_rmse"] ** 2, status["recent_loss"])
            self.assertGreater(status["recent_loss_error"], 0)
            told = re.search(r"^glimpse_recent_loss_estimate (\S+)$", metrics, re.MULTILINE).group(1)
            self.assertAlmostEqual(float(told), estimate, 9)
            columns = daemon.get("/v1/history?columns=recent_loss,recent_r2,progressive_loss").json()["columns"]
            self.assertGreaterEqual(min(v for name in ("recent_loss", "progressive_loss") for v in columns[name] if v is not None), 0)
            self.assertLessEqual(max(v for v in columns["recent_r2"] if v is not None), 1)
            self.assertEqual(daemon.stop(), 0)
            self.assertNotRegex(daemon.stderr, r"loss -|recently -\d+\.\d+ \+-.*loss|R2 1\.00[1-9]")
        self.assertEqual(reported, {True, False})

    def test_an_outlying_label_that_was_held_out_leaves_r2_possible_and_recent_figures_as_they_were(self):
        rows = self.rows(6000).splitlines(True)
        usual = self.learned(b"".join(rows), hold_out="50%").status()
        spoiled = self.learned(b"".join([*rows[:2000], b"1e30" + rows[2000][rows[2000].index(b","):], *rows[2001:]]), hold_out="50%")
        status = spoiled.status()
        self.assertEqual(status["examples"], usual["examples"])  # it was not learned from
        self.assertGreater(status["held_out_rmse"], 1e27)
        self.assertAlmostEqual(status["held_out_r2"], 0, 2)
        self.assertAlmostEqual(spoiled.get("/v1/history?columns=held_out_r2").json()["columns"]["held_out_r2"][-1], 0, 2)
        for name in ("held_out_recent_r2", "held_out_recent_rmse"):
            self.assertEqual(status[name], usual[name])
        self.assertAlmostEqual(status["held_out_median_absolute_error"], usual["held_out_median_absolute_error"], 2)
        self.assertEqual(spoiled.stop(), 0)
        spoiled.wait_log(r"held out: .*R2 -?0\.000 ")

    def test_a_first_label_that_is_an_outlier_leaves_no_trace_in_the_losses(self):
        rows = self.rows(3000)
        usual = self.learned(rows, hold_out="30%").status()
        spoiled = self.learned(b"-99999" + rows[rows.index(b","):], hold_out="30%").status()
        self.assertEqual(spoiled["examples_left_out"], 1)
        for name in ("r2", "recent_r2", "held_out_r2", "held_out_recent_r2"):
            self.assertGreater(spoiled[name], usual[name] - .1, name)

    def test_absolute_errors_are_known_of_examples_that_are_looked_at_whole(self):
        for algorithm, budget in (("pairwise", 10), ("pairwise", 4), ("online-ridge", 10), ("two-phase-ddaerr", 4)):
            with self.subTest(f"{algorithm} {budget}"):
                daemon = self.learned(self.rows(3000), "--algorithm", algorithm, budget=budget)
                status, metrics = daemon.status(), daemon.get("/metrics").body.decode()
                self.assertEqual("glimpse_progressive_median_absolute_error" in metrics, budget == 10)
                mean, median = (status[f"{name}_absolute_error"] for name in ("mean", "median"))
                if budget < 10:
                    self.assertEqual((mean, median), (None, None))
                    continue
                self.assertLess(median, mean)
                self.assertLess(mean, status["rmse"])
                self.assertEqual(daemon.stop(), 0)
                daemon.wait_log(r"progressive loss .*; mean absolute error [\d.]+, median [\d.]+\n")

    def test_the_last_lines_of_the_log_have_errors_in_the_labels_unit_also_where_r2_is_unknown(self):
        status, _, log = self.run_to_end("--dimension", 2, "--budget", 2, stdin=b"5,1,2\n5,2,1\n5,3,4\n")
        self.assertEqual(status, 0)
        self.assertRegex(log, r"progressive loss \S+ .*; root mean squared error \S+, recently \S+; mean absolute error \S+, median \S+\n")
        self.assertNotIn("R2", log)

    def test_the_last_lines_of_the_log_have_one_r2_where_all_examples_are_recent(self):
        rows = "".join(f"{a + 2 * b},{a},{b}\n" for a in range(7) for b in range(5))
        status, _, log = self.run_to_end("--dimension", 2, "--budget", 2, stdin=rows.encode())
        self.assertEqual(status, 0)
        self.assertRegex(log, r"progressive loss (\S+ \+- \S+), recently \1;")
        self.assertRegex(log, r"was predicted: (\S+ \+- \S+), recently \1\n")

    def test_errors_of_held_out_records_are_in_the_unit_of_the_label(self):
        daemon = self.learned(self.rows(8000))
        status = daemon.status()
        self.assertAlmostEqual(status["held_out_rmse"] ** 2, status["held_out_loss"])
        self.assertLess(status["held_out_median_absolute_error"], status["held_out_mean_absolute_error"])
        self.assertLess(status["held_out_mean_absolute_error"], status["held_out_rmse"])
        self.assertEqual(daemon.stop(), 0)
        daemon.wait_log(r"progressive loss .*; root mean squared error [\d.]+, recently [\d.]+\n")
        daemon.wait_log(r"held out: .*; root mean squared error [\d.]+, recently [\d.]+; mean absolute error [\d.]+, median [\d.]+\n")


if __name__ == "__main__":
    unittest.main()
