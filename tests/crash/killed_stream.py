"""A stream of records that is killed at chosen moments, begun again, and finished; what its last checkpoint holds."""

import collections
import json
import os
import re
import signal
import socket
import subprocess
import time

from lives import DEADLINE, Connection, Failure, Life, until
from sent_records import RECORDS, STREAMS


def tensors(path):
    """Everything that a checkpoint holds but the history, whose samples depend on the clock."""
    with open(path, "rb") as file:
        data = file.read()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    texts = json.loads(header.pop("__metadata__")["glimpse"])["texts"]
    return texts, {name: data[8 + length + t["data_offsets"][0]:8 + length + t["data_offsets"][1]]
                   for name, t in header.items() if not name.startswith("history.")}


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
        moment = self.chance.choice(["starting", "starting", "sent", "sent", "learned", "writing", "writing", "saved",
                                     "stopping"])
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
        examples = [int(found[1]) for name in names
                    if (found := re.fullmatch(r"checkpoint-\d+-(\d+)\.safetensors", name))]
        self.hits["amid the stream"] += max(examples, default=0) < RECORDS * .75

    def start_a_little(self, life):
        """Up to one of the things that a start does, or to the end of a file that is all inside."""
        sign = self.chance.choice(["", "lock", "restored", "first checkpoint", "door"])
        saved = life.saved_before
        if sign == "lock":
            until(lambda: life.process.poll() == 0 or life.alive() and "lock" in life.checkpoints(),
                  "the folder is locked")
        elif sign == "restored":
            until(lambda: life.process.poll() == 0 or life.alive() and ("restored" in life.words() or not saved),
                  "the state is restored")
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
            until(lambda: not pour() or any(name.endswith(".tmp") for name in life.checkpoints()),
                  "a checkpoint is being written")
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
            self.sender = subprocess.Popen([os.environ["GLIMPSECTL_BIN"], "send", os.path.join(self.folder, "input"),
                                            "--source", "s", "--to", f"unix:{self.folder}/stream.sock"],
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

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
