"""glimpsectl and TLS: all commands on both doors, whom it trusts, and errors that name what mends them."""

import os
import socket
import subprocess
import threading
import unittest

from harness import DEADLINE, SMALL, binary, examples, svmlight, until
from locked_support import READER, WRITER, Locked

EC = ("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")


class Ctl(Locked):
    def setUp(self):
        super().setUp()
        self.certificate_path, self.key_path = self.certificate()
        self.tls = ("--tls-cert", self.certificate_path, "--tls-key", self.key_path)
        self.trusting = ("--ca", self.certificate_path)

    def ctl(self, *arguments, stdin=""):
        done = subprocess.run([binary("GLIMPSECTL_BIN"), *map(str, arguments)], input=stdin, capture_output=True,
                              text=True, timeout=DEADLINE, check=False)
        return done.returncode, done.stdout, done.stderr

    def authority(self, name):
        """Paths of an authority's certificate and key."""
        certificate, key = self.path(f"{name}.pem"), self.path(f"{name}.key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", *EC, "-nodes", "-keyout", key, "-out", certificate, "-days",
                        "2", "-subj", f"/CN={name}"], check=True, capture_output=True)
        return certificate, key

    def signed(self, name, authority, names="DNS:localhost", days=2):
        """Paths of a certificate that `authority` signed, and its key."""
        certificate, key, request = self.path(f"{name}.pem"), self.path(f"{name}.key"), self.path(f"{name}.csr")
        subprocess.run(["openssl", "req", "-newkey", *EC, "-nodes", "-keyout", key, "-out", request, "-subj",
                        f"/CN={name}", "-addext", f"subjectAltName={names}"], check=True, capture_output=True)
        subprocess.run(["openssl", "x509", "-req", "-in", request, "-CA", authority[0], "-CAkey", authority[1],
                        "-CAcreateserial", "-copy_extensions", "copy", "-days", str(days), "-out", certificate],
                       check=True, capture_output=True)
        return certificate, key

    def on_tls(self, certificate, key, *arguments):
        return self.on_tcp("--tls-cert", certificate, "--tls-key", key, *arguments)


