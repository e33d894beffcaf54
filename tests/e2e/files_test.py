"""What stands in the way of the daemon's files: other things under the names of sockets, checkpoints and the lock; a full
disk; options that change what the bytes of an input mean; and signals at every moment of a start."""

import os
import random
import shutil
import signal
import socket
import stat
import struct
import subprocess
import unittest

from harness import DEADLINE, SMALL, TestCase, binary, csv, examples, ndjson, svmlight, until

LAST = "18446744073709551615"


class Sockets(TestCase):
    def start_on(self, option, path, **keywords):
        if option == "--http":
            daemon = self.start(*SMALL, "--http", f"unix:{path}", http=None, **keywords)
            daemon.http_path = path
        else:
            daemon = self.start(*SMALL, "--listen", f"unix:{path}", **keywords)
        daemon.wait_log("door open")
        return daemon

    def test_only_the_socket_that_was_bound_is_removed_at_the_end(self):
        for option in ("--listen", "--http"):
            for what in ("file", "folder", "link", "fifo", "nothing"):
                with self.subTest(option=option, what=what):
                    path = self.path(f"door{option}-{what}")
                    daemon = self.start_on(option, path)
                    self.assertTrue(stat.S_ISSOCK(os.lstat(path).st_mode))
                    os.remove(path)
                    {"file": lambda: self.write(os.path.basename(path), "precious"), "folder": lambda: os.mkdir(path),
                     "link": lambda: os.symlink("elsewhere", path), "fifo": lambda: os.mkfifo(path),
                     "nothing": lambda: None}[what]()
                    before = os.lstat(path) if what != "nothing" else None
                    self.assertEqual(daemon.stop(), 0)
                    if before is None:
                        self.assertFalse(os.path.lexists(path))
                    else:
                        self.assertEqual(os.lstat(path).st_ino, before.st_ino)

    def test_the_socket_of_another_daemon_that_took_the_path_stays(self):
        for option in ("--listen", "--http"):
            with self.subTest(option=option):
                path = self.path(f"door{option}")
                first = self.start_on(option, path)
                os.remove(path)
                second = self.start_on(option, path)
                self.assertEqual(first.stop(), 0)
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(path)  # still the second's
                self.assertEqual(second.stop(), 0)
                self.assertFalse(os.path.lexists(path))

    def test_a_socket_that_was_moved_away_is_not_followed(self):
        path = self.path("door")
        first = self.start_on("--listen", path)
        os.rename(path, self.path("moved"))
        self.write("door", "precious")
        self.assertEqual(first.stop(), 0)
        self.assertTrue(os.path.isfile(path))

    def test_a_live_socket_is_not_taken_for_a_dead_one_however_it_answers(self):
        path = self.path("door")
        for kind in ("full", "datagram"):
            with self.subTest(kind=kind):
                other = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM if kind == "datagram" else socket.SOCK_STREAM)
                clients = []
                try:
                    other.bind(path)
                    if kind == "full":
                        other.listen(0)
                        while True:  # until its queue is full, and who connects would wait
                            client = socket.socket(socket.AF_UNIX)
                            client.setblocking(False)
                            clients.append(client)
                            try:
                                client.connect(path)
                            except BlockingIOError:
                                break
                    status, line = self.refused(*SMALL, "--listen", f"unix:{path}")
                    self.assertEqual(status, 1)
                    self.assertIn("another process listens there", line)
                    self.assertTrue(os.path.lexists(path))
                finally:
                    for client in clients:
                        client.close()
                    other.close()
                    os.remove(path)

    def test_a_start_that_fails_takes_its_sockets_with_it(self):
        file = self.write("taken", "x")
        status, _ = self.refused(*SMALL, "--listen", f"unix:{self.path('door')}", "--http", f"unix:{file}")
        self.assertEqual(status, 1)
        self.assertFalse(os.path.lexists(self.path("door")))


