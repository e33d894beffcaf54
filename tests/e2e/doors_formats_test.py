"""The same examples through every door and in every format leave the same state, bit for bit."""

import functools
import glob
import hashlib
import itertools
import json
import os
import struct
import subprocess
import threading
import unittest

from harness import SANITIZERS, TestCase, csv, examples, f32, ndjson, npy, vw, without_sanitizers

DIMENSION, COUNT = 160, 1700  # f32: rows of 644 bytes, more than 1 MiB of them, so that files of them are mapped
DOORS = ("file", "pipe", "tcp", "unix")
BUDGETS = (20,) if SANITIZERS else (5, 20, 57)
INLINE = ("--solver", "inline")  # in the background, models that the loss is estimated with come when they are ready
PIECES = (1, 7, 643, 4096, 100_003)  # bytes; records are cut anywhere


def rows():
    """Every value and label is a short decimal and a single; half of the values are 0, which sparse formats leave out."""
    return [(y, [v if n % 2 else 0.0 for n, v in enumerate(x, i)])
            for i, (y, x) in enumerate(examples(COUNT, DIMENSION))]


def given(values):
    return [(i, v) for i, v in enumerate(values) if v != 0]


def svmlight(examples_):
    return "".join(f"{y!r} " + " ".join(f"{i + 1}:{v!r}" for i, v in given(x)) + "\n" for y, x in examples_)


def sparse_vw(examples_):
    return "".join(f"{y!r} | " + " ".join(f"{i}:{v!r}" for i, v in given(x)) + "\n" for y, x in examples_)


def sparse_ndjson(examples_):
    return "".join(json.dumps({"label": y, "values": {str(i): v for i, v in given(x)}}) + "\n" for y, x in examples_)


def json_array(lines):
    """Half of the lines are those of a JSON array."""
    lines = lines.splitlines()
    half = len(lines) // 2
    return "\n".join([*lines[:half], "[", ",\n".join(lines[half:]), "]", ""])


def quoted_csv(examples_):
    """A quote in a line takes another way through the reader."""
    return "".join(f'{y!r},"{x[0]!r}",' + ",".join(map(repr, x[1:])) + "\r\n" for y, x in examples_)


@functools.cache
def contents():
    """(what it is, --format, bytes) of each way to write the examples."""
    all_rows = rows()
    made = [("csv", "csv", csv(all_rows)), ("csv, quotes and CRLF", "csv", quoted_csv(all_rows)),
            ("svmlight", "svmlight", svmlight(all_rows)), ("vw, zeros given", "vw", vw(all_rows)),
            ("vw", "vw", sparse_vw(all_rows)), ("ndjson, arrays", "ndjson", ndjson(all_rows)),
            ("ndjson, objects", "ndjson", json_array(sparse_ndjson(all_rows))), ("f32", "f32", f32(all_rows)),
            ("npy", "npy", npy(all_rows))]
    return [(title, form, content if isinstance(content, bytes) else content.encode())
            for title, form, content in made]


def pieces(content):
    sizes = itertools.cycle(PIECES)
    at = 0
    while at < len(content):
        size = next(sizes)
        yield content[at:at + size]
        at += size


def state_of(folder):
    """A digest of the folder's last checkpoint: its texts, and every array but those that tell of the way the examples
    came: how files were read and how far, which attributes were said by number (no name may take these), and the history,
    whose samples depend on the clock."""
    path = max(glob.glob(os.path.join(folder, "checkpoint-*.safetensors")))
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    digest = hashlib.sha256()
    texts = json.loads(header.pop("__metadata__")["glimpse"])["texts"]
    digest.update(repr([text for text in sorted(texts.items()) if not text[0].startswith("inputs.")]).encode())
    for name, tensor in sorted(header.items()):
        if name.startswith(("inputs.", "history.")) or name in ("names/limits", "names/numbers"):
            continue
        begin, end = (8 + length + offset for offset in tensor["data_offsets"])
        digest.update(f"{name} {tensor['dtype']} {tensor['shape']}".encode() + data[begin:end])
    return digest.hexdigest()


