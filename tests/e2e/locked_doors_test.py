"""Who is let in: tokens, TLS, other machines, web pages, limits; and that no secret gets out."""

import http.client
import json
import os
import re
import signal
import socket
import ssl
import stat
import subprocess
import sys
import unittest
import warnings

from harness import DEADLINE, SMALL, StreamClient, TestCase, binary, examples, ndjson, until, vw

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "python")
sys.path.insert(0, TOOLS)
import glimpse_client  # noqa: E402

READER = "reader-0123456789abcdef"
WRITER = "writer-fedcba9876543210"
NEW_WRITER = "writer-00000000000000ff"


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


class TlsClient(StreamClient):
    """A client of a stream door behind TLS."""

    def __init__(self, address, context):
        super().__init__(address)
        self.reader.close()
        self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        self.reader = self.socket.makefile("rb")


class Locked(TestCase):
    def tokens(self, name="tokens", content=f"read {READER}\nwrite {WRITER}\n", mode=0o640):
        path = self.write(name, content)
        os.chmod(path, mode)
        return path

    def certificate(self, name="server", kind=("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")):
        """Paths of a certificate for localhost, signed by itself, and its key."""
        certificate, key = self.path(f"{name}.pem"), self.path(f"{name}.key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", *kind, "-nodes", "-keyout", key, "-out", certificate,
                        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                       check=True, capture_output=True)
        return certificate, key

    def on_tcp(self, *arguments):
        daemon = self.start(*SMALL, "--http", "127.0.0.1:0", *arguments, http=None)
        daemon.port = int(daemon.wait_log(r"HTTP door open on tcp:\S+:(\d+)").group(1))
        return daemon

    def ask(self, daemon, method, path, body=None, headers=None, context=None):
        """(status, body) of a request over TCP."""
        connection = (http.client.HTTPSConnection("localhost", daemon.port, timeout=DEADLINE, context=context)
                      if context else http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=DEADLINE))
        try:
            connection.request(method, path, body=body, headers=headers or {})
            with connection.getresponse() as answer:
                return answer.status, answer.read().decode()
        finally:
            connection.close()


class Tokens(Locked):
    def test_on_tcp_each_path_asks_for_the_token_that_it_needs(self):
        daemon = self.on_tcp("--token-file", self.tokens(), "--state-directory", self.path("state"))
        line = ndjson(examples(1))
        reads = [("GET", "/v1/status", None), ("GET", "/v1/model", None), ("GET", "/v1/moments", None),
                 ("GET", "/v1/plans", None), ("GET", "/metrics", None),
                 ("POST", "/v1/predict", '{"values": [1, 2, 3, 4]}')]
        writes = [("POST", "/v1/learn", line), ("POST", "/v1/ask", "{}"), ("POST", "/v1/tell", "{}"),
                  ("DELETE", "/v1/plans/1", None), ("POST", "/v1/checkpoint", None), ("PUT", "/v1/whatever", None)]
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
            self.assertRegex(daemon.stderr, "SIGHUP: token-file, which the configuration names no more, cannot change while running")

    def test_a_tls_handshake_on_a_plain_stream_door_is_no_stream_whatever_lines_it_holds(self):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0")
        with StreamClient(daemon.door()) as client:
            client.send(b"\x16\x03\x01\x00\x20\x01\n1 | 0:1\n1 | 0:1\n")
            self.assertEqual(client.line(), "error: a TLS handshake came to a stream door without TLS; closing\n")
        self.assertEqual(daemon.status()["examples"], 0)

    def test_whoever_shows_no_token_in_time_gives_the_place_back(self):
        daemon = self.start(*SMALL, "--token-file", self.tokens(), "--listen", "tcp:127.0.0.1:0", "--max-connections", 5,
                            "--greeting-timeout", "300ms")
        silent = [StreamClient(daemon.door()) for _ in range(5)]
        silent[0].send("#glimpse toke")
        for client in silent:
            self.assertEqual(client.line(), "error: the first line '#glimpse ...' did not come whole in time; closing\n")
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
        self.assertRegex(daemon.stderr, r"a connection was closed: it showed no token within 300 ms \(--greeting-timeout\)")

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
            self.assertEqual(client.ask(f"#glimpse token=wrong-{WRITER}\n"), "error: this token is not known here; closing\n")
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

    def test_a_token_may_come_byte_by_byte(self):
        daemon = self.start(*SMALL, "--token-file", self.tokens(), "--listen", "tcp:127.0.0.1:0")
        with daemon.client() as client:
            for byte in f"#glimpse token={WRITER}\n1 | 0:1\n| 0:1\n":
                client.send(byte)
            float(client.line())
        self.assertEqual(daemon.status()["examples"], 1)


