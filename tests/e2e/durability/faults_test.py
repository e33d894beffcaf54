"""Disks that are full, broken, read-only or gone, clocks that jump, signals that storm, clients that dawdle: learning
goes on, each trouble is told once in the log and counted, and when it is over nobody has to restart anything.

The system calls of the real binary fail as tests/faults/faults.c is told to. Sanitizers come before any library that is
loaded beside them, so these tests want a binary without."""

import os
import re
import shutil
import signal
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
                self.assertEqual(daemon.get("/readyz?for=learning").status, 503)
                self.assertEqual(daemon.get("/readyz").status, 200)
                self.assertEqual(self.checkpoints(), before)  # what was there is as it was
                daemon.wait_text("checkpoint failed, learning goes on", behind=log)
                new = daemon.stderr[log:]
                self.assertEqual(len(re.findall("checkpoint failed, learning goes on", new)), 1, new)
                # Nothing was lost meanwhile, and it is over as soon as the disk is well.
                self.set_faults("")
                self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
                self.assertEqual(daemon.get("/readyz").status, 200)
                daemon.wait_text("checkpoints succeed again, after 3 that failed", behind=log)
        model = daemon.model()
        daemon.kill()
        again = self.start_with_faults()
        self.assertEqual(again.status()["examples"], 90)
        self.assertEqual(again.model(), model)
        self.assertFalse([name for name in os.listdir(self.path("state")) if "tmp" in name or "new" in name])

    def test_a_freeze_that_no_checkpoint_can_hold_changes_nothing(self):
        daemon = self.start_with_faults()
        for path, before in (("/v1/freeze", False), ("/v1/unfreeze", True)):
            daemon.post("/v1/learn", ndjson(examples(10)))
            self.set_faults("write ENOSPC")
            answer = daemon.post(path)
            self.assertEqual((answer.status, answer.error()), (503, "not_durable"))
            left = "the model stays frozen" if before else "learning goes on"
            self.assertRegex(answer.json()["error"]["message"], f"^nothing was changed, and {left}")  # clients read it
            self.assertEqual(daemon.status()["frozen"], before)
            self.assertEqual(daemon.post("/v1/learn", ndjson(examples(5))).json()["accepted"], 0 if before else 5)
            self.set_faults("")
            self.assertEqual(daemon.post(path).json()["frozen"], not before)
        self.assertEqual(daemon.status()["examples"], 15)
        daemon.kill()
        self.assertIs(self.start_with_faults().status()["frozen"], False)

    def test_a_disk_that_is_broken_at_the_end_is_told_by_the_exit_status(self):
        daemon = self.start_with_faults()
        daemon.post("/v1/learn", ndjson(examples(10)))
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        daemon.post("/v1/learn", ndjson(examples(5)))
        self.set_faults("fsync EIO")
        self.assertEqual(daemon.stop(), 1)
        daemon.wait_text("finished: 15 examples")
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
        self.assertEqual(daemon.get("/readyz?for=learning").error(), "checkpoint_failed")
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
        daemon.wait_text("and is locked again", count=2)
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
        first.wait_text("checkpoint failed, learning goes on")
        self.assertEqual(len(re.findall("checkpoint failed, learning goes on", first.stderr)), 1)
        self.assertEqual(self.metric(first, "glimpse_checkpoint_failures_total"), 3)
        self.assertEqual(first.get("/readyz?for=learning").error(), "checkpoint_failed")
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

    def test_no_plan_expires_where_the_clock_is_set_neither_now_nor_after_a_restart(self):
        daemon = self.start_with_faults()
        self.assertEqual(daemon.post("/v1/ask", b'{"count": 1, "ttl": "1h"}').status, 200)
        for hours in (10000, -10000, 20000):
            self.set_faults(f"clock {hours * 3600}")
            self.assertEqual(len(daemon.get("/v1/plans").json()["plans"]), 1)
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        daemon.kill()
        faults = self.faults
        again = self.start(*SMALL, "--state-directory", self.path("state"),
                           environment={"LD_PRELOAD": binary("GLIMPSE_FAULTS_LIBRARY"), "GLIMPSE_FAULTS": faults})
        self.assertEqual(len(again.get("/v1/plans").json()["plans"]), 1)


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


