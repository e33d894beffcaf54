#!/usr/bin/env python3
"""kill -9 at hundreds of moments: after each a restart, the input again, and at the end of each stream a comparison, to the
bit, of everything that the last checkpoint holds with that of an uninterrupted run.

    kills.py [--kills 200] [--seed 1] [--verbose]

GLIMPSE_BIN and GLIMPSECTL_BIN name the binaries; ctest sets them. A stream is killed one to six times, then finished and
compared. Moments are chosen by what can be seen of the daemon's progress (what was told, what is on the disk, how far it
came in starting or stopping), never by sleeping; the seed decides which. Kills that find everything already durable count
as well: they must change nothing.
"""

import argparse
import collections
import json
import os
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

RECORDS = 3000
DIMENSION = 5
DEADLINE = 60  # seconds that only a hang reaches


class Failure(Exception):
    pass


def until(condition, what):
    end = time.monotonic() + DEADLINE
    while not (value := condition()):
        if time.monotonic() > end:
            raise Failure(f"still not true after {DEADLINE} s: {what}")
    return value


# --- what is sent ---------------------------------------------------------------------------------------------------


def values(chance):
    return [chance.randrange(-32, 33) / 32 for _ in range(DIMENSION)]


def svmlight(chance):
    """Also bad lines, blanks, comments, and often a bare label, which alone would be taken for CSV."""
    kind = chance.random()
    if kind < .04:
        return chance.choice(["\n", "# comment\n", "nonsense\n", "1 9:1\n"])
    if kind < .25:
        return "1\n"
    x = values(chance)
    return f"{x[0] - x[3]!r} " + " ".join(f"{i + 1}:{v!r}" for i, v in enumerate(x)) + "\n"


def vw(chance):
    """Names that come as they come, and predictions between the examples."""
    x = values(chance)
    names = chance.sample("abcde", 5)
    label = "" if chance.random() < .1 else f"{x[0] - x[3]!r} "
    return label + "| " + " ".join(f"{names[i]}:{v!r}" for i, v in enumerate(x)) + "\n"


def csv(chance):
    """Often a row that alone would be taken for a header."""
    x = values(chance)
    return ",".join(map(repr, [x[0] - x[3], *x])) + "\n" if chance.random() > .2 else "x,y,z,u,v,w\n"


def lines(make, *first):
    chance = random.Random(99)
    return [line.encode() for line in [*first, *(make(chance) for _ in range(RECORDS - len(first)))]]


STREAMS = {
    "svmlight": lines(svmlight),
    "vw": lines(vw),
    "csv": lines(csv, "1,2\n", "y,a,b,c,d,e\n"),
}
# Door and stream and learner of each scenario.
SCENARIOS = [
    ("socket", "svmlight", ["--algorithm", "two-phase-ddaerr", "--phase1", "500"]),
    ("socket", "csv", ["--algorithm", "pairwise"]),
    ("from", "vw", ["--algorithm", "aelr", "--radius", "3"]),
    ("socket", "vw", ["--algorithm", "two-phase-ddaerr", "--total-budget", str(RECORDS + 1)]),
    ("stdin", "svmlight", ["--algorithm", "pairwise"]),
    ("stdin", "csv", ["--algorithm", "two-phase-ddaerr", "--drift", "auto"]),
    ("file", "vw", ["--algorithm", "pairwise"]),
    ("file", "csv", ["--algorithm", "two-phase-ddaerr"]),
    ("send", "csv", ["--algorithm", "two-phase-ddaelr", "--radius", "3"]),
    ("send", "svmlight", ["--algorithm", "pairwise-screened", "--active", "3"]),
]


