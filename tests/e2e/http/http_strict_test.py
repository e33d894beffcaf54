"""HTTP/1.1 to the letter: what RFC 9112 leaves no single meaning to is refused, the connection is closed, and what follows
on it is never a request. Every case ends with a request of its own that would be learned from."""

import os
import re
import socket
import ssl
import subprocess
import unittest

from harness import DEADLINE, SMALL, StreamClient, TestCase

LINE = b'{"label": 1, "values": [1, 0, 0, 0]}\n'
HOST = b"Host: localhost\r\n"
SMUGGLED = b"POST /v1/learn HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % len(LINE) + LINE


def learn(*headers, version=b"1.1", body=b"", host=HOST):
    """A request to learn with these header lines, each without its end."""
    lines = b"".join(header + b"\r\n" for header in headers)
    return b"POST /v1/learn HTTP/" + version + b"\r\n" + host + lines + b"\r\n" + body


def get(target, host=HOST, method=b"GET"):
    return method + b" " + target + b" HTTP/1.1\r\n" + host + b"\r\n"


def chunks(*lines):
    """A request to learn whose body is these bytes, as they are."""
    return learn(b"Transfer-Encoding: chunked", body=b"".join(lines))


CHUNK = b"%x\r\n%s\r\n" % (len(LINE), LINE)
EMPTY = b"0\r\n\r\n"

