"""glimpsectl send --to kafka://…: every record of a source is in the topic once, through kills and restarts."""

import collections
import random
import signal
import struct
import subprocess
import unittest

import broker_support
import harness
from harness import until
from send_support import Sending

DIMENSION = 4
LEARNER = ("--dimension", DIMENSION, "--budget", 3, "--seed", 5, "--clip", "off")
PATIENCE = 60


def text(count, seed=1):
    return harness.svmlight(harness.examples(count, DIMENSION, seed))


class SendingToTopics(Sending, broker_support.TopicTestCase):
    def sent(self, *arguments, to, **keywords):
        """Sends until it ends; (exit status, standard error)."""
        process = self.sending(*arguments, to=to, **keywords)
        _, error = process.communicate(timeout=PATIENCE)
        return process.returncode, error.decode()

    def messages(self, name, partition=0):
        return [value.decode() for _, _, value in self.client.read(name, partition)]

    def records(self, name, partitions=1):
        """All lines of the topic, a partition behind another."""
        return [line for p in range(partitions) for m in self.messages(name, p) for line in m.split("\n")]

    def check_once(self, name, partitions, content):
        """Each line is there once, and in each partition they stand as they were sent."""
        place = {line: number for number, line in enumerate(content.splitlines())}
        self.assertEqual(len(place), content.count("\n"))
        found = [[place[line] for m in self.messages(name, p) for line in m.split("\n")] for p in range(partitions)]
        for of_partition in found:
            self.assertEqual(of_partition, sorted(of_partition))
        self.assertEqual(collections.Counter(n for some in found for n in some), collections.Counter(range(len(place))))

    def numbered(self, count):
        return "".join(f"{n / 1000} 1:{n % 7} 2:{n % 11}\n" for n in range(count))

    def values(self, name):
        return [value for _, _, value in self.client.read(name, 0)]

    def written(self, name, partitions):
        return sum(self.client.range(name, p)[1] for p in range(partitions))


