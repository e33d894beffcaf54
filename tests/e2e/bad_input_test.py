"""Whatever users get wrong is told in one line, by name, and harms nothing else."""

import os
import random
import signal
import socket
import unittest

from harness import SMALL, TestCase, examples, svmlight, until


class BadLines(TestCase):
    def test_of_labels_too_small_to_be_squared_no_loss_is_told(self):
        for size, is_told in ((1e-300, False), (1e-200, False), (1e-100, False), (1e-60, True), (1e29, True)):
            with self.subTest(size):
                lines = [f"{n % 7 * size!r} 1:{n % 7} 2:{n % 3}\n" for n in range(300)]
                status, _, log = self.run_to_end(*SMALL, "--hold-out", "10%", stdin="".join(lines).encode())
                self.assertEqual((status, "all labels are nearer to 0 than 1e-70" in log), (0, not is_told), log)
                self.assertEqual("progressive loss" in log, is_told, log)

    def test_labels_far_from_0_are_logged_once_where_there_is_no_bias(self):
        lines = [f"{10**9 + n % 7} 1:{n % 7} 2:{n % 3}\n" for n in range(300)]
        for bias, times in (("off", 1), ("on", 0)):
            for stop in (20, 300):
                with self.subTest(bias=bias, stop=stop):
                    _, _, log = self.run_to_end(*SMALL, "--bias", bias, stdin="".join(lines[:stop]).encode())
                    self.assertEqual(log.count("a model without a bias is 0"), times * (stop > 32), log)

    def test_every_kind_of_bad_line_is_told_with_its_number_and_skipped(self):
        cases = (
            ("svmlight", "1 1:x 2:x 3:x 4:x", "x"), ("svmlight", "1 5:1", "index 5 is out of range.*dimension 4"),
            ("svmlight", "1 0:1", "index 0 is out of range"), ("svmlight", "nan 1:1", "nan"),
            ("svmlight", "inf 1:1", "inf"), ("svmlight", "1 1:nan 2:nan 3:nan 4:nan", "nan"),
            ("svmlight", "1 1:1e999 2:1e999 3:1e999 4:1e999", "1e999"), ("svmlight", "1 1", "index:value"),
            ("vw", "1 | 4:1", "index 4 is out of range"), ("vw", "x | 0:1", "label 'x'"), ("vw", "1 -1 | 0:1", "importance"),
            ("vw", "no bar", "no '|'"), ("vw", "nan | 0:1", "nan"),
            ("csv", "1,2,3", "row has 3 fields.*dimension 4"), ("csv", "1,2,3,4,5,6", "row has 6 fields"),
            ("csv", "x,1,2,3,4", "label 'x'"), ("csv", "inf,1,2,3,4", "inf"),
            ("ndjson", "{", "JSON"), ("ndjson", '{"label": 1, "values": [1, 2]}', ""),
            ("ndjson", '{"label": 1e999, "values": [1, 2, 3, 4]}', "1e999"),
            ("ndjson", '{"label": 1, "values": {"4": 1}}', "4"), ("ndjson", '{"lable": 1}', "lable"),
        )
        good = {"svmlight": "1 1:1", "vw": "1 | 0:1", "csv": "1,1,2,3,4", "ndjson": '{"label":1,"values":[1,2,3,4]}'}
        for form, line, reason in cases:
            with self.subTest(line):
                more = 8  # of which one that is no number is odd
                content = (f"{good[form]}\n{line}\n" + f"{good[form]}\n" * more).encode()
                status, _, log = self.run_to_end(*SMALL, "--format", form, stdin=content)
                self.assertEqual(status, 0)
                self.assertRegex(log, rf"warn\w* stdin: line 2: .*{reason}")
                self.assertIn(f"finished: {1 + more} examples", log)
                self.assertIn("1 lines that could not be read", log)

    def test_binary_rubbish_is_survived(self):
        rubbish = bytes(range(256)) * 4000
        for form in ("auto", "svmlight", "vw", "csv", "ndjson", "f32"):
            status, _, log = self.run_to_end(*SMALL, "--format", form, stdin=rubbish)
            self.assertEqual(status, 0 if form == "f32" else 1, log[-2000:])
            if form != "f32":
                self.assertRegex(log, "error nothing was learned: none of .* records could be read|had no label")

    def test_values_beyond_what_can_be_learned_from_are_told(self):
        status, _, log = self.run_to_end(*SMALL, stdin=b"1 1:1\n1e200 1:1\n")
        self.assertEqual(status, 0)
        self.assertRegex(log, r"line 2: .*beyond the largest magnitude")

    def test_values_beyond_what_can_be_learned_from_cost_no_record_and_bias_no_loss(self):
        source = random.Random(1)
        rows, wild = ["y,a,b,c,d,e"], 0
        for _ in range(6000):
            x = [source.randrange(-64, 65) / 32 for _ in range(5)]
            y = 3 * x[0] + x[1]  # of rows with a wild value the label is larger
            if source.random() < .2:
                x[4], y, wild = 1e200, y + 5, wild + 1
            rows.append(",".join(map(repr, [y, *x])))
        path = self.write("rows.csv", "\n".join(rows) + "\n")
        losses, facts = [], []
        for ignored in ((), ("--ignore", "e")):
            for algorithm, budget in (("pairwise", 2), ("pairwise", 4), ("pairwise-screened", 4)):
                with self.subTest(algorithm=algorithm, budget=budget, ignored=ignored):
                    daemon = self.start("--input", path, "--label", "y", "--algorithm", algorithm, "--budget", budget,
                                        "--hold-out", "20%", *ignored, "--serve")
                    until(lambda: daemon.status()["examples"] + daemon.status()["held_out_examples"] == 6000, "all records are read")
                    status = daemon.status()
                    self.assertEqual(status["examples_out_of_range"], 0)
                    self.assertEqual(status["beyond_range_attribute"], None if ignored else "e")
                    self.assertEqual(status["values_beyond_range"] > 100, not ignored)
                    self.assertIn(f"glimpse_values_beyond_range_total {status['values_beyond_range']}\n",
                                  daemon.get("/metrics").body.decode())
                    if not ignored:
                        daemon.wait_log(r"values beyond 1e\+30 count as missing .* attribute 'e'")
                    losses.append(status["held_out_loss"])
                    facts.append((status["recent_loss"], status["recent_loss_error"]))
        # The held-out records are the same, and so is their loss where e, which explains nothing, is left out.
        for loss, without in zip(losses[:3], losses[3:]):
            self.assertLess(abs(loss / without - 1), .05)
        for loss, (recent, error) in zip(losses, facts):
            self.assertLess(abs(recent - loss), 4 * error + .05 * loss)

    def test_the_advice_about_steps_that_are_too_large_suits_the_step(self):
        content = b"1e30 1e30 | 0:1e30 1:1e30 2:1e30 3:1e30\n" * 6
        for step, wanted, ends in (
                (("--step", 1e300), "lower --step, or use --step auto", 1),
                (("--step", "theory", "--horizon", 10), "--step theory is for inputs of norm up to 1", 0)):
            with self.subTest(step):
                status, _, log = self.run_to_end(*SMALL, "--outliers", "keep", *step, stdin=content)
                self.assertEqual(status, ends)
                self.assertEqual("error nothing was learned: all examples were skipped: " in log, ends == 1)
                self.assertRegex(log, rf"warn\w* \d+ steps were too large to take: {wanted}")
                self.assertEqual(log.count("--step auto"), 1)

    def test_with_validate_full_a_value_that_nobody_planned_is_noticed_too(self):
        lines = b"1 1:1 2:2 3:3 4:4\n" * 50 + b"1 1:1 2:2 3:3 4:oops\n1 1:oops 2:2\n1 1:1 2:oops\n1 1:1 3:oops\n"
        budget = ("--dimension", 4, "--budget", 2, "--format", "svmlight", "--input", "-")
        status, _, log = self.run_to_end(*budget, stdin=lines)
        self.assertEqual(status, 0)
        self.assertNotIn("finished: 50 examples", log)  # most of the damage went unnoticed
        status, _, log = self.run_to_end(*budget, "--validate", "full", stdin=lines)
        self.assertEqual(status, 0)
        self.assertIn("finished: 50 examples", log)
        self.assertEqual(log.count("value 'oops' of index "), 4)

    def test_a_missing_value_is_skipped_and_counted_and_no_error(self):
        status, _, log = self.run_to_end(*SMALL, "--format", "csv", stdin=b"1,1,2,3,4\n1,,NA,null,?\n")
        self.assertEqual(status, 0)
        self.assertIn("finished: 1 examples", log)
        self.assertIn("0 lines that could not be read, 1 examples skipped", log)

    def test_a_line_over_the_limit_ends_a_file_with_status_1_and_keeps_what_came_before(self):
        content = svmlight(examples(100)).encode() + b"1 " + b" " * 5000 + b"1:1\n"
        path = self.write("examples", content)
        status, _, log = self.run_to_end(*SMALL, "--input", path, "--max-line", "4KiB", "--state-directory",
                                         self.path("state"))
        self.assertEqual(status, 1)
        self.assertRegex(log, r"longer than the limit of 4096 bytes \(--max-line\); reading stopped there")
        self.assertTrue(any("-100.safetensors" in name for name in os.listdir(self.path("state"))))


