"""The Python client chooses the model: freezing, checkpoints beside the newest, promotion."""

import unittest

from client_support import ClientTestCase
from harness import examples
from glimpsed.client import Frozen, InvalidRequest, NotBuying

OPTIONS = ("--dimension", 4, "--budget", 3, "--seed", 7, "--algorithm", "pairwise", "--checkpoint-every", 0,
           "--checkpoint-examples", 10**9, "--checkpoint-keep", 10)


class ClientServing(ClientTestCase):
    def setUp(self):
        super().setUp()
        self.daemon = self.start(*OPTIONS, "--state-directory", self.path("state"))
        self.glimpse = self.of(self.daemon)
        rows = [(y, {str(i): x for i, x in values.items()} if isinstance(values, dict) else list(values))
                for y, values in examples(300)]
        self.rows = rows
        self.glimpse.learn(rows[:100])
        self.name = self.glimpse.checkpoint()["name"]
        self.glimpse.learn(rows[100:])

    def test_a_checkpoint_is_asked_and_promoted(self):
        glimpse, name = self.glimpse, self.name
        listed = glimpse.checkpoints()
        self.assertEqual([(one["name"], one["examples"]) for one in listed][0], (name, 100))
        older = [glimpse.model(checkpoint=which) for which in (name, 100, "100")]
        self.assertEqual([model["examples"] for model in older], [100] * 3)
        self.assertEqual(older[0]["weights"], older[1]["weights"])
        self.assertEqual(glimpse.status()["examples"], 300)
        self.assertEqual(glimpse.status(checkpoint=100)["examples"], 100)
        self.assertEqual(len(glimpse.moments(checkpoint=name)), 4)
        self.assertIsNotNone(glimpse.model(errors=True, checkpoint=100)["weight_errors"])
        question = [[1, 0.5, 0, 0.25]]
        by_older = glimpse.predict(question, checkpoint=100)
        self.assertEqual(by_older.examples, 100)
        self.assertEqual(len(glimpse.predict(question, explain=True, top=2, checkpoint=name).explanations), 1)
        self.assertNotEqual(glimpse.predict(question).predictions, by_older.predictions)
        answer = glimpse.promote(100)
        self.assertEqual((answer["promoted"], answer["examples"], answer["replaced_examples"]), (name, 100, 300))
        self.assertEqual(glimpse.predict(question).predictions, by_older.predictions)
        self.assertEqual(glimpse.status()["promoted_checkpoint"], name)
        with self.assertRaises(InvalidRequest) as refused:
            glimpse.promote(77)
        self.assertEqual((refused.exception.status, refused.exception.code), (404, "unknown_checkpoint"))
        with self.assertRaises(InvalidRequest) as refused:
            glimpse.model(checkpoint="../" + name)
        self.assertEqual(refused.exception.code, "invalid_checkpoint")

    def test_the_history_is_told_by_columns(self):
        told = self.glimpse.history()
        self.assertEqual(told["columns"]["examples"][:20], [*range(1, 17), 18, 20, 22, 24])
        self.assertEqual(len(told["columns"]["recent_r2"]), told["samples"])
        told = self.glimpse.history(since=200, columns=["examples", "phase"])
        self.assertEqual(list(told["columns"]), ["examples", "phase"])
        self.assertGreater(told["columns"]["examples"][0], 200)
        with self.assertRaises(InvalidRequest):
            self.glimpse.history(columns=["size"])

    def test_while_frozen_what_is_sent_is_judged(self):
        glimpse = self.glimpse
        plan = glimpse.ask()[0]
        self.assertIs(glimpse.freeze()["frozen"], True)
        report = glimpse.learn(self.rows[:20])
        self.assertEqual((report.accepted, report.skipped, report.frozen), (0, 20, 20))
        with self.assertRaises(NotBuying):
            glimpse.ask()
        with self.assertRaises(Frozen):
            glimpse.tell(plan, 1, [0.5] * len(plan.attributes))
        self.assertIs(glimpse.unfreeze()["frozen"], False)
        self.assertEqual(glimpse.tell(plan, 1, [0.5] * len(plan.attributes)).status, "learned")


if __name__ == "__main__":
    unittest.main()
