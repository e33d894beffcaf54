"""Brokers that hang, are killed or restart while a fleet starts or is idle, and a topic that is deleted. The log and
/v1/status tell of it, SIGTERM ends an instance, and learning goes on by itself."""

import signal
import time
import unittest

from broker_support import needs_broker
from fleet_support import PATIENCE, SHORT_SILENCE, FleetTestCase, messages
from harness import until

MANY = 64


@needs_broker
class Brokers(FleetTestCase):
    stops_broker = True

    def fill(self, partitions, count, seed=1):
        self.client.produce(self.topic, [(p % partitions, line) for p, line in messages(count, seed)])

    def wait_trouble(self, instance):
        until(lambda: self.fleet(instance)["trouble"], "trouble to be told", PATIENCE)

    def test_a_start_amid_which_the_broker_hangs_is_told_and_ended_by_a_signal(self):
        self.client.create_topic(self.topic, MANY)
        self.fill(MANY, 2000)
        self.broker.freeze()
        try:
            # From nothing; and amid the start, as its first partitions are there.
            first = self.instance("--kafka-property", "socket.timeout.ms=2000")
            until(lambda: "waits for the brokers" in first.stderr, "the log to tell", PATIENCE)
            self.broker.thaw()
            until(lambda: any(each["state"] != "elsewhere" for each in self.fleet(first)["partitions"]), "partitions",
                  PATIENCE)
            self.broker.freeze()
            self.wait_trouble(first)
            self.assertEqual(first.stop(), 0)
        finally:
            self.broker.thaw()
        second = self.instance()
        self.wait_model(second, 2000)
        self.assertEqual(second.stop(), 0)

    def test_a_start_amid_which_the_broker_is_killed_goes_on_when_it_is_back(self):
        self.client.create_topic(self.topic, MANY)
        self.fill(MANY, 2000)
        instance = self.instance()
        until(lambda: self.fleet(instance)["member"], "a member", PATIENCE)
        self.broker.kill()
        try:
            self.wait_trouble(instance)
        finally:
            self.broker.start()
        self.wait_model(instance, 2000)
        until(lambda: self.fleet(instance)["trouble"] is None, "the trouble to end", PATIENCE)
        self.assertEqual(instance.stop(), 0)

    def test_a_fleet_that_has_nothing_to_do_knows_that_the_broker_is_back(self):
        self.client.create_topic(self.topic, 2)
        self.fill(2, 100)
        instance = self.instance()
        self.wait_model(instance, 100)
        self.broker.stop()
        self.wait_trouble(instance)
        self.broker.start()
        until(lambda: self.fleet(instance)["trouble"] is None, "the trouble to end", PATIENCE)
        instance.wait_log("fleet: goes on learning")
        self.assertEqual(instance.stop(), 0)

    def test_a_start_that_stands_still_beyond_the_session_goes_on_from_what_another_instance_learned(self):
        self.client.create_topic(self.topic, 8)
        self.fill(8, 2000)
        for number, wait in enumerate((0.0, 0.1)):
            with self.subTest(wait):
                group = f"{self.group}-{number}"
                first = self.instance(group=group, silence=SHORT_SILENCE)
                until(lambda: self.fleet(first)["assignments"], "partitions to be given", PATIENCE)
                time.sleep(wait)  # where in its start it stands still is of no matter
                first.send_signal(signal.SIGSTOP)
                try:
                    second = self.instance(group=group)
                    self.wait_model(second, 2000)
                finally:
                    first.send_signal(signal.SIGCONT)
                self.wait_model(first, 2000)
                for instance in (first, second):
                    self.assertEqual(instance.stop(), 0)

    def test_a_topic_that_is_deleted_ends_its_fleet_with_a_sentence(self):
        self.client.create_topic(self.topic, 4)
        self.fill(4, 400)
        quick = ("--kafka-property", "topic.metadata.refresh.interval.ms=1000")
        told, ended = self.instance(*quick), self.instance(*quick)
        self.wait_model(told, 400)
        self.wait_here(ended, 2)
        self.client.delete_topic(self.topic)
        self.assertEqual(told.wait(), 1)
        self.assertIn(f"topic '{self.topic}' is not on the brokers at {self.broker.address} any more", told.stderr)
        self.assertEqual(ended.wait(), 1)


if __name__ == "__main__":
    unittest.main()
