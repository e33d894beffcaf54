"""Lines without labels, which need every attribute: glimpsed beside `vw -t` on the same file, each with a model of its own
learned from the same examples. Both without start-up, which includes reading the model. glimpsed's predictions are
compared with the model's weights times the values."""

import http.client
import json
import os
import shutil
import socket
import tempfile
import time
from pathlib import Path

from .cases import Rates
from .glimpse import DEADLINE, Served, own_memory
from .report import count, middle_and_spread
from .runs import in_turns, stop
from .streams import Limits

TRAINED, CHECKED = 20_000, 1000
SETS = (("dense text", "dense", 500, 50_000), ("pictures", "pictures", 784, 100_000))


class UnixHttp(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=DEADLINE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self.path)


def model_of(bench, dimension, budget, checkpoint, folder):
    """The model that the checkpoint makes."""
    path = os.path.join(folder, "http.sock")
    with Served(bench.glimpse, dimension, budget, "vw", "--restore", checkpoint, "--http", f"unix:{path}") as served:
        served.door("tcp")
        end = time.monotonic() + DEADLINE
        while True:
            connection = UnixHttp(path)
            try:
                connection.request("GET", "/v1/model?fresh=true")
                answer = connection.getresponse()
                if answer.status == 200:
                    return json.loads(answer.read())
            except OSError:
                pass
            finally:
                connection.close()
            if time.monotonic() > end:
                stop(f"glimpsed does not give its model:\n{served.log[-2000:]}")
            time.sleep(0.01)


def check(bench, path, dimension, budget, checkpoint, folder):
    """The slow path: every value times its weight, in Python."""
    model = model_of(bench, dimension, budget, checkpoint, folder)
    part = Path(folder, "checked.vw")
    with open(path, encoding="ascii") as lines:
        chosen = [next(lines) for _ in range(CHECKED)]
    part.write_text("".join(chosen))
    out = bench.glimpse.file(part, dimension, budget, "vw", "--restore", checkpoint, "--clip", "off", replies="unlabelled").out
    answers = [float(line) for line in out.splitlines()]
    if len(answers) != CHECKED:
        stop(f"{CHECKED} lines were asked, {len(answers)} answered")
    for n, (line, answer) in enumerate(zip(chosen, answers)):
        pairs = (pair.split(":") for pair in line[1:].split())
        right = model["bias"] + sum(model["weights"][int(name)] * float(value) for name, value in pairs)
        if abs(answer - right) > 1e-9 * max(1, abs(right)):
            stop(f"line {n + 1} of {part} was answered with {answer}; its weights and values say {right}")


def one_set(bench, title, kind, dimension, examples):
    examples = bench.scaled(examples)
    train = bench.streams.stream(kind, dimension, TRAINED, "vw")
    path = bench.streams.unlabelled(bench.streams.stream(kind, dimension, examples, "vw"))
    folder = tempfile.mkdtemp(prefix="glimpse-predictions-")
    rates, limits, budget = Rates(), Limits(path, examples), 57
    try:
        bench.glimpse.file(train, dimension, budget, "vw", "--state-directory", f"{folder}/state", examples=TRAINED)
        checkpoint = max(Path(folder, "state").glob("checkpoint-*.safetensors"))
        check(bench, path, dimension, budget, checkpoint, folder)
        bench.others.vw(train, "-f", f"{folder}/vw.model")
        test = ("-t", "-i", f"{folder}/vw.model", "-p", f"{folder}/vw.out")

        def glimpsed():
            with open(f"{folder}/glimpsed.out", "wb") as out:
                run_ = bench.glimpse.file(path, dimension, budget, "vw", "--restore", checkpoint, replies="unlabelled",
                                          write_to=out)
            start = bench.glimpse.file(bench.streams.empty(), dimension, budget, "vw", "--restore", checkpoint).seconds
            rates.note("glimpsed", examples, run_.seconds - start, run_.memory)
            return run_.seconds - start

        def vw():
            run_ = bench.others.vw(path, *test)
            took = run_.seconds - bench.vw_start(*test[:-2])
            rates.note("vw -t", examples, took, run_.memory)
            return took

        for turn in bench.rounds(f"predictions, {title}"):
            limits.take()
            mine, theirs = in_turns(turn, glimpsed, vw)
            rates.compare("glimpsed", theirs / mine)
            for name in ("glimpsed", "vw"):
                with open(f"{folder}/{name}.out", "rb") as out:
                    if (lines := sum(1 for _ in out)) != examples:
                        stop(f"{name} answered {lines} of {examples} lines")
    finally:
        shutil.rmtree(folder)
    rows = limits.rows(5)
    for name, seconds in rates.seconds.items():
        rows.append([name, count(rates.rate(name)), count(rates.rate(name) * limits.size / examples / 1e6),
                     *(middle_and_spread(limits.share(seconds, of)) for of in (limits.reads, limits.counts)),
                     middle_and_spread(rates.ratios.get(name)), count(rates.memory[name]),
                     count(rates.memory[name] - own_memory(dimension)) if name == "glimpsed" else ""])
    bench.report.heading(f"Predictions on lines without labels, VW text, {title}, d = {dimension} ({examples:,} lines, "
                         f"{limits.size / 1e6:,.0f} MB; {CHECKED:,} compared with weights times values)")
    bench.report.table(("program", "lines/s", "MB/s", "of plain read", "of `wc -l`", "over vw -t: median (lowest – highest)",
                        "peak MiB", "of it not the learner's"), rows)


def run(bench):
    for each in SETS:
        one_set(bench, *each)
