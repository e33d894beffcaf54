#!/usr/bin/env python3
"""A mixed load on all doors of one daemon, with faults, for as long as you like: memory and descriptors stay flat, the log
holds nothing that is not explained, and at the end every example is accounted for.

    tests/soak/soak.py [--seconds 600] [--seed 1] [--open]

The TCP doors ask for a token and speak TLS; with --open they do neither, and HTTP goes over a Unix socket.

GLIMPSE_BIN names the daemon (build/release/daemon/glimpsed otherwise); with GLIMPSE_FAULTS_LIBRARY
(build/release/tests/libglimpse_faults.so otherwise) the disk fails from time to time as well. Exit status: 0 all was
well, 1 something was not.
"""

import argparse
import http.client
import json
import os
import random
import re
import signal
import socket
import ssl
import statistics
import struct
import subprocess
import sys
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
BUILD = os.path.join(ROOT, "build", "release")
os.environ.setdefault("GLIMPSE_BIN", os.path.join(BUILD, "daemon", "glimpsed"))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
sys.path.insert(0, os.path.join(ROOT, "tools", "python"))

from glimpsed.client import Client, Source, Tell  # noqa: E402
from harness import DEADLINE, Daemon, StreamClient, examples, ndjson, svmlight, until, vw  # noqa: E402

DIMENSION = 50
FLAT = 0.02  # of memory, between the second quarter of the run and the last
WARM = 0.25
TOKEN = "soak-0123456789abcdef"
EXPLAINED = (
    r"^\S+ info ",
    r"^\S+ warning .*(cannot be read|cut off by the end|no '\|' before|is not a (finite )?number|longer than|not learned)",
    r"^\S+ warning .*(line \d+: |more warnings like this)",
    r"^\S+ warning .*a request of HTTP came to a stream door",
    r"^\S+ warning .*greeting #glimpse",
    r"^\S+ warning .*a TLS handshake came to a stream door without TLS",
    r"^\S+ warning tcp:\S+: TLS with 127.0.0.1 failed: ",
    r"^\S+ error checkpoint failed, learning goes on: .*(No space left on device|Input/output error)",
)


