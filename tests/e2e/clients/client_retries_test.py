"""tools/python/glimpsed/client against servers that break off, refuse and say nonsense: what is tried again or not."""

import contextlib
import datetime
import http.client
import io
import itertools
import json
import socket
import threading
import time
import unittest
from unittest import mock

from client_support import ClientTestCase
import glimpsed.client
from glimpsed.client import Client, GlimpseError, InvalidRequest, Tell, Unavailable
from harness import speak, until


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

    def test_what_could_not_be_saved_and_changed_nothing_was_not_done(self):
        for code, message in (("not_durable", "nothing was changed, and learning goes on, as no checkpoint could be written"),
                              ("not_promoted", "nothing was promoted, as no checkpoint of it could be written")):
            failed = (503, {"error": {"code": code, "message": message}})
            server, client = self.scripted(failed, failed, (200, {"replaced_examples": 7}), retries=1)
            with self.assertRaises(Unavailable) as caught:
                client.freeze()
            self.assertEqual((caught.exception.code, caught.exception.sent), (code, False))
            self.assertEqual(client.promote(200), {"replaced_examples": 7})
        server, client = self.scripted(failed, (200, {"replaced_examples": 7}))
        self.assertEqual(client.promote(200), {"replaced_examples": 7})
        self.assertEqual(len(server.requests), 2)

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
        first, second = ((200, {"results": [{"id": f"a-{n}", "status": "learned"}]}) for n in range(2))
        server, client = self.scripted(first, None, second)
        with mock.patch.object(glimpsed.client._client, "_BATCH_BYTES", 10):
            told = client.tell_many(Tell(f"a-{n}", 1, [1]) for n in range(2))
        self.assertEqual([answer.status for answer in told], ["learned", "learned"])
        self.assertEqual([json.loads(request[3])[0]["id"] for request in server.requests], ["a-0", "a-1", "a-1"])

    def test_what_came_before_a_failure_is_told(self):
        learned = {"id": "a-0", "status": "learned"}
        _, client = self.scripted((200, {"results": [learned]}), STOPPING, retries=0)
        with mock.patch.object(glimpsed.client._client, "_BATCH_BYTES", 10), self.assertRaises(Unavailable) as caught:
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

    def test_an_answer_that_goes_on_and_on_is_no_answer(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve():
            with listener.accept()[0] as connection:
                try:
                    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                    while True:
                        connection.sendall(b" ")
                        time.sleep(0.001)
                except OSError:
                    pass  # the client has gone

        thread = threading.Thread(target=serve)
        thread.start()
        self.addCleanup(thread.join)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with mock.patch.object(glimpsed.client._connection, "LONGEST", 1), \
                self.assertRaisesRegex(Unavailable, "did not end within 1 times timeout, 0.5 s|timed out"), \
                Client(url, timeout=0.5, retries=0) as client:
            client.status()

    def test_an_answer_that_comes_fast_enough_may_take_as_long_as_it_needs(self):
        connection = glimpsed.client._connection
        for rate, seconds in ((20000, 300), (8000, 120), (1000, 64)):  # 60 alone, and what came at that rate
            sock = mock.Mock(gettimeout=lambda: 1.0, recv_into=lambda into, rate=rate: rate)
            with mock.patch.object(connection.time, "monotonic", side_effect=itertools.count()):
                answer = connection._Timed(sock, io.BytesIO())
                came = 0
                with contextlib.suppress(TimeoutError):
                    while came < 300:
                        answer.readinto(memoryview(bytearray(rate)))
                        came += 1
            self.assertAlmostEqual(came, seconds, delta=4)

    def test_what_is_no_answer_of_glimpsed_is_told_as_that(self):
        for answer in ((200, [1]), (200, {"plan": []}), (200, {"plans": [{"id": "a-1"}]}), (500, "oops")):
            server, client = self.scripted(answer)
            with self.assertRaises(GlimpseError) as caught:
                client.ask()
            self.assertEqual(caught.exception.code, "invalid_answer", answer)
            self.assertEqual(len(server.requests), 1)
        _, client = self.scripted((200, {"results": []}))
        with self.assertRaisesRegex(GlimpseError, "'results' has 0 of 1 item"):
            client.tell_many([Tell("a-1", 1, [1])])

    def test_an_answer_about_something_else_is_refused(self):
        for answer, ask, wanted in (
                ({"predictions": [None, 1]}, lambda c: c.predict([[1], [2]]), "'predictions' cannot be understood"),
                ({"plans": []}, lambda c: c.ask(3), "'plans' has 0 of 3 plans"),
                ({"id": "zzz", "status": "learned"}, lambda c: c.tell("a-1", 1, [1]), "'a-1' was told, .* is of 'zzz'"),
                ({"results": [{"id": "zzz", "status": "learned"}]}, lambda c: c.tell_many([Tell("a-1", 1, [1])]),
                 "'a-1' was told, .* is of 'zzz'"),
                ({"id": "a-1", "status": "banana"}, lambda c: c.tell("a-1", 1, [1]), "'banana' is no status")):
            _, client = self.scripted((200, answer))
            with self.assertRaisesRegex(GlimpseError, wanted) as caught:
                ask(client)
            self.assertEqual(caught.exception.code, "invalid_answer")

    def test_an_answer_without_end_or_sense_is_refused(self):
        endless = b"HTTP/1.1 200 OK\r\n\r\n" + b" " * 100000
        for answer, wanted in (((200, {"predictions": [1]}), "'predictions' has 1 of 2 examples"),
                               ((200, {"predictions": [1, float("nan")]}), "not a JSON object"),
                               (b'HTTP/1.1 200 OK\r\n\r\n{"predictions": [1, 1e999]}', "not a JSON object"),
                               (b'HTTP/1.1 200 OK\r\n\r\n{"predictions": ' + b"[" * 200000, "not a JSON object|longer"),
                               (endless, "longer than max_answer, 50000 bytes"),
                               ((400, {"error": {"code": "x", "message": "\x1b[2Jgone"}}), r"^x: \\x1b\[2Jgone$")):
            server = Script(self, answer)
            with self.assertRaisesRegex(GlimpseError, wanted), \
                    Client(server.url, retries=0, max_answer=50000 if answer is endless else 1 << 20) as client:
                client.predict([[1, 2], [3, 4]])

    def test_numbers_that_cannot_be_are_refused(self):
        def answer(call, value, wanted):
            server = Script(self, (200, value))
            with self.assertRaisesRegex(GlimpseError, wanted) as caught, Client(server.url, retries=0) as client:
                call(client)
            self.assertEqual(caught.exception.code, "invalid_answer")

        for more, wanted in (({"standard_errors": [0.1]}, "'standard_errors' has 1 of 2 examples"),
                             ({"standard_errors": [0.1, -1]}, "'standard_errors' is -1, which cannot be"),
                             ({"classes": ["a", "b"], "probability": [0.5, 7.5]}, "'probability' is 7.5, which"),
                             ({"classes": ["a", "b"], "predictions": ["a", "b"], "probabilities": [[1], [0.5, 0.5]]},
                              "'probabilities' has 1 of 2 names"),
                             ({"examples": -3}, "'examples' is -3")):
            answer(lambda client: client.predict([[1], [2]]), {"predictions": [1, 2], **more}, wanted)
        by_label = {"predictions": {"probability": [4.8], "count": [-1.5]}, "standard_errors": {"count": [0.5], "loss": [-1]}}
        answer(lambda client: client.predict([[1]]), by_label, "'standard_errors' is -1, which cannot be")
        for value in ({"accepted": 5000000}, {"accepted": -1}, {"accepted": 1.5}, {}, {"accepted": 1, "error_count": 3},
                      {"accepted": 1, "skipped": True}, {"accepted": 1, "errors": [{"line": "x"}]}):
            answer(lambda client: client.learn([(1, [1])] * 3), value, "cannot be")
        for value in ({"examples": 2.5}, {"progressive_loss": -1}, {"held_out_classes": {"brier": -0.1}}, {"recent_r2": 1.5},
                      {"sources": [{"examples": -1}]}):
            answer(lambda client: client.status(), value, "which cannot be")
        for value in ({}, {"status": "abandoned"}, {"id": "a-1", "status": "learned"}):
            answer(lambda client: client.abandon("a-1"), value, "does not say that the plan is abandoned")
        _, client = self.scripted((200, {"predictions": [-1], "progressive_loss_estimate": -1, "held_out_values": 0, "r2": -7,
                                         "frozen": False, "probability": [1], "standard_errors": [None], "loss": -0.1}))
        self.assertEqual(client.predict([[1]]).predictions, (-1,))

    def test_a_list_of_plans_without_end_is_refused(self):
        def page(number, following):
            return 200, {"plans": [{**PLANS[1]["plans"][0], "id": f"a-{number}"}], "next": following}

        for longest, most, answers in ((60, 1 << 20, [page(1, "a-1"), page(1, "a-1")]), (60, 1 << 20, [page(1, 7)]),
                                       (60, 1 << 20, [(200, {"plans": [], "next": "a-1"})]), (-1, 1 << 20, [page(1, "a-1")]),
                                       (60, 200, [page(number, f"a-{number}") for number in range(5)])):
            server = Script(self, *answers, STOPPING)
            with mock.patch.object(glimpsed.client._client, "LONGEST", longest), \
                    self.assertRaisesRegex(GlimpseError, "the list of plans has no end"), \
                    Client(server.url, max_answer=most) as client:
                client.plans()
        _, client = self.scripted(page(1, "a-1"), page(2, None))
        self.assertEqual([plan.id for plan in client.plans()], ["a-1", "a-2"])

    def source(self, first, again=b"", **keywords):
        """A Source of a daemon that sends `first`, and `again` until the client has gone."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        self.addCleanup(speak(listener, first, again).join)
        return glimpsed.client.Source(f"tcp:127.0.0.1:{listener.getsockname()[1]}", "a", **keywords)

    def test_a_source_bounds_lines_and_reports_what_came_before_the_end(self):
        for answer, wanted in ((b"resume x\n", "cannot be understood"), (b"resume -1\n", "cannot be understood"),
                               (b"x" * (1 << 21), "a line is longer than"), (b"\xff\n", "closed the connection"),
                               (b"error: no\n", "closed the connection after error: no")):
            with self.assertRaisesRegex(Unavailable, wanted):
                self.source(answer)

    def test_a_source_does_not_wait_for_a_daemon_that_sends_on_and_on(self):
        for again, wanted in ((b"0.5\n", "there are more replies than records"), (b"durable 5\n", "nothing moved"),
                              (b"checkpoint pending\n", "nothing moved"), (b"checkpoint failed: x\n", "nothing moved.*: x")):
            with self.source(b"resume 5\ndurable 5\n", again, timeout=0.3) as source, self.assertRaisesRegex(Unavailable, wanted):
                source.send("1 1:1\n")
                source.finish()
        with self.assertRaisesRegex(Unavailable, "more replies"):
            self.source(b"", b"\n")

    def test_a_source_is_not_durable_beyond_what_was_sent(self):
        with self.assertRaisesRegex(Unavailable, "no more are inside and sent"), \
                self.source(b"resume 5\ndurable 5\n", b"durable 7\n") as source:
            source.send("1 1:1\n")
            source.finish()

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
            (200, {"predictions": [0.5, 2], "standard_errors": [0.1, None], "examples": 7}))
        answer = client.choose({"age": 3, 17: 0.5}, 2)
        self.assertEqual((answer.prediction, answer.standard_error), (0.5, 0.4))
        self.assertEqual((answer.choices[0].attribute, answer.choices[0].name, answer.choices[0].standard_error),
                         (17, "age", 0.31))
        self.assertEqual((answer.choices[1].attribute, answer.choices[1].cost), (3, None))
        self.assertEqual(client.predict(known={"age": 3}).standard_errors, (0.1,))
        self.assertEqual(client.predict(known=[{"age": 3}, {}]).predictions, (0.5, 2.0))
        self.assertEqual([json.loads(request[3]) for request in server.requests],
                         [{"for": "prediction", "known": {"age": 3, "017": 0.5}, "count": 2},
                          {"known": {"age": 3}}, [{"known": {"age": 3}}, {"known": {}}]])

    def test_a_wrong_url_is_refused(self):
        for url in ("", "unix:", "localhost:80", "ftp://h:1", "http://", "http://h:1/path", "http://h:x"):
            with self.assertRaises(ValueError, msg=url):
                Client(url)


if __name__ == "__main__":
    unittest.main(verbosity=2)
