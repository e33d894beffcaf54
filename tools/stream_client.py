#!/usr/bin/env python3
"""A small client of glimpsed's stream door; what tools/quickstart measures with. Standard library alone.

  stream_client.py test --stream unix:PATH --examples FILE
      sends the labelled VW lines of FILE without their labels, reads the predictions, and prints
      'loss error': the squared loss over the zero predictor's, and the share of wrong signs.

  stream_client.py feed --stream unix:PATH --http unix:PATH --examples FILE --curve FILE [--first N]
      passes training examples from standard input on to standard output (the pipe into glimpsed). After N,
      2N, 4N, ... examples and after the last it waits until the daemon has learned them, tests as above, and
      adds a row to the learning curve.

Exit status: 0 fine, 1 failed, 2 wrong arguments.
"""

import argparse
import http.client
import json
import math
import os
import socket
import sys
import threading
import time

WAIT_SECONDS = 120
MOST_LINE = 1 << 20  # bytes of a reply


class Failure(Exception):
    """What went wrong, in one line."""


def connect(address):
    """A connected socket for unix:PATH or tcp:HOST:PORT."""
    kind, _, rest = address.partition(":")
    try:
        if kind == "unix" and rest:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.connect(rest)
        elif kind == "tcp" and ":" in rest:
            host, _, port = rest.rpartition(":")
            connection = socket.create_connection((host.strip("[]"), int(port)))
        else:
            raise Failure(f"address '{address}' must be unix:PATH or tcp:HOST:PORT")
    except (OSError, ValueError) as error:
        raise Failure(f"cannot connect to {address}: {error}") from error
    connection.settimeout(WAIT_SECONDS)
    return connection


class Status:
    """Asks GET /v1/status, over one connection after the other."""

    def __init__(self, address):
        self.address = address

    def get(self):
        connection = http.client.HTTPConnection("localhost", timeout=WAIT_SECONDS)
        connection.sock = connect(self.address)
        try:
            connection.request("GET", "/v1/status")
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise Failure(f"no status from {self.address}: {error}") from error
        finally:
            connection.close()
        if answer.status != 200:
            raise Failure(f"GET /v1/status at {self.address}: status {answer.status}")
        return json.loads(body)

    def wait_for(self, examples):
        """The status once `examples` were learned."""
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            status = self.get()
            if status["examples"] >= examples:
                return status
            time.sleep(0.005)
        raise Failure(f"{status['examples']} of {examples} examples were learned after {WAIT_SECONDS} s")


class TestSet:
    """Labelled VW lines, and the same lines as questions."""

    def __init__(self, path):
        self.labels = []
        questions = []
        try:
            with open(path, "rb") as lines:
                for line in lines:
                    label, bar, features = line.partition(b"|")
                    self.labels.append(float(label))
                    questions.append(bar + features)
        except (OSError, ValueError) as error:
            raise Failure(f"test examples '{path}': {error}") from error
        if not self.labels:
            raise Failure(f"test examples '{path}': there are none")
        self.questions = b"".join(questions)

    def predictions(self, address):
        """One number a question, in their order."""
        with connect(address) as connection:
            # Replies come while questions are still being sent; a client that only sent would fill both
            # buffers and stop.
            sender = threading.Thread(target=self._send, args=(connection,), daemon=True)
            sender.start()
            values = []
            with connection.makefile("rb") as replies:
                while reply := replies.readline(MOST_LINE):
                    try:
                        values.append(float(reply.split()[0]))
                        if not math.isfinite(values[-1]):
                            raise ValueError("not finite")
                    except (ValueError, IndexError) as error:
                        raise Failure(f"reply {len(values) + 1} is no prediction: {reply[:200]!r}") from error
                    if len(values) == len(self.labels):
                        break
            if len(values) < len(self.labels):
                raise Failure(f"{address} closed after {len(values)} of {len(self.labels)} predictions")
            sender.join()
        return values

    def _send(self, connection):
        try:
            connection.sendall(self.questions)
        except OSError:
            pass  # the reading side tells: too few replies

    def test(self, address):
        """(loss over the zero predictor's, share of wrong signs)."""
        values = self.predictions(address)
        loss = sum((p - y) ** 2 for p, y in zip(values, self.labels))
        zero = sum(y**2 for y in self.labels)
        wrong = sum((p > 0) != (y > 0) for p, y in zip(values, self.labels))
        return loss / zero if zero > 0 else float("inf"), wrong / len(values)


def wait_until_listening(address):
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            connect(address).close()
            return
        except Failure:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def run_test(arguments):
    loss, error = TestSet(arguments.examples).test(arguments.stream)
    print(f"{loss:.6f} {error:.6f}")


def run_feed(arguments):
    test_set = TestSet(arguments.examples)
    status = Status(arguments.http)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sent, due = 0, arguments.first
    with open(arguments.curve, "w", encoding="ascii") as curve:
        print("examples,attributes,loss,error", file=curve, flush=True)

        def add_point():
            sink.flush()
            wait_until_listening(arguments.http)
            learned = status.wait_for(sent)
            loss, error = test_set.test(arguments.stream)
            print(f"{sent},{learned['attributes_revealed']},{loss:.6f},{error:.6f}", file=curve, flush=True)

        for line in source:
            sink.write(line)
            sent += 1
            if sent == due:
                add_point()
                due *= 2
        if sent and sent * 2 != due:
            add_point()


def main():
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, run in (("test", run_test), ("feed", run_feed)):
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        command.add_argument("--stream", required=True, help="the stream door: unix:PATH or tcp:HOST:PORT")
        command.add_argument("--examples", required=True, help="file of labelled VW lines to test on")
        if name == "feed":
            command.add_argument("--http", required=True, help="the HTTP door: unix:PATH or tcp:HOST:PORT")
            command.add_argument("--curve", required=True, help="CSV file for the learning curve")
            command.add_argument("--first", type=int, default=100, help="examples before the first test")
    arguments = parser.parse_args()
    if getattr(arguments, "first", 1) < 1:
        parser.error("--first must be at least 1")
    try:
        arguments.run(arguments)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains at exit
        sys.exit("stream_client.py: nobody reads the examples: has the daemon ended?")
    except Failure as failure:
        sys.exit(f"stream_client.py: {failure}")


if __name__ == "__main__":
    main()
