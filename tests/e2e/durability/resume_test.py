"""A file given by --input resumes where the newest checkpoint left it: the model is that of an uninterrupted run."""

import gzip
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

    def killed(self, content, *arguments):
        """kill -9 amid the file, then the rest of it."""
        shutil.rmtree(self.path("state"), True)
        path = self.write("examples", content)
        often = ("--checkpoint-examples", 1000, *arguments)
        daemon = self.start(*SMALL, "--input", path, "--serve", "--state-directory", self.path("state"), *often)
        until(lambda: any(int(name.split("-")[2].split(".")[0]) >= 1000 for name in os.listdir(self.path("state"))
                          if name.startswith("checkpoint-")), "a checkpoint amid the file")
        daemon.kill()
        return self.finish(path, *often)[0]

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
        self.write("wide", content + content[:d])
        status, _, log = self.run_to_end(*wide, "--input", path, *state)
        self.assertIn(f"row has {d} bytes", log)
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
                                       "had read: .*give it another name, or start from nothing with --restore never")
        # Both ways out that it names, and the right file.
        self.write("examples", content + b"1 1:1\n")
        status, _, log = self.run_to_end(*arguments)
        self.assertIn("finished: 1001 examples", log)
        self.write("other", other)
        status, _, log = self.run_to_end(*SMALL, "--input", self.path("other"), *arguments[-2:])
        self.assertIn("finished: 2001 examples", log)
        self.write("examples", other)
        status, _, log = self.run_to_end(*arguments, "--restore", "never")
        self.assertIn("finished: 1000 examples", log)

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
        text = "\n".join([head, *lines[:40], *map(blank, lines[40:50]), ",1,2,x,4", *map(blank, lines[50:]), *lines[:5]]) + "\n"
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
