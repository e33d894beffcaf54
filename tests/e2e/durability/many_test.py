"""As many classes and labels as the limits allow: what is learned of them comes back."""

import os
import random
import unittest

from harness import TestCase

ATTRIBUTES = [f"x{i}" for i in range(6)]


class Many(TestCase):
    def begin(self, *arguments):
        return self.start("--budget", 3, "--seed", 3, "--solver", "inline",
                          "--attributes", self.write("names.txt", "\n".join(ATTRIBUTES) + "\n"),
                          "--state-directory", self.path("state"), *arguments)

    def table(self, labels, count, label_of):
        numbers = random.Random(7)
        lines = [",".join(labels + ATTRIBUTES)]
        for n in range(count):
            x = [numbers.gauss(0, 1) for _ in ATTRIBUTES]
            lines.append(",".join([label_of(n, l, x) for l in range(len(labels))] + [f"{v:.6f}" for v in x]))
        return "\n".join(lines) + "\n"

    def teach(self, daemon, lines):
        answer = daemon.post("/v1/learn?format=csv", "".join(lines))
        self.assertEqual((answer.status, answer.json().get("accepted", answer.body)), (200, len(lines) - 1))

    def comes_back(self, arguments, text, count):
        """A kill after a checkpoint, and an end as it should be: both are gone on from, to the bit."""
        daemon = self.begin(*arguments)
        head, tail = text.split("\n", 1)
        lines = tail.splitlines(keepends=True)
        self.teach(daemon, [head + "\n", *lines[:count // 2]])
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        before = daemon.model()
        daemon.kill()
        daemon = self.begin(*arguments)
        self.assertEqual(daemon.status()["examples"], count // 2)
        self.assertEqual(daemon.model(), before)
        self.teach(daemon, [head + "\n", *lines[count // 2:]])
        before = daemon.model()
        daemon.stop()
        daemon = self.begin(*arguments)
        self.assertEqual(daemon.status()["examples"], count)
        self.assertEqual(daemon.model(), before)
        self.assertEqual([name for name in os.listdir(self.path("state")) if name.endswith(".bad")], [])

    def test_a_hundred_classes(self):
        text = self.table(["label"], 1200, lambda n, _, x: f"class{n % 100:02}")
        self.comes_back(("--label", "label"), text, 1200)

    def test_a_thousand_classes(self):
        text = self.table(["label"], 2000, lambda n, _, x: f"class{n % 1000:03}")
        self.comes_back(("--label", "label", "--max-classes", 1000), text, 2000)

    def test_a_hundred_labels(self):
        labels = [f"y{l}" for l in range(100)]
        text = self.table(labels, 600, lambda n, l, x: f"{x[l % 6] * l + x[(l + 1) % 6]:.6f}")
        self.comes_back(("--label", ",".join(labels)), text, 600)


if __name__ == "__main__":
    unittest.main(verbosity=2)