class UnreadLog(TestCase):
    def test_standard_error_that_nobody_reads_stops_nothing_and_what_is_dropped_is_counted(self):
        reader, writer = os.pipe()
        daemon = self.start(*SMALL, preexec=lambda: os.dup2(writer, 2))
        os.close(writer)
        connection = daemon.connection()
        for round_ in range(5000):  # each logs a line
            connection.request("POST", "/v1/unfreeze" if round_ % 2 else "/v1/freeze")
            answer = connection.getresponse()
            answer.read()
            self.assertEqual(answer.status, 200)
        connection.close()
        self.assertEqual(daemon.post("/v1/learn", ndjson(examples(10))).json()["accepted"], 10)
        dropped = int(re.search(r"^glimpse_log_lines_dropped_total (\d+)$", daemon.get("/metrics").body.decode(), re.M).group(1))
        self.assertGreater(dropped, 0)
        with open(reader, encoding="utf-8") as log:
            lines = []
            while not lines or "were dropped" not in lines[-1]:
                lines.append(log.readline())
            self.assertIn(f"warning {dropped} lines of the log were dropped: nobody read standard error", lines[-1])
            told = [line for line in lines if "frozen at example" in line or "learning again" in line]
            self.assertTrue(all(line.endswith("\n") for line in lines))
            self.assertEqual(len(told) + dropped, 5000)
            daemon.send_signal(signal.SIGTERM)
            self.assertIn("finished: 10 examples", log.read())
        self.assertEqual(daemon.process.wait(DEADLINE), 0)


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
        # Bodies are counted for themselves, by what has come of them and not by what they announce.
        body = b'{"label": 1, "values": [1, 2, 3, 4' + b" " * 3000000 + b"]}\n"
        for client in clients:
            client.close()
        http_door = f"unix:{daemon.http_path}"
        announcing = [StreamClient(http_door) for _ in range(8)]
        for client in announcing:
            client.send(b"POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16000000\r\n\r\n")
        self.assertEqual(daemon.post("/v1/learn", body).status, 200)
        announcing[0].send(b" " * 3000000)
        until(lambda: daemon.post("/v1/learn", body).status == 503, "what has come of a body takes its part")
        self.assertIn("--max-unfinished 4194304 bytes", daemon.post("/v1/learn", body).json()["error"]["message"])
        with StreamClient(daemon.door()) as client:  # lines have theirs
            float(client.ask(b"1 | 0:1 " + b" " * 3000000 + b"\n| 0:1\n"))
        for client in announcing:
            client.close()
        until(lambda: daemon.post("/v1/learn", body).status == 200, "what the others held is free")
        self.assertEqual(daemon.post("/v1/learn", body + b" " * 1500000).status, 503)

    def test_bodies_that_wait_for_the_trainer_take_their_part_of_the_memory(self):
        daemon = self.start("--dimension", 1000000, "--budget", 5, "--algorithm", "two-phase-ddaerr", "--max-unfinished", "8MiB")
        row = b'{"label": 1, "values": [' + b",".join([b"0.5"] * 1000000) + b"]}\n"  # four megabytes
        waiting = [StreamClient(f"unix:{daemon.http_path}") for _ in range(6)]
        for client in waiting:  # each is worked on for a while
            client.send(b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (3 * len(row)))
        answers = []
        for client in waiting:
            try:
                client.send(3 * row)
            except OSError:
                pass  # refused amid it
            answers.append(client.line())
            client.close()
        self.assertEqual(set(answers), {"HTTP/1.1 503 Service Unavailable\r\n"})
        self.assertEqual(daemon.post("/v1/predict", row).status, 200)

    def test_only_posts_have_bodies_of_any_size(self):
        daemon = self.start(*SMALL)
        for method, path in (("GET", "/healthz"), ("GET", "/v1/model"), ("DELETE", "/v1/plans/a-1")):
            self.assertNotEqual(daemon.request(method, path, b"{}").status, 413)
            answer = daemon.request(method, path, b"x" * 100000)
            self.assertEqual((answer.status, answer.json()["error"]["message"]),
                             (413, f"the body of {method} {path} is larger than 65536 bytes"))

    def test_what_is_refused_of_bodies_is_not_kept(self):
        daemon = self.start(*SMALL, "--max-unfinished", "1MiB")
        before = daemon.rss_bytes()
        held = []
        for _ in range(30):  # each lingers, for its client to read why
            client = StreamClient(f"unix:{daemon.http_path}")
            held.append(client)
            client.send(b"POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16000000\r\n\r\n")
            try:
                client.send(b" " * 8000000)
            except OSError:
                pass
            self.assertEqual(client.line(), "HTTP/1.1 503 Service Unavailable\r\n")
        self.assertLess(daemon.rss_bytes() - before, 20 << 20)
        for client in held:
            client.close()

    def test_lengths_that_are_only_announced_take_no_memory(self):
        daemon = self.start(*SMALL, "--max-body", "1GiB")
        before = self.virtual_bytes(daemon)
        clients = [StreamClient(f"unix:{daemon.http_path}") for _ in range(50)]
        for client in clients:
            client.send(b"POST /v1/learn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n{")
        self.assertEqual(daemon.get("/readyz").status, 200)
        self.assertLess(self.virtual_bytes(daemon) - before, 256 << 20)
        for client in clients:
            client.close()

    def virtual_bytes(self, daemon):
        with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmSize:\s+(\d+) kB", file.read()).group(1)) << 10

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
