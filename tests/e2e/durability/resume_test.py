"""A file given by --input resumes where the newest checkpoint left it: the model is that of an uninterrupted run."""

import gzip
import json
import os
import shutil
import struct
import unittest
from random import Random

from harness import SMALL, TestCase, csv, examples, f32, ndjson, npy, svmlight, until, vw

MANY = 60000


class Resume(TestCase):
    def straight(self, content, *arguments):
        path = self.write("straight", content)
        daemon = self.start(*SMALL, "--input", path, "--serve", *arguments)
        read = lambda: next(s["bytes"] for s in daemon.status()["sources"] if s["kind"] == "file")
        until(lambda: read() == len(content), "the file is read")
        answers = daemon.get("/v1/model").body, daemon.get("/v1/moments").body
        self.assertEqual(daemon.stop(), 0)
        return answers

    def saved(self):
        """The examples of the newest checkpoint."""
        names = os.listdir(self.path("state")) if os.path.exists(self.path("state")) else []
        return max((int(name.split("-")[2].split(".")[0]) for name in names
                    if name.startswith("checkpoint-") and name.endswith(".safetensors")), default=0)

    def finish(self, path, *arguments):
        """Runs until the file has ended, and returns the model that is kept."""
        status, _, log = self.run_to_end(*SMALL, "--input", path, "--state-directory", self.path("state"), *arguments)
        self.assertEqual(status, 0, log)
        return self.kept(), log

    def kept(self):
        """The model and the moments of the newest checkpoint."""
        daemon = self.start(*SMALL, "--state-directory", self.path("state"))
        answers = daemon.get("/v1/model").body, daemon.get("/v1/moments").body
        self.assertEqual(daemon.stop(), 0)
        return answers

    def kill_amid(self, content, *arguments):
        """kill -9 amid a file; the arguments of the later start."""
        shutil.rmtree(self.path("state"), True)
        path = self.write("examples", content)
        often = ("--checkpoint-examples", 1000, *arguments)
        daemon = self.start(*SMALL, "--input", path, "--serve", "--state-directory", self.path("state"), *often)
        until(lambda: self.saved() >= 1000, "a checkpoint amid the file")
        daemon.kill()
        return path, *often

    def killed(self, content, *arguments):
        """kill -9 amid the file, then the rest of it."""
        return self.finish(*self.kill_amid(content, *arguments))[0]

    def test_wide_rows_which_are_mapped(self):
        self.resume_wide_rows("f32", b"")

    def test_wide_rows_behind_a_header_of_numpy(self):
        self.resume_wide_rows("npy", npy([(0, [0] * 300)] * 4000)[:-4000 * 4 * 301])

    def resume_wide_rows(self, form, header):
        d, rows = 300, 4000
        shutil.rmtree(self.path("state"), True)
        wide = ("--dimension", d, "--budget", 5, "--format", form)
        random = Random(1)
        content = header + b"".join(struct.pack(f"<{d + 1}f", *[random.uniform(-1, 1) for _ in range(d + 1)]) for _ in range(rows))
        state = ("--state-directory", self.path("state"), "--checkpoint-examples", 500)

        def model(*arguments):
            daemon = self.start(*wide, *arguments)
            answers = daemon.get("/v1/model").body, daemon.get("/v1/moments").body
            self.assertEqual(daemon.stop(), 0)
            return answers

        piped = self.path("piped")
        status, _, log = self.run_to_end(*wide, "--state-directory", piped, "--input", "-", stdin=content)
        self.assertEqual(status, 0, log)
        expected = model("--state-directory", piped)
        # A part of it, killed; the rest appended, and a part of a row.
        path = self.write("wide", content[:len(header) + 4 * (d + 1) * (rows * 2 // 3)])
        daemon = self.start(*wide, "--input", path, "--serve", *state)
        until(lambda: daemon.status()["examples"] == rows * 2 // 3 and self.saved() >= 500, "the part is read")
        daemon.kill()
        self.write("wide", content + content[-d:])
        status, _, log = self.run_to_end(*wide, "--input", path, *state)
        self.assertEqual(status, 1)
        self.assertRegex(log, rf"wide: ends within a row, after {d} of its {4 * (d + 1)} bytes" if not header else
                         rf"wide: has more behind the {rows} rows that its .npy header says")
        self.assertIn("resuming at byte", log)
        self.assertEqual(model("--state-directory", self.path("state")), expected)

    def test_after_sigterm(self):
        content = svmlight(examples(MANY)).encode()
        part = content[:content.index(b"\n", len(content) * 2 // 3) + 1]  # of whole lines
        path = self.write("examples", part)
        answers, _ = self.finish(path)
        self.write("examples", content)
        self.assertNotEqual(answers, self.straight(content))
        answers, log = self.finish(path)
        self.assertIn(f"resuming at byte {len(part)}, after {part.count(10)} records", log)
        self.assertEqual(answers, self.straight(content))

    def test_after_sigterm_amid_reading(self):
        content = svmlight(examples(MANY)).encode()
        path = self.write("examples", content)
        for _ in range(3):
            daemon = self.start(*SMALL, "--input", path, "--serve", "--state-directory", self.path("state"))
            self.assertEqual(daemon.stop(), 0)
        answers, _ = self.finish(path)
        self.assertEqual(answers, self.straight(content))

    def test_after_kill_9_in_every_format(self):
        rows = examples(MANY)
        # The third row says nothing of the format: alone it would be taken for CSV.
        bare = svmlight(rows[:2]) + "1\n" * 30000 + svmlight(rows)
        for name, content, arguments in (("svmlight", svmlight(rows), ()), ("svmlight with bare labels", bare, ()),
                                         ("vw", vw(rows), ()), ("csv with header", csv(rows, header=True), ()),
                                         ("ndjson", ndjson(rows), ()), ("f32", f32(rows), ("--format", "f32")),
                                         ("npy", npy(rows), ("--format", "npy"))):
            with self.subTest(name):
                content = content if isinstance(content, bytes) else content.encode()
                self.assertEqual(self.killed(content, *arguments), self.straight(content, *arguments))

    def test_two_files_are_read_one_after_another_also_when_killed_amid_either(self):
        contents = [svmlight(examples(MANY, seed=1)).encode(), csv(examples(MANY, seed=2)).encode()]
        paths = [self.write(f"examples-{i}", content) for i, content in enumerate(contents)]
        inputs = ("--input", paths[0], "--input", paths[1], "--queue", "64KiB")  # small: readers would take turns
        state = ("--state-directory", self.path("state"), "--checkpoint-examples", 1000)

        def run(*killed_after):
            shutil.rmtree(self.path("state"), True)
            for count in killed_after:
                daemon = self.start(*SMALL, *inputs, *state, "--serve")
                until(lambda: self.saved() >= count, "a checkpoint amid the files")
                daemon.kill()
            status, _, log = self.run_to_end(*SMALL, *inputs, *state)
            self.assertEqual(status, 0, log)
            self.assertEqual(self.saved(), 2 * MANY)
            return self.kept()

        straight = self.start(*SMALL, "--serve", "--input", self.write("one", contents[0]))
        straight.wait_examples(MANY)
        straight.post("/v1/learn?format=csv", contents[1])
        straight = straight.get("/v1/model").body, straight.get("/v1/moments").body
        self.assertEqual(run(), straight)
        self.assertEqual(run(1000, MANY + 1000), straight)

    def test_a_file_that_became_shorter_is_refused(self):
        path = self.write("examples", svmlight(examples(100)))
        self.finish(path)
        self.write("examples", svmlight(examples(10)))
        status, line = self.refused(*SMALL, "--input", path, "--state-directory", self.path("state"))
        self.assertEqual(status, 1)
        self.assertRegex(line, rf"--input {path}: has \d+ bytes, but the checkpoint had read \d+")

    def test_another_file_under_the_same_name_is_refused_and_not_read_from_the_middle(self):
        content = svmlight(examples(1000)).encode()
        path = self.write("examples", content)
        self.finish(path)
        arguments = (*SMALL, "--input", path, "--state-directory", self.path("state"))
        for other in (svmlight(examples(2000, seed=2)).encode(), content[:-4] + b"9" + content[-3:], b"9" + content[1:]):
            self.write("examples", other)
            for _ in range(2):
                status, line = self.refused(*arguments)
                self.assertEqual(status, 1)
                self.assertRegex(line, rf"--input {path}: its first {len(content)} bytes are not those that the checkpoint "
                                       "had read: it was replaced or changed; .*--replaced-input read")
        # Ways out, and the right file.
        self.write("examples", content + b"1 1:1\n")
        status, _, log = self.run_to_end(*arguments)
        self.assertIn("finished: 1001 examples", log)
        self.write("other", other)
        status, _, log = self.run_to_end(*SMALL, "--input", self.path("other"), *arguments[-2:])
        self.assertIn("finished: 2001 examples", log)
        self.write("examples", other)
        status, _, log = self.run_to_end(*arguments, "--restore", "never")
        self.assertIn("finished: 999 examples", log)  # its first label, 90.09375 beside at most 1.5, is left out as an outlier
        self.assertIn("and 1 example with them", log)

    def test_a_file_that_was_replaced_is_reported_while_all_else_works(self):
        old, new, other = examples(20), examples(30, seed=2), examples(10, seed=3)
        path = self.write("log", svmlight(old[:15]))
        state = ("--state-directory", self.path("state"))
        self.finish(path)
        self.write("log", svmlight(old))
        os.rename(path, path + ".1")
        self.write("log", svmlight(new))
        self.write("other", svmlight(other))
        daemon = self.start(*SMALL, *state, "--input", path, "--input", self.path("other"), "--serve")
        daemon.wait_examples(25)
        daemon.wait_log(r"log: has \d+ bytes|log: its first \d+ bytes are not those .* replaced or changed")
        daemon.post("/v1/learn", ndjson(examples(5)))
        sources = {os.path.basename(source["name"]): source for source in daemon.status()["sources"]}
        self.assertIn("replaced or changed", sources["log"]["failure"])
        self.assertIsNone(sources["other"]["failure"])
        self.assertIn(f'glimpse_input_failed{{source="{path}"}} 1', daemon.get("/metrics").body.decode())
        answer = daemon.get("/readyz?for=learning")
        self.assertEqual((answer.status, answer.error()), (503, "input_failed"))
        self.assertIn(b"ready, but an input has failed: ", daemon.get("/readyz").body)
        self.assertEqual(daemon.stop(), 1)
        # What the message names: the old file under its new name first, or the new one from its beginning.
        shutil.copytree(self.path("state"), self.path("copy"))
        status, _, log = self.run_to_end(*SMALL, *state, "--input", path + ".1", "--input", path)
        self.assertEqual(status, 0, log)
        self.assertIn(f"log.1: is the file that was read as {os.path.realpath(path)}", log)
        self.assertIn("after 15 records", log)
        self.assertIn(f"finished: {30 + 5 + 30} examples", log)
        status, _, log = self.run_to_end(*SMALL, *state, "--input", path + ".1", "--input", path)
        self.assertIn(f"finished: {30 + 5 + 30} examples", log)
        copy = ("--state-directory", self.path("copy"))
        status, _, log = self.run_to_end(*SMALL, *copy, "--input", path, "--replaced-input", "read")
        self.assertEqual(status, 0, log)
        self.assertIn(f"finished: {30 + 30} examples", log)

    def test_a_change_amid_what_was_read_is_noticed(self):
        rows = examples(2000)
        for name, content, *more in (("plain", svmlight(rows).encode()), ("csv", csv(rows, header=True).encode()),
                                     ("f32", f32(rows), "--format", "f32"), ("npy", npy(rows), "--format", "npy")):
            for pack in (bytes, gzip.compress):
                with self.subTest(name=name, pack=pack):
                    shutil.rmtree(self.path("state"), True)
                    arguments = (*SMALL, "--input", self.path("log"), "--state-directory", self.path("state"), *more)
                    self.write("log", pack(content))
                    self.assertEqual(self.run_to_end(*arguments)[0], 0)
                    self.assertEqual(self.run_to_end(*arguments)[0], 0)
                    middle = content.index(b"1", len(content) // 2) if not more else len(content) // 2
                    other = content[:middle] + bytes([content[middle] ^ 2]) + content[middle + 1:]
                    self.write("log", pack(other))
                    status, line = self.refused(*arguments)
                    self.assertEqual(status, 1)
                    self.assertIn(f"its first {len(content)} bytes are not those that the checkpoint had read", line)

    def test_what_lies_far_into_a_file_is_compared_and_read_once(self):
        comments = (b"# " + b"x" * 60000 + b"\n") * 600  # 34 MiB
        content = comments + svmlight(examples(MANY)).encode()[:-1]
        expected = self.straight(content)
        changed = len(comments) - 10
        change = lambda content: content[:changed] + b"y" + content[changed + 1:]
        for _ in range(20):  # on a busy machine the kill may come behind the end
            arguments = self.kill_amid(content)
            position, compared = self.read_of_the_file()
            if compared < position:
                break
        self.assertLess(len(comments), compared)
        self.assertLess(compared, position)  # amid a block
        again = (*SMALL, "--input", arguments[0], "--state-directory", self.path("state"))
        self.write("examples", change(content))
        self.assertIn("replaced or changed", self.refused(*again)[1])
        self.write("examples", content)
        model, log = self.finish(*arguments)
        self.assertIn(f"finished: {MANY} examples", log)
        self.assertEqual(model, expected)
        # What came behind a line that had not ended is compared as well.
        content += b"\n" + svmlight(examples(5)).encode()
        self.write("examples", content)
        self.assertIn(f"finished: {MANY + 5} examples", self.finish(*arguments)[1])
        self.assertEqual(self.read_of_the_file(), (len(content), len(content)))
        self.write("examples", change(content))
        self.assertIn("replaced or changed", self.refused(*again)[1])

    def read_of_the_file(self):
        """How many bytes of the only file the newest checkpoint holds, and how many of them are compared."""
        name = max((name for name in os.listdir(self.path("state")) if name.endswith(".safetensors")),
                   key=lambda name: int(name.split("-")[1]))
        with open(os.path.join(self.path("state"), name), "rb") as file:
            data = file.read()
        length = struct.unpack("<Q", data[:8])[0]
        number = lambda array, i: struct.unpack_from("<Q", data, 8 + length + json.loads(data[8:8 + length])[array]["data_offsets"][0] + 8 * i)[0]
        return number("inputs.progress", 1), number("inputs.beginnings", 0)

    def test_a_file_of_questions_may_be_another_one_at_each_start(self):
        rows = examples(300)
        state = ("--state-directory", self.path("state"))
        self.finish(self.write("examples", csv(rows)))
        asked = lambda first, last: "".join(line.split(",", 1)[1] for line in csv(rows[first:last]).splitlines(True))
        for first, last in ((0, 40), (40, 60), (40, 60), (60, 200)):
            path = self.write("questions", asked(first, last))
            status, out, log = self.run_to_end(*SMALL, *state, "--input", path)
            self.assertEqual(status, 0, log)
            self.assertEqual(len(out.splitlines()), last - first)
            self.assertIn("finished: 300 examples", log)

    def test_a_file_that_is_gone_is_reported_while_all_else_works(self):
        path = self.write("log", svmlight(examples(20)))
        self.finish(path)
        os.rename(path, path + ".1")
        daemon = self.start(*SMALL, "--state-directory", self.path("state"), "--input", path, "--serve")
        daemon.wait_log(f"error --input {path}: No such file or directory")
        self.assertEqual(daemon.post("/v1/learn", ndjson(examples(5))).json()["accepted"], 5)
        self.assertEqual(daemon.get("/readyz?for=learning").error(), "input_failed")
        self.assertIn("No such file", next(s["failure"] for s in daemon.status()["sources"] if s["name"] == path))
        self.assertEqual(daemon.stop(), 1)
        os.rename(path + ".1", path)
        self.assertIn("after 20 records", self.finish(path)[1])
        status, line = self.refused("--budget", 2, "--input", self.path("none"), "--serve", "--http", "unix:" + self.path("h"))  # which was to tell the attributes
        self.assertEqual(status, 1)
        self.assertIn("none: No such file or directory", line)

    def test_a_file_that_changes_while_it_is_read_is_reported(self):
        head = svmlight(examples(10))
        lines = head + " 1:0.5 2:0.125\n" * 400000
        for name, other, status, message in (
                ("short", lines[:len(head) + 15 * 390000], 1, "error .*short: was cut short while it was read"),
                ("mixed", lines.replace("2:0", "3:0"), 0, "warning .*mixed: was overwritten while it was read"),
                ("longer", lines.replace("2:0", "3:0") + " 1:1\n" * 9, 0, "warning .*longer: was overwritten while it was read"),
                ("grown", lines + " 1:1\n", 0, "finished: 10 examples, .* 400001 predictions")):
            with self.subTest(name):
                path = self.write(name, lines)
                daemon = self.start(*SMALL, "--input", path)  # whose answers nobody takes yet, so that it waits
                daemon.wait_examples(10)
                with open(path, "r+", encoding="utf-8") as file:
                    file.write(other)
                    file.truncate()
                daemon.process.communicate(timeout=60)
                self.assertEqual(daemon.wait(), status)
                daemon.wait_log(message)

    def test_a_copy_of_a_file_is_no_renamed_one(self):
        path = self.write("log", svmlight(examples(20)))
        self.finish(path)
        log = self.finish(shutil.copy(path, self.path("copy")))[1]
        self.assertNotIn("was read as", log)
        self.assertIn("finished: 40 examples", log)

    def test_a_last_line_that_was_read_before_it_ended_is_not_read_as_two(self):
        lines = svmlight(examples(3)) + "3 1:3 2:7"
        rest = "5 \n4 1:4 2:2\n5 1:1 2:1\n"
        for name, pack in (("plain", bytes), ("gzip", gzip.compress)):
            with self.subTest(name):
                shutil.rmtree(self.path("state"), True)
                path = self.write(name, pack(lines.encode()))
                self.assertIn("finished: 4 examples", self.finish(path)[1])
                self.write(name, pack((lines + rest).encode()))
                log = self.finish(path)[1]
                self.assertRegex(log, rf"warning {path}: line 4 was read before it ended, and the file went on within it: the "
                                      "other 3 bytes of that line, '5 .*', are skipped; --last-line wait")
                self.assertIn("finished: 6 examples", log)
                self.assertIn("finished: 6 examples", self.finish(path)[1])
        # A line that lacked its newline alone is whole.
        shutil.rmtree(self.path("state"))
        self.finish(self.write("plain", lines))
        self.write("plain", lines + "\r\n4 1:4 2:2\n")
        log = self.finish(self.path("plain"))[1]
        self.assertNotIn("before it ended", log)
        self.assertIn("finished: 5 examples, 15 attributes revealed, 0 predictions, 0 lines", log)

    def test_a_last_line_is_left_until_it_has_ended_where_that_is_asked_for(self):
        content = svmlight(examples(100)).encode()
        cut = len(content) - 5
        path = self.write("log", content[:cut])
        for _ in range(2):
            log = self.finish(path, "--last-line", "wait")[1]
            self.assertRegex(log, rf"{path}: its last line, of \d+ bytes, has not ended; it is left for a later start")
            self.assertIn("finished: 99 examples", log)
        self.write("log", content)
        answers, log = self.finish(path, "--last-line", "wait")
        self.assertNotIn("has not ended", log)
        self.assertEqual(answers, self.straight(content))

    def test_a_file_is_known_by_whatever_path_it_is_given(self):
        path = self.write("examples", svmlight(examples(100)))
        self.finish(path)
        os.symlink(path, self.path("link"))
        for other in (os.path.relpath(path), self.path("..", os.path.basename(self.folder), "examples"), self.path("link")):
            _, log = self.finish(other)
            self.assertIn("after 100 records", log)
            self.assertIn("finished: 100 examples", log)

    def test_questions_in_a_file_are_answered_at_each_start_and_nothing_is_learned_again(self):
        rows = examples(60)
        asked = lambda row: (float("nan"), row[1])
        head, *lines = csv(rows, header=True).splitlines()
        blank = lambda line: "," + line.split(",", 1)[1]
        text = "\n".join([head, *lines[:40], *map(blank, lines[40:50]), ",1,2", *map(blank, lines[50:]), *lines[:5]]) + "\n"
        contents = {"csv": (text.encode(), 21), "gzip": (gzip.compress(text.encode()), 21),
                    "f32": (f32(rows[:40] + [asked(row) for row in rows[40:]] + rows[:5]), 20)}
        for name, (content, questions) in contents.items():
            with self.subTest(name):
                shutil.rmtree(self.path("state"), True)
                path = self.write("examples", content)
                run = lambda: self.run_to_end(*SMALL, "--input", path, "--state-directory", self.path("state"),
                                              *(["--format", "f32"] if name == "f32" else []))
                status, first, log = run()
                self.assertEqual(status, 0, log)
                self.assertEqual(len(first.splitlines()), questions)
                self.assertIn("finished: 45 examples", log)
                answers = run()
                for _ in range(2):
                    status, again, log = run()
                    self.assertEqual((status, again), answers[:2], log)
                    self.assertEqual(len(again.splitlines()), questions)
                    self.assertEqual(questions > 20 and again.splitlines()[10].startswith("error: line 52: "), questions > 20)
                    self.assertIn("finished: 45 examples", log)
                    self.assertIn(f"that are answered again, from line {42 if questions > 20 else 41} on", log)
        self.assertNotIn("answered again", self.run_to_end(*SMALL, "--input", path, "--format", "f32", "--replies", "none",
                                                           "--state-directory", self.path("state"))[2])

    def test_the_same_file_twice_is_refused(self):
        path = self.write("examples", svmlight(examples(10)))
        os.symlink(path, self.path("link"))
        os.link(path, self.path("hard"))
        os.mkfifo(self.path("fifo"))
        for first, second in ((path, path), (path, os.path.relpath(path)), (path, self.path("link")), (path, self.path("hard")),
                              (self.path("fifo"), self.path("fifo"))):
            status, line = self.refused(*SMALL, "--input", first, "--input", second)
            self.assertEqual(status, 2)
            self.assertIn(f"--input {second}: is the same file as --input {first}", line)

    def test_strict_meets_the_same_line_again_after_a_restart(self):
        path = self.write("examples", "1 1:1\n1 1:1\n1 x\n1 1:1\n")
        arguments = (*SMALL, "--input", path, "--strict", "--state-directory", self.path("state"))
        for _ in range(2):
            status, _, log = self.run_to_end(*arguments)
            self.assertEqual(status, 1)
            self.assertIn("line 3: ", log)
        self.write("examples", "1 1:1\n1 1:1\n1 2:1\n1 1:1\n")
        status, _, log = self.run_to_end(*arguments)
        self.assertEqual(status, 0)
        self.assertIn("finished: 4 examples", log)


if __name__ == "__main__":
    unittest.main(verbosity=2)
