"""Named sources on stream doors and standard input: every record is learned exactly once, whatever is killed."""

import os
import random
import resource
import signal
import subprocess
import threading
import time
import unittest

from harness import SMALL, csv, examples, f32, ndjson, npy, svmlight, unlabelled, until, vw
from source_support import SourceClient, SourceTestCase


class Sources(SourceTestCase):
    def test_resume_and_durable_are_told_and_never_go_back(self):
        daemon = self.begin()
        lines = svmlight(examples(300)).splitlines(True)
        with SourceClient(self.door, "a") as client:
            self.assertEqual(client.inside, 0)
            client.send("".join(lines[:100]))
            daemon.wait_examples(100)
            daemon.post("/v1/checkpoint")
            self.assertEqual(client.line(), "durable 100\n")
            daemon.post("/v1/checkpoint")  # holds no more, so nothing is told
            client.send("".join(lines[100:150]))
            daemon.wait_examples(150)
        with SourceClient(self.door, "a") as client:
            self.assertEqual(client.inside, 150)
            self.assertEqual(client.number("durable"), 100)
            client.send("".join(lines[150:]))
            # The end asks for a checkpoint, and waits for it; the end of the first connection did as well.
            self.assertIn(client.finish(), ("durable 300\n", "durable 150\ndurable 300\n"))
        daemon.kill()
        daemon = self.begin()
        with SourceClient(self.door, "a") as client:
            self.assertEqual((client.inside, client.number("durable")), (300, 300))
            self.assertEqual(client.finish(), "")
        self.assertEqual(self.answers(daemon), self.straight("".join(lines)))

    def records(self, content, row_bytes=0, header=0):
        """The records of a source, as a client would count them."""
        content = content if isinstance(content, bytes) else content.encode()
        if not row_bytes:
            return content.splitlines(True)
        rows = [content[i:i + row_bytes] for i in range(header, len(content), row_bytes)]
        return [content[:header], *rows] if header else rows

    def test_kill_9_at_random_points_in_every_format(self):
        rows = examples(3000)
        bare = svmlight(rows[:2]) + "1\n" * 1000 + svmlight(rows)
        chance = random.Random(1)
        mixed = "".join(vw([row]) + (unlabelled(row[1]) if chance.random() < .1 else "") +
                        ("bad line\n" if chance.random() < .05 else "")
                        for row in rows)
        npy_bytes = npy(rows)
        for name, records, arguments in (
                ("svmlight", self.records(svmlight(rows)), ()), ("svmlight with bare labels", self.records(bare), ()),
                ("vw with predictions and bad lines", self.records(mixed), ()), ("csv", self.records(csv(rows)), ()),
                ("csv with header", self.records(csv(rows, header=True)), ()),
                ("ndjson", self.records(ndjson(rows)), ()),
                ("f32", self.records(f32(rows), 20), ("--format", "f32")),
                ("npy", self.records(npy_bytes, 20, len(npy_bytes) - 20 * len(rows)), ("--format", "npy"))):
            with self.subTest(name):
                self.state = self.path("state of " + name)
                daemon = self.begin(*arguments)
                inside = 0
                for turn in range(4):
                    client = SourceClient(self.door, "a", " from=0" if turn == 2 else "")
                    self.assertGreaterEqual(client.inside, inside)
                    inside = client.inside
                    begin = 0 if turn == 2 else inside
                    end = chance.randrange(inside, len(records)) if turn < 3 else len(records)
                    client.send(b"".join(records[begin:end]))
                    if turn == 3:
                        self.assertIn(f"durable {len(records)}\n", client.finish())
                        break
                    if end > inside:
                        middle = chance.randrange(inside, end)
                        until(lambda: daemon.status()["examples"] >= middle * .8 - 1200, "a part is learned")
                    if turn > 0:
                        daemon.post("/v1/checkpoint")
                    daemon.kill()
                    client.close()
                    daemon = self.begin(*arguments)
                self.assertEqual(self.answers(daemon), self.straight(b"".join(records), *arguments))
                daemon.kill()

    def test_a_second_connection_takes_the_source_over(self):
        daemon = self.begin("--queue", "64KiB")
        lines = svmlight(examples(40000)).splitlines(True)
        content = "".join(lines)
        old = SourceClient(self.door, "a")
        sender = threading.Thread(target=self.send_until_closed, args=(old, content))
        sender.start()
        daemon.wait_examples(500)
        inside = 0
        for _ in range(10):  # each amid what the one before sends
            client = SourceClient(self.door, "a")
            self.assertGreaterEqual(client.inside, inside)
            inside = client.inside
            last = old.reader.read().decode().splitlines()[-1:]
            if last:  # it may have been reset
                self.assertEqual(last, ["error: another connection carries the source now; closing"])
            sender.join()
            old.close()
            sender = threading.Thread(target=self.send_until_closed, args=(client, "".join(lines[inside:])))
            sender.start()
            old = client
        sender.join()
        self.assertIn("durable 40000\n", old.finish())
        self.assertEqual(daemon.status()["examples"], 40000)
        self.assertEqual(self.answers(daemon), self.straight(content))

    def send_until_closed(self, client, content):
        try:
            client.send(content)
        except OSError:
            pass

    def test_several_sources_at_once_are_each_learned_exactly_once(self):
        """Sums tell: the order between sources is free, and with it the last bits. Every example is its own."""
        count, names = 2000, ["a", "b", "c"]
        daemon = self.begin("--checkpoint-every", "50ms")
        lines = {name: svmlight(examples(count, seed=i)).splitlines(True) for i, name in enumerate(names)}
        done = dict.fromkeys(names, False)
        resumed = []

        def run(name):
            chance = random.Random(name)
            while not done[name]:
                try:
                    with SourceClient(self.door, name) as client:
                        resumed.append(client.inside)
                        at = client.inside
                        while at < count:
                            step = chance.randrange(1, 100)
                            client.send("".join(lines[name][at:at + step]))
                            at += step
                            time.sleep(.001)
                            if chance.random() < .02:
                                break  # the network
                        else:
                            done[name] = f"durable {count}\n" in client.finish() or client.inside == count
                except (OSError, ConnectionError):
                    time.sleep(.005)

        threads = [threading.Thread(target=run, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for part in (500, 2000, 4000):
            def far():
                try:
                    return daemon.status()["examples"] >= part
                except OSError:
                    return False
            until(far, f"{part} examples are learned")
            daemon.kill()
            daemon = self.begin("--checkpoint-every", "50ms")
        for thread in threads:
            thread.join()
        self.assertGreater(len(resumed), 6)
        self.assertEqual(daemon.status()["examples"], count * len(names))
        for name in names:
            with SourceClient(self.door, name) as client:
                self.assertEqual(client.inside, count)

    def test_replies_stay_lines_of_their_own_beside_durable(self):
        daemon = self.begin("--checkpoint-examples", 50)
        content = "".join(svmlight([row]) + " 1:1\n" for row in examples(5000))
        with SourceClient(self.door, "a") as client:
            client.send(content)
            lines = client.finish().splitlines()
        told = [int(line.split()[1]) for line in lines if line.startswith("durable ")]
        self.assertEqual(len(lines) - len(told), 5000)
        self.assertEqual(told, sorted(set(told)))
        self.assertEqual(told[-1], 10000)
        for line in lines:
            self.assertRegex(line, r"^(-?\d[-+.e\d]*|durable \d+)$")
        self.assertEqual(daemon.status()["predictions"], 5000)

    def test_at_sigterm_the_last_checkpoint_is_told(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            daemon = self.begin()
            with SourceClient(self.door, "a" + str(int(number))) as client:
                client.send("1 1:1\n" * 1000)
                daemon.wait_examples(1000)
                begin = time.monotonic()
                self.assertEqual(daemon.stop(number), 0)
                self.assertLess(time.monotonic() - begin, 1.5)  # not by the limit on flushing
                self.assertEqual(client.reader.read().decode(), "durable 1000\n")
            self.state = self.path("another")

    def test_a_record_cut_off_comes_again(self):
        self.begin()
        with SourceClient(self.door, "a") as client:
            client.send("1 1:1\n1 1:")
            self.assertEqual(client.finish(), "error: line 2: cut off by the end of the connection; not taken: send it "
                             "again, whole\ndurable 1\n")
        with SourceClient(self.door, "a") as client:
            self.assertEqual(client.inside, 1)

    def test_a_failed_checkpoint_is_not_durable(self):
        daemon = self.begin()
        with SourceClient(self.door, "a") as client:
            client.send("1 1:1\n" * 10)
            daemon.wait_examples(10)
            limits = resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
            self.assertGreaterEqual(daemon.post("/v1/checkpoint").status, 500)
            client.send("1 1:1\n" * 10)
            daemon.wait_examples(20)
            resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, limits)
            self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
            self.assertEqual(client.line(), "durable 20\n")

    def test_stdin_source_skips_what_is_inside(self):
        rows = examples(30000)
        for content in (csv(rows, header=True), svmlight(rows)):
            self.state = self.path(f"state {len(content)}")
            arguments = (*SMALL, "--state-directory", self.state, "--stdin-source", "pipe",
                         "--checkpoint-examples", 1000)
            for part in (5000, 15000):
                daemon = self.start(*arguments, "--input", "-", stdin=subprocess.PIPE)
                threading.Thread(target=self.pour, args=(daemon.process.stdin, content.encode()), daemon=True).start()
                until(lambda: max((int(name.split("-")[2].split(".")[0]) for name in os.listdir(self.state)
                                   if name.startswith("checkpoint-")), default=0) >= part, "a checkpoint")
                daemon.kill()
            for _ in range(2):  # the second finds everything inside
                status, _, log = self.run_to_end(*arguments, stdin=content.encode())
                self.assertEqual(status, 0, log)
                self.assertRegex(log, r"stdin: source 'pipe': the first \d\d+ records were received before")
                self.assertIn("finished: 30000 examples", log)
            daemon = self.start(*SMALL, "--state-directory", self.state)
            self.assertEqual(self.answers(daemon), self.straight(content))

    def test_standard_input_that_is_another_stream_than_before_is_reported(self):
        arguments = (*SMALL, "--state-directory", self.state, "--stdin-source", "pipe")
        content = svmlight(examples(20))
        self.assertEqual(self.run_to_end(*arguments, stdin=content.encode())[0], 0)
        status, _, log = self.run_to_end(*arguments, stdin=svmlight(examples(5)).encode())
        self.assertEqual(status, 1)
        self.assertIn("error stdin: has 5 records, but 20 of source 'pipe' were received before: it was cut short", log)
        status, _, log = self.run_to_end(*arguments, stdin=(svmlight(examples(20, seed=2)) + content).encode())
        self.assertEqual(status, 0)
        self.assertIn("stdin: line 20: the records up to this one are not those of source 'pipe' that were learned before", log)
        self.assertIn("finished: 40 examples", log)

    def test_a_last_line_of_standard_input_is_left_until_it_has_ended_where_that_is_asked_for(self):
        arguments = (*SMALL, "--state-directory", self.state, "--stdin-source", "pipe", "--last-line", "wait")
        content = svmlight(examples(20)).encode()
        status, _, log = self.run_to_end(*arguments, stdin=content[:-3])
        self.assertEqual(status, 0, log)
        self.assertRegex(log, r"stdin: its last line, of \d+ bytes, has not ended; it is left for a later start")
        self.assertIn("finished: 19 examples", log)
        status, _, log = self.run_to_end(*arguments, stdin=content)
        self.assertEqual(status, 0, log)
        self.assertNotIn("are not those", log)
        self.assertIn("finished: 20 examples", log)

    def pour(self, pipe, content):
        try:
            pipe.write(content)
            pipe.close()
        except OSError:
            pass


if __name__ == "__main__":
    unittest.main(verbosity=2)
