"""Tokens: what each lets in, on HTTP and on streams, how they are read again; and that no secret gets out."""

import json
import re
import signal
import socket
import unittest

from harness import DEADLINE, SMALL, StreamClient, examples, ndjson, until
from locked_support import READER, TEACHER, WRITER, Locked, bearer

NEW_WRITER = "writer-00000000000000ff"


class Tokens(Locked):
    def test_on_tcp_each_path_asks_for_the_token_that_it_needs(self):
        daemon = self.on_tcp("--token-file", self.tokens(), "--state-directory", self.path("state"))
        line = ndjson(examples(1))
        reads = [("GET", "/v1/status", None), ("GET", "/v1/history", None), ("GET", "/v1/model", None), ("GET", "/v1/moments", None),
                 ("GET", "/v1/plans", None), ("GET", "/metrics", None), ("GET", "/v1/checkpoints", None),
                 ("GET", "/v1/model?checkpoint=0", None), ("POST", "/v1/predict?checkpoint=0", '{"values": [1, 2, 3, 4]}'),
                 ("POST", "/v1/predict", '{"values": [1, 2, 3, 4]}')]
        writes = [("POST", "/v1/learn", line), ("POST", "/v1/ask", "{}"), ("POST", "/v1/tell", "{}"),
                  ("DELETE", "/v1/plans/1", None), ("POST", "/v1/checkpoint", None), ("PUT", "/v1/whatever", None),
                  ("POST", "/v1/freeze", None), ("POST", "/v1/unfreeze", None), ("POST", "/v1/promote?checkpoint=77", None),
                  ("POST", "/v1/merge", "x")]
        self.assertEqual(self.ask(daemon, "POST", "/v1/learn", line, bearer(WRITER))[0], 200)
        for method, path, body in reads + writes:
            with self.subTest(method=method, path=path):
                self.assertEqual(self.ask(daemon, method, path, body)[0], 401)
                self.assertEqual(self.ask(daemon, method, path, body, bearer("wrong-0123456789abcdef"))[0], 401)
                self.assertEqual(self.ask(daemon, method, path, body, {"Authorization": f"Basic {WRITER}"})[0], 401)
                self.assertNotIn(self.ask(daemon, method, path, body, bearer(WRITER))[0], (401, 403))
                read = self.ask(daemon, method, path, body, bearer(READER))[0]
                self.assertEqual(read, 200 if (method, path, body) in reads else 403)
        for path in ("/healthz", "/readyz"):
            self.assertEqual(self.ask(daemon, "GET", path)[0], 200)
        metrics = self.ask(daemon, "GET", "/metrics", headers=bearer(READER))[1]
        refused = 3 * len(reads) + 4 * len(writes)
        self.assertIn(f'glimpse_refused_total{{reason="token"}} {refused}', metrics)
        self.assertEqual(json.loads(self.ask(daemon, "GET", "/v1/status", headers=bearer(READER))[1])["examples"], 2)

    def test_a_body_is_not_waited_for_when_the_token_is_missing(self):
        daemon = self.on_tcp("--token-file", self.tokens())
        with socket.create_connection(("127.0.0.1", daemon.port)) as client:
            client.settimeout(DEADLINE)
            client.sendall(b"POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
            answer = client.makefile("rb")
            self.assertTrue(answer.readline().startswith(b"HTTP/1.1 401"))
            headers = answer.read().decode()  # to the end: the connection is closed
            self.assertIn("WWW-Authenticate: Bearer", headers)
            self.assertIn("Connection: close", headers)

    def test_on_a_unix_socket_a_token_is_needed_only_to_be_allowed_less(self):
        daemon = self.start(*SMALL, "--token-file", self.tokens())
        body = ndjson(examples(1))
        self.assertEqual(daemon.post("/v1/learn", body).status, 200)
        self.assertEqual(daemon.request("POST", "/v1/learn", body, bearer(READER)).status, 403)
        self.assertEqual(daemon.request("POST", "/v1/learn", body, bearer(WRITER)).status, 200)
        self.assertEqual(daemon.request("GET", "/v1/status", None, bearer("wrong-0123456789abcdef")).status, 401)

    def test_sighup_reads_the_tokens_again_and_a_bad_file_leaves_them(self):
        path = self.tokens()
        daemon = self.on_tcp("--token-file", path)
        self.assertEqual(self.ask(daemon, "GET", "/v1/status", headers=bearer(WRITER))[0], 200)
        self.tokens(content=f"write {NEW_WRITER}\n")
        daemon.send_signal(signal.SIGHUP)
        daemon.wait_log("the configuration was read again")
        self.assertEqual(self.ask(daemon, "GET", "/v1/status", headers=bearer(WRITER))[0], 401)
        self.assertEqual(self.ask(daemon, "GET", "/v1/status", headers=bearer(NEW_WRITER))[0], 200)
        self.tokens(content="nonsense\n")
        daemon.send_signal(signal.SIGHUP)
        daemon.wait_log("nothing was changed: --token-file .*: line 1")
        self.assertEqual(self.ask(daemon, "GET", "/v1/status", headers=bearer(NEW_WRITER))[0], 200)

    def test_a_body_that_is_on_its_way_when_its_token_is_taken_away_is_refused(self):
        daemon = self.on_tcp("--token-file", self.tokens())
        body = ndjson(examples(2)).encode()
        with socket.create_connection(("127.0.0.1", daemon.port), DEADLINE) as client:
            client.sendall(b"POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nExpect: 100-continue\r\n"
                           b"Authorization: Bearer %s\r\n\r\n" % (len(body), TEACHER.encode()))
            self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 100"))
            client.sendall(body[:10])
            self.tokens(content=f"write {WRITER}\n")
            daemon.send_signal(signal.SIGHUP)
            daemon.wait_log("the configuration was read again")
            client.sendall(body[10:])
            self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 401"))
        self.assertEqual(json.loads(self.ask(daemon, "GET", "/v1/status", headers=bearer(WRITER))[1])["examples"], 0)

    def test_sighup_with_a_configuration_that_was_cut_short_opens_no_door(self):
        configuration = self.path("glimpsed.conf")
        whole = f"dimension=4\nbudget=2\nallow-remote=on\ntoken-file={self.tokens()}\n"
        for rest in ("", "dimension=4\nbudget=2\n", whole.replace("allow-remote=on\n", "").replace("token-file", "#")):
            with open(configuration, "w", encoding="utf-8") as file:
                file.write(whole)
            daemon = self.start("--config", configuration, "--http", "127.0.0.1:0", http=None)
            daemon.port = int(daemon.wait_log(r"HTTP door open on tcp:\S+:(\d+)").group(1))
            with open(configuration, "w", encoding="utf-8") as file:
                file.write(rest)
            daemon.send_signal(signal.SIGHUP)
            daemon.wait_log("SIGHUP: (the configuration was read again|nothing was changed)")
            self.assertEqual(self.ask(daemon, "GET", "/v1/status")[0], 401)
            self.assertEqual(self.ask(daemon, "GET", "/v1/status", headers=bearer(WRITER))[0], 200)
            daemon.stop()
            daemon.wait_log("SIGHUP: token-file, which the configuration names no more, "
                                            "cannot change while running")

    def test_a_tls_handshake_on_a_plain_stream_door_is_no_stream_whatever_lines_it_holds(self):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0")
        with StreamClient(daemon.door()) as client:
            client.send(b"\x16\x03\x01\x00\x20\x01\n1 | 0:1\n1 | 0:1\n")
            self.assertEqual(client.line(), "error: a TLS handshake came to a stream door without TLS; closing\n")
        self.assertEqual(daemon.status()["examples"], 0)

    def test_who_shows_no_token_in_time_gives_the_place_back(self):
        daemon = self.start(*SMALL, "--token-file", self.tokens(), "--listen", "tcp:127.0.0.1:0", "--max-connections",
                            5, "--greeting-timeout", "300ms")
        silent = [StreamClient(daemon.door()) for _ in range(5)]
        silent[0].send("#glimpse toke")
        for client in silent:
            self.assertEqual(client.line(), "error: the first line '#glimpse ...' did not come whole in time; "
                                            "closing\n")
            self.assertEqual(client.line(), "")
            client.close()

        def admitted():
            with StreamClient(daemon.door()) as bearer_of_one:
                try:
                    bearer_of_one.send(f"#glimpse token={WRITER}\n1 | 0:1\n")
                    return bearer_of_one.ask("| 0:1\n")
                except OSError:
                    return ""

        until(admitted, "a place is free")
        self.assertIn('glimpse_refused_total{reason="timeout"} 5', daemon.get("/metrics").body.decode())
        daemon.wait_log(r"a connection was closed: it showed no token within 300 ms "
                                        r"\(--greeting-timeout\)")

    def test_a_greeting_that_was_begun_must_end_also_without_tokens(self):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0", "--greeting-timeout", "300ms")
        with StreamClient(daemon.door()) as begun, StreamClient(daemon.door()) as silent:
            begun.send("#glimpse sour")
            self.assertIn("did not come whole in time", begun.line())
            float(silent.ask("| 0:1\n"))

    def test_no_secret_gets_into_the_log_the_metrics_or_the_status(self):
        daemon = self.on_tcp("--token-file", self.tokens(), "--log-level", "debug")
        self.ask(daemon, "POST", "/v1/learn", "{}", bearer(READER))
        self.ask(daemon, "GET", "/v1/status?token=" + WRITER, headers=bearer("almost-" + WRITER))
        seen = [self.ask(daemon, "GET", path, headers=bearer(WRITER))[1]
                for path in ("/metrics", "/v1/status", "/v1/model", "/v1/plans", "/nowhere")]
        daemon.stop()
        for text in seen + [daemon.stderr]:
            for secret in (READER, WRITER):
                self.assertNotIn(secret, text)

    def test_many_wrong_tokens_do_not_fill_the_log(self):
        daemon = self.on_tcp("--token-file", self.tokens())
        for _ in range(300):
            self.ask(daemon, "GET", "/v1/status")
        metrics = self.ask(daemon, "GET", "/metrics", headers=bearer(READER))[1]
        self.assertIn('glimpse_refused_total{reason="token"} 300', metrics)
        daemon.stop()
        lines = re.findall("was refused: GET /v1/status: no token that is known", daemon.stderr)
        told = sum(map(int, re.findall(r"(\d+) more warnings like this were left out", daemon.stderr)))
        self.assertEqual(len(lines) + told, 300)

    def test_a_file_that_others_may_read_or_that_says_nothing_stops_the_start(self):
        for content, mode, why in ((f"read {READER}\n", 0o644, "mode 0644"), ("", 0o600, "has no token"),
                                   ("read short\n", 0o600, "line 1")):
            status, line = self.refused(*SMALL, "--http", "127.0.0.1:0", "--token-file",
                                        self.tokens(content=content, mode=mode))
            self.assertEqual(status, 2)
            self.assertIn(why, line)
            self.assertNotIn("short", line)


class StreamTokens(Locked):
    def test_a_stream_on_tcp_begins_with_a_token_that_is_known(self):
        daemon = self.start(*SMALL, "--token-file", self.tokens(), "--listen", "tcp:127.0.0.1:0", "--listen",
                            f"unix:{self.path('stream')}", "--state-directory", self.path("state"))
        for first in ("1 | 0:1\n", "#glimpse source=a\n", "\n"):
            with daemon.client() as client:
                self.assertEqual(client.ask(first), "error: this door needs a token: the first line "
                                                    "'#glimpse token=TOKEN'; closing\n")
                self.assertEqual(client.line(), "")
        with daemon.client() as client:
            self.assertEqual(client.ask(f"#glimpse token=wrong-{WRITER}\n"),
                             "error: this token is not known here; closing\n")
        with daemon.client() as client:
            client.send(f"#glimpse token={WRITER}\n1 | 0:1\n")
            float(client.ask("| 0:1\n"))
        with daemon.client() as client:
            self.assertEqual(client.ask(f"#glimpse token={WRITER} source=a\n"), "resume 0\n")
        with daemon.client("unix") as client:  # the file's permissions let it in
            client.send("1 | 0:1\n")
            float(client.ask("| 0:1\n"))
        self.assertEqual(daemon.status()["examples"], 2)
        self.assertIn('glimpse_refused_total{reason="token"} 4', daemon.get("/metrics").body.decode())
        daemon.stop()
        self.assertNotIn(WRITER, daemon.stderr.replace(f"wrong-{WRITER}", ""))
        self.assertNotIn(f"wrong-{WRITER}", daemon.stderr)

    def test_with_a_token_that_may_read_a_stream_predicts_and_changes_nothing(self):
        daemon = self.start(*SMALL, "--token-file", self.tokens(), "--listen", "tcp:127.0.0.1:0", "--state-directory",
                            self.path("state"))
        daemon.post("/v1/learn", ndjson(examples(100)))
        model = daemon.model()
        with daemon.client() as client:
            client.send(f"#glimpse token={READER}\n")
            float(client.ask("| 0:1\n"))
            self.assertIn("the token of this connection may read only: not learned", client.ask("1 | 0:1\n"))
            self.assertIn("the token of this connection may read only: not learned", client.ask("1 | name:1\n"))
            float(client.ask("| 0:1\n"))
        with daemon.client() as client:
            client.send(f"#glimpse token={READER}\nlabel,a,b,c,d\n")
            self.assertIn("may read only", client.ask("1,1,2,3,4\n"))
        with daemon.client() as client:
            self.assertEqual(client.ask(f"#glimpse token={READER} source=a\n"),
                             "error: this token may read only, and a source is for learning; closing\n")
        body = "label,a,b,c,d\n,1,2,3,4\n"
        self.assertEqual(daemon.request("POST", "/v1/predict?format=csv", body, bearer(READER)).status, 200)
        self.assertEqual(daemon.model(), model)
        self.assertEqual(daemon.status()["named_sources"], 0)

    def test_a_token_that_is_taken_away_ends_what_it_opened_and_what_came_before_is_accounted_for(self):
        daemon = self.start(*SMALL, "--token-file", self.tokens(), "--listen", "tcp:127.0.0.1:0", "--state-directory",
                            self.path("state"), "--checkpoint-every", "1h")
        with daemon.client() as source, daemon.client() as teacher, daemon.client() as other:
            self.assertEqual(source.ask(f"#glimpse token={TEACHER} source=a\n"), "resume 0\n")
            teacher.send(f"#glimpse token={TEACHER}\n1 | 0:1\n")
            float(teacher.ask("| 0:1\n"))
            other.send(f"#glimpse token={WRITER}\n1 | 0:1\n")
            source.send("1 | 0:1\n" * 10 + "2 | 0:")
            daemon.wait_examples(12)
            self.tokens(content=f"write {WRITER}\nread {READER}\n")
            daemon.send_signal(signal.SIGHUP)
            self.assertEqual(source.line(), "error: this token is not known here any more; records inside: 10; closing\n")
            self.assertEqual(source.line(), "durable 10\n")
            self.assertEqual(source.line(), "")
            self.assertEqual(teacher.line(), "error: this token is not known here any more; "
                                             "examples learned on this connection: 1; closing\n")
            self.assertEqual(teacher.line(), "")
            daemon.wait_log("SIGHUP: stream connections closed, as their tokens were removed or may only read now: 2")
            float(other.ask("| 0:1\n"))
            self.tokens(content=f"read {WRITER}\n")
            daemon.send_signal(signal.SIGHUP)
            self.assertEqual(other.line(), "error: this token may read only now; examples learned on this connection: 1; closing\n")
        self.assertEqual(daemon.status()["examples"], 12)
        metrics = daemon.get("/metrics").body.decode()
        self.assertIn('glimpse_refused_total{reason="revoked"} 3\n', metrics)
        self.assertIn('glimpse_refused_total{reason="token"} 0\n', metrics)

    def test_a_token_that_is_taken_away_ends_a_connection_whose_client_never_reads(self):
        daemon = self.on_tcp("--token-file", self.tokens(), "--listen", "tcp:127.0.0.1:0")
        with daemon.client() as client:
            client.send(f"#glimpse token={READER}\n")
            client.socket.settimeout(1)
            with self.assertRaises(TimeoutError):  # neither side takes more
                for _ in range(10000):
                    client.send("| 0:1\n" * 10000)
            self.tokens(content=f"write {WRITER}\n")
            daemon.send_signal(signal.SIGHUP)
            daemon.wait_log("SIGHUP: stream connections closed, as their tokens were removed or may only read now: 1")
            until(lambda: b"glimpse_connections 1\n" in self.ask(daemon, "GET", "/metrics", headers=bearer(WRITER))[1].encode(),
                  "the connection left is the one that asks")

    def test_a_token_may_come_byte_by_byte(self):
        daemon = self.start(*SMALL, "--token-file", self.tokens(), "--listen", "tcp:127.0.0.1:0")
        with daemon.client() as client:
            for byte in f"#glimpse token={WRITER}\n1 | 0:1\n| 0:1\n":
                client.send(byte)
            float(client.line())
        self.assertEqual(daemon.status()["examples"], 1)


if __name__ == "__main__":
    unittest.main()
