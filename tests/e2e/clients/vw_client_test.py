"""The bytes that an existing client of `vw --daemon` sends get the replies that it expects."""

import re
import unittest

from harness import TestCase

MODEL = ("--dimension", 8, "--budget", 4, "--seed", 3, "--listen", "tcp:127.0.0.1:0")

# Lines as VW's own documentation and test suite write them.
SESSION = """\
0 | price:.23 sqft:.25 age:.05 2006
1 2 'second_house| price:.18 sqft:.15 age:.35 1976
0 1 0 'third_house | price:.53 sqft:.32 age:.87 1924
1 1.0 tag1| a:1
| price:.23 sqft:.25
'question | price:.18 age:.35
untouched| price:1
"""
# 2006 and 1976 are indices beyond this model, so the lines below leave them out.
SESSION = re.sub(r" (2006|1976|1924)$", " built", SESSION, flags=re.MULTILINE)
TAGS = [None, "second_house", "third_house", "tag1", None, "question", "untouched"]


class VwClient(TestCase):
    def test_with_replies_all_each_line_gets_its_prediction_and_its_tag(self):
        daemon = self.start(*MODEL, "--replies", "all")
        with daemon.client() as client:
            client.send(SESSION)
            answers = client.finish().splitlines()
        self.assertEqual(len(answers), len(TAGS), answers)
        for answer, tag in zip(answers, TAGS):
            words = answer.split(" ")
            self.assertRegex(words[0], r"^-?\d+(\.\d+)?(e[-+]\d+)?$")
            self.assertEqual(words[1:], [] if tag is None else [tag])
        self.assertEqual(daemon.status()["examples"], 4)

    def test_one_line_at_a_time_is_answered_at_once(self):
        daemon = self.start(*MODEL, "--replies", "all")
        with daemon.client() as client:
            for line, tag in zip(SESSION.splitlines(True), TAGS):
                self.assertEqual(client.ask(line).split()[1:], [tag] if tag else [])

    def test_the_prediction_comes_before_the_learning(self):
        daemon = self.start(*MODEL, "--algorithm", "two-phase-ddaerr", "--replies", "all", "--clip", "off")
        with daemon.client() as client:
            self.assertEqual(float(client.ask("1 | a:1\n")), 0)  # an empty model
            self.assertEqual(daemon.status()["examples"], 1)
            asked = client.ask("| a:1\n")
            self.assertNotEqual(float(asked), 0)
            self.assertEqual(client.ask("1 | a:1\n"), asked)  # predicted before it was learned again
            self.assertNotEqual(client.ask("| a:1\n"), asked)

    def test_importance_counts(self):
        models = []
        for line in ("1 1 | 0:1\n", "1 | 0:1\n", "1 4 | 0:1\n"):
            daemon = self.start(*MODEL, "--step", "0.01")
            with daemon.client() as client:
                client.send(line * 20)
                client.finish()
            models.append(daemon.get("/v1/model").json()["bias"])
            daemon.stop()
        self.assertEqual(models[0], models[1])
        self.assertGreater(abs(models[2]), 2 * abs(models[0]))

    def test_by_default_labelled_lines_are_silent(self):
        daemon = self.start(*MODEL)
        with daemon.client() as client:
            client.send(SESSION)
            answers = client.finish().splitlines()
        self.assertEqual([answer.split(" ")[1:] for answer in answers], [[], ["question"], ["untouched"]])

    def test_with_replies_none_all_are(self):
        daemon = self.start(*MODEL, "--replies", "none")
        with daemon.client() as client:
            client.send(SESSION)
            self.assertEqual(client.finish(), "")

    def test_names_keep_their_meaning_over_a_restart(self):
        state = ("--state-directory", self.path("state"))
        daemon = self.start(*MODEL, *state)
        with daemon.client() as client:
            client.send(SESSION)
            client.finish()
        names = daemon.get("/v1/model").json()["names"]
        self.assertEqual(names, ["price", "sqft", "age", "built", "a"])
        self.assertEqual(daemon.stop(), 0)
        daemon = self.start(*MODEL, *state)
        self.assertEqual(daemon.get("/v1/model").json()["names"], names)


if __name__ == "__main__":
    unittest.main(verbosity=2)
