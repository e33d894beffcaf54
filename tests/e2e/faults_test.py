"""Disks that are full, broken, read-only or gone, clocks that jump, signals that storm, clients that dawdle: learning
goes on, each trouble is told once in the log and counted, and when it is over nobody has to restart anything.

The system calls of the real binary fail as tests/faults/faults.c is told to. Sanitizers come before any library that is
loaded beside them, so these tests want a binary without."""

import http.client
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from harness import DEADLINE, SMALL, StreamClient, TestCase, binary, examples, ndjson, until, vw

CAUSES = {"ENOSPC": "No space left on device", "EIO": "Input/output error", "EROFS": "Read-only file system",
          "EDQUOT": "Disk quota exceeded"}


class Disk(TestCase):
    def start_with_faults(self, *arguments):
        self.faults = self.write("faults", "")
        return self.start(*SMALL, "--state-directory", self.path("state"), *arguments,
                          environment={"LD_PRELOAD": binary("GLIMPSE_FAULTS_LIBRARY"), "GLIMPSE_FAULTS": self.faults})

    def set_faults(self, text):
        self.write("faults.new", text)
        os.replace(self.path("faults.new"), self.faults)

    def checkpoints(self):
        return sorted(name for name in os.listdir(self.path("state")) if name.startswith("checkpoint-"))

    def metric(self, daemon, name):
        return float(re.search(rf"^{name} (\S+)$", daemon.get("/metrics").body.decode(), re.M).group(1))

    def test_every_failure_of_the_disk_shows_and_passes(self):
        daemon = self.start_with_faults()
        daemon.post("/v1/learn", ndjson(examples(10)))
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        failures = 0
        for fault in ("write ENOSPC", "write EIO", "write EDQUOT", "fsync EIO", "fsync ENOSPC", "rename EIO", "create EROFS",
                      "create ENOSPC"):
            with self.subTest(fault=fault):
                before = self.checkpoints()
                log = len(daemon.stderr)
                self.set_faults(fault)
                daemon.post("/v1/learn", ndjson(examples(10)))
                for _ in range(3):
                    answer = daemon.post("/v1/checkpoint")
                    self.assertEqual((answer.status, answer.error()), (500, "system"))
                    self.assertIn(CAUSES[fault.split()[1]], answer.json()["error"]["message"])
                failures += 3
                self.assertEqual(self.metric(daemon, "glimpse_checkpoint_failures_total"), failures)
                self.assertEqual(daemon.get("/readyz").status, 503)
                self.assertEqual(self.checkpoints(), before)  # what was there is as it was
                new = daemon.stderr[log:]
                self.assertEqual(len(re.findall("checkpoint failed, learning goes on", new)), 1, new)
                # Nothing was lost meanwhile, and it is over as soon as the disk is well.
                self.set_faults("")
                self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
                self.assertEqual(daemon.get("/readyz").status, 200)
                self.assertIn("checkpoints succeed again, after 3 that failed", daemon.stderr[log:])
        model = daemon.model()
        daemon.kill()
        again = self.start_with_faults()
        self.assertEqual(again.status()["examples"], 90)
        self.assertEqual(again.model(), model)
        self.assertFalse([name for name in os.listdir(self.path("state")) if "tmp" in name or "new" in name])

    def test_a_disk_that_is_broken_at_the_end_is_told_by_the_exit_status(self):
        daemon = self.start_with_faults()
        daemon.post("/v1/learn", ndjson(examples(10)))
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        daemon.post("/v1/learn", ndjson(examples(5)))
        self.set_faults("fsync EIO")
        self.assertEqual(daemon.stop(), 1)
        self.assertIn("finished: 15 examples", daemon.stderr)
        again = self.start_with_faults()
        self.assertEqual(again.status()["examples"], 10)

    def test_a_disk_that_is_broken_at_the_start_is_refused_before_anything_is_learned(self):
        self.faults = self.write("faults", "create EROFS\n")
        os.mkdir(self.path("state"))
        status, line = self.refused(*SMALL, "--state-directory", self.path("state"), "--listen", f"unix:{self.path('s')}",
                                    environment={"LD_PRELOAD": binary("GLIMPSE_FAULTS_LIBRARY"),
                                                 "GLIMPSE_FAULTS": self.faults})
        self.assertEqual(status, 1)
        self.assertIn("Read-only file system", line)

    def test_a_state_directory_that_vanishes_is_made_again(self):
        daemon = self.start_with_faults()
        daemon.post("/v1/learn", ndjson(examples(10)))
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        shutil.rmtree(self.path("state"))
        self.write("state", "in the way")
        self.assertEqual(daemon.post("/v1/checkpoint").status, 500)
        self.assertEqual(daemon.get("/readyz").error(), "checkpoint_failed")
        self.assertEqual(daemon.post("/v1/learn", ndjson(examples(10))).json()["accepted"], 10)
        os.remove(self.path("state"))
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        self.assertEqual(daemon.get("/readyz").status, 200)
        model = daemon.model()
        daemon.kill()
        self.assertEqual(self.start_with_faults().model(), model)

    def test_a_state_directory_that_was_made_again_is_locked_again(self):
        state = self.path("state")
        daemon = self.start(*SMALL, "--state-directory", state)
        daemon.post("/v1/learn", ndjson(examples(10)))
        shutil.rmtree(state)
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        daemon.wait_log("--state-directory .*: was removed or replaced, and is locked again")
        kept = self.checkpoints()
        status, line = self.refused(*SMALL, "--state-directory", state, "--listen", f"unix:{self.path('s')}")
        self.assertEqual(status, 1)
        self.assertIn("another glimpsed runs on it", line)
        self.assertEqual(self.checkpoints(), kept)
        os.remove(self.path("state", "lock"))  # the file alone
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        self.assertEqual(len(re.findall("and is locked again", daemon.stderr)), 2)
        self.assertEqual(self.refused(*SMALL, "--state-directory", state, "--listen", f"unix:{self.path('s')}")[0], 1)
        self.assertEqual(daemon.stop(), 0)

    def test_a_state_directory_that_another_took_meanwhile_is_left_alone(self):
        state = self.path("state")
        first = self.start(*SMALL, "--state-directory", state)
        first.post("/v1/learn", ndjson(examples(10)))
        self.assertEqual(first.post("/v1/checkpoint").status, 200)
        shutil.rmtree(state)
        second = self.start(*SMALL, "--state-directory", state)
        second.post("/v1/learn", ndjson(examples(5)))
        self.assertEqual(second.post("/v1/checkpoint").status, 200)
        kept = sorted(os.listdir(state))
        for _ in range(3):
            answer = first.post("/v1/checkpoint")
            self.assertEqual((answer.status, answer.error()), (409, "unavailable"))
            self.assertIn("was removed or replaced: ", answer.json()["error"]["message"])
            self.assertIn("another glimpsed runs on it now; nothing is written there",
                          answer.json()["error"]["message"])
        self.assertEqual(sorted(os.listdir(state)), kept)
        self.assertEqual(len(re.findall("checkpoint failed, learning goes on", first.stderr)), 1)
        self.assertEqual(self.metric(first, "glimpse_checkpoint_failures_total"), 3)
        self.assertEqual(first.get("/readyz").error(), "checkpoint_failed")
        self.assertEqual(first.post("/v1/learn", ndjson(examples(10))).json()["accepted"], 10)
        self.assertEqual(first.stop(), 1)
        self.assertEqual(sorted(os.listdir(state)), kept)
        self.assertEqual(second.post("/v1/checkpoint").status, 200)
        self.assertEqual(second.stop(), 0)

    def test_a_clock_that_jumps_changes_neither_the_model_nor_any_age(self):
        rows = examples(300)
        steady = self.start(*SMALL)
        steady.post("/v1/learn", ndjson(rows))
        daemon = self.start_with_faults("--checkpoint-every", "50ms")
        for hours, part in ((10000, rows[:100]), (-10000, rows[100:200]), (0, rows[200:])):
            self.set_faults(f"clock {hours * 3600}")
            daemon.post("/v1/learn", ndjson(part))
            self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
            status = daemon.status()
            for age in ("checkpoint_age_seconds", "model_age_seconds", "uptime_seconds"):
                self.assertTrue(0 <= (status[age] or 0) < DEADLINE, (age, status[age]))
        self.assertEqual(daemon.model(), steady.model())
        # Checkpoints by time go on as well.
        daemon.post("/v1/learn", ndjson(rows))
        until(lambda: self.checkpoints()[-1].endswith("-600.safetensors"), "a checkpoint comes by itself")


