"""GET /v1/history: how learning went, from the first example to now, through kill -9, freezes and promotions."""

import os
import signal
import time
import unittest

from harness import SMALL, TestCase, examples, ndjson, svmlight, until

FOUR = ("--dimension", 4, "--budget", 3, "--seed", 7, "--algorithm", "pairwise", "--solver", "inline")


def counts(up_to):
    """Counts of examples at which a sample is taken whatever the clock says: eight in each doubling."""
    found, n = [], 0
    while n <= up_to:
        step = max(1, (1 << n.bit_length() >> 1) // 8)
        n = (n // step + 1) * step
        found.append(n)
    return found[:-1]


def history(daemon, query=""):
    answer = daemon.get("/v1/history" + query)
    assert answer.status == 200, answer.body
    return answer.json()


def events(daemon):
    return [(e["event"], e["examples"], e["value"]) for e in history(daemon)["events"]]


class History(TestCase):
    def begin(self, *arguments):
        return self.start(*FOUR, "--state-directory", self.path("state"), *arguments)

    def learn(self, daemon, rows):
        self.assertEqual(daemon.post("/v1/learn", ndjson(rows)).status, 200)

    def test_samples_are_of_fixed_counts_and_of_now(self):
        daemon = self.start(*FOUR, "--hold-out", "5%")
        began = time.time()
        self.learn(daemon, examples(3000))
        status = daemon.status()
        until(lambda: history(daemon)["columns"]["examples"][-1] == status["examples"], "the newest sample is of now")
        told = history(daemon)
        columns = told["columns"]
        self.assertEqual((told["examples"], told["promotions"]), (status["examples"], 0))
        self.assertTrue(began - 60 < told["run"] / 1000 < time.time() + 60)
        self.assertLessEqual(set(counts(status["examples"])), set(columns["examples"]))
        self.assertEqual({len(column) for column in columns.values()}, {told["samples"]})
        self.assertEqual(columns["attributes_there"], [4 * n for n in columns["examples"]])
        self.assertEqual(columns["time"], sorted(columns["time"]))
        self.assertTrue(began - 60 < columns["time"][0] <= columns["time"][-1] < time.time() + 60)
        for name in ("progressive_loss", "recent_loss_error", "r2", "r2_error", "recent_r2", "recent_r2_error", "label_variance",
                     "held_out_loss", "held_out_r2", "held_out_recent_r2_error", "look_ratio", "effective_attributes",
                     "attributes_revealed", "held_out_examples", "phase", "memory_bytes", "cost_spent"):
            self.assertAlmostEqual(columns[name][-1], status[name], delta=1e-6 * abs(status[name]), msg=name)
        switch = [event for event in told["events"] if event["event"] == "phase"]
        if status["phase"] == 2:
            self.assertEqual((switch[-1]["examples"], switch[-1]["value"]), (status["phase_since"], 2))
        self.assertIsNone(columns["held_out_recent_wrong"][-1])

    def test_what_was_told_before_is_left_out(self):
        daemon = self.start(*FOUR)
        self.learn(daemon, examples(200))
        told = history(daemon, "?since=100&columns=examples,recent_loss")
        self.assertEqual(list(told["columns"]), ["examples", "recent_loss"])
        self.assertEqual(told["columns"]["examples"][:3], [104, 112, 120])
        for query, words in (("?since=yesterday", "since='yesterday' must be a whole number"), ("?columns=size", "'size'"),
                             ("?until=3", "no parameter 'until'; there are since, columns and label"), ("?checkpoint=1", "takes no checkpoint")):
            answer = daemon.get("/v1/history" + query)
            self.assertEqual(answer.status, 400, answer.body)
            self.assertIn(words, answer.json()["error"]["message"])
        self.assertEqual(daemon.post("/v1/history").status, 405)

    def test_a_pipe_has_its_counts_as_well_and_a_restart_shows_them(self):
        lines = svmlight(examples(5000)).encode()
        arguments = (*FOUR, "--state-directory", self.path("state"))
        self.run_to_end(*arguments, stdin=lines)
        daemon = self.start(*arguments)
        told = history(daemon)
        self.assertLessEqual(set(counts(5000)), set(told["columns"]["examples"]))
        self.assertEqual(told["columns"]["examples"][-1], 5000)
        self.assertEqual(events(daemon)[-1], ("restart", 5000, None))

    def test_it_is_as_of_the_checkpoint_after_kill_9_and_changes_no_bit_of_what_is_learned(self):
        rows = examples(600)
        daemon = self.begin()
        self.learn(daemon, rows[:300])
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        before = history(daemon, "?columns=examples,time,recent_loss")
        run = history(daemon)["run"]
        self.assertEqual(before["run"], run)
        self.learn(daemon, rows[300:])
        daemon.kill()
        daemon = self.begin()
        after = history(daemon, "?columns=examples,time,recent_loss")
        self.assertEqual(after["columns"]["examples"][:len(before["columns"]["examples"])], before["columns"]["examples"])
        for name, column in before["columns"].items():
            self.assertEqual(after["columns"][name][:len(column)], column)
        self.assertLessEqual(after["columns"]["examples"][-1], 300)
        self.assertIn(("restart", 300, None), events(daemon))
        self.assertGreater(history(daemon)["run"], run)
        self.learn(daemon, rows[300:])
        self.assertLessEqual(set(counts(600)), set(history(daemon)["columns"]["examples"]))
        plain = self.start(*FOUR, "--history", 0)
        self.learn(plain, rows)
        self.assertEqual(plain.get("/v1/model?fresh=true&format=csv").body, daemon.get("/v1/model?fresh=true&format=csv").body)
        self.assertEqual((history(plain)["samples"], history(plain)["events"]), (0, []))

    def test_freezes_and_promotions_are_marked_and_what_a_promotion_takes_back_is_gone(self):
        daemon = self.begin()
        rows = examples(400)
        self.learn(daemon, rows[:150])
        name = daemon.post("/v1/checkpoint").json()["name"]
        self.learn(daemon, rows[150:300])
        daemon.post("/v1/freeze")
        self.learn(daemon, rows[300:])
        daemon.post("/v1/unfreeze")
        self.assertEqual([e for e in events(daemon) if "freeze" in e[0]], [("freeze", 300, None), ("unfreeze", 300, None)])
        self.assertEqual(daemon.post("/v1/promote?checkpoint=" + name).status, 200)
        told = history(daemon)
        self.assertEqual((told["examples"], told["promotions"]), (150, 1))
        self.assertLessEqual(told["columns"]["examples"][-1], 150)
        self.assertEqual(events(daemon)[-1], ("promotion", 150, 300))
        self.learn(daemon, rows[150:300])
        self.assertLessEqual(set(counts(300)), set(history(daemon)["columns"]["examples"]))

    def test_a_change_of_the_stream_is_marked(self):
        daemon = self.start(*FOUR, "--drift", "auto")
        rows = examples(1500)
        self.learn(daemon, rows + [(-3 * y, x) for y, x in rows])
        status = daemon.status()
        self.assertGreater(status["drift_alarms"], 0)
        alarms = [event for event in events(daemon) if event[0] == "drift"]
        self.assertEqual(alarms[-1], ("drift", status["drift_examples"], status["drift_alarms"]))

    def test_a_checkpoint_that_fails_is_marked(self):
        daemon = self.begin()
        self.learn(daemon, examples(20))
        os.rename(self.path("state"), self.path("away"))
        self.write("state", "")
        self.assertNotEqual(daemon.post("/v1/checkpoint").status, 200)
        until(lambda: ("checkpoint_failed", 20, 1) in events(daemon), "the failure is marked")
        os.remove(self.path("state"))
        os.rename(self.path("away"), self.path("state"))
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.wait(), 0)

    def test_it_is_bounded(self):
        daemon = self.start(*FOUR, "--history", 16)
        self.learn(daemon, examples(5000))
        told = history(daemon)["columns"]["examples"]
        self.assertEqual((len(told), told[0]), (16, 1))
        self.assertGreaterEqual(told[-1], 4608)
        self.assertEqual(self.refused(*SMALL, "--history", 5), (2, "glimpsed: --history 5: must be 0, or at least 16"))


if __name__ == "__main__":
    unittest.main()
