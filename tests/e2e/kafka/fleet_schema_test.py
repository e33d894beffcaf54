"""A fleet decides once how tables are read: the first decision in the topic of states holds for every partition."""

import json
import random
import re
import threading
import unittest

from broker_support import needs_broker
from fleet_support import PATIENCE, FleetTestCase, settled, write_state
from harness import until

PARTITIONS = 16
ROWS = 60  # of a partition
COLUMNS = {"dimension": 3, "format": "csv"}


def rows(seed=1):
    """(partition, row): a label, numbers, numbers with a unit, words. The first rows of partitions differ: an odd cell, no
    unit, a word that looks like a number, and what all others look like."""
    chance = random.Random(seed)
    for n in range(ROWS * PARTITIONS):
        partition, first = n % PARTITIONS, n < PARTITIONS
        a, b, town = chance.randrange(100), chance.randrange(100), chance.choice(("north", "south"))
        yield partition, ",".join((str(2 * a - b), "k.A." if first and partition % 4 == 0 else str(a),
                                   f"{b}" if first and partition % 4 == 1 else f"{b} kg",
                                   "7" if first and partition % 4 == 2 else town))


@needs_broker
class FleetSchema(FleetTestCase):
    def setUp(self):
        super().setUp()
        self.states = f"{self.group}-states"

    def decisions(self, topic=None):
        """Their texts, the first one first."""
        return [value.decode() for _, key, value in self.client.read(topic or self.states, 0) if key and key.startswith(b"schema/")]

    def ways_to_read(self, topic=None):
        """How the states of partitions say that these are read, each once; and how many partitions have states."""
        found, partitions = set(), 0
        for partition in range(PARTITIONS):
            said = [re.search(rb"read-format=.*?columns-from", value, re.S) for _, key, value in self.client.read(topic or self.states, partition)
                    if key and re.fullmatch(rb"\d+/\d+/\d+", key)]
            partitions += any(said)
            found |= {each.group() for each in said if each}
        return found, partitions

    def test_sixteen_partitions_whose_first_records_differ_are_read_alike(self):
        self.client.create_topic(self.topic, PARTITIONS)
        self.client.produce(self.topic, list(rows()))
        members = []
        starts = [threading.Thread(target=lambda: members.append(self.instance(**COLUMNS))) for _ in range(3)]
        for start in starts:
            start.start()
        for start in starts:
            start.join()
        self.assertEqual(len(members), 3)
        for member in members:
            self.wait_model(member, ROWS * PARTITIONS)
        self.assertEqual(len({json.dumps(settled(member.model()), sort_keys=True) for member in members}), 1)
        ways, partitions = self.ways_to_read()
        self.assertEqual((len(ways), partitions), (1, PARTITIONS))
        self.assertIn(b"column=number\tplain\t\0column=number\tplain\t\0column=number\tplain\tkg\0column=words", ways.pop())
        decisions = self.decisions()
        self.assertGreaterEqual(len(decisions), 1)
        for member in members:
            self.assertEqual(self.fleet(member)["refused_records"], 0)
            self.assertEqual(member.stderr.count("the topic of states says how all partitions are read"), 1)
        # A kill, and an instance that comes later, change nothing; nor does another reader of it all.
        members[0].kill()
        self.client.produce(self.topic, list(rows(2)))
        late, alone = self.instance(**COLUMNS), self.instance(**COLUMNS, group="alone-" + self.group)
        for member in (late, alone, *members[1:]):
            self.wait_model(member, 2 * ROWS * PARTITIONS)
        self.assertEqual(settled(late.model()), settled(alone.model()))
        self.assertEqual(self.decisions(), decisions)
        self.assertEqual(self.ways_to_read()[0], self.ways_to_read(f"alone-{self.group}-states")[0])

    def test_objects_of_sixteen_partitions_whose_first_values_differ_are_read_alike(self):
        self.client.create_topic(self.topic, PARTITIONS)
        cell = lambda text: float(text) if text.lstrip("-").isdigit() else text
        objects = [(partition, json.dumps(dict(zip(("y", "a", "b", "town"), map(cell, row.split(",")))))) for partition, row in rows()]
        self.client.produce(self.topic, objects)
        for format in ("ndjson", "auto"):
            with self.subTest(format):
                group = f"{self.group}-{format}"
                members = [self.instance("--label", "y", dimension=3, format=format, group=group) for _ in range(2)]
                for member in members:
                    self.wait_model(member, ROWS * PARTITIONS)
                self.assertEqual(settled(members[0].model()), settled(members[1].model()))
                ways, partitions = self.ways_to_read(f"{group}-states")
                self.assertEqual((len(ways), partitions), (1, PARTITIONS))
                self.assertIn(b"column=number\tplain\t\0column=number\tplain\tkg\0column=words", ways.pop())
                for member in members:
                    self.assertEqual(self.fleet(member)["refused_records"], 0)
                    self.assertEqual(member.stderr.count("the topic of states says how all partitions are read: ndjson"), 1)

    def test_the_first_of_several_decisions_holds(self):
        self.client.create_topic(self.topic, PARTITIONS)
        self.client.create_topic(self.states, PARTITIONS, {"cleanup.policy": "compact"})
        columns = lambda kind: ",".join(json.dumps({"use": use, "type": each}) for use, each in
                                        (("label", "number"), ("attribute", kind), ("attribute", "words"), ("attribute", "words")))
        text = lambda kind: f'{{"format": "csv", "width": 4, "columns": [{columns(kind)}]}}'.encode()
        write_state(self.client, self.states, 0, "schema/b", (1, 0, 0, 0, 1), text("words"))
        write_state(self.client, self.states, 0, "schema/a", (1, 0, 0, 0, 1), text("number"))
        self.client.produce(self.topic, list(rows()))
        members = [self.instance(**COLUMNS) for _ in range(2)]
        for member in members:
            self.wait_model(member, ROWS * PARTITIONS)
        ways, partitions = self.ways_to_read()
        self.assertEqual((len(ways), partitions), (1, PARTITIONS))
        self.assertIn(b"column=number\tplain\t\0column=words\tplain\t\0column=words", ways.pop())
        self.assertEqual(len(self.decisions()), 2)
        self.assertNotIn("which was left out", members[0].stderr)

    def test_what_waits_for_messages_decides_by_those_that_come(self):
        self.client.create_topic(self.topic, PARTITIONS)
        first = self.instance(**COLUMNS)
        self.assertEqual(self.decisions(), [])
        self.client.produce(self.topic, list(rows()))
        self.wait_model(first, ROWS * PARTITIONS)
        self.assertEqual((len(self.decisions()), self.ways_to_read()[1]), (1, PARTITIONS))
        self.assertEqual(first.stop(), 0)

    def test_who_asks_for_a_plan_ends_the_sample_and_what_is_no_table_has_no_decision(self):
        self.client.create_topic(self.topic, PARTITIONS)
        first = self.instance(**COLUMNS)
        until(lambda: first.post("/v1/ask").status == 200, "a plan", PATIENCE)
        self.assertEqual(self.decisions(), [""])
        self.assertEqual(first.stop(), 0)
        topic, group = self.topic + "-lines", self.group + "-lines"
        self.client.create_topic(topic, PARTITIONS)
        self.client.produce(topic, [(n % PARTITIONS, f"{n} 1:{n} 2:{n % 3} 3:1") for n in range(64)])
        other = self.instance(topic=topic, group=group, dimension=3, format="auto")
        self.wait_model(other, 64)
        self.assertEqual(self.decisions(f"{group}-states"), [""])

    def test_a_single_instance_writes_the_file_from_a_topic_and_reads_its_partitions_by_it(self):
        self.client.create_topic(self.topic, PARTITIONS)
        self.client.produce(self.topic, list(rows()))
        file = self.path("topic.json")
        options = ("--input", self.broker.topic_address(self.topic), "--budget", 2, "--serve", "--schema", file)
        daemon = self.start(*options)
        until(lambda: daemon.status()["examples"] == ROWS * PARTITIONS, "all examples", PATIENCE)
        self.assertEqual(daemon.status()["parse_errors"], 0)
        with open(file, encoding="utf-8") as written:
            schema = json.load(written)
        self.assertEqual([column["unit"] for column in schema["columns"]], ["", "", "kg", ""])
        schema["columns"][2]["use"] = "ignored"
        self.write("topic.json", json.dumps(schema))
        other = self.start(*options)
        until(lambda: other.status()["examples"] == ROWS * PARTITIONS, "all examples", PATIENCE)
        self.assertEqual((daemon.status()["dimension"], other.status()["dimension"]), (3, 2))

    def test_a_schema_file_decides_for_all_and_another_one_is_refused(self):
        self.client.create_topic(self.topic, PARTITIONS)
        self.client.produce(self.topic, list(rows()))
        columns = [{"name": name, "use": use, "type": kind, "unit": unit} for name, use, kind, unit in
                   (("y", "label", "number", ""), ("a", "attribute", "words", ""), ("b", "attribute", "number", "kg"), ("town", "attribute", "words", ""))]
        file = self.write("one.json", json.dumps({"format": "csv", "width": 4, "columns": columns}))
        member = self.instance("--schema", file, **COLUMNS)
        self.wait_model(member, ROWS * PARTITIONS)
        self.assertEqual(self.decisions(), [])
        ways, partitions = self.ways_to_read()
        self.assertEqual((len(ways), partitions), (1, PARTITIONS))
        self.assertIn(b"column=number\tplain\t\0column=words\tplain\t\0column=number\tplain\tkg\0", ways.pop())
        columns[1]["type"] = "number"
        other = self.instance("--schema", self.write("two.json", json.dumps({"format": "csv", "width": 4, "columns": columns})), **COLUMNS)
        self.assertEqual(other.wait(), 1)
        self.assertIn("was learned with schema=xxh3:", other.stderr)


if __name__ == "__main__":
    unittest.main()
