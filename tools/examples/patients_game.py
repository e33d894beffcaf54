"""Patients arrive one after the other, and each is given some tests: a glimpsed learns from what was bought.

Three ways of buying play with the same patients in the same order, each with a daemon of its own:
    glimpse     the daemon says which tests to buy, within a limit a patient
    uniform     all tests in a uniformly random order, each bought if it still fits into the limit
    everything  all tests: the ridge learner of full information
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from glimpsed.client import Client, GlimpseError  # noqa: E402
from priced_sets import UNIT, PricedSet, Prices, decimal  # noqa: E402

METHODS = ("glimpse", "uniform", "everything")


class GameError(Exception):
    """The daemon did not start, or did not do what it was asked for."""


class Daemon:
    """A glimpsed in a private folder, which answers; ends with the `with` block."""

    def __init__(self, binary: str, patients: PricedSet, seed: int, limit: int | None) -> None:
        self._folder = tempfile.mkdtemp(prefix="glimpse-buy-")
        names, costs = os.path.join(self._folder, "names"), os.path.join(self._folder, "costs")
        with open(names, "w", encoding="utf-8") as file:
            file.write("\n".join(patients.tests) + "\n")
        with open(costs, "w", encoding="utf-8") as file:
            file.write(patients.prices.text(patients.tests))
        door = f"unix:{self._folder}/http.sock"
        # As many tests as there are may be bought: money alone is the limit.
        options = ["--algorithm", "pairwise", "--attributes", names, "--costs", costs, "--budget",
                   str(len(patients.tests)), "--seed", str(seed), "--clip", "off", "--http", door, "--serve"]
        if limit is not None:
            options += ["--budget-cost", decimal(limit)]
        self._log = os.path.join(self._folder, "log")
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen([binary, *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.client = Client(door)

    def __enter__(self) -> Client:
        end = time.monotonic() + 30
        while not self.client.ready():
            if self._process.poll() is not None or time.monotonic() > end:
                with open(self._log, encoding="utf-8", errors="replace") as log:
                    said = log.read().strip()
                self.__exit__()
                raise GameError(f"glimpsed does not answer; it said:\n{said}")
            time.sleep(0.005)
        return self.client

    def __exit__(self, *unused: object) -> None:
        self.client.close()
        self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, True)


@dataclass
class Point:
    """The model after some patients. `error`: squared error on the held-out patients over that of the mean label;
    `wrong`: the share of them on the wrong side of ½."""

    patients: int
    dollars: float
    error: float
    wrong: float


@dataclass
class Course:
    """One method, one order of the patients."""

    points: list[Point] = field(default_factory=list)
    bought: list[int] = field(default_factory=list)  # of each test, how often
    left_out: int = 0  # patients who were paid for and not learned from, as their numbers were far beyond all before


def split(patients: PricedSet, seed: int, order: int, most: int | None) -> tuple[list[int], list[int]]:
    """The patients who come, in their order, and the third that is held out."""
    shuffled = list(range(len(patients.patients)))
    random.Random(f"patients {seed} {order}").shuffle(shuffled)
    shuffled = shuffled[:most]
    held_out = len(shuffled) // 3
    return shuffled[held_out:], shuffled[:held_out]


def stops(count: int) -> list[int]:
    """After how many patients the model is judged: 8, and ever √2 times as many, and all."""
    return sorted({round(8 * 2 ** (i / 2)) for i in range(60) if 8 * 2 ** (i / 2) < count} | {count})


def uniform_purchase(prices: Prices, limit: int, source: random.Random) -> list[int]:
    """Tests in a uniformly random order, each bought if it still fits."""
    order = list(range(len(prices.own)))
    source.shuffle(order)
    bought: list[int] = []
    for test in order:
        if prices.bill([*bought, test]) <= limit:
            bought.append(test)
    return bought


def judge(patients: PricedSet, came: list[int], held_out: list[int], client: Client) -> tuple[float, float]:
    model = client.model(fresh=True)
    bias, weights = model["bias"], model["weights"]
    mean = sum(patients.patients[i][0] for i in came) / len(came)
    error = of_mean = wrong = 0.0
    for i in held_out:
        label, values = patients.patients[i]
        prediction = bias + sum(w * x for w, x in zip(weights, values))
        error += (label - prediction) ** 2
        of_mean += (label - mean) ** 2
        wrong += (prediction > 0.5) != (label > 0.5)
    return error / of_mean, wrong / len(held_out)


def play(method: str, binary: str, patients: PricedSet, limit: int, seed: int, order: int, most: int | None,
         more_stops: tuple[int, ...] = ()) -> Course:
    came, held_out = split(patients, seed, order, most)
    chance = random.Random(f"uniform {seed} {order}")
    course = Course(bought=[0] * len(patients.tests))
    wanted = {*stops(len(came)), *more_stops}
    spent = 0
    # What is bought uniformly within the limit is all that the daemon may ask for: so it asks for all of it.
    with Daemon(binary, patients, seed * 1000 + order, limit if method == "glimpse" else None) as client:
        try:
            for number, i in enumerate(came, 1):
                label, values = patients.patients[i]
                available = None
                if method == "uniform":
                    available = uniform_purchase(patients.prices, limit, chance)
                plan = client.ask(available=available)[0]
                if available is not None and set(plan.attributes) != set(available):
                    raise GameError(f"of the tests {available} the daemon asked for {plan.attributes}")
                told = client.tell(plan, label=label, values=[values[test] for test in plan.attributes])
                if told.status == "not_learned":  # as the first who is ill after many who are not
                    course.left_out += 1
                elif not told.learned:
                    raise GameError(f"patient {i + 1} was not learned from: {told.message or told.status}")
                for test in plan.attributes:
                    course.bought[test] += 1
                spent += patients.prices.bill(list(plan.attributes))
                if number in wanted:
                    error, wrong = judge(patients, came, held_out, client)
                    course.points.append(Point(number, spent / UNIT, error, wrong))
            if abs(client.status()["cost_spent"] - spent / UNIT) > 1e-6 * (1 + spent / UNIT):
                raise GameError(f"the daemon's account has {client.status()['cost_spent']}, the bills {spent / UNIT}")
        except GlimpseError as error:
            raise GameError(f"glimpsed: {error}") from None
    return course
