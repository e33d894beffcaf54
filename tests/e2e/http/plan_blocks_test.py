"""Plans that several examples share: the same by pushing and by asking, in any order, through a kill -9 amid one."""

import json
import os
import random
import signal
import unittest

from harness import TestCase

D, K = 12, 4
SHARED_FROM = 49152  # from here on four examples have a plan (lib/learn/draws/plan_blocks.h)
MODEL = ["--dimension", D, "--budget", K, "--serve", "--input", os.devnull]


def example(source):
    x = [round(source.uniform(-1, 1), 3) for _ in range(D)]
    return x, round(2 * x[0] - x[3] + 0.1 * source.gauss(0, 1), 3)


def lines(source, count):
    return "".join(f'{{"label":{label},"values":{x}}}\n' for x, label in (example(source) for _ in range(count)))


BEFORE = lines(random.Random(1), SHARED_FROM)


class PlanBlocks(TestCase):
    def learned(self, *arguments):
        """A daemon whose next examples come in blocks that share a plan."""
        daemon = self.start(*MODEL, *arguments)
        self.assertEqual(daemon.post("/v1/learn", BEFORE).status, 200)
        self.assertEqual(daemon.status()["examples"], SHARED_FROM)
        return daemon

    def ask(self, daemon, **body):
        answer = daemon.post("/v1/ask", json.dumps(body))
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["plans"]

    def tell(self, daemon, plan, x, label):
        answer = daemon.post("/v1/tell", json.dumps(
            {"id": plan["id"], "label": label, "values": {str(i): x[i] for i in plan["attributes"]}}))
        self.assertEqual((answer.status, answer.json()["status"]), (200, "learned"), answer.body)

    def test_asked_for_one_by_one_they_are_those_of_pushed_examples(self):
        told, pushed = self.learned(), self.learned()
        source = random.Random(2)
        seen = []
        for _ in range(24):
            x, label = example(source)
            pushed.post("/v1/learn", json.dumps({"label": label, "values": x}))
            plan = self.ask(told)[0]
            seen.append(tuple(plan["attributes"]))
            self.tell(told, plan, x, label)
        self.assertTrue(all(len(set(seen[i:i + 4])) == 1 for i in range(0, 24, 4)), seen)
        self.assertGreater(len(set(seen)), 3)
        self.assertEqual(told.model(), pushed.model())
        self.assertEqual(told.get("/v1/moments").body, pushed.get("/v1/moments").body)

    def test_they_are_answered_in_any_order_and_some_never(self):
        daemon = self.learned()
        plans = self.ask(daemon, count=40)
        self.assertEqual(len({p["id"] for p in plans}), 40)
        self.assertLess(len({tuple(p["attributes"]) for p in plans}), 12)
        source = random.Random(3)
        source.shuffle(plans)
        for plan in plans[:30]:
            self.tell(daemon, plan, *example(source))
        status = daemon.status()
        self.assertEqual((status["examples"], status["plans_open"]), (SHARED_FROM + 30, 10))

    def test_what_is_available_is_asked_for_by_itself(self):
        daemon = self.learned()
        first = self.ask(daemon)[0]["attributes"]
        available = [i for i in range(D) if i not in first]
        among = self.ask(daemon, available=available)[0]["attributes"]
        self.assertLessEqual(set(among), set(available))
        self.assertEqual(self.ask(daemon)[0]["attributes"], first)

    def test_a_kill_amid_a_block_changes_nothing(self):
        arguments = ["--state-directory", self.path("state"), "--checkpoint-every", "1h"]
        whole, killed = self.learned(), self.learned(*arguments)
        source = random.Random(4)
        for count in (1, 1, 1, 2, 5, 7):
            text = lines(source, count)
            for daemon in (whole, killed):
                self.assertEqual(daemon.post("/v1/learn", text).status, 200)
            self.assertEqual(killed.post("/v1/checkpoint").status, 200)
            killed.post("/v1/learn", lines(random.Random(5), 3))  # lost
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            killed = self.start(*MODEL, *arguments)
            self.assertEqual(killed.get("/v1/moments").body, whole.get("/v1/moments").body)
        self.assertEqual(killed.model(), whole.model())
        self.assertEqual([p["attributes"] for p in self.ask(killed, count=20)],
                         [p["attributes"] for p in self.ask(whole, count=20)])


if __name__ == "__main__":
    unittest.main()
