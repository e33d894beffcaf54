"""States that later builds must take up to the bit: each learner with each thing that a state may hold beside it.

`states/LEARNER.txt` has a line of JSON for each state of that learner: what it is called, the hashes of what the daemon
that saved it answered, as restored and after 5,000 further examples, and the checkpoint itself, compressed, in base64.
GLIMPSE_WRITE=1 writes what is not there and rewrites hashes that differ; a commit that does so says why.
"""

import base64
import functools
import glob
import hashlib
import json
import lzma
import os
import random
import re
import subprocess
import unittest

from harness import DEADLINE, TestCase, binary

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "states")
DIMENSION = 10
BEFORE, BEHIND = 300, 5000  # examples
CHUNK = 1000  # examples of a request
ASKED = [[0.5, -1, 0.25, 0, 1, -0.5, 0.75, -0.125, 0, 1], [0] * DIMENSION, [0.75, 1, -0.25, -1, 0.5] * 2]
PRICES = "".join(f"{i} {1 + i % 3}\n" for i in range(DIMENSION))
MOMENTS = "attribute,second_moment\n" + "".join(f"{i},0.3\n" for i in range(DIMENSION))

BUDGET = ["--budget", "4"]
BALL = [*BUDGET, "--radius", "4"]
LEARNERS = {
    "aerr": ["--algorithm", "aerr", *BUDGET],
    "ddaerr": ["--algorithm", "ddaerr", *BUDGET, "--moments", "%/moments.csv"],
    "two-phase-ddaerr": ["--algorithm", "two-phase-ddaerr", *BUDGET, "--phase1", "100"],
    "online-ridge": ["--algorithm", "online-ridge"],
    "aelr": ["--algorithm", "aelr", *BALL],
    "ddaelr": ["--algorithm", "ddaelr", *BALL, "--moments", "%/moments.csv"],
    "two-phase-ddaelr": ["--algorithm", "two-phase-ddaelr", *BALL, "--phase1", "100"],
    "online-lasso": ["--algorithm", "online-lasso", "--radius", "4"],
    "aer": ["--algorithm", "aer", *BALL, "--step", "0.5"],
    "baseline": ["--algorithm", "baseline", *BALL],
    "pairwise": ["--algorithm", "pairwise", "--solver", "inline", *BUDGET],
    "pairwise-all": ["--algorithm", "pairwise", "--solver", "inline", "--budget", "10"],
    "pairwise-screened": ["--algorithm", "pairwise-screened", "--solver", "inline", *BUDGET, "--active", "4"],
    "products": ["--algorithm", "pairwise", "--solver", "inline", *BUDGET, "--products", "2"],
    "screened-products": ["--algorithm", "pairwise-screened", "--solver", "inline", *BUDGET, "--active", "8", "--products", "2"],
    "apple": ["--algorithm", "apple"],
}
# What a state may hold: options, and how examples are made (below). Where a learner refuses it there is no state.
KINDS = {
    "plain": ([], "numbers"),
    "categories": (["--categories", "1,3"], "categories"),
    "gaps": ([], "gaps"),
    "hold-out": (["--hold-out", "10%"], "numbers"),
    "drift": (["--drift", "auto"], "changing"),
    "half-life": (["--half-life", "200"], "numbers"),
    "two-labels": (["--label", "temp,cnt"], "labels"),
    "two-classes": (["--task", "classes"], "2 classes"),
    "four-classes": (["--task", "classes"], "4 classes"),
    "prices": (["--costs", "%/costs.txt", "--budget-cost", "7"], "numbers"),
    "open-plans": ([], "plans"),
    "outliers": ([], "outliers"),
}


def values_of(generator):
    return [generator.randrange(-64, 65) / 64 for _ in range(DIMENSION)]


