"""What a web page, or any client of HTTP, sends to a stream door: whatever its first word is, nothing of it is learned."""

import os
import ssl
import struct
import subprocess
import unittest

from harness import SMALL, StreamClient, TestCase, csv, examples, f32, ndjson, npy, svmlight, until, vw

REFUSAL = "error: this is a stream door and no HTTP server (--http opens one); closing\n"
ROWS = examples(100)

REQUESTS = [
    b"GET / HTTP/1.1\r\n", b"POST /v1/learn HTTP/1.1\r\n", b"patch / HTTP/1.1\r\n", b"foo / HTTP/1.1\r\n",
    b"1 / HTTP/1.1\r\n", b"| / HTTP/1.1\r\n", b"1 | 0:1 HTTP/1.1\r\n", b"a,b,c / HTTP/1.0\r\n", b"{} / HTTP/1.1\r\n",
    b"PRI * HTTP/2.0\r\n", b"CONNECT localhost:80 HTTP/1.1\r\n", b"GET http://localhost/ HTTP/1.1\r\n",
    b"OPTIONS * HTTP/1.1\r\n", b"foo / HTTP/0.9\r\n", b"GET /\r\n",
    b"post / http/1.1\r\n", b"Foo / Http/1.1\n", b"foo / HTTP/1.1\n", b"foo / HTTP/1.1 \t\r\n", b"foo\t/\tHTTP/1.1\r\n",
    b"\r\nfoo / HTTP/1.1\r\n", b"\n\n \t\r\nfoo / HTTP/1.1\r\n", b" foo / HTTP/1.1\r\n", b"foo / HTTP/1.1\r\r\n",
    b"foo / HTTP/1.1\rHost: localhost\r\r", b"foo /" + b"x" * 50000 + b" HTTP/1.1\r\n",
]
HEADERS = b"Host: localhost\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n"


def as_page(first, body):
    return first + HEADERS + body


