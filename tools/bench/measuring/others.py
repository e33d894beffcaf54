"""Vowpal Wabbit, scikit-learn and River: installed from PyPI into an environment of their own, and run.

The wheel has no `vw` program, but `python -m vowpalwabbit` takes its options. It reads input only where one of them is
--data or --passes, hence --passes 1 (the default) for the daemon, which would close every connection at once otherwise.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from .glimpse import DEADLINE, connect, send_file
from .runs import Memory, Run, stop

PACKAGES = ("vowpalwabbit", "scikit-learn", "river")
TIMED = Path(__file__).with_name("vw_timed.py")
LEARNER = Path(__file__).with_name("python_learner.py")
UNCLIPPED = ("--min_prediction", "-1e6", "--max_prediction", "1e6")


class Others:
    def __init__(self, environment, report):
        self.python, self.report = Path(environment) / "bin" / "python", report
        self.environment = environment

    def install(self):
        """Their names and versions."""
        if not self.python.exists():
            self.report.progress("installing " + ", ".join(PACKAGES))
            Run([sys.executable, "-m", "venv", self.environment])
            Run([self.python, "-m", "pip", "-q", "install", *PACKAGES])
        listed = Run([self.python, "-m", "pip", "list", "--format", "freeze"]).out
        found = [line.replace("==", " ") for line in listed.split() if line.split("==")[0].replace("_", "-") in PACKAGES]
        if len(found) < len(PACKAGES):
            stop(f"{self.environment} lacks some of {', '.join(PACKAGES)}: remove it, and it is made again")
        return ", ".join(found)

    def vw_command(self, *options, program=("-m", "vowpalwabbit")):
        return [str(word) for word in (self.python, *program, "--quiet", "--no_stdin", "-b", 20, *options)]

    def vw(self, path, *more):
        """The run, and the seconds that were Vowpal Wabbit's own, its start included and Python's not."""
        run = Run(self.vw_command("-d", path, *more, program=("-B", TIMED)))
        return run, float(run.out)

    def python_learner(self, which, path, dimension, most=-1, test="-"):
        """The run, its seconds without start-up and imports, its examples, its loss."""
        run = Run([self.python, "-B", LEARNER, which, path, dimension, most, test])
        took, learned, loss = map(float, run.out.split())
        return run, took, learned, loss


class VwDaemon:
    """vw --daemon: a context, which ends it. `children`: how many connections are served at a time, each by a process
    with a model of its own."""

    def __init__(self, others, *options, children=1):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"tcp:127.0.0.1:{probe.getsockname()[1]}"
        command = others.vw_command("--daemon", "--foreground", "--passes", 1, "--port", self.address.rpartition(":")[2],
                                    "--num_children", children, *options)
        # A session of its own, so that its children are ended with it.
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        self.memory = Memory(self.process.pid)

    def connect(self):
        end = time.monotonic() + DEADLINE
        while True:
            try:
                return connect(self.address)
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > end:
                    stop(f"vw --daemon does not answer on {self.address}")
                time.sleep(0.01)

    def feed(self, path, examples):
        """Seconds from the first byte to the last reply (it answers every line)."""
        with self.connect() as connection:
            sender = threading.Thread(target=send_file, args=(connection, path))
            begin = time.perf_counter()
            sender.start()
            replies = 0
            while replies < examples and (piece := connection.recv(1 << 20)):
                replies += piece.count(b"\n")
            took = time.perf_counter() - begin
            sender.join()
        if replies != examples:
            stop(f"vw --daemon answered {replies} of {examples} lines")
        self.memory.look()
        return took

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                break
            try:
                self.process.wait(1)
            except subprocess.TimeoutExpired:
                pass
