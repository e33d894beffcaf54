"""Checkpoints of releases restore: one of each algorithm is kept as text, and its model is the same to the bit.

`releases/VERSION/NAME.txt` has a line of JSON (options, and what the release's own daemon answered) and the checkpoint,
gzip in base64: the repository holds text alone, and what a build of today makes would not be what a release made.
GLIMPSE_WRITE=1 writes those of this version that are not there; a release is kept for ever.
"""

import base64
import ctypes
import ctypes.util
import glob
import gzip
import json
import os
import re
import subprocess
import textwrap
import unittest

from harness import TestCase, binary, examples, ndjson

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "releases")
DIMENSION = 6
ASKED = [[0.5, -1, 0.25, 0, 1, -0.5], [0, 0, 0, 0, 0, 0], [None, 1, None, -1, 0.5, 0.125]]
# Name: options; "%s" is a file of moments.
KEPT = {
    "aerr": ["--algorithm", "aerr"],
    "ddaerr": ["--algorithm", "ddaerr", "--moments", "%s"],
    "two-phase-ddaerr": ["--algorithm", "two-phase-ddaerr", "--phase1", "100"],
    "online-ridge": ["--algorithm", "online-ridge"],
    "aelr": ["--algorithm", "aelr", "--radius", "4"],
    "ddaelr": ["--algorithm", "ddaelr", "--radius", "4", "--moments", "%s"],
    "two-phase-ddaelr": ["--algorithm", "two-phase-ddaelr", "--radius", "4", "--phase1", "100"],
    "online-lasso": ["--algorithm", "online-lasso", "--radius", "4"],
    "aer": ["--algorithm", "aer", "--radius", "4", "--step", "0.5"],
    "baseline": ["--algorithm", "baseline", "--radius", "4"],
    "pairwise": ["--algorithm", "pairwise"],
    "pairwise-classes": ["--algorithm", "pairwise", "--task", "classes"],
    "pairwise-products": ["--algorithm", "pairwise", "--products", "2"],
    "pairwise-screened": ["--algorithm", "pairwise-screened", "--active", "4"],
    "apple": ["--algorithm", "apple"],
}


def version():
    return subprocess.run([binary("GLIMPSE_BIN"), "--version"], capture_output=True, text=True, check=True).stdout.split()[1]


def newest(folder):
    return max(glob.glob(os.path.join(folder, "checkpoint-*.safetensors")))


class Releases(TestCase):
    def begin(self, options, state):
        moments = self.write("moments.csv", "attribute,second_moment\n" + "".join(f"{i},0.3\n" for i in range(DIMENSION)))
        budget = [] if options[1] in ("online-ridge", "online-lasso", "apple") else ["--budget", 4]
        return self.start("--dimension", DIMENSION, *budget, "--seed", 5, "--history", 0,
                          *[moments if option == "%s" else option for option in options], "--state-directory", state)

    def learn(self, daemon, options, count, seed, behind=0):
        rows = examples(count, DIMENSION, seed)
        if "--task" in options:
            rows = [(f"c{round(label) + 1}", values) for label, values in rows]
        self.assertEqual(daemon.post(f"/v1/learn?source=some&from={behind}", ndjson(rows)).status, 200)

    def told(self, daemon):
        """What the model is and says, to the bit."""
        model = json.loads(daemon.model())
        model = {name: value for name, value in model.items() if name in ("bias", "weights", "classes", "examples")}
        asked = "".join(json.dumps({"values": values}) + "\n" for values in ASKED)
        return {"model": model, "predictions": daemon.post("/v1/predict", asked).json(),
                "attributes_revealed": daemon.status()["attributes_revealed"]}

    def keep(self, path, options):
        state = self.path(f"kept-{os.path.basename(path)}")
        daemon = self.begin(options, state)
        self.learn(daemon, options, 300, 1)
        daemon.stop()
        daemon = self.begin(options, state)
        told = self.told(daemon)  # as restored
        daemon.stop()
        with open(newest(state), "rb") as file:
            packed = base64.b64encode(gzip.compress(file.read(), mtime=0)).decode()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps({"options": options, **told}) + "\n" + "\n".join(textwrap.wrap(packed, 116)) + "\n")

    def unpack(self, path, state):
        with open(path, encoding="utf-8") as file:
            kept = json.loads(file.readline())
            content = gzip.decompress(base64.b64decode(file.read()))
        os.makedirs(state)
        with open(os.path.join(state, "checkpoint-000000000001-300.safetensors"), "wb") as file:
            file.write(content)
        return kept

    def test_there_is_one_of_each_algorithm(self):
        folder = os.path.join(FOLDER, version())
        for name, options in KEPT.items():
            path = os.path.join(folder, f"{name}.txt")
            if os.environ.get("GLIMPSE_WRITE") and not os.path.exists(path):
                self.keep(path, options)
            self.assertTrue(os.path.exists(path), path)
        with open(os.path.join(binary("GLIMPSE_SOURCE_DIR"), "lib/learn/options/algorithms.h"), encoding="utf-8") as file:
            algorithms = re.findall(r'Algorithm\{\s*\.name = "([^"]+)"', file.read())
        self.assertGreater(len(algorithms), 10)
        self.assertEqual(set(algorithms) - {options[1] for options in KEPT.values()}, set())

    def test_they_restore_to_the_bit_learn_on_and_are_saved_again(self):
        paths = sorted(glob.glob(os.path.join(FOLDER, "*", "*.txt")))
        self.assertGreaterEqual(len(paths), len(KEPT))
        for number, path in enumerate(paths):
            with self.subTest(os.path.relpath(path, FOLDER)):
                state = self.path(f"state-{number}")
                kept = self.unpack(path, state)
                options = kept.pop("options")
                daemon = self.begin(options, state)
                self.assertEqual(self.told(daemon), kept)
                self.learn(daemon, options, 50, 2, behind=300)
                self.assertEqual(daemon.status()["examples"], 350)
                self.assertEqual(daemon.stop(), 0)
                self.assertTrue(newest(state).endswith("-350.safetensors"), os.listdir(state))

    def test_a_newer_format_is_refused_with_both_numbers_and_left_alone(self):
        library = ctypes.util.find_library("xxhash")
        if not library:
            self.skipTest("libxxhash is not here, to make a checkpoint of another format")
        digest = ctypes.CDLL(library).XXH3_64bits
        digest.restype, digest.argtypes = ctypes.c_uint64, (ctypes.c_char_p, ctypes.c_size_t)
        state = self.path("newer")
        options = self.unpack(os.path.join(FOLDER, version(), "pairwise.txt"), state)["options"]
        path = newest(state)
        with open(path, "rb") as file:
            content = file.read()
        newer = content[:57] + b"0" * 16 + content[73:].replace(rb"\"format\":1", rb"\"format\":2", 1)
        newer = newer[:57] + f"{digest(newer, len(newer)):016x}".encode() + newer[73:]
        with open(path, "wb") as file:
            file.write(newer)
        status, line = self.refused("--dimension", DIMENSION, "--budget", 4, *options, "--state-directory", state,
                                    "--listen", f"unix:{self.path('stream')}")
        self.assertEqual(status, 1)
        self.assertIn("the checkpoint has format 2; this build reads format 1", line)
        self.assertEqual([name for name in os.listdir(state) if name != "lock"], [os.path.basename(path)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
