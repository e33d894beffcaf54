"""A life of the daemon, and a client of a source of it: what can be seen of both, without sleeping."""

import os
import re
import select
import socket
import subprocess
import time

from sent_records import DIMENSION

DEADLINE = 60  # seconds that only a hang reaches


class Failure(Exception):
    pass


def until(condition, what):
    end = time.monotonic() + DEADLINE
    while not (value := condition()):
        if time.monotonic() > end:
            raise Failure(f"still not true after {DEADLINE} s: {what}")
    return value


class Life:
    """One glimpsed on the state directory of a stream."""

    def __init__(self, folder, door, name, learner):
        self.folder = folder
        self.door = door
        self.socket_path = os.path.join(folder, "stream.sock")
        self.state = os.path.join(folder, "state")
        self.log = open(os.path.join(folder, "log"), "ab")
        self.log_from = self.log.tell()
        arguments = ["--dimension", DIMENSION, "--budget", 3, "--seed", 3, "--state-directory", self.state,
                     # Where nothing more is bought no examples call for checkpoints.
                     "--checkpoint-examples", 100,
                     "--checkpoint-every", "50ms" if "--total-budget" in learner else "1h",
                     "--queue", "8KiB", *learner]
        if door == "stdin":
            arguments += ["--input", "-", "--stdin-source", "s"]
        elif door == "file":
            arguments += ["--input", os.path.join(folder, "input"), "--replies", "none"]
        if door in ("socket", "from", "send"):
            arguments += ["--listen", "unix:" + self.socket_path]
            if os.path.exists(self.socket_path):
                os.unlink(self.socket_path)  # so that it is the new daemon's once it is there
        self.saved_before = self.saved()
        self.process = subprocess.Popen([os.environ["GLIMPSE_BIN"], *map(str, arguments)], stdout=subprocess.DEVNULL,
                                        stdin=subprocess.PIPE if door == "stdin" else subprocess.DEVNULL,
                                        stderr=self.log)

    def words(self):
        """What it has logged so far."""
        with open(os.path.join(self.folder, "log"), "rb") as log:
            log.seek(self.log_from)
            return log.read().decode(errors="replace")

    def alive(self):
        if self.process.poll() is not None:
            raise Failure(f"glimpsed ended with {self.process.returncode}:\n{self.words()[-2000:]}")
        return True

    def kill(self):
        self.process.kill()
        self.close()

    def close(self):
        self.process.wait()
        if self.process.stdin:
            try:
                self.process.stdin.close()
            except OSError:
                pass
        self.log.close()

    def checkpoints(self):
        try:
            return os.listdir(self.state)
        except FileNotFoundError:
            return []

    def saved(self):
        """The sequence of the newest checkpoint."""
        return max((int(name.split("-")[1]) for name in self.checkpoints()
                    if re.fullmatch(r"checkpoint-\d+-\d+\.safetensors", name)), default=0)


class Connection:
    """A client of a source, that notes what it is told."""

    def __init__(self, life, keys=""):
        self.life = life
        until(lambda: life.alive() and os.path.exists(life.socket_path), "the door is there")
        self.socket = socket.socket(socket.AF_UNIX)
        until(self.connect, "the door opens")
        self.socket.setblocking(False)
        self.rest = b""
        self.inside = None
        self.durable = 0
        self.gone = False
        self.write(f"#glimpse source=s{keys}\n".encode())

    def connect(self):
        try:
            self.socket.connect(self.life.socket_path)
            return True
        except (ConnectionRefusedError, BlockingIOError):
            return not self.life.alive()

    def write(self, content):
        """All of it, reading meanwhile."""
        while content and not self.gone:
            _, writable, _ = select.select([self.socket], [self.socket], [], DEADLINE)
            self.read()
            if writable:
                try:
                    content = content[self.socket.send(content[:65536]):]
                except BlockingIOError:
                    pass
                except OSError:
                    self.gone = True

    def read(self):
        """What is there."""
        while not self.gone:
            try:
                piece = self.socket.recv(1 << 16)
            except BlockingIOError:
                break
            except OSError:
                piece = b""
            if not piece:
                self.gone = True
            *whole, self.rest = (self.rest + piece).split(b"\n")
            for line in whole:
                self.take(line.decode())
        return self

    def take(self, line):
        if found := re.fullmatch(r"resume (\d+)", line):
            if self.inside is not None:
                raise Failure("resume came twice")
            self.inside = int(found[1])
        elif found := re.fullmatch(r"durable (\d+)", line):
            if int(found[1]) <= self.durable:
                raise Failure(f"durable went from {self.durable} to {found[1]}")
            self.durable = int(found[1])
        elif not re.match(r"error: line \d+: |-?\d", line):
            raise Failure(f"a line that is none: {line!r}")

    def wait(self, condition, what):
        def check():
            if condition():
                return True
            select.select([self.socket], [], [], .05)
            self.read()
            if self.gone and not condition():
                raise Failure(f"the connection ended while waiting until {what}: {self.life.words()[-1000:]}")
            return condition()

        until(check, what)

    def close(self):
        self.socket.close()
