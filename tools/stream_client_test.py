"""Tests of stream_client.py against a server of a few lines. Run by ctest."""

import os
import pathlib
import socketserver
import subprocess
import sys
import tempfile
import threading
import unittest

CLIENT = pathlib.Path(__file__).with_name("stream_client.py")


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 16


def serve(path, handle):
    """A server on the unix socket `path` that calls handle(rfile, wfile) for each connection."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            handle(self.rfile, self.wfile)

    server = Server(path, Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def answer_first_value(questions, answers):
    for line in questions:
        assert line.startswith(b"|"), "a label was sent"
        answers.write(line.split(b":")[1].split()[0] + b" some-tag\n")


class StreamClientTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.address = f"unix:{self.folder}/s"
        self.examples = self.folder / "test.vw"

    def serve(self, name, handle):
        server = serve(os.fspath(self.folder / name), handle)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)

    def run_client(self, *words, **options):
        command = [sys.executable, os.fspath(CLIENT), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)

    def test_loss_and_error_are_those_of_the_replies(self):
        self.serve("s", answer_first_value)
        self.examples.write_text("1 | 0:0.5\n-1 | 0:0.5\n")
        done = self.run_client("test", "--stream", self.address, "--examples", self.examples)
        self.assertEqual((done.returncode, done.stdout), (0, "1.250000 0.500000\n"), done.stderr)

    def test_many_long_lines_do_not_fill_both_buffers_and_stop(self):
        self.serve("s", answer_first_value)
        line = "1 | 0:1 " + "x " * 5000 + "\n"
        self.examples.write_text(line * 2000)
        done = self.run_client("test", "--stream", self.address, "--examples", self.examples)
        self.assertEqual((done.returncode, done.stdout), (0, "0.000000 0.000000\n"), done.stderr)

    def test_a_server_that_stops_answering_is_told(self):
        self.serve("s", lambda questions, answers: questions.readline() and answers.write(b"0.5\n"))
        self.examples.write_text("1 | 0:1\n" * 3)
        done = self.run_client("test", "--stream", self.address, "--examples", self.examples)
        self.assertEqual(done.returncode, 1)
        self.assertIn("closed after 1 of 3 predictions", done.stderr)

    def test_an_error_line_is_shown(self):
        self.serve("s", lambda questions, answers: questions.readline() and answers.write(b"error: no\n"))
        self.examples.write_text("1 | 0:1\n")
        done = self.run_client("test", "--stream", self.address, "--examples", self.examples)
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: no", done.stderr)

    def test_no_server_and_no_examples_are_one_line(self):
        self.examples.write_text("1 | 0:1\n")
        for examples in (self.examples, self.folder / "nowhere"):
            done = self.run_client("test", "--stream", self.address, "--examples", examples)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))

    def test_feed_passes_everything_on_and_tests_at_doubling_counts(self):
        lines = ["1 | 0:1\n"] * 11

        def status(request, reply):
            while request.readline().strip():
                pass
            body = b'{"examples": 99, "attributes_revealed": 7}'
            reply.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

        self.serve("s", answer_first_value)
        self.serve("h", status)
        self.examples.write_text("1 | 0:1\n")
        curve = self.folder / "curve.csv"
        words = ["feed", "--stream", self.address, "--http", f"unix:{self.folder}/h"]
        words += ["--examples", self.examples]
        done = self.run_client(*words, "--curve", curve, "--first", "2", input="".join(lines))
        self.assertEqual((done.returncode, done.stdout), (0, "".join(lines)), done.stderr)
        tested_at = [row.split(",")[0] for row in curve.read_text().split()]
        self.assertEqual(tested_at, ["examples", "2", "4", "8", "11"])


if __name__ == "__main__":
    unittest.main()