class StateFolder(TestCase):
    def setUp(self):
        super().setUp()
        self.state = self.path("state")
        daemon = self.begin()
        for _ in range(2):
            daemon.post("/v1/learn", ndjson(examples(500)))
            self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        self.model = daemon.model()
        self.assertEqual(daemon.stop(), 0)

    def begin(self, *arguments, **keywords):
        return self.start(*SMALL, "--state-directory", self.state, *arguments, **keywords)

    def newest(self):
        return sorted(name for name in os.listdir(self.state) if name.endswith(".safetensors"))[-1]

    def plant(self, name, what):
        path = os.path.join(self.state, name)
        sound = os.path.join(self.state, self.newest())
        {"fifo": lambda: os.mkfifo(path), "folder": lambda: os.makedirs(os.path.join(path, "inside")),
         "dangling": lambda: os.symlink("nothing", path), "endless": lambda: os.symlink("/dev/zero", path),
         "tty": lambda: os.symlink("/dev/tty", path),
         "sound": lambda: (shutil.copy(sound, self.path("good")), os.symlink(self.path("good"), path)),
         "socket": lambda: self.bind(path), "huge": lambda: self.sparse(path, b""),
         "longer": lambda: self.sparse(path, self.content(sound)), "empty": lambda: open(path, "wb").close(),
         "header": lambda: self.sparse(path, struct.pack("<Q", 2**63) + self.content(sound)[8:])}[what]()

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    def bind(self, path):
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(path)

    def sparse(self, path, beginning):
        with open(path, "wb") as file:
            file.write(beginning)
            file.truncate(1 << 40)

    def test_whatever_has_the_newest_name_is_set_aside_and_the_one_before_taken(self):
        name = "checkpoint-000000099999-1.safetensors"
        reasons = {"fifo": "it is a FIFO", "folder": "it is a directory", "dangling": "it is a symbolic link",
                   "endless": "it is a symbolic link", "tty": "it is a symbolic link", "sound": "it is a symbolic link",
                   "socket": "it is a socket", "huge": "not a glimpse checkpoint", "empty": "not a glimpse checkpoint",
                   "longer": r"it has \d+ bytes, but the arrays of its header end at \d+",
                   "header": "its header is said to have"}
        for what, reason in reasons.items():
            with self.subTest(what):
                self.plant(name, what)
                daemon = self.begin()
                self.assertRegex(daemon.stderr, rf"set aside: {name}: {reason}")
                self.assertNotIn("not enough memory", daemon.stderr)
                self.assertEqual(daemon.model(), self.model)
                self.assertTrue(os.path.lexists(os.path.join(self.state, name + ".bad")))
                self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
                self.assertEqual(daemon.stop(), 0)
                (shutil.rmtree if what == "folder" else os.remove)(os.path.join(self.state, name + ".bad"))

    def test_what_lies_under_the_name_of_a_temporary_file_is_not_written_to(self):
        precious = self.write("precious", "kept")
        sequence = int(self.newest().split("-")[1])
        for ahead in range(1, 4):
            name = os.path.join(self.state, f".checkpoint-{sequence + ahead:012}-1000.safetensors.tmp")
            [os.symlink, os.link, lambda _, to: os.mkfifo(to)][ahead - 1](precious, name)
        daemon = self.begin()
        self.assertEqual(daemon.model(), self.model)
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        self.assertEqual(daemon.stop(), 0)
        with open(precious, encoding="ascii") as file:
            self.assertEqual(file.read(), "kept")
        self.assertFalse([name for name in os.listdir(self.state) if "tmp" in name])

    def test_a_lock_that_is_no_file_refuses_the_start_and_is_not_opened(self):
        lock = os.path.join(self.state, "lock")
        for what in ("fifo", "folder", "dangling", "endless", "socket"):
            with self.subTest(what):
                os.remove(lock)
                self.plant("lock", what)
                status, line = self.refused(*SMALL, "--state-directory", self.state)
                self.assertEqual(status, 1)
                self.assertIn(f"{lock} is in the way: it must be a regular file", line)
                self.assertFalse(os.path.exists(os.path.join(self.state, "nothing")))
                (shutil.rmtree if what == "folder" else os.remove)(lock)
                open(lock, "wb").close()
        self.assertEqual(self.begin().model(), self.model)

    def test_a_number_at_which_counting_would_end_loses_nothing(self):
        sound = shutil.copy(os.path.join(self.state, self.newest()), self.path("sound"))
        for number in (LAST, "18446744073709551614", "99999999999999999999999"):
            with self.subTest(number):
                name = f"checkpoint-{number}-1.safetensors"
                shutil.copy(sound, os.path.join(self.state, name))
                daemon = self.begin()
                self.assertRegex(daemon.stderr, rf"set aside: {name}: its number is above ")
                daemon.post("/v1/learn", ndjson(examples(10)))
                shutil.copy(sound, os.path.join(self.state, name))  # and while it runs
                self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
                count = daemon.status()["examples"]
                daemon.kill()
                again = self.begin()
                self.assertEqual(again.status()["examples"], count)
                self.assertEqual(again.stop(), 0)

    def test_a_named_checkpoint_is_a_regular_file_or_a_link_to_one(self):
        self.plant("named-fifo", "fifo")
        self.plant("named-endless", "endless")
        self.plant("named-sound", "sound")
        self.plant("named-longer", "longer")
        for name, reason in (("named-fifo", "is a FIFO, not a regular file"), ("named-longer", "but the arrays of its header"),
                             ("named-endless", "is a device, not a regular file")):
            status, line = self.refused(*SMALL, "--restore", os.path.join(self.state, name), "--http", "unix:" + self.path("h"))
            self.assertEqual(status, 1)
            self.assertIn(reason, line)
        self.assertEqual(self.start(*SMALL, "--restore", os.path.join(self.state, "named-sound")).model(), self.model)


