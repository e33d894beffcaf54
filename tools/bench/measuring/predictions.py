"""Lines without labels, which need every attribute: glimpsed beside `vw -t` on the same file, each with a model of its own
learned from the same examples. Both without start-up, which includes reading the model. glimpsed's predictions are
compared with the model's weights times the values."""

import http.client
import json
import socket
import time

from .cases import Rates
from .glimpse import DEADLINE, Served, own_memory
from .report import count, middle_and_spread
from .runs import in_turns, stop
from .streams import Limits
from .trained import Trained

TRAINED, CHECKED, BUDGET = 20_000, 1000, 57
SETS = (("dense text", "dense", 500, 50_000), ("pictures", "pictures", 784, 100_000))


class UnixHttp(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=DEADLINE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self.path)


def model_of(trained):
    """The model that the checkpoint makes."""
    path = str(trained.folder / "http.sock")
    with Served(trained.glimpse, trained.dimension, trained.budget, "vw", "--restore", trained.checkpoint, "--http",
                f"unix:{path}") as served:
        end = time.monotonic() + DEADLINE
        while True:
            connection = UnixHttp(path)
            try:
                connection.request("GET", "/v1/model?fresh=true")
                answer = connection.getresponse()
                if answer.status == 200:
                    return json.loads(answer.read())
            except OSError:
                pass  # the door is not open yet
            finally:
                connection.close()
            if time.monotonic() > end:
                stop(f"glimpsed does not give its model:\n{served.log[-2000:]}")
            time.sleep(0.01)


def check(trained, path):
    """The slow path: every value times its weight, in Python."""
    model = model_of(trained)
    part = trained.folder / "checked.vw"
    with open(path, encoding="ascii") as lines:
        chosen = [next(lines) for _ in range(CHECKED)]
    part.write_text("".join(chosen))
    answers = [float(line) for line in trained.ask(part, "--clip", "off").out.splitlines()]
    if len(answers) != CHECKED:
        stop(f"{CHECKED} lines were asked, {len(answers)} answered")
    for n, (line, answer) in enumerate(zip(chosen, answers)):
        pairs = (pair.split(":") for pair in line[1:].split())
        right = model["bias"] + sum(model["weights"][int(name)] * float(value) for name, value in pairs)
        if abs(answer - right) > 1e-9 * max(1, abs(right)):
            stop(f"line {n + 1} of {path} was answered with {answer}; its weights and values say {right}")


def one_set(bench, title, kind, dimension, examples):
    examples = bench.scaled(examples)
    train = bench.streams.stream(kind, dimension, TRAINED, "vw")
    path = bench.streams.unlabelled(bench.streams.stream(kind, dimension, examples, "vw"))
    rates, limits = Rates(), Limits(path, examples)
    with Trained(bench.glimpse, train, dimension, BUDGET) as trained:
        check(trained, path)
        model, answers = trained.folder / "vw.model", {name: trained.folder / f"{name}.out" for name in ("glimpsed", "vw")}
        bench.others.vw(train, "-f", model)

        def glimpsed():
            with open(answers["glimpsed"], "wb") as out:
                run_ = trained.ask(path, write_to=out)
            took = run_.seconds - trained.answer_nothing()
            rates.note("glimpsed", examples, took, run_.memory)
            return took

        def vw():
            run_, took = bench.others.vw(path, "-t", "-i", model, "-p", answers["vw"])
            took -= bench.others.vw(bench.streams.empty(), "-t", "-i", model)[1]
            rates.note("vw -t", examples, took, run_.memory)
            return took

        for turn in bench.rounds(f"predictions, {title}"):
            limits.take()
            mine, theirs = in_turns(turn, glimpsed, vw)
            rates.compare("glimpsed", theirs / mine)
            for name, written in answers.items():
                with open(written, "rb") as out:
                    if (lines := sum(1 for _ in out)) != examples:
                        stop(f"{name} answered {lines} of {examples} lines")
    rows = limits.rows(5)
    for name, seconds in rates.seconds.items():
        rows.append([name, count(rates.rate(name)), count(rates.rate(name) * limits.size / examples / 1e6),
                     *(middle_and_spread(limits.share(seconds, of)) for of in (limits.reads, limits.counts)),
                     middle_and_spread(rates.ratios.get(name)), count(rates.memory[name]),
                     count(rates.memory[name] - own_memory(dimension)) if name == "glimpsed" else ""])
    bench.report.heading(f"Predictions on lines without labels, VW text, {title}, d = {dimension} ({examples:,} lines, "
                         f"{limits.size / 1e6:,.0f} MB)")
    bench.report.line(f"{CHECKED:,} predictions were compared with weights times values.\n")
    bench.report.table(("program", "lines/s", "MB/s", "of plain read", "of `wc -l`",
                        "over vw -t: median (lowest – highest)", "peak MiB", "of it not the learner's"), rows)


def run(bench):
    for each in SETS:
        one_set(bench, *each)
