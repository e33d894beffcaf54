"""tools/python/glimpse_client against the real daemon, and against servers that break off, refuse and say nonsense."""

import datetime
import http.client
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

from harness import DEADLINE, SMALL, TestCase, examples, svmlight, until

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "python")
sys.path.insert(0, TOOLS)
import glimpse_client  # noqa: E402
from glimpse_client import (Client, GlimpseError, InvalidRequest, NotBuying, PlanClosed, Source, Tell,  # noqa: E402
                            TooManyPlans, Unavailable, UnknownPlan)

NAMES = "age\nsex\nbilirubin\nsgot\nprotime\n"
COSTS = "age 1\nsex 1\nbilirubin 7.27 blood\nsgot 7.27 blood\nprotime 8.3 blood\n@blood 2.10\n"


class ClientTestCase(TestCase):
    def client(self, url, **keywords):
        keywords.setdefault("backoff", 0.001)
        client = Client(url, **keywords)
        self.addCleanup(client.close)
        return client

    def of(self, daemon, **keywords):
        return self.client("unix:" + daemon.http_path, **keywords)


class Sources(ClientTestCase):
    def begin(self):
        return self.start(*SMALL, "--listen", f"unix:{self.path('stream.sock')}", "--state-directory", self.path("state"),
                          "--checkpoint-examples", 500)

    def feed(self, lines, daemon=None, kill_at=None):
        """Sends what is not inside; (inside before, inside and durable after, or the error of a kill)."""
        with Source(f"unix:{self.path('stream.sock')}", "a") as source:
            begin = source.inside
            for number in range(begin, len(lines)):
                if number == kill_at:
                    daemon.kill()
                source.send(lines[number])
            return begin, source.finish(), source.replies

    def test_each_record_is_learned_once_over_kills(self):
        lines = svmlight(examples(5000)).splitlines(True)
        lines[17], lines[18] = " 1:0.5\n", "bad\n"
        for kill_at in (2000, 3500):
            daemon = self.begin()
            with self.assertRaises(Unavailable):
                self.feed(lines, daemon, kill_at)
        daemon = self.begin()
        begin, durable, _ = self.feed(lines)
        self.assertGreater(begin, 0)
        self.assertEqual(durable, 5000)
        self.assertEqual(daemon.status()["examples"], 4998)
        straight = self.start(*SMALL, "--listen", f"unix:{self.path('straight.sock')}", "--state-directory", self.path("other"))
        with Source(f"unix:{self.path('straight.sock')}", "b") as source:
            source.send("".join(lines).encode())
            self.assertEqual(source.finish(), 5000)
        self.assertEqual(len(source.replies), 2)
        self.assertRegex(source.replies[1], "^error: line 19: ")
        self.assertEqual(straight.model(), daemon.model())

    def test_what_cannot_be_is_said(self):
        for address in ("tcp:here", "unix:", "here"):
            with self.assertRaises(ValueError):
                Source(address, "a")
        with self.assertRaises(Unavailable):
            Source(f"unix:{self.path('none.sock')}", "a")
        self.begin()
        with self.assertRaisesRegex(InvalidRequest, "source 'a=b': character 2 cannot be in a name"):
            Source(f"unix:{self.path('stream.sock')}", "a=b")

    def test_what_fills_the_memory_becomes_durable_soon(self):
        self.start(*SMALL, "--listen", f"unix:{self.path('stream.sock')}", "--state-directory", self.path("state"),
                   "--checkpoint-every", "1h")
        lines = svmlight(examples(400)).splitlines(True)
        with Source(f"unix:{self.path('stream.sock')}", "a", memory=2000) as source:
            kept = []  # (records, bytes)
            for number, line in enumerate(lines):
                source.send(line)
                kept.append((number + 1, len(line)))
                if sum(size for _, size in kept) >= 2000:
                    source.wait_durable(kept[0][0])
                    kept = [(records, size) for records, size in kept if records > source.durable]
            self.assertGreater(source.durable, 0)
            self.assertEqual(source.finish(), 400)

    def test_checkpoints_that_fail_are_told_by_the_error(self):
        self.start(*SMALL, "--listen", f"unix:{self.path('stream.sock')}", "--state-directory", self.path("state"),
                   "--checkpoint-every", "1h")
        shutil.rmtree(self.path("state"))
        self.write("state", "in the way")
        with Source(f"unix:{self.path('stream.sock')}", "a", timeout=1.5) as source:
            source.send("1 1:1\n")
            with self.assertRaisesRegex(Unavailable, "nothing moved for 1.5 s; the daemon cannot write checkpoints: .*state"):
                source.finish()

    def test_a_daemon_of_an_older_version_is_served_as_well(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(self.path("stream.sock"))
            listener.listen()

            def serve():
                for _ in range(2):
                    with listener.accept()[0] as connection, connection.makefile("rb") as lines:
                        if b"memory" in lines.readline():
                            connection.sendall(b"error: greeting #glimpse: 'memory' is not a key; the keys are token, source "
                                               b"and from; closing\n")
                        else:
                            connection.sendall(b"resume 7\ndurable 7\n")

            thread = threading.Thread(target=serve)
            thread.start()
            with Source(f"unix:{self.path('stream.sock')}", "a") as source:
                self.assertEqual((source.inside, source.durable), (7, 7))
            thread.join()


class AgainstTheDaemon(ClientTestCase):
    def named(self, *arguments, **keywords):
        daemon = self.start("--attributes", self.write("names.txt", NAMES), "--costs",
                            self.write("costs.txt", COSTS), "--budget", 2, "--seed", 7, "--serve", *arguments)
        return self.of(daemon, **keywords)

    def test_asking_and_telling(self):
        client = self.named()
        now = datetime.datetime.now(datetime.timezone.utc)
        plans = client.ask(20, ttl="12h")
        self.assertEqual(len({plan.id for plan in plans}), 20)
        prices = [1, 1, 7.27, 7.27, 8.3]
        for plan in plans:
            self.assertEqual(plan.names, tuple(NAMES.split()[i] for i in plan.attributes))
            group = 2.1 if any(i >= 2 for i in plan.attributes) else 0
            self.assertAlmostEqual(plan.cost, group + sum(prices[i] for i in plan.attributes))
            self.assertLess(abs((plan.expires_at - now).total_seconds() - 12 * 3600), 120)
        told = client.tell(plans[0], label=1, values=[0.5] * len(plans[0].attributes))
        self.assertEqual((told.id, told.status, told.learned, told.failed), (plans[0].id, "learned", True, False))
        told = client.tell(plans[1].id, 1, {name: 0.5 for name in plans[1].names}, importance=2)
        self.assertEqual(told.status, "learned")
        # Values first, the label weeks later.
        self.assertEqual(client.tell(plans[2], values=dict.fromkeys(plans[2].attributes, 1)).status, "incomplete")
        self.assertEqual([plan.values_told for plan in client.plans() if plan.id == plans[2].id], [True])
        self.assertEqual(client.tell(plans[2], label=1).status, "learned")
        # Something was refused: as None, and by name.
        values = [0.5] * (len(plans[3].attributes) - 1)
        self.assertEqual(client.tell(plans[3], 1, [None, *values]).status, "learned")
        self.assertEqual(client.tell(plans[4], 1, values, refused=[plans[4].names[0]]).status, "learned")
        self.assertEqual(client.status()["examples"], 5)
        duplicate = client.tell(plans[0], label=1, values=[0.5] * len(plans[0].attributes))
        self.assertEqual((duplicate.status, duplicate.learned), ("duplicate", True))
        self.assertEqual(client.status()["examples"], 5)

    def test_errors_are_told_apart(self):
        client = self.named("--max-plans", 3, "--total-budget", 8)
        plan = client.ask()[0]
        with self.assertRaises(InvalidRequest) as caught:
            client.tell(plan, 1, [1, 2, 3])
        self.assertEqual((caught.exception.status, caught.exception.code), (422, "wrong_attributes"))
        self.assertEqual(caught.exception.details["expected"]["attributes"], list(plan.attributes))
        with self.assertRaisesRegex(InvalidRequest, "beyond"):
            client.tell(plan, 1e300, [1, 2])
        for value in (float("nan"), float("inf")):
            with self.assertRaises(ValueError):
                client.tell(plan, 1, [value, 1])
            with self.assertRaises(ValueError):
                client.tell(plan, value)
        with self.assertRaises(UnknownPlan):
            client.tell("3f9a2b-1", 1, [1])
        with self.assertRaises(UnknownPlan):
            client.abandon("no/plan")
        with self.assertRaises(InvalidRequest):
            client.ask(0)
        with self.assertRaisesRegex(InvalidRequest, "nonsense"):
            client.ask(available=["nonsense"])
        with self.assertRaisesRegex(InvalidRequest, "ttl"):
            client.ask(ttl="5 weeks")
        self.assertEqual(len(client.ask(2)), 2)
        with self.assertRaises(TooManyPlans) as caught:
            client.ask()
        self.assertEqual(caught.exception.status, 429)
        client.abandon(plan)
        client.abandon(plan.id)
        with self.assertRaises(PlanClosed) as caught:
            client.tell(plan, 1, [1, 2])
        self.assertEqual((caught.exception.status, caught.exception.code), (410, "abandoned"))
        for open_plan in client.plans():
            self.assertEqual(client.tell(open_plan, 1, [1, 2]).status, "learned")
        with self.assertRaises(PlanClosed):
            client.abandon(open_plan)
        with self.assertRaises(NotBuying):
            for _ in range(10):
                client.tell(client.ask()[0], 1, [1, 2])
        with self.assertRaises(InvalidRequest) as caught:  # no --state-directory
            client.checkpoint()
        self.assertEqual(caught.exception.status, 409)

    def test_a_plan_whose_time_has_come_is_closed(self):
        client = self.named()
        plan = client.ask(ttl=0.001)[0]
        until(lambda: not client.plans(), "the plan has expired")
        with self.assertRaises(PlanClosed) as caught:
            client.tell(plan, 1, [1, 2])
        self.assertEqual(caught.exception.code, "expired")

    def test_batches_answer_every_item_in_order(self):
        client = self.named("--max-plans", 5000)
        plans = client.ask(3000)
        items = [Tell(plan, 1.0, [0.5] * len(plan.attributes)) for plan in plans]
        bad = [Tell("3f9a2b-1", 1, [1]), {"id": plans[0].id, "lable": 1}, 5, Tell(plans[1], 1, [1] * 9),
               Tell(plans[2])]
        # Small requests, so that there are many.
        with mock.patch.object(glimpse_client._client, "_BATCH_BYTES", 1000):
            told = client.tell_many([*bad, *items, items[0]])
        self.assertEqual([answer.status for answer in told],
                         ["unknown", "invalid", "invalid", "wrong_attributes", "invalid", *["learned"] * 3000,
                          "duplicate"])
        self.assertEqual([answer.failed for answer in told], [True] * 5 + [False] * 3001)
        self.assertEqual(told[3].expected, plans[1].attributes)
        self.assertEqual([answer.id for answer in told[5:3005]], [plan.id for plan in plans])
        self.assertEqual(client.status()["examples"], 3000)
        self.assertEqual(client.tell_many([]), [])
        self.assertEqual([answer.status for answer in client.tell_many(iter(items[:1]))], ["duplicate"])
        self.assertEqual(len(client.tell_many(items)), 3000)

    def test_all_open_plans_are_listed_over_many_pages(self):
        client = self.named()
        asked = client.ask(25)
        with mock.patch.object(glimpse_client._client, "_PAGE", 10):
            self.assertEqual(client.plans(), asked)

    def test_learning_and_predicting_over_tcp(self):
        daemon = self.start(*SMALL, "--state-directory", self.path("state"), "--http", "127.0.0.1:0", http=None)
        port = daemon.wait_log(r"HTTP door open on tcp:127.0.0.1:(\d+)").group(1)
        client = self.client(f"http://127.0.0.1:{port}")
        until(client.ready, "the daemon is ready")
        rows = examples(500)
        with mock.patch.object(glimpse_client._client, "_BATCH_BYTES", 2000):
            report = client.learn((y, x) if i % 2 else (y, x, 1.5) for i, (y, x) in enumerate(rows))
        self.assertEqual((report.accepted, report.skipped, report.error_count), (500, 0, 0))
        self.assertEqual(client.learn([(1, {0: 0.5, "3": 1})]).accepted, 1)
        model = client.model(fresh=True)
        self.assertEqual((model["examples"], len(model["weights"])), (501, 4))
        self.assertEqual([row["attribute"] for row in client.moments()], [0, 1, 2, 3])
        answer = client.predict([[1, 0, 0, 0], {"0": 1}, {0: 1.0}, [0, 0, 0, -1]])
        self.assertEqual(answer.examples, 501)
        self.assertEqual(answer.predictions[0], answer.predictions[1])
        self.assertEqual(answer.predictions[1], answer.predictions[2])
        self.assertAlmostEqual(answer.predictions[0], 1, delta=0.3)
        self.assertAlmostEqual(answer.predictions[3], 0.5, delta=0.3)
        self.assertIsNone(answer.standard_errors)
        self.assertEqual(client.checkpoint()["examples"], 501)
        self.assertTrue(client.ready())
        # What cannot be read is told by its place.
        report = client.learn([(1, [1, 2, 3, 4]), (1, {"9": 1}), (1, [1, 2, 3, 4])])
        self.assertEqual((report.accepted, report.error_count, report.errors[0][0]), (2, 1, 1))
        with self.assertRaises(InvalidRequest):
            client.predict([[1, 2]])
        with self.assertRaises(ValueError):
            client.predict()
        with mock.patch.object(glimpse_client._client, "_BATCH_BYTES", 10):
            with self.assertRaises(InvalidRequest) as caught:
                client.learn([(1, [1, 2, 3, 4]), (1, [1])])
        self.assertEqual(caught.exception.partial.accepted, 1)

    def test_attributes_are_bought_one_after_the_other_for_a_prediction(self):
        client = self.named()
        generator = random.Random(3)
        rows = [[generator.gauss(0, 1) for _ in range(5)] for _ in range(5000)]
        client.learn([(row[0] + 5 * row[3], row) for row in rows])
        client.model(fresh=True)
        before = client.choose({}, 5)
        self.assertGreater(before.standard_error, 1)
        self.assertEqual(before.choices[0].name, "sgot")
        self.assertAlmostEqual(before.choices[0].cost, 9.37)
        after = client.choose({"sgot": 1.5, "sex": None}, 1)
        self.assertEqual([choice.attribute for choice in after.choices], [0])
        self.assertAlmostEqual(after.standard_error, before.choices[0].standard_error, delta=1e-6)
        both = client.predict(known=[{"sgot": 1.5}, {3: 1.5, "age": 1}])
        self.assertAlmostEqual(both.predictions[0], after.prediction, delta=1e-9)
        # The others are independent of these, and 0 in the mean.
        whole = client.predict([[1, 0, 0, 1.5, 0]]).predictions[0]
        self.assertAlmostEqual(both.predictions[1], whole, delta=0.2)
        self.assertGreater(both.standard_errors[0], both.standard_errors[1])
        self.assertEqual(client.predict(known={"sgot": 1.5}).predictions, both.predictions[:1])
        with self.assertRaises(InvalidRequest):
            client.choose({"nonsense": 1})

    def test_plan_by_plan_or_all_at_once_is_the_same_model(self):
        client = self.named()
        generator = random.Random(5)
        for plan in client.ask(50):
            values = [generator.gauss(0, 1) / 3 for _ in plan.attributes]
            client.tell(plan, sum(values), values)
        many = self.named()
        generator = random.Random(5)
        items = []
        for plan in many.ask(50):
            values = [generator.gauss(0, 1) / 3 for _ in plan.attributes]
            items.append(Tell(plan, sum(values), values))
        many.tell_many(items)
        self.assertEqual(client.model(fresh=True)["weights"], many.model(fresh=True)["weights"])
        self.assertNotEqual(client.model()["weights"], [0] * 5)

    def test_requests_share_one_connection_which_is_opened_again_when_the_daemon_closed_it(self):
        daemon = self.start(*SMALL)
        client = self.of(daemon, retries=0)
        client.ask()
        connected = client._connection.sock
        for _ in range(5):
            client.ask()
        self.assertIs(client._connection.sock, connected)
        connected.shutdown(socket.SHUT_RDWR)  # as a daemon that is tired of waiting: the end is to be read
        self.assertEqual(len(client.ask()), 1)
        self.assertIsNot(client._connection.sock, connected)

    def test_a_body_that_is_too_large_is_told_as_that(self):
        client = self.of(self.start(*SMALL, "--max-body", "64KiB"))
        with self.assertRaises(InvalidRequest) as caught:
            client.predict([[0.123456789] * 4] * 20000)
        self.assertEqual((caught.exception.status, caught.exception.code), (413, "too_large"))
        self.assertEqual(len(client.ask()), 1)

    def test_the_manual_prints_what_it_says(self):
        with open(os.path.join(os.path.dirname(glimpse_client.__file__), "README.md"), encoding="utf-8") as file:
            manual = file.read()
        program = re.search(r"```python\n(.*?)```", manual, re.DOTALL).group(1)
        printed = re.search(r"It prints:\n\n((?:    .*\n)+)", manual).group(1)
        url = self.named("--state-directory", self.path("state")).url
        self.assertIn('"http://127.0.0.1:9318"', program)
        done = subprocess.run([sys.executable, "-B", "-c", program.replace("http://127.0.0.1:9318", url)],
                              env={**os.environ, "PYTHONPATH": TOOLS}, capture_output=True, check=False,
                              timeout=DEADLINE)
        self.assertEqual([line.rstrip() for line in done.stdout.decode().splitlines()],
                         [line[4:] for line in printed.splitlines()], done.stderr)

    def test_threads_share_a_client(self):
        client = self.named()
        failures = []

        def buy():
            for _ in range(30):
                plan = client.ask()[0]
                told = client.tell(plan, 1, [0.5] * len(plan.attributes))
                if (told.id, told.status) != (plan.id, "learned"):
                    failures.append(told)

        threads = [threading.Thread(target=buy) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(client.status()["examples"], 120)


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


class Script:
    """A server that reads requests, and to each says the next of `answers`: a status and JSON, bytes, or None: it
    closes. Without answers it is silent."""

    def __init__(self, test, *answers):
        self.answers = list(answers)
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.open = []
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()
        test.addCleanup(self.close)

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return  # the test has ended
            self.open.append(connection)
            with connection.makefile("rb") as reader:
                while self.answer(connection, reader):
                    pass
            if not self.answers:
                return

    def answer(self, connection, reader):
        line = reader.readline()
        if not line:
            return False
        headers = http.client.parse_headers(reader)
        body = reader.read(int(headers.get("Content-Length", 0)))
        self.requests.append((line.split()[0].decode(), line.split()[1].decode(), headers, body))
        if not self.answers:
            return False
        answer = self.answers.pop(0)
        if answer is None:
            connection.shutdown(socket.SHUT_RDWR)
            return False
        if isinstance(answer, bytes):
            connection.sendall(answer)
            connection.shutdown(socket.SHUT_RDWR)
            return False
        status, value = answer
        data = json.dumps(value).encode()
        connection.sendall(b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%s" % (status, len(data), data))
        return bool(self.answers)

    def close(self):
        for a_socket in (self.listener, *self.open):
            try:
                a_socket.shutdown(socket.SHUT_RDWR)  # wakes the thread
            except OSError:
                pass
        self.thread.join()
        for a_socket in (self.listener, *self.open):
            a_socket.close()


STOPPING = (503, {"error": {"code": "stopping", "message": "the end"}})
PLANS = (200, {"plans": [{"id": "a-1", "attributes": [2], "cost": 1.5, "expires_at": "2026-11-28T10:00:00Z"}]})


class TryingAgain(ClientTestCase):
    def scripted(self, *answers, **keywords):
        server = Script(self, *answers)
        return server, self.client(server.url, **keywords)

    def test_asking_is_not_tried_again_once_the_answer_was_lost(self):
        server, client = self.scripted(None, PLANS)
        with self.assertRaises(Unavailable) as caught:
            client.ask()
        self.assertTrue(caught.exception.sent)
        self.assertEqual(len(server.requests), 1)
        self.assertEqual(client.ask()[0].expires_at,
                         datetime.datetime(2026, 11, 28, 10, tzinfo=datetime.timezone.utc))

    def test_unless_the_caller_says_so(self):
        server, client = self.scripted(None, None, PLANS)
        self.assertEqual(client.ask(1, ask_again=True)[0].id, "a-1")
        self.assertEqual([request[3] for request in server.requests], [b'{"count":1}'] * 3)

    def test_asking_is_tried_again_where_nothing_was_done(self):
        server, client = self.scripted(STOPPING, STOPPING, PLANS)
        self.assertEqual(client.ask()[0].cost, 1.5)
        self.assertEqual(len(server.requests), 3)

    def test_nor_where_it_was_done_but_is_not_durable(self):
        failed = (503, {"error": {"code": "not_durable", "message": "the disk is full"}})
        server, client = self.scripted(failed, failed, (200, {"id": "a-1", "status": "duplicate"}))
        with self.assertRaises(Unavailable) as caught:
            client.ask(durable=True)
        self.assertEqual((caught.exception.code, caught.exception.sent), ("not_durable", True))
        self.assertTrue(client.tell("a-1", 1, [1], durable=True).learned)
        self.assertEqual([request[1] for request in server.requests],
                         ["/v1/ask?durable=true", *["/v1/tell?durable=true"] * 2])

    def test_learning_is_not_tried_again(self):
        server, client = self.scripted(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", (200, {}))
        with self.assertRaises(Unavailable):
            client.learn([(1, [1])])
        self.assertEqual(len(server.requests), 1)
        client.status()

    def test_telling_is_tried_again_and_a_duplicate_is_learned(self):
        _, client = self.scripted(None, (200, {"id": "a-1", "status": "duplicate", "message": "before"}))
        self.assertTrue(client.tell("a-1", 1, [1]).learned)

    def test_a_batch_that_broke_off_is_told_again_and_the_rest_once(self):
        learned = {"id": "a", "status": "learned"}
        server, client = self.scripted((200, {"results": [learned]}), None, (200, {"results": [learned]}))
        with mock.patch.object(glimpse_client._client, "_BATCH_BYTES", 10):
            told = client.tell_many(Tell(f"a-{n}", 1, [1]) for n in range(2))
        self.assertEqual([answer.status for answer in told], ["learned", "learned"])
        self.assertEqual([json.loads(request[3])[0]["id"] for request in server.requests], ["a-0", "a-1", "a-1"])

    def test_what_came_before_a_failure_is_told(self):
        learned = {"id": "a", "status": "learned"}
        _, client = self.scripted((200, {"results": [learned]}), STOPPING, retries=0)
        with mock.patch.object(glimpse_client._client, "_BATCH_BYTES", 10), self.assertRaises(Unavailable) as caught:
            client.tell_many(Tell(f"a-{n}", 1, [1]) for n in range(3))
        self.assertEqual((caught.exception.status, caught.exception.code), (503, "stopping"))
        self.assertEqual([answer.status for answer in caught.exception.partial], ["learned"])

    def test_pauses_double_up_to_a_limit(self):
        _, client = self.scripted(*[STOPPING] * 9, retries=8, backoff=0.1)
        with mock.patch.object(time, "sleep") as slept, self.assertRaises(Unavailable):
            client.status()
        pauses = [call.args[0] for call in slept.call_args_list]
        self.assertEqual(len(pauses), 8)
        for pause, most in zip(pauses, (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5)):
            self.assertLessEqual(pause, most)
            self.assertGreaterEqual(pause, most / 2)

    def test_an_answer_that_does_not_come_in_time_is_no_answer(self):
        server, client = self.scripted(timeout=0.05, retries=0)
        with self.assertRaises(Unavailable) as caught:
            client.ask()
        self.assertTrue(caught.exception.sent)
        until(lambda: server.requests, "the request has come")

    def test_what_is_no_answer_of_glimpsed_is_told_as_that(self):
        for answer in ((200, [1]), (200, {"plan": []}), (200, {"plans": [{"id": "a-1"}]}), (500, "oops")):
            server, client = self.scripted(answer)
            with self.assertRaises(GlimpseError) as caught:
                client.ask()
            self.assertEqual(caught.exception.code, "invalid_answer", answer)
            self.assertEqual(len(server.requests), 1)
        _, client = self.scripted((200, {"results": []}))
        with self.assertRaisesRegex(GlimpseError, "0 answers to 1 items"):
            client.tell_many([Tell("a-1", 1, [1])])

    def test_what_can_be_had_and_for_how_long_is_said(self):
        server, client = self.scripted(PLANS, PLANS)
        client.ask(3, available=iter(["age", 17]), ttl="12h")
        client.ask(ttl=0.5)
        self.assertEqual([json.loads(request[3]) for request in server.requests],
                         [{"count": 3, "available": ["age", 17], "ttl": "12h"}, {"count": 1, "ttl": 0.5}])

    def test_why_a_body_is_refused_is_read_although_sending_it_failed(self):
        send = http.client.HTTPConnection.send

        def send_and_break(connection, data):
            send(connection, data)
            if b"values" in data:
                raise BrokenPipeError

        server, client = self.scripted((413, {"error": {"code": "too_large", "message": "m"}}), (200, {}))
        with mock.patch.object(http.client.HTTPConnection, "send", send_and_break):
            with self.assertRaises(InvalidRequest) as caught:
                client.predict([[1]])
        self.assertEqual((caught.exception.status, caught.exception.code), (413, "too_large"))
        self.assertIsNone(client._connection.sock)  # what half a body would be followed by is nothing to read on
        self.assertEqual(len(server.requests), 1)
        client.status()

    def test_a_token_is_shown(self):
        server, client = self.scripted((200, {}), token="secret")
        client.status()
        self.assertEqual(server.requests[0][2]["Authorization"], "Bearer secret")

    def test_what_to_buy_for_a_prediction(self):
        choices = [{"attribute": 17, "name": "age", "cost": 1, "standard_error": 0.31}, {"attribute": 3}]
        server, client = self.scripted(
            (200, {"choices": choices, "prediction": 0.5, "standard_error": 0.4}),
            (200, {"predictions": [0.5], "standard_errors": [0.1], "examples": 7}),
            (200, {"predictions": [0.5, None], "standard_errors": [0.1, None], "examples": 7}))
        answer = client.choose({"age": 3, 17: 0.5}, 2)
        self.assertEqual((answer.prediction, answer.standard_error), (0.5, 0.4))
        self.assertEqual((answer.choices[0].attribute, answer.choices[0].name, answer.choices[0].standard_error),
                         (17, "age", 0.31))
        self.assertEqual((answer.choices[1].attribute, answer.choices[1].cost), (3, None))
        self.assertEqual(client.predict(known={"age": 3}).standard_errors, (0.1,))
        self.assertEqual(client.predict(known=[{"age": 3}, {}]).predictions, (0.5, None))
        self.assertEqual([json.loads(request[3]) for request in server.requests],
                         [{"for": "prediction", "known": {"age": 3, "17": 0.5}, "count": 2},
                          {"known": {"age": 3}}, [{"known": {"age": 3}}, {"known": {}}]])

    def test_a_wrong_url_is_refused(self):
        for url in ("", "unix:", "localhost:80", "ftp://h:1", "http://", "http://h:1/path", "http://h:x"):
            with self.assertRaises(ValueError, msg=url):
                Client(url)


if __name__ == "__main__":
    unittest.main(verbosity=2)