class Signals(TestCase):
    def test_a_storm_of_sighup_loses_nothing(self):
        file = self.write("glimpsed.conf", "log-level = warning\n")
        rows = examples(4000)
        steady = self.start(*SMALL)
        steady.post("/v1/learn", ndjson(rows))
        daemon = self.start(*SMALL, "--config", file, "--listen", "tcp:127.0.0.1:0", "--log-level", "info")
        door = daemon.door()
        sent = threading.Event()

        def storm():
            while not sent.is_set():
                daemon.send_signal(signal.SIGHUP)
                os.sched_yield()

        thread = threading.Thread(target=storm)
        thread.start()
        try:
            with StreamClient(door) as client:
                for begin in range(0, len(rows), 100):
                    client.send(vw(rows[begin:begin + 100]))
                    client.ask("| 0:1\n")
        finally:
            sent.set()
            thread.join()
        self.assertEqual(daemon.model(), steady.model())
        self.assertEqual(daemon.get("/readyz").status, 200)


class Memory(TestCase):
    def test_without_memory_for_large_things_small_ones_go_on_and_all_is_well_when_there_is_some_again(self):
        """The limit on addresses (ulimit -v) is set beside the running daemon, and taken back."""
        rows = examples(2000)
        steady = self.start(*SMALL)
        steady.post("/v1/learn", ndjson(rows))
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0", "--state-directory", self.path("state"))
        door = daemon.door()
        teacher = StreamClient(door)
        teacher.send(vw(rows[:500]))
        daemon.wait_examples(500)
        with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as file:
            used = int(re.search(r"VmSize:\s+(\d+) kB", file.read()).group(1)) * 1024
        before = resource.prlimit(daemon.process.pid, resource.RLIMIT_AS)
        resource.prlimit(daemon.process.pid, resource.RLIMIT_AS, (used + (24 << 20), before[1]))

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
        self.assertRegex(daemon.stderr, "not enough memory: ")
        self.assertEqual(daemon.get("/readyz").status, 200)
        for client in lines:
            client.close()

        resource.prlimit(daemon.process.pid, resource.RLIMIT_AS, before)
        self.assertEqual(daemon.post("/v1/predict", b'{"values": [1, 2, 3, 4' + b" " * (14 << 20) + b"]}").status, 200)
        teacher.send(vw(rows[1500:]))
        daemon.wait_examples(2000)
        teacher.close()
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
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
            used = int(re.search(r"VmSize:\s+(\d+) kB", file.read()).group(1)) * 1024
        before = resource.prlimit(daemon.process.pid, resource.RLIMIT_AS)
        resource.prlimit(daemon.process.pid, resource.RLIMIT_AS, (used + left, before[1]))
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
        if "not enough memory amid a step of learning" in daemon.stderr:
            # Every now and then a step plans or solves. One that is not made whole leaves nothing to go on with.
            self.assertEqual(daemon.process.wait(DEADLINE), 1)
            return
        resource.prlimit(daemon.process.pid, resource.RLIMIT_AS, before)
        self.assertEqual(daemon.get("/readyz").status, 200)
        self.assertEqual(daemon.post("/v1/learn", line).status, 200)
        daemon.stop()

    def test_an_input_whose_lines_do_not_fit_into_memory_ends_in_order(self):
        """Lines of 9 MB, with ever more memory until all goes well: whichever part of the way it lacks, nothing aborts."""
        line = b"1," + b",".join([b"0.123456"] * 1_000_000) + b"\n"
        ended_early = 0
        for megabytes in range(80, 800, 8):
            limit = megabytes << 20
            status, _, log = self.run_to_end("--dimension", 1_000_000, "--budget", 5, "--algorithm", "two-phase-ddaerr",
                                             "--format", "csv", "--seed", 1, stdin=4 * line,
                                             preexec=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
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


class Dawdlers(TestCase):
    def test_lines_and_bodies_that_have_begun_are_bounded_together(self):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0", "--max-unfinished", "4MiB")
        clients = [StreamClient(daemon.door()) for _ in range(8)]
        for client in clients:
            try:
                client.send(b"1 | " + b"x" * (1 << 20))
            except OSError:
                pass  # refused amid it
        daemon.wait_log("lines that have begun to come have more than --max-unfinished 4194304 bytes over all connections")
        with socket.socket(socket.AF_UNIX) as late:
            late.settimeout(DEADLINE)
            late.connect(daemon.http_path)
            late.sendall(b"POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000000\r\n\r\n")
            self.assertIn(b"503", late.makefile("rb").readline())
        for client in clients:
            client.close()
        body = b'{"label": 1, "values": [1, 2, 3, 4' + b" " * 4000000 + b"]}\n"
        until(lambda: daemon.post("/v1/learn", body).status == 200, "what the others held is free")
        self.assertEqual(daemon.post("/v1/learn", body + b" " * 400000).status, 503)

    def test_what_takes_too_long_or_is_malformed_is_counted_and_logged_with_measure(self):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0", "--idle-timeout", "300ms", "--http-timeout", "300ms",
                            "--max-header", "1KiB", "--http", "127.0.0.1:0", http=None)
        door, http_door = daemon.door(), "tcp:127.0.0.1:" + daemon.wait_log(r"HTTP door open on tcp:\S+:(\d+)").group(1)
        slow = [StreamClient(door) for _ in range(30)] + [StreamClient(http_door) for _ in range(30)]
        for client in slow[30:]:
            client.send("GET /healthz HTTP/1.1\r\nHo")
        for client in slow:
            self.assertEqual(client.line(), "")
            client.close()
        for text in ("nonsense\r\n\r\n", "GET / HTTP/1.1\r\nX: " + "y" * 2000 + "\r\n\r\n"):
            with StreamClient(http_door) as client:
                client.send(text)
                self.assertRegex(client.line(), "HTTP/1.1 4(00|31)")
        with StreamClient(http_door) as client:
            client.send("GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n")
            metrics = client.reader.read().decode()
        self.assertIn('glimpse_refused_total{reason="timeout"} 60', metrics)
        self.assertIn('glimpse_refused_total{reason="malformed"} 2', metrics)
        daemon.stop()
        told = len(re.findall(r"--(?:idle|http)-timeout\)|the headers are larger|not an HTTP request", daemon.stderr))
        left_out = sum(map(int, re.findall(r"(\d+) more warnings like this were left out", daemon.stderr)))
        self.assertLess(told, 50)
        self.assertEqual(told + left_out, 62)

    def test_slow_lines_and_slow_headers_are_dropped_and_keep_nobody_waiting(self):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0", "--idle-timeout", "300ms", "--http-timeout", "300ms",
                            "--http", "127.0.0.1:0", http=None)
        door = daemon.door()
        http = "tcp:127.0.0.1:" + daemon.wait_log(r"HTTP door open on tcp:\S+:(\d+)").group(1)
        stuck = [StreamClient(door) for _ in range(20)] + [StreamClient(http) for _ in range(20)]
        for client in stuck[:20]:
            client.send("1 | 0:1")
        for client in stuck[20:]:
            client.send("GET /v1/status HTTP/1.1\r\nHost: local")
        with StreamClient(door) as quick:
            for _ in range(50):
                float(quick.ask("| 0:1\n"))
        for client in stuck[:20]:
            self.assertIn("cut off by the end of the connection; not learned", client.line())
            self.assertEqual(client.line(), "")
        for client in stuck[20:]:
            self.assertEqual(client.line(), "")
        for client in stuck:
            client.close()

    def test_a_header_that_trickles_for_ever_ends_all_the_same(self):
        daemon = self.start(*SMALL, "--http-timeout", "400ms", "--http", "127.0.0.1:0", http=None)
        http = "tcp:127.0.0.1:" + daemon.wait_log(r"HTTP door open on tcp:\S+:(\d+)").group(1)
        client = StreamClient(http)
        client.socket.settimeout(0.02)
        client.send("GET / HTTP/1.1\r\n")
        end = time.monotonic() + DEADLINE
        ended = False
        while not ended and time.monotonic() < end:
            try:
                client.send("a")
                ended = client.socket.recv(1) == b""
            except TimeoutError:
                pass
            except OSError:
                ended = True
        self.assertTrue(ended)
        client.close()

    def test_clients_that_vanish_half_way_leave_nothing_behind(self):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0", "--listen", f"unix:{self.path('stream')}")
        tcp, unix = daemon.door("tcp"), daemon.door("unix")
        descriptors = f"/proc/{daemon.process.pid}/fd"
        until(lambda: daemon.get("/readyz").status == 200, "it is up")
        before = len(os.listdir(descriptors))
        for round_ in range(200):
            for door in (tcp, unix):
                client = StreamClient(door)
                client.send(("1 | 0:1\n", "1 | 0:", "| 0:1\n" * 50, "")[round_ % 4])
                if round_ % 3 == 0:
                    client.socket.shutdown(1)  # half closed: it still reads, for a moment
                client.close()
        daemon.wait_examples(100)
        until(lambda: len(os.listdir(descriptors)) <= before, "all descriptors are closed again")
        self.assertEqual(daemon.status()["examples"], 100)


if __name__ == "__main__":
    unittest.main(verbosity=2)