class Restorable(TestCase):
    def test_whatever_was_learned_the_next_start_finds_a_state_that_it_can_restore(self):
        for number, (stream, dimension) in enumerate((("1 1:1e-200 2:1\n2 1:2e-200 2:2\n", 2),
                                                      ("1e30 1:1e30 2:-1e30\n-1e30 1:1e30 2:1e-300\n", 2),
                                                      ("1e-310 1:1e-320 2:1e-310\n", 2))):
            for algorithm in ("pairwise", "pairwise-screened", "aerr", "baseline"):
                with self.subTest(stream=stream, algorithm=algorithm):
                    options = ("--dimension", dimension, "--budget", 2, "--algorithm", algorithm, "--state-directory",
                               self.path(f"state-{number}-{algorithm}"), *(("--radius", 2) if algorithm == "baseline" else ()))
                    status, _, log = self.run_to_end(*options, stdin=stream.encode() * 50)
                    # What cannot be restored is not saved, and is told.
                    self.assertEqual(status, 1 if "could not be restored, and is not saved" in log else 0, log)
                    status, _, log = self.run_to_end(*options)
                    self.assertEqual(status, 0, log)
                    self.assertNotIn("set aside", log)


@unittest.skipIf(os.environ.get("GLIMPSE_SANITIZE"), "sanitizers must be loaded first")
class FullDisk(TestCase):
    def test_a_restart_on_a_full_disk_serves_and_learns(self):
        state = self.path("state")
        faults = self.write("faults", "")
        environment = {"LD_PRELOAD": binary("GLIMPSE_FAULTS_LIBRARY"), "GLIMPSE_FAULTS": faults}
        first = self.start(*SMALL, "--state-directory", state)
        first.post("/v1/learn", ndjson(examples(100)))
        self.assertEqual(first.stop(), 0)
        for fault in ("write ENOSPC", "write EDQUOT", "fsync ENOSPC", "rename ENOSPC"):
            with self.subTest(fault):
                self.write("faults", fault)
                daemon = self.start(*SMALL, "--state-directory", state, environment=environment, ready=False)
                daemon.wait_log("HTTP door open")
                self.assertEqual(daemon.get("/readyz").error(), "checkpoint_failed")
                self.assertIn("checkpoint failed, learning goes on", daemon.stderr)
                before = daemon.status()["examples"]
                self.assertEqual(daemon.post("/v1/learn", ndjson(examples(10))).json()["accepted"], 10)
                self.assertEqual(daemon.post("/v1/checkpoint").status, 500)
                self.write("faults.new", "")
                os.replace(self.path("faults.new"), faults)
                self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
                self.assertEqual(daemon.get("/readyz").status, 200)
                self.assertEqual(daemon.status()["examples"], before + 10)
                self.assertEqual(daemon.stop(), 0)

    def test_another_fault_of_the_disk_refuses_the_start_as_ever(self):
        environment = {"LD_PRELOAD": binary("GLIMPSE_FAULTS_LIBRARY"), "GLIMPSE_FAULTS": self.write("faults", "fsync EIO")}
        status, line = self.refused(*SMALL, "--state-directory", self.path("state"), "--listen", f"unix:{self.path('s')}",
                                    environment=environment)
        self.assertEqual(status, 1)
        self.assertIn("Input/output error", line)


