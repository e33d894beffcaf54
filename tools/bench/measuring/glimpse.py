"""Runs glimpsed on a stream through each of its doors, and sees to it that everything was learned."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from .runs import Memory, Run, stop

DEADLINE = 60  # seconds that only a hang takes
PIECE = 128 << 10  # bytes that are sent at a time, as cat does


def own_memory(dimension, algorithm="auto"):
    """MiB that the learner needs for itself (daemon/README.md, Memory): pairwise's moments and what it solves in, or 97 bytes
    an attribute of the screened one; elsewhere 47.4 bytes an attribute."""
    if algorithm == "auto":
        return (24 * dimension ** 2 if 16 * dimension ** 2 <= 2 ** 30 else 97 * dimension) / 2 ** 20
    return 47.4 * dimension / 2 ** 20


def check_learned(log, examples):
    """Ends everything when glimpsed's last words do not tell of so many examples, all of them read."""
    said = re.search(r"finished: (\d+) examples, .*, (\d+) lines that could not be read, (\d+) examples skipped", log)
    if not said or [int(number) for number in said.groups()] != [examples, 0, 0]:
        stop(f"glimpsed should have learned {examples} examples, but says:\n{log[-2000:]}")


def connect(address):
    kind, _, rest = address.partition(":")
    if kind == "unix":
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(rest)
        return connection
    host, _, port = rest.rpartition(":")
    connection = socket.create_connection((host, int(port)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def send_file(connection, path):
    """As `cat` would: through a small buffer that stays in the cache."""
    buffer = memoryview(bytearray(PIECE))
    with open(path, "rb", buffering=0) as file:
        while size := file.readinto(buffer):
            connection.sendall(buffer[:size])


class Glimpse:
    """`more`: options that every run has."""

    def __init__(self, program, more=()):
        self.program, self.more = program, tuple(more)
        self.wrapper = ()  # what glimpsed is run by, like `perf record`; memory is that program's then

    def version(self):
        return Run([self.program, "--version"]).out.strip()

    def has_option(self, name):
        return re.search(rf"^ *{name}\b", Run([self.program, "--help"]).out, re.MULTILINE) is not None

    def command(self, dimension, budget, form, *more):
        return [str(word) for word in (*self.wrapper, self.program, "--dimension", dimension, "--budget", budget,
                                   "--format", form, *self.more, *more)]

    def file(self, path, dimension, budget, form, *more, examples=None, replies="none", write_to=None):
        """A run that learns a whole file and ends; its start-up is in its seconds. `examples`: how many there are."""
        run = Run(self.command(dimension, budget, form, *more, "--replies", replies, "--input", path), write_to=write_to)
        if examples is not None:
            check_learned(run.errors, examples)
        return run

    def pipe(self, path, dimension, budget, form, *more, examples=None):
        with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
            run = Run(self.command(dimension, budget, form, *more, "--replies", "none", "--input", "-"), cat.stdout)
        if examples is not None:
            check_learned(run.errors, examples)
        return run


class Served:
    """glimpsed with open stream doors, tcp and unix: a context, which ends it. Afterwards `memory` is of its
    last moments, and `last_words` is what it wrote."""

    def __init__(self, glimpse, dimension, budget, form, *more):
        self.folder = tempfile.mkdtemp(prefix="glimpse-served-")
        self.log_path = os.path.join(self.folder, "log")
        command = glimpse.command(dimension, budget, form, "--listen", "tcp:127.0.0.1:0", "--listen",
                                  f"unix:{self.folder}/stream.sock", *more)
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        self.memory = Memory(self.process.pid)

    @property
    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def door(self, kind):
        """The address of the door of this kind, once it is open."""
        end = time.monotonic() + DEADLINE
        while not (door := re.search(rf"stream door open on ({kind}:\S+)", self.log)):
            if self.process.poll() is not None or time.monotonic() > end:
                stop(f"glimpsed opened no {kind} door:\n{self.log[-2000:]}")
            time.sleep(0.002)
        return door.group(1)

    def feed(self, kind, path):
        """Seconds from the first byte to when the last example is learned: glimpsed closes only then."""
        with connect(self.door(kind)) as connection:
            begin = time.perf_counter()
            try:
                send_file(connection, path)
                connection.shutdown(socket.SHUT_WR)
                answer = connection.recv(1000)
            except OSError as error:
                stop(f"glimpsed broke off while {path} was sent ({error}):\n{self.log[-2000:]}")
            took = time.perf_counter() - begin
            if answer:
                stop(f"glimpsed answered a line of {path}, which asks for nothing: {answer!r}")
            return took

    def end(self):
        if self.process.poll() is None:
            self.memory.look()
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(DEADLINE)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        try:
            if kind is None:
                self.end()
                self.last_words = self.log
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            shutil.rmtree(self.folder, True)