class FirstLine(TestCase):
    def refused(self, door, content, pieces=False, client=None):
        with client or StreamClient(door) as client:
            try:
                for piece in [content[i:i + 1] for i in range(len(content))] if pieces else [content]:
                    client.send(piece)
            except OSError:
                pass  # refused before the last byte
            self.assertEqual(client.line(), REFUSAL, content[:60])
            self.assertEqual(client.line(), "")  # and closed

    def test_a_request_teaches_nothing_whatever_its_first_word_and_the_format_of_its_body(self):
        for form, body in (("auto", vw(ROWS)), ("vw", vw(ROWS)), ("csv", csv(ROWS)), ("svmlight", svmlight(ROWS)),
                           ("ndjson", ndjson(ROWS)), ("f32", f32(ROWS)), ("npy", npy(ROWS))):
            body = body if isinstance(body, bytes) else body.encode()
            daemon = self.start(*SMALL, "--format", form, "--listen", "tcp:127.0.0.1:0", "--listen",
                                f"unix:{self.path('stream-' + form)}")
            for door in (daemon.door("tcp"), daemon.door("unix")):
                for first in REQUESTS:
                    with self.subTest(form=form, door=door, first=first[:60]):
                        self.refused(door, as_page(first, body))
            until(lambda: daemon.status()["parse_errors"] == 2 * len(REQUESTS), "each is counted")
            self.assertEqual(daemon.status()["examples"], 0)
            daemon.wait_log("a request of HTTP came to a stream door")
            daemon.stop()

    def test_it_may_come_byte_by_byte(self):
        for form, body in (("auto", vw(ROWS[:5]).encode()), ("f32", f32(ROWS[:5]))):
            daemon = self.start(*SMALL, "--format", form, "--listen", "tcp:127.0.0.1:0")
            for first in (b"foo / HTTP/1.1\r\n", b"\r\n1 / HTTP/1.1\r\n", b"PRI * HTTP/2.0\r\n", b"POST / HTTP/1.1\r\n"):
                self.refused(daemon.door(), as_page(first, body), pieces=True)
            self.assertEqual(daemon.status()["examples"], 0)

    def test_nor_does_it_behind_a_greeting_or_with_a_token(self):
        token = "writer-fedcba9876543210"
        tokens = self.write("tokens", f"write {token}\n")
        os.chmod(tokens, 0o600)
        for form, body in (("auto", vw(ROWS).encode()), ("f32", f32(ROWS))):
            daemon = self.start(*SMALL, "--format", form, "--listen", "tcp:127.0.0.1:0", "--token-file", tokens,
                                "--state-directory", self.path("state-" + form))
            request = as_page(b"foo / HTTP/1.1\r\n", body)
            greeting = f"#glimpse token={token}\r\n".encode()
            self.refused(daemon.door(), greeting + request)
            self.refused(daemon.door(), greeting + request[:200], pieces=True)
            source = f"#glimpse token={token} source=page\n".encode()
            self.refused(daemon.door(), source + request)
            with daemon.client() as client:
                self.assertEqual(client.ask(source), "resume 0\n")
                client.send(request)
                self.assertEqual(client.line(), REFUSAL)
            self.assertEqual(daemon.status()["examples"], 0)

    def test_nor_does_it_through_tls(self):
        certificate, key = self.path("server.pem"), self.path("server.key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost"],
                       check=True, capture_output=True)
        os.chmod(key, 0o600)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key)
        for first in REQUESTS:
            client = StreamClient(daemon.door())
            client.reader.close()
            client.socket = context.wrap_socket(client.socket)
            client.reader = client.socket.makefile("rb")
            self.refused(None, as_page(first, vw(ROWS).encode()), client=client)
        self.assertEqual(daemon.status()["examples"], 0)

    def test_a_first_line_over_the_limit_ends_the_connection_before_or_when_its_end_comes(self):
        daemon = self.start(*SMALL, "--max-line", "4KiB", "--listen", "tcp:127.0.0.1:0")
        line = b"foo /" + b"x" * 8192
        with daemon.client() as client:
            client.send(line)
            self.assertIn("line is longer than the limit of 4096 bytes (--max-line); closing", client.line())
        with daemon.client() as client:
            client.send(as_page(line + b" HTTP/1.1\r\n", vw(ROWS).encode()))
            self.assertRegex(client.line(), "no HTTP server|line is longer than the limit of 4096 bytes \\(--max-line\\); closing")
        self.assertEqual(daemon.status()["examples"], 0)

    def test_what_only_looks_like_it_is_learned(self):
        daemon = self.start(*SMALL, "--format", "vw", "--listen", "tcp:127.0.0.1:0")
        for count, first in enumerate(("1 |HTTP/1.1 0:1", "1 | 0:1 1:1", "1 'HTTP/1.1 | 0:1", "\n\n1 | 0:1"), 1):
            with daemon.client() as client:
                client.send(first + "\n")
                float(client.ask("| 0:1\n"))
            self.assertEqual(daemon.status()["parse_errors"], 0, first)
            self.assertEqual(daemon.status()["examples"], count, first)
        with daemon.client() as client:  # a later line is no first line
            client.send("1 | 0:1\nfoo / HTTP/1.1\n1 | 0:1\n")
            self.assertIn("error: line 2", client.line())
            float(client.ask("| 0:1\n"))

    def test_rows_that_could_be_text_are_answered_at_the_end_of_the_time_or_of_the_stream(self):
        # 0x40404040 is 3.0: each of its bytes is '@'.
        row = struct.pack("<5I", *[0x40404040] * 5)
        daemon = self.start(*SMALL, "--format", "f32", "--listen", "tcp:127.0.0.1:0", "--greeting-timeout", "200ms")
        with daemon.client() as client:
            client.send(row)
            daemon.wait_examples(1)
            client.send(row * 2 + row[:7])
            daemon.wait_examples(3)
            self.assertIn("cut off by the end of the connection", client.finish())
        patient = self.start(*SMALL, "--format", "f32", "--listen", f"unix:{self.path('stream')}", "--greeting-timeout", "0")
        client = patient.client("unix")
        client.send(row * 3 + row[:7])
        self.assertIn("cut off by the end of the connection", client.finish())
        self.assertEqual(patient.status()["examples"], 3)
        with patient.client("unix") as client:
            client.send(row)
            client.send(f32(ROWS[:1]))
            patient.wait_examples(5)


if __name__ == "__main__":
    unittest.main()