class Reading(TestCase):
    """A position in a file is of use only to who reads on as it was read before."""

    def again(self, content, before, now):
        shutil.rmtree(self.path("state"), True)
        path = self.write("examples", content)
        status, _, log = self.run_to_end(*SMALL, "--state-directory", self.path("state"), "--input", path, *before)
        self.assertEqual(status, 0, log)
        with open(path, "a", encoding="ascii") as file:
            file.write(content)
        return self.run_to_end(*SMALL, "--state-directory", self.path("state"), "--input", path, *now)

    def test_options_that_take_the_rest_of_a_file_otherwise_are_refused(self):
        rows = examples(50)
        cases = ((svmlight(rows), (), ("--index-base", 0), "--index-base 1", "--index-base 0"),
                 (svmlight(rows), ("--format", "svmlight"), ("--format", "svmlight", "--index-base", 0), "--index-base 1",
                  "--index-base 0"),
                 (csv(rows), (), ("--label-column", 1), "--label-column 0", "--label-column 1"),
                 (csv(rows), ("--delimiter", ","), ("--delimiter", ";"), "--delimiter ','", "--delimiter ';'"),
                 (csv(rows), (), ("--format", "svmlight"), "--format auto", "--format svmlight"))
        for content, before, now, was, asked in cases:
            with self.subTest(before=before, now=now):
                status, _, log = self.again(content, before, now)
                self.assertEqual(status, 1, log)
                self.assertIn(f"bytes were read with {was}, and this start asks for {asked}", log)

    def test_options_that_mean_the_same_to_the_file_are_not(self):
        rows = examples(50)
        for content, before, now in ((csv(rows), (), ("--index-base", 0)), (svmlight(rows), (), ("--label-column", 2)),
                                     (svmlight(rows), (), ("--format", "svmlight")),
                                     (csv(rows), ("--format", "csv"), ())):
            with self.subTest(before=before, now=now):
                status, _, log = self.again(content, before, now)
                self.assertEqual(status, 0, log)
                self.assertIn("finished: 100 examples", log)

    def test_how_a_file_was_read_is_kept_while_others_are_read(self):
        path = self.write("examples", svmlight(examples(50)))
        state = ("--state-directory", self.path("state"))
        self.assertEqual(self.run_to_end(*SMALL, *state, "--input", path)[0], 0)
        self.assertEqual(self.run_to_end(*SMALL, *state, "--input", "-", "--index-base", 0)[0], 0)
        status, _, log = self.run_to_end(*SMALL, *state, "--input", path, "--index-base", 0)
        self.assertEqual(status, 1, log)
        self.assertIn("bytes were read with --index-base 1, and this start asks for --index-base 0", log)
        self.assertEqual(self.run_to_end(*SMALL, *state, "--input", path)[0], 0)

    def test_without_a_file_the_change_is_told(self):
        state = ("--state-directory", self.path("state"))
        self.run_to_end(*SMALL, *state, "--input", "-", stdin=svmlight(examples(20)).encode())
        log = self.run_to_end(*SMALL, *state, "--input", "-", "--index-base", 0, stdin=b"")[2]
        self.assertRegex(log, "warning what was learned before was read with --index-base 1, and what comes now is with "
                              "--index-base 0")
        log = self.run_to_end(*SMALL, *state, "--input", "-", "--index-base", 0, stdin=b"")[2]
        self.assertNotIn("what was learned before was read with", log)