class Clients(Locked):
    def setUp(self):
        super().setUp()
        self.daemon = self.on_tcp("--token-file", self.tokens(), "--listen", "tcp:127.0.0.1:0", "--state-directory",
                                  self.path("state"))
        self.one = {READER: self.tokens("reader", READER + "\n"), WRITER: self.tokens("writer", f"write {WRITER}\n")}

    def ctl(self, *arguments, token=None, stdin=""):
        words = ["--token-file", self.one[token]] if token else []
        done = subprocess.run([binary("GLIMPSECTL_BIN"), *arguments, *words], input=stdin, capture_output=True, text=True,
                              timeout=DEADLINE)
        return done.returncode, done.stdout, done.stderr

    def test_glimpsectl_shows_its_token_on_both_doors(self):
        server = ("--server", f"tcp:127.0.0.1:{self.daemon.port}")
        status, _, error = self.ctl(*server, "status")
        self.assertEqual(status, 1)
        self.assertIn("unauthorized: this door needs a token", error)
        self.assertEqual(self.ctl(*server, "status", token=READER)[0], 0)
        self.assertIn("forbidden", self.ctl(*server, "learn", token=READER, stdin="1 1:1\n")[2])
        self.assertEqual(self.ctl(*server, "learn", token=WRITER, stdin="1 1:1\n")[0], 0)
        to = ("--to", self.daemon.door(), "--source", "meter")
        self.assertIn("needs a token", self.ctl("send", "-", *to, stdin="1 1:1\n")[2])
        self.assertIn("may read only", self.ctl("send", "-", *to, token=READER, stdin="1 1:1\n")[2])
        status, _, error = self.ctl("send", "-", *to, token=WRITER, stdin="1 1:1\n")
        self.assertEqual((status, error), (0, "1 records of meter are durable, 1 of them sent now\n"))
        for secret in (READER, WRITER):
            self.assertNotIn(secret, error)

    def test_a_file_without_a_token_is_refused(self):
        for content in ("", "# nothing\n", "write\n"):
            self.one[WRITER] = self.tokens("odd", content)
            status, _, error = self.ctl("status", token=WRITER)
            self.assertEqual(status, 2)
            self.assertIn("--token-file", error)

    def test_the_python_client_shows_its_token_and_speaks_tls(self):
        client = glimpse_client.Client(f"http://127.0.0.1:{self.daemon.port}", token=READER)
        self.assertEqual(client.status()["examples"], 0)
        client.close()
        with glimpse_client.Source(self.daemon.door(), "meter", token=WRITER) as source:
            source.send("1 1:1\n")
            self.assertEqual(source.finish(), 1)
        with self.assertRaises(glimpse_client.InvalidRequest):
            glimpse_client.Source(self.daemon.door(), "meter")
        certificate, key = self.certificate()
        tls = self.on_tcp("--token-file", self.path("tokens"), "--tls-cert", certificate, "--tls-key", key)
        trusted = ssl.create_default_context(cafile=certificate)
        with glimpse_client.Client(f"https://localhost:{tls.port}", token=READER, tls=trusted) as client:
            for _ in range(5):
                self.assertEqual(client.status()["examples"], 0)
        with self.assertRaises(glimpse_client.Unavailable):
            glimpse_client.Client(f"https://localhost:{tls.port}", token=READER, retries=0).status()