class DoorsAndFormats(TestCase):
    def setUp(self):
        super().setUp()
        self.contents = contents()
        self.runs = 0

    def learn(self, door, form, content, budget, *more):
        """The state that glimpsed is left in after `content` came in through `door`."""
        self.runs += 1
        state = self.path(f"state-{self.runs}")
        options = ["--dimension", DIMENSION, "--budget", budget, "--format", form, "--seed", 3, "--state-directory", state,
                   *(more or INLINE)]
        if door == "file":
            status, _, log = self.run_to_end(*options, "--input", self.write("examples", content))
        elif door == "pipe":
            daemon = self.start(*options, "--input", "-", http=None, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            feeder = threading.Thread(target=self.feed_pipe, args=(daemon.process.stdin, content))
            feeder.start()
            status, log = daemon.wait(), daemon.stderr
            feeder.join()
        else:
            address = "tcp:127.0.0.1:0" if door == "tcp" else "unix:" + self.path(f"stream-{self.runs}.sock")
            daemon = self.start(*options, "--listen", address, http=None, stdout=subprocess.DEVNULL)
            with daemon.client(door) as client:
                for piece in pieces(content):
                    client.send(piece)
                self.assertEqual(client.finish(), "")
            status, log = daemon.stop(), daemon.stderr
        self.assertEqual(status, 0, log)
        self.assertRegex(log, rf"finished: {COUNT} examples, .* 0 lines that could not be read")
        return state_of(state)

    @staticmethod
    def feed_pipe(pipe, content):
        with pipe:
            for piece in pieces(content):
                pipe.write(piece)
                pipe.flush()

    def compare(self, budget, doors, *more):
        """Every format through every one of `doors`; the one state that all leave."""
        states = {(door, title): self.learn(door, form, content, budget, *more)
                  for door in doors for title, form, content in self.contents}
        first = next(iter(states.values()))
        self.assertEqual({key for key, state in states.items() if state != first}, set())
        return first

    def test_every_door_and_format_leaves_the_same_state(self):
        states = [self.compare(budget, DOORS) for budget in BUDGETS]
        self.assertEqual(len(set(states)), len(BUDGETS))  # or the digest would not see what was learned

    @without_sanitizers
    def test_validating_whole_lines_changes_nothing(self):
        for budget in BUDGETS:
            title, form, content = self.contents[0]
            lazily = self.learn("file", form, content, budget)
            self.assertEqual(self.compare(budget, ("file",), "--validate", "full", *INLINE), lazily)

    @without_sanitizers
    def test_learners_of_the_first_order_agree_as_well(self):
        self.compare(20, ("file", "unix"), "--algorithm", "two-phase-ddaerr", "--phase1", 500)

    def test_one_bit_of_one_planned_value_shows(self):
        """With K = d every value is planned, and the last bit of a single in the middle of the stream is told apart."""
        title, form, content = self.contents[-1]
        changed = bytearray(content)
        changed[4 * (DIMENSION + 1) * (COUNT // 2) + 4 * 80] ^= 1
        self.assertNotEqual(self.learn("file", form, content, DIMENSION),
                            self.learn("file", form, bytes(changed), DIMENSION))

    def test_first_lines_that_several_formats_have_wait_for_one_that_tells(self):
        """Through every door, in pieces of one byte, the same examples of the same lines as with --format svmlight."""
        lines = ["4", *svmlight([(y, x[:2]) for y, x in examples(9, 2)]).splitlines()]
        lines[4] = "7"
        for text, count, learned in (("\n".join(["", "# zeros", *lines]) + "\n", 10, None),
                                     ("\n".join(lines), 10, None), ("\n".join(lines[:1] * 3 + lines[1:]) + "\n", 12, None),
                                     ("4\n5,1,2\n6,3,4\n", 2, "line 1: row has 1 fields"),
                                     ("1 a:1 b:2\n3 | a:1 b:2\n2 | a:4 b:1\n", 2, "line 1: no '|' before")):
            states = set()
            for door in ("file", "pipe", "tcp", "body", *(["told"] if learned is None else [])):
                with self.subTest(door=door, text=text):
                    states.add(self.learn_first_lines(door, text, count, learned))
            self.assertEqual(len(states), 1)

    def learn_first_lines(self, door, text, count, refused):
        self.runs += 1
        state = self.path(f"first-{self.runs}")
        options = ["--dimension", 2, "--budget", 2, "--seed", 3, *INLINE, "--state-directory", state]
        if door in ("file", "told"):
            options += ["--format", "svmlight"] if door == "told" else []
            status, _, log = self.run_to_end(*options, "--input", self.write("first", text))
        else:
            daemon = self.start(*options, *(["--input", "-"] if door == "pipe" else ["--listen", "tcp:127.0.0.1:0"]),
                                http=None if door == "pipe" else "unix", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            if door == "pipe":
                for byte in text.encode():
                    daemon.process.stdin.write(bytes([byte]))
                    daemon.process.stdin.flush()
                daemon.process.stdin.close()
                status, log = daemon.wait(), daemon.stderr
            elif door == "body":
                self.assertEqual(daemon.post("/v1/learn?format=auto", text.encode()).json()["accepted"], count)
                status, log = daemon.stop(), daemon.stderr
            else:
                with daemon.client() as client:
                    for byte in (text if text.endswith("\n") else text + "\n").encode():
                        client.send(bytes([byte]))
                    answer = client.finish()
                status, log = daemon.stop(), daemon.stderr
                self.assertIn(refused or "", answer)
        self.assertEqual(status, 0, log)
        self.assertRegex(log, rf"finished: {count} examples, .* {1 if refused else 0} lines that could not be read")
        if refused and door in ("file", "pipe"):
            self.assertIn(refused, log)
        return state_of(state)

    def test_a_client_that_waits_for_each_answer_is_not_kept_waiting(self):
        """With answers to all lines a number alone is refused at once, and decides nothing."""
        daemon = self.start("--dimension", 2, "--budget", 2, "--replies", "all", "--listen", "tcp:127.0.0.1:0")
        with daemon.client() as client:
            client.send("4\n")
            self.assertRegex(client.line(), "^error: line 1: '4' may be svmlight's, .* --format svmlight")
            client.send("1 1:2 2:3\n")
            self.assertNotIn("error", client.line())
        daemon = self.start("--dimension", 2, "--budget", 2, "--listen", "tcp:127.0.0.1:0")
        with daemon.client() as client:
            client.send("4\n")  # waits
            client.send("1:2 2:3\n")
            self.assertEqual(client.line(), "4\n")
            client.send("1:1\n")
            self.assertNotIn("error", client.line())
        self.assertEqual(daemon.status()["examples"], 1)

    def test_flat_objects_are_learned_from_as_rows_of_a_table(self):
        """With a word, a missing value and a key that is ignored; in pieces, in a body, and over a restart."""
        rows_ = [{"y": y, "b": x[1], "id": n, "w": ("red", "blue", None)[n % 3], "a": x[0]}
                 for n, (y, x) in enumerate(examples(300))]
        table = "y,b,id,w,a\n" + "".join(",".join("" if v is None else str(v) for v in row.values()) + "\n"
                                         for row in rows_)
        sparse = [{key: value for key, value in row.items() if value is not None} for row in rows_]
        flat = "".join(json.dumps(row) + "\n" for row in sparse)
        moved = "".join(json.dumps({key: row[key] for key in ("a", "id", "y", "w", "b") if key in row}) + "\n"
                        for row in sparse[10:])
        for budget in (2, 3):
            states = []
            for n, content in enumerate((table, flat, flat[:flat.index('{"y": ' + repr(rows_[10]["y"]))] + moved)):
                state = self.path(f"flat-{budget}-{n}")
                options = ["--budget", budget, "--label", "y", "--ignore", "id", "--seed", 3, *INLINE,
                           "--state-directory", state]
                status, _, log = self.run_to_end(*options, "--input", self.write("examples", content))
                self.assertRegex(log, r"finished: 300 examples, .* 0 lines that could not be read")
                states.append(state_of(state))
            self.assertEqual(len(set(states)), 1)
        state = self.path("flat-restart")
        options = ["--budget", 3, "--label", "y", "--ignore", "id", "--seed", 3, *INLINE, "--state-directory", state]
        half = flat.index("\n", 5000) + 1
        path = self.write("examples", flat[:half])
        self.run_to_end(*options, "--input", path)
        with open(path, "a", encoding="utf-8") as file:
            file.write(flat[half:])
        self.run_to_end(*options[:2], *options[6:], "--input", path)
        self.assertEqual(state_of(state), states[1])
        daemon = self.start(*options[:2], *options[6:], "--serve", "--listen", "tcp:127.0.0.1:0")
        flat_answer = daemon.post("/v1/predict", b'{"a": 0.5, "w": "red"}')
        self.assertEqual(flat_answer.status, 200, flat_answer.body)
        self.assertEqual(flat_answer.json(), daemon.post("/v1/predict", b'{"values": {"a": 0.5, "w": "red"}}').json())
        self.assertEqual(daemon.post("/v1/learn", flat.splitlines()[7].encode()).status, 200)
        with daemon.client() as client:
            client.send(flat.splitlines(keepends=True)[8].encode())
            self.assertEqual(client.finish(), "")
        self.assertEqual(daemon.status()["examples"], 302)
        self.assertEqual(daemon.status()["parse_errors"], 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