class BadOptions(TestCase):
    def test_options_that_are_wrong_or_contradict_end_with_status_2_and_one_line(self):
        cases = (
            (("--dimension", 4, "--nonsense", 1), "nonsense"), (("--dimension", 4, "--budg", 2), "budg"),
            (("--dimension", 0), "--dimension 0: "), (("--dimension", "x"), "--dimension x: "),
            (("--dimension", -4), "--dimension -4: "), (("--dimension", 4, "--budget", 1), "--budget 1: "),
            (("--dimension", 4, "--budget", 5), "--budget 5: .*--dimension 4"),
            (("--dimension", 4), "--budget: is needed"), ((*SMALL, "--algorithm", "sgd"), "sgd"),
            ((*SMALL, "--step", "fast"), "--step fast: "), ((*SMALL, "--step", "theory"), "--step theory: needs --horizon"),
            ((*SMALL, "--phase1", "10%"), "--phase1 10%: .*--horizon"),
            ((*SMALL, "--phase1", 10, "--horizon", 5), "--phase1 10: .*--horizon 5"),
            ((*SMALL, "--serve"), "--serve on: needs a door"), ((*SMALL, "--input", "-", "--input", "-"), "--input -: "),
            ((*SMALL, "--format", "xml"), "--format xml: .*svmlight"), ((*SMALL, "--http", "nowhere"), "--http nowhere: "),
            ((*SMALL, "--listen", "tcp:127.0.0.1:70000"), "--listen tcp:127.0.0.1:70000: "),
            ((*SMALL, "--listen", "unix:" + "x" * 108), "107"), ((*SMALL, "--queue", "lots"), "--queue lots: "),
            ((*SMALL, "--checkpoint-every", "soon"), "--checkpoint-every soon: "),
            ((*SMALL, "--state-directory", "s", "--checkpoint-every", "0s"), "--checkpoint-every 0s: needs --checkpoint-examples"),
            ((*SMALL, "--format", "f32", "--index-base", 0), "--index-base 0: "),
            ((*SMALL, "--algorithm", "aerr", "--phase1", 10), "--phase1 10: .*two phases"),
            ((*SMALL, "--checkpoint-every", "1s"), "--checkpoint-every 1s: .*--state-directory"),
            ((*SMALL, "--label-column", 5), "--label-column 5: "), ((*SMALL, "--seed", 1, "--seed", 2), "seed"),
            ((*SMALL, "--moments", "/nowhere"), "--moments /nowhere: "), ((*SMALL, "stray"), "argument 'stray'"),
            ((*SMALL, "--config", "/nowhere"), "--config /nowhere: cannot be read"),
            ((*SMALL, "--config", "/"), "--config /: cannot be read"),
            ((*SMALL, "--clip", "3:1"), "--clip 3:1: must be auto, off, or LO:HI, two finite numbers with LO below HI"),
            ((*SMALL, "--clip", "x"), "--clip x: must be auto, off, or LO:HI"), ((*SMALL, "--clip", "nan:1"), "--clip nan:1: .*finite"),
            ((*SMALL, "--clip", "0:inf"), "--clip 0:inf: .*finite"), ((*SMALL, "--clip", "1:1"), "--clip 1:1: .*LO below HI"),
            ((*SMALL, "--log-level", "loud"), "--log-level loud: must be one of debug"),
        )
        for arguments, wanted in cases:
            with self.subTest(" ".join(map(str, arguments))):
                status, line = self.refused(*arguments)
                self.assertEqual(status, 2, line)
                self.assertRegex(line, wanted)

    def test_a_configuration_file_is_refused_by_name(self):
        for content, wanted in (("budgett = 2\n", "budgett"), ("serve = perhaps\n", "serve = perhaps: must be on or off"),
                                ("budget = many\n", "--budget many: "), ("just words\n", "just words")):
            file = self.write("glimpsed.conf", content)
            status, line = self.refused("--dimension", 4, "--config", file)
            self.assertEqual(status, 2)
            self.assertRegex(line, wanted)

    def test_the_command_line_wins_over_the_file(self):
        file = self.write("glimpsed.conf", "dimension = 9\nbudget = 2\n# a remark\nstrict = off\nserve = on\n")
        status = self.start("--config", file, "--dimension", 4).status()
        self.assertEqual((status["dimension"], status["budget"]), (4, 2))