# (what is sent, the status that must come). The body is one that some reading of the headers gives the request.
REFUSED = [
    # Where the body ends
    *[(learn(b"Transfer-Encoding: " + value, body=CHUNK + EMPTY), 400) for value in (
        b"chunked, identity", b"xchunked", b"chunkedx", b"identity", b"chunked, chunked", b"", b",chunked", b"chunked,",
        b"chunked;q=1", b'"chunked"', b"chunked, gzip", b"gzip", b"\x0bchunked", b"chunked\x0b", b"chunked\x00", b"\x0cchunked",
        b"chunked\r\n , identity", b"\r\n chunked", b"chun\r\n ked", b"\xa0chunked")],
    (learn(b"Transfer-Encoding: gzip, chunked", body=CHUNK + EMPTY), 501),
    (learn(b"Transfer-Encoding: gzip", b"Transfer-Encoding: chunked", body=CHUNK + EMPTY), 501),
    (learn(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked", body=CHUNK + EMPTY), 400),
    (learn(b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity", body=CHUNK + EMPTY), 400),
    (learn(b"Transfer-Encoding: identity", b"Transfer-Encoding: chunked", body=CHUNK + EMPTY), 501),
    (learn(b"Transfer-Encoding : chunked", body=CHUNK + EMPTY), 400),
    (learn(b"Transfer-Encoding\t: chunked", body=CHUNK + EMPTY), 400),
    (learn(b" Transfer-Encoding: chunked", body=CHUNK + EMPTY), 400),
    (learn(b"X: y", b" Transfer-Encoding: chunked", body=CHUNK + EMPTY), 400),
    (learn(b"Transfer-Encoding\x00: chunked", body=CHUNK + EMPTY), 400),
    (learn(b"\xefTransfer-Encoding: chunked", body=CHUNK + EMPTY), 400),
    (learn(b": chunked", body=CHUNK + EMPTY), 400),
    (learn(b"Transfer-Encoding", body=CHUNK + EMPTY), 400),
    (learn(b"Transfer-Encoding: chunked", version=b"1.0", body=CHUNK + EMPTY), 400),
    (learn(b"Transfer-Encoding: identity", version=b"1.0", body=CHUNK + EMPTY), 400),
    (learn(b"Transfer-Encoding: chunked", b"Content-Length: 5", body=CHUNK + EMPTY), 400),
    (learn(b"Content-Length: 5", b"Transfer-Encoding: chunked", body=CHUNK + EMPTY), 400),
    (learn(b"Content-Length: 5", b"Transfer-Encoding: identity", body=CHUNK + EMPTY), 400),
    *[(learn(b"Content-Length: " + value, body=LINE), 400) for value in (
        b"+37", b"-1", b"37, 37", b"37,", b"37 37", b"0x25", b"37.0", b"", b"3 7", b"37;", b"18446744073709551653", b"\x0b37",
        b"37, 36", b"37\x00", b"1e1", b"3_7")],
    (learn(b"Content-Length: 37", b"Content-Length: 37", body=LINE), 400),
    (learn(b"Content-Length: 37", b"Content-Length: 0", body=LINE), 400),
    (learn(b"Content-Length : 37", body=LINE), 400),
    (learn(b"Content-Length: 3\r\n 7", body=LINE), 400),
    (learn(b"Content-Length: 99999999999", body=LINE), 413),
    # What the head says wrong comes before the size.
    (b"PUT /v1/learn HTTP/1.1\r\n" + HOST + b"Content-Length: 99999999999\r\n\r\n" + LINE, 405),
    (learn(b"Content-Length: 99999999999", b"Content-Type: multipart/form-data; boundary=x", body=LINE), 415),
    (learn(b"Content-Length: 37", b"Referer: http://localhost/", b"Referer: http://localhost/", body=LINE), 403),

    # Chunks
    *[(chunks(junk), 400) for junk in (
        b"x\r\n", b"0x25\r\n" + LINE + b"\r\n" + EMPTY, b"+25\r\n", b"-1\r\n", b" 25\r\n" + LINE + b"\r\n" + EMPTY, b"\r\n",
        b"25 \r\n" + LINE + b"\r\n" + EMPTY, b"10000000000000025\r\n" + LINE + b"\r\n" + EMPTY, b"25\n" + LINE + b"\r\n" + EMPTY,
        b"25;\r\n" + LINE, b"25;=\r\n" + LINE, b"25;a=\"b\n\"\r\n" + LINE + b"\r\n" + EMPTY,
        b"25;a=\"b\r\n\"\r\n" + LINE, b"25;a=\"\x00\"\r\n" + LINE + b"\r\n" + EMPTY, b"25;a\n\r\n" + LINE,
        b"25\r\n" + LINE + b"x\r\n", b"25\r\n" + LINE + b"\n" + EMPTY, b"25\r\n" + LINE + b"0\r\n\r\n", b"24\r\n" + LINE + b"\r\n" + EMPTY,
        b"25\r" + LINE, b"25;\ra\r\n" + LINE,
        CHUNK + b"0;a=\"\n\"\r\n\r\n", CHUNK + b"0x\r\n\r\n", CHUNK + b"0 a\r\n\r\n",
        CHUNK + b"0\r\nX : y\r\n\r\n", CHUNK + b"0\r\nX: \x00\r\n\r\n", CHUNK + b"0\r\nX: a\nY: b\r\n\r\n", CHUNK + b"0\r\nX: a\rb\r\n\r\n",
        CHUNK + b"0\r\nno header\r\n\r\n", CHUNK + b"0\r\nContent-Length: 5\r\n\r\n", CHUNK + b"0\r\nTransfer-Encoding: chunked\r\n\r\n")],
    (chunks(b"fffffffffffffff0\r\n" + LINE), 413),

    # The host
    *[(learn(b"Content-Length: 37", body=LINE, host=host), 400) for host in (
        b"", b"Host: localhost\r\nHost: localhost\r\n", b"Host: localhost\r\nhost: evil.example\r\n", b"Host: local host\r\n",
        b"Host: a@localhost\r\n", b"Host: localhost/x\r\n", b"Host: localhost:80x\r\n", b"Host: [::1]x\r\n", b"Host: [::1\r\n",
        b"Host: \xc3\xa4\r\n", b"Host : localhost\r\n", b"Host: local\x00host\r\n", b"Host: local\r\n host\r\n",
        b"Host: http://localhost\r\n")],
    (learn(b"Content-Length: 37", version=b"1.0", body=LINE, host=HOST + HOST), 400),

    (learn(b"Content-Length: 37", b"Authorization: Bearer a", b"Authorization: Bearer b", body=LINE), 400),

    # The target
    (get(b"http://evil.example/v1/status"), 421),
    (get(b"http://evil.example:80/v1/status"), 421),
    (get(b"http://10.0.0.1/v1/status"), 421),
    (get(b"https://localhost/v1/status"), 421),
    (get(b"http://evil.example/healthz"), 421),
    *[(get(target), 400) for target in (
        b"v1/status", b"?x", b"*", b"ftp://localhost/v1/status", b"http:///v1/status", b"http://a@localhost/v1/status",
        b"http://localhost:x/v1/status", b"/v1/status#a", b"/v1/\xc3\xa4", b"/v1/\x7f", b"/v1/\tstatus", b"", b"/v1 /status")],
    (get(b"localhost:80", method=b"CONNECT"), 501),
    (get(b"/v1/status", method=b"CONNECT"), 501),

    # Lines and versions
    (b"GET /v1/status\r\n", 400),
    (b"GET /v1/status HTTP/1.1\n" + HOST + b"\r\n", 400),
    (b"GET /v1/status HTTP/1.1\r\nHost: localhost\n\r\n", 400),
    (b"GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\n", 400),
    (b"GET /v1/status HTTP/1.1\r\nHost: localhost\n\n", 400),
    (b"GET /v1/status HTTP/1.1\rHost: localhost\r\r", 400),
    (b"GET /v1/status HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n", 400),
    (b"GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\r\n", 400),
    (b"\nGET /v1/status HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    (b" GET /v1/status HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    (b"GET  /v1/status HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    (b"GET\t/v1/status HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    (b"GET /v1/status HTTP/1.1 \r\n" + HOST + b"\r\n", 400),
    (b"GET /v1/status http/1.1\r\n" + HOST + b"\r\n", 400),
    (b"GET /v1/status HTTP/1.10\r\n" + HOST + b"\r\n", 400),
    (b"G@T /v1/status HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    (b"GET /v1/status HTTP/1.1\r\n" + HOST + b"X: \x00\r\n\r\n", 400),
    (b"GET /v1/status HTTP/1.1\r\n" + HOST + b"X: a\r\n b\r\n\r\n", 400),
    (b"GET /v1/status HTTP/1.1\r\n" + HOST + b"X: a\r\n\tb\r\n\r\n", 400),
    (b"GET /v1/status HTTP/1.1\r\n" + HOST + b"X: a\r\n \r\n\r\n", 400),
    (b"GET /v1/status HTTP/1.1\r\n" + HOST + b"X: \x1b[0m\r\n\r\n", 400),
    (b"GET /v1/status HTTP/1.1\r\n" + HOST + b"Connection: a b\r\n\r\n", 400),
    (b"GET /v1/status HTTP/1.2\r\n" + HOST + b"\r\n", 505),
    (b"GET /v1/status HTTP/0.9\r\n" + HOST + b"\r\n", 505),
    (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
    (b"1 | 0:1\r\n", 400),
]

# (what is sent, the status that must come, examples that it teaches): the connection stays, and a request follows.
TAKEN = [
    (learn(b"Content-Length: 37", body=LINE), 200, 1),
    (learn(b"Content-Length: 0037", body=LINE), 200, 1),
    (learn(b"content-length:37", body=LINE), 200, 1),
    (learn(b"Content-Length: \t37 \t", body=LINE), 200, 1),
    (chunks(CHUNK, EMPTY), 200, 1),
    (learn(b"tRANSFER-eNCODING:\tCHUNKED ", body=CHUNK + EMPTY), 200, 1),
    (chunks(b"025;a;b=c;d=\"e\"\r\n" + LINE + b"\r\n" + b"000;f\r\n\r\n"), 200, 1),
    (chunks(b"025 ;\ta = \"\\\"\"\r\n" + LINE + b"\r\n", EMPTY), 200, 1),
    (chunks(CHUNK, CHUNK, b"0\r\nX: y\r\nHost: evil.example\r\n\r\n"), 200, 2),
    (chunks(CHUNK, b"0\r\nX: y\r\n POST /v1/learn HTTP/1.1\r\n\r\n"), 200, 1),  # a trailer, which means nothing
    (b"\r\n\r\n" + learn(b"Content-Length: 37", body=LINE), 200, 1),
    (learn(b"Content-Length: 37", b"X: \xc3\xa4\ty", body=LINE), 200, 1),
    (learn(b"Content-Length: 37", b"Connection: keep-alive", version=b"1.0", host=b"", body=LINE), 200, 1),
    (learn(b"Content-Length: 37", b"Host:", host=b"", body=LINE), 200, 1),
    (get(b"http://localhost/v1/status"), 200, 0),
    (get(b"HTTP://127.0.0.1:1/v1/history?since", host=b"Host: evil.example\r\n"), 200, 0),
    (get(b"http://[::1]/healthz"), 200, 0),
    (get(b"http://glimpse.example/v1/status", host=b"Host: Glimpse.example:80\r\n"), 200, 0),
    (get(b"*", method=b"OPTIONS"), 405, 0),
    (get(b"/v1/status", method=b"OPTIONS"), 405, 0),
    (get(b"/v1/status", method=b"TRACE"), 405, 0),
    (get(b"//localhost/v1/status"), 404, 0),
]


class Strict(TestCase):
    def answers(self, address, content, pieces=False):
        """[(status, body)] of everything that is answered until the connection is closed."""
        with StreamClient(address) as client:
            try:
                for piece in [content[i:i + 1] for i in range(len(content))] if pieces else [content]:
                    client.send(piece)
                client.socket.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # closed before the last byte
            answers = []
            while line := client.reader.readline():
                status = int(re.fullmatch(rb"HTTP/1\.[01] (\d+) [^\r\n]*\r\n", line).group(1))
                length = 0
                while (header := client.reader.readline()) != b"\r\n":
                    name, _, value = header.partition(b":")
                    length = int(value) if name == b"Content-Length" else length
                answers.append((status, client.reader.read(length)))
            return answers

    def test_what_has_no_single_meaning_is_refused_and_what_follows_is_never_executed(self):
        daemon = self.start(*SMALL)
        for pieces in (False, True):
            for content, status in REFUSED:
                with self.subTest(content=content[:200], pieces=pieces):
                    before = daemon.status()["examples"]
                    answers = self.answers(f"unix:{daemon.http_path}", content + SMUGGLED, pieces)
                    self.assertEqual(daemon.status()["examples"], before)
                    self.assertEqual([status for status, _ in answers], [status])
                    self.assertIn(b'{"error":{"code":', answers[0][1])

    def test_the_refused_are_so_behind_a_good_request_as_well(self):
        daemon = self.start(*SMALL)
        good = learn(b"Content-Length: 37", body=LINE)
        for content, status in REFUSED:
            with self.subTest(content=content[:200]):
                before = daemon.status()["examples"]
                answers = self.answers(f"unix:{daemon.http_path}", good + content + SMUGGLED)
                self.assertEqual(daemon.status()["examples"], before + 1)
                self.assertEqual([status for status, _ in answers], [200, status])

    def test_what_is_right_is_taken_and_so_is_what_follows(self):
        daemon = self.start(*SMALL)
        for pieces in (False, True):
            for content, status, taught in TAKEN:
                with self.subTest(content=content[:200], pieces=pieces):
                    before = daemon.status()["examples"]
                    answers = self.answers(f"unix:{daemon.http_path}", content + SMUGGLED, pieces)
                    self.assertEqual([status for status, _ in answers], [status, 200], answers)
                    self.assertEqual(daemon.status()["examples"], before + taught + 1)

    def test_the_host_of_a_whole_url_is_judged_as_a_host_header_is(self):
        daemon = self.start(*SMALL, "--http", "127.0.0.1:0", http=None)
        door = "tcp:127.0.0.1:" + daemon.wait_log(r"HTTP door open on tcp:\S+:(\d+)").group(1)
        evil = b"Host: evil.example\r\n"
        for content, status in ((get(b"/v1/status", host=evil), 403), (get(b"http://evil.example/v1/status", host=evil), 403),
                                (get(b"http://evil.example/v1/status"), 421), (get(b"http://localhost/v1/status", host=evil), 200)):
            self.assertEqual([status for status, _ in self.answers(door, content)], [status], content)

    def test_a_refusal_of_head_has_no_body_and_a_later_one_has_its_own(self):
        daemon = self.start(*SMALL)
        with StreamClient(f"unix:{daemon.http_path}") as client:
            client.send(b"HEAD /healthz HTTP/1.1\r\n" + HOST + b"\r\nGET /\r\n")
            answer = client.reader.read()
        first, second = answer.split(b"HTTP/1.1 400", 1)
        self.assertTrue(first.endswith(b"\r\n\r\n"))
        self.assertIn(b'"bad_request"', second)

    def test_what_stands_around_chunks_is_bounded(self):
        daemon = self.start(*SMALL, "--max-header", "1KiB")
        before = daemon.rss_bytes()
        for head in (b"25;a=", CHUNK + b"0;a=", CHUNK + b"0\r\nX: "):
            with StreamClient(f"unix:{daemon.http_path}") as client:
                client.send(chunks(head))
                try:
                    for _ in range(1000):
                        client.send(b"x" * 65536)
                except OSError:
                    pass
                self.assertEqual(client.line(), "HTTP/1.1 431 Request Header Fields Too Large\r\n", head)
        self.assertLess(daemon.rss_bytes() - before, 16 << 20)
        self.assertEqual(daemon.status()["examples"], 0)

    def test_a_client_of_http_1_0_is_not_told_to_go_on(self):
        daemon = self.start(*SMALL)
        request = learn(b"Expect: 100-continue", b"Content-Length: 37", version=b"1.0", body=LINE)
        self.assertEqual([status for status, _ in self.answers(f"unix:{daemon.http_path}", request)], [200])

    def test_they_are_refused_through_tls_as_well(self):
        certificate, key = self.path("server.pem"), self.path("server.key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost"],
                       check=True, capture_output=True)
        os.chmod(key, 0o600)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        daemon = self.start(*SMALL, "--http", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key, http=None)
        port = int(daemon.wait_log(r"HTTP door open on tcp:\S+:(\d+)").group(1))
        for content, wanted in ((learn(b"Transfer-Encoding: chunked, identity", body=CHUNK + EMPTY) + SMUGGLED, 400),
                                (get(b"https://localhost/v1/status") + b"GET /\r\n", 200)):
            with socket.create_connection(("127.0.0.1", port), DEADLINE) as plain, context.wrap_socket(plain) as client:
                client.sendall(content)
                with client.makefile("rb") as reader:
                    answer = reader.read()  # to the end: it is closed
            self.assertTrue(answer.startswith(b"HTTP/1.1 %d " % wanted), answer)
            self.assertNotIn(b"accepted", answer)


if __name__ == "__main__":
    unittest.main()
