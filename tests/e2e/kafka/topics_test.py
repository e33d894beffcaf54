"""Topics of Kafka as inputs, with a real broker: every message is learned once, through kills and restarts."""

import signal
import unittest

import broker_support
import harness
import kafka_support

DIMENSION = 6
LEARNER = ("--dimension", DIMENSION, "--budget", 3, "--seed", 5, "--algorithm", "pairwise", "--clip", "off")
WHOLE = ("--dimension", DIMENSION, "--budget", DIMENSION, "--seed", 5, "--algorithm", "pairwise", "--clip", "off")


def lines(count, seed=1):
    return harness.svmlight(harness.examples(count, DIMENSION, seed)).splitlines()


class ReadsTopics(broker_support.TopicTestCase):
    def sums(self, daemon):
        """What was seen of each attribute: it does not depend on the order of the examples but for rounding."""
        return [attribute[name] for attribute in daemon.get("/v1/moments").json()["moments"]
                for name in ("count", "mean", "second_moment")]

    def read(self, address, *arguments, learner=LEARNER, **keywords):
        return self.start(*learner, "--input", address, "--state-directory", self.path("state"), "--checkpoint-every",
                          "50ms", *arguments, **keywords)

    def piped(self, text):
        """The model of the same lines through a pipe, and the daemon of it."""
        daemon = self.start(*LEARNER, "--input", self.write("lines", text), "--serve")
        daemon.wait_examples(text.count("\n"))
        return daemon.model()

    def source(self, daemon):
        found = [s for s in daemon.status()["sources"] if s["kind"] == "kafka"]
        self.assertEqual(len(found), 1)
        return found[0]


