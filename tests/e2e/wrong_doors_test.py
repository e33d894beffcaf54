"""Wrong addresses, folders, keys and protocols, as people mistake them: each is told in one line, with the mend."""

import os
import pty
import socket
import ssl
import subprocess
import sys
import unittest

from harness import DEADLINE, SMALL, TestCase, binary, examples, svmlight

sys.path.insert(0, os.path.join(binary("GLIMPSE_SOURCE_DIR"), "tools", "python"))
import glimpsed.client  # noqa: E402 (it stands in the folder above)


class WrongFolders(TestCase):
    def learned(self, *arguments):
        state = self.path("state")
        status, _, log = self.run_to_end("--state-directory", state, *arguments, stdin=svmlight(examples(50)).encode())
        self.assertEqual(status, 0, log)
        return state

    def told(self, *arguments):
        """The one line of a start that is refused, with the test's folder called 'F'."""
        status, line = self.refused(*arguments, stdin=svmlight(examples(50)).encode())
        return status, line.replace(self.folder, "F")

    def test_the_state_of_another_daemon(self):
        self.start("--state-directory", self.path("state"), *SMALL)
        self.assertEqual(self.told("--state-directory", self.path("state"), *SMALL), (
            1, "glimpsed: --state-directory F/state: F/state/lock is held by another process: another glimpsed runs on "
               "it; end that one, or give this one a folder of its own"))

    def test_the_state_of_other_options(self):
        state = self.learned(*SMALL)
        for arguments, wanted in (
                (("--dimension", 3, "--budget", 3), "dimension=4, but this start asks for dimension=3"),
                (("--dimension", 4, "--budget", 3, "--algorithm", "two-phase-ddaerr"), "algorithm=pairwise, but this start asks"
                 " for algorithm=two-phase-ddaerr")):
            with self.subTest(wanted):
                status, line = self.told("--state-directory", state, *arguments)
                self.assertEqual(status, 1)
                self.assertIn(wanted, line)
                self.assertTrue(line.endswith("(--restore never starts from nothing)"), line)

    def test_a_folder_that_cannot_be_one(self):
        self.write("file", "precious")
        for path, wanted in ((self.path("file"), "F/file: is no folder"), ("/proc/state", "/proc/state")):
            status, line = self.told("--state-directory", path, *SMALL)
            self.assertEqual(status, 1)
            self.assertIn(f"--state-directory {wanted.split(':')[0]}", line)


class WrongKeys(TestCase):
    def test_a_token_file_that_all_may_read(self):
        tokens = self.write("tokens", "read 0123456789abcdef\n")
        os.chmod(tokens, 0o644)
        for more in ((), ("--check-config",)):
            status, line = self.refused(*SMALL, "--http", "127.0.0.1:0", "--token-file", tokens, *more)
            self.assertEqual(status, 2)
            self.assertRegex(line, rf"--token-file {tokens}: .*chmod")

    def test_tls_with_half_of_it(self):
        for option in ("--tls-cert", "--tls-key"):
            status, line = self.refused(*SMALL, "--http", "127.0.0.1:0", option, self.write("half.pem", "x"))
            self.assertEqual(status, 2)
            other = {"--tls-cert": "--tls-key", "--tls-key": "--tls-cert"}[option]
            self.assertIn(f"{option} {self.path('half.pem')}: ", line)
            self.assertIn(other, line)


