"""What the tests of the Python package share: checkpoints opened up, and a daemon that learns a file of rows.

ctest sets PYTHONPATH to the package of the build tree, and GLIMPSE_BIN to the daemon.
"""

import glob
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

#: What a session and a daemon may hold differently: the doors' own, how learning went, and how often was predicted.
OF_THE_DAEMON = ("inputs.", "sources.", "history.", "predictions")


def arrays_of(path):
    """Name and bytes of each array of a checkpoint, except the daemon's own."""
    with open(path, "rb") as file:
        data = file.read()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    del header["__metadata__"]
    return {name: data[begin + tensor["data_offsets"][0]:begin + tensor["data_offsets"][1]]
            for name, tensor in header.items() if not name.startswith(OF_THE_DAEMON)}


def newest_of(folder):
    return sorted(glob.glob(os.path.join(folder, "checkpoint-*.safetensors")))[-1]


def linear_set(rows, dimension, seed=3):
    """Singles, whose labels are a linear model's with noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, dimension)).astype(np.float32)
    weights = np.where(np.arange(dimension) % 3 == 0, random.normal(size=dimension), 0)
    return X, (X @ weights + 1 + 0.1 * random.normal(size=rows)).astype(np.float32)


class PackageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="glimpse-python-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def learn_f32(self, X, y, *options, state="state", name="rows.f32"):
        """A daemon learns rows from a file, and ends. Returns its newest checkpoint."""
        with open(self.path(name), "wb") as file:
            file.write(np.hstack([np.asarray(y, np.float32)[:, None], X]).astype("<f4").tobytes())
        self.run_daemon("--format", "f32", "--dimension", str(X.shape[1]), "--input", self.path(name), *options,
                        state=state)
        return newest_of(self.path(state))

    def start_daemon(self, *options, state="state"):
        """A daemon that goes on until it is told to end."""
        daemon = subprocess.Popen([os.environ["GLIMPSE_BIN"], "--state-directory", self.path(state), "--log-level", "warning",
                                   *options], stdin=subprocess.DEVNULL)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.kill)
        return daemon

    def run_daemon(self, *options, state="state"):
        result = subprocess.run([os.environ["GLIMPSE_BIN"], "--state-directory", self.path(state), "--log-level", "warning",
                                 *options], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)

    def assert_same_bits(self, one, other):
        """Two checkpoints hold the same to the bit."""
        first, second = arrays_of(one), arrays_of(other)
        self.assertEqual(sorted(first), sorted(second))
        self.assertEqual([name for name in first if first[name] != second[name]], [])
