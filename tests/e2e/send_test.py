"""glimpsectl send: a file or a pipe reaches the model exactly once, over restarts and broken connections."""

import os
import socket
import subprocess
import unittest

from harness import SMALL, TestCase, binary, csv, examples, f32, ndjson, npy, svmlight, unlabelled, until, vw

DEADLINE = 60


class Send(TestCase):
    def setUp(self):
        super().setUp()
        self.state = self.path("state")
        self.door = f"unix:{self.path('stream.sock')}"

    def begin(self, *arguments, **keywords):
        return self.start(*SMALL, "--listen", self.door, "--state-directory", self.state, *arguments, **keywords)

    def send(self, *arguments, stdin=subprocess.DEVNULL, to=None):
        process = subprocess.Popen([binary("GLIMPSECTL_BIN"), "send", *map(str, arguments), "--to", to or self.door],
                                   stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def sent(self, *arguments, **keywords):
        """Sends until it ends; (exit status, standard output, standard error)."""
        process = self.send(*arguments, **keywords)
        out, error = process.communicate(timeout=DEADLINE)
        return process.returncode, out.decode(), error.decode()

    def answers(self, daemon):
        return daemon.model(), daemon.get("/v1/moments").body

    def straight(self, content, *arguments):
        daemon = self.start(*SMALL, "--listen", f"unix:{self.path('straight.sock')}", *arguments)
        with daemon.client("unix") as client:
            client.send(content)
            client.finish()
        answers = self.answers(daemon)
        self.assertEqual(daemon.stop(), 0)
        return answers

    def test_every_format_over_a_daemon_that_is_killed(self):
        rows = examples(20000)
        breaks = 0
        for name, content, of_daemon, of_send in (
                ("svmlight", svmlight(rows), (), ()), ("vw", vw(rows), (), ()), ("ndjson", ndjson(rows), (), ()),
                ("csv", csv(rows), (), ("--format", "csv")), ("csv with header", csv(rows, header=True), (), ()),
                ("f32", f32(rows), ("--format", "f32"), ("--format", "f32", "--dimension", 4)),
                ("npy", npy(rows), ("--format", "npy"), ("--format", "npy"))):
            with self.subTest(name):
                self.state = self.path("state of " + name)
                content = content if isinstance(content, bytes) else content.encode()
                path = self.write("content", content)
                # A small queue: the sender is still at it when the daemon goes.
                often = ("--checkpoint-examples", 700, "--queue", "16KiB", *of_daemon)
                daemon = self.begin(*often)
                sender = self.send(path, "--source", "a", *of_send)
                for part in (1000, 6000):
                    until(lambda: self.saved() >= part, "a checkpoint")
                    daemon.kill()
                    daemon = self.begin(*often)
                out, error = sender.communicate(timeout=DEADLINE)
                self.assertEqual((sender.returncode, out), (0, b""), error)
                breaks += error.decode().count("trying again")
                records = len(rows) + (name in ("csv with header", "npy"))
                self.assertIn(f"{records:,} records of a are durable", error.decode())
                answers = self.answers(daemon)
                daemon.kill()
                self.assertEqual(answers, self.straight(content, *of_daemon))
                # And once more: all is inside.
                daemon = self.begin(*of_daemon)
                status, _, error = self.sent(path, "--source", "a", *of_send)
                self.assertEqual(status, 0, error)
                self.assertIn(f"{records:,} records are inside already", error)
                self.assertEqual(self.answers(daemon), answers)
                daemon.kill()
        self.assertGreater(breaks, 2)  # several were killed while it sent

    def saved(self):
        return max((int(name.split("-")[2].split(".")[0]) for name in os.listdir(self.state)
                    if name.startswith("checkpoint-") and name.endswith(".safetensors")), default=0)

    def test_a_pipe_is_kept_until_it_is_durable(self):
        lines = svmlight(examples(20000)).splitlines(True)
        daemon = self.begin("--checkpoint-examples", 700)
        sender = self.send("-", "--source", "a", stdin=subprocess.PIPE)
        for begin, end in ((0, 5000), (5000, 12000), (12000, 20000)):
            sender.stdin.write("".join(lines[begin:end]).encode())
            sender.stdin.flush()
            if end < 20000:
                until(lambda: daemon.status()["examples"] > begin + 2000, "a part is learned")
                daemon.kill()
                daemon = self.begin("--checkpoint-examples", 700)
        sender.stdin.close()
        sender.stdin = None
        _, error = sender.communicate(timeout=DEADLINE)
        self.assertEqual(sender.returncode, 0, error)
        self.assertEqual(self.answers(daemon), self.straight("".join(lines)))

    def test_it_returns_soon_although_checkpoints_are_rare(self):
        self.begin("--checkpoint-every", "1h")
        status, _, error = self.sent(self.write("a", svmlight(examples(100)).rstrip("\n")), "--source", "a")
        self.assertEqual((status, error), (0, "100 records of a are durable, 100 of them sent now\n"))

    def test_over_tcp(self):
        daemon = self.begin("--listen", "tcp:127.0.0.1:0")
        status, _, error = self.sent(self.write("a", svmlight(examples(100))), "--source", "a", to=daemon.door("tcp"))
        self.assertEqual(status, 0, error)
        self.assertEqual(daemon.status()["examples"], 100)

    def test_predictions_go_to_standard_output_and_bad_records_are_told(self):
        rows = examples(50)
        content = "".join(vw([row]) + unlabelled(row[1]) for row in rows) + "no example\n"
        self.begin()
        status, out, error = self.sent(self.write("a", content), "--source", "a")
        self.assertEqual(status, 1)
        self.assertEqual(len(out.splitlines()), 50)
        for line in out.splitlines():
            float(line)
        self.assertIn("glimpsectl: line 101: ", error)
        self.assertIn("1 records could not be read", error)

    def test_what_cannot_be_sent_is_said(self):
        path = self.write("a", svmlight(examples(10)))
        status, _, error = self.sent(path, "--source", "a")
        self.assertEqual((status, error), (3, f"glimpsectl: cannot connect to {self.door}: No such file or directory\n"))
        status, _, error = self.sent(self.path("none"), "--source", "a")
        self.assertEqual((status, error),
                         (1, f"glimpsectl: '{self.path('none')}' cannot be opened: No such file or directory\n"))
        self.begin()
        self.assertEqual(self.sent(path, "--source", "a")[0], 0)
        status, _, error = self.sent(self.write("b", "1 1:1\n"), "--source", "a")
        self.assertEqual(status, 1)
        self.assertIn("it has fewer records than the 10 that are inside already", error)
        status, _, error = self.sent(path, "--source", "a=b")
        self.assertEqual(status, 1)
        self.assertIn("character 2 cannot be in a name", error)

    def test_a_daemon_without_state_refuses(self):
        self.start(*SMALL, "--listen", self.door)
        status, _, error = self.sent(self.write("a", "1 1:1\n"), "--source", "a")
        self.assertEqual(status, 1)
        self.assertIn("this glimpsed keeps no checkpoints (--state-directory DIR)", error)

    def test_two_senders_of_one_source_do_not_fight(self):
        daemon = self.begin("--checkpoint-every", "1h")
        first = self.send("-", "--source", "a", stdin=subprocess.PIPE)
        first.stdin.write(b"1 1:1\n")
        first.stdin.flush()
        daemon.wait_examples(1)
        self.assertEqual(self.sent(self.write("a", "1 1:1\n1 2:1\n"), "--source", "a")[0], 0)
        _, error = first.communicate(timeout=DEADLINE)
        self.assertEqual(first.returncode, 1)
        self.assertIn("another connection carries the source now", error.decode())
        self.assertEqual(daemon.status()["examples"], 2)

    def test_patience_ends(self):
        daemon = self.begin()
        sender = self.send("-", "--source", "a", "--patience", "300ms", stdin=subprocess.PIPE)
        sender.stdin.write(b"1 1:1\n")
        sender.stdin.flush()
        daemon.wait_examples(1)
        daemon.kill()
        _, error = sender.communicate(timeout=DEADLINE)
        self.assertEqual(sender.returncode, 3)
        self.assertIn("trying again", error.decode())

    def test_what_is_no_glimpsed_is_told(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(self.path("other.sock"))
            listener.listen()
            sender = self.send(self.write("a", "1 1:1\n"), "--source", "a", to=f"unix:{self.path('other.sock')}")
            with listener.accept()[0] as connection:
                connection.sendall(b"220 smtp ready\n")
                _, error = sender.communicate(timeout=DEADLINE)
        self.assertEqual(sender.returncode, 3)
        self.assertIn("does not answer like a stream door of glimpsed: 220 smtp ready", error.decode())


if __name__ == "__main__":
    unittest.main(verbosity=2)
