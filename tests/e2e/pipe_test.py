"""Examples piped in: learned, answered, kept."""

import contextlib
import gzip
import os
import re
import shutil
import signal
import struct
import subprocess
import unittest

from harness import SMALL, StreamClient, TestCase, csv, examples, f32, ndjson, npy, svmlight, unlabelled, until, vw


class Pipe(TestCase):
    def test_standard_input_is_learned_and_ends_with_a_checkpoint_and_a_summary(self):
        rows = examples(300)
        status, out, log = self.run_to_end(*SMALL, "--state-directory", self.path("state"),
                                           stdin=svmlight(rows).encode())
        self.assertEqual(status, 0, log)
        self.assertEqual(out, "")
        self.assertRegex(log, r"finished: 300 examples, \d+ attributes revealed, 0 predictions")
        self.assertLessEqual(int(re.search(r"(\d+) attributes revealed", log).group(1)), 900)  # the budget
        self.assertRegex(log, r"progressive loss [-0-9.e]+ \+- [0-9]")
        kept = re.search(r"state kept in (\S+)", log).group(1)
        self.assertIn("-300.safetensors", kept)
        self.assertTrue(os.path.exists(self.path("state", kept)))

    def test_a_last_line_without_newline_counts(self):
        status, _, log = self.run_to_end(*SMALL, stdin=b"1 1:0.5\n-1 2:0.25")
        self.assertEqual(status, 0)
        self.assertIn("finished: 2 examples", log)

    def test_a_pipe_is_read_beside_the_doors_and_its_end_leaves_them_open(self):
        daemon = self.start(*SMALL, stdin=subprocess.PIPE)
        daemon.wait_log("standard input is a pipe, and is read beside --listen and --http")
        daemon.process.stdin.write(svmlight(examples(100)).encode())
        daemon.process.stdin.close()
        daemon.wait_examples(100)
        daemon.wait_log("stdin has ended; glimpsed goes on answering")
        self.assertEqual(daemon.post("/v1/learn", ndjson(examples(10))).json()["accepted"], 10)
        self.assertEqual(daemon.stop(), 0)
        daemon.wait_text("finished: 110 examples")

    def test_a_file_on_standard_input_is_read_beside_the_doors(self):
        with open(self.write("examples", svmlight(examples(50))), "rb") as file:
            daemon = self.start(*SMALL, stdin=file)
        daemon.wait_examples(50)
        self.assertEqual(daemon.stop(), 0)

    def test_dev_null_is_not_read_beside_the_doors(self):
        daemon = self.start(*SMALL)
        self.assertEqual(daemon.stop(), 0)
        self.assertNotIn("standard input", daemon.stderr)

    def test_records_without_a_label_where_labels_were_expected_are_a_failure(self):
        status, _, log = self.run_to_end(*SMALL, stdin=b" 1:1\n 2:1\n")
        self.assertEqual(status, 1)
        self.assertIn("error nothing was learned: none of 2 records had a label", log)
        # They are what a model that was learned is asked.
        state = ("--state-directory", self.path("state"))
        self.assertEqual(self.run_to_end(*SMALL, *state, stdin=b"1 1:1\n")[0], 0)
        self.assertEqual(self.run_to_end(*SMALL, *state, stdin=b" 1:1\n 2:1\n")[0], 0)
        self.assertEqual(self.run_to_end(*SMALL, *state)[0], 0)

    def test_the_journal_gets_priorities_in_place_of_times(self):
        log = self.path("journal")
        with open(log, "wb") as file:
            status = os.fstat(file.fileno())
            environment = dict(os.environ, JOURNAL_STREAM=f"{status.st_dev}:{status.st_ino}")
            for options in (SMALL, ("--nonsense",)):
                subprocess.run([os.environ["GLIMPSE_BIN"], *map(str, options)], input=b"1 x\n", stderr=file, env=environment,
                               check=False, timeout=60)
        with open(log, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertTrue(lines[0].startswith("<6>info --algorithm auto"), lines)
        self.assertTrue(any(line.startswith("<4>warning stdin: line 1: ") for line in lines), lines)
        self.assertTrue(any(line.startswith("<3>error nothing was learned: ") for line in lines), lines)
        self.assertTrue(lines[-1].startswith("<3>glimpsed: unrecognised option '--nonsense'"), lines)

    def test_no_input_at_all_is_a_failure_that_says_so(self):
        status, out, log = self.run_to_end(*SMALL)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("error nothing was learned: the input has no record", log)
        self.assertIn("finished: 0 examples", log)

    def test_unlabelled_lines_are_answered_on_standard_output_in_their_order(self):
        rows = examples(500)
        lines = [line for row in rows for line in (vw([row]), f"'{len(row[1])}" + unlabelled(row[1]))]
        status, out, log = self.run_to_end(*SMALL, stdin="".join(lines).encode())
        self.assertEqual(status, 0, log)
        answers = out.splitlines()
        self.assertEqual(len(answers), 500)
        for answer in answers:
            self.assertRegex(answer, r"^-?[0-9.]+(e[-+]?\d+)? 4$")
        # The order shows when each tag is its own.
        tagged = "".join(f"'t{i}| 0:1\n" for i in range(2000))
        _, out, _ = self.run_to_end(*SMALL, stdin=tagged.encode())
        self.assertEqual([answer.split()[1] for answer in out.splitlines()], [f"t{i}" for i in range(2000)])

    def test_the_same_examples_in_every_format_give_the_same_model(self):
        rows = examples(800)
        inputs = {
            "svmlight": svmlight(rows), "vw": vw(rows), "csv": csv(rows), "ndjson": ndjson(rows), "f32": f32(rows), "npy": npy(rows),
            "csv with header": csv(rows, header=True),
        }
        models = {}
        for name, content in inputs.items():
            for form in [name.split()[0], "auto"]:
                if form == "auto" and name in ("f32", "npy"):
                    continue
                path = self.write("examples", content)
                daemon = self.start(*SMALL, "--input", path, "--format", form, "--serve")
                daemon.wait_examples(800)
                model = daemon.get("/v1/model").json()
                if name == "csv with header":
                    self.assertEqual(model.pop("names"), ["a0", "a1", "a2", "a3"])
                self.assertNotIn("names", model)
                models[name, form] = str(model)
                self.assertEqual(daemon.stop(), 0)
        self.assertEqual(len(set(models.values())), 1, models)

    def test_strict_stops_at_the_first_bad_line_with_status_1(self):
        # However soon the end of the input is noticed.
        for tail in ("", svmlight(examples(20000))):
            status, _, log = self.run_to_end(*SMALL, "--strict", stdin=("1 1:1\n1 x\n1 1:1\n" + tail).encode())
            self.assertEqual(status, 1, log)
            self.assertRegex(log, r"stdin: line 2: .*\(--strict\)")
            self.assertIn("finished: 1 examples", log)

    def test_without_strict_bad_lines_are_counted_and_skipped(self):
        status, _, log = self.run_to_end(*SMALL, stdin=b"1 1:1\n1 x\n1 1:1\n")
        self.assertEqual(status, 0)
        self.assertRegex(log, r"stdin: line 2: ")
        self.assertIn("finished: 2 examples", log)
        self.assertIn("1 lines that could not be read", log)

    def test_a_flood_of_bad_lines_does_not_flood_the_log(self):
        status, _, log = self.run_to_end(*SMALL, stdin=b"1 x\n" * 100000)
        self.assertEqual(status, 1)
        self.assertIn("error nothing was learned: none of 100000 records could be read", log)
        self.assertLess(len(log.splitlines()), 1000)
        self.assertIn("100000 lines that could not be read", log)

    def test_progress_prints_a_row_whenever_the_examples_have_doubled(self):
        _, _, log = self.run_to_end(*SMALL, "--algorithm", "two-phase-ddaerr", "--progress",
                                   stdin=svmlight(examples(100)).encode())
        self.assertRegex(log, r"loss +recent +standard +R2 +its +examples +attributes")
        rows = [line.split() for line in log.splitlines() if re.match(r"^ *(-|[0-9.]+(e[-+]\d+)?) +[-0-9.]", line)]
        self.assertEqual([int(row[5]) for row in rows], [1, 2, 4, 8, 16, 32, 64])
        for row in rows:
            self.assertLessEqual(int(row[6]), 3 * int(row[5]))  # the budget

    def test_a_table_of_progress_that_nobody_reads_does_no_harm(self):
        read, write = os.pipe()
        os.close(read)
        daemon = subprocess.Popen([os.environ["GLIMPSE_BIN"], *map(str, SMALL), "--progress", "--state-directory",
                                   self.path("state")], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=write)
        os.close(write)
        daemon.communicate(svmlight(examples(100)).encode(), timeout=60)
        self.assertEqual(daemon.returncode, 0)
        self.assertTrue(any("-100.safetensors" in name for name in os.listdir(self.path("state"))))

    def test_learning_goes_on_when_nobody_reads_the_predictions(self):
        daemon = self.start(*SMALL, "--input", "-", stdin=subprocess.PIPE)
        daemon.process.stdout.close()
        content = "".join(vw([row]) + unlabelled(row[1]) for row in examples(1000))
        daemon.process.stdin.write(content.encode())
        daemon.process.stdin.flush()
        daemon.wait_examples(1000)
        self.assertEqual(daemon.stop(), 1)  # as predictions were lost
        self.assertEqual(daemon.stderr.count("predictions cannot be written to standard output"), 1, daemon.stderr)
        daemon.wait_text("error 1000 predictions were lost, as standard output could not be written")

    def test_predictions_that_a_full_disk_does_not_take_give_status_1_and_are_counted(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([os.environ["GLIMPSE_BIN"], *map(str, SMALL)], input=b"1 | 0:1\n| 0:1\n| 1:1\n", stdout=full,
                                  stderr=subprocess.PIPE, check=False, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"error predictions cannot be written to standard output: No space left on device", done.stderr)
        self.assertIn(b"error 2 predictions were lost, as standard output could not be written", done.stderr)

    def unread(self, *arguments, questions, **keywords):
        """A daemon with one example and many questions in a file, whose standard output nobody reads."""
        path = self.write("examples", "1 | 0:0.3\n" + "'a_tag_of_some_length| 0:0.7\n" * questions)
        return self.start(*SMALL, "--input", path, *arguments, **keywords)

    def test_a_reader_of_standard_output_that_stopped_holds_up_its_own_input_alone(self):
        questions = 1000000
        daemon = self.unread("--serve", "--listen", "tcp:127.0.0.1:0", questions=questions)
        predicted = lambda: daemon.status()["predictions"]
        until(lambda: predicted() > 50000, "predictions were made")
        for seed in range(3):
            self.assertEqual(daemon.post("/v1/learn", ndjson(examples(100, seed=seed))).json()["accepted"], 100)
        with daemon.client() as client:
            float(client.ask("1 | 0:1\n| 0:1\n"))
        self.assertEqual(daemon.post("/v1/predict", '{"values": {"0": 1}}').status, 200)
        self.assertEqual(daemon.status()["examples"], 302)
        self.assertLess(predicted(), questions)  # the input is held back
        # And all of it comes to who begins to read.
        for _ in range(questions):
            float(daemon.process.stdout.readline().split()[0])
        self.assertEqual(daemon.stop(), 0)
        self.assertNotIn("dropped", daemon.stderr)

    def test_the_end_of_the_input_waits_for_a_slow_reader_of_standard_output(self):
        daemon = self.unread(questions=20000, ready=False)  # more than a pipe holds
        daemon.wait_log("stopping: the input has ended")
        self.assertEqual(len(daemon.output().splitlines()), 20000)
        self.assertEqual(daemon.wait(), 0)
        self.assertNotIn("dropped", daemon.stderr)

    def test_a_signal_does_not_wait_for_who_reads_no_predictions_and_tells_how_many_were_dropped(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            for questions in (20000, 1000000):  # after the input has ended, and amid it
                with self.subTest(number=number, questions=questions):
                    daemon = self.unread("--state-directory", self.path("state"), "--restore", "never", questions=questions,
                                         ready=False)
                    daemon.wait_ready() if questions > 20000 else daemon.wait_log("stopping: the input has ended")
                    daemon.send_signal(number)
                    self.assertEqual(daemon.process.wait(30), 0)  # before anything is read
                    made = int(re.search(r"revealed, (\d+) predictions", daemon.stderr).group(1))
                    dropped = re.search(r"warn\w* predictions were dropped, .*: (\d+)", daemon.stderr)
                    read = daemon.process.stdout.read()
                    self.assertEqual(read.count(b"\n") + (int(dropped.group(1)) if dropped else 0), made)
                    daemon.wait_text("state kept in")

    def test_serve_keeps_the_doors_open_after_the_input_has_ended(self):
        daemon = self.start(*SMALL, "--input", "-", "--serve", stdin=subprocess.PIPE)
        daemon.process.stdin.write(svmlight(examples(10)).encode())
        daemon.process.stdin.close()
        daemon.wait_examples(10)
        self.assertEqual(daemon.get("/readyz").status, 200)
        self.assertEqual(daemon.stop(), 0)

    def test_an_end_of_input_amid_a_row_of_f32_is_told(self):
        daemon_input = f32(examples(3)) + struct.pack("<2f", 1, 2)
        status, _, log = self.run_to_end(*SMALL, "--format", "f32", stdin=daemon_input)
        self.assertEqual(status, 0)
        self.assertIn("finished: 3 examples", log)
        self.assertIn("1 lines that could not be read", log)

    def test_an_npy_file_of_another_kind_is_refused_with_what_to_do(self):
        good = npy(examples(30))
        for content, told in (
                (good.replace(b"<f4", b"<f8"), "save array.astype('<f4')"),
                (good.replace(b"(30, 5)", b"(30, 4)"), "a model of dimension 4 needs (rows, 5)"),
                (good[:40], "the .npy header is cut short after 40 bytes"),
                (f32(examples(30)), "no .npy file of version 1 to 3")):
            for stdin in (False, True):
                arguments = (*SMALL, "--format", "npy", *(() if stdin else ("--input", self.write("x.npy", content))))
                found, _, log = self.run_to_end(*arguments, **({"stdin": content} if stdin else {}))
                self.assertIn(told, log)
                self.assertEqual(found, 1, log)
                self.assertIn("finished: 0 examples", log)

    def test_an_npy_array_of_another_number_of_rows_than_its_header_says_is_an_error(self):
        rows = examples(30)
        good = npy(rows)
        fewer, more = good.replace(b"(30, 5)", b"(29, 5)"), good.replace(b"(30, 5)", b"(31, 5)")
        wide = npy([(y, x * 80) for y, x in examples(3000)])  # is mapped
        half = npy(rows)[:-12]
        cases = [("SMALL", good + b"no array" * 9, 30, "has more behind the 30 rows that its .npy header says"),
                 ("SMALL", good + b"x", 30, "has more behind the 30 rows"),
                 ("SMALL", good + good[:40], 30, "has more behind the 30 rows"),
                 ("SMALL", good + good.replace(b"<f4", b"<f8"), 30, "behind 30 rows: the .npy array is of '<f8'"),
                 ("SMALL", good + good + good.replace(b"(30, 5)", b"(25, 6)"), 60,
                  r"behind 60 rows: the .npy array has the shape '(25, 6)'; a model of dimension 4 needs (rows, 5)"),
                 ("SMALL", good + half, 59, "ends after 59 of the 60 rows that its .npy header says"),
                 ("SMALL", fewer, 29, "has more behind the 29 rows"), ("SMALL", more, 30, "ends after 30 of the 31 rows"),
                 ("SMALL", good[:-3], 29, "ends after 29 of the 30 rows"),
                 ("WIDE", wide + b"\0" * 1284, 3000, "has more behind the 3000 rows"),
                 ("WIDE", wide[:-1284], 2999, "ends after 2999 of the 3000 rows")]
        for size, content, learned, told in cases:
            options = SMALL if size == "SMALL" else ("--dimension", 320, "--budget", 3)
            for how in ("stdin", "file", "gzip"):
                with self.subTest(told=told, how=how):
                    path = self.write("x.npy", gzip.compress(content, 1) if how == "gzip" else content)
                    given = {"stdin": content} if how == "stdin" else {}
                    arguments = (*options, "--format", "npy", *(() if given else ("--input", path)))
                    for again in range(1 if given else 2):  # and from where it stopped
                        state = () if given else ("--state-directory", self.path(f"state-{len(told)}-{size}-{how}"))
                        status, _, log = self.run_to_end(*arguments, *state, **given)
                        self.assertIn(told, log)
                        self.assertEqual(status, 1, log)
                        self.assertIn(f"finished: {learned} examples", log)
                    shutil.rmtree(self.path(f"state-{len(told)}-{size}-{how}"), True)

    def test_arrays_behind_an_array_are_read_on(self):
        """As numpy.load() reads them: of a file, standard input and gzip, with a stop anywhere between two records."""
        for d, k, sizes in ((4, 3, (30, 1, 0, 25)), (31, 5, (30, 20, 20)), (320, 3, (1500, 3, 1500))):
            rows, at = examples(sum(sizes), 4), iter(range(sum(sizes)))
            rows = [(y, (x * (d // 4 + 1))[:d]) for y, x in rows]
            arrays = [npy([rows[next(at)] for _ in range(size)]) if size else
                      npy(rows[:1]).replace(b"(1,", b"(0,")[:-4 * (d + 1)] for size in sizes]
            options = ("--dimension", d, "--budget", k, "--format", "npy", "--seed", 3, "--solver", "inline")
            one = self.run_model(*options, "--input", self.write("one.npy", npy(rows)))
            whole = b"".join(arrays)
            with self.subTest(d=d, how="stdin"):
                self.assertEqual(self.run_model(*options, stdin=whole), one)
            for how in ("file", "gzip"):
                with self.subTest(d=d, how=how):
                    path = self.write("x.npy", gzip.compress(whole, 1) if how == "gzip" else whole)
                    self.assertEqual(self.run_model(*options, "--input", path), one)
            ends = [len(b"".join(arrays[:n])) for n in range(1, len(arrays))]
            row = 4 * (d + 1)
            for cut in {*ends, ends[0] - row, ends[0] + 128, ends[-1] + 128, ends[-1] + 128 + 2 * row, ends[0] + 40,
                        ends[-1] + 130 + row}:
                with self.subTest(d=d, cut=cut):
                    state = ("--state-directory", self.path("cut-state"))
                    path = self.write("x.npy", whole[:cut])
                    self.run_to_end(*options, *state, "--input", path)
                    self.write("x.npy", whole)
                    self.assertEqual(self.run_model(*options, *state, "--input", path), one)
                    shutil.rmtree(self.path("cut-state"))

    def run_model(self, *arguments, stdin=b""):
        """The model behind inputs that are read to their end, which is fine."""
        status, _, log = self.run_to_end(*arguments, *([] if "--state-directory" in arguments else
                                                       ["--state-directory", self.path("model-state")]), stdin=stdin)
        self.assertEqual(status, 0, log)
        state = arguments[arguments.index("--state-directory") + 1] if "--state-directory" in arguments else self.path("model-state")
        daemon = self.start(*arguments[:8], "--state-directory", state)
        model = [daemon.get("/v1/model").body, daemon.get("/v1/moments").body]
        self.assertEqual(daemon.stop(), 0)
        shutil.rmtree(self.path("model-state"), True)
        return model

    def test_questions_in_a_second_array_are_answered_again_after_a_restart(self):
        first, second = examples(20), examples(9, seed=2)
        asked = npy([(float("nan"), x) for _, x in second[:4]])
        path = self.write("x.npy", npy(first) + asked + npy(second))
        options = (*SMALL, "--format", "npy", "--state-directory", self.path("state"), "--input", path)
        _, answers, log = self.run_to_end(*options)
        self.assertIn("finished: 29 examples", log)
        self.assertEqual(len(answers.split()), 4)
        with open(path, "ab") as file:
            file.write(npy([*first[:3], (float("nan"), first[0][1])]))
        _, again, log = self.run_to_end(*options)
        self.assertIn("finished: 32 examples", log)
        self.assertEqual(len(again.split()), 5)

    def test_an_array_that_ends_too_soon_is_an_error_of_a_body_and_of_a_stream(self):
        array = npy(examples(30))[:-40]
        daemon = self.start(*SMALL, "--format", "npy", "--listen", "tcp:127.0.0.1:0")
        told = "the array ends after 28 of the 30 rows that its .npy header says: the others are missing"
        answer = daemon.post("/v1/learn?format=npy", array).json()
        self.assertEqual((answer["accepted"], [error["message"] for error in answer["errors"]]), (28, [told]))
        answer = daemon.post("/v1/predict?format=npy", array)
        self.assertEqual((answer.status, answer.json()["error"]["message"]), (400, "example 30: " + told))
        answer = daemon.post("/v1/learn?format=npy", array[:128])
        self.assertEqual((answer.status, answer.error()), (400, "invalid_example"))
        large = npy(examples(5000))[:-20]
        self.assertEqual(daemon.post("/v1/learn?format=npy", large).json()["accepted"], 4999)
        self.assertIn("ends after 4999 of the 5000 rows", daemon.post("/v1/predict?format=npy", large).json()["error"]["message"])
        with StreamClient(daemon.door("tcp")) as client:
            client.send(array)
            self.assertEqual(client.finish(), f"error: line 30: {told}\n")
        with StreamClient(daemon.door("tcp")) as client:
            client.send(npy(examples(3)))
            self.assertEqual(client.finish(), "")
        learned = daemon.status()["examples"]
        with StreamClient(daemon.door("tcp")) as client:
            client.send(npy(examples(3)) + npy(examples(5)))  # one behind the other
            self.assertEqual(client.finish(), "")
        self.assertEqual(daemon.status()["examples"], learned + 8)
        with StreamClient(daemon.door("tcp")) as client:
            client.send(npy(examples(3)) + array)
            self.assertEqual(client.finish(), f"error: line 34: {told}\n")
        answer = daemon.post("/v1/learn?format=npy", npy(examples(3)) + npy(examples(5))).json()  # of a body one is read
        self.assertEqual(answer["accepted"], 3)
        self.assertIn("behind the last that the .npy header says", answer["errors"][0]["message"])
        self.assertEqual(daemon.stop(), 0)

    def test_each_writer_of_a_fifo_may_bring_an_array_of_its_own(self):
        os.mkfifo(self.path("fifo"))
        daemon = self.start(*SMALL, "--format", "npy", "--input", self.path("fifo"), "--serve")
        folder = f"/proc/{daemon.process.pid}/fd/"
        links = lambda: [name for name in os.listdir(folder) if os.path.realpath(folder + name) == os.path.realpath(self.path("fifo"))]
        for count, rows in ((10, 10), (35, 25)):
            before = links()
            with open(self.path("fifo"), "wb") as fifo:
                fifo.write(npy(examples(rows)))
            daemon.wait_examples(count)
            until(lambda: links() not in (before, []), "the end of the writer is seen, and the next one waited for")
        for count, rest in ((42, 40), (49, 30)):  # the second ends within a row
            with open(self.path("fifo"), "wb") as fifo:
                fifo.write(npy(examples(9))[:-rest])
            daemon.wait_examples(count)
            daemon.wait_text("fifo: ends after 7 of the 9 rows that its .npy header says; what comes behind that from this writer is passed over, "
                             "and what its next writers bring is read", count=(count - 35) // 7)
        with open(self.path("fifo"), "wb") as fifo:
            fifo.write(npy(examples(9)))
        daemon.wait_examples(58)
        self.assertEqual(daemon.stop(), 1)  # which tells of it at the end

    def test_a_fifo_is_read_on_behind_a_writer_of_what_cannot_be_read(self):
        array, path = npy(examples(9)), self.path("fifo")
        for form, bad, learned, why in (
                ("npy", array + b"x" * 300000, 9, "has more behind the 9 rows that its .npy header says"),
                ("npy", b"no array" * 40000, 0, "no .npy file of version"),
                ("svmlight", svmlight(examples(9)).encode() + b"1 1:" + b"0" * 300000, 9, "longer than the limit of 4096 bytes"),
                ("svmlight", gzip.compress(svmlight(examples(9)).encode())[:-20] + b"x" * 300000, None, "gzip")):
            with self.subTest(why):
                os.mkfifo(path)
                daemon = self.start(*SMALL, "--format", form, "--input", path, "--serve", "--max-line", "4KiB")
                with open(path, "wb") as fifo:
                    fifo.write(bad)  # all of it is taken
                daemon.wait_text("what its next writers bring is read")
                self.assertRegex(daemon.stderr, f"error .*fifo: .*{why}")
                source = lambda: next(s for s in daemon.status()["sources"] if s["name"] == path)
                until(lambda: source()["failure"], "the failure shows")
                self.assertGreaterEqual(source()["parse_errors"], 1)
                self.assertEqual(daemon.get("/readyz?for=learning").error(), "input_failed")
                before = daemon.status()["examples"]
                if learned is not None:
                    self.assertEqual(before, learned)
                with open(path, "wb") as fifo:
                    fifo.write(array if form == "npy" else svmlight(examples(9)).encode())
                daemon.wait_examples(before + 9)
                until(lambda: not source()["failure"], "a writer that ends well takes the failure away")
                self.assertEqual(daemon.get("/readyz?for=learning").status, 200)
                self.assertEqual(daemon.stop(), 1)  # as one of its writers failed
                os.remove(path)

    def test_a_fifo_is_read_on_from_its_next_writers_where_there_are_doors(self):
        os.mkfifo(self.path("fifo"))
        daemon = self.start(*SMALL, "--input", self.path("fifo"), "--serve")
        for count, text in ((10, svmlight(examples(10))), (20, svmlight(examples(10))[:-1]), (40, svmlight(examples(20)))):
            with open(self.path("fifo"), "wb") as fifo:
                fifo.write(text.encode())
            daemon.wait_examples(count)
        with open(self.path("fifo"), "wb") as fifo:  # more than a pipe holds
            fifo.write(svmlight(examples(100000)).encode())
        daemon.wait_examples(100040)
        self.assertEqual(daemon.status()["examples"], 100040)
        self.assertEqual(daemon.stop(), 0)

    def test_each_writer_of_a_fifo_may_begin_with_a_header_of_its_own(self):
        os.mkfifo(self.path("fifo"))
        rows = examples(40)
        turned = lambda rows: "a3;y;a1;a2;a0\n" + "".join(f"{x[3]!r};{y!r};{x[1]!r};{x[2]!r};{x[0]!r}\n" for y, x in rows)
        table = csv(rows, header=True)
        daemon = self.start(*SMALL, "--label", "y", "--input", self.path("fifo"), "--serve")
        # A last line without its end counts once its writer's end was seen; only then is the next one another table.
        for count, text in ((40, table[:-1]), (80, turned(rows)[:-1]), (120, csv(rows)[:-1]), (160, table)):
            with open(self.path("fifo"), "wb") as fifo:
                fifo.write(text.encode())
            daemon.wait_examples(count)
        straight = self.start(*SMALL, "--label", "y")
        for _ in range(4):
            straight.post("/v1/learn?format=csv", table)
        self.assertEqual(daemon.model(), straight.model())
        self.assertEqual(daemon.status()["parse_errors"], 0)
        for each in (daemon, straight):
            self.assertEqual(each.stop(), 0)

    def test_a_fifo_is_read_from_its_first_writer_on_and_does_not_hold_up_the_start(self):
        os.mkfifo(self.path("fifo"))
        daemon = self.start(*SMALL, "--input", self.path("fifo"), "--state-directory", self.path("state"))
        with open(self.path("fifo"), "wb") as fifo:
            fifo.write(svmlight(examples(10)).encode())
            fifo.flush()
            daemon.wait_examples(10)
        self.assertEqual(daemon.wait(), 0)  # the writer's end is the input's end

    def test_an_input_that_cannot_be_read_on_ends_alone_where_there_are_doors(self):
        path = self.write("examples", svmlight(examples(10)).encode() + b"1 1:" + b"0" * 100000)
        daemon = self.start(*SMALL, "--input", path, "--serve", "--max-line", "4KiB", "--listen", "tcp:127.0.0.1:0")
        daemon.wait_log(r"examples: .*longer than the limit of 4096 bytes \(--max-line\); reading stopped there")
        with daemon.client() as client:
            float(client.ask("1 | 0:1\n| 0:1\n"))
        self.assertEqual(daemon.status()["examples"], 11)
        self.assertEqual(daemon.stop(), 1)  # which tells of it at the end

    def test_a_fifo_that_nobody_writes_to_does_not_hold_up_the_end(self):
        os.mkfifo(self.path("fifo"))
        daemon = self.start(*SMALL, "--input", self.path("fifo"))
        self.assertEqual(daemon.stop(signal.SIGINT), 0)

    def test_two_inputs_are_read_both(self):
        one, two = self.write("one", svmlight(examples(10))), self.write("two", csv(examples(20)))
        status, _, log = self.run_to_end(*SMALL, "--input", one, "--input", two)
        self.assertEqual(status, 0)
        self.assertIn("finished: 30 examples", log)


if __name__ == "__main__":
    unittest.main(verbosity=2)
