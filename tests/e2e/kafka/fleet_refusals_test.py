"""What a fleet cannot read, fold or go on from: counted, left out or refused, and never forgotten in silence."""

import json
import unittest

from broker_support import needs_broker
from fleet_support import DIMENSION, PATIENCE, FleetTestCase, messages, settled, write_state
from harness import until

NAMES = "abcd"


def row(number, names=NAMES):
    return json.dumps({"label": number % 7, "values": {name: (number * (i + 3)) % 11 for i, name in enumerate(names)}})


def csv(number):
    return ",".join(str((number * (i + 3)) % 11) for i in range(5))


@needs_broker
class Refusals(FleetTestCase):
    def partition(self, instance, number):
        return self.fleet(instance)["partitions"][number]

    def wait_read(self, instance, end, partition=0):
        until(lambda: self.partition(instance, partition)["committed_offset"] == end, f"{end} messages in the state",
              PATIENCE)

    def test_a_takeover_reads_on_as_the_owner_before_did_and_what_is_refused_is_counted(self):
        self.client.create_topic(self.topic, 1)
        rows = [csv(number) for number in range(40)]
        self.client.produce(self.topic, [(0, line) for line in rows[:20]])
        first = self.instance(format="auto", dimension=4)
        self.wait_model(first, 20)
        self.assertEqual(first.stop(), 0)
        self.client.produce(self.topic, [(0, line) for line in ["hello world", *rows[20:]]])
        second = self.instance(format="auto", dimension=4)
        self.wait_model(second, 40)
        self.wait_read(second, 41)
        self.assertEqual(self.partition(second, 0)["refused_records"], 1)
        self.assertEqual(self.fleet(second)["refused_records"], 1)
        self.assertIn('glimpse_fleet_refused_records_total{partition="0"} 1\n', second.get("/metrics").body.decode())
        self.assertIn(f"kafka:{self.topic}/0, offset 20: ", second.stderr)
        whole = self.instance(format="auto", dimension=4, group="whole-" + self.group)
        self.wait_model(whole, 40)
        self.assertEqual(settled(second.model()), settled(whole.model()))

    def beside_others(self, trouble, poison):
        """(topic, instance) where partition 0 of three begins with a row that is not as the 40 of the others."""
        topic = f"{self.topic}-{trouble.replace(' ', '-')}"
        self.client.create_topic(topic, 3)
        self.client.produce(topic, [(0, poison), *((1 + n % 2, row(n)) for n in range(40))])
        instance = self.instance(topic=topic, group="g-" + topic, format="ndjson", dimension=4)
        self.wait_model(instance, 40)
        return topic, instance

    def test_words_where_the_sample_of_all_partitions_has_numbers_are_missing_or_refused(self):
        for trouble, poison, refused in (("words for numbers", json.dumps({"label": 1, "values": dict.fromkeys(NAMES, "unknown")}), 0),
                                         ("a label that is a word", json.dumps({"label": "unknown", "values": {"a": 1}}), 1)):
            with self.subTest(trouble):
                _, instance = self.beside_others(trouble, poison)
                self.wait_read(instance, 1)
                self.assertEqual(self.fleet(instance)["model"]["left_out"], 0)
                self.assertEqual(self.partition(instance, 0)["refused_records"], refused)
                self.assertEqual(instance.stop(), 0)

    def test_a_partition_that_does_not_fit_is_left_out_and_the_model_of_the_others_goes_on(self):
        topic, instance = self.beside_others("a name too many", row(1, "abcx"))
        until(lambda: self.fleet(instance)["model"]["left_out"] == 1, "one is left out", PATIENCE)
        self.assertTrue(self.partition(instance, 0)["model_trouble"])
        self.client.produce(topic, [(1 + n % 2, row(n)) for n in range(40, 60)])
        self.wait_model(instance, 60)
        self.assertIsNone(self.fleet(instance)["model"]["error"])
        self.assertIn("glimpse_fleet_model_left_out 1\n", instance.get("/metrics").body.decode())
        self.assertEqual(instance.stderr.count("partition 0 is left out of the merged model"), 1)
        self.assertEqual(instance.stop(), 0)

    def test_an_instance_that_would_learn_otherwise_is_refused_with_both_values(self):
        self.client.create_topic(self.topic, 1)
        self.client.produce(self.topic, [(0, line) for _, line in messages(100)])
        instance = self.instance()
        self.wait_model(instance, 100)
        self.assertEqual(instance.stop(), 0)
        for option, before, now in ((("--hold-out", "50%"), "hold-out=0", "hold-out=0.5"),
                                    (("--seed", "2"), "seed=1", "seed=2"),
                                    (("--max-importance", "2"), "max-importance=none", "max-importance=2")):
            with self.subTest(option):
                other = self.instance(*option, ready=False)
                self.assertEqual(other.wait(), 1)
                self.assertIn(f"was learned with {before}, and this instance has {now}", other.stderr)
        same = self.instance("--clip", "off")
        self.wait_model(same, 100)
        self.assertEqual(same.stop(), 0)

    def test_states_that_were_deleted_are_missed(self):
        self.client.create_topic(self.topic, 1)
        self.client.produce(self.topic, [(0, line) for _, line in messages(100)])
        instance = self.instance()
        self.wait_model(instance, 100)
        self.assertEqual(instance.stop(), 0)
        self.client.delete_topic(f"{self.group}-states")
        with self.subTest("at a start"):
            other = self.instance(ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertIn("has learned it up to offset 100: its states were deleted", other.stderr)
        with self.subTest("by the policy of their topic"):
            self.client.create_topic(f"kept-{self.group}-states", 1, {"cleanup.policy": "delete"})
            other = self.instance(group="kept-" + self.group, ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertIn(f"'kept-{self.group}-states' has cleanup.policy=delete", other.stderr)

    def test_a_damaged_state_is_named_and_the_one_before_it_is_used(self):
        self.client.create_topic(self.topic, 1)
        self.client.produce(self.topic, [(0, line) for _, line in messages(500)])
        first = self.instance()
        self.wait_model(first, 500)
        self.client.produce(self.topic, [(0, line) for _, line in messages(500, 2)])
        self.wait_model(first, 1000)
        model = settled(first.model())
        self.assertEqual(first.stop(), 0)
        write_state(self.client, f"{self.group}-states", 0, "0/0/0", (1_000_000, 1001, 5, 12345, 1), b"wrong")
        second = self.instance()
        second.wait_log(rf"topic of states '{self.group}-states': state 1000000 of partition 0.*the state before it is used")
        self.wait_model(second, 1000)
        self.assertEqual(settled(second.model()), model)

    def test_what_cannot_go_on_is_refused_with_a_sentence(self):
        self.client.create_topic(self.topic, 2)
        self.client.produce(self.topic, [(p % 2, line) for p, line in messages(100)])
        instance = self.instance()
        self.wait_model(instance, 100)
        self.assertEqual(instance.stop(), 0)
        with self.subTest("other options than the states'"):
            other = self.instance(dimension=DIMENSION - 1, ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertRegex(other.stderr, r"the fleet cannot go on: partition \d: .*dimension=8")
        with self.subTest("another number of partitions"):
            self.client.add_partitions(self.topic, 3)
            other = self.instance(ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertIn(f"'{self.group}-states' has 2 partitions, and the input has 3", other.stderr)
        with self.subTest("partitions that are added while it runs"):
            topic = "grows-" + self.topic
            self.client.create_topic(topic, 2)
            self.client.produce(topic, [(p % 2, line) for p, line in messages(100)])
            instance = self.instance("--kafka-property", "topic.metadata.refresh.interval.ms=1000", group="grows-" + self.group,
                                     topic=topic)
            self.wait_model(instance, 100)
            self.client.add_partitions(topic, 4)
            self.assertEqual(instance.wait(), 1)
            self.assertIn(f"partitions were added to topic '{topic}': the states are of 2", instance.stderr)
        with self.subTest("messages that were deleted before they were learned"):
            topic = "other-" + self.topic
            self.client.create_topic(topic, 1)
            self.client.produce(topic, [(0, line) for _, line in messages(100)])
            instance = self.instance(group="other-" + self.group, topic=topic)
            self.wait_model(instance, 100)
            self.assertEqual(instance.stop(), 0)
            self.client.produce(topic, [(0, line) for _, line in messages(100, 2)])
            self.client.delete_records(topic, 0, 150)
            other = self.instance(group="other-" + self.group, topic=topic, ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertIn("partition 0 does not have the message that is to be learned next", other.stderr)
        with self.subTest("a state of a later build"):
            topic = "later-" + self.topic
            self.client.create_topic(topic, 1)
            self.client.produce(topic, [(0, line) for _, line in messages(100)])
            instance = self.instance(group="later-" + self.group, topic=topic)
            self.wait_model(instance, 100)
            self.assertEqual(instance.stop(), 0)
            write_state(self.client, f"later-{self.group}-states", 0, "0/0/0", (1_000_000, 101, 5, 12345, 1), b"later", form=9)
            other = self.instance(group="later-" + self.group, topic=topic, ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertIn("the state is of form 9, which a later build writes", other.stderr)
        with self.subTest("no such topic"):
            other = self.instance(topic="nowhere", ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertIn("topic 'nowhere' is not on the brokers", other.stderr)

    def test_strict_has_no_place_in_a_fleet(self):
        other = self.instance("--strict", ready=False)
        self.assertEqual(other.wait(), 2)
        self.assertIn("has no --strict", other.stderr)


if __name__ == "__main__":
    unittest.main()