class LockedDaemon(Daemon):
    """One whose HTTP door is on TCP, behind TLS and a token."""

    def __init__(self, folder, *arguments, **keywords):
        self.certificate, key = os.path.join(folder, "server.pem"), os.path.join(folder, "server.key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", key, "-out", self.certificate, "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
        self.trusted = ssl.create_default_context(cafile=self.certificate)
        tokens = os.path.join(folder, "tokens")
        with open(tokens, "w", encoding="ascii") as file:
            file.write(f"write {TOKEN}\n")
        os.chmod(tokens, 0o600)
        super().__init__(folder, *arguments, "--http", "127.0.0.1:0", "--token-file", tokens, "--tls-cert", self.certificate,
                         "--tls-key", key, http=None, **keywords)
        self.port = int(self.wait_log(r"HTTP door open on tcp:\S+:(\d+)").group(1))
        self.wait_ready()

    def connection(self, timeout=DEADLINE):
        return http.client.HTTPSConnection("localhost", self.port, timeout=timeout, context=self.trusted)

    def request(self, method, path, body=None, headers=None, timeout=DEADLINE):
        return super().request(method, path, body, {**(headers or {}), "Authorization": f"Bearer {TOKEN}"}, timeout)


class TlsClient(StreamClient):
    """A client of a stream door behind TLS that has shown its token."""

    def __init__(self, address, trusted):
        super().__init__(address)
        self.reader.close()
        try:
            self.socket = trusted.wrap_socket(self.socket, server_hostname="localhost")
        except OSError:
            self.socket.close()
            raise
        self.reader = self.socket.makefile("rb")
        self.send(f"#glimpse token={TOKEN}\n")


class Soak:
    def __init__(self, seconds, seed, folder, is_open):
        self.random = random.Random(seed)
        self.end = time.monotonic() + seconds
        self.folder = folder
        self.learned = 0  # examples that some door has acknowledged
        self.lock = threading.Lock()
        self.failures = []
        self.done = dict.fromkeys(("stdin", "anonymous", "named", "http", "told", "predicted", "garbage", "idle", "disk", "reload"), 0)
        self.faults = os.path.join(folder, "faults")
        self.set_faults("")
        library = os.environ.get("GLIMPSE_FAULTS_LIBRARY", os.path.join(BUILD, "tests", "libglimpse_faults.so"))
        self.breaks_disk = os.path.exists(library)
        self.stream = f"unix:{os.path.join(folder, 'stream.sock')}"
        kind = Daemon if is_open else LockedDaemon
        self.daemon = kind(folder, "--input", "-", "--serve", "--dimension", DIMENSION, "--budget", 8, "--listen", "tcp:127.0.0.1:0", "--listen", self.stream,
                           "--state-directory", os.path.join(folder, "state"), "--checkpoint-every", "500ms", "--max-line",
                           "1MiB", "--idle-timeout", "5s", "--max-plans", 1000, "--max-connections", 2000, "--plan-ttl", "20s",
                           "--http-timeout", "5s", stdin=subprocess.PIPE,
                           environment={"GLIMPSE_FAULTS": self.faults, "LD_PRELOAD": library} if self.breaks_disk else None)
        self.tcp = self.daemon.door("tcp")
        self.is_open = is_open

    def connect(self, random_):
        """A client of either stream door that is let in."""
        if random_.randrange(2) == 0:
            return StreamClient(self.stream)
        return StreamClient(self.tcp) if self.is_open else TlsClient(self.tcp, self.daemon.trusted)

    def http_client(self):
        if self.is_open:
            return Client(f"unix:{self.daemon.http_path}")
        return Client(f"https://localhost:{self.daemon.port}", token=TOKEN, tls=self.daemon.trusted)

    def set_faults(self, text):
        with open(self.faults + ".new", "w", encoding="ascii") as file:
            file.write(text)
        os.replace(self.faults + ".new", self.faults)

    def note(self, what, learned=0, count=1):
        with self.lock:
            self.done[what] += count
            self.learned += learned

    def rows(self, random_, count):
        return examples(count, DIMENSION, random_.randrange(1 << 30))

    # Each load does one thing a call, with random numbers of its own.

    def anonymous(self, random_):
        count = random_.randrange(1, 400)
        with self.connect(random_) as client:
            text = random_.choice((vw, svmlight))(self.rows(random_, count))
            questions = "| 0:1\n" if "|" in text else "? 1:1\n"
            client.send(text + questions)
            float(client.line())
        self.note("anonymous", count, count)

    def stdin(self, random_):
        count = random_.randrange(1, 400)
        self.daemon.process.stdin.write(svmlight(self.rows(random_, count)).encode())
        self.daemon.process.stdin.flush()
        self.note("stdin", count, count)
        time.sleep(random_.random() / 10)

    def named(self, random_, name, state):
        """Sends some, breaks off hard or ends in order, and comes back to what is inside."""
        with Source(self.stream, name) as source:
            first = source.inside
            state.extend(self.rows(random_, 300))
            for begin in range(first, len(state), 50):
                source.send(svmlight(state[begin:begin + 50]))
                if random_.random() < 0.05:
                    return  # what was sent may be inside or not
            source.finish()

    def over_http(self, random_, client):
        kind = random_.randrange(4)
        rows = self.rows(random_, random_.randrange(1, 100))
        if kind == 0:
            self.note("http", client_learn(self.daemon, rows), len(rows))
        elif kind == 1:
            plans = client.ask(random_.randrange(1, 20))
            tells = [Tell(plan.id, 0.5, {a: random_.random() for a in plan.attributes}) for plan in plans
                     if random_.random() < 0.9]  # the others expire
            told = client.tell_many(tells)
            self.note("told", sum(1 for t in told if t.status == "learned"), len(tells))
        elif kind == 2:
            answer = self.daemon.post("/v1/predict", json.dumps({"values": rows[0][1]}))
            assert answer.status == 200, answer.body
            self.note("predicted")
        else:
            for path in ("/v1/status", "/metrics", "/v1/model", "/v1/plans", "/v1/moments", "/v1/checkpoints"):
                assert self.daemon.get(path).status == 200, path

    def garbage(self, random_):
        kind = random_.randrange(7)
        client = StreamClient(self.tcp) if kind == 6 else self.connect(random_)
        try:
            if kind == 0:
                # Without digits: a line of one alone is an example, with a label and nothing else.
                client.send(bytes([0]) + random_.randbytes(random_.randrange(5000)).translate(None, b"0123456789"))
            elif kind == 1:
                client.send("1 | 0:")  # half a line
            elif kind == 2:
                client.send(b"1 | " + b"x" * (3 << 20))
            elif kind == 3:
                client.send("| 0:1\n" * 3000)  # and does not read
                client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif kind == 4:
                client.send("POST /v1/learn HTTP/1.1\r\n\r\n")
            elif kind == 5:
                client.send("#glimpse " + "?" * random_.randrange(2000) + "\n")
            else:
                # What TLS and tokens keep out; without them, it is no record and no request either.
                client.send(random_.choice((b"\x16\x03\x01" + random_.randbytes(300), b"?\n")))
        except OSError:
            pass
        client.close()
        self.note("garbage")

    def idle(self, random_):
        clients = [StreamClient(self.tcp) for _ in range(random_.randrange(1, 60))]
        time.sleep(random_.random() * 2)
        for client in clients:
            client.close()
        self.note("idle", 0, len(clients))

    def disk(self, random_):
        self.set_faults(random_.choice(("write ENOSPC", "write EIO", "fsync EIO", "rename EIO", "create ENOSPC")))
        time.sleep(random_.random() * 2)
        self.set_faults("")
        time.sleep(3)
        self.note("disk")

    def reload(self, random_):
        self.daemon.send_signal(signal.SIGHUP)
        time.sleep(random_.random())
        self.note("reload")

    def run(self, name, step, seed):
        random_ = random.Random(seed)
        while time.monotonic() < self.end and not self.failures:
            try:
                step(random_)
            except BaseException:  # noqa: BLE001: whatever it was, it is told
                self.failures.append(f"{name}: {traceback.format_exc()}")

    def threads(self):
        steps = [("anonymous", self.anonymous)] * 2 + [("stdin", self.stdin), ("garbage", self.garbage), ("idle", self.idle), ("reload", self.reload)]
        if self.breaks_disk:
            steps.append(("disk", self.disk))
        self.sent = {f"source-{i}": [] for i in range(2)}
        for name, state in self.sent.items():
            steps.append((name, lambda random_, n=name, s=state: self.named(random_, n, s)))
        for _ in range(2):
            client = self.http_client()
            steps.append(("http", lambda random_, c=client: self.over_http(random_, c)))
        return [threading.Thread(target=self.run, args=(name, step, self.random.randrange(1 << 30))) for name, step in steps]

    def watch(self, begun, seconds):
        """[(seconds, bytes, descriptors)] while the load lasts."""
        samples = []
        shown = 0.0
        while time.monotonic() < self.end and not self.failures:
            time.sleep(min(1.0, seconds / 100))
            if self.daemon.process.poll() is not None:
                self.failures.append(f"glimpsed ended with {self.daemon.process.returncode}")
                break
            now = time.monotonic() - begun
            samples.append((now, self.daemon.rss_bytes(), len(os.listdir(f"/proc/{self.daemon.process.pid}/fd"))))
            if now - shown > 10:
                shown = now
                print(f"  {now:5.0f} s  {samples[-1][1] / 1e6:6.1f} MB  {samples[-1][2]:4d} descriptors  "
                      f"{self.learned:10,d} examples", flush=True)
        return samples

    def settle(self):
        """Everything that is under way comes to its end; what was named is sent to its end."""
        self.set_faults("")
        for name, state in self.sent.items():
            with Source(self.stream, name) as source:
                source.send(svmlight(state[source.inside:]))
                source.finish()
            self.note("named", len(state), len(state))
        until(lambda: self.daemon.status()["examples"] >= self.learned, "what was written to standard input is inside")
        until(lambda: self.daemon.post("/v1/checkpoint").status == 200, "a checkpoint is written")

    def check(self, samples, seconds):
        expect = self.failures.append
        status = self.daemon.status()
        if status["examples"] != self.learned:
            expect(f"{status['examples']} examples are inside, {self.learned} were acknowledged")
        warm = [s for s in samples if WARM * seconds < s[0] < 2 * WARM * seconds]
        late = [s for s in samples if s[0] > (1 - WARM) * seconds]
        growth = statistics.median(s[1] for s in late) / statistics.median(s[1] for s in warm) - 1
        if abs(growth) > FLAT:
            expect(f"memory has changed by {growth:+.1%} from the second quarter to the last")
        until(lambda: len(os.listdir(f"/proc/{self.daemon.process.pid}/fd")) <= self.idle_descriptors,
              f"{self.idle_descriptors} descriptors are open again, as before the load")
        if self.daemon.stop() != 0:
            expect(f"glimpsed ended with {self.daemon.process.returncode}")
        odd = [line for line in self.daemon.stderr.splitlines() if not any(re.search(e, line) for e in EXPLAINED)]
        for line in odd[:20]:
            expect(f"not explained: {line}")
        print(f"memory {growth:+.2%} ({statistics.median(s[1] for s in late) / 1e6:.1f} MB), {self.learned:,} examples, "
              + ", ".join(f"{name} {count:,}" for name, count in self.done.items()))


def client_learn(daemon, rows):
    answer = daemon.post("/v1/learn", ndjson(rows))
    assert answer.status == 200, answer.body
    assert answer.json()["accepted"] == len(rows), answer.body
    return len(rows)


def main():
    import shutil
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--open", action="store_true", help="neither tokens nor TLS")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="glimpse-soak-")
    try:
        soak = Soak(options.seconds, options.seed, folder, options.open)
        soak.idle_descriptors = len(os.listdir(f"/proc/{soak.daemon.process.pid}/fd"))
        begun = time.monotonic()
        soak.end = begun + options.seconds
        threads = soak.threads()
        for thread in threads:
            thread.start()
        samples = soak.watch(begun, options.seconds)
        for thread in threads:
            thread.join()
        if not soak.failures:
            soak.settle()
            soak.check(samples, options.seconds)
        for failure in soak.failures:
            print(f"FAILED: {failure}")
        if soak.failures:
            print("\n".join(["the daemon said last:", *soak.daemon.stderr.splitlines()[-40:]]))
            print(f"its exit status: {soak.daemon.process.poll()} (None: it runs)")
        soak.daemon.discard()
        return 1 if soak.failures else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
