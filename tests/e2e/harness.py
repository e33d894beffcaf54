"""What every end-to-end test needs: a glimpsed in a folder of its own, its doors, its signals, its words.

The binaries come through the environment (GLIMPSE_BIN, GLIMPSE_GEN_BIN), which ctest sets. Nothing waits a fixed time:
whatever must become true is asked for until it is, with a deadline that only a hang reaches.
"""

import atexit
import contextlib
import glob
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

# The sanitizers that the programs were built with, as CMake has them ("address,undefined", "thread"); empty: none.
SANITIZERS = os.environ.get("GLIMPSE_SANITIZE", "")
DEADLINE = 120 if SANITIZERS else 30  # seconds; sanitizers are slow, and the machine may be busy

# Tests of numbers, or of more of the same, that take long with sanitizers and show them no code that others do not.
without_sanitizers = unittest.skipIf(SANITIZERS, "runs without sanitizers, which see its code elsewhere")


def collect_sanitizer_reports():
    """Lets every program that this one starts, and those that these start, write what its sanitizers find into a folder,
    also where nobody looks at its exit status or it is killed later. Returns the folder."""
    folder = tempfile.mkdtemp(prefix="glimpse-sanitizers-")
    atexit.register(shutil.rmtree, folder, True)
    for variable in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
        given = os.environ.get(variable)
        os.environ[variable] = (f"{given}:" if given else "") + f"log_path={folder}/report"
    return folder


SANITIZER_REPORTS = collect_sanitizer_reports() if SANITIZERS else None


def check_sanitizer_reports():
    """Fails with the first report that there is."""
    for path in sorted(glob.glob(os.path.join(SANITIZER_REPORTS, "report*"))):
        with open(path, encoding="utf-8", errors="replace") as file:
            report = file.read()
        os.remove(path)  # the next test has its own
        raise AssertionError(f"a sanitizer reports:\n{report}")


def binary(variable, default=""):
    path = os.environ.get(variable, default)
    if not path:
        raise RuntimeError(f"{variable} must name the binary; ctest sets it")
    return path


def speak(listener, first, again=b"", pause=0):
    """A server that reads from one client, says `first`, and then `again` until the client has gone. On a thread."""
    def serve():
        with listener.accept()[0] as connection, contextlib.suppress(OSError):
            connection.recv(1000)
            connection.sendall(first)
            while again:
                connection.sendall(again)
                time.sleep(pause)

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


def until(condition, what, deadline=DEADLINE):
    """Calls `condition` until it gives something true, and returns that. The longer it waits, the less often it asks, which
    takes seconds of a processor from what it waits for otherwise."""
    begin = time.monotonic()
    while True:
        value = condition()
        if value:
            return value
        waited = time.monotonic() - begin
        if waited > deadline:
            raise AssertionError(f"still not true after {deadline} s: {what}")
        time.sleep(min(0.005 + waited / 20, 0.1))


class UnixHttp(http.client.HTTPConnection):
    """http.client over a Unix socket."""

    def __init__(self, path, timeout=DEADLINE):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def error(self):
        """The code of the error envelope; checks the envelope."""
        error = self.json()["error"]
        assert set(error) == {"code", "message"} and error["message"], error
        return error["code"]


class StreamClient:
    """A client of a stream door."""

    def __init__(self, address):
        kind, _, rest = address.partition(":")
        if kind == "unix":
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                self.socket.connect(rest)
            except OSError:
                self.socket.close()
                raise
        else:
            host, _, port = rest.rpartition(":")
            self.socket = socket.create_connection((host, int(port)))
        self.socket.settimeout(DEADLINE)
        self.reader = self.socket.makefile("rb")

    def send(self, text):
        self.socket.sendall(text if isinstance(text, bytes) else text.encode())

    def line(self):
        return self.reader.readline().decode()

    def ask(self, text):
        self.send(text)
        return self.line()

    def finish(self):
        """Ends our side, and returns what is still answered."""
        self.socket.shutdown(socket.SHUT_WR)
        rest = self.reader.read().decode()
        self.close()
        return rest

    def close(self):
        self.reader.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


