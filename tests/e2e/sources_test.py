"""Named sources on stream doors and standard input: every record is learned exactly once, whatever is killed."""

import os
import random
import resource
import signal
import subprocess
import threading
import time
import unittest

from harness import SMALL, StreamClient, TestCase, csv, examples, f32, ndjson, npy, svmlight, unlabelled, until, vw


class SourceClient(StreamClient):
    """A connection that has greeted; `inside` is what it was told."""

    def __init__(self, address, name, keys=""):
        super().__init__(address)
        self.send(f"#glimpse source={name}{keys}\n")
        self.inside = self.number("resume")

    def number(self, word):
        line = self.line()
        if not line.startswith(word + " "):
            raise ConnectionError(f"{line!r} instead of {word} N")
        return int(line.split()[1])


class Sources(TestCase):
    def setUp(self):
        super().setUp()
        self.state = self.path("state")
        self.door = f"unix:{self.path('stream.sock')}"

    def begin(self, *arguments, model=SMALL, **keywords):
        """--checkpoint-every is long: nothing becomes durable but what a test asks for."""
        defaults = () if "--checkpoint-every" in arguments else ("--checkpoint-every", "1h")
        return self.start(*model, "--listen", self.door, "--state-directory", self.state, *defaults, *arguments, **keywords)

    def answers(self, daemon):
        return daemon.model(), daemon.get("/v1/moments").body

    def straight(self, content, *arguments):
        """The model and the moments of an uninterrupted run, over a connection without a name."""
        daemon = self.start(*SMALL, "--listen", f"unix:{self.path('straight.sock')}", *arguments)
        with daemon.client("unix") as client:
            client.send(content)
            client.finish()
        try:
            return self.answers(daemon)
        finally:
            self.assertEqual(daemon.stop(), 0)

    def test_what_a_source_begins_with_is_kept_up_to_a_limit(self):
        """A first line beyond it is refused and nothing of it kept, so that strangers cannot make checkpoints grow."""
        rows = "".join(svmlight(examples(200)).splitlines(True))
        garbage = "nonsense " + "x" * 5000 + "\n"
        daemon = self.begin("--max-opening", "1KiB")
        for name in ("a", "b", "c"):
            with SourceClient(self.door, name) as client:
                client.send(garbage * 3)
                self.assertRegex(client.line(), "^error: line 1: has 5009 bytes; what a source begins with is kept, up to --max-opening 1024 bytes")
        with SourceClient(self.door, "a") as client:
            self.assertEqual(client.inside, 3)
            client.send(rows)
            daemon.wait_examples(200)
            daemon.post("/v1/checkpoint")
        newest = max(name for name in os.listdir(self.state) if name.startswith("checkpoint-"))
        with open(os.path.join(self.state, newest), "rb") as file:
            self.assertNotIn(b"xxxxxxxxxxxxxxxx", file.read())
        daemon.kill()
        daemon = self.begin("--max-opening", "1KiB")
        with SourceClient(self.door, "a") as client:
            self.assertEqual(client.inside, 203)
        self.assertEqual(self.answers(daemon), self.straight(rows))

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
        mixed = "".join(vw([row]) + (unlabelled(row[1]) if chance.random() < .1 else "") + ("bad line\n" if chance.random() < .05 else "")
                        for row in rows)
        npy_bytes = npy(rows)
        for name, records, arguments in (
                ("svmlight", self.records(svmlight(rows)), ()), ("svmlight with bare labels", self.records(bare), ()),
                ("vw with predictions and bad lines", self.records(mixed), ()), ("csv", self.records(csv(rows)), ()),
                ("csv with header", self.records(csv(rows, header=True)), ()), ("ndjson", self.records(ndjson(rows)), ()),
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

    def test_a_greeting_in_single_bytes(self):
        self.begin()
        with StreamClient(self.door) as client:
            for byte in b"#glimpse source=a/b:c-1\r\n1 1:1\n 1:1\n":
                client.send(bytes([byte]))
            self.assertEqual(client.line(), "resume 0\n")
            self.assertRegex(client.line(), r"^[-\d.e]+\n$")

    def test_greetings_that_are_none_are_refused_and_closed(self):
        daemon = self.begin()
        for greeting, reply in (("#glimpse \n", "says nothing; the keys are"), ("#glimpse source=\n", "source '' has 0 characters"),
                                ("#glimpse source=a colour=x\n", "'colour' is not a key"),
                                ("#glimpse source=a b\n", "every word must be KEY=VALUE"),
                                ("#glimpse source=a from=3\n", "from 3: of source 'a' there are 0 records inside"),
                                ("#glimpse source=\x00\x1b[2J\n", "character 1 cannot be in a name"),
                                ("#glimpse source=" + "x" * 2000, "longer than 1024 bytes")):
            with StreamClient(self.door) as client:
                client.send(greeting)
                line = client.line()
                self.assertRegex(line, "^error: ")
                self.assertIn(reply, line)
                self.assertTrue(line.endswith("; closing\n") and line.isprintable() is False and line[:-1].isprintable(), line)
                self.assertEqual(client.line(), "")
        self.assertEqual(daemon.status()["examples"], 0)

    def test_only_the_very_first_bytes_count(self):
        daemon = self.begin()
        for content in ("\n#glimpse source=a\n", "# comment\n#glimpse source=a\n", "#glimpsed\n", "#\n", "1 1:1\n#glimpse source=a\n"):
            with StreamClient(self.door) as client:
                client.send(content)
                self.assertEqual(client.finish(), "")
        with StreamClient(self.door) as client:  # and a beginning of one that never ends is a line cut off
            client.send("#glim")
            self.assertEqual(client.finish(), "error: line 1: cut off by the end of the connection; not learned\n")
        with SourceClient(self.door, "a") as client:
            self.assertEqual(client.inside, 0)
            client.send("1 1:1\n#glimpse source=b\n1 1:1\n")  # later it is a comment, which counts as a record
            self.assertEqual(client.finish(), "durable 3\n")
        self.assertEqual(daemon.status()["examples"], 3)

    def test_without_a_state_directory_sources_are_refused(self):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0")
        with daemon.client() as client:
            self.assertEqual(client.ask("#glimpse source=a\n"), "error: sources cannot be named: this glimpsed keeps no "
                             "checkpoints (--state-directory DIR); closing\n")

    def test_the_number_of_sources_is_bounded(self):
        daemon = self.begin("--max-sources", 2)
        for name in ("a", "b"):
            with SourceClient(self.door, name) as client:
                client.send("1 1:1\n")
                client.finish()
        with StreamClient(self.door) as client:
            self.assertEqual(client.ask("#glimpse source=c\n"),
                             "error: source 'c' is new, and 2 are known already (--max-sources 2); closing\n")
        daemon.kill()
        # Those that were restored stay known whatever the limit.
        daemon = self.begin("--max-sources", 1)
        with SourceClient(self.door, "b") as client:
            self.assertEqual(client.inside, 1)
        self.assertEqual(daemon.status()["named_sources"], 2)
        self.assertIn("glimpse_named_sources 2\n", daemon.get("/metrics").body.decode())
        status, line = self.refused(*SMALL, "--max-sources", 5)
        self.assertEqual((status, line), (2, "glimpsed: --max-sources 5: has no effect without --state-directory DIR"))

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
            self.assertEqual(client.finish(), "error: line 2: cut off by the end of the connection; not taken: send it again, "
                             "whole\ndurable 1\n")
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
            arguments = (*SMALL, "--state-directory", self.state, "--stdin-source", "pipe", "--checkpoint-examples", 1000)
            for part in (5000, 15000):
                daemon = self.start(*arguments, "--input", "-", stdin=subprocess.PIPE)
                threading.Thread(target=self.pour, args=(daemon.process.stdin, content.encode()), daemon=True).start()
                until(lambda: max((int(name.split("-")[2].split(".")[0]) for name in os.listdir(self.state)
                                   if name.startswith("checkpoint-")), default=0) >= part, "a checkpoint")
                daemon.kill()
            for _ in range(2):  # the second finds everything inside
                status, _, log = self.run_to_end(*arguments, stdin=content.encode())
                self.assertEqual(status, 0, log)
                self.assertRegex(log, r"stdin: source 'pipe': the first \d\d+ records are inside already")
                self.assertIn("finished: 30000 examples", log)
            daemon = self.start(*SMALL, "--state-directory", self.state)
            self.assertEqual(self.answers(daemon), self.straight(content))

    def pour(self, pipe, content):
        try:
            pipe.write(content)
            pipe.close()
        except OSError:
            pass

    def test_stdin_source_is_refused_where_it_makes_no_sense(self):
        for arguments, line in ((("--stdin-source", "a"), "--stdin-source a: has no effect without --state-directory DIR"),
                                (("--stdin-source", "a b", "--state-directory", self.state),
                                 "--stdin-source 'a b': character 2 cannot be in a name, which has printable ASCII characters "
                                 "without blanks and '='"),
                                (("--stdin-source", "a", "--state-directory", self.state, "--http", "127.0.0.1:0"),
                                 "--stdin-source a: has no effect without --input -")):
            self.assertEqual(self.refused(*SMALL, *arguments), (2, "glimpsed: " + line))
        self.begin("--input", "-", "--stdin-source", "a", stdin=subprocess.PIPE)
        with StreamClient(self.door) as client:
            self.assertEqual(client.ask("#glimpse source=a\n"), "error: source 'a' comes in through stdin; closing\n")


class OverHttp(TestCase):
    def learn(self, daemon, rows, query):
        answer = daemon.post(f"/v1/learn?format=svmlight&source=s{query}", "".join(rows))
        return answer.status, answer.json()

    def test_bodies_of_a_source_are_learned_once_through_kills_and_repetitions(self):
        rows = svmlight(examples(3000)).splitlines(keepends=True)
        rows[700] = "no example\n"
        whole = self.start(*SMALL, "--state-directory", self.path("whole"))
        status, answer = self.learn(whole, rows, "&from=0")
        self.assertEqual((status, answer["accepted"], answer["error_count"], answer["inside"]), (200, 2999, 1, 3000))
        options = (*SMALL, "--state-directory", self.path("state"), "--checkpoint-examples", 100, "--checkpoint-every", "1h")
        daemon = self.start(*options)
        chance = random.Random(5)
        inside = durable = kills = 0
        while inside < len(rows):
            begin = max(0, inside - chance.randrange(60))
            end = min(len(rows), inside + chance.randrange(1, 300))
            if chance.random() < .3:  # amid it, or before its answer is read
                with StreamClient(f"unix:{daemon.http_path}") as client:
                    body = "".join(rows[begin:end])
                    client.send(f"POST /v1/learn?format=svmlight&source=s&from={begin} HTTP/1.1\r\nHost: localhost\r\n"
                                f"Content-Length: {len(body)}\r\n\r\n" + body[:chance.randrange(len(body) + 1)])
                    daemon.kill()
                kills += 1
                daemon = self.start(*options)
                _, answer = self.learn(daemon, (), "")
                self.assertGreaterEqual(answer["inside"], durable)
                self.assertEqual(answer["inside"], answer["durable"])
            else:
                status, answer = self.learn(daemon, rows[begin:end], f"&from={begin}" + chance.choice(("", "&durable=true")))
                self.assertEqual((status, answer["inside"]), (200, end))
            inside, durable = answer["inside"], answer["durable"]
        self.assertGreater(kills, 3)
        self.assertEqual(daemon.status()["examples"], 2999)
        self.assertEqual(daemon.model(), whole.model())

    def test_a_source_goes_on_over_another_door(self):
        rows = svmlight(examples(400)).splitlines(keepends=True)
        whole = self.start(*SMALL, "--state-directory", self.path("whole"))
        self.learn(whole, rows, "&from=0")
        daemon = self.start(*SMALL, "--state-directory", self.path("state"), "--listen", f"unix:{self.path('stream')}")
        self.assertEqual(self.learn(daemon, rows[:100], "&from=0")[1]["inside"], 100)
        with StreamClient(f"unix:{self.path('stream')}") as client:
            client.send("#glimpse source=s\n")
            self.assertEqual(client.line(), "resume 100\n")
            client.send("".join(rows[100:200]))
            daemon.wait_examples(200)
            self.assertEqual(self.learn(daemon, rows[200:300], "&from=200&durable=true")[1],
                             {"accepted": 100, "skipped": 0, "error_count": 0, "errors": [], "inside": 300, "durable": 300})
            lines = client.finish().splitlines()
            self.assertIn("error: another connection carries the source now; closing", lines)
        self.assertEqual(self.learn(daemon, rows[300:], "&from=300")[1]["inside"], 400)
        self.assertEqual(daemon.model(), whole.model())

    def test_what_would_leave_a_gap_or_cannot_be_kept_is_refused(self):
        rows = svmlight(examples(10)).splitlines(keepends=True)
        daemon = self.start(*SMALL, "--state-directory", self.path("state"))
        self.learn(daemon, rows[:4], "&from=0")
        for query, status, message in (
                ("&from=5", 409, "from 5: of source 's' there are 4 records inside, so that those between would be missing"),
                ("", 400, "from is needed: how many records of source 's' stand before those of this body"),
                ("&from=-1", 400, "from '-1' must be a whole number of records"),
                ("&from=", 400, "from '' must be a whole number of records"),
                ("&from=4&durable=perhaps", 400, "durable 'perhaps' must be true or false"),
                ("&From=4", 400, "/v1/learn has no parameter 'From'; there are format, source, from and durable")):
            self.assertEqual(self.learn(daemon, rows[4:], query), (status, {"error": {
                "code": {409: "records_missing"}.get(status, "unknown_parameter" if "no parameter" in message else "invalid_input"),
                "message": message}}))
        answer = daemon.post("/v1/learn?source=&from=0", "")
        self.assertEqual((answer.status, answer.error()), (400, "invalid_input"))
        answer = daemon.post("/v1/learn?from=0", ndjson(examples(1)))
        self.assertEqual((answer.status, answer.json()["error"]["message"]), (400, "from is for a named source (source=NAME)"))
        self.assertEqual(daemon.status()["examples"], 4)
        forgetful = self.start(*SMALL)
        answer = forgetful.post("/v1/learn?source=s&from=0", ndjson(examples(1)))
        self.assertEqual((answer.status, answer.error()), (409, "unavailable"))
        self.assertEqual(forgetful.post("/v1/learn?durable=true", ndjson(examples(1))).status, 409)


if __name__ == "__main__":
    unittest.main(verbosity=2)
