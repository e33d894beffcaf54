"""glimpsectl stream: lines go to a stream door as they are, and its replies come back."""

import os
import socket
import subprocess
import threading
import unittest

from harness import DEADLINE, SMALL, TestCase, binary, examples, svmlight, unlabelled


class Stream(TestCase):
    def begin(self, *arguments):
        self.door = f"unix:{self.path('stream.sock')}"
        self.daemon = self.start(*SMALL, "--listen", self.door, *arguments)
        return self.daemon

    def door_of_tcp(self):
        return self.daemon.door("tcp")

    def stream(self, *arguments, stdin=b"", to=None):
        """(exit status, standard output, standard error)."""
        done = subprocess.run([binary("GLIMPSECTL_BIN"), "stream", "--to", to or self.door, *map(str, arguments)],
                              input=stdin, capture_output=True, timeout=DEADLINE, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_lines_are_learned_from_and_replies_come_back_in_order(self):
        rows = examples(500)
        daemon = self.begin("--replies", "all")
        status, out, error = self.stream(stdin=svmlight(rows).encode())
        self.assertEqual((status, error), (0, ""))
        self.assertEqual(len([float(line) for line in out.splitlines()]), 500)
        self.assertEqual(daemon.status()["examples"], 500)
        path = self.write("examples", svmlight(rows))
        self.assertEqual(self.stream(path)[0], 0)
        self.assertEqual(daemon.status()["examples"], 1000)
        self.assertEqual(self.stream(self.write("unended", "1 1:1\n1 2:1"))[0], 0)
        self.assertEqual(daemon.status()["examples"], 1002)

    def test_many_questions_and_their_answers_pass_each_other(self):
        self.begin()
        status, out, error = self.stream(stdin=unlabelled([0.5, 1, 2, 3]).encode() * 200000)
        self.assertEqual((status, error), (0, ""))
        self.assertEqual(out.count("\n"), 200000)

    def test_replies_that_cannot_be_written_are_a_failure(self):
        self.begin("--state-directory", self.path("state"))
        path = self.write("questions", unlabelled([0.5, 1, 2, 3]))
        for command in (["stream"], ["send", "--source", "a"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([binary("GLIMPSECTL_BIN"), *command, path, "--to", self.door], stdout=full,
                                      stderr=subprocess.PIPE, timeout=DEADLINE, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"glimpsectl: the output cannot be written", done.stderr)

    def test_lines_of_errors_are_shown_and_end_with_status_1(self):
        self.begin()
        status, out, error = self.stream(stdin=b"1 1:1\n1 9:1\n1 1:1\n")
        self.assertEqual(status, 1)
        self.assertRegex(out, "^error: line 2: index 9 is out of range.*\n$")
        self.assertEqual(error, "glimpsectl: '-': 1 of the replies is an error\n")

    def test_a_token_is_shown_first(self):
        path = self.write("tokens", "write 0123456789abcdefg\n")
        os.chmod(path, 0o600)
        self.begin("--token-file", path, "--listen", "tcp:127.0.0.1:0")
        address = self.door_of_tcp()
        token = self.write("token", "0123456789abcdefg\n")
        os.chmod(token, 0o600)
        self.assertEqual(self.stream("--token-file", token, stdin=b"1 1:1\n", to=address), (0, "", ""))
        status, out, _ = self.stream(stdin=b"1 1:1\n", to=address)
        self.assertNotEqual(status, 0)
        self.assertRegex(out, "token")

    def test_a_door_that_closes_early_or_says_nothing_is_an_error(self):
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(self.path("closes.sock"))
            door.listen()

            def close_one():
                connection = door.accept()[0]
                connection.recv(10)
                connection.close()

            thread = threading.Thread(target=close_one)
            thread.start()
            address = f"unix:{self.path('closes.sock')}"
            status, _, error = self.stream(stdin=b"1 1:1\n" * 10**6, to=address)
            thread.join()
            self.assertEqual(status, 3)
            self.assertRegex(error, "^glimpsectl: lost the connection to unix:.*\n$")
            status, _, error = self.stream("--timeout", "300ms", stdin=b"1 1:1\n", to=address)
            self.assertEqual((status, error), (3, f"glimpsectl: {address} does not answer within 300 ms (--timeout)\n"))

    def test_nobody_is_there(self):
        status, _, error = self.stream(stdin=b"1 1:1\n", to=f"unix:{self.path('none.sock')}")
        self.assertEqual((status, error), (
            3, f"glimpsectl: cannot connect to unix:{self.path('none.sock')}: No such file or directory\n"))


if __name__ == "__main__":
    unittest.main()
