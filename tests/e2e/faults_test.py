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
