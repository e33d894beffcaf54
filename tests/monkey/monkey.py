#!/usr/bin/env python3
"""A monkey at the keyboard: random records of every format and magnitude, random learners, restarts in between.

    monkey.py [--records 50000] [--seed 1] [--keep-going]     many scenarios, with so many labelled records in all
    monkey.py --scenario N                                    one of them again, as a failure names it

Behind each portion of a scenario every door is asked, and each number must be finite and in its range; after each restart
model and moments must be what they were; in the end they, and what the checkpoint holds of what was learned, must be those
of one uninterrupted run of the same records, to the bit. GLIMPSE_BIN names the binary; ctest sets it.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import re
import shutil
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
sys.dont_write_bytecode = True

from checkpoints import differences  # noqa: E402
from interrupted import Interrupted  # noqa: E402
from scenario import Scenario  # noqa: E402
from shrink import shrink  # noqa: E402
from straight import OptionsRefused, Straight, Wrong  # noqa: E402


def compare(scenario, straight, interrupted):
    """What the two runs made; complaints."""
    wrong = [f"not as in an uninterrupted run: {difference}" for difference in differences("", straight[1], interrupted[1])]
    wrong += [f"checkpoint: {name} is not that of an uninterrupted run"
              for name in straight[0].differences(interrupted[0], scenario.not_promised())]
    return wrong


def play(scenario, folder):
    """How many examples were learned from. Raises Wrong."""
    straight = Straight(scenario, folder)
    interrupted = Interrupted(scenario, folder)
    try:
        through = interrupted.live()
        at_once = straight.live()
        for portion, *counts in zip(scenario.portions, straight.counts, interrupted.counts):
            wrong = differences("count", *counts)
            if wrong:
                raise Wrong([f"not as in an uninterrupted run: {difference}" for difference in wrong], portion)
        if straight.plans != interrupted.plans:
            raise Wrong(["plans are not those of an uninterrupted run"])
        wrong = compare(scenario, at_once, through)
        if wrong:
            raise Wrong(wrong)
        return at_once[0].examples()
    finally:
        interrupted.discard()
        straight.discard()


def symptom(complaint):
    """A complaint without its numbers, so that equals can be told."""
    return re.sub(r"-?\d[\d.]*(e[-+]?\d+)?|'[^']*'", "N", complaint)[:160]


def run_one(seed, records):
    """(records, those that were learned, None or a report, symptoms)"""
    scenario = Scenario(seed, records)
    count = sum(len(portion.examples) for portion in scenario.portions)
    folder = tempfile.mkdtemp(prefix="glimpse-monkey-")
    try:
        return count, play(scenario, folder), None, []
    except Wrong as wrong:
        report = [f"scenario {seed}: {scenario.describe()}",
                  *(f"  {complaint}" for complaint in wrong.complaints[:8]),
                  f"  behind portion {wrong.portion.number if wrong.portion else 'last'}; again: "
                  f"monkey.py --scenario {seed} --scenario-records {records}"]
        report += shrink(scenario, wrong, folder)
        return count, 0, "\n".join(report), [f"{scenario.learner.algorithm}: {symptom(c)}" for c in wrong.complaints]
    finally:
        shutil.rmtree(folder, True)


def try_one(seed, records):
    """run_one(), and None where it is no scenario, as its options do not go together."""
    try:
        return run_one(seed, records)
    except OptionsRefused as words:
        return str(words)
    except Exception:  # the monkey's own mistake, with the seed that shows it
        return 1, 0, f"scenario {seed}: {traceback.format_exc()}", ["the monkey itself stumbled"]


class Tally:
    """What came of the scenarios so far."""

    def __init__(self, keep_going, verbose):
        self.keep_going, self.verbose = keep_going, verbose
        self.begin = time.monotonic()
        self.records = self.learned = self.scenarios = self.refused = self.failures = 0
        self.seen = collections.Counter()

    def add(self, seed, outcome):
        """False: no more."""
        self.scenarios += 1
        if isinstance(outcome, str):
            self.refused += 1
            if self.verbose:
                print(f"scenario {seed} is none: {outcome}")
            return True
        count, learned, report, symptoms = outcome
        self.records += count
        self.learned += learned
        if self.verbose:
            print(f"{self.records} records, {self.scenarios} scenarios, {time.monotonic() - self.begin:.1f} s", flush=True)
        if not report:
            return True
        self.failures += 1
        if not self.seen[symptoms[0]]:
            print(report, flush=True)
        self.seen.update(symptoms)
        return self.keep_going

    def tell(self):
        if self.keep_going:
            for what, count in self.seen.most_common():
                print(f"{count:6} {what}")
        print(f"{self.records} records, {self.learned} of them learned from, in {self.scenarios} scenarios ({self.refused} of them "
              f"none, as their options do not go together) in {time.monotonic() - self.begin:.1f} s: " +
              (f"{self.failures} failed" if self.failures else "every number finite, every model that of an uninterrupted run"))
        # A door that refuses all would else pass.
        if self.refused * 4 > self.scenarios:
            print("too many scenarios were none")
            return 1
        return 1 if self.failures else 0


def run_many(arguments, tally):
    """In the order of their seeds, however many at once, so that a seed says what is run."""
    seeds = random.Random(arguments.seed)
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        waiting = collections.deque()
        while tally.records < arguments.records:
            while len(waiting) < arguments.jobs:
                seed = seeds.randrange(10 ** 9)
                waiting.append((seed, pool.submit(try_one, seed, arguments.scenario_records)))
            seed, future = waiting.popleft()
            if not tally.add(seed, future.result()):
                break


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=50000)
    parser.add_argument("--scenario-records", type=int, default=600, help="about how many a scenario has at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenario", type=int, help="this one alone")
    parser.add_argument("--jobs", type=int, default=1, help="scenarios at once")
    parser.add_argument("--keep-going", action="store_true", help="tell all failures, not the first alone")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    tally = Tally(arguments.keep_going, arguments.verbose or arguments.scenario is not None)
    if arguments.scenario is not None:
        tally.add(arguments.scenario, try_one(arguments.scenario, arguments.scenario_records))
    else:
        run_many(arguments, tally)
    sys.exit(tally.tell())


if __name__ == "__main__":
    main()
