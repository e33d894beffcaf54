"""--threads: the same is learned, said and kept, whatever number of threads reads."""

import re
import unittest

from doors_formats_test import given, sparse_vw, state_of, svmlight
from harness import SANITIZERS, TestCase, csv, examples, ndjson

DIMENSION, COUNT = 60, 2000 if SANITIZERS else 6000
THREADS = (1, 2, 3, 8)
ODD = 701  # of so many lines one is odd


def rows():
    return [(y, [v if n % 2 else 0.0 for n, v in enumerate(x, i)])
            for i, (y, x) in enumerate(examples(COUNT, DIMENSION))]


def named_vw(examples_):
    """Names come with the first lines in which they have a value."""
    return "".join(f"{y!r} |a " + " ".join(f"x{i}:{v!r}" for i, v in given(x)) + "\n" for y, x in examples_)


def spoil(text, odd_lines):
    """Puts odd lines in, each in its turn."""
    lines = text.splitlines(keepends=True)
    for n, at in enumerate(range(ODD, len(lines), ODD)):
        lines[at] = odd_lines[n % len(odd_lines)] + "\n"
    return "".join(lines)


def contents():
    """(what it is, --format, text)."""
    all_rows = rows()
    ones = ",1" * (DIMENSION - 1)
    yield "csv", "csv", spoil(csv(all_rows), ["", "# comment", "1,2,3", "word,1" + ones, "1,x" + ones])
    yield "csv with a header", "auto", spoil(csv(all_rows, header=True), ["", "NA,1" + ones, '1,"2"' + ones, "1,2"])
    yield "vw", "vw", spoil(sparse_vw(all_rows),
                            ["", "no bar", "| 1:1", "1 2.5 'tag| 3:1", "1 | 1:x 2:x", "1 | 99999:1"])
    yield "vw by names", "vw", spoil(named_vw(all_rows), ["", "1 |a x1:1 new:1", "word |a x1:1"])
    yield "svmlight", "svmlight", spoil(svmlight(all_rows), ["# comment", "? 1:1", "1 0:1", "1 3:1 2:1 # down"])
    yield "ndjson", "ndjson", spoil(ndjson(all_rows), ["", "{", '{"label": null, "values": {}}'])


class Threads(TestCase):
    def learn(self, name, threads, form, path, *more):
        """(state, what was said of lines that could not be read) of a run over the file at `path`."""
        state = self.path(name)
        status, out, log = self.run_to_end("--dimension", DIMENSION, "--budget", 5, "--seed", 3, "--solver", "inline",
                                           "--format", form, "--threads", threads, "--state-directory", state,
                                           "--input", path, *more)
        self.assertEqual(status, 0, log)
        return state_of(state), re.findall(r"line \d+: .*|finished: .*", log), out

    def test_the_state_the_errors_and_the_answers_are_the_same_for_every_number_of_threads(self):
        for title, form, text in contents():
            path = self.write(f"{title}.txt", text)
            for more in ((), ("--hold-out", "10%", "--algorithm", "pairwise-screened")):
                found = [self.learn(f"{title}-{threads}-{len(more)}", threads, form, path, *more) for threads in THREADS]
                self.assertTrue(any("line" in line for line in found[0][1]), found[0][1])
                for threads, one in zip(THREADS, found):
                    with self.subTest(format=title, threads=threads, more=more):
                        self.assertEqual(one, found[0])

    def test_a_start_with_another_number_goes_on_where_the_one_before_stopped(self):
        text = csv(rows(), header=True)
        whole, _, _ = self.learn("whole", 1, "csv", self.write("whole.csv", text))
        lines = text.splitlines(keepends=True)
        path = self.path("growing.csv")
        for end, threads in ((len(lines) // 3, 3), (len(lines) // 2, 2), (len(lines), 8)):
            with open(path, "w", encoding="ascii") as file:
                file.write("".join(lines[:end]))
            state, _, _ = self.learn("growing", threads, "csv", path)
        self.assertEqual(state, whole)

    def test_numbers_of_threads_that_cannot_be_are_refused(self):
        self.assertEqual(self.refused("--dimension", 4, "--budget", 2, "--threads", 257),
                         (2, "glimpsed: --threads 257: must be a whole number from 0 to 256"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