class Daemon:
    """A running glimpsed. Its HTTP door is a Unix socket of its own in FOLDER unless http=None."""

    started = 0

    def __init__(self, folder, *arguments, http="unix", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                 environment=None, wrapper=(), ready=True, preexec=None):
        self.folder = folder
        Daemon.started += 1  # each its own: a second daemon must not be taken for the first
        self.http_path = os.path.join(folder, f"http-{Daemon.started}.sock")
        arguments = [str(a) for a in arguments]
        if http == "unix":
            arguments += ["--http", f"unix:{self.http_path}"]
        self.stderr_path = os.path.join(folder, f"stderr-{Daemon.started}")
        with open(self.stderr_path, "wb") as stderr:
            self.process = subprocess.Popen([*wrapper, binary("GLIMPSE_BIN"), *arguments], stdin=stdin, stdout=stdout,
                                            stderr=stderr, env={**os.environ, **(environment or {})},
                                            preexec_fn=preexec)
        if ready and http == "unix":
            self.wait_ready()

    @property
    def stderr(self):
        with open(self.stderr_path, "rb") as file:
            return file.read().decode(errors="replace")

    def wait_ready(self):
        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f"glimpsed ended with {self.process.returncode}: {self.stderr}")
            try:
                answer = self.get("/readyz")
                # A learner that has diverged serves what it has, and says so there.
                return answer.status == 200 or b'"diverged"' in answer.body
            except OSError:
                return False

        until(ready, "/readyz answers 200")

    def connection(self, timeout=DEADLINE):
        return UnixHttp(self.http_path, timeout)

    def request(self, method, path, body=None, headers=None, timeout=DEADLINE):
        connection = self.connection(timeout)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return Response(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def get(self, path, timeout=DEADLINE):
        return self.request("GET", path, timeout=timeout)

    def post(self, path, body=b""):
        return self.request("POST", path, body if isinstance(body, bytes) else body.encode())

    def status(self):
        return self.get("/v1/status").json()

    def model(self):
        """The bytes of the model of now in JSON: equal bytes, equal models."""
        return self.get("/v1/model?fresh=true").body

    def wait_examples(self, count):
        until(lambda: self.status()["examples"] >= count, f"{count} examples are learned")

    def wait_log(self, pattern):
        """The log is written by a thread of its own: what was done may stand there a moment later."""
        return until(lambda: re.search(pattern, self.stderr), f"the log says {pattern}")

    def wait_text(self, text, behind=0, count=1):
        """`text` stands `count` times in the log behind so many characters."""
        until(lambda: self.stderr[behind:].count(text) >= count, f"the log says {text}")

    def door(self, kind="tcp"):
        """The address of a stream door, with the port that the system chose."""
        return self.wait_log(rf"stream door open on ({kind}:\S+)").group(1)

    def client(self, kind="tcp"):
        return StreamClient(self.door(kind))

    def send_signal(self, number):
        self.process.send_signal(number)

    def wait(self):
        """The exit status."""
        try:
            self.process.wait(DEADLINE)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
        return self.process.returncode

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.send_signal(number)
        return self.wait()

    def kill(self):
        """kill -9."""
        self.process.kill()
        self.process.wait()

    def output(self):
        """Everything that it writes to standard output until it ends."""
        return self.process.communicate(timeout=DEADLINE)[0].decode()

    def rss_bytes(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+) kB", file.read()).group(1)) * 1024

    def discard(self):
        """Ends it, however far it came."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                try:
                    pipe.close()
                except OSError:
                    pass


SMALL = ("--dimension", 4, "--budget", 3, "--seed", 7)


class TestCase(unittest.TestCase):
    """A folder a test, and daemons that do not outlive it."""

    def setUp(self):
        if SANITIZERS:
            self.addCleanup(check_sanitizer_reports)  # the first is called last, when all daemons have ended
        self.folder = tempfile.mkdtemp(prefix="glimpse-e2e-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def start(self, *arguments, **keywords):
        daemon = Daemon(self.folder, *arguments, **keywords)
        self.addCleanup(daemon.discard)
        return daemon

    def run_to_end(self, *arguments, stdin=b"", **keywords):
        """Runs glimpsed on `stdin` until it ends; (exit status, standard output, standard error)."""
        daemon = self.start(*arguments, http=None, stdin=subprocess.PIPE, **keywords)
        out = daemon.process.communicate(stdin, timeout=DEADLINE)[0]
        return daemon.process.returncode, out.decode(), daemon.stderr

    def refused(self, *arguments, **keywords):
        """Expects that glimpsed does not start; (exit status, its one line)."""
        status, _, error = self.run_to_end(*arguments, **keywords)
        lines = [line for line in error.splitlines() if line.startswith("glimpsed: ")]
        self.assertEqual(len(lines), 1, error)
        return status, lines[0]


def examples(count, dimension=4, seed=1):
    """Labelled dense examples [(label, [values])], with short decimal numbers that every format can say, and that are
    the same as a single."""
    generator = random.Random(seed)
    made = []
    for _ in range(count):
        values = [generator.randrange(-64, 65) / 64 for _ in range(dimension)]
        label = values[0] - 0.5 * values[-1] + generator.randrange(-8, 9) / 64
        made.append((label, values))
    return made


def svmlight(rows):
    return "".join(f"{y!r} " + " ".join(f"{i + 1}:{v!r}" for i, v in enumerate(x)) + "\n" for y, x in rows)


def vw(rows):
    return "".join(f"{y!r} | " + " ".join(f"{i}:{v!r}" for i, v in enumerate(x)) + "\n" for y, x in rows)


def csv(rows, header=False):
    head = "y," + ",".join(f"a{i}" for i in range(len(rows[0][1]))) + "\n" if header else ""
    return head + "".join(f"{y!r}," + ",".join(map(repr, x)) + "\n" for y, x in rows)


def ndjson(rows):
    return "".join(json.dumps({"label": y, "values": x}) + "\n" for y, x in rows)


def f32(rows):
    return b"".join(struct.pack(f"<{len(x) + 1}f", y, *x) for y, x in rows)


def npy(rows):
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (len(rows), len(rows[0][1]) + 1)
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + f32(rows)


def unlabelled(values):
    return "| " + " ".join(f"{i}:{v!r}" for i, v in enumerate(values)) + "\n"
