"""Classes while the learner is frozen, and those of an older model beside the newest and after its promotion."""

import json
import unittest

from class_support import NAMES, SHAPE, ClassTestCase, examples, table


class ClassServing(ClassTestCase):
    def test_frozen_it_judges_probabilities_and_stays_as_it_is(self):
        rows = examples(3000)
        daemon = self.learned("--serve", "--state-directory", self.path("state"), rows=rows[:2000])
        daemon.wait_examples(2000)
        before = json.loads(daemon.model())
        self.assertEqual(daemon.post("/v1/freeze").status, 200)
        answer = daemon.post("/v1/learn?format=csv", table(rows[2000:]))
        self.assertEqual(answer.json()["frozen"], 1000, answer.body)
        after, status = json.loads(daemon.model()), daemon.status()
        self.assertEqual([after[name] for name in ("biases", "weights")], [before[name] for name in ("biases", "weights")])
        brier = 0
        told = self.predict([{"values": x} for _, x in rows[2000:]])
        for (c, _), row in zip(rows[2000:], told["probabilities"]):
            brier += sum((p - (name == NAMES[c])) ** 2 for name, p in zip(told["classes"], row))
        self.assertAlmostEqual(status["frozen_loss"], brier / 2000, delta=1e-9)
        wrong = sum(name != NAMES[c] for (c, _), name in zip(rows[2000:], told["predictions"])) / 1000
        self.assertAlmostEqual(status["frozen_classes"]["error"], wrong, delta=1e-12)
        self.assertAlmostEqual(status["frozen_classes"]["brier"], brier / 1000, delta=1e-9)
        self.assertIn(f"\nglimpse_frozen_class_error {wrong:g}\n", daemon.get("/metrics").body.decode())
        self.assertIsNone(status["held_out_classes"])
        daemon.post("/v1/checkpoint")
        daemon.kill()
        again = self.start(*SHAPE, "--label", "last", "--state-directory", self.path("state"))
        self.assertEqual(again.status()["frozen_classes"], status["frozen_classes"])

    def test_an_older_model_of_classes_answers_beside_the_newest_and_may_be_promoted(self):
        rows = examples(3000)
        daemon = self.learned("--serve", "--state-directory", self.path("state"), rows=rows[:500])
        daemon.wait_examples(500)
        older = json.loads(daemon.model())
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        daemon.post("/v1/learn?format=csv", table([("violet", [9, 9, 9, 9])] * 300 + rows[500:]))
        newest = json.loads(daemon.model())
        self.assertIn("violet", newest["classes"])
        x = json.dumps([{"values": rows[0][1]}])
        compared = daemon.post("/v1/predict?checkpoint=500", x).json()
        self.assertEqual(compared["classes"], older["classes"])
        self.assertEqual(daemon.post("/v1/promote?checkpoint=500").status, 200)
        promoted = json.loads(daemon.model())
        self.assertEqual([promoted[name] for name in ("biases", "weights", "classes")],
                         [older[name] for name in ("biases", "weights", "classes")])
        self.assertEqual(daemon.post("/v1/predict", x).json()["probabilities"], compared["probabilities"])
        daemon.post("/v1/learn?format=csv", table([("violet", [9, 9, 9, 9])] * 300))
        self.assertIn("violet", json.loads(daemon.model())["classes"])


if __name__ == "__main__":
    unittest.main()
