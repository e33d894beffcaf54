"""Too little memory: what is too large for what is left is given up and told, the rest goes on, and nothing that was
promised is lost. The limit on data (ulimit -d) is set beside the running daemon, and taken back. A limit on addresses
would not do: heaps have addresses that they may grow into.

Sanitizers take address space by the terabyte, so these tests want a binary without."""

import http.client
import os
import re
import resource
import socket
import sys
import unittest

from harness import DEADLINE, SMALL, StreamClient, TestCase, examples, ndjson, until, vw

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "python"))
import glimpsed.client  # noqa: E402


class Memory(TestCase):
    def test_without_memory_for_large_things_small_ones_go_on_and_all_is_well_when_there_is_some_again(self):
        """The limit on data (ulimit -d) is set beside the running daemon, and taken back."""
        rows = examples(2000)
        steady = self.start(*SMALL)
        steady.post("/v1/learn", ndjson(rows))
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0", "--state-directory", self.path("state"))
        door = daemon.door()
        teacher = StreamClient(door)
        teacher.send(vw(rows[:500]))
        daemon.wait_examples(500)
        with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as file:
            used = int(re.search(r"VmData:\s+(\d+) kB", file.read()).group(1)) * 1024
        before = resource.prlimit(daemon.process.pid, resource.RLIMIT_DATA)
        resource.prlimit(daemon.process.pid, resource.RLIMIT_DATA, (used + (24 << 20), before[1]))

        # Lines and bodies that add up to far more than there is.
        lines = [StreamClient(door) for _ in range(12)]
        for client in lines:
            try:
                client.send(b"1 | " + b"x" * (12 << 20))
            except OSError:
                pass  # it was closed meanwhile
        bodies = []
        for _ in range(6):
            try:
                bodies.append(daemon.post("/v1/predict", b'{"values": [1, 2, 3, 4' + b" " * (14 << 20) + b"]}").status)
            except (OSError, http.client.HTTPException):
                bodies.append(0)
        teacher.send(vw(rows[500:1500]))
        daemon.wait_examples(1500)
        self.assertGreater(self.metric(daemon, "glimpse_memory_troubles_total"), 0)
        daemon.wait_log("not enough memory: ")
        self.assertEqual(daemon.get("/readyz").status, 200)
        for client in lines:
            client.close()

        resource.prlimit(daemon.process.pid, resource.RLIMIT_DATA, before)
        self.assertEqual(daemon.post("/v1/predict", b'{"values": [1, 2, 3, 4' + b" " * (14 << 20) + b"]}").status, 200)
        teacher.send(vw(rows[1500:]))
        daemon.wait_examples(2000)
        teacher.close()
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        self.assertEqual(daemon.model(), steady.model())

    def limit(self, daemon, more):
        """Leaves the daemon so many bytes; gives what takes the limit back."""
        with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as file:
            used = int(re.search(r"VmData:\s+(\d+) kB", file.read()).group(1)) * 1024
        before = resource.prlimit(daemon.process.pid, resource.RLIMIT_DATA)
        resource.prlimit(daemon.process.pid, resource.RLIMIT_DATA, (used + more, before[1]))
        return lambda: resource.prlimit(daemon.process.pid, resource.RLIMIT_DATA, before)

    def test_a_connection_for_which_there_is_no_memory_ends_whatever_came_over_it_before(self):
        for first in (b"", b"1 | 0:1\n", b"1 | 0:1\n" * 5000):
            for more in (1 << 20, 2 << 20, 4 << 20, 8 << 20):
                with self.subTest(first=len(first), more=more):
                    daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0")
                    with daemon.client() as client:
                        client.send(first)
                        daemon.wait_examples(first.count(b"\n"))
                        give_back = self.limit(daemon, more)
                        try:
                            client.send(b"2 | " + b"x" * (15 << 20))
                        except OSError:
                            pass
                        self.assertRegex(client.line(), r"^(error: .*)?$")  # and not a silence for ever
                    give_back()
                    until(lambda: "glimpse_connections 1\n" in daemon.get("/metrics").body.decode(), "it is gone")
                    with daemon.client() as client:
                        float(client.ask("1 | 0:1\n| 0:1\n"))
                    daemon.stop()

    def test_no_record_of_a_source_is_lost_for_want_of_memory(self):
        """Ever more new names, until there is no memory for one: what was told to be durable was learned."""
        rows = [f"{i % 7} | " + " ".join(f"a{i}_{j}_{'n' * 400}:{j}" for j in range(20)) + "\n" for i in range(1500)]
        options = ("--dimension", 100000, "--budget", 2, "--algorithm", "aerr", "--format", "vw", "--seed", 3)
        steady = self.start(*options, "--listen", f"unix:{self.path('steady')}", "--state-directory", self.path("state-1"))
        with glimpsed.client.Source(f"unix:{self.path('steady')}", "names") as source:
            source.send("".join(rows))
            source.finish()
        options += ("--listen", f"unix:{self.path('stream')}", "--state-directory", self.path("state-2"))
        daemon = self.start(*options)
        logs = ""
        for more in (1 << 20, 2 << 20, 3 << 20, 4 << 20, 6 << 20, 8 << 20, None):
            if more:
                self.limit(daemon, more)
            try:
                with glimpsed.client.Source(f"unix:{self.path('stream')}", "names") as source:
                    source.send("".join(rows[source.inside:]))
                    source.finish()
            except glimpsed.client.GlimpseError:
                pass
            if more:
                if daemon.process.poll() is None:
                    daemon.kill()
                else:
                    daemon.wait_text("not enough memory within a step of learning")
                logs += daemon.stderr
                daemon = self.start(*options)
        self.assertRegex(logs, r"line \d+: (not enough memory for this record; not learned|out of memory)\n")
        self.assertEqual(daemon.status()["examples"], 1500)
        self.assertEqual(daemon.model(), steady.model())

    def test_any_request_for_which_there_is_no_memory_is_given_up_and_the_daemon_stays(self):
        """So little is left that whatever is done next finds nothing: requests and streams, each on a daemon of its own. None
        is aborted; only a step of learning may end it, in so many words."""
        line = b'{"label": 1, "values": [1, 2, 3, 4]}\n'
        requests = {"learn": ("POST", "/v1/learn", line * 20000), "predict": ("POST", "/v1/predict", line * 20000),
                    "ask": ("POST", "/v1/ask", b'{"count": 1000}'), "metrics": ("GET", "/metrics", None),
                    "model": ("GET", "/v1/model", None), "stream": None}
        for left in (0, 64 << 10, 1 << 20, 4 << 20):
            for name, request in requests.items():
                with self.subTest(name=name, left=left):
                    self.short_of_memory(line, request, left)

    def short_of_memory(self, line, request, left):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0")
        door = daemon.door()
        daemon.post("/v1/learn", line)
        with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as file:
            used = int(re.search(r"VmData:\s+(\d+) kB", file.read()).group(1)) * 1024
        before = resource.prlimit(daemon.process.pid, resource.RLIMIT_DATA)
        resource.prlimit(daemon.process.pid, resource.RLIMIT_DATA, (used + left, before[1]))
        for _ in range(10):
            try:
                if request is not None:
                    daemon.request(*request)
                    continue
                with StreamClient(door) as client:
                    client.send(b"1 | 0:1\n| 0:1\nbad\n" * 3000)
                    client.socket.shutdown(socket.SHUT_WR)
                    while client.line():
                        pass
            except (OSError, http.client.HTTPException):
                pass  # given up, or cut off
        try:
            resource.prlimit(daemon.process.pid, resource.RLIMIT_DATA, before)
            self.assertEqual(daemon.get("/readyz").status, 200)
            self.assertEqual(daemon.post("/v1/learn", line).status, 200)
        except (OSError, http.client.HTTPException):
            # Every now and then a step plans or solves. One that is not made whole leaves nothing to go on with.
            self.assertEqual(daemon.process.wait(DEADLINE), 1)
            daemon.wait_text("not enough memory within a step of learning")
            return
        daemon.stop()

    def test_an_input_whose_lines_do_not_fit_into_memory_ends_in_order(self):
        """Lines of 9 MB, with ever more memory until all goes well: whichever part of the way it lacks, nothing aborts."""
        line = b"1," + b",".join([b"0.123456"] * 1_000_000) + b"\n"
        ended_early = 0
        for megabytes in range(80, 800, 8):
            limit = megabytes << 20
            status, _, log = self.run_to_end("--dimension", 1_000_000, "--budget", 5, "--algorithm", "two-phase-ddaerr",
                                             "--format", "csv", "--seed", 1, stdin=4 * line,
                                             preexec=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
            with self.subTest(megabytes=megabytes):
                self.assertIn(status, (0, 1), log)  # and not the -6 of an abort
                if "stdin: not enough memory to read on; reading stopped there" in log:
                    ended_early += 1
                    self.assertEqual(status, 1)
                    self.assertRegex(log, "stopping: the input has ended")
                    self.assertRegex(log, r"finished: [0-3] examples")
                elif status == 0:
                    self.assertRegex(log, r"finished: \d examples")
                    if "finished: 4 examples" in log:
                        break
        self.assertEqual(status, 0, log)
        self.assertGreater(ended_early, 0)

    def metric(self, daemon, name):
        return float(re.search(rf"^{name} (\S+)$", daemon.get("/metrics").body.decode(), re.M).group(1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
