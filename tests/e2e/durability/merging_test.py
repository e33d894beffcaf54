"""Merging: learners of disjoint examples become one, by glimpsectl and by POST /v1/merge, and outlive kill -9."""

import json
import math
import os
import random
import resource
import subprocess
import unittest

from harness import TestCase, binary

CTL = binary("GLIMPSECTL_BIN")
NEVER = ("--checkpoint-every", 0, "--checkpoint-examples", 10**9)
FOUR = ("--dimension", 4, "--budget", 2, "--algorithm", "pairwise", "--seed", 5)
PAIRWISE = ("--label", "y", "--budget", 2, "--algorithm", "pairwise", "--seed", 5)
COLOURS = {"red": 0, "green": 3, "blue": -2}


def records(count, seed):
    draw = random.Random(seed)
    for _ in range(count):
        row = {name: draw.gauss(0, 1) for name in "abc"}
        row["colour"] = draw.choice(list(COLOURS))
        row["y"] = 2 * row["a"] - row["b"] + COLOURS[row["colour"]] + draw.gauss(0, 0.1)
        yield row


def table(rows, columns):
    return "".join(",".join(str(row[name]) for name in columns) + "\n" for row in [dict(zip(columns, columns)), *rows])


def examples(rows):
    """As HTTP takes them."""
    return "".join(json.dumps({"label": row["y"], "values": values(row)}) + "\n" for row in rows)


def values(row):
    return {name: row[name] for name in ("a", "b", "c", "colour")}