@broker_support.needs_broker
class TopicsTest(ReadsTopics):
    def test_one_partition_gives_the_model_of_a_pipe(self):
        name, address = self.topic()
        made = lines(2000)
        self.client.produce(name, made)
        daemon = self.read(address)
        daemon.wait_examples(2000)
        self.assertEqual(daemon.model(), self.piped("\n".join(made) + "\n"))
        self.client.produce(name, lines(10, seed=2))  # and what comes later
        daemon.wait_examples(2010)
        self.assertEqual(daemon.stop(), 0)

    def test_a_killed_daemon_learns_every_message_of_three_partitions_once(self):
        name, address = self.topic(3)
        made = lines(20000)
        self.client.produce(name, [(i % 3, line) for i, line in enumerate(made)])
        for wanted in (1, 5000, 9000, 14000):
            daemon = self.read(address, "--queue", "16KiB", learner=WHOLE)
            daemon.wait_examples(wanted)
            daemon.kill()
        daemon = self.read(address, learner=WHOLE)
        daemon.wait_examples(20000)
        status = daemon.status()
        self.assertEqual(status["examples"], 20000)
        self.assertEqual(status["parse_errors"], 0)
        self.assertEqual(daemon.stop(), 0)
        # That looked at all attributes, so another example in place of one that is lost would show. (The model depends
        # on the order: how much is believed of the sums is judged by the losses on the way.)
        piped = self.start(*WHOLE, "--input", self.write("lines", "\n".join(made) + "\n"), "--serve")
        piped.wait_examples(20000)
        again = self.read(address, learner=WHOLE)
        for one, other in zip(self.sums(piped), self.sums(again), strict=True):
            self.assertAlmostEqual(one, other, 9)
        again.stop()
        again = self.read(address, learner=WHOLE)
        self.assertEqual(again.status()["examples"], 20000)
        self.client.produce(name, [(2, made[0])])
        again.wait_examples(20001)
        self.assertEqual(again.status()["examples"], 20001)

    def test_after_kills_one_partition_gives_the_bits_of_an_undisturbed_pipe(self):
        name, address = self.topic()
        made = lines(20000)
        self.client.produce(name, made)
        for wanted in (1, 6000, 12000):
            daemon = self.read(address, "--queue", "16KiB")
            daemon.wait_examples(wanted)
            daemon.kill()
        daemon = self.read(address)
        daemon.wait_examples(20000)
        self.assertEqual(daemon.status()["examples"], 20000)
        self.assertEqual(daemon.model(), self.piped("\n".join(made) + "\n"))

    def test_a_message_of_many_lines_is_learned_once_though_a_checkpoint_falls_amid_it(self):
        name, address = self.topic()
        made = lines(30000)
        self.client.produce(name, ["\n".join(made[i:i + 10000]) for i in range(0, 30000, 10000)])
        for wanted in (2000, 12000, 22000):
            daemon = self.read(address, "--checkpoint-examples", 500)
            daemon.wait_examples(wanted)
            daemon.kill()
        daemon = self.read(address)
        daemon.wait_examples(30000)
        self.assertEqual(daemon.status()["examples"], 30000)
        self.assertEqual(daemon.model(), self.piped("\n".join(made) + "\n"))

    def test_tombstones_empty_messages_and_bad_records_are_counted_and_passed_over(self):
        name, address = self.topic()
        good = lines(4)
        self.client.produce(name, [good[0], None, "", "1 99:1", good[1] + "\n" + good[2] + "\n", None, "no number",
                                   good[3]])
        daemon = self.read(address)
        daemon.wait_examples(4)
        source = self.source(daemon)
        self.assertEqual((source["examples"], source["parse_errors"], source["tombstones"]), (4, 2, 2))
        daemon.wait_log(rf"kafka:{name}/0, offset 3: index 99")
        metrics = daemon.get("/metrics").body.decode()
        self.assertIn(f'glimpse_tombstones_total{{source="kafka:{name}"}} 2', metrics)
        self.assertIn(f'glimpse_parse_errors_total{{source="kafka:{name}"}} 2', metrics)
        # And none of it comes again.
        daemon.stop()
        daemon = self.read(address)
        self.client.produce(name, lines(1, seed=9))
        daemon.wait_examples(5)
        self.assertEqual(self.source(daemon)["tombstones"], 0)

    def test_a_message_with_a_line_over_the_limit_is_counted_and_the_next_one_is_learned(self):
        name, address = self.topic(config={"max.message.bytes": "8000000"})
        with kafka_support.Client(self.broker.address, {"message.max.bytes": "8000000"}) as client:
            client.produce(name, [lines(1)[0], "1 1:1 " + "x" * 4_000_000, lines(2)[1]])
        daemon = self.read(address, "--max-line", "64KiB")
        daemon.wait_examples(2)
        self.assertEqual(self.source(daemon)["parse_errors"], 1)
        daemon.wait_log(rf"{name}/0, offset 1: the message has a line of 4000006 bytes, over the limit of 65536 bytes")

    def test_strict_ends_at_the_first_bad_message_and_before_it(self):
        name, address = self.topic()
        good = lines(2)
        self.client.produce(name, [good[0], "no number", good[1]])
        daemon = self.read(address, "--strict", http=None)
        self.assertEqual(daemon.wait(), 1)
        daemon.wait_log(r"offset 1: .*\(--strict\)")
        daemon = self.read(address)
        daemon.wait_examples(2)
        self.assertEqual(self.source(daemon)["parse_errors"], 1)

    def test_every_format_is_read_from_messages(self):
        rows = harness.examples(60, DIMENSION)
        texts = {"svmlight": harness.svmlight, "vw": harness.vw, "csv": harness.csv, "ndjson": harness.ndjson}
        models = {}
        for kind, text in texts.items():
            name, address = self.topic(name=kind)
            self.client.produce(name, text(rows).splitlines())
            models[kind] = self.model_of(address, kind, 60)
        for kind, rendered in (("f32", harness.f32), ("npy", harness.npy)):
            name, address = self.topic(name=kind)
            self.client.produce(name, [rendered(rows[i:i + 20]) for i in range(0, 60, 20)] + [b"abc"])
            models[kind] = self.model_of(address, kind, 60, bad=1)
        self.assertEqual(len(set(models.values())), 1, models)

    def model_of(self, address, kind, examples, bad=0):
        daemon = self.start(*LEARNER, "--format", kind, "--absent", "zero", "--input", address)
        daemon.wait_examples(examples)
        harness.until(lambda: self.source(daemon)["parse_errors"] == bad, f"{kind}: {bad} errors")
        self.assertEqual(daemon.stderr.count("no sample decides how it is read, as its attributes are known"), kind in ("csv", "ndjson"))
        return daemon.get("/v1/model?fresh=true").json()["weights"].__repr__()

    def test_a_header_names_the_columns_of_its_partition_also_after_a_restart(self):
        name, address = self.topic(2)
        rows = harness.examples(40, 4)
        straight = ["y,a,b,c,d"] + [",".join(map(repr, [y, *x])) for y, x in rows[:20]]
        turned = ["d,c,b,a,y"] + [",".join(map(repr, [*reversed(x), y])) for y, x in rows[20:]]
        options = ("--label", "y", "--budget", 3, "--input", address, "--state-directory", self.path("state"))
        self.client.produce(name, straight[:11], 0)
        daemon = self.start(*options)  # the first messages tell the attributes
        daemon.wait_examples(10)
        self.client.produce(name, turned[:11], 1)
        daemon.wait_examples(20)
        self.assertEqual(daemon.stop(), 0)
        self.client.produce(name, straight[11:], 0)
        self.client.produce(name, turned[11:], 1)
        daemon = self.start(*options)
        daemon.wait_examples(40)
        self.assertEqual(daemon.status()["parse_errors"], 0)
        self.assertEqual(daemon.get("/v1/model").json()["names"], ["a", "b", "c", "d"])
        # As one table: the columns of each partition are those of its own header. Weights depend on which partition
        # is read first, means do not.
        table = "y,a,b,c,d\n" + harness.csv(rows)
        piped = self.start("--label", "y", "--budget", 4, "--outliers", "keep", "--input",
                           self.write("table", table), "--serve")
        piped.wait_examples(40)
        whole = self.start("--label", "y", "--budget", 4, "--outliers", "keep", "--input", address)
        whole.wait_examples(40)
        one, other = ({row["name"]: (row["count"], row["mean"]) for row in daemon.get("/v1/moments").json()["moments"]}
                      for daemon in (piped, whole))
        self.assertEqual(sorted(one), ["a", "b", "c", "d"])
        for column, (count, mean) in one.items():
            self.assertEqual(other[column][0], count)
            self.assertAlmostEqual(other[column][1], mean, 9)

    def test_partitions_that_are_added_are_read(self):
        name, address = self.topic()
        self.client.produce(name, lines(5))
        daemon = self.read(address)
        daemon.wait_examples(5)
        daemon.stop()
        self.client.add_partitions(name, 3)
        self.client.produce(name, lines(5, seed=2), partition=2)
        daemon = self.read(address)
        daemon.wait_examples(10)

    def test_fewer_partitions_than_the_checkpoint_has_read_are_refused(self):
        name, address = self.topic(2)
        self.client.produce(name, [(0, lines(1)[0]), (1, lines(1)[0])])
        daemon = self.read(address)
        daemon.wait_examples(2)
        daemon.stop()
        self.client.delete_topic(name)
        self.client.create_topic(name, 1)
        daemon = self.read(address, http=None)
        self.assertEqual(daemon.wait(), 1)
        daemon.wait_text(f"--input {address}: has 1 partitions, and the checkpoint has read 2")

    def test_a_topic_that_was_made_again_is_refused(self):
        name, address = self.topic()
        self.client.produce(name, lines(5))
        daemon = self.read(address)
        daemon.wait_examples(5)
        daemon.stop()
        self.client.delete_topic(name)
        self.client.create_topic(name, 1)
        self.client.produce(name, lines(3))
        daemon = self.read(address, http=None)
        self.assertEqual(daemon.wait(), 1)
        why = "ends at offset 3, and 5 messages of it are learned"
        daemon.wait_text(why)
        # Where it serves, what it answers says so.
        daemon = self.read(address, "--serve")
        harness.until(lambda: daemon.get("/readyz?for=learning").status == 503, "the topic has ended")
        self.assertEqual(daemon.get("/readyz?for=learning").error(), "input_failed")
        self.assertEqual(daemon.get("/readyz").status, 200)
        self.assertIn(why, daemon.get("/readyz").body.decode())
        self.assertIn(why, next(s["failure"] for s in daemon.status()["sources"] if s["kind"] == "kafka"))
        self.assertIn(f'glimpse_input_failed{{source="kafka:{name}"}} 1', daemon.get("/metrics").body.decode())
        self.assertEqual(daemon.stop(), 1)

    def test_what_retention_removed_is_told_and_skipped_where_that_is_wanted(self):
        name, address = self.topic()
        self.client.produce(name, lines(10))
        daemon = self.read(address)
        daemon.wait_examples(10)
        daemon.stop()
        self.client.produce(name, lines(10, seed=2))
        self.client.delete_records(name, 0, 15)
        daemon = self.read(address, http=None)
        self.assertEqual(daemon.wait(), 1)
        daemon.wait_text("the messages from offset 10 to 14 were removed by the topic's retention")
        daemon = self.read(address, "--kafka-lost", "skip")
        daemon.wait_examples(15)
        daemon.wait_text("they are skipped (--kafka-lost skip)")

    def test_messages_with_a_line_over_the_limit_are_counted_apart(self):
        name, address = self.topic()
        good = lines(2)
        self.client.produce(name, [good[0], "1 | " + "0:1 " * 300, "no number", good[1]])
        daemon = self.read(address, "--max-line", "1KiB")
        daemon.wait_examples(2)
        source = self.source(daemon)
        self.assertEqual((source["parse_errors"], source["oversized"], source["tombstones"]), (2, 1, 0))
        daemon.wait_log(rf"kafka:{name}/0, offset 1: the message has a line of \d+ bytes, over the limit of 1024 bytes")
        self.assertIn(f'glimpse_oversized_messages_total{{source="kafka:{name}"}} 1', daemon.get("/metrics").body.decode())

    def test_marks_of_transactions_are_no_lag(self):
        name, address = self.topic()
        daemon = self.read(address)
        for count in (10, 20):
            source = self.write("lines", "\n".join(lines(count)) + "\n")
            sent = harness.subprocess.run([harness.binary("GLIMPSECTL_BIN"), "send", source, "--source", "a", "--to", address],
                                          capture_output=True, text=True, check=False)
            self.assertEqual(sent.returncode, 0, sent.stderr)
            daemon.wait_examples(count)
            end = self.client.range(name, 0)[1]
            harness.until(lambda at=end: self.source(daemon)["partitions"] == [{"offset": at, "end": at, "lag": 0}],
                          "it stands behind the mark")

    def test_a_topic_that_is_not_there_is_refused(self):
        daemon = self.start(*LEARNER, "--input", self.broker.topic_address("nowhere"), http=None)
        self.assertEqual(daemon.wait(), 1)
        daemon.wait_text("topic 'nowhere' is not on the brokers at")

    def test_a_queue_that_is_full_pauses_reading_and_loses_nothing(self):
        name, address = self.topic(2)
        made = lines(5000)
        self.client.produce(name, [(i % 2, line) for i, line in enumerate(made)])
        daemon = self.read(address, "--queue", "1KiB")
        daemon.wait_examples(5000)
        self.assertEqual(daemon.status()["examples"], 5000)
        self.assertLess(daemon.status()["queue_bytes"], 300_000)

    def test_a_client_that_has_fetched_all_it_may_keep_fetches_on_once_that_is_learned(self):
        """400 times. When it looks by itself, that takes longer than a test waits."""
        name, address = self.topic()
        made = lines(1000)
        self.client.produce(name, ["\n".join(made)] * 400)
        daemon = self.read(address, "--kafka-property", "queued.max.messages.kbytes=1", "--kafka-property",
                           "fetch.message.max.bytes=1000")
        daemon.wait_examples(400_000)

    def test_a_topic_is_read_over_tls_with_a_password_that_nobody_sees(self):
        name, _ = self.topic()
        self.client.produce(name, lines(50))
        address = f"kafka://{self.broker.secure_address}/{name}"
        daemon = self.start(*LEARNER, "--input", address, *self.secure_properties("open sesame"))
        daemon.wait_examples(50)
        with open(f"/proc/{daemon.process.pid}/cmdline", "rb") as file:
            self.assertNotIn(b"sesame", file.read())
        daemon.stop()
        self.assertNotIn("sesame", daemon.stderr)
        wrong = self.start(*LEARNER, "--input", address, *self.secure_properties("wrong"))
        wrong.wait_log("learning from it waits")
        self.assertNotIn("'wrong'", wrong.stderr)
        status, line = self.refused(*LEARNER, "--input", address, "--kafka-property", "sasl.password=open sesame")
        self.assertEqual(status, 2)
        self.assertNotIn("sesame", line)
        self.assertIn("sasl.password=@FILE", line)


