"""Several HTTP doors, and which of command line and configuration file wins."""

import http.client
import os
import re
import ssl
import unittest

from harness import DEADLINE, SMALL, binary, examples, ndjson
from locked_support import READER, WRITER, Locked, bearer


class SeveralHttpDoors(Locked):
    def begin(self, *arguments, doors=2, **keywords):
        daemon = self.start(*SMALL, *sum((("--http", "127.0.0.1:0") for _ in range(doors)), ()), *arguments, **keywords)
        daemon.wait_log(rf"(?s)(HTTP door open on tcp:\S+:\d+.*){{{doors}}}")
        daemon.ports = [int(port) for port in re.findall(r"HTTP door open on tcp:\S+:(\d+)", daemon.stderr)]
        return daemon

    def through(self, port, path, headers=None, context=None, body=None):
        connection = (http.client.HTTPSConnection("localhost", port, timeout=DEADLINE, context=context) if context
                      else http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE))
        try:
            connection.request("POST" if body else "GET", path, body=body, headers=headers or {})
            with connection.getresponse() as answer:
                return answer.status, answer.read().decode()
        finally:
            connection.close()

    def test_each_serves_the_same_daemon(self):
        daemon = self.begin()
        first, second = daemon.ports
        self.assertNotEqual(first, second)
        self.assertEqual(self.through(first, "/v1/learn", body=ndjson(examples(10)))[0], 200)
        self.assertEqual(daemon.post("/v1/learn", ndjson(examples(5))).status, 200)
        self.assertEqual(daemon.status()["examples"], 15)
        self.assertIn('glimpse_examples_total{source="http"} 15\n', self.through(second, "/metrics")[1])
        self.assertEqual(daemon.stop(), 0)
        self.assertFalse(os.path.exists(daemon.http_path))

    def test_tokens_and_tls_hold_for_each_on_tcp(self):
        certificate, key = self.certificate()
        daemon = self.begin("--token-file", self.tokens(), "--tls-cert", certificate, "--tls-key", key)
        context = ssl.create_default_context(cafile=certificate)
        for port in daemon.ports:
            self.assertEqual(self.through(port, "/v1/status", context=context)[0], 401)
            self.assertEqual(self.through(port, "/v1/status", bearer(READER), context)[0], 200)
            line = ndjson(examples(1))
            self.assertEqual(self.through(port, "/v1/learn", bearer(READER), context, line)[0], 403)
            self.assertEqual(self.through(port, "/v1/learn", bearer(WRITER), context, line)[0], 200)
            with self.assertRaises((http.client.HTTPException, OSError)):
                self.through(port, "/v1/status")
        self.assertEqual(daemon.status()["examples"], 2)  # the file's permissions decide on the Unix socket

    def test_limits_hold_for_all_together(self):
        daemon = self.begin("--max-connections-per-address", 2, "--max-body", "1KiB")
        held = [http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE) for port in daemon.ports]
        for connection in held:
            connection.request("GET", "/healthz")
            self.assertEqual(connection.getresponse().read(), b"ok\n")
        for port in daemon.ports:
            with self.assertRaises((http.client.HTTPException, OSError)):
                self.through(port, "/healthz")
        self.assertEqual(daemon.get("/healthz").status, 200)
        for connection in held:
            connection.request("POST", "/v1/learn", body="1 1:1\n" * 1000)
            self.assertEqual(connection.getresponse().status, 413)
            connection.close()

    def test_an_address_that_two_kinds_of_doors_would_share_is_refused(self):
        path = f"unix:{self.path('one')}"
        self.assertEqual(self.refused(*SMALL, "--listen", path, "--http", path),
                         (2, f"glimpsed: --http {path}: is a --listen door already; each door needs an address of its own"))
        daemon = self.start(*SMALL, "--http", path, "--http", path)  # once is enough
        daemon.wait_ready()
        daemon.wait_text(f"HTTP door open on {path}")
        self.assertEqual(daemon.stderr.count(f"HTTP door open on {path}"), 1)


class FileAndCommandLine(Locked):
    """The rule of daemon/README.md, with the command line that the unit has."""

    def unit_arguments(self):
        """Those of ExecStart=, in this test's folder."""
        with open(os.path.join(binary("GLIMPSE_SOURCE_DIR"), "systemd", "glimpsed.service"), encoding="utf-8") as file:
            line = re.search(r"^ExecStart=\S+ (.*)$", file.read(), re.MULTILINE).group(1)
        line = line.replace("/etc/glimpse", self.folder).replace("/run/glimpse", self.folder)
        line = line.replace("/var/lib/glimpse", self.path("state"))
        return line.replace("systemd:stream", f"unix:{self.path('stream.sock')}").split()

    def begin(self, conf):
        self.write("glimpsed.conf", "dimension = 4\nbudget = 3\n" + conf)
        daemon = self.start(*self.unit_arguments(), http=None)
        daemon.http_path = self.path("http.sock")
        daemon.wait_ready()
        return daemon

    def test_doors_of_the_file_open_beside_those_of_the_unit(self):
        daemon = self.begin(f"http = 127.0.0.1:0\nlisten = tcp:127.0.0.1:0\nhttp = unix:{self.path('http.sock')}\n")
        port = int(daemon.wait_log(r"HTTP door open on tcp:\S+:(\d+)").group(1))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
        connection.request("GET", "/metrics")
        self.assertEqual(connection.getresponse().status, 200)
        connection.close()
        for kind in ("unix", "tcp"):
            with daemon.client(kind) as client:
                float(client.ask("1 | 0:1\n| 0:1\n"))
        self.assertEqual(daemon.status()["examples"], 2)
        self.assertNotIn("has no effect", daemon.stderr)

    def test_an_option_of_the_file_that_loses_is_told_with_both_values(self):
        daemon = self.begin(f"state-directory = {self.path('elsewhere')}\n")
        told = (rf"warning {self.path('glimpsed.conf')}: line 3: state-directory = {self.path('elsewhere')} has no effect: "
                rf"the command line says --state-directory {self.path('state')}, and wins")
        daemon.wait_log(told)
        self.assertFalse(os.path.exists(self.path("elsewhere")))
        self.assertTrue(os.path.isdir(self.path("state")))
        daemon.process.send_signal(1)
        daemon.wait_log("SIGHUP: " + told.partition(" ")[2])

    def test_what_is_wrong_with_a_file_that_the_file_names_has_its_line(self):
        tokens = self.tokens(mode=0o644)
        self.write("glimpsed.conf", f"dimension = 4\nbudget = 3\n\ntoken-file = {tokens}\n")
        status, line = self.refused(*self.unit_arguments())
        self.assertEqual(status, 2)
        self.assertIn(f"glimpsed: {self.path('glimpsed.conf')}: line 4: --token-file {tokens}: has mode 0644", line)
        self.assertNotIn(WRITER, line)
        status, line = self.refused(*self.unit_arguments(), "--check-config")
        self.assertEqual(status, 2)
        self.assertIn(f"line 4: --token-file {tokens}: has mode 0644", line)


if __name__ == "__main__":
    unittest.main(verbosity=2)