def merge(*arguments):
    done = subprocess.run([CTL, "checkpoint", "merge", *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Merging(TestCase):
    def learn(self, name, rows, columns, options=PAIRWISE):
        """The last checkpoint of a daemon that read these rows."""
        file = self.write(name + ".csv", table(rows, columns))
        self.run_to_end(*options, "--input", file, "--checkpoint-keep", 20, "--state-directory", self.path(name))
        return self.path(name, max(f for f in os.listdir(self.path(name)) if f.startswith("checkpoint")))

    def error(self, daemon, rows):
        answers = daemon.post("/v1/predict", json.dumps([{"values": values(row)} for row in rows]))
        self.assertEqual(answers.status, 200, answers.body)
        predictions = answers.json()["predictions"]
        return math.sqrt(sum((p - row["y"]) ** 2 for p, row in zip(predictions, rows)) / len(rows))

    def halves(self):
        rows = list(records(4000, 3))
        one = self.learn("one", rows[:2000], ["a", "b", "c", "colour", "y"])
        two = self.learn("two", rows[2000:], ["colour", "y", "c", "a", "b"])
        return one, two

    def test_a_merge_whose_checkpoint_cannot_be_written_changes_nothing(self):
        one, two = self.halves()
        with open(two, "rb") as file:
            body = file.read()
        daemon = self.start(*PAIRWISE, *NEVER, "--state-directory", self.path("one"))
        model = daemon.model()
        limits = resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
        for _ in range(2):
            answer = daemon.post("/v1/merge", body)
            self.assertEqual((answer.status, answer.error()), (503, "not_merged"))
            self.assertIn("nothing was merged, as no checkpoint of it could be written", answer.json()["error"]["message"])
        self.assertEqual((daemon.status()["examples"], daemon.model()), (2000, model))
        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, limits)
        answer = daemon.post("/v1/merge", body)
        self.assertEqual((answer.status, answer.json()["examples"]), (200, 4000))
        model = daemon.model()
        daemon.kill()
        again = self.start(*PAIRWISE, *NEVER, "--state-directory", self.path("one"))
        again.wait_log(answer.json()["checkpoint"])
        self.assertEqual(again.model(), model)

    def test_two_halves_become_one_that_predicts_and_goes_on(self):
        one, two = self.halves()
        merged = self.path("merged.safetensors")
        code, told, error = merge(one, two, "--output", merged)
        self.assertEqual(code, 0, error)
        self.assertRegex(told, r"merged\.safetensors +4,000\n")
        self.assertIn("algorithm=pairwise", told)
        daemon = self.start(*PAIRWISE, *NEVER, "--restore", merged, "--state-directory", self.path("on"))
        self.assertEqual(daemon.status()["examples"], 4000)
        self.assertLess(self.error(daemon, list(records(300, 8))), 0.5)
        daemon.post("/v1/learn", examples(records(100, 9)))
        daemon.post("/v1/checkpoint")
        daemon.kill()
        again = self.start(*PAIRWISE, *NEVER, "--state-directory", self.path("on"))
        self.assertEqual(again.status()["examples"], 4100)
        code, told, error = merge(two, merged, "--output", self.path("x"))
        self.assertEqual(code, 1, told)
        self.assertIn("is merged already", error)

    def test_what_cannot_be_merged_is_refused_and_nothing_is_written(self):
        one, two = self.halves()
        rows = list(records(50, 4))
        other = self.learn("other", rows, ["a", "b", "c", "colour", "y"], (*PAIRWISE[:2], "--budget", 3, *PAIRWISE[4:]))
        target = self.path("target")
        for files, sentence in (((one, other), "one learner was made with budget=2, the other with budget=3"),
                                ((one, self.write("noise", "no checkpoint")), "noise"),
                                ((one,), "2 files or more")):
            with self.subTest(files=files):
                code, _, error = merge(*files, "--output", target)
                self.assertNotEqual(code, 0)
                self.assertIn(sentence, error)
                self.assertFalse(os.path.exists(target))
        # The same file, further on: its examples are in both.
        with open(self.path("one.csv"), "a") as file:
            file.write(table(rows, ["a", "b", "c", "colour", "y"]).split("\n", 1)[1])
        self.run_to_end(*PAIRWISE, "--input", self.path("one.csv"), "--checkpoint-keep", 20, "--state-directory",
                        self.path("one"))
        later = self.path("one", max(f for f in os.listdir(self.path("one")) if f.startswith("checkpoint")))
        self.assertNotEqual(later, one)
        code, _, error = merge(one, later, "--output", target)
        self.assertEqual(code, 1)
        self.assertIn("both have learned from the file", error)
        self.assertEqual(merge(one, later, "--force", "--output", target)[0], 0)
        self.assertTrue(os.path.exists(target))

    def test_a_daemon_takes_in_what_another_one_learned_and_keeps_it_over_kill_9(self):
        for solver in ("inline", "background"):
            with self.subTest(solver=solver):
                rows = list(records(4000, 3))
                two = self.learn("two-" + solver, rows[2000:], ["colour", "y", "c", "a", "b"])
                here = (*FOUR, *NEVER, "--solver", solver, "--state-directory", self.path("here-" + solver))
                daemon = self.start(*here)
                daemon.post("/v1/learn", examples(rows[:2000]))
                with open(two, "rb") as file:
                    body = file.read()
                answer = daemon.post("/v1/merge", body)
                self.assertEqual(answer.status, 200, answer.body)
                told = answer.json()
                self.assertEqual((told["merged_examples"], told["examples"]), (2000, 4000))
                daemon.kill()
                again = self.start(*here)
                self.assertEqual(again.status()["examples"], 4000)
                self.assertLess(self.error(again, list(records(300, 8))), 0.5)
                answer = again.post("/v1/merge", body)
                self.assertEqual((answer.status, answer.json()["error"]["code"]), (409, "cannot_merge"))
                self.assertIn("is merged already", answer.json()["error"]["message"])
                again.post("/v1/learn", examples(records(500, 9)))
                self.assertEqual(again.status()["examples"], 4500)
                again.stop()

    def test_classes_beyond_the_most_that_are_allowed_stay_and_are_named_in_the_log(self):
        rows = {name: "".join(json.dumps({"label": f"{name}{i % 3}", "values": [i % 5, i % 7, 1, i % 2]}) + "\n"
                              for i in range(90)) for name in "ab"}
        other = self.start(*FOUR, "--state-directory", self.path("other"))
        other.post("/v1/learn", rows["b"])
        with open(self.path("other", other.post("/v1/checkpoint").json()["name"]), "rb") as file:
            body = file.read()
        daemon = self.start(*FOUR, "--max-classes", 3, "--state-directory", self.path("here"))
        daemon.post("/v1/learn", rows["a"])
        self.assertEqual(daemon.post("/v1/merge", body).status, 200)
        daemon.wait_text("--max-classes 3: there are 6 classes with those that were merged, which all stay")

    def test_bodies_that_are_no_checkpoint_change_nothing(self):
        daemon = self.start(*FOUR, *NEVER, "--state-directory", self.path("here"))
        daemon.post("/v1/learn", examples(records(100, 1)))
        for body, status in ((b"", 400), (b"nothing", 400), (b"\0" * 5000, 400)):
            self.assertEqual(daemon.post("/v1/merge", body).status, status, body[:10])
        self.assertEqual(daemon.post("/v1/merge?force=true", b"x").status, 400)
        self.assertEqual(daemon.post("/v1/freeze").status, 200)
        one = self.learn("one", list(records(100, 2)), ["a", "b", "c", "colour", "y"])
        with open(one, "rb") as file:
            answer = daemon.post("/v1/merge", file.read())
        self.assertEqual(answer.status, 409)
        self.assertIn("frozen", answer.json()["error"]["message"])
        self.assertEqual(daemon.status()["examples"], 100)


if __name__ == "__main__":
    unittest.main()