class WrongProtocols(TestCase):
    def glimpsectl(self, *arguments, stdin=b""):
        done = subprocess.run([binary("GLIMPSECTL_BIN"), *map(str, arguments)], input=stdin, capture_output=True,
                              timeout=DEADLINE, check=False)
        return done.returncode, done.stderr.decode().replace(self.folder, "F")

    def test_http_at_the_stream_door_and_lines_at_the_http_door(self):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0")
        host, port = daemon.door().removeprefix("tcp:").rsplit(":", 1)
        with socket.create_connection((host, int(port))) as door:
            door.sendall(b"GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n")
            door.settimeout(DEADLINE)
            self.assertRegex(door.recv(4096).decode(), "HTTP.*--http")
        status, error = self.glimpsectl("--server", f"tcp:{host}:{port}", "status")
        self.assertEqual(status, 3)
        self.assertRegex(error, "; --server takes the address of --http, not that of --listen\n$")
        status, error = self.glimpsectl("stream", "--to", f"unix:{daemon.http_path}", stdin=b"1 1:1\n")
        self.assertEqual(status, 1)
        self.assertRegex(error, "speaks HTTP: --to takes the address of --listen\n$")

    def test_an_address_of_ipv6_can_be_pasted_from_the_log(self):
        daemon = self.start(*SMALL, "--http", "[::1]:0", "--listen", "tcp:[::1]:0", http=None)
        address = daemon.wait_log(r"HTTP door open on (tcp:\[::1\]:\d+)").group(1)
        daemon.wait_log(r"stream door open on tcp:\[::1\]:\d+")
        for server in (address, address.removeprefix("tcp:"), address.replace("tcp:", "http://")):
            done = subprocess.run([binary("GLIMPSECTL_BIN"), "--server", server, "status"], capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        for wrong, why in (("::1:0", "must have its IPv6 address in brackets, as in tcp:[::1]:PORT"),
                           ("http://[::1]:9318", "must be an address without http://: --http [::1]:9318")):
            self.assertEqual(self.refused(*SMALL, "--http", wrong), (2, f"glimpsed: --http {wrong}: {why}"))

    def test_a_file_whose_name_has_a_line_end_is_logged_on_one_line(self):
        self.write("a\nb", "y,p,q\n1,2,3\n2,3,4\n3,4,5,6\n")
        status, _, error = self.run_to_end("--budget", 2, "--input", self.path("a\nb"))
        self.assertEqual(status, 0)
        self.assertIn(f"{self.path('a')}\\x0ab: line 4", error)
        self.assertTrue(all(line.startswith("20") for line in error.splitlines()), error)
        self.assertEqual(self.refused(*SMALL, "--input", "no\nfile"),
                         (1, "glimpsed: --input no\\x0afile: No such file or directory"))

    def test_tls_at_a_plain_door(self):
        daemon = self.start(*SMALL, "--http", "127.0.0.1:0", http=None)
        port = int(daemon.wait_log(r"HTTP door open on tcp:127.0.0.1:(\d+)").group(1))
        with socket.create_connection(("127.0.0.1", port)) as door, self.assertRaises((ssl.SSLError, OSError)):
            ssl.create_default_context().wrap_socket(door, server_hostname="localhost")
        daemon.wait_log("warning 127.0.0.1: not an HTTP request: it begins as TLS does, .*--tls-cert and --tls-key")

    def test_nobody_is_there(self):
        self.assertEqual(self.glimpsectl("--server", f"unix:{self.path('none.sock')}", "status"), (
            3, "glimpsectl: cannot connect to unix:F/none.sock: No such file or directory\n"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
            status, error = self.glimpsectl("--server", f"tcp:127.0.0.1:{port}", "status")
            self.assertEqual((status, error), (3, f"glimpsectl: cannot connect to tcp:127.0.0.1:{port}: Connection refused\n"))
            with self.assertRaisesRegex(glimpsed.client.GlimpseError, "refused"):
                glimpsed.client.Client(f"http://127.0.0.1:{port}").status()

    def test_words_that_glimpsectl_does_not_know(self):
        for arguments, message in (
                ((), "a command is missing (glimpsectl --help lists them)"),
                (("stats",), "'stats' is not a command (glimpsectl --help lists them); did you mean 'status'?"),
                (("status", "--sever", "x"), "unrecognised option '--sever'; did you mean '--server'?"),
                (("--server", "localhost", "status"), "--server 'localhost' must be tcp:HOST:PORT, tls:HOST:PORT or "
                 "unix:PATH"),
                (("send", "train.svm"), "send needs --source NAME, under which the daemon counts its records; stream needs none")):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.glimpsectl(*arguments), (2, f"glimpsectl: {message}\n"))


class AtATerminal(TestCase):
    def test_no_arguments_at_a_terminal_are_told_how_to_begin(self):
        keyboard, terminal = pty.openpty()
        self.addCleanup(os.close, keyboard)
        done = subprocess.run([binary("GLIMPSE_BIN")], stdin=terminal, capture_output=True, timeout=DEADLINE, check=False)
        os.close(terminal)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertEqual(done.stderr.decode(), "glimpsed: is told nothing to read: glimpsed table.csv --label price "
                         "--budget 5 learns a table; --help shows more\n")


if __name__ == "__main__":
    unittest.main()
