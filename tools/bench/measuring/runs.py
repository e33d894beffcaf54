"""Runs programs and says how long they took and how much memory they had at most."""

import os
import re
import select
import subprocess
import sys
import tempfile
import time

SAMPLE = 20  # milliseconds between two looks at the memory


def stop(message):
    """Ends the program: what happened, and what to do about it."""
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


class Memory:
    """The most memory that a process had, in MiB, as of the last look(): all of it, and the part that belongs to no file.

    Not wait4()'s figure: that is never below what this program has itself, which its child has for a moment, too."""

    def __init__(self, pid):
        self.path = f"/proc/{pid}/status"
        self.peak = self.anonymous = 0.0

    def look(self):
        try:
            with open(self.path, encoding="ascii") as file:
                text = file.read()
        except OSError:
            return
        peak, anonymous = (re.search(name + r":\s+(\d+) kB", text) for name in ("VmHWM", "RssAnon"))
        if peak and anonymous:  # a process that has ended has none
            self.peak = int(peak.group(1)) / 1024
            self.anonymous = max(self.anonymous, int(anonymous.group(1)) / 1024)


class Run:
    """One run of a program to its end: seconds, memory, cpu (seconds of all its threads), out, errors. `write_to`: a file
    for what it prints, in place of `out`. A run that fails ends everything."""

    def __init__(self, command, stdin=None, write_to=None):
        command = [str(word) for word in command]
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            begin = time.perf_counter()
            process = subprocess.Popen(command, stdin=stdin or subprocess.DEVNULL, stdout=write_to or out, stderr=errors)
            self.memory = Memory(process.pid)
            ended = os.pidfd_open(process.pid)
            poll = select.poll()
            poll.register(ended, select.POLLIN)
            while not poll.poll(SAMPLE):
                self.memory.look()
            _, status, usage = os.wait4(process.pid, 0)
            self.seconds = time.perf_counter() - begin
            os.close(ended)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.cpu = usage.ru_utime + usage.ru_stime
            out.seek(0)
            errors.seek(0)
            self.out = out.read().decode(errors="replace")
            self.errors = errors.read().decode(errors="replace")
        if process.returncode != 0:
            stop(f"{' '.join(command)} ended with {process.returncode}:\n{self.errors[-2000:]}")


def in_turns(turn, *actions):
    """Does the actions one after the other, in the opposite order in every second turn: [their results, in their order]."""
    results = [None] * len(actions)
    order = list(enumerate(actions))
    for place, action in order if turn % 2 == 0 else reversed(order):
        results[place] = action()
    return results