@functools.lru_cache(None)  # all learners learn the same examples
def examples(data, count, seed):
    """Examples as lines of JSON; numbers are short, so that every format could hold them."""
    generator = random.Random(seed)
    lines = []
    for at in range(count):
        values = values_of(generator)
        label = values[0] - 0.5 * values[-1] + 0.5 * values[1] * values[2] + generator.randrange(-8, 9) / 64
        example = {"label": label, "values": values}
        if data == "changing" and at > count // 2:
            example["label"] = -8 * label
        elif data == "categories":
            example["values"] = {str(i): f"w{int(v * 2)}" if i in (1, 3) else v for i, v in enumerate(values)}
        elif data == "gaps":
            example["values"] = [None if generator.random() < 0.1 else v for v in values]
        elif data == "labels":
            example = {"labels": {"temp": label, "cnt": values[1] - values[3]}, "values": values}
        elif data.endswith("classes"):
            classes = int(data.split()[0])
            example["label"] = f"c{min(max(int((label + 1) / 2 * classes), 0), classes - 1)}"
        elif data == "outliers":
            values[at % DIMENSION] *= 1e9 if at % 97 == 50 else 1
            example["label"] *= 1e9 if at % 101 == 50 else 1
        lines.append(json.dumps(example))
    return lines


def digest(answers):
    return hashlib.sha256(json.dumps(answers, sort_keys=True).encode()).hexdigest()[:32]


def packed(content):
    return base64.b64encode(lzma.compress(content, preset=9)).decode()


