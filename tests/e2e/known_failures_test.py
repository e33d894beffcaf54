"""What others' daemons were seen to do, and this one does not. tests/README.md lists all of them; those that other tests
show are not repeated here."""

import os
import random
import re
import signal
import socket
import struct
import unittest

from harness import DEADLINE, SMALL, StreamClient, TestCase, examples, until, vw

DOORS = ("--listen", "tcp:127.0.0.1:0")


class KnownFailures(TestCase):
    def test_a_label_that_is_no_number_is_refused_and_changes_no_prediction(self):
        rows = examples(500)
        clean = self.start(*SMALL, *DOORS)
        with clean.client() as client:
            client.send(vw(rows))
            clean.wait_examples(500)
        daemon = self.start(*SMALL, *DOORS)
        with daemon.client() as client:
            client.send(vw(rows[:250]))
            for label in ("inf", "-inf", "nan", "NaN", "Infinity", "1e999", "abc", "1abc", "0x10", "1,5", "--1", "+-1", "١"):
                self.assertRegex(client.ask(f"{label} | 0:1 1:1 2:1 3:1\n"), r"^error: line \d+: label .* is not a", label)
            client.send(vw(rows[250:]))
            daemon.wait_examples(500)
            self.assertEqual(daemon.status()["parse_errors"], 13)
            self.assertEqual(daemon.model(), clean.model())
            # Such values are refused as well; their plans are spent.
            for value in ("inf", "nan", "1e999", "abc", ""):
                reply = client.ask(f"1 | 0:{value} 1:{value} 2:{value} 3:{value}\n")
                self.assertRegex(reply, r"^error: line \d+: value ", value)
        self.assertEqual(daemon.model(), clean.model())

    def test_no_first_byte_changes_what_a_door_speaks_and_noise_harms_nobody(self):
        noise = random.Random(5)
        rows = examples(100)
        daemon = self.start(*SMALL, *DOORS, "--listen", f"unix:{self.path('stream')}")
        for door in (daemon.door("tcp"), daemon.door("unix")):
            for first in range(256):
                client = StreamClient(door)
                client.send(bytes([first]) + noise.randbytes(noise.randrange(2000)) + b"\n")
                client.socket.shutdown(socket.SHUT_WR)
                client.reader.read()
                client.close()
        pid = daemon.process.pid
        with daemon.client() as client:
            client.send(vw(rows))
            daemon.wait_examples(100)
        self.assertEqual(daemon.status()["examples"], 100)
        self.assertEqual((daemon.process.pid, daemon.process.poll()), (pid, None))
        clean = self.start(*SMALL)
        clean.post("/v1/learn?format=vw", vw(rows))
        self.assertEqual(daemon.model(), clean.model())

    def test_500_idle_clients_lock_nobody_out(self):
        daemon = self.start(*SMALL, *DOORS)
        door = daemon.door()
        idle = [StreamClient(door) for _ in range(500)]
        try:
            for _ in range(20):
                with StreamClient(door) as client:
                    float(client.ask("| 0:1\n"))
            self.assertEqual(daemon.get("/readyz").status, 200)
            until(lambda: "glimpse_connections 501" in daemon.get("/metrics").body.decode(), "they are all still there")
            float(idle[0].ask("| 0:1\n"))
        finally:
            for client in idle:
                client.close()

    def test_doors_that_nobody_asked_for_are_not_there_and_others_are_on_loopback_alone(self):
        def listening(daemon):
            """[(address, inode)] of the TCP sockets on which the process listens."""
            inodes = set()
            folder = f"/proc/{daemon.process.pid}/fd"
            for name in os.listdir(folder):
                try:
                    found = re.match(r"socket:\[(\d+)\]", os.readlink(os.path.join(folder, name)))
                except OSError:
                    continue
                if found:
                    inodes.add(found.group(1))
            addresses = []
            for family, table in ((socket.AF_INET, "tcp"), (socket.AF_INET6, "tcp6")):
                with open(f"/proc/net/{table}", encoding="ascii") as file:
                    for row in file.read().splitlines()[1:]:
                        fields = row.split()
                        if fields[3] == "0A" and fields[9] in inodes:
                            words = bytes.fromhex(fields[1].split(":")[0])
                            swapped = b"".join(words[i:i + 4][::-1] for i in range(0, len(words), 4))
                            addresses.append(socket.inet_ntop(family, swapped))
            return addresses

        self.assertEqual(listening(self.start(*SMALL)), [])
        self.assertEqual(listening(self.start(*SMALL, *DOORS)), ["127.0.0.1"])

    def test_a_killed_daemon_leaves_nobody_behind_that_answers(self):
        daemon = self.start(*SMALL, *DOORS)
        door = daemon.door()
        with StreamClient(door) as client:
            float(client.ask("| 0:1\n"))
            children = []
            for task in os.listdir(f"/proc/{daemon.process.pid}/task"):
                with open(f"/proc/{daemon.process.pid}/task/{task}/children", encoding="ascii") as file:
                    children += file.read().split()
            self.assertEqual(children, [])
            daemon.kill()
            with self.assertRaises(OSError):
                if client.ask("| 0:1\n") == "":
                    raise ConnectionResetError
        with self.assertRaises(OSError):
            StreamClient(door)

    def test_a_model_that_was_saved_at_sigterm_goes_on_as_if_nothing_had_happened(self):
        rows = examples(3000)
        for algorithm in ("pairwise", "two-phase-ddaerr", "online-ridge", "apple"):
            with self.subTest(algorithm=algorithm):
                options = (*SMALL, "--algorithm", algorithm, *DOORS)
                straight = self.start(*options)
                with straight.client() as client:
                    client.send(vw(rows))
                    straight.wait_examples(3000)
                state = ("--state-directory", self.path(algorithm))
                for begin in range(0, 3000, 1000):
                    daemon = self.start(*options, *state)
                    with daemon.client() as client:
                        client.send(vw(rows[begin:begin + 1000]))
                        daemon.wait_examples(begin + 1000)
                    if begin < 2000:
                        self.assertEqual(daemon.stop(signal.SIGTERM), 0)
                self.assertEqual(daemon.model(), straight.model())

    def test_a_client_that_resets_amid_a_burst_stops_no_worker(self):
        daemon = self.start(*SMALL, *DOORS)
        door = daemon.door()
        for _ in range(50):
            client = StreamClient(door)
            client.send("| 0:1\n" * 2000)
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
        with StreamClient(door) as client:
            client.socket.settimeout(DEADLINE)
            float(client.ask("| 0:1\n"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
