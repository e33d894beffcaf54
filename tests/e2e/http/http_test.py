"""The HTTP door: every path, in good and in bad use."""

import http.client
import json
import re
import signal
import socket
import threading
import unittest

from harness import DEADLINE, SMALL, StreamClient, examples, ndjson, until
from http_support import HttpTestCase


class Http(HttpTestCase):
    def test_health_and_readiness(self):
        daemon = self.start(*SMALL)
        self.assertEqual((daemon.get("/healthz").status, daemon.get("/healthz").body), (200, b"ok\n"))
        self.assertEqual((daemon.get("/readyz").status, daemon.get("/readyz").body), (200, b"ready\n"))

    def test_tcp_serves_the_same(self):
        daemon = self.start(*SMALL, "--http", "127.0.0.1:0", http=None)
        address = daemon.wait_log(r"HTTP door open on tcp:127.0.0.1:(\d+)").group(1)
        connection = http.client.HTTPConnection("127.0.0.1", int(address), timeout=DEADLINE)
        for _ in range(3):  # on one connection
            connection.request("GET", "/v1/status")
            self.assertEqual(json.loads(connection.getresponse().read())["dimension"], 4)
        connection.close()

    def test_status_says_everything_that_is_promised(self):
        daemon = self.learned("--state-directory", self.path("state"))
        self.assertEqual(daemon.get("/v1/model").json()["examples"], 300)
        status = daemon.status()
        promised = ("algorithm dimension budget phase phase_since phase_reason look_ratio effective_attributes "
                    "examples attributes_revealed progressive_loss "
                    "progressive_loss_error parse_errors queue_bytes checkpoint_age_seconds plans_open uptime_seconds "
                    "version checkpoint_pause_seconds clip label_min label_max model_examples model_age_seconds "
                    "solve_seconds recent_loss recent_loss_error progressive_loss_estimate rmse recent_rmse "
                    "held_out_rmse held_out_mean_absolute_error held_out_median_absolute_error drift_alarms drift_examples "
                    "model_served model_served_examples model_excess model_excess_error").split()
        self.assertEqual([name for name in promised if name not in status], [])
        self.assertEqual((status["algorithm"], status["dimension"], status["budget"]), ("pairwise", 4, 3))
        self.assertEqual(status["examples"], 300)
        self.assertLessEqual(status["attributes_revealed"], 900)
        self.assertGreaterEqual(status["checkpoint_age_seconds"], 0)
        # The trainer publishes what it is about after it has answered.
        until(lambda: (lambda s: (s["model_examples"], s["model_age_seconds"]))(daemon.status()) == (300, 0),
              "the model that was given out is in the status")

    def test_an_unknown_path_is_404(self):
        daemon = self.start(*SMALL)
        for path in ("/page", "/page/", "/v1", "/v1/nothing", "/v1/status/"):
            self.assertEqual((daemon.get(path).status, daemon.get(path).error()), (404, "not_found"))

    def test_a_body_that_would_be_refused_is_not_asked_for(self):
        daemon = self.start(*SMALL)
        for head, status, wanted in (
                ("PUT /v1/learn", 405, "/v1/learn takes POST, not PUT (curl: --data-binary @FILE in place of -T FILE)"),
                ("POST /v1/status", 405, "/v1/status takes GET, not POST"), ("PUT /", 405, "/ takes GET, not PUT"),
                ("POST /v1/nothing", 404, "no such path"),
                ("POST /v1/learn HTTP/1.1\r\nContent-Type: Multipart/Form-Data; boundary=x", 415,
                 "the body is 'Multipart/Form-Data', a form (curl -F): send the file itself, with curl --data-binary @FILE")):
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(DEADLINE)
                client.connect(daemon.http_path)
                line, _, more = head.partition(" HTTP/1.1\r\n")
                client.sendall(f"{line} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n"
                               f"{more + chr(13) + chr(10) if more else ''}\r\n".encode())
                answer = client.makefile("rb").read().decode()  # to the end
                self.assertTrue(answer.startswith(f"HTTP/1.1 {status} "), answer)
                self.assertEqual("Allow: " in answer, status == 405)
                self.assertIn(wanted, answer)

    def test_a_wrong_method_is_405_with_allow(self):
        daemon = self.start(*SMALL)
        for method, path, allowed in (("POST", "/v1/status", "GET"), ("DELETE", "/v1/model", "GET"),
                                      ("GET", "/v1/predict", "POST"), ("GET", "/v1/learn", "POST"),
                                      ("PUT", "/v1/checkpoint", "POST"), ("POST", "/metrics", "GET"),
                                      ("GET", "/v1/promote", "POST"), ("DELETE", "/v1/checkpoints", "GET"),
                                      ("GET", "/v1/freeze", "POST"), ("PUT", "/v1/unfreeze", "POST")):
            answer = daemon.request(method, path)
            self.assertEqual((answer.status, answer.headers["Allow"], answer.error()),
                             (405, allowed, "method_not_allowed"))

    def test_head_answers_with_the_length_and_no_body(self):
        daemon = self.start(*SMALL)
        connection = daemon.connection()
        connection.request("HEAD", "/healthz")
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.headers["Content-Length"], answer.read()), (200, "3", b""))
        connection.request("GET", "/healthz")  # the connection is still sound
        self.assertEqual(connection.getresponse().read(), b"ok\n")
        connection.close()

    def test_a_body_over_the_limit_is_413_even_while_it_is_being_sent(self):
        daemon = self.start(*SMALL, "--max-body", "64KiB")
        for size in (65537, 8 << 20):
            answer = daemon.post("/v1/learn", b" " * size)
            self.assertEqual((answer.status, answer.error()), (413, "too_large"))
            self.assertIn("--max-body 65536", answer.json()["error"]["message"])
        chunked = daemon.connection()
        chunked.putrequest("POST", "/v1/learn")
        chunked.putheader("Transfer-Encoding", "chunked")
        chunked.endheaders()
        try:
            for _ in range(100):
                chunked.send(b"2000\r\n" + b" " * 8192 + b"\r\n")
            chunked.send(b"0\r\n\r\n")
        except OSError:
            pass
        self.assertEqual(chunked.getresponse().status, 413)
        chunked.close()
        self.assertEqual(daemon.post("/v1/learn", " " * 65536).status, 200)

    def test_headers_over_the_limit_are_431(self):
        daemon = self.start(*SMALL)
        answer = daemon.request("GET", "/v1/status", headers={"X-Long": "x" * 20000})
        self.assertEqual((answer.status, answer.error()), (431, "header_too_large"))

    def test_the_limit_of_headers_can_be_moved(self):
        for limit, status in (("64KiB", 200), ("1KiB", 431)):
            daemon = self.start(*SMALL, "--max-header", limit)
            self.assertEqual(daemon.get("/v1/status").status, 200)
            answer = daemon.request("GET", "/v1/status", headers={"X-Long": "x" * 20000})
            self.assertEqual(answer.status, status)
        self.assertIn("--max-header 1024 bytes", answer.json()["error"]["message"])

    def raw(self, daemon, content):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(DEADLINE)
            client.connect(daemon.http_path)
            client.sendall(content)
            answer = b""
            while piece := client.recv(65536):
                answer += piece
            return answer

    def test_what_is_no_http_is_400(self):
        daemon = self.start(*SMALL)
        self.assertRegex(self.raw(daemon, b"1 | 0:1\n\n\r\n\r\n"), rb"^HTTP/1.1 400 [^\0]*bad_request")
        self.assertEqual(daemon.get("/healthz").status, 200)

    def test_a_client_that_expects_to_be_told_to_go_on_is(self):
        daemon = self.start(*SMALL)
        body = b'{"label": 1, "values": [1, 0, 0, 0]}\n'
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(DEADLINE)
            client.connect(daemon.http_path)
            client.sendall(b"POST /v1/learn HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
                           % len(body))
            self.assertTrue(client.recv(1000).startswith(b"HTTP/1.1 100 "))
            for byte in body:  # and a slow body is a body
                client.sendall(bytes([byte]))
            self.assertTrue(client.recv(1000).startswith(b"HTTP/1.1 200 "))
        self.assertEqual(daemon.status()["examples"], 1)

    def test_a_request_that_does_not_arrive_in_time_is_dropped(self):
        daemon = self.start(*SMALL, "--http-timeout", "200ms")
        self.assertEqual(self.raw(daemon, b"GET /healthz HT"), b"")
        self.assertEqual(self.raw(daemon, b"POST /v1/learn HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"), b"")

    def test_each_path_refuses_parameters_that_it_does_not_have_and_those_that_come_twice(self):
        daemon = self.start(*SMALL)
        paths = {("GET", "/v1/status"): "checkpoint", ("GET", "/v1/history"): "since", ("GET", "/v1/model"): "format",
                 ("GET", "/v1/moments"): "format", ("POST", "/v1/predict"): "label", ("POST", "/v1/learn"): "format",
                 ("POST", "/v1/ask"): "label", ("POST", "/v1/tell"): "durable", ("GET", "/v1/plans"): "limit",
                 ("DELETE", "/v1/plans/1-1"): None, ("POST", "/v1/checkpoint"): None, ("GET", "/v1/checkpoints"): None,
                 ("POST", "/v1/promote"): "checkpoint", ("POST", "/v1/merge"): None, ("POST", "/v1/freeze"): None,
                 ("POST", "/v1/unfreeze"): None, ("GET", "/readyz"): "for"}
        listed = re.findall(r"/v1/[a-z]+|/readyz", daemon.get("/none").json()["error"]["message"])
        self.assertEqual({"/v1/plans" if "plans" in path else path for _, path in paths}, set(listed))
        for (method, path), known in paths.items():
            answer = daemon.request(method, path + "?colour=red")
            self.assertEqual((answer.status, answer.error()), (400, "unknown_parameter"), path)
            self.assertIn(f"{path} has no parameter", answer.json()["error"]["message"])
            self.assertIn("'colour'", answer.json()["error"]["message"])
            if known is None or known == "checkpoint":
                continue
            self.assertIn(known, answer.json()["error"]["message"])
            answer = daemon.request(method, f"{path}?{known}=a&{known}=b")
            self.assertEqual((answer.status, answer.error()), (400, "repeated_parameter"), path)
            self.assertIn(f"{known} is given twice", answer.json()["error"]["message"])
        self.assertFalse(daemon.status()["frozen"])
        for path in ("/healthz?x=1", "/metrics?x=1"):  # who probes adds what makes a path its own
            self.assertEqual(daemon.get(path).status, 200)
        for path, meant in (("/v1/model?lable=a", "label"), ("/v1/history?Since=3", "since"),
                            ("/v1/moments?fromat=csv", "format")):
            self.assertIn(f"did you mean '{meant}'?", daemon.get(path).json()["error"]["message"])
        self.assertNotIn("did you mean", daemon.get("/v1/model?colour=red").json()["error"]["message"])

    def test_a_parameter_that_learning_does_not_have_is_refused_and_nothing_is_learned(self):
        daemon = self.start(*SMALL)
        for query in ("replies=all", "format=json&replies=all", "replies"):
            answer = daemon.post(f"/v1/learn?{query}", ndjson(examples(3)))
            self.assertEqual((answer.status, answer.error()), (400, "unknown_parameter"))
            self.assertEqual(answer.json()["error"]["message"],
                             "/v1/learn has no parameter 'replies'; there are format, absent, header, delimiter, first_line, others, source, from and durable")
        self.assertEqual(daemon.post("/v1/learn?format=json", ndjson(examples(3))).json()["accepted"], 3)
        self.assertEqual(daemon.status()["examples"], 3)

    def test_learning_reports_each_line_that_cannot_be_read(self):
        daemon = self.start(*SMALL)
        answer = daemon.post("/v1/learn", '{"label": 1, "values": [1, 0, 0, 0]}\n{"label": NaN}\n'
                                          '{"label": 1, "values": {"7": 1}}\n[1, 2, 3, 4]\n')
        self.assertEqual(answer.status, 200)
        report = answer.json()
        self.assertEqual((report["accepted"], report["error_count"]), (1, 2))
        self.assertEqual([error["line"] for error in report["errors"]], [2, 3])
        self.assertEqual(daemon.status()["parse_errors"], 2)
        answer = daemon.post("/v1/learn", "{\n")
        self.assertEqual((answer.status, answer.error()), (400, "invalid_example"))
        self.assertEqual(daemon.post("/v1/learn", "[[1, 2").status, 400)

    def test_the_status_counts_the_plans_that_were_answered_before_it_was_asked_for(self):
        daemon = self.start(*SMALL)
        connection = daemon.connection()  # one, so that the question follows the answer closely

        def ask(method, path, body=None):
            connection.request(method, path, body)
            return json.loads(connection.getresponse().read())

        for count in range(1, 501):
            plan = ask("POST", "/v1/ask")["plans"][0]
            self.assertEqual(ask("GET", "/v1/status")["plans_open"], 1, f"after {count - 1} plans")
            ask("POST", "/v1/tell", json.dumps({"id": plan["id"], "label": 1, "values": [1] * len(plan["attributes"])}))
            status = ask("GET", "/v1/status")
            self.assertEqual((status["plans_open"], status["examples"]), (0, count))
        ask("DELETE", "/v1/plans/" + ask("POST", "/v1/ask")["plans"][0]["id"])
        self.assertEqual(ask("GET", "/v1/status")["plans_open"], 0)
        connection.close()

    def test_a_body_in_pieces_is_learned_once_and_whole(self):
        daemon = self.start(*SMALL)
        body = ndjson(examples(2000)).encode()
        connection = daemon.connection()
        connection.putrequest("POST", "/v1/learn")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        for i in range(0, len(body), 777):
            connection.send(body[i:i + 777])
        self.assertEqual(json.loads(connection.getresponse().read())["accepted"], 2000)
        connection.close()

    def test_clients_that_do_not_take_their_answers_hold_nobody_up_and_end(self):
        daemon = self.start("--dimension", 1000000, "--budget", 5, "--algorithm", "two-phase-ddaerr", "--max-unread",
                            "4MiB", "--http-timeout", "5s", "--listen", f"unix:{self.path('stream')}")
        with daemon.client("unix") as client:
            float(client.ask("1 | 0:1 1:0.5\n| 0:1\n"))
            answers = []
            rude = [StreamClient(f"unix:{daemon.http_path}") for _ in range(10)]
            for one in rude:
                one.send("GET /v1/model?format=safetensors HTTP/1.1\r\nHost: localhost\r\n\r\n")
            # What is small passes, and there is always the answer that would have been too much.
            float(client.ask("1 | 0:1 1:0.5\n| 0:1\n"))
            self.assertEqual(daemon.get("/readyz").status, 200)
            # Nor is an answer refused of which the plans are given out already.
            self.assertEqual(len(daemon.post("/v1/ask", '{"count": 3000}').json()["plans"]), 3000)
            for one in rude:
                answers.append(one.line())
            self.assertEqual(answers.count("HTTP/1.1 503 Service Unavailable\r\n"), 9)
            self.assertEqual(answers.count("HTTP/1.1 200 OK\r\n"), 1)
            float(client.ask("1 | 0:1 1:0.5\n| 0:1\n"))
            daemon.wait_log(r"a client on a Unix socket: answers that clients have not taken have more than "
                            r"--max-unread 4194304 bytes")
            daemon.wait_log(r"a client on a Unix socket: an answer was not taken within 5000 ms \(--http-timeout\)")
            metrics = daemon.get("/metrics").body.decode()
            self.assertIn('glimpse_refused_total{reason="unread"} 9', metrics)
            self.assertIn('glimpse_refused_total{reason="timeout"} 1', metrics)
            self.assertEqual(len(daemon.get("/v1/model?format=safetensors").body) > 8000000, True)
            for one in rude:
                one.close()

    def test_a_checkpoint_is_durable_when_it_is_answered(self):
        daemon = self.learned("--state-directory", self.path("state"))
        answer = daemon.post("/v1/checkpoint")
        self.assertEqual(answer.status, 200)
        with open(self.path("state", answer.json()["name"]), "rb") as file:
            self.assertGreater(len(file.read()), 100)
        self.assertEqual(answer.json()["examples"], 300)

    def test_without_a_state_directory_there_is_no_checkpoint(self):
        answer = self.start(*SMALL).post("/v1/checkpoint")
        self.assertEqual((answer.status, answer.error()), (409, "unavailable"))

    def test_many_ask_at_once(self):
        daemon = self.learned("--state-directory", self.path("state"))
        failures = []

        def ask():
            for _ in range(20):
                for method, path in (("GET", "/v1/model"), ("GET", "/metrics"), ("GET", "/v1/moments"),
                                     ("POST", "/v1/checkpoint")):
                    if daemon.request(method, path).status != 200:
                        failures.append(path)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_the_end_comes_while_connections_and_requests_are_open(self):
        daemon = self.start(*SMALL, "--state-directory", self.path("state"))
        idle = daemon.connection()
        idle.request("GET", "/healthz")
        idle.getresponse().read()
        half = socket.socket(socket.AF_UNIX)
        half.connect(daemon.http_path)
        half.sendall(b"POST /v1/learn HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        stop = threading.Event()

        def ask():
            while not stop.is_set():
                try:
                    daemon.post("/v1/learn", ndjson(examples(2000)))
                    daemon.get("/v1/model")
                except (OSError, http.client.HTTPException):
                    return

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        daemon.wait_examples(4000)
        status = daemon.stop(signal.SIGTERM)
        stop.set()
        for thread in threads:
            thread.join()
        idle.close()
        half.close()
        self.assertEqual(status, 0, daemon.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
