#!/usr/bin/env python3
"""Daemons as an attacker would start and feed them: options × data × restarts.

    attacks.py [--daemons 24] [--seed 1] [--keep-going]     so many scenarios
    attacks.py --scenario N                                 one of them again, as a failure names it

A scenario draws options that tables, prices, drift, classes and several labels have, and data that breaks estimates: labels
that are alike at first, rare events, one class, huge offsets, single outliers, a stream that changes its sign, importances
of any size. Behind each step a checkpoint must be written, and each number at each endpoint is read strictly: finite, a
squared error not below 0, R2 not above 1, a probability from 0 to 1. A restart, after SIGTERM or kill -9, has the same
model, and a status of 0 at the end. GLIMPSE_BIN names the binary; ctest sets it. 3,000 daemons take some minutes a core.
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
sys.dont_write_bytecode = True

from checkpoints import differences  # noqa: E402
from harness import Daemon  # noqa: E402
from strict import Complaints, parse  # noqa: E402

ALGORITHMS = ("auto", "pairwise", "pairwise", "pairwise-screened", "aerr", "two-phase-ddaerr", "aelr", "two-phase-ddaelr",
              "online-ridge", "online-lasso", "aer", "baseline", "apple")
PAIRS = ("auto", "pairwise", "pairwise-screened")
# What a number's name says of its range. The raw estimates of losses are unbiased, and may lie outside.
RAW = re.compile(r"estimate|excess|unclipped|unclamped")
RANGES = ((re.compile(r"(^|_)r2(_recent)?$"), (None, 1)),
          (re.compile(r"loss|error|variance|brier|rmse|mae|share|count|seconds|bytes|total$"), (0, None)),
          (re.compile(r"probabilit"), (0, 1)))


def check_number(wrong, where, name, value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return
    low, high = next((limits for pattern, limits in RANGES if pattern.search(name)), (None, None))
    if RAW.search(name):
        low = high = None
    wrong.finite(f"{where}: {name}", value, -float("inf") if low is None else low, float("inf") if high is None else high)


def check_json(wrong, where, value, name=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            check_json(wrong, where, inner, key)
    elif isinstance(value, list):
        for inner in value:
            check_json(wrong, where, inner, name)
    else:
        check_number(wrong, where, name, value)


class Attack:
    """A scenario: everything follows from its seed."""

    def __init__(self, seed):
        self.seed = seed
        chance = self.chance = random.Random(seed)
        self.names = [f"a{i}" for i in range(chance.choice([1, 2, 3, 3, 5, 8, 20]))]
        self.kinds = [chance.choice(["normal"] * 5 + ["constant", "zeros", "words", "huge", "tiny", "rare", "spike"])
                      for _ in self.names]
        self.label_kind = chance.choice(["plain", "constant", "zeros", "rare", "one class", "classes", "late", "offset", "spike",
                                         "turn", "same then plain", "tiny"])
        self.labels = ["y", "z"] if chance.random() < .15 and "class" not in self.label_kind else ["y"]
        self.importance = chance.choice(["none"] * 4 + ["huge", "tiny", "zero", "wide"])
        self.made = 0
        self.options = self.draw_options()
        self.steps = [chance.choice([1, 2, 10, 60, 150]) for _ in range(chance.choice([2, 3, 5]))]

    def describe(self):
        return (f"{' '.join(map(str, self.options))}; columns {', '.join(self.kinds)}; label {self.label_kind}; importances "
                f"{self.importance}; steps {self.steps}")

    def draw_options(self):
        chance, d = self.chance, len(self.names)
        algorithm = chance.choice(ALGORITHMS)
        made = ["--algorithm", algorithm, "--label", ",".join(self.labels), "--seed", chance.randrange(100)]
        budget = chance.choice([2, 2, max(2, d // 2), d])
        if algorithm not in ("online-ridge", "online-lasso", "apple"):
            made += ["--budget", budget]
        if "el" in algorithm[-3:] or algorithm in ("online-lasso", "aer", "baseline"):
            made += ["--radius", chance.choice([1, 30])]
        if algorithm == "aer":
            made += ["--step", chance.choice([.1, 3])]
        if algorithm in PAIRS:
            for likely, option in ((.3, ["--look-at-best", chance.choice([1, 2, 3])]), (.2, ["--products", 2]),
                                   (.2, ["--half-life", chance.choice([10, 1000])]),
                                   (.3, ["--solver", chance.choice(["inline", "background"])])):
                if chance.random() < likely:
                    made += option
        for likely, option in ((.4, ["--hold-out", chance.choice(["1%", "30%", "50%"])]), (.3, ["--drift", "auto"]),
                               (.2, ["--outliers", "keep"]), (.2, ["--clip", chance.choice(["off", "-1:1"])]),
                               (.1, ["--total-budget", 100]),
                               (.2, ["--replies", "all"]), (.1, ["--max-importance", 10]), (.2, ["--threads", 2])):
            if chance.random() < likely:
                made += option
        if "class" in self.label_kind:
            made += ["--task", "classes"]
        return made

    def value(self, kind):
        chance = self.chance
        if chance.random() < .03:
            return None
        return {"normal": lambda: chance.gauss(0, 1), "constant": lambda: 7.5, "zeros": lambda: 0,
                "words": lambda: chance.choice(["clear", "rain", "snow"]), "huge": lambda: chance.gauss(0, 1e25),
                "tiny": lambda: chance.gauss(0, 1e-150), "rare": lambda: int(chance.random() < .01),
                "spike": lambda: 1e29 if chance.random() < .01 else chance.random()}[kind]()

    def label(self, values):
        """One label of an example; `self.made` counts examples."""
        chance = self.chance
        numbers = [v for v in values if isinstance(v, (int, float)) and abs(v) < 1e6]
        plain = sum(numbers[:2]) + chance.gauss(0, .1)
        kind = self.label_kind
        if kind == "constant" or (kind == "same then plain" and self.made < 60):
            return 3.25
        return {"zeros": lambda: 0, "rare": lambda: int(chance.random() < .01), "one class": lambda: "yes",
                "classes": lambda: chance.choice(["yes", "no", "perhaps"]), "late": lambda: plain if self.made > 80 else 0,
                "offset": lambda: 1e9 + plain, "spike": lambda: 1e30 if self.made == 70 else plain,
                "turn": lambda: plain if self.made < 150 else -plain, "tiny": lambda: plain * 1e-120}.get(kind, lambda: plain)()

    def example(self):
        values = [self.value(kind) for kind in self.kinds]
        body = {"values": dict(zip(self.names, values))}
        labels = [self.label(values) for _ in self.labels]
        if len(labels) == 1:
            body["label"] = labels[0]
        else:
            body["labels"] = dict(zip(self.labels, labels))
        self.made += 1
        if self.importance != "none":
            body["importance"] = {"huge": lambda: 1e20 if self.made == 30 else 1, "tiny": lambda: 1e-300, "zero": lambda: 0,
                                  "wide": lambda: 10 ** self.chance.uniform(-30, 30)}[self.importance]()
        return json.dumps(body)


class Player:
    """Plays a scenario with a daemon in `folder`; `wrong` collects what is not as it must be."""

    def __init__(self, attack, folder):
        self.attack, self.folder = attack, folder
        self.wrong = Complaints()
        with open(os.path.join(folder, "names"), "w", encoding="utf-8") as file:
            file.write("\n".join(attack.names) + "\n")
        self.arguments = [*attack.options, "--attributes", os.path.join(folder, "names"), "--state-directory",
                          os.path.join(folder, "state"), "--checkpoint-every", "1h"]
        self.daemon = None

    def start(self):
        self.daemon = Daemon(self.folder, *self.arguments)

    def refusal(self):
        """The one line by which the options are refused; None: they are taken."""
        ran = subprocess.run([os.environ["GLIMPSE_BIN"], *map(str, self.arguments), "--http",
                              f"unix:{self.folder}/check.sock", "--check-config"], capture_output=True, timeout=60, check=False)
        text = ran.stderr.decode().strip()
        if ran.returncode == 2 and text.splitlines()[-1].startswith("glimpsed: "):
            return text.splitlines()[-1]
        if ran.returncode != 0:
            self.wrong.append(f"--check-config ended with {ran.returncode}: {text[:300]}")
        return None

    def get(self, path, allowed=(200,)):
        answer = self.daemon.get(path)
        if answer.status not in allowed:
            self.wrong.append(f"{path}: status {answer.status}: {answer.body[:200]!r}")
            return None
        try:
            value = parse(answer.body)
        except ValueError as error:
            self.wrong.append(f"{path}: {error}")
            return None
        check_json(self.wrong, path, value)
        return value

    def read_all(self):
        for path in ("/v1/status", "/v1/model", "/v1/model?fresh=true", "/v1/model?importance=true&errors=true", "/v1/moments",
                     "/v1/history", "/v1/checkpoints", "/v1/plans", "/v1/model?attributes=1,2"):
            self.get(path, (200, 400, 404, 409) if "?" in path else (200,))
        for line in self.daemon.get("/metrics").body.decode().splitlines():
            name, _, text = line.rpartition(" ")
            if not line.startswith("#") and self.wrong.text(f"/metrics: {name}", text) is not None:
                check_number(self.wrong, "/metrics", name.split("{")[0], float(text))

    def ask(self):
        chance, attack = self.attack.chance, self.attack
        known = {name: attack.value(kind) for name, kind in zip(attack.names, attack.kinds)}
        known = {name: value for name, value in known.items() if value is not None and chance.random() < .7}
        for path, body in (("/v1/predict", {"known": known}), ("/v1/predict?explain=true", {"known": known}),
                           ("/v1/predict", {"values": known}), ("/v1/ask", {"for": "prediction", "known": known}),
                           ("/v1/ask", {"count": 1})):
            answer = self.daemon.post(path, json.dumps(body))
            if answer.status >= 500 and answer.status != 503:
                self.wrong.append(f"{path}: status {answer.status}: {answer.body[:200]!r}")
            if answer.status == 200:
                check_json(self.wrong, path, parse(answer.body))
                for plan in parse(answer.body).get("plans", []) if body.get("count") else []:
                    told = self.daemon.post("/v1/tell", json.dumps({"id": plan["id"], "values": [0.5] * len(plan["attributes"])}))
                    if told.status >= 500 and told.status != 503:
                        self.wrong.append(f"/v1/tell: status {told.status}: {told.body[:200]!r}")

    def checkpoint(self):
        answer = self.daemon.post("/v1/checkpoint")
        if answer.status != 200:
            self.wrong.append(f"POST /v1/checkpoint: status {answer.status}: {answer.body[:300]!r}")

    def restart(self):
        before = self.model()
        if self.attack.chance.random() < .5:
            self.daemon.kill()
        else:
            self.end()
        self.start()
        self.wrong += [f"not as before the restart: {difference}" for difference in differences("model", before, self.model())]

    def model(self):
        """The model of all examples so far, without how old it is."""
        return {name: value for name, value in parse(self.daemon.model()).items() if name != "age_seconds"}

    def end(self):
        status = self.daemon.stop(signal.SIGTERM)
        if status != 0:
            self.wrong.append(f"SIGTERM ended with status {status}: {self.daemon.stderr[-300:]}")
        log = self.daemon.stderr
        for word in re.findall(r"checkpoint failed.*|(?<![\w.])-?(?:inf|nan)(?![\w])", log):
            self.wrong.append(f"the log says {word[:200]!r}")
        for text in re.findall(r"(?:loss|squared error rose from|root mean squared error) (-\d\S*)", log):
            self.wrong.append(f"the log shows a squared error of {text}")

    def play(self):
        self.start()
        try:
            for count in self.attack.steps:
                body = "\n".join(self.attack.example() for _ in range(count)) + "\n"
                answer = self.daemon.post("/v1/learn", body)
                if answer.status not in (200, 400):
                    self.wrong.append(f"/v1/learn: status {answer.status}: {answer.body[:200]!r}")
                if self.attack.chance.random() < .1:
                    self.daemon.post(self.attack.chance.choice(["/v1/freeze", "/v1/unfreeze"]))
                if self.attack.chance.random() < .1:
                    self.daemon.post("/v1/promote?checkpoint=" + str(self.attack.chance.choice([1, 2, 10])))
                self.read_all()
                self.ask()
                self.checkpoint()
                if self.attack.chance.random() < .5:
                    self.restart()
                if self.wrong:
                    return
            self.end()
        finally:
            self.daemon.discard()


def play(seed):
    """(refused or None, report or None)"""
    folder = tempfile.mkdtemp(prefix="glimpse-attack-")
    attack = Attack(seed)
    try:
        player = Player(attack, folder)
        refused = player.refusal()
        if refused is None and not player.wrong:
            player.play()
        if player.wrong:
            lines = "\n".join(f"  {complaint}" for complaint in list(dict.fromkeys(player.wrong))[:8])
            return None, f"scenario {seed}: {attack.describe()}\n{lines}\n  again: attacks.py --scenario {seed}"
        return refused, None
    except Exception:  # a daemon that died, or the monkey's own mistake, with the seed that shows it
        return None, f"scenario {seed}: {attack.describe()}\n{traceback.format_exc()}"
    finally:
        shutil.rmtree(folder, True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemons", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenario", type=int, help="this one alone")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep-going", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="say why options were refused")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    seeds = [arguments.scenario] if arguments.scenario is not None else [chance.randrange(10 ** 9) for _ in range(arguments.daemons)]
    begin, refused, failed, done = time.monotonic(), 0, 0, 0
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        for refusal, report in pool.map(play, seeds):
            done += 1
            refused += refusal is not None
            if refusal is not None and arguments.verbose:
                print(refusal)
            if report:
                failed += 1
                print(report, flush=True)
                if not arguments.keep_going:
                    pool.shutdown(cancel_futures=True)
                    break
    print(f"{done} scenarios in {time.monotonic() - begin:.1f} s, {refused} of them refused by their options: "
          f"{f'{failed} failed' if failed else 'every number possible, every checkpoint written'}")
    if refused * 2 > done and arguments.scenario is None:
        print("too many scenarios were refused")
        sys.exit(1)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
