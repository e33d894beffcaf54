"""--look-at-best: looks go to the attributes that predict best together."""

import json
import random
import unittest

from harness import TestCase, ndjson

D = 10
SHAPE = ("--dimension", D, "--budget", 3, "--seed", 5, "--look-at-best", 3)


def rows(count, seed=1):
    """The label is 3·x7 + 2·x1 + x4 and noise."""
    source = random.Random(seed)
    made = []
    for _ in range(count):
        x = [source.randrange(-64, 65) / 32 for _ in range(D)]
        made.append((3 * x[7] + 2 * x[1] + x[4] + source.randrange(-16, 17) / 16, x))
    return made


def metric(daemon, name):
    values = [line.split()[1] for line in daemon.get("/metrics").body.decode().splitlines() if line.startswith(name + " ")]
    return float(values[0]) if values else None


class LookAtBest(TestCase):
    def test_status_metrics_log_and_model_say_which_and_the_choice_is_there_after_a_kill(self):
        state = self.path("state")
        daemon = self.start(*SHAPE, "--state-directory", state)
        status = daemon.status()
        self.assertEqual((status["look_at_best"], status["best_attributes"], status["best_since"]), (3, None, None))
        self.assertIn("the best 3 are chosen with the next model", status["best_waiting"])
        self.assertEqual(metric(daemon, "glimpse_best_attributes"), 0)
        learned = rows(12000)
        answer = daemon.post("/v1/learn?source=a&from=0", ndjson(learned[:9000]))
        self.assertEqual(answer.status, 200, answer.body)
        daemon.wait_examples(9000)
        daemon.post("/v1/checkpoint")
        status = daemon.status()
        self.assertEqual((status["best_attributes"], status["best_waiting"]), ([1, 4, 7], None))
        self.assertIn(f"phase 2 since example {status['best_since']}: looks go to the 3 attributes that predict best",
                      status["phase_reason"])
        self.assertEqual(metric(daemon, "glimpse_best_attributes"), 3)
        self.assertEqual(metric(daemon, "glimpse_best_since_examples"), status["best_since"])
        daemon.wait_text("looks go to the 3 attributes that predict best together")
        weights = daemon.get("/v1/model?fresh=true").json()["weights"]
        self.assertEqual([i for i, weight in enumerate(weights) if weight != 0], [1, 4, 7])
        daemon.kill()
        again = self.start(*SHAPE, "--state-directory", state)
        self.assertEqual([again.status()[name] for name in ("best_attributes", "best_since", "phase_reason")],
                         [status[name] for name in ("best_attributes", "best_since", "phase_reason")])
        whole = self.start(*SHAPE)
        whole.post("/v1/learn", ndjson(learned))
        answer = again.post("/v1/learn?source=a&from=9000", ndjson(learned[9000:]))
        self.assertEqual(answer.status, 200, answer.body)
        for each in (again, whole):
            each.wait_examples(12000)
        for query in ("/v1/model?fresh=true", "/v1/moments"):
            self.assertEqual(*({k: v for k, v in each.get(query).json().items() if k != "age_seconds"}
                               for each in (again, whole)))
        self.assertEqual(again.status()["progressive_loss"], whole.status()["progressive_loss"])

    def test_plans_are_mostly_of_the_best(self):
        daemon = self.start(*SHAPE)
        daemon.post("/v1/learn", ndjson(rows(9000)))
        daemon.wait_examples(9000)
        plans = daemon.post("/v1/ask", '{"count": 400}').json()["plans"]
        self.assertGreater(sum(plan["attributes"] == [1, 4, 7] for plan in plans), 300)
        self.assertGreater(sum(plan["attributes"] != [1, 4, 7] for plan in plans), 20)
        values = {str(i): 0.5 for i in plans[0]["attributes"]}
        told = daemon.post("/v1/tell", json.dumps({"id": plans[0]["id"], "label": 3, "values": values})).json()
        self.assertEqual(told["status"], "learned")

    def test_what_cannot_be_is_refused(self):
        for arguments, why in (
                (("--look-at-best", 3, "--algorithm", "aerr"), "pairwise and pairwise-screened only"),
                (("--look-at-best", 8, "--algorithm", "pairwise-screened", "--active", 5), "must be at most 5"),
                (("--look-at-best", 3, "--products", 2), "--look-at-best 3: contradicts --products"),
                (("--look-at-best", D), "--look-at-best 10: must be below --dimension 10")):
            status, error = self.refused("--dimension", D, "--budget", 6, *arguments)
            self.assertEqual(status, 2)
            self.assertIn(why, error)


if __name__ == "__main__":
    unittest.main()
