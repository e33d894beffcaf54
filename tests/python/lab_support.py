"""What the tests of glimpsed.lab share: commands in a process of their own, and losses of runs."""

import csv
import io
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from glimpsed.lab.data import DataOptions, load
from glimpsed.lab.experiment import Curve, Points, run_experiment
from glimpsed.lab.jobs import Store
from glimpsed.lab.learners import Method

#: Data that commands are tried on: 12 attributes, three factors.
SMALL = ("--data", "simulated:factors:3:12", "--examples", "800", "--test-examples", "200")


class LabTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="glimpse-lab-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def lab(self, *arguments, status=0):
        """What a command prints; on standard error where it is to fail."""
        result = subprocess.run([sys.executable, "-m", "glimpsed.lab", *arguments, "--quiet"], capture_output=True, text=True, timeout=250, check=False,
                                cwd=self.folder)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout if status == 0 else result.stderr

    def rows(self, *arguments):
        return rows_of(self.lab(*arguments))


def rows_of(text):
    """Of CSV, numbers as such."""
    def value(cell):
        try:
            return float(cell)
        except ValueError:
            return cell
    return [{name: value(cell) for name, cell in row.items()} for row in csv.DictReader(io.StringIO(text))]


def losses(source, method, seeds):
    """Test losses of a method after the whole training set, by seed."""
    outcome = run_experiment([Curve("method", method)], source, Points(all=True), range(1, seeds + 1), Store(None), 1, True)
    return np.array([row.test_loss_ratio for row in outcome.rows])


def simulated(data, examples):
    return load(DataOptions(data, examples=examples))


def budgeted(algorithm, budget, radius, step=None, **options):
    """A method of the papers with a fixed B and step."""
    given = {"budget": str(budget), "radius": repr(radius), **({} if step is None else {"step": repr(step)})}
    return Method(algorithm, given).having(**options)


def needs(variable):
    """Skips a test where the environment names no data."""
    return unittest.skipUnless(os.environ.get(variable), f"{variable} names no folder")