class Remote(Locked):
    def test_other_addresses_need_allow_remote_which_needs_tokens(self):
        status, line = self.refused(*SMALL, "--listen", "tcp:0.0.0.0:0")
        self.assertNotEqual(status, 0)
        self.assertIn("--allow-remote", line)
        status, line = self.refused(*SMALL, "--listen", "tcp:0.0.0.0:0", "--allow-remote")
        self.assertEqual((status, line), (2, "glimpsed: --allow-remote on: needs --token-file FILE: who comes from "
                                             "elsewhere must prove who it is"))
        daemon = self.start(*SMALL, "--http", "0.0.0.0:0", "--allow-remote", "--token-file", self.tokens(), http=None)
        daemon.port = int(daemon.wait_log(r"HTTP door open on tcp:0.0.0.0:(\d+)").group(1))
        daemon.wait_log("--allow-remote without --tls-cert")
        self.assertEqual(self.ask(daemon, "GET", "/v1/status")[0], 401)
        self.assertEqual(self.ask(daemon, "GET", "/v1/status", headers=bearer(READER))[0], 200)

    def test_a_web_page_is_no_client(self):
        daemon = self.on_tcp()
        line = ndjson(examples(1))
        self.assertEqual(self.ask(daemon, "POST", "/v1/learn", line, {"Origin": "http://evil.example"})[0], 403)
        self.assertEqual(self.ask(daemon, "GET", "/v1/model", headers={"Host": "evil.example"})[0], 403)
        self.assertEqual(self.ask(daemon, "GET", "/v1/status", headers={"Host": "localhost"})[0], 200)
        self.assertEqual(json.loads(self.ask(daemon, "GET", "/v1/status")[1])["examples"], 0)

    def test_a_request_that_a_page_sends_to_a_stream_door_is_not_learned_from(self):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0")
        address = daemon.door().rpartition(":")[2]
        connection = http.client.HTTPConnection("127.0.0.1", int(address), timeout=DEADLINE)
        with self.assertRaises(http.client.HTTPException):
            connection.request("POST", "/", body="1 | 0:1\n" * 100)
            connection.getresponse()
        connection.close()
        self.assertEqual(daemon.status()["examples"], 0)
        daemon.wait_log("a request of HTTP came to a stream door")

    def test_unix_sockets_are_for_owner_and_group(self):
        group = os.getgid()
        if os.geteuid() == 0:
            group = next(g.gr_gid for g in __import__("grp").getgrall() if g.gr_gid not in (0, os.getgid()))
        name = __import__("grp").getgrgid(group).gr_name
        daemon = self.start(*SMALL, "--listen", f"unix:{self.path('stream')}", "--socket-group", name)
        for path in (self.path("stream"), daemon.http_path):
            status = os.stat(path)
            self.assertEqual((stat.S_IMODE(status.st_mode), status.st_gid), (0o660, group))
        status, line = self.refused(*SMALL, "--listen", f"unix:{self.path('other')}", "--socket-group", "no-such-group")
        self.assertIn("--socket-group no-such-group: there is no such group", line)
        self.assertFalse(os.path.exists(self.path("other")))

    def test_no_path_of_a_request_reaches_the_file_system(self):
        daemon = self.on_tcp("--state-directory", self.path("state"))
        before = sorted(os.listdir(self.folder)), sorted(os.listdir(self.path("state")))
        for path in ("/../../../../etc/passwd", "/v1/model?path=/etc/passwd", "/v1/model/../../etc/passwd", "//etc/passwd",
                     "/v1/checkpoint/../x", "/%2e%2e/%2e%2e/etc/passwd", "/v1/model?format=../../../etc/passwd"):
            for method in ("GET", "POST", "DELETE"):
                status, body = self.ask(daemon, method, path, "x" if method == "POST" else None)
                self.assertNotIn("root:", body)
                if path.split("?")[0] != "/v1/model":
                    self.assertEqual(status, 404, (method, path))
        status, body = self.ask(daemon, "POST", f"/v1/checkpoint?path={self.path('stolen')}&name=../stolen")
        self.assertEqual(status, 200)
        self.assertRegex(json.loads(body)["name"], r"^checkpoint-[0-9-]+\.safetensors$")
        after = sorted(os.listdir(self.folder)), sorted(os.listdir(self.path("state")))
        self.assertEqual(after[0], before[0])
        self.assertTrue(all(re.match(r"checkpoint-|lock", name) for name in after[1]), after[1])

    def test_one_address_takes_no_more_than_its_share(self):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0", "--max-connections-per-address", 3)
        address = daemon.door()
        clients = [StreamClient(address) for _ in range(3)]
        for client in clients:
            client.ask("| 0:1\n")
        with StreamClient(address) as one_more:
            self.assertEqual(one_more.line(), "")
        self.assertEqual(daemon.get("/readyz").status, 200)  # Unix sockets do not count
        self.assertIn('glimpse_refused_total{reason="connections_per_address"} 1', daemon.get("/metrics").body.decode())
        clients.pop().close()

        def admitted():
            with StreamClient(address) as client:
                try:
                    return client.ask("| 0:1\n")
                except OSError:
                    return ""

        until(admitted, "the place of the client that went is free")
        for client in clients:
            client.close()

    def test_a_connection_ends_after_its_requests(self):
        daemon = self.start(*SMALL, "--max-requests", 3)
        connection = daemon.connection()
        for left in (2, 1, 0):
            connection.request("GET", "/healthz")
            answer = connection.getresponse()
            self.assertEqual(answer.read(), b"ok\n")
            self.assertEqual(answer.getheader("Connection"), "close" if left == 0 else None)
        connection.close()


