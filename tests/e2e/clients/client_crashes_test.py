"""tools/python/glimpsed/client and a daemon that is killed or away: what survives, and what may be told again."""

import threading
import time
import unittest
from unittest import mock

from client_support import ClientTestCase
from glimpsed.client import Tell, Unavailable
from harness import SMALL, until


class Crashes(ClientTestCase):
    """kill -9 between asking and telling."""

    def setUp(self):
        super().setUp()
        self.url = "unix:" + self.path("http.sock")

    def begin(self):
        return self.start(*SMALL, "--state-directory", self.path("state"), "--http", self.url, http=None)

    def test_a_plan_of_the_last_checkpoint_survives_and_the_client_waits_for_the_daemon(self):
        daemon = self.begin()
        client = self.client(self.url, retries=200)
        plans = client.ask(3)
        self.assertEqual(client.checkpoint()["examples"], 0)
        lost = client.ask()[0]
        daemon.kill()
        self.assertFalse(client.ready())
        told = []
        teller = threading.Thread(target=lambda: told.append(client.tell(plans[0], 1, [0.5, 0.5, 0.5])))
        # It is away while the telling begins: the first attempts fail for certain.
        with mock.patch.object(time, "sleep", side_effect=time.sleep) as slept:
            teller.start()
            until(lambda: slept.call_count >= 2, "telling was tried twice")
            self.begin()
            teller.join()
        self.assertEqual([answer.status for answer in told], ["learned"])
        answers = client.tell_many(Tell(plan, 1, [0.5, 0.5, 0.5]) for plan in (*plans, lost))
        self.assertEqual([answer.status for answer in answers], ["duplicate", "learned", "learned", "unknown"])
        self.assertEqual(client.status()["examples"], 3)
        self.assertNotIn(client.ask()[0].id, [plan.id for plan in (*plans, lost)])

    def test_what_was_told_after_the_last_checkpoint_may_be_told_again(self):
        daemon = self.begin()
        client = self.client(self.url, retries=200)
        plan = client.ask()[0]
        client.checkpoint()
        self.assertEqual(client.tell(plan, 1, [0.5, 0.5, 0.5]).status, "learned")
        daemon.kill()
        self.begin()
        self.assertEqual([open_plan.id for open_plan in client.plans()], [plan.id])
        self.assertEqual(client.tell(plan, 1, [0.5, 0.5, 0.5]).status, "learned")
        client.checkpoint()
        self.assertEqual(client.tell(plan, 1, [0.5, 0.5, 0.5]).status, "duplicate")

    def test_what_is_durable_survives(self):
        daemon = self.begin()
        client = self.client(self.url, retries=200)
        plans = client.ask(4, durable=True)
        daemon.kill()
        daemon = self.begin()
        client.tell(plans[0], 1, [0.5, 0.5, 0.5], durable=True)
        client.tell_many([Tell(plan, 1, [0.5, 0.5, 0.5]) for plan in plans[1:3]], durable=True)
        daemon.kill()
        self.begin()
        self.assertEqual([plan.id for plan in client.plans()], [plans[3].id])
        self.assertEqual(client.status()["examples"], 3)

    def test_asking_a_daemon_that_is_away_ends(self):
        client = self.client("unix:" + self.path("nowhere.sock"), retries=2)
        with mock.patch.object(time, "sleep") as slept, self.assertRaises(Unavailable) as caught:
            client.ask()
        self.assertEqual(slept.call_count, 2)
        self.assertEqual((caught.exception.status, caught.exception.code, caught.exception.sent),
                         (0, "no_answer", False))
        self.assertIn("nowhere.sock", str(caught.exception))


if __name__ == "__main__":
    unittest.main(verbosity=2)
