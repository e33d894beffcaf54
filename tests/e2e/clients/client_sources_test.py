"""The Source of tools/python/glimpsed/client: each record is learned once, also by older daemons."""

import shutil
import socket
import threading
import unittest

from client_support import ClientTestCase
from glimpsed.client import InvalidRequest, Source, Unavailable
from harness import SMALL, examples, svmlight


class Sources(ClientTestCase):
    def begin(self):
        return self.start(*SMALL, "--listen", f"unix:{self.path('stream.sock')}", "--state-directory",
                          self.path("state"), "--checkpoint-examples", 500)

    def feed(self, lines, daemon=None, kill_at=None):
        """Sends what is not inside; (inside before, inside and durable after, or the error of a kill)."""
        with Source(f"unix:{self.path('stream.sock')}", "a") as source:
            begin = source.inside
            for number in range(begin, len(lines)):
                if number == kill_at:
                    daemon.kill()
                source.send(lines[number])
            return begin, source.finish(), source.replies

    def test_each_record_is_learned_once_over_kills(self):
        lines = svmlight(examples(5000)).splitlines(True)
        lines[17], lines[18] = " 1:0.5\n", "bad\n"
        for kill_at in (2000, 3500):
            daemon = self.begin()
            with self.assertRaises(Unavailable):
                self.feed(lines, daemon, kill_at)
        daemon = self.begin()
        begin, durable, _ = self.feed(lines)
        self.assertGreater(begin, 0)
        self.assertEqual(durable, 5000)
        self.assertEqual(daemon.status()["examples"], 4998)
        straight = self.start(*SMALL, "--listen", f"unix:{self.path('straight.sock')}", "--state-directory",
                              self.path("other"))
        with Source(f"unix:{self.path('straight.sock')}", "b") as source:
            source.send("".join(lines).encode())
            self.assertEqual(source.finish(), 5000)
        self.assertEqual(len(source.replies), 2)
        self.assertRegex(source.replies[1], "^error: line 19: ")
        self.assertEqual(straight.model(), daemon.model())

    def test_what_cannot_be_is_said(self):
        for address in ("tcp:here", "unix:", "here"):
            with self.assertRaises(ValueError):
                Source(address, "a")
        with self.assertRaises(Unavailable):
            Source(f"unix:{self.path('none.sock')}", "a")
        self.begin()
        with self.assertRaisesRegex(InvalidRequest, "source 'a=b': character 2 cannot be in a name"):
            Source(f"unix:{self.path('stream.sock')}", "a=b")
        with Source(f"unix:{self.path('stream.sock')}", "b") as source:
            with self.assertRaisesRegex(ValueError, r"the record .*has no line end and would not be learned"):
                source.send("1 | 0:1\n1 | 0:2")
            source.send("1 | 0:1\n")
            self.assertEqual(source.finish(), 1)

    def test_what_fills_the_memory_becomes_durable_soon(self):
        self.start(*SMALL, "--listen", f"unix:{self.path('stream.sock')}", "--state-directory", self.path("state"),
                   "--checkpoint-every", "1h")
        lines = svmlight(examples(400)).splitlines(True)
        with Source(f"unix:{self.path('stream.sock')}", "a", memory=2000) as source:
            kept = []  # (records, bytes)
            for number, line in enumerate(lines):
                source.send(line)
                kept.append((number + 1, len(line)))
                if sum(size for _, size in kept) >= 2000:
                    source.wait_durable(kept[0][0])
                    kept = [(records, size) for records, size in kept if records > source.durable]
            self.assertGreater(source.durable, 0)
            self.assertEqual(source.finish(), 400)

    def test_checkpoints_that_fail_are_told_by_the_error(self):
        self.start(*SMALL, "--listen", f"unix:{self.path('stream.sock')}", "--state-directory", self.path("state"),
                   "--checkpoint-every", "1h")
        shutil.rmtree(self.path("state"))
        self.write("state", "in the way")
        with Source(f"unix:{self.path('stream.sock')}", "a", timeout=1.5) as source:
            source.send("1 1:1\n")
            with self.assertRaisesRegex(Unavailable, "nothing moved for 1.5 s; "
                                        "the daemon cannot write checkpoints: .*state"):
                source.finish()

    def test_a_daemon_of_an_older_version_is_served_as_well(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(self.path("stream.sock"))
            listener.listen()

            def serve():
                for _ in range(2):
                    with listener.accept()[0] as connection, connection.makefile("rb") as lines:
                        if b"memory" in lines.readline():
                            connection.sendall(b"error: greeting #glimpse: 'memory' is not a key; "
                                               b"the keys are token, source and from; closing\n")
                        else:
                            connection.sendall(b"resume 7\ndurable 7\n")

            thread = threading.Thread(target=serve)
            thread.start()
            with Source(f"unix:{self.path('stream.sock')}", "a") as source:
                self.assertEqual((source.inside, source.durable), (7, 7))
            thread.join()


if __name__ == "__main__":
    unittest.main(verbosity=2)