class BadDoors(TestCase):
    def test_a_busy_port_is_refused(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            for option, address in (("--listen", f"tcp:127.0.0.1:{port}"), ("--http", f"127.0.0.1:{port}")):
                status, line = self.refused(*SMALL, option, address)
                self.assertEqual(status, 1)
                self.assertRegex(line, rf"{option} tcp:127.0.0.1:{port}: cannot listen: .*in use")

    def test_a_busy_unix_socket_is_refused_and_left_alone(self):
        first = self.start(*SMALL, "--listen", f"unix:{self.path('stream')}")
        status, line = self.refused(*SMALL, "--listen", f"unix:{self.path('stream')}")
        self.assertEqual(status, 1)
        self.assertIn("cannot listen: another process listens there", line)
        with first.client("unix") as client:
            float(client.ask("| 0:1\n"))

    def test_a_stale_unix_socket_is_replaced_and_its_own_removed_at_the_end(self):
        first = self.start(*SMALL, "--listen", f"unix:{self.path('stream')}")
        first.kill()
        self.assertTrue(os.path.exists(self.path("stream")))
        second = self.start(*SMALL, "--listen", f"unix:{self.path('stream')}")
        with second.client("unix") as client:
            float(client.ask("| 0:1\n"))
        self.assertEqual(second.stop(signal.SIGTERM), 0)
        self.assertFalse(os.path.exists(self.path("stream")))

    def test_a_file_in_the_way_of_a_socket_is_left_alone(self):
        file = self.write("stream", "precious")
        status, line = self.refused(*SMALL, "--listen", f"unix:{file}")
        self.assertEqual(status, 1)
        self.assertIn("no socket", line)
        with open(file, encoding="ascii") as content:
            self.assertEqual(content.read(), "precious")

    def test_addresses_that_are_not_loopback_are_refused(self):
        status, line = self.refused(*SMALL, "--http", "0.0.0.0:0")
        self.assertEqual(status, 1)
        self.assertIn("loopback", line)

    def test_a_missing_input_or_a_folder_is_refused(self):
        for path, wanted in ((self.path("nothing"), "No such file"), (self.folder, "is a directory")):
            status, line = self.refused(*SMALL, "--input", path)
            self.assertEqual(status, 1)
            self.assertIn(f"--input {path}: {wanted}", line)


if __name__ == "__main__":
    unittest.main(verbosity=2)
