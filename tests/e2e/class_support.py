"""What tests of classes share: examples of them, and a daemon that learned some."""

import json
import math
import random
import subprocess

from client_support import ClientTestCase
from harness import binary

D = 4
NAMES = ("red", "light green", "blue")
SHAPE = ("--budget", 3, "--solver", "inline", "--seed", 3)
NUMBERED = ("--dimension", D, *SHAPE)


def examples(count, seed=1, classes=3):
    """(class, values): normal about a mean of each class, with one covariance."""
    source = random.Random(seed)
    means = [[source.uniform(-2, 2) for _ in range(D)] for _ in range(classes)]
    made = []
    for _ in range(count):
        c = source.randrange(classes)
        made.append((c, [mean + source.gauss(0, 1) for mean in means[c]]))
    return made


def table(rows, names=NAMES):
    lines = ["a,b,c,d,colour"] + [",".join([*map(repr, x), c if isinstance(c, str) else names[c]]) for c, x in rows]
    return "".join(line + "\n" for line in lines).encode()


def softmax(numbers, slope):
    most = max(numbers)
    powers = [math.exp(slope * (number - most)) for number in numbers]
    return [power / sum(powers) for power in powers]


def daemon_slope(daemon):
    return daemon.status()["classes"]["slope"]


class ClassTestCase(ClientTestCase):
    def learned(self, *arguments, rows=None, **keywords):
        shape = SHAPE if "--budget" not in arguments else SHAPE[2:]
        self.daemon = self.start(*shape, "--label", "last", *arguments, "--input",
                                 self.write("examples", table(rows or examples(1500))), **keywords)
        return self.daemon

    def predict(self, values, query="", status=200):
        answer = self.daemon.post(f"/v1/predict{query}", json.dumps(values))
        self.assertEqual(answer.status, status, answer.body)
        return answer.json()

    def ctl(self, *arguments, **keywords):
        return subprocess.run([binary("GLIMPSECTL_BIN"), "--server", f"unix:{self.daemon.http_path}", *arguments],
                              capture_output=True, text=True, **keywords)