class Starts(TestCase):
    """SIGTERM at seeded moments of a start, from the first that a program can catch on: it always ends with 0."""

    def ends_well(self, arguments, seed, stdin=subprocess.DEVNULL):
        generator = random.Random(seed)
        for number in (signal.SIGTERM, signal.SIGINT):
            # How long a start takes is not known: the moments are counted in looks at the process, more and more of them.
            looks, ready = 0, False
            while not ready:
                process = subprocess.Popen([binary("GLIMPSE_BIN"), *map(str, arguments)], stdin=stdin,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                try:
                    # Before main() nobody can catch a signal. The first that main() does shows outside.
                    until(lambda: self.has_begun(process), "main has begun")
                    for _ in range(looks):
                        if process.poll() is not None:
                            break
                        self.has_begun(process)
                    process.send_signal(number)
                    log = process.communicate(timeout=DEADLINE)[1].decode()
                finally:
                    if process.poll() is None:
                        process.kill()
                        process.communicate()
                self.assertEqual(process.returncode, 0, (number, looks, log))
                ready = "finished: " in log and "door" in log or looks > 3000
                looks += 1 + generator.randrange(1 + looks)

    def has_begun(self, process):
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            ignored = next(line for line in file if line.startswith("SigIgn"))
        return int(ignored.split()[1], 16) >> (signal.SIGPIPE - 1) & 1

    def test_with_a_state_to_restore_doors_and_an_input(self):
        rows = self.write("rows", svmlight(examples(20000)))
        arguments = ["--dimension", 400, "--budget", 5, "--state-directory", self.path("state"), "--input", rows, "--serve",
                     "--listen", f"unix:{self.path('door')}", "--http", f"unix:{self.path('http')}"]
        status = self.run_to_end("--dimension", 400, "--budget", 5, "--state-directory", self.path("state"), "--input", rows)[0]
        self.assertEqual(status, 0)
        self.ends_well(arguments, 1)
        daemon = self.start("--dimension", 400, "--budget", 5, "--state-directory", self.path("state"))
        self.assertEqual(daemon.status()["examples"], 20000)  # whatever was cut off

    def test_amid_an_input_that_it_has_just_begun(self):
        rows = self.write("rows", svmlight(examples(50000)))
        self.ends_well([*SMALL, "--input", rows, "--listen", f"unix:{self.path('door')}"], 2)

    def test_while_it_waits_for_a_file_that_nobody_writes(self):
        os.mkfifo(self.path("names"))
        for _ in range(3):
            process = subprocess.Popen([binary("GLIMPSE_BIN"), "--attributes", self.path("names"), "--budget", "2", "--input",
                                        "-"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            until(lambda: self.has_begun(process), "main has begun")
            process.terminate()
            process.communicate(timeout=DEADLINE)
            self.assertEqual(process.returncode, 0)

    def test_a_storm_of_signals_at_the_end_leaves_the_exit_status(self):
        for _ in range(5):
            daemon = self.start(*SMALL, "--state-directory", self.path("state"))
            while daemon.process.poll() is None:
                daemon.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.process.returncode, 0)

    def test_sighup_during_a_start_does_not_end_it(self):
        for _ in range(5):
            daemon = self.start(*SMALL, ready=False)
            until(lambda: self.has_begun(daemon.process), "main has begun")
            daemon.send_signal(signal.SIGHUP)
            daemon.wait_ready()
            daemon.wait_log("SIGHUP: the configuration was read again")
            self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main()