class Tls(Locked):
    def setUp(self):
        super().setUp()
        self.certificate_path, self.key_path = self.certificate()
        self.context = ssl.create_default_context(cafile=self.certificate_path)
        self.arguments = ("--tls-cert", self.certificate_path, "--tls-key", self.key_path)

    def test_http_and_streams_go_through_tls_and_learn_the_same(self):
        rows = examples(2000)
        plain = self.start(*SMALL)
        plain.post("/v1/learn", vw(rows[:0]) + ndjson(rows))
        daemon = self.on_tcp(*self.arguments, "--listen", "tcp:localhost:0")
        body = ndjson(rows[:1000])
        self.assertEqual(self.ask(daemon, "POST", "/v1/learn", body, context=self.context)[0], 200)
        with TlsClient(daemon.door(), self.context) as client:
            client.send(vw(rows[1000:]))
            client.send("| 0:1 1:0 2:0 3:0\n")
            self.assertRegex(client.line(), r"^-?[0-9.e-]+\n$")
        model = self.ask(daemon, "GET", "/v1/model?fresh=true", context=self.context)[1]
        self.assertEqual(json.loads(model), json.loads(plain.model()))

    def test_a_large_body_and_a_large_answer_come_through_whole(self):
        daemon = self.start("--dimension", 20000, "--budget", 20, "--algorithm", "aerr", "--http", "127.0.0.1:0",
                            *self.arguments, http=None)
        daemon.port = int(daemon.wait_log(r"HTTP door open on tcp:\S+:(\d+)").group(1))
        body = ndjson(examples(50, 20000))
        status, answer = self.ask(daemon, "POST", "/v1/learn", body, context=self.context)
        self.assertEqual((status, json.loads(answer)["accepted"]), (200, 50))
        model = json.loads(self.ask(daemon, "GET", "/v1/model", context=self.context)[1])
        self.assertEqual(len(model["weights"]), 20000)

    def test_what_is_no_tls_or_too_old_is_refused_and_harms_nobody(self):
        daemon = self.on_tcp(*self.arguments)
        with socket.create_connection(("127.0.0.1", daemon.port)) as client:
            client.settimeout(DEADLINE)
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try:
                answer = client.recv(4096)
            except ConnectionResetError:
                answer = b""
            self.assertNotIn(b"HTTP/1.1 200", answer)
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            old.minimum_version = ssl.TLSVersion.TLSv1
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        with self.assertRaises((ssl.SSLError, OSError)):
            self.ask(daemon, "GET", "/healthz", context=old)
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = ssl.create_default_context(cafile=self.certificate_path)
            context.minimum_version = context.maximum_version = version
            self.assertEqual(self.ask(daemon, "GET", "/healthz", context=context)[0], 200)
        metrics = self.ask(daemon, "GET", "/metrics", context=self.context)[1]
        self.assertIn('glimpse_refused_total{reason="tls"} 2', metrics)

    def test_tls_1_2_speaks_suites_with_forward_secrecy_alone(self):
        certificates = {"ec": (self.certificate_path, self.key_path), "rsa": self.certificate("rsa", ("rsa:2048",))}
        for kind, (certificate, key) in certificates.items():
            daemon = self.on_tcp("--tls-cert", certificate, "--tls-key", key)
            spoken = set()
            every = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            every.set_ciphers("ALL:COMPLEMENTOFALL:@SECLEVEL=0")
            names = [cipher["name"] for cipher in every.get_ciphers() if cipher["protocol"] != "TLSv1.3"]
            for name in names:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                context.maximum_version = ssl.TLSVersion.TLSv1_2
                context.set_ciphers(f"{name}:@SECLEVEL=0")
                with socket.create_connection(("127.0.0.1", daemon.port), DEADLINE) as plain:
                    try:
                        with context.wrap_socket(plain) as client:
                            spoken.add(client.cipher()[0])
                    except OSError:
                        pass
            self.assertIn("AES128-GCM-SHA256", names)  # without forward secrecy, and offered in vain
            sign = "ECDSA" if kind == "ec" else "RSA"
            self.assertEqual(spoken, {f"ECDHE-{sign}-{suite}" for suite in (
                "AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305")})

    def test_a_handshake_that_does_not_come_ends_after_http_timeout(self):
        daemon = self.on_tcp(*self.arguments, "--http-timeout", "200ms")
        with socket.create_connection(("127.0.0.1", daemon.port)) as client:
            client.settimeout(DEADLINE)
            self.assertEqual(client.recv(1), b"")
        daemon.wait_log("TLS with 127.0.0.1 failed: it took too long")

    def test_a_client_that_takes_nothing_does_not_keep_its_place(self):
        daemon = self.start("--dimension", 1000000, "--budget", 5, "--algorithm", "two-phase-ddaerr", "--listen", "tcp:localhost:0",
                            "--http-timeout", "1s", "--idle-timeout", "1s", "--http", "127.0.0.1:0", *self.arguments, http=None)
        daemon.port = int(daemon.wait_log(r"HTTP door open on tcp:\S+:(\d+)").group(1))
        http_door = f"tcp:127.0.0.1:{daemon.port}"
        asks = TlsClient(http_door, self.context)
        asks.send("GET /v1/model?format=safetensors HTTP/1.1\r\nHost: localhost\r\n\r\n")
        streams = TlsClient(daemon.door(), self.context)
        streams.socket.settimeout(0.2)
        try:
            while True:
                streams.send("| 0:1\n" * 10000)
        except (TimeoutError, OSError):
            pass  # held back
        daemon.wait_log(r"an answer was not taken within 1000 ms")
        until(lambda: "glimpse_connections 1\n" in self.ask(daemon, "GET", "/metrics", context=self.context)[1], "both are gone")
        asks.close()
        streams.close()

    def test_a_client_that_ends_its_side_gets_every_reply(self):
        daemon = self.start(*SMALL, "--listen", "tcp:localhost:0", *self.arguments)
        client = TlsClient(daemon.door(), self.context)
        client.send("| 0:1\n" * 1000 + "1 | 0:")
        self.assertEqual([client.line() for _ in range(1000)], ["0\n"] * 1000)
        try:
            client.socket.unwrap()  # says that nothing more comes
        except ssl.SSLError:
            pass  # the error line about the rest comes behind
        client.close()
        daemon.wait_log("cut off by the end of the connection; not learned")
        self.assertEqual(daemon.status()["examples"], 0)

    def test_sighup_takes_a_new_certificate(self):
        daemon = self.on_tcp(*self.arguments)
        first = ssl.get_server_certificate(("127.0.0.1", daemon.port))
        certificate, key = self.certificate("new")
        os.replace(certificate, self.certificate_path)
        os.replace(key, self.key_path)
        daemon.send_signal(signal.SIGHUP)
        daemon.wait_log("the configuration was read again")
        self.assertNotEqual(ssl.get_server_certificate(("127.0.0.1", daemon.port)), first)

    def encrypted_keys(self):
        """Paths of the key under a passphrase, in both shapes that PEM has."""
        for command in ("pkey", "ec"):
            path = self.path(f"encrypted-{command}.key")
            subprocess.run(["openssl", command, "-in", self.key_path, "-aes256", "-passout", "pass:secret", "-out", path],
                           check=True, capture_output=True)
            os.chmod(path, 0o600)
            with open(path, encoding="ascii") as file:
                self.assertIn("ENCRYPTED", file.read())
            yield path

    def test_a_key_under_a_passphrase_is_refused_and_standard_input_is_left_alone(self):
        for path in self.encrypted_keys():
            # The right passphrase waits where OpenSSL would look for it.
            daemon = self.start(*SMALL, "--http", "127.0.0.1:0", "--tls-cert", self.certificate_path, "--tls-key", path,
                                http=None, stdin=subprocess.PIPE, preexec=os.setsid)
            daemon.process.stdin.write(b"secret\n" * 3)
            daemon.process.stdin.flush()
            self.assertEqual(daemon.wait(), 2, daemon.stderr)
            self.assertEqual(daemon.stderr.splitlines()[-1], f"glimpsed: --tls-key {path}: is encrypted; glimpsed takes "
                                                             "keys without a passphrase only")
            self.assertNotIn("pass phrase", daemon.stderr)

    def test_sighup_leaves_the_key_as_it_was_when_the_new_one_is_encrypted_or_open_to_others(self):
        daemon = self.on_tcp(*self.arguments)
        encrypted = next(iter(self.encrypted_keys()))
        with open(self.key_path, "rb") as file:
            key = file.read()
        os.replace(encrypted, self.key_path)
        daemon.send_signal(signal.SIGHUP)
        daemon.wait_log("SIGHUP: nothing was changed: --tls-key .*: is encrypted; glimpsed takes keys without a passphrase only")
        self.assertEqual(self.ask(daemon, "GET", "/healthz", context=self.context)[0], 200)
        self.write("server.key", key)
        os.chmod(self.key_path, 0o644)
        daemon.send_signal(signal.SIGHUP)
        daemon.wait_log("SIGHUP: nothing was changed: --tls-key .*: has mode 0644")
        self.assertEqual(self.ask(daemon, "GET", "/healthz", context=self.context)[0], 200)

    def test_a_key_that_others_may_read_or_change_stops_the_start(self):
        for mode in (0o644, 0o660, 0o602):
            os.chmod(self.key_path, mode)
            status, line = self.refused(*SMALL, "--http", "127.0.0.1:0", *self.arguments)
            self.assertEqual(status, 2)
            self.assertIn(f"--tls-key {self.key_path}: has mode {mode:04o}: ", line)
            self.assertIn("chmod 640", line)
        os.chmod(self.key_path, 0o640)
        self.on_tcp(*self.arguments)

    def test_http_timeout_changes_with_sighup_for_handshakes_as_well(self):
        file = self.write("glimpsed.conf", "http-timeout = 1h\n")
        daemon = self.on_tcp(*self.arguments, "--config", file)
        self.write("glimpsed.conf", "http-timeout = 200ms\n")
        daemon.send_signal(signal.SIGHUP)
        daemon.wait_log("SIGHUP: the configuration was read again")
        with socket.create_connection(("127.0.0.1", daemon.port)) as client:
            client.settimeout(DEADLINE)
            self.assertEqual(client.recv(1), b"")
        daemon.wait_log("TLS with 127.0.0.1 failed: it took too long")

    def test_files_that_do_not_fit_stop_the_start(self):
        other = self.certificate("other")
        for arguments, why in ((("--tls-cert", other[0]), "needs --tls-key FILE"),
                               (("--tls-cert", other[0], "--tls-key", self.key_path), "key values mismatch"),
                               (("--tls-cert", "/nowhere", "--tls-key", self.key_path), "No such file"),
                               (("--tls-cert", self.key_path, "--tls-key", self.key_path), "--tls-cert")):
            status, line = self.refused(*SMALL, "--http", "127.0.0.1:0", *arguments)
            self.assertEqual(status, 2, line)
            self.assertIn(why, line)


if __name__ == "__main__":
    unittest.main()