@broker_support.needs_broker
class SendTopicTest(SendingToTopics):
    def test_what_is_sent_is_read_as_it_would_be_from_a_pipe(self):
        name, address = self.topic()
        content = text(3000)
        status, error = self.sent(self.write("lines", content), "--source", "a", to=address)
        self.assertEqual(status, 0, error)
        self.assertEqual(error, "3,000 records of a are durable, 3,000 of them sent now\n")
        self.assertEqual(self.records(name), content.splitlines())
        self.assertLess(max(map(len, self.messages(name))), 16 * 1024 + 1)
        self.assertLess(len(self.messages(name)), 30)
        read = self.start(*LEARNER, "--input", address)
        read.wait_examples(3000)
        piped = self.start(*LEARNER, "--input", self.write("again", content), "--serve")
        piped.wait_examples(3000)
        self.assertEqual(read.model(), piped.model())

    def test_sent_again_it_goes_on_behind_what_is_inside(self):
        name, address = self.topic(3)
        content = self.numbered(5000)
        half = "".join(content.splitlines(keepends=True)[:2000])
        self.assertEqual(self.sent(self.write("half", half), "--source", "a", to=address)[0], 0)
        status, error = self.sent(self.write("whole", content), "--source", "a", to=address)
        self.assertEqual(status, 0, error)
        self.assertIn("2,000 records received before", error)
        self.assertIn("5,000 records of a are durable, 3,000 of them sent now", error)
        self.assertIn("5,000 records of a are durable, 0 of them sent now",
                      self.sent(self.path("whole"), "--source", "a", to=address)[1])
        self.check_once(name, 3, content)
        # Another source counts from its own beginning, and one that has become shorter is refused.
        self.assertIn("2,000 of them sent now", self.sent(self.path("half"), "--source", "b", to=address)[1])
        status, error = self.sent(self.path("half"), "--source", "a", to=address)
        self.assertEqual(status, 1)
        self.assertIn("it has fewer records than the 5000 that were received before", error)

    def test_killed_amid_a_transaction_it_leaves_nothing_of_that_and_goes_on_before_it(self):
        name, address = self.topic()
        content = self.numbered(4000)
        lines = content.splitlines(keepends=True)
        first = self.sending("-", "--source", "a", "--commit-every", "100ms", to=address, stdin=subprocess.PIPE)
        first.stdin.write("".join(lines[:1000]).encode())
        first.stdin.flush()
        until(lambda: len(self.records(name)) == 1000, "the first transaction is committed")
        first.send_signal(signal.SIGKILL)
        first.wait()
        second = self.sending("-", "--source", "a", "--commit-every", "1h", to=address, stdin=subprocess.PIPE)
        second.stdin.write("".join(lines[:3000]).encode())
        second.stdin.flush()
        everything = lambda: sum(m.count(b"\n") + 1 for _, _, m in self.client.read(name, 0, committed=False))
        until(lambda: everything() >= 3000, "2,000 more stand in the topic, in a transaction that is open")
        second.send_signal(signal.SIGKILL)
        second.wait()
        self.assertEqual(len(self.records(name)), 1000)
        status, error = self.sent(self.write("whole", content), "--source", "a", to=address)
        self.assertEqual(status, 0, error)
        self.assertIn("1,000 records received before", error)
        self.check_once(name, 1, content)
        daemon = self.start(*LEARNER, "--input", address)
        daemon.wait_examples(4000)
        self.assertEqual(daemon.status()["examples"], 4000)

    def test_killed_again_and_again_between_transactions_each_record_is_there_once(self):
        name, address = self.topic(4)
        content = self.numbered(20000)
        path = self.write("whole", content)
        chance = random.Random(3)
        ends = [self.client.range(name, p)[1] for p in range(4)]
        for _ in range(6):
            sender = self.sending(path, "--source", "a", "--message-size", "1KiB", "--memory", "16KiB", to=address)
            wanted = sum(ends) + chance.randrange(5, 40)
            until(lambda: sender.poll() is not None or self.written(name, 4) >= wanted, "something is sent")
            sender.kill()
            sender.wait()
            ends = [self.client.range(name, p)[1] for p in range(4)]
        status, error = self.sent(path, "--source", "a", to=address)
        self.assertEqual(status, 0, error)
        self.assertIn("received before", error)
        self.check_once(name, 4, content)

    def test_every_format_is_read_back(self):
        rows = harness.examples(600, DIMENSION)
        models = set()
        for kind, content, more in (
                ("svmlight", harness.svmlight(rows), ()), ("vw", harness.vw(rows), ()), ("csv", harness.csv(rows), ()),
                ("ndjson", harness.ndjson(rows), ()), ("f32", harness.f32(rows), ("--dimension", DIMENSION)),
                ("npy", harness.npy(rows), ())):
            name, address = self.topic(name=kind)
            status, error = self.sent(self.write(kind, content), "--source", kind, "--format", kind, *more,
                                      "--message-size", "1KiB", to=address)
            self.assertEqual(status, 0, error)
            self.assertGreater(len(self.client.read(name, 0)), 5)
            daemon = self.start(*LEARNER, "--format", kind, "--absent", "zero", "--input", address)
            daemon.wait_examples(600)
            self.assertEqual(daemon.status()["parse_errors"], 0)
            models.add(repr(daemon.get("/v1/model?fresh=true").json()["weights"]))
            daemon.stop()
        self.assertEqual(len(models), 1, models)

    def test_arrays_of_numpy_go_on_amid_their_rows(self):
        name, address = self.topic()
        rows = harness.examples(400, DIMENSION)
        part = harness.npy(rows)[:-100 * 4 * (DIMENSION + 1)]
        size = ("--message-size", "1KiB", "--format", "npy")
        status, error = self.sent(self.write("part.npy", part), "--source", "a", *size, to=address)
        self.assertEqual(status, 1, error)  # 300 of its 400 rows are inside
        status, error = self.sent(self.write("all.npy", harness.npy(rows)), "--source", "a", *size, to=address)
        self.assertEqual(status, 0, error)
        self.assertIn("300 records received before", error)
        found = b"".join(value[10 + struct.unpack_from("<H", value, 8)[0]:] for value in self.values(name))
        self.assertEqual(found, harness.f32(rows))

    def test_messages_go_to_partitions_in_turn_or_to_one(self):
        name, address = self.topic(3)
        content = self.numbered(300)
        path = self.write("lines", content)
        self.assertEqual(self.sent(path, "--source", "a", "--message-size", 1, to=address)[0], 0)
        self.assertEqual([len(self.messages(name, p)) for p in range(3)], [100] * 3)
        self.assertEqual(self.messages(name, 1), content.splitlines()[1::3])
        self.assertEqual(self.sent(path, "--source", "b", "--message-size", 1, "--partition", 2, to=address)[0], 0)
        self.assertEqual([len(self.messages(name, p)) for p in range(3)], [100, 100, 400])
        status, error = self.sent(path, "--source", "c", "--partition", 3, to=address)
        self.assertEqual(status, 1)
        self.assertIn(f"--partition '3': topic '{name}' has partitions 0 to 2", error)

    def test_a_header_is_refused_where_it_would_name_the_columns_of_one_partition_alone(self):
        _, address = self.topic(2)
        path = self.write("table", harness.csv(harness.examples(50, DIMENSION), header=True))
        status, error = self.sent(path, "--source", "a", to=address)
        self.assertEqual(status, 1)
        self.assertRegex(error, "its first line names columns, which holds for one partition alone, .* --partition N")
        self.assertEqual(self.sent(path, "--source", "a", "--partition", 1, to=address)[0], 0)
        daemon = self.start("--label", "y", "--budget", 2, "--input", address)
        daemon.wait_examples(50)
        self.assertEqual(daemon.status()["parse_errors"], 0)

    def test_of_two_that_send_a_source_the_younger_is_heard(self):
        name, address = self.topic()
        content = self.numbered(1000)
        older = self.sending("-", "--source", "a", "--commit-every", "20ms", to=address, stdin=subprocess.PIPE)
        older.stdin.write(b"".join(line.encode() for line in content.splitlines(keepends=True)[:10]))
        older.stdin.flush()
        until(lambda: len(self.records(name)) == 10, "the older has sent")
        self.assertEqual(self.sent(self.write("whole", content), "--source", "a", to=address)[0], 0)
        _, error = older.communicate("1 1:1\n".encode(), timeout=PATIENCE)
        self.assertEqual(older.returncode, 1, error)
        self.assertIn("another writer of source 'a' has begun", error.decode())
        self.check_once(name, 1, content)

    def test_records_that_the_topic_does_not_take_and_rows_that_are_cut_off_are_told(self):
        name, address = self.topic(config={"max.message.bytes": "2000"})
        path = self.write("long", "1 1:1\n1 1:1 " + "x" * 5000 + "\n")
        status, error = self.sent(path, "--source", "a", to=address)
        self.assertEqual(status, 1)
        self.assertIn("raise max.message.bytes of the topic", error)
        self.assertEqual(self.messages(name), [])
        rows = self.write("rows", harness.f32(harness.examples(10, 2)) + b"abc")
        status, error = self.sent(rows, "--source", "b", "--format", "f32", "--dimension", 2, to=address)
        self.assertEqual(status, 1)
        self.assertIn("the input ends amid record 11, after 3 bytes of it", error)
        self.assertEqual(b"".join(self.values(name)), harness.f32(harness.examples(10, 2)))

    def test_what_is_not_there_is_told(self):
        path = self.write("lines", text(1))
        status, error = self.sent(path, "--source", "a", to=self.broker.topic_address("nowhere"))
        self.assertEqual(status, 1)
        self.assertIn("topic 'nowhere' is not on the brokers at", error)
        nobody = f"kafka://127.0.0.1:{broker_support.free_ports(1)[0]}/t"
        status, error = self.sent(path, "--source", "a", "--timeout", "500ms", "--wait", "1s", to=nobody)
        self.assertEqual(status, 3)
        self.assertRegex(error, r"topic 't' of the brokers at 127.0.0.1:\d+: .*; given up after 1 s \(--wait\)")
        for arguments, mend in (
                ((), "is 1 to 249 letters"), (("--kafka-property", "no.such=1"), "is no property of librdkafka"),
                (("--kafka-property", "acks=0"), "is set by glimpse"), (("--partition", "-1"), "must be a whole number")):
            to = self.broker.topic_address("nowhere") if arguments else "kafka://h:1/a/b"
            status, error = self.sent(path, "--source", "a", *arguments, to=to)
            self.assertEqual(status, 2, error)
            self.assertIn(mend, error)

    def test_a_topic_is_written_over_tls_with_a_password_that_nobody_sees(self):
        name, _ = self.topic()
        path = self.write("lines", text(50))
        address = f"kafka://{self.broker.secure_address}/{name}"
        status, error = self.sent(path, "--source", "a", *self.secure_properties("open sesame"), to=address)
        self.assertEqual(status, 0, error)
        self.assertNotIn("sesame", error)
        self.assertEqual(b"".join(value + b"\n" for value in self.values(name)).decode(), text(50))
        status, error = self.sent(path, "--source", "b", *self.secure_properties("wrong"), to=address)
        self.assertEqual(status, 1)
        self.assertIn("Authentication failed", error)


@broker_support.needs_broker
class OutageTest(SendingToTopics):
    stops_broker = True

    def test_a_broker_that_restarts_is_come_back_to(self):
        name, address = self.topic(2)
        content = self.numbered(3000)
        lines = content.splitlines(keepends=True)
        sender = self.sending("-", "--source", "a", "--commit-every", "50ms", "--timeout", "3s", to=address,
                           stdin=subprocess.PIPE)
        sender.stdin.write("".join(lines[:1000]).encode())
        sender.stdin.flush()
        until(lambda: len(self.records(name, 2)) == 1000, "1,000 are there")
        self.broker.restart(signal.SIGKILL)
        sender.stdin.write("".join(lines[1000:]).encode())
        _, error = sender.communicate(timeout=2 * PATIENCE)
        self.assertEqual(sender.returncode, 0, error)
        self.check_once(name, 2, content)


if __name__ == "__main__":
    unittest.main()
