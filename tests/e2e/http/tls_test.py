"""TLS on both doors: what is spoken and what is refused, handshakes, ends, certificates and keys."""

import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess
import unittest
import warnings

from harness import DEADLINE, SMALL, StreamClient, examples, ndjson, until, vw
from locked_support import Locked


class TlsClient(StreamClient):
    """A client of a stream door behind TLS."""

    def __init__(self, address, context):
        super().__init__(address)
        self.reader.close()
        self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        self.reader = self.socket.makefile("rb")


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
        daemon = self.start("--dimension", 1000000, "--budget", 5, "--algorithm", "two-phase-ddaerr", "--listen",
                            "tcp:localhost:0", "--http-timeout", "1s", "--idle-timeout", "1s", "--http", "127.0.0.1:0",
                            *self.arguments, http=None)
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

        def are_gone():
            with contextlib.suppress(OSError):  # beside much work this one may take longer than 1 s, too
                return "glimpse_connections 1\n" in self.ask(daemon, "GET", "/metrics", context=self.context)[1]
        until(are_gone, "both are gone")
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
            subprocess.run(["openssl", command, "-in", self.key_path, "-aes256", "-passout", "pass:secret", "-out",
                            path], check=True, capture_output=True)
            os.chmod(path, 0o600)
            with open(path, encoding="ascii") as file:
                self.assertIn("ENCRYPTED", file.read())
            yield path

    def test_a_key_under_a_passphrase_is_refused_and_standard_input_is_left_alone(self):
        for path in self.encrypted_keys():
            # The right passphrase waits where OpenSSL would look for it.
            daemon = self.start(*SMALL, "--http", "127.0.0.1:0", "--tls-cert", self.certificate_path, "--tls-key", path,
                                http=None, stdin=subprocess.PIPE, preexec=os.setsid)
            with contextlib.suppress(BrokenPipeError):  # it may have ended already
                daemon.process.stdin.write(b"secret\n" * 3)
                daemon.process.stdin.flush()
            self.assertEqual(daemon.wait(), 2, daemon.stderr)
            self.assertEqual(daemon.stderr.splitlines()[-1], f"glimpsed: --tls-key {path}: is encrypted; glimpsed "
                                                             "takes keys without a passphrase only")
            self.assertNotIn("pass phrase", daemon.stderr)

    def test_sighup_leaves_the_key_as_it_was_when_the_new_one_is_encrypted_or_open_to_others(self):
        daemon = self.on_tcp(*self.arguments)
        encrypted = next(iter(self.encrypted_keys()))
        with open(self.key_path, "rb") as file:
            key = file.read()
        os.replace(encrypted, self.key_path)
        daemon.send_signal(signal.SIGHUP)
        daemon.wait_log("SIGHUP: nothing was changed: --tls-key .*: is encrypted; "
                        "glimpsed takes keys without a passphrase only")
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
