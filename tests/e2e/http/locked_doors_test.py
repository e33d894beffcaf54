"""Who is let in: clients with tokens, other machines, web pages, groups of Unix sockets, limits."""

import http.client
import json
import os
import re
import socket
import ssl
import stat
import subprocess
import sys
import unittest

from harness import DEADLINE, SMALL, StreamClient, binary, examples, ndjson, until
from locked_support import READER, WRITER, Locked, bearer

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "python")
sys.path.insert(0, TOOLS)
import glimpsed.client  # noqa: E402


class Clients(Locked):
    def setUp(self):
        super().setUp()
        self.daemon = self.on_tcp("--token-file", self.tokens(), "--listen", "tcp:127.0.0.1:0", "--state-directory",
                                  self.path("state"))
        self.one = {READER: self.tokens("reader", READER + "\n"), WRITER: self.tokens("writer", f"write {WRITER}\n")}

    def ctl(self, *arguments, token=None, stdin=""):
        words = ["--token-file", self.one[token]] if token else []
        done = subprocess.run([binary("GLIMPSECTL_BIN"), *arguments, *words], input=stdin, capture_output=True,
                              text=True, timeout=DEADLINE)
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
        self.assertEqual((status, error), (0, "1 record of meter is durable, 1 of them sent now\n"))
        for secret in (READER, WRITER):
            self.assertNotIn(secret, error)

    def test_a_file_without_a_token_is_refused(self):
        for content in ("", "# nothing\n", "write\n"):
            self.one[WRITER] = self.tokens("odd", content)
            status, _, error = self.ctl("status", token=WRITER)
            self.assertEqual(status, 2)
            self.assertIn("--token-file", error)

    def test_the_python_client_shows_its_token_and_speaks_tls(self):
        client = glimpsed.client.Client(f"http://127.0.0.1:{self.daemon.port}", token=READER)
        self.assertEqual(client.status()["examples"], 0)
        client.close()
        with glimpsed.client.Source(self.daemon.door(), "meter", token=WRITER) as source:
            source.send("1 1:1\n")
            self.assertEqual(source.finish(), 1)
        with self.assertRaises(glimpsed.client.InvalidRequest):
            glimpsed.client.Source(self.daemon.door(), "meter")
        certificate, key = self.certificate()
        tls = self.on_tcp("--token-file", self.path("tokens"), "--tls-cert", certificate, "--tls-key", key)
        trusted = ssl.create_default_context(cafile=certificate)
        with glimpsed.client.Client(f"https://localhost:{tls.port}", token=READER, tls=trusted) as client:
            for _ in range(5):
                self.assertEqual(client.status()["examples"], 0)
        with self.assertRaises(glimpsed.client.Unavailable):
            glimpsed.client.Client(f"https://localhost:{tls.port}", token=READER, retries=0).status()


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
        own = f"http://127.0.0.1:{daemon.port}"
        for origin in (own + "0", own.replace("http", "https"), own.replace("127.0.0.1", "localhost"), "null"):
            self.assertEqual(self.ask(daemon, "POST", "/v1/learn", line, {"Origin": origin})[0], 403, origin)
        # A page whose own name server points its name here.
        rebound = f"evil.example:{daemon.port}"
        self.assertEqual(self.ask(daemon, "POST", "/v1/learn", line, {"Origin": f"http://{rebound}", "Host": rebound})[0], 403)
        self.assertEqual(self.ask(daemon, "GET", "/v1/model", headers={"Host": "evil.example"})[0], 403)
        self.assertEqual(self.ask(daemon, "GET", "/v1/status", headers={"Host": "localhost"})[0], 200)
        self.assertEqual(json.loads(self.ask(daemon, "GET", "/v1/status")[1])["examples"], 0)
        self.assertEqual(self.ask(daemon, "POST", "/v1/learn", line, {"Origin": own})[0], 200)
        self.assertEqual(json.loads(self.ask(daemon, "GET", "/v1/status")[1])["examples"], 1)

    def test_what_a_browser_sends_for_another_page_is_refused_on_every_path_but_those_of_the_page(self):
        daemon = self.on_tcp("--token-file", self.tokens())
        host = f"127.0.0.1:{daemon.port}"
        foreign = [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Referer": "http://evil.example/"},
                   {"Referer": "http://127.0.0.1:1/"}, {"Origin": "http://evil.example"},
                   {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}]
        own = [{}, {"Sec-Fetch-Site": "none"}, {"Sec-Fetch-Site": "same-origin", "Referer": f"http://{host}/"}]
        with open(os.path.join(binary("GLIMPSE_SOURCE_DIR"), "daemon/api/http_api.cpp"), encoding="utf-8") as file:
            source = file.read()
        paths = re.findall(r'\{"(/[^"]*)", "([A-Z]+)"', source)
        self.assertGreater(len(paths), 15)
        for path, method in [*paths, ("/v1/plans/x", "DELETE"), ("/nowhere", "GET"), ("/page/none.js", "GET"), ("/page/", "GET"), ("/", "POST"), ("/v1/learn", "OPTIONS")]:
            for headers in foreign:
                status, body = self.ask(daemon, method, path, headers={**headers, **bearer(WRITER)})
                self.assertEqual(status, 403, (method, path, headers))
                self.assertIn("requests of other web pages are refused", body)
        for headers in own:
            for path in ("/v1/status", "/v1/model?fresh=true", "/metrics", "/healthz"):
                self.assertEqual(self.ask(daemon, "GET", path, headers={**headers, **bearer(READER)})[0], 200, headers)
        page = self.ask(daemon, "GET", "/")[1]
        for headers in foreign:
            self.assertEqual(self.ask(daemon, "GET", "/", headers=headers), (200, page))
            for asset in re.findall(r'(?:href|src)="(/page/[^"]+)"', page):
                self.assertEqual(self.ask(daemon, "GET", asset, headers=headers)[0], 200)
        # Each header once: others may look at the last.
        with socket.create_connection(("127.0.0.1", daemon.port), DEADLINE) as client:
            client.sendall(f"GET /metrics HTTP/1.1\r\nHost: {host}\r\nSec-Fetch-Site: none\r\n"
                           "Sec-Fetch-Site: cross-site\r\n\r\n".encode())
            self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 403"))

    def test_the_own_page_needs_the_tokens_that_others_need(self):
        daemon = self.on_tcp("--token-file", self.tokens())
        own = {"Origin": f"http://127.0.0.1:{daemon.port}"}
        line = ndjson(examples(1))
        self.assertEqual(self.ask(daemon, "POST", "/v1/learn", line, own)[0], 401)
        self.assertEqual(self.ask(daemon, "POST", "/v1/learn", line, {**own, **bearer(READER)})[0], 403)
        self.assertEqual(self.ask(daemon, "POST", "/v1/learn", line, {**own, **bearer(WRITER)})[0], 200)
        foreign = {"Origin": "http://evil.example", **bearer(WRITER)}
        self.assertEqual(self.ask(daemon, "POST", "/v1/learn", line, foreign)[0], 403)

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
        for path in ("/../../../../etc/passwd", "/v1/model?path=/etc/passwd", "/v1/model/../../etc/passwd",
                     "//etc/passwd", "/v1/checkpoint/../x", "/%2e%2e/%2e%2e/etc/passwd",
                     "/v1/model?format=../../../etc/passwd"):
            for method in ("GET", "POST", "DELETE"):
                status, body = self.ask(daemon, method, path, "x" if method == "POST" else None)
                self.assertNotIn("root:", body)
                if path.split("?")[0] != "/v1/model":
                    self.assertEqual(status, 404, (method, path))
        status, body = self.ask(daemon, "POST", f"/v1/checkpoint?path={self.path('stolen')}&name=../stolen")
        self.assertEqual(status, 400)
        status, body = self.ask(daemon, "POST", "/v1/checkpoint")
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


if __name__ == "__main__":
    unittest.main()
