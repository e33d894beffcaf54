"""What the tests of locked doors share: tokens, certificates, and requests over TCP that show them."""

import http.client
import os
import subprocess

from harness import DEADLINE, SMALL, TestCase

READER = "reader-0123456789abcdef"
WRITER = "writer-fedcba9876543210"
TEACHER = "teacher-0011223344556677"


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


class Locked(TestCase):
    def tokens(self, name="tokens", content=f"read {READER}\nlearn {TEACHER}\nwrite {WRITER}\n", mode=0o640):
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