@broker_support.needs_broker
class OutagesTest(ReadsTopics):
    stops_broker = True

    def test_a_broker_that_is_gone_stops_learning_and_no_query_and_comes_back_by_itself(self):
        name, address = self.topic()
        self.client.produce(name, lines(100))
        daemon = self.read(address)
        daemon.wait_examples(100)
        self.broker.stop()
        daemon.wait_log(rf"kafka:{name}: .*; learning from it waits, and goes on by itself")
        self.assertIsInstance(self.source(daemon)["trouble"], str)
        self.assertIn(f'glimpse_topic_up{{source="kafka:{name}"}} 0', daemon.get("/metrics").body.decode())
        self.assertEqual(daemon.get("/readyz").status, 200)
        self.assertEqual(daemon.post("/v1/predict", b"[[0,0,0,0,0,0]]").status, 200)
        # A daemon that starts meanwhile waits as well, and answers.
        other = self.start(*LEARNER, "--input", address)
        other.wait_log("goes on by itself")
        self.broker.start()
        self.client.produce(name, lines(100, seed=2))
        daemon.wait_examples(200)
        other.wait_examples(200)
        daemon.wait_log("the brokers answer again")
        harness.until(lambda: self.source(daemon)["trouble"] is None, "it is told no longer")
        self.assertEqual(daemon.stderr.count("goes on by itself"), 1)
        self.assertEqual(daemon.status()["examples"], 200)
        self.assertEqual(daemon.model(), other.model())

    def test_a_broker_that_hangs_and_one_that_is_killed_lose_and_double_nothing(self):
        name, address = self.topic(2)
        self.client.produce(name, [(i % 2, line) for i, line in enumerate(lines(3000))])
        daemon = self.read(address, "--queue", "4KiB")
        daemon.wait_examples(100)
        self.broker.freeze()
        try:
            self.assertEqual(daemon.get("/readyz").status, 200)
        finally:
            self.broker.thaw()
        self.broker.restart(signal.SIGKILL)
        self.client.produce(name, [(i % 2, line) for i, line in enumerate(lines(1000, seed=3))])
        daemon.wait_examples(4000)
        self.assertEqual(daemon.status()["examples"], 4000)

    def test_how_far_each_partition_is_learned_from_is_told(self):
        name, address = self.topic(2)
        self.client.produce(name, [(i % 2, line) for i, line in enumerate(lines(30))])
        daemon = self.read(address)
        caught_up = {"offset": 15, "end": 15, "lag": 0}
        harness.until(lambda: self.source(daemon).get("partitions") == [caught_up] * 2, "all is learned")
        self.assertEqual((self.source(daemon)["lag"], self.source(daemon)["trouble"]), (0, None))
        daemon.stop()
        self.client.produce(name, lines(5, seed=2), 1)
        daemon = self.read(address)
        harness.until(lambda: self.source(daemon)["partitions"] == [caught_up, {"offset": 20, "end": 20, "lag": 0}],
                      "it goes on, and what was learned before counts")
        self.broker.freeze()
        try:
            metrics = daemon.get("/metrics").body.decode()
        finally:
            self.broker.thaw()
        self.assertIn(f'glimpse_topic_offset{{source="kafka:{name}",partition="1"}} 20', metrics)
        self.assertIn(f'glimpse_topic_lag_messages{{source="kafka:{name}",partition="1"}} 0', metrics)
        self.assertIn(f'glimpse_topic_up{{source="kafka:{name}"}} 1', metrics)


if __name__ == "__main__":
    unittest.main()
