"""The stream doors: several at once, interleaved lines, cut and endless lines, slow and rude clients."""

import re
import resource
import signal
import socket
import threading
import unittest

from harness import SANITIZERS, SMALL, StreamClient, TestCase, examples, svmlight, unlabelled, until, vw

DOORS = ("--listen", "tcp:127.0.0.1:0")


class StreamDoors(TestCase):
    def unix(self):
        return ("--listen", f"unix:{self.path('stream.sock')}")

    def test_tcp_and_unix_clients_learn_into_one_model(self):
        daemon = self.start(*SMALL, *DOORS, *self.unix())
        addresses = [daemon.door("tcp"), daemon.door("unix")] * 3

        def feed(address, seed):
            with StreamClient(address) as client:
                client.send(svmlight(examples(500, seed=seed)))
                client.finish()

        threads = [threading.Thread(target=feed, args=(a, i)) for i, a in enumerate(addresses)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        daemon.wait_examples(3000)
        sources = {source["kind"]: source for source in daemon.status()["sources"]}
        self.assertEqual(sources["tcp"]["examples"], 1500)
        self.assertEqual(sources["unix"]["examples"], 1500)
        self.assertEqual(daemon.stop(), 0)

    def test_labelled_and_unlabelled_lines_interleave(self):
        daemon = self.start(*SMALL, *DOORS, "--clip", "off")
        rows = examples(400)
        content = "".join(vw([row]) + unlabelled(row[1]) for row in rows)
        with daemon.client() as client:
            client.send(content)
            answers = client.finish().splitlines()
        self.assertEqual(len(answers), 400)
        self.assertGreater(len(set(answers)), 350)  # the model moved between them
        self.assertEqual(daemon.status()["examples"], 400)
        self.assertEqual(daemon.status()["predictions"], 400)

    def test_a_client_that_ended_its_side_gets_every_reply(self):
        daemon = self.start(*SMALL, *DOORS, *self.unix())
        for kind in ("tcp", "unix"):
            with daemon.client(kind) as client:
                client.send("| 0:1\n" * 20000)
                self.assertEqual(len(client.finish().splitlines()), 20000)

    def test_a_line_in_single_bytes_is_one_line(self):
        daemon = self.start(*SMALL, *DOORS)
        with daemon.client() as client:
            client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in b"1 | 0:0.5 1:0.25\n| 0:1\n":
                client.send(bytes([byte]))
            float(client.line())
        self.assertEqual(daemon.status()["examples"], 1)

    def test_a_record_that_a_closing_client_cut_off_is_counted_told_and_not_learned(self):
        daemon = self.start(*SMALL, *DOORS, "--strict")
        with daemon.client() as client:
            client.send("1 | 0:0.5\n| 0:1\n1 | 0:0.2")
            prediction, error = client.finish().splitlines()
        float(prediction)
        self.assertEqual(error, "error: line 3: cut off by the end of the connection; not learned")
        until(lambda: daemon.status()["parse_errors"] == 1, "the cut line is counted")
        self.assertEqual(daemon.status()["examples"], 1)
        daemon.wait_log(r"tcp:\S+: line 3: cut off by the end of the connection; not learned")
        with daemon.client() as client:  # one that does not wait for it does no harm
            client.send("1 | 0:0.2")
        until(lambda: daemon.status()["parse_errors"] == 2, "the next cut line is counted")
        self.assertEqual(daemon.stop(), 0)

    def test_a_line_that_cannot_be_read_is_answered_with_its_number_and_skipped(self):
        daemon = self.start(*SMALL, *DOORS, "--format", "vw")
        with daemon.client() as client:
            self.assertRegex(client.ask("1 | 0:1\n1 | 9:1\n"), r"^error: line 2: .*index 9 is out of range.*dimension 4")
            self.assertRegex(client.ask("no\n"), r"^error: line 3: ")
            float(client.ask("| 0:1\n"))

    def test_a_client_that_reads_no_replies_does_not_stop_others(self):
        daemon = self.start(*SMALL, *DOORS, "--queue", "1MiB")
        with daemon.client() as rude:
            rude.socket.settimeout(1)
            sent = 0
            try:
                while sent < 64 << 20:
                    sent += rude.socket.send(b"| 0:1\n" * 10000)
            except TimeoutError:
                pass
            self.assertLess(sent, 64 << 20)  # it was held back
            with daemon.client() as client:
                for _ in range(100):
                    float(client.ask("1 | 0:1\n| 0:1\n"))
            if not SANITIZERS:  # they keep memory that was freed, and shadows of it
                self.assertLess(daemon.rss_bytes(), 256 << 20)
            # And the replies are still there for who starts to read.
            rude.socket.settimeout(60)
            for _ in range(1000):
                float(rude.line())
        self.assertEqual(daemon.stop(), 0)

    def test_the_end_does_not_wait_for_a_client_that_reads_nothing(self):
        daemon = self.start(*SMALL, *DOORS, "--state-directory", self.path("state"))
        with daemon.client() as rude:
            rude.socket.settimeout(1)
            try:
                while True:
                    rude.socket.send(b"| 0:1\n" * 10000)
            except TimeoutError:
                pass
            self.assertEqual(daemon.stop(), 0)

    def test_a_line_of_100_mb_gets_one_error_and_harms_nobody(self):
        daemon = self.start(*SMALL, *DOORS, *self.unix(), "--max-line", "4MiB")
        other = daemon.client("unix")
        float(other.ask("1 | 0:1\n| 0:1\n"))
        before = daemon.rss_bytes()
        for kind in ("tcp", "unix"):
            with daemon.client(kind) as client:
                client.send("1 | 0:1\n")
                piece = b"x" * (1 << 20)
                try:
                    for _ in range(100):
                        client.send(piece)
                except OSError:
                    pass  # it may have closed before we have sent it all
                answer = client.reader.read().decode()
            self.assertEqual(answer.count("\n"), 1, answer[:500])
            self.assertRegex(answer, r"^error: .*longer than the limit of 4194304 bytes.*closing$")
            float(other.ask("| 0:1\n"))
        if not SANITIZERS:  # they keep memory that was freed, and shadows of it
            until(lambda: daemon.rss_bytes() < before + (24 << 20), "the memory of the line is given back")
        self.assertEqual(daemon.status()["parse_errors"], 2)
        self.assertEqual(daemon.status()["examples"], 3)
        other.close()
        self.assertEqual(daemon.stop(), 0)

    def test_lines_before_an_endless_one_are_learned(self):
        daemon = self.start(*SMALL, *DOORS, "--max-line", "1KiB")
        with daemon.client() as client:
            client.send("1 | 0:1\n" * 1000 + "x" * 5000 + "\n1 | 0:1\n")
            self.assertRegex(client.finish(), r"^error: line is longer than the limit of 1024 bytes \(--max-line\); closing\n$")
        self.assertEqual(daemon.status()["examples"], 1000)

    def test_a_client_that_breaks_off_hard_harms_nobody(self):
        daemon = self.start(*SMALL, *DOORS)
        for _ in range(20):
            client = daemon.client()
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")  # RST
            client.send("| 0:1\n" * 5000)
            client.close()
        with daemon.client() as client:
            float(client.ask("| 0:1\n"))
        self.assertEqual(daemon.stop(), 0)

    def test_more_connections_than_allowed_are_turned_away(self):
        daemon = self.start(*SMALL, *DOORS, "--max-connections", 2)
        with daemon.client() as one, daemon.client() as two:
            float(one.ask("| 0:1\n"))
            float(two.ask("| 0:1\n"))
            with daemon.client() as three:
                self.assertEqual(three.line(), "")
        daemon.wait_log("a connection was turned away: --max-connections is reached")
        until(lambda: self.answers(daemon), "a place is free again")

    @staticmethod
    def answers(daemon):
        try:
            with daemon.client() as client:
                return client.ask("| 0:1\n")
        except OSError:
            return False

    @unittest.skipIf("undefined" in SANITIZERS, "its check of an object's type opens a pipe")
    def test_running_out_of_descriptors_is_survived(self):
        limit = 40
        daemon = self.start(*SMALL, *DOORS,
                            preexec=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        door = daemon.door()
        clients = [StreamClient(door) for _ in range(limit + 10)]
        daemon.wait_log("cannot accept connections: Too many open files")
        float(clients[0].ask("| 0:1\n"))
        for client in clients[:-1]:
            client.close()
        float(clients[-1].ask("| 0:1\n"))
        clients[-1].close()
        refused = re.search(r'^glimpse_refused_total\{reason="accept"\} (\d+)$', daemon.get("/metrics").body.decode(), re.M)
        self.assertGreater(int(refused.group(1)), 0)
        for reloads in (1, 2):  # there are no more descriptors than before, which is said once
            daemon.send_signal(signal.SIGHUP)
            until(lambda n=reloads: daemon.stderr.count("SIGHUP: the configuration was read again") == n, "SIGHUP is done with")
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(daemon.stderr.count("and the system allows 40 (ulimit -n"), 1)

    def test_samples_are_decided_while_the_configuration_is_read_again(self):
        daemon = self.start("--dimension", 3, "--budget", 2, "--label", "y", *DOORS, "--missing", ",".join(f"mark-{n}" for n in range(200)))
        rows = "".join(f"{n};{n % 7} kg;{n % 5};{n % 3}\n" for n in range(30))
        for n in range(1, 41):
            with daemon.client() as client:
                daemon.send_signal(signal.SIGHUP)
                client.send("y;a;b;c\n" + rows)
                daemon.post("/v1/learn?format=csv", "y;a;b;c\n1;2;3;4\n")
                client.finish()
            daemon.wait_examples(31 * n)
        self.assertEqual(daemon.stop(), 0)
        self.assertIn(" 0 lines that could not be read", daemon.stderr)

    def test_reading_pauses_while_the_queue_is_full_and_nothing_is_lost(self):
        daemon = self.start(*SMALL, *DOORS, *self.unix(), "--queue", "4KiB")
        content = svmlight(examples(5000))

        def feed(kind):
            with daemon.client(kind) as client:
                client.send(content)
                client.finish()

        threads = [threading.Thread(target=feed, args=(kind,)) for kind in ("tcp", "unix") * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        daemon.wait_examples(30000)
        until(lambda: daemon.status()["queue_bytes"] == 0, "the queue is empty")

    def test_sigterm_amid_full_queues_ends_with_what_was_read_learned(self):
        daemon = self.start(*SMALL, *DOORS, "--queue", "4KiB", "--state-directory", self.path("state"))
        stop = threading.Event()
        content = svmlight(examples(5000)).encode()

        def feed():
            try:
                with daemon.client() as client:
                    while not stop.is_set():
                        client.send(content)
            except OSError:
                pass

        threads = [threading.Thread(target=feed) for _ in range(4)]
        for thread in threads:
            thread.start()
        daemon.wait_examples(20000)
        daemon.send_signal(signal.SIGTERM)
        daemon.send_signal(signal.SIGTERM)  # one more changes nothing
        daemon.send_signal(signal.SIGINT)
        status = daemon.wait()
        stop.set()
        for thread in threads:
            thread.join()
        self.assertEqual(status, 0, daemon.stderr)
        learned = re.search(r"finished: (\d+) examples", daemon.stderr).group(1)
        daemon.wait_log(rf"state kept in checkpoint-\d+-{learned}\.safetensors")

    def test_a_connection_on_which_nothing_moves_is_closed_after_idle_timeout(self):
        daemon = self.start(*SMALL, *DOORS, "--idle-timeout", "100ms")
        with daemon.client() as client:
            float(client.ask("1 | 0:1\n| 0:1\n"))
            self.assertEqual(client.line(), "")
        daemon.wait_log(r"tcp:\S+: a connection on which nothing moved for 100 ms was closed \(--idle-timeout\)")
        with daemon.client() as client:
            self.assertEqual(client.line(), "")  # it never said anything
        with daemon.client() as rude:  # it reads no replies
            with self.assertRaises(OSError):
                while True:
                    rude.send("| 0:1\n" * 10000)
        self.assertEqual(daemon.stop(), 0)

    def test_idle_timeout_changes_with_sighup_for_new_connections(self):
        file = self.write("glimpsed.conf", "")
        daemon = self.start(*SMALL, *DOORS, "--config", file)
        with daemon.client() as old:
            float(old.ask("| 0:1\n"))
            self.write("glimpsed.conf", "idle-timeout = 100ms\n")
            daemon.send_signal(signal.SIGHUP)
            daemon.wait_log("SIGHUP: the configuration was read again")
            with daemon.client() as client:
                self.assertEqual(client.line(), "")
            float(old.ask("| 0:1\n"))

    def test_strict_tells_the_client_and_ends(self):
        daemon = self.start(*SMALL, *DOORS, "--strict", "--format", "vw")
        with daemon.client() as client:
            client.send("1 | 0:1\nno\n1 | 0:1\n")
            self.assertRegex(client.line(), r"^error: line 2: ")
            self.assertEqual(daemon.wait(), 1)
        daemon.wait_log(r"line 2: .*\(--strict\)")


if __name__ == "__main__":
    unittest.main(verbosity=2)
