"""glimpsectl send: a file or a pipe reaches the model exactly once, over restarts and broken connections."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from harness import SMALL, TestCase, csv, examples, f32, ndjson, npy, svmlight, unlabelled, until, vw
from send_support import Sending

DEADLINE = 60


class Send(Sending, TestCase):
    def setUp(self):
        super().setUp()
        self.state = self.path("state")
        self.door = f"unix:{self.path('stream.sock')}"

    def begin(self, *arguments, **keywords):
        return self.start(*SMALL, "--listen", self.door, "--state-directory", self.state, *arguments, **keywords)

    def send(self, *arguments, to=None, **keywords):
        return self.sending(*arguments, to=to or self.door, **keywords)

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
                records = len(rows)  # a header is none
                self.assertIn(f"{records:,} records of a are durable", error.decode())
                answers = self.answers(daemon)
                daemon.kill()
                self.assertEqual(answers, self.straight(content, *of_daemon))
                # And once more: all is inside.
                daemon = self.begin(*of_daemon)
                status, _, error = self.sent(path, "--source", "a", *of_send)
                self.assertEqual(status, 0, error)
                self.assertIn(f"{records:,} records received before", error)
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
        status, _, error = self.sent(self.write("a", svmlight(examples(100))), "--source", "a")
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
        *answers, last = out.splitlines()
        self.assertEqual(len(answers), 50)
        for line in answers:
            float(line)
        self.assertTrue(last.startswith("error: line 101: "), last)
        self.assertIn("glimpsectl: line 101: ", error)
        self.assertIn("1 record could not be read", error)

    def test_an_array_of_another_number_of_rows_than_its_header_says_is_sent_and_reported(self):
        array = npy(examples(30))
        daemon = self.begin("--format", "npy")
        for name, content, rows in (("short", array[:-40], 28), ("long", array + array[-20:], 31)):
            path = self.write(name, content)
            for _ in range(2):
                status, _, error = self.sent(path, "--source", name, "--format", "npy")
                self.assertEqual(status, 1)
                self.assertIn(f"'{path}': the array has {rows} rows, and its .npy header says 30", error)
        self.assertEqual(daemon.status()["examples"], 58)

    def test_what_cannot_be_sent_is_said(self):
        path = self.write("a", svmlight(examples(10)))
        status, _, error = self.sent(path, "--source", "a", "--patience", "1ms")
        self.assertEqual(status, 3)
        self.assertTrue(error.endswith(f"glimpsectl: cannot connect to {self.door}: No such file or directory; given up after "
                                       f"1 ms (--patience): does a glimpsed listen there (--listen {self.door})?\n"), error)
        status, _, error = self.sent(self.path("none"), "--source", "a")
        self.assertEqual((status, error),
                         (1, f"glimpsectl: '{self.path('none')}' cannot be opened: No such file or directory\n"))
        self.begin()
        self.assertEqual(self.sent(path, "--source", "a")[0], 0)
        status, _, error = self.sent(self.write("b", "1 1:1\n"), "--source", "a")
        self.assertEqual(status, 1)
        self.assertIn("it has fewer records than the 10 that were received before", error)
        status, _, error = self.sent(path, "--source", "a=b")
        self.assertEqual(status, 1)
        self.assertIn("character 2 cannot be in a name", error)

    def test_records_that_are_refused_do_not_use_up_a_source(self):
        daemon = self.begin("--format", "svmlight")
        path = self.write("a", csv(examples(30)))
        for _ in range(2):
            status, _, error = self.sent(path, "--source", "a")
            self.assertEqual(status, 1)
            self.assertRegex(error, r"line 1: .*; no record of the source could be read so far, and it still begins with this one")
        daemon.kill()
        daemon = self.begin("--format", "csv", "--schema-change", "allow")
        status, _, error = self.sent(path, "--source", "a")
        self.assertEqual(status, 0, error)
        self.assertEqual(daemon.status()["examples"], 30)
        # Later ones do not hold up what follows.
        self.write("a", csv(examples(30)) + "x\n" * 5 + csv(examples(32)[30:]))
        status, _, error = self.sent(path, "--source", "a")
        self.assertEqual(status, 1)
        self.assertIn("37 records of a are durable, 7 of them sent now", error)
        self.assertIn("5 records could not be read", error)
        self.assertEqual(daemon.status()["examples"], 32)

    def test_a_file_that_was_changed_since_it_was_sent_is_refused(self):
        self.begin()
        first, other = svmlight(examples(10)), svmlight(examples(12, seed=2))
        path = self.write("a", first)
        self.assertEqual(self.sent(path, "--source", "a")[0], 0)
        self.write("a", other)
        status, _, error = self.sent(path, "--source", "a")
        self.assertEqual(status, 1)
        self.assertIn(f"the first 10 records of '{path}' are not those of source 'a' that the daemon received", error)
        # The way out that it names; and what only grew.
        sender = self.send("-", "--source", "a", stdin=subprocess.PIPE)
        _, error = sender.communicate(other.encode(), timeout=DEADLINE)
        self.assertEqual(sender.returncode, 0, error)
        self.assertIn(b"are not those of source 'a' that the daemon received", error)
        self.assertIn(b"12 records of a are durable, 2 of them sent now", error)
        self.write("b", first)
        self.assertEqual(self.sent(self.path("b"), "--source", "b")[0], 0)
        self.write("b", first + other)
        self.assertEqual(self.sent(self.path("b"), "--source", "b")[::2], (0, "glimpsectl: 10 records received before\n"
                                                                              "22 records of b are durable, 12 of them sent now\n"))

    def test_a_file_that_changes_while_it_is_sent_is_reported(self):
        path = self.write("a", "1 1:1\n1 2:1\n")
        changes = [(1, lambda: self.write("a", "1 1:1\n")), (1, lambda: self.write("a", "1 1:1\n1 3:1\n")),
                   (1, lambda: os.replace(self.write("b", "1 3:1\n"), path)), (1, lambda: os.rename(path, self.path("b"))),
                   (0, lambda: os.replace(self.write("b", "1 1:1\n1 2:1\n1 3:1\n"), path)),
                   (0, lambda: self.write("a", "1 1:1\n1 2:1\n1 3:1\n"))]

        def serve(listener):
            for _, change in changes:
                with listener.accept()[0] as connection, connection.makefile("rb") as lines:
                    lines.readline()
                    connection.sendall(b"resume 0\n")
                    lines.read()
                    change()
                    connection.sendall(b"durable 2\n")

        self.other_daemon(serve)
        for wrong, _ in changes:
            self.write("a", "1 1:1\n1 2:1\n")
            status, _, error = self.sent(path, "--source", "a")
            self.assertEqual(status, wrong, error)
            self.assertEqual(f"'{path}' was changed, cut short, replaced or rotated while it was sent" in error, wrong == 1)

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

    def test_a_daemon_that_is_not_there_yet_is_waited_for(self):
        port = self.free_port()
        for name, door in (("unix", self.door), ("tcp", f"tcp:127.0.0.1:{port}")):
            with self.subTest(name):
                self.door, self.state = door, self.path("state " + name)
                sender = self.send(self.write("a", svmlight(examples(100))), "--source", "a")
                self.assertIn(b"; trying again", sender.stderr.readline())
                daemon = self.begin()
                _, error = sender.communicate(timeout=DEADLINE)
                self.assertEqual(sender.returncode, 0, error)
                self.assertEqual(daemon.status()["examples"], 100)

    def test_a_daemon_that_does_not_come_is_given_up(self):
        path = self.write("a", svmlight(examples(10)))
        status, out, error = self.sent(path, "--source", "a", "--wait", "300ms", "--patience", "1h")
        missing = f"glimpsectl: cannot connect to {self.door}: No such file or directory; "
        self.assertEqual((status, out), (3, ""))
        first, last = error.splitlines()  # told once, however often it tries
        self.assertEqual(first, missing + "trying again for up to 300 ms (--wait)")
        self.assertEqual(last, missing + f"given up after 300 ms (--wait): does a glimpsed listen there (--listen {self.door})?")

    def test_wait_is_for_a_daemon_that_was_never_there(self):
        daemon = self.begin()
        sender = self.send("-", "--source", "a", "--wait", "1ms", stdin=subprocess.PIPE)
        sender.stdin.write(b"1 1:1\n")
        sender.stdin.flush()
        daemon.wait_examples(1)
        daemon.kill()
        self.assertIn(b"; trying again\n", sender.stderr.readline())
        daemon = self.begin()
        _, error = sender.communicate(timeout=DEADLINE)
        self.assertEqual(sender.returncode, 0, error)
        self.assertEqual(daemon.status()["examples"], 1)

    def free_port(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            return taken.getsockname()[1]

    # Checkpoints are rare in what follows: without asking for them a pipe would wait an hour.

    def test_a_pipe_whose_memory_fills_asks_for_checkpoints(self):
        rows = examples(4000)
        text = svmlight(rows).splitlines(True)
        # Between lines some that are longer than the memory, and a header of a kind.
        long = "".join(line + ("# " + "x" * 300000 + "\n" if n % 400 == 7 else "") for n, line in enumerate(text))
        for name, content, memory, of_daemon, of_send in (
                ("lines", svmlight(rows), "16KiB", (), ()),
                ("long lines", long, "16KiB", (), ()),
                ("a byte of memory", long, "1", (), ()),
                ("csv with header", csv(rows, header=True), "16KiB", (), ("--format", "csv")),
                ("f32", f32(rows), "16KiB", ("--format", "f32"), ("--format", "f32", "--dimension", 4)),
                ("npy", npy(rows), "4KiB", ("--format", "npy"), ("--format", "npy"))):
            with self.subTest(name):
                self.state = self.path("state of " + name)
                content = content if isinstance(content, bytes) else content.encode()
                daemon = self.begin("--checkpoint-every", "1h", *of_daemon)
                sender = self.send("-", "--source", "a", "--memory", memory, *of_send, stdin=subprocess.PIPE)
                _, error = sender.communicate(content, timeout=DEADLINE)
                self.assertEqual(sender.returncode, 0, error)
                self.assertEqual(daemon.status()["examples"], len(rows))
                daemon.kill()

    def test_what_a_broken_connection_left_not_durable_counts(self):
        # Nobody hears that the first sender is gone, and what it left fills the memory of the second.
        lines = svmlight(examples(3000)).splitlines(True)
        daemon = self.begin("--checkpoint-every", "1h")
        first = self.send("-", "--source", "a", "--memory", "1MiB", stdin=subprocess.PIPE)
        first.stdin.write("".join(lines[:1000]).encode())
        first.stdin.flush()
        daemon.wait_examples(1000)
        first.send_signal(signal.SIGSTOP)
        second = self.send("-", "--source", "a", "--memory", "16KiB", stdin=subprocess.PIPE)
        _, error = second.communicate("".join(lines).encode(), timeout=DEADLINE)
        self.assertEqual(second.returncode, 0, error)
        self.assertEqual(daemon.status()["examples"], 3000)

    def test_several_pipes_at_once(self):
        daemon = self.begin("--checkpoint-every", "1h")
        content = svmlight(examples(4000)).encode()
        senders = [self.send("-", "--source", f"s{n}", "--memory", "16KiB", stdin=subprocess.PIPE) for n in range(6)]
        threads = [threading.Thread(target=sender.communicate, args=(content,), kwargs={"timeout": DEADLINE}) for sender in senders]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([sender.returncode for sender in senders], [0] * 6)
        self.assertEqual(daemon.status()["examples"], 6 * 4000)

    def test_over_a_daemon_that_is_killed_while_the_memory_is_full(self):
        lines = svmlight(examples(6000))
        daemon = self.begin("--checkpoint-every", "1h")
        sender = self.send("-", "--source", "a", "--memory", "16KiB", stdin=subprocess.PIPE)
        writer = threading.Thread(target=sender.communicate, args=(lines.encode(),), kwargs={"timeout": DEADLINE})
        writer.start()
        for part in (200, 2000):
            until(lambda: self.saved() >= part, "a checkpoint")
            daemon.kill()
            daemon = self.begin("--checkpoint-every", "1h")
        writer.join()
        self.assertEqual(sender.returncode, 0)
        self.assertEqual(self.answers(daemon), self.straight(lines))

    def break_disk(self):
        shutil.rmtree(self.state)
        self.write("state", "in the way")

    def test_checkpoints_that_fail_are_told_and_end_patience(self):
        for stdin in (True, False):
            with self.subTest(stdin=stdin):
                daemon = self.begin("--checkpoint-every", "1h")
                self.break_disk()
                content = svmlight(examples(3000)).encode()
                sender = self.send("-" if stdin else self.write("a", content), "--source", "a", "--memory", "16KiB",
                                   "--patience", "3s", stdin=subprocess.PIPE if stdin else subprocess.DEVNULL)
                out, error = sender.communicate(content if stdin else None, timeout=DEADLINE)
                self.assertEqual((sender.returncode, out), (3, b""), error)
                told = error.decode()
                self.assertEqual(told.count("the daemon could not write a checkpoint, and tries again: "), 1, told)
                self.assertRegex(told, r"nothing moved for 3 s \(--patience\); 0 records are durable; the daemon cannot "
                                       "write checkpoints: .*state")
                daemon.kill()
                os.remove(self.state)

    def test_it_goes_on_when_checkpoints_succeed_again(self):
        daemon = self.begin("--checkpoint-every", "1h")
        self.break_disk()
        sender = self.send("-", "--source", "a", "--memory", "16KiB", stdin=subprocess.PIPE)
        writer = threading.Thread(target=sender.stdin.write, args=(svmlight(examples(3000)).encode(),))
        writer.start()
        self.assertIn(b"could not write a checkpoint", sender.stderr.readline())
        os.remove(self.state)
        writer.join()
        _, error = sender.communicate(timeout=DEADLINE)
        self.assertEqual(sender.returncode, 0, error)
        self.assertEqual(daemon.status()["examples"], 3000)

    def other_daemon(self, serve):
        """`serve(listener)` on the door's address, on a thread of its own."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(listener.close)
        listener.bind(self.path("stream.sock"))
        listener.listen()
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        self.addCleanup(thread.join)

    def test_a_promised_checkpoint_is_waited_for_beyond_patience(self):
        def serve(listener):
            with listener.accept()[0] as connection, connection.makefile("rb") as lines:
                self.assertEqual(lines.readline(), b"#glimpse source=a memory=0 contents=1\n")
                connection.sendall(b"resume 0\n")
                self.assertEqual(lines.read(), b"1 1:1\n")
                end = time.monotonic() + 2  # three times as long as patience
                while time.monotonic() < end:
                    connection.sendall(b"checkpoint pending\n")
                    time.sleep(0.05)
                connection.sendall(b"durable 1\n")

        self.other_daemon(serve)
        self.assertEqual(self.sent(self.write("a", "1 1:1\n"), "--source", "a", "--patience", "700ms")[::2],
                         (0, "1 record of a is durable, 1 of them sent now\n"))

    def test_a_promise_that_is_not_kept_up_ends_patience(self):
        ended = threading.Event()

        def serve(listener):
            with listener.accept()[0] as connection:
                connection.sendall(b"resume 0\ncheckpoint pending\n")
                ended.wait(DEADLINE)

        self.other_daemon(serve)
        status, _, error = self.sent(self.write("a", "1 1:1\n"), "--source", "a", "--patience", "300ms")
        ended.set()
        self.assertEqual(status, 3)
        self.assertIn("nothing moved for 300 ms (--patience); 0 records are durable", error)

    def test_a_daemon_of_an_older_version_is_served_as_well(self):
        greetings = []

        def serve(listener):
            for _ in range(3):
                with listener.accept()[0] as connection, connection.makefile("rb") as lines:
                    greetings.append(lines.readline())
                    if b"memory" in greetings[-1]:
                        connection.sendall(b"error: greeting #glimpse: 'memory' is not a key; the keys are token, source and "
                                           b"from; closing\n")
                        continue
                    connection.sendall(b"resume 0\n")
                    lines.read()
                    connection.sendall(b"durable 1\n")

        self.other_daemon(serve)
        sender = self.send("-", "--source", "a", stdin=subprocess.PIPE)
        _, error = sender.communicate(b"1 1:1\n", timeout=DEADLINE)
        self.assertEqual(sender.returncode, 0, error)
        self.assertEqual(greetings, [b"#glimpse source=a memory=67108864 contents=1\n", b"#glimpse source=a memory=67108864\n",
                                     b"#glimpse source=a\n"])
        self.assertIn(b"waits for those of its own (--checkpoint-every)", error)

    def test_a_server_that_greets_and_closes_ends_patience(self):
        met = []

        def serve(listener):
            while not ended.is_set():
                with listener.accept()[0] as connection:
                    met.append(connection.recv(1000))
                    connection.sendall(b"resume 0\n")

        ended = threading.Event()
        self.other_daemon(serve)
        sender = self.send(self.write("a", "1 1:1\n"), "--source", "a", "--patience", "1s")
        _, error = sender.communicate(timeout=DEADLINE)
        ended.set()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as last:
            last.connect(self.door.removeprefix("unix:"))
        self.assertEqual(sender.returncode, 3)
        self.assertIn(b"given up after 1 s (--patience)", error)
        self.assertGreater(len(met), 1)

    def test_durable_counts_as_progress_only_where_it_grows(self):
        ended = threading.Event()

        def serve(listener):
            while not ended.is_set():
                with listener.accept()[0] as connection, contextlib.suppress(OSError):
                    connection.recv(1000)
                    connection.sendall(b"resume 0\n")
                    while not ended.wait(0.05):
                        connection.sendall(b"durable 0\ndurable 1\n")

        self.other_daemon(serve)
        path = self.write("a", "1 1:1\n2 1:2\n")
        _, error = self.send(path, "--source", "a", "--patience", "1s").communicate(timeout=DEADLINE)
        self.assertRegex(error, rb"nothing moved for 1 s \(--patience\); 1 record is durable")
        ended.set()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as last:
            last.connect(self.door.removeprefix("unix:"))

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
