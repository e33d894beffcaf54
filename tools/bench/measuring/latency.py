"""One request and its reply: how long a client that asks for one prediction after another waits, alone and while another
connection streams labelled lines at full speed (then a request each millisecond at most). glimpsed on a Unix socket and
on TCP, vw --daemon on TCP, in turns."""

import contextlib
import gc
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .glimpse import DEADLINE, Served, connect
from .others import VwDaemon
from .runs import stop

DIMENSION, TRAINED, BUDGETS = 784, 5000, (5, 57)
BLOCK = 1000  # requests before another program has its turn
# Seconds between requests while another connection streams. Requests without a pause keep the processors from the
# connection that streams, and the many quick ones of such a moment would outnumber those that wait.
APART = 0.001
STREAMER = Path(__file__).with_name("streamer.py")


def ask(connection, line, apart=0.0, most=30.0):
    """The seconds that each of BLOCK requests took; fewer where all together take `most` seconds. The next is sent when
    the last is answered, and `apart` seconds after it at the earliest."""
    times = []
    gc.disable()
    start = begin = time.perf_counter()
    while len(times) < BLOCK and begin - start < most:
        connection.sendall(line)
        reply = connection.recv(4096)
        times.append(time.perf_counter() - begin)
        if not reply.endswith(b"\n"):
            break
        if (wait := begin + apart - time.perf_counter()) > 0:
            time.sleep(wait)
        begin = time.perf_counter()
    gc.enable()
    if not reply.endswith(b"\n"):
        stop(f"a request was answered with {reply!r}")
    return times


@contextlib.contextmanager
def streaming(address, path, rates):
    """While it lasts, another connection sends `path` again and again; puts the megabytes a second it sent into `rates`."""
    process = subprocess.Popen([sys.executable, "-B", STREAMER, address, path], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    try:
        process.stdout.readline()
        begin = time.perf_counter()
        time.sleep(0.3)  # until queues are as full as they get
        yield
        if process.poll() is not None:
            stop(f"the connection that streams to {address} was closed")
        process.terminate()
        rates.append(int(process.communicate(timeout=DEADLINE)[0]) / 1e6 / (time.perf_counter() - begin))
    finally:
        process.kill()
        process.communicate()


def quantiles(times):
    times = sorted(times)
    at = lambda share: f"{1e6 * times[min(len(times) - 1, int(share * len(times)))]:,.0f}"
    return [f"{len(times):,}", at(0.5), at(0.99), f"{1e6 * times[-1]:,.0f}"]


def run(bench):
    train = bench.streams.stream("pictures", DIMENSION, TRAINED, "vw")
    load = bench.streams.stream("pictures", DIMENSION, bench.scaled(100_000), "vw")
    with open(bench.streams.unlabelled(train), "rb") as lines:
        line = next(lines)
    folder = tempfile.mkdtemp(prefix="glimpse-latency-")
    alone, loaded, streamed = {}, {}, {}
    try:
        with contextlib.ExitStack() as stack:
            targets = {}
            for budget in BUDGETS:
                served = stack.enter_context(Served(bench.glimpse, DIMENSION, budget, "vw"))
                served.feed("unix", train)
                for kind in ("unix", "tcp"):
                    targets[f"glimpsed, {kind}, K = {budget}"] = (lambda s=served, k=kind: connect(s.door(k)),
                                                                  lambda s=served: s.door("tcp"))
            model = os.path.join(folder, "vw.model")
            bench.others.vw(train, "-f", model)
            vw = stack.enter_context(VwDaemon(bench.others, "-i", model, children=2))
            targets["vw --daemon, tcp (2 processes, a model each)"] = (vw.connect, lambda: vw.address)

            for turn in bench.rounds("one request and its reply"):
                order = list(targets.items())
                for name, (open_connection, load_address) in order if turn % 2 == 0 else reversed(order):
                    with contextlib.closing(open_connection()) as connection:
                        ask(connection, line)  # the first calls after a while are slower
                        alone.setdefault(name, []).extend(ask(connection, line))
                        with streaming(load_address(), load, streamed.setdefault(name, [])):
                            loaded.setdefault(name, []).extend(ask(connection, line, APART))
                    time.sleep(0.5)  # what was streamed last is learned
    finally:
        shutil.rmtree(folder)
    bench.report.heading(f"One request and its reply, VW text, d = {DIMENSION} (a line of {len(line):,} bytes; microseconds)")
    bench.report.table(("server", "requests alone", "p50", "p99", "longest", "requests while another connection streams",
                        "p50", "p99", "longest", "that streams, MB/s"),
                       [[name, *quantiles(alone[name]), *quantiles(loaded[name]),
                         f"{statistics.median(streamed[name]):,.0f}"] for name in targets])