def kept(learner):
    try:
        with open(os.path.join(FOLDER, f"{learner}.txt"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except FileNotFoundError:
        return []


class States(TestCase):
    def begin(self, learner, kind, state, **keywords):
        self.write("moments.csv", MOMENTS)
        self.write("costs.txt", PRICES)
        options, _ = KINDS[kind]
        return self.start("--dimension", DIMENSION, "--seed", 5, "--history", 0,
                          *[o.replace("%/", self.path("")) for o in LEARNERS[learner] + options], "--state-directory", state, **keywords)

    def learn(self, daemon, kind, seed, begin, count):
        lines = examples(KINDS[kind][1], count, seed)
        for at in range(0, count, CHUNK):
            body = "\n".join(lines[at:at + CHUNK]) + "\n"
            answer = daemon.post(f"/v1/learn?source=some&from={begin + at}", body)
            self.assertEqual(answer.status, 200, answer.body)

    def answers(self, daemon):
        """What the model is and says, to the bit."""
        model = json.loads(daemon.model())
        model = {name: value for name, value in model.items() if name in ("bias", "weights", "classes", "examples")}
        asked = "".join(json.dumps({"values": values}) + "\n" for values in ASKED)
        status = daemon.status()
        return {"model": model, "predictions": daemon.post("/v1/predict", asked).json(),
                "revealed": status["attributes_revealed"], "examples": status["examples"],
                "plans": daemon.get("/v1/plans").json()["open"]}

    def save(self, learner, kind):
        """The bytes of a checkpoint; none where the daemon refuses these options."""
        state = self.path("saved", learner, kind)
        daemon = self.begin(learner, kind, state, ready=False)
        try:
            daemon.wait_ready()
        except AssertionError:
            self.assertEqual(daemon.wait(), 2, daemon.stderr)
            return None
        self.learn(daemon, kind, 1, 0, BEFORE)
        if KINDS[kind][1] == "plans":
            self.assertEqual(daemon.post("/v1/ask", '{"count": 5}').status, 200)
        daemon.stop()
        newest = max(glob.glob(os.path.join(state, "checkpoint-*.safetensors")))
        with open(newest, "rb") as file:
            return file.read()

    def hashes(self, learner, kind, content):
        state = self.path("restored", learner, kind)
        os.makedirs(state)
        with open(os.path.join(state, f"checkpoint-000000000001-{BEFORE}.safetensors"), "wb") as file:
            file.write(content)
        daemon = self.begin(learner, kind, state)
        restored = digest(self.answers(daemon))
        self.learn(daemon, kind, 2, BEFORE, BEHIND)
        learned = digest(self.answers(daemon))
        daemon.stop()
        return {"restored": restored, "learned": learned}

    def write_states(self, learner):
        states = {state["kind"]: state for state in kept(learner)}
        for kind in KINDS:
            if kind not in states:
                content = self.save(learner, kind)
                if content is None:
                    continue
                states[kind] = {"kind": kind, "state": packed(content)}
            state = states[kind]
            hashes = self.hashes(learner, kind, lzma.decompress(base64.b64decode(state["state"])))
            if state.get("hashes", hashes) != hashes:
                print(f"{learner}, {kind}: {state['hashes']} became {hashes}")
            state["hashes"] = hashes
        os.makedirs(FOLDER, exist_ok=True)
        with open(os.path.join(FOLDER, f"{learner}.txt"), "w", encoding="utf-8") as file:
            for kind in sorted(states):
                file.write(json.dumps(states[kind], sort_keys=True) + "\n")

    def test_each_learner_is_here_with_most_of_the_kinds(self):
        self.assertGreaterEqual(sum(len(kept(learner)) for learner in LEARNERS), 110)
        with open(os.path.join(binary("GLIMPSE_SOURCE_DIR"), "lib/learn/options/algorithms.h"), encoding="utf-8") as file:
            algorithms = set(re.findall(r'Algorithm\{\s*\.name = "([^"]+)"', file.read()))
        self.assertEqual(algorithms, {options[1] for options in LEARNERS.values()})

    def check_states(self, learner):
        """All states of a learner; with GLIMPSE_WRITE they are written and not checked."""
        if os.environ.get("GLIMPSE_WRITE"):
            return self.write_states(learner)
        for state in kept(learner):
            with self.subTest(state["kind"]):
                content = lzma.decompress(base64.b64decode(state["state"]))
                self.assertEqual(self.hashes(learner, state["kind"], content), state["hashes"])


class Read(TestCase):
    """glimpsectl --model of each state: it works, or is refused with the reason that is true."""

    def ctl(self, *arguments):
        path = os.path.dirname(binary("GLIMPSE_BIN")) + os.pathsep + os.environ["PATH"]
        done = subprocess.run([binary("GLIMPSECTL_BIN"), *arguments], capture_output=True, timeout=DEADLINE, text=True,
                              env={**os.environ, "PATH": path, "TMPDIR": self.folder}, check=False)
        return done.returncode, done.stderr

    @staticmethod
    def reason(command, learner, kind):
        """Why it is refused; None: it is not."""
        if kind == "prices" and "pairwise" not in learner and "products" not in learner:
            return "go by prices, which it does not hold: give --costs FILE"
        if command == "explain" and (learner == "apple" or (kind == "four-classes" and "pairwise" not in learner)):
            return "have no explanation|have an explanation of .* by pairwise and pairwise-screened alone"
        if command == "test" and kind == "four-classes" and "pairwise" not in learner:
            return "is one class too many"
        return None

    def read(self, learner):
        for state in kept(learner):
            kind = state["kind"]
            with open(self.path("model"), "wb") as file:
                file.write(lzma.decompress(base64.b64decode(state["state"])))
            rows = self.write("rows.ndjson", "\n".join(examples(KINDS[kind][1], 100, 3)) + "\n")
            label = ("--label", "temp") if kind == "two-labels" else ()
            commands = {"model": (), "predict": (rows,), "plot": ("-o", self.path("p.svg"))}
            if kind in ("plain", "four-classes", "two-labels"):
                commands.update({"status": (), "moments": (), "explain": (rows, *label), "test": (rows,)})
            for command, arguments in commands.items():
                with self.subTest(command, kind=kind):
                    status, said = self.ctl(command, *arguments, "--model", self.path("model"))
                    reason = self.reason(command, learner, kind)
                    if command == "plot" and not reason and status == 1:
                        reason = "nothing was learned yet, or the daemon keeps no history"  # nor importances
                    self.assertEqual(status, 1 if reason else 0, said)
                    self.assertRegex(said, reason or "^")


for name in LEARNERS:
    setattr(Read, f"test_glimpsectl_reads_states_of_{name.replace('-', '_')}", lambda self, learner=name: self.read(learner))
    setattr(States, f"test_states_of_{name.replace('-', '_')}_restore_and_learn_on_to_the_bit",
            lambda self, learner=name: self.check_states(learner))

if __name__ == "__main__":
    unittest.main()