class Commands(Ctl):
    def test_every_command_speaks_tls_and_shows_its_token(self):
        daemon = self.on_tcp(*self.tls, "--token-file", self.tokens(), "--state-directory", self.path("state"))
        token = self.tokens("writer", f"write {WRITER}\n")
        server = ("--server", f"tls:localhost:{daemon.port}", *self.trusting, "--token-file", token)
        rows = examples(500)
        self.assertEqual(self.ctl("learn", *server, stdin=svmlight(rows))[:2], (0, "500 examples learned\n"))
        status, out, error = self.ctl("predict", *server, stdin='{"values": [1, 0, 0, 0]}\n')
        self.assertEqual(status, 0, error)
        float(out)
        plan = self.ctl("ask", "--json", *server)
        self.assertEqual(plan[0], 0, plan)
        for command in (("status",), ("model",), ("model", "--format", "csv"), ("moments", "--format", "csv"),
                        ("plans",), ("checkpoint",), ("watch", "--count", "1"), ("status", "--json")):
            status, out, error = self.ctl(*command, *server)
            self.assertEqual((status, error), (0, ""), command)
            self.assertTrue(out)
        status, _, error = self.ctl("status", *server[:-2])
        self.assertEqual(status, 1)
        self.assertIn("unauthorized: this door needs a token", error)
        for secret in (READER, WRITER):
            self.assertNotIn(secret, error)

    def test_a_url_is_a_server_too(self):
        daemon = self.on_tcp(*self.tls)
        url = f"https://localhost:{daemon.port}"
        self.assertEqual(self.ctl("status", "--server", url + "/", *self.trusting)[0], 0)
        done = subprocess.run([binary("GLIMPSECTL_BIN"), "status", *self.trusting], capture_output=True, timeout=DEADLINE,
                              env={**os.environ, "GLIMPSE_SERVER": url}, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        plain = self.on_tcp()
        self.assertEqual(self.ctl("status", "--server", f"http://127.0.0.1:{plain.port}")[0], 0)

    def test_an_address_is_typed_as_glimpsed_takes_it(self):
        daemon = self.on_tcp("--listen", "127.0.0.1:0", "--state-directory", self.path("state"))
        server, door = f"127.0.0.1:{daemon.port}", daemon.door().removeprefix("tcp:")
        self.assertRegex(door, r"^127\.0\.0\.1:\d+$")
        self.assertEqual(self.ctl("send", "--source", "a", "--to", door, stdin="1 1:1\n")[0], 0)
        self.assertRegex(self.ctl("status", "--brief", "--server", server)[1], "(?m)^examples +1$")
        done = subprocess.run([binary("GLIMPSECTL_BIN"), "status", "--brief"], capture_output=True, timeout=DEADLINE,
                              env={**os.environ, "GLIMPSE_SERVER": server}, text=True, check=False)
        self.assertRegex(done.stdout, "(?m)^examples +1$")

    def test_a_large_body_and_a_large_answer_come_through_whole(self):
        daemon = self.start("--dimension", 20000, "--budget", 20, "--algorithm", "aerr", "--http", "127.0.0.1:0", *self.tls,
                            http=None)
        port = daemon.wait_log(r"HTTP door open on tcp:\S+:(\d+)").group(1)
        server = ("--server", f"tls:127.0.0.1:{port}", *self.trusting)
        self.assertEqual(self.ctl("learn", *server, stdin=svmlight(examples(50, 20000)))[1], "50 examples learned\n")
        self.assertEqual(len(self.ctl("model", "--format", "csv", *server)[1].splitlines()), 20002)


class Trust(Ctl):
    def test_the_authority_or_the_certificate_itself_is_trusted_and_nobody_else(self):
        authority, other = self.authority("authority"), self.authority("other")
        leaf = self.signed("leaf", authority, "DNS:localhost,IP:127.0.0.1")
        port = self.on_tls(*leaf).port
        for host in ("localhost", "127.0.0.1"):
            for trusted in (authority[0], leaf[0]):
                status, _, error = self.ctl("status", "--server", f"tls:{host}:{port}", "--ca", trusted)
                self.assertEqual(status, 0, error)
        server = f"tls:localhost:{port}"
        self.assertEqual(self.ctl("status", "--server", server, "--ca", other[0]), (
            2, "", f"glimpsectl: {server} is not trusted: its certificate is signed by /CN=authority, which is none of "
                   f"--ca '{other[0]}'\n"))
        self.assertEqual(self.ctl("status", "--server", server), (
            2, "", f"glimpsectl: {server} is not trusted: its certificate is signed by /CN=authority, which this machine "
                   "does not know: --ca FILE names the authority's certificate, or the server's own\n"))

    def test_a_name_that_the_certificate_does_not_have_is_refused(self):
        authority = self.authority("authority")
        port = self.on_tls(*self.signed("leaf", authority, "DNS:glimpse.example,DNS:other.example")).port
        for host in ("localhost", "127.0.0.1"):
            status, _, error = self.ctl("status", "--server", f"tls:{host}:{port}", "--ca", authority[0])
            self.assertEqual((status, error), (
                2, f"glimpsectl: tls:{host}:{port} is not trusted: its certificate is for DNS:glimpse.example, "
                   f"DNS:other.example, and not for {host}: name the server as its certificate does\n"))

    def test_a_certificate_that_has_expired_is_refused(self):
        authority = self.authority("authority")
        port = self.on_tls(*self.signed("leaf", authority, days=0)).port
        status, _, error = self.ctl("status", "--server", f"tls:localhost:{port}", "--ca", authority[0])
        self.assertEqual(status, 3)
        self.assertRegex(error, r"is not trusted: its certificate expired at .* GMT: it needs a new one\n$")

    def test_a_file_of_authorities_that_is_none_is_named(self):
        for path, why in ((self.path("none"), "cannot be read: No such file or directory"),
                          (self.write("words", "no certificate\n"), "must be a PEM file of certificates: ")):
            status, _, error = self.ctl("status", "--server", "tls:localhost:1", "--ca", path)
            self.assertEqual(status, 2)
            self.assertIn(f"glimpsectl: --ca '{path}' {why}", error)

    def test_a_token_file_that_others_may_read_is_refused(self):
        token = self.tokens("open", WRITER + "\n", mode=0o644)
        status, _, error = self.ctl("status", "--server", "tls:localhost:1", "--token-file", token)
        self.assertEqual(status, 2)
        self.assertIn(f"--token-file {token}: has mode 0644: nobody but its owner may change it", error)
        self.assertNotIn(WRITER, error)


class Mistakes(Ctl):
    def test_plain_text_against_tls_says_so(self):
        daemon = self.on_tcp(*self.tls, "--listen", "tcp:localhost:0", "--state-directory", self.path("state"))
        says = "the server speaks TLS: name it "
        for server, mend in ((f"tcp:localhost:{daemon.port}", f"tls:localhost:{daemon.port} (--ca FILE"),
                             (f"http://127.0.0.1:{daemon.port}", f"https://127.0.0.1:{daemon.port} (--ca FILE")):
            for command, stdin in ((("status",), ""), (("learn",), svmlight(examples(10)))):
                status, _, error = self.ctl(*command, "--server", server, stdin=stdin)
                self.assertEqual(status, 2)
                self.assertIn(f"glimpsectl: {server}: {says}{mend}", error)
        door = daemon.door()
        status, _, error = self.ctl("send", "--source", "a", "--to", door, stdin="1 1:1\n")
        self.assertEqual(status, 2)
        self.assertIn(f"glimpsectl: {door}: {says}{door.replace('tcp', 'tls')} (--ca FILE", error)
        for stdin in ("1 1:1\n", "1", svmlight(examples(100000)), " 1:1\n", "\n" * 100):
            status, out, error = self.ctl("stream", "--to", door, stdin=stdin)
            self.assertEqual((status, out), (2, ""))
            self.assertIn(f"glimpsectl: {door}: {says}{door.replace('tcp', 'tls')} (--ca FILE", error)

    def test_tls_against_plain_text_says_so(self):
        daemon = self.on_tcp("--listen", "tcp:localhost:0", "--state-directory", self.path("state"))
        for server, mend in ((f"tls:localhost:{daemon.port}", f"tcp:localhost:{daemon.port}"),
                             (f"https://localhost:{daemon.port}", f"http://localhost:{daemon.port}")):
            self.assertEqual(self.ctl("status", "--server", server, *self.trusting),
                             (2, "", f"glimpsectl: {server} does not speak TLS: name it {mend}\n"))
        door = daemon.door().replace("tcp", "tls")
        status, _, error = self.ctl("send", "--source", "a", "--to", door, *self.trusting, stdin="1 1:1\n")
        self.assertEqual((status, error), (2, f"glimpsectl: {door} does not speak TLS: name it {daemon.door()}\n"))

    def test_a_server_that_breaks_off_or_says_nothing_is_told(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            ended = threading.Event()

            def serve():
                with listener.accept()[0] as connection:
                    connection.recv(1)
                with listener.accept()[0]:
                    ended.wait(DEADLINE)

            thread = threading.Thread(target=serve)
            thread.start()
            server = ("--server", f"tls:127.0.0.1:{port}", *self.trusting)
            status, _, error = self.ctl("status", *server)
            self.assertEqual(status, 3)
            self.assertIn("broke off the TLS handshake: ", error)
            self.assertIn(f"; where it does not speak TLS, name it tcp:127.0.0.1:{port}\n", error)
            status, _, error = self.ctl("status", "--timeout", "200ms", *server)
            self.assertEqual((status, error), (3, f"glimpsectl: tls:127.0.0.1:{port}: no answer to GET /v1/status within "
                                                  "200 ms (--timeout)\n"))
            ended.set()
            thread.join()


class Send(Ctl):
    def begin(self, port):
        daemon = self.start(*SMALL, *self.tls, "--listen", f"tcp:localhost:{port}", "--checkpoint-examples", 500,
                            "--state-directory", self.path("state"), "--queue", "16KiB")
        return daemon

    def send(self, door, *arguments, **keywords):
        process = subprocess.Popen([binary("GLIMPSECTL_BIN"), "send", *map(str, arguments), "--source", "a", "--to", door,
                                    *self.trusting], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **keywords)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_a_file_is_learned_exactly_once_over_tls_and_kills(self):
        rows = examples(20000)
        daemon = self.begin(0)
        port = daemon.door().rpartition(":")[2]
        sender = self.send(f"tls:localhost:{port}", self.write("a", svmlight(rows)))
        for part in (2000, 8000):
            daemon.wait_examples(part)
            daemon.kill()
            daemon = self.begin(port)
        _, error = sender.communicate(timeout=DEADLINE)
        self.assertEqual(sender.returncode, 0, error)
        self.assertIn(b"20,000 records of a are durable", error)
        straight = self.start(*SMALL)
        straight.post("/v1/learn?format=svmlight", svmlight(rows))
        self.assertEqual(daemon.model(), straight.model())

    def test_replies_and_errors_come_back_over_tls(self):
        daemon = self.begin(0)
        lines = svmlight(examples(50)) + "no example\n" + " 1:0.5\n" * 5000
        sender = self.send(daemon.door().replace("tcp", "tls"), "-", stdin=subprocess.PIPE)
        out, error = sender.communicate(lines.encode(), timeout=DEADLINE)
        self.assertEqual(sender.returncode, 1)
        self.assertEqual(len(out.splitlines()), 5001)
        self.assertRegex(out.splitlines()[0], b"^error: line 51: ")
        self.assertIn(b"glimpsectl: line 51: ", error)
        self.assertIn(b"1 record could not be read", error)

    def test_a_daemon_that_is_not_up_yet_is_waited_for(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
        sender = self.send(f"tls:localhost:{port}", "-", "--wait", "20s", stdin=subprocess.PIPE)
        self.assertEqual(sender.stderr.readline().decode(), f"glimpsectl: cannot connect to tls:localhost:{port}: "
                         "Connection refused; trying again for up to 20 s (--wait)\n")
        daemon = self.begin(port)
        _, error = sender.communicate(b"1 1:1\n", timeout=DEADLINE)
        self.assertEqual((sender.returncode, error), (0, b"1 record of a is durable, 1 of them sent now\n"))
        until(lambda: daemon.status()["examples"] == 1, "it is learned")

    def test_a_server_that_is_not_trusted_ends_it_at_once(self):
        door = self.begin(0).door().replace("tcp", "tls")
        status, _, error = self.ctl("send", "--source", "a", "--to", door, stdin="1 1:1\n")
        self.assertEqual(status, 2)
        self.assertIn("--ca FILE names the authority's certificate", error)
        self.assertEqual(error.count("\n"), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
