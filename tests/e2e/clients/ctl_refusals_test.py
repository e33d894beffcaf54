"""glimpsectl learn and predict where a later piece of a file cannot be read, begins as another file does, meets a spent
budget or a newer model."""

import json
import os
import random
import socket
import subprocess
import unittest

from harness import DEADLINE, TestCase, binary, speak

PIECE = 1_000_000  # bytes
HEADER = "cnt,hour,temperature,wind\n"


def table(count, seed=1):
    """Rows of 60 bytes."""
    generator = random.Random(seed)
    lines = []
    for _ in range(count):
        hour, temperature, wind = generator.randrange(24), generator.randrange(30), generator.randrange(20)
        label = 90 + 3 * hour + 8 * temperature - wind
        lines.append(f"{label},{hour:.20f},{temperature:.10f},{wind}".ljust(59) + "\n")
    return lines


class Refusals(TestCase):
    def begin(self, *arguments):
        return self.start("--dimension", 3, "--budget", 2, "--seed", 7, "--label", "cnt", *arguments)

    def ctl(self, daemon, *arguments, stdin=b"", expect=0):
        """(standard output, standard error)."""
        done = subprocess.run([binary("GLIMPSECTL_BIN"), "--server", f"unix:{daemon.http_path}", *arguments],
                              input=stdin, capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, expect, done.stderr[-500:])
        return done.stdout.decode(), done.stderr.decode()

    def test_a_piece_of_refused_lines_is_counted_and_those_behind_it_are_learned(self):
        daemon = self.begin()
        rows = table(60000)
        begin = PIECE // 60 + 1
        wrong = ["1,2\n".rjust(60)] * (2 * begin)  # more than the whole second piece
        text = HEADER + "".join(rows[:begin] + wrong + rows[begin:])
        out, error = self.ctl(daemon, "learn", "--format", "csv", "-", stdin=text.encode(), expect=1)
        self.assertEqual(out, "60,000 examples learned\n")
        lines = error.splitlines()
        self.assertRegex(lines[0], rf"^glimpsectl: '-' line {begin + 2}: row has 2 fields, and the header 4: --short-rows")
        self.assertRegex(lines[-1], rf"'-': {2 * begin:,} of {60000 + 2 * begin:,} examples refused; the first \d+ are shown$")
        self.assertEqual(daemon.status()["parse_errors"], 2 * begin)
        out, _ = self.ctl(daemon, "learn", "--json", "--format", "csv", "-", stdin=text.encode(), expect=1)
        answers = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(sum(answer["accepted"] for answer in answers), 60000)
        self.assertEqual(sum(answer["error_count"] for answer in answers), 2 * begin)
        refused = [answer for answer in answers if "error" in answer]
        self.assertGreater(len(refused), 0)
        self.assertEqual(refused[0]["error"]["code"], "invalid_example")

    def test_a_first_piece_of_refused_lines_ends_it(self):
        daemon = self.begin()
        text = HEADER + "1,2\n".rjust(60) * 20000 + "".join(table(20000))
        out, error = self.ctl(daemon, "learn", "--format", "csv", "-", stdin=text.encode(), expect=1)
        self.assertEqual(out, "0 examples learned\n")
        self.assertIn("invalid_example: line 2: row has 2 fields", error)

    def test_a_piece_that_begins_as_another_file_does_is_of_rows(self):
        rows = table(40000)
        begin = PIECE // 60
        for magic in (b"\x1f\x8b\x08\x04", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf", b"PAR1", b"PK\x03\x04"):
            with self.subTest(magic):
                daemon = self.begin("--validate", "full")
                self.assertEqual(daemon.post("/v1/learn?format=csv", HEADER + "".join(rows[:9])).json()["accepted"], 9)
                lines = [row.encode() for row in rows]
                lines[begin] = b"1," + magic + b"2,3,4\n" if magic.startswith(b"P") else magic + b"1,2,3,4\n"
                if magic.startswith(b"P"):
                    lines[begin] = magic + lines[begin]
                self.assertEqual(sum(map(len, lines[:begin])), begin * 60)
                out, error = self.ctl(daemon, "learn", "--format", "csv", "-", stdin=b"".join(lines), expect=1)
                self.assertEqual(out, "39,999 examples learned\n")
                self.assertIn(f"'-' line {begin + 1}: column #1 ('cnt'): label ", error)
                self.assertIn("'-': 1 of 40,000 examples refused", error)

    def test_a_spent_budget_is_told_as_what_it_is(self):
        daemon = self.begin("--total-budget", 10)
        text = (HEADER + "".join(table(9))).encode()
        self.assertEqual(self.ctl(daemon, "learn", "--format", "csv", "-", stdin=text),
                         ("5 examples learned, 4 skipped as the budget of the daemon is spent\n", ""))
        out, error = self.ctl(daemon, "learn", "--format", "csv", "-", stdin=text, expect=1)
        self.assertEqual(out, "0 examples learned, 9 skipped as the budget of the daemon is spent\n")
        self.assertEqual(error, "glimpsectl: '-': nothing was learned: the budget of the daemon is spent, which skipped 9 of 9 examples: "
                                "start it with a larger --total-budget or --total-cost\n")
        answer = daemon.post("/v1/learn?format=csv", text).json()
        self.assertEqual((answer["skipped"], answer["beyond_budget"]), (9, 9))

    def test_predictions_of_two_models_are_told(self):
        daemon = self.begin()
        rows = table(30000)
        daemon.post("/v1/learn?format=csv", HEADER + "".join(rows[:1000]))
        lines = [row.split(",", 1)[1] for row in rows]
        text = (HEADER.split(",", 1)[1] + "".join(lines)).encode()
        self.assertEqual(self.ctl(daemon, "predict", "--format", "csv", "-", stdin=text)[1], "")
        command = [binary("GLIMPSECTL_BIN"), "--server", f"unix:{daemon.http_path}", "predict", "--format", "csv", "-"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              bufsize=0) as ctl:
            ctl.stdin.write(text[:PIECE + 80000])  # more is read than a piece, and no more fits into a pipe
            ctl.stdin.flush()
            ctl.stdout.readline()  # the first piece is answered
            daemon.post("/v1/learn?format=csv", HEADER + "".join(rows[1000:3000]))
            self.assertEqual(json.loads(daemon.model())["examples"], 3000)
            out, error = ctl.communicate(text[PIECE + 80000:], timeout=DEADLINE)
        self.assertEqual((ctl.returncode, out.count(b"\n")), (0, 29999))
        self.assertEqual(error.decode(), "glimpsectl: '-': glimpsed learned meanwhile: the first predictions are of its model of "
                                         "1,000 examples, the last of that of 3,000\n")


class NastyServers(TestCase):
    def sent_to(self, answer, endless=b"", command=("send", "--source", "a", "--patience", "20s"), pause=0):
        """(status, error) of sending one record to a server that says this, and then `endless` again and again."""
        path = self.path("nasty.sock")
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(path)
        listener.listen()
        thread = speak(listener, answer, endless, pause)
        done = subprocess.run([binary("GLIMPSECTL_BIN"), *command, "--to", f"unix:{path}", "-"],
                              input=b"1 1:2\n", capture_output=True, timeout=DEADLINE, check=False)
        thread.join()
        os.remove(path)
        return done.returncode, done.stderr.decode()

    def test_replies_without_end_are_not_read_for_ever(self):
        status, error = self.sent_to(b"resume 0\n", b"0.5\n" * 100)
        self.assertEqual(status, 3)
        self.assertRegex(error, r"nasty.sock sent 1[78] replies to [01] records?")

    def test_patience_ends_although_lines_come_on_and_on(self):
        for line, why in (("durable 0", ""), ("checkpoint pending", ""), ("checkpoint failed: x", ".*cannot write checkpoints: x")):
            status, error = self.sent_to(b"resume 0\n", f"{line}\n".encode() * 100,
                                         ("send", "--source", "a", "--patience", "300ms"))
            self.assertEqual(status, 3)
            self.assertRegex(error, r"nothing moved for 300 ms \(--patience\); 0 records are durable" + why)

    def test_a_silent_server_is_not_asked_for_tls_once_the_patience_is_over(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = f"tcp:127.0.0.1:{listener.getsockname()[1]}"
            done = subprocess.run([binary("GLIMPSECTL_BIN"), "send", "--source", "a", "--to", address, "--format", "svmlight",
                                   "--patience", "1s", "-"], input=b"1 1:1\n", capture_output=True, timeout=DEADLINE, check=False)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(b"given up after 1 s (--patience)", done.stderr)
            listener.setblocking(False)
            listener.accept()[0].close()
            self.assertRaises(BlockingIOError, listener.accept)

    def test_no_more_is_durable_than_was_sent_and_is_inside(self):
        for answer, most in ((b"resume 0\ndurable 2\n", "[01]"), (b"resume 1\ndurable 1\ndurable 2\n", "1")):
            status, error = self.sent_to(answer, b"durable 2\n")
            self.assertEqual(status, 3)
            self.assertRegex(error, f"nasty.sock reports 2 records durable, and {most} were sent")

    def test_a_stream_of_replies_without_end_is_not_read_for_ever(self):
        for command, endless, pause, why in (((), b"0.5\n" * 100, 0, "sends more replies than it was sent bytes"),
                                             (("--timeout", "30ms"), b"0.5\n", 0.005, "does not (end its answers within 60 times|answer within) 30 ms")):
            status, error = self.sent_to(b"", endless, ("stream", *command), pause)
            self.assertEqual(status, 3)
            self.assertRegex(error, "nasty.sock " + why)

    def test_what_a_server_says_cannot_steer_the_terminal(self):
        status, error = self.sent_to(b"error: \x1b[2Jno; closing\n")
        self.assertEqual(status, 1)
        self.assertIn("\\x1b[2Jno", error)
        self.assertNotIn("\x1b", error)


if __name__ == "__main__":
    unittest.main()