# --- a life of the daemon -------------------------------------------------------------------------------------------


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
                     "--checkpoint-examples", 100, "--checkpoint-every", "50ms" if "--total-budget" in learner else "1h",
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
                                        stdin=subprocess.PIPE if door == "stdin" else subprocess.DEVNULL, stderr=self.log)

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
        return max((int(name.split("-")[1]) for name in self.checkpoints() if re.fullmatch(r"checkpoint-\d+-\d+\.safetensors", name)),
                   default=0)


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


def tensors(path):
    """Everything that a checkpoint holds."""
    with open(path, "rb") as file:
        data = file.read()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    texts = json.loads(header.pop("__metadata__")["glimpse"])["texts"]
    return texts, {name: data[8 + length + t["data_offsets"][0]:8 + length + t["data_offsets"][1]] for name, t in header.items()}


class Stream:
    """One stream of records, killed some times, finished, and compared."""

    def __init__(self, scenario, chance, folder):
        self.door, name, self.learner = scenario
        self.name = name
        self.records = STREAMS[name]
        self.chance = chance
        self.folder = folder
        self.durable = 0  # the most that was ever told
        self.sender = None
        self.moments = []
        self.hits = collections.Counter()
        with open(os.path.join(folder, "input"), "wb") as file:
            file.write(b"".join(self.records))

    def live(self):
        return Life(self.folder, self.door, self.name, self.learner)

    def connect(self, life, begin_at_zero):
        connection = Connection(life, " from=0" if begin_at_zero else "")
        connection.wait(lambda: connection.inside is not None, "resume is told")
        if not self.durable <= connection.inside <= len(self.records):
            raise Failure(f"resume {connection.inside}, but {self.durable} were durable")
        return connection

    def kill_once(self):
        life = self.live()
        moment = self.chance.choice(["starting", "starting", "sent", "sent", "learned", "writing", "writing", "saved", "stopping"])
        self.moments.append(moment)
        try:
            if moment == "starting":
                self.start_a_little(life)
            elif self.door in ("socket", "from"):
                self.kill_a_connection(life, moment)
            else:
                self.kill_a_feed(life, moment)
        finally:
            life.kill()
            self.note_kill(life)

    def note_kill(self, life):
        """Where it was hit, as the disk shows."""
        names = life.checkpoints()
        self.hits["amid a checkpoint"] += any(name.endswith(".tmp") for name in names)
        examples = [int(found[1]) for name in names if (found := re.fullmatch(r"checkpoint-\d+-(\d+)\.safetensors", name))]
        self.hits["amid the stream"] += max(examples, default=0) < RECORDS * .75

    def start_a_little(self, life):
        """Up to one of the things that a start does, or to the end of a file that is all inside."""
        sign = self.chance.choice(["", "lock", "restored", "first checkpoint", "door"])
        saved = life.saved_before
        if sign == "lock":
            until(lambda: life.process.poll() == 0 or life.alive() and "lock" in life.checkpoints(), "the folder is locked")
        elif sign == "restored":
            until(lambda: life.process.poll() == 0 or life.alive() and ("restored" in life.words() or not saved), "the state is restored")
        elif sign == "first checkpoint":
            until(lambda: life.process.poll() == 0 or life.alive() and life.saved() > saved, "a first checkpoint")
        elif sign == "door" and self.door in ("socket", "from"):
            connection = Connection(life)  # killed with or without an answer to the greeting
            if self.chance.random() < .5:
                connection.wait(lambda: connection.inside is not None, "resume is told")
            connection.close()

    def kill_a_connection(self, life, moment):
        zero = self.door == "from"
        connection = self.connect(life, zero)
        try:
            inside = connection.inside
            end = min(len(self.records), inside + self.chance.randrange(1, 2 * RECORDS // 4))
            content = b"".join(self.records[0 if zero else inside:end])
            if self.chance.random() < .3:
                content += self.records[min(end, len(self.records) - 1)][:3]  # and the beginning of another
            connection.write(content)
            saved = life.saved()
            if moment == "learned":  # by all that can be seen: a checkpoint of about that much
                target = self.chance.randrange(inside, end + 1) - 200
                connection.wait(lambda: connection.durable >= target, "a part is durable")
            elif moment == "writing":
                self.await_writing(life, lambda: connection.read().durable < end - 200)
            elif moment == "saved" and end - inside > 250:
                until(lambda: life.alive() and life.saved() > saved, "a checkpoint is written")
            elif moment == "stopping":
                self.stop_a_little(life)
            connection.read()
        finally:
            self.durable = max(self.durable, connection.durable)
            connection.close()

    def await_writing(self, life, more_comes):
        """Until a checkpoint is being written: its temporary file can be seen."""
        until(lambda: not more_comes() or not life.process.poll() is None or
              any(name.endswith(".tmp") for name in life.checkpoints()), "a checkpoint is being written")

    def stop_a_little(self, life):
        """Killed while it stops by itself."""
        life.process.send_signal(signal.SIGTERM)
        sign = self.chance.choice(["", "stopping", "finished"])
        until(lambda: sign in life.words() or life.process.poll() is not None, "it stops")

    def kill_a_feed(self, life, moment):
        """Standard input, a file, or glimpsectl send: the whole content, from the beginning."""
        if self.door == "send":
            until(lambda: life.alive() and os.path.exists(life.socket_path), "the door is there")
            self.begin_to_send()
        end = RECORDS
        if self.door == "stdin":
            end = self.chance.randrange(1, RECORDS + 1)
            os.set_blocking(life.process.stdin.fileno(), False)
        content = b"".join(self.records[:end])
        saved = life.saved()
        goal = saved + self.chance.randrange(1, 12)

        def pour():
            nonlocal content
            if self.door == "stdin" and content:
                try:
                    content = content[os.write(life.process.stdin.fileno(), content[:4096]):]
                except BlockingIOError:
                    pass
                except BrokenPipeError:
                    content = b""
            return life.process.poll() is None and self.all_is_quiet(life, content) is False

        self.quiet_since = None
        if moment == "sent":
            left = self.chance.randrange(len(content) + 1)
            until(lambda: not pour() or len(content) <= left or self.door != "stdin", "a part is written")
        elif moment == "writing":
            until(lambda: not pour() or any(name.endswith(".tmp") for name in life.checkpoints()), "a checkpoint is being written")
        elif moment in ("learned", "saved"):
            until(lambda: not pour() or life.saved() >= goal, "checkpoints are written")
        elif moment == "stopping":
            until(lambda: not pour() or life.saved() >= min(goal, saved + 3), "checkpoints are written")
            self.stop_a_little(life)

    def all_is_quiet(self, life, content):
        """Nothing more will come: all was poured, and no checkpoint came for a while."""
        if content and self.door == "stdin":
            return False
        now = (life.saved(), time.monotonic())
        if self.quiet_since is None or self.quiet_since[0] != now[0]:
            self.quiet_since = now
        return now[1] - self.quiet_since[1] > .1 or life.process.poll() is not None

    def begin_to_send(self):
        """A sender does not wait for a daemon that was never there: the first of all may have been killed too soon."""
        if self.sender and self.sender.poll() == 3:
            self.end()
        if self.sender is None:
            self.sender = subprocess.Popen([os.environ["GLIMPSECTL_BIN"], "send", os.path.join(self.folder, "input"), "--source",
                                            "s", "--to", f"unix:{self.folder}/stream.sock"], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.PIPE)

    def sent(self):
        """What glimpsectl send said in the end; nothing while there is no daemon at its very first connection."""
        self.begin_to_send()
        error = self.sender.communicate(timeout=DEADLINE)[1]
        if self.sender.returncode != 3:
            return error
        self.sender = None
        return None

    def finish(self):
        """The rest of the stream, a proper end, and what the last checkpoint holds."""
        life = self.live()
        if self.door in ("socket", "from"):
            connection = self.connect(life, self.door == "from")
            connection.write(b"".join(self.records[0 if self.door == "from" else connection.inside:]))
            connection.socket.shutdown(socket.SHUT_WR)
            connection.wait(lambda: connection.durable == len(self.records), "all is durable")
            connection.close()
            life.process.terminate()
        elif self.door == "send":
            until(lambda: life.alive() and os.path.exists(life.socket_path), "the door is there")
            error = until(self.sent, "it is sent").decode()
            expected = 1 if self.name in ("svmlight", "csv") else 0  # some lines cannot be read
            if self.sender.returncode not in (0, expected) or f"{RECORDS:,} records of s are durable" not in error:
                raise Failure(f"glimpsectl send ended with {self.sender.returncode}: {error}")
            life.process.terminate()
        elif self.door == "stdin":
            try:
                life.process.stdin.write(b"".join(self.records))
            except BrokenPipeError:
                pass
            life.process.stdin.close()
            life.process.stdin = None
        life.process.wait(DEADLINE)
        life.close()
        if life.process.returncode != 0:
            raise Failure(f"glimpsed ended with {life.process.returncode}:\n{life.words()[-2000:]}")
        newest = max(name for name in life.checkpoints() if re.fullmatch(r"checkpoint-\d+-\d+\.safetensors", name))
        return tensors(os.path.join(life.state, newest))

    def end(self):
        if self.sender and self.sender.poll() is None:
            self.sender.kill()
        if self.sender and not self.sender.stderr.closed:
            self.sender.communicate()
        self.sender = None


def same(straight, killed):
    """The names of what differs."""
    texts = [] if straight[0] == killed[0] else ["texts"]
    names = sorted(set(straight[1]) | set(killed[1]))
    return texts + [name for name in names if straight[1].get(name) != killed[1].get(name)]


def run_stream(scenario, chance, kills, shared):
    folder = tempfile.mkdtemp(prefix="glimpse-kills-")
    stream = Stream(scenario, chance, folder)
    try:
        for _ in range(kills):
            stream.kill_once()
        answer = stream.finish()
    except Failure as failure:
        raise Failure(f"{scenario}, killed while {stream.moments}: {failure}") from failure
    finally:
        stream.end()
        shutil.rmtree(folder, True)
    key = json.dumps(scenario)
    if key not in shared:
        shared[key] = answer
        return stream
    different = [name for name in same(shared[key], answer) if name != "inputs.names"]  # of a file: another folder
    if different:
        raise Failure(f"{scenario}, killed while {stream.moments}: these differ from the uninterrupted run: {different}")
    return stream


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    begin = time.monotonic()
    shared = {}
    done, streams, moments, hits = 0, 0, collections.Counter(), collections.Counter()
    try:
        for scenario in SCENARIOS:
            run_stream(scenario, chance, 0, shared)  # the uninterrupted ones
        while done < arguments.kills:
            scenario = SCENARIOS[streams % len(SCENARIOS)]
            kills = min(chance.randrange(1, 7), arguments.kills - done)
            stream = run_stream(scenario, chance, kills, shared)
            moments.update(stream.moments)
            hits.update(stream.hits)
            done += kills
            streams += 1
            if arguments.verbose:
                print(f"{done} kills, {streams} streams, {time.monotonic() - begin:.1f} s: {scenario[:2]}", flush=True)
    except Failure as failure:
        sys.exit(f"kills.py --seed {arguments.seed}: after {done} kills: {failure}")
    told = ", ".join(f"{count} {moment}" for moment, count in sorted(moments.items()))
    told += "; " + ", ".join(f"{count} {hit}" for hit, count in sorted(hits.items()))
    print(f"{done} kills ({told}) of {streams} streams of {RECORDS} records over {len(SCENARIOS)} doors and learners in "
          f"{time.monotonic() - begin:.1f} s: every model is that of the uninterrupted run to the bit")


if __name__ == "__main__":
    main()
