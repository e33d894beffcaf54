"""Signals at every moment of a start."""

import os
import random
import signal
import subprocess
import unittest

from harness import DEADLINE, SMALL, TestCase, binary, examples, svmlight, until


class Starts(TestCase):
    """SIGTERM at seeded moments of a start, from the first that a program can catch on: it always ends with 0."""

    def ends_well(self, arguments, seed, stdin=subprocess.DEVNULL):
        generator = random.Random(seed)
        for number in (signal.SIGTERM, signal.SIGINT):
            # How long a start takes is not known: the moments are counted in looks at the process, more
            # and more of them.
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
        arguments = ["--dimension", 400, "--budget", 5, "--state-directory", self.path("state"), "--input", rows,
                     "--serve", "--listen", f"unix:{self.path('door')}", "--http", f"unix:{self.path('http')}"]
        status = self.run_to_end("--dimension", 400, "--budget", 5, "--state-directory", self.path("state"),
                                 "--input", rows)[0]
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
            process = subprocess.Popen([binary("GLIMPSE_BIN"), "--attributes", self.path("names"), "--budget", "2",
                                        "--input", "-"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE)
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
            daemon.wait_log("SIGHUP: the configuration was read again: without --config FILE it is the command line")
            self.assertEqual(daemon.stop(), 0)

    def test_standard_descriptors_that_are_closed_give_their_numbers_to_no_file(self):
        def close():
            for descriptor in (0, 1, 2):
                os.close(descriptor)

        daemon = self.start(*SMALL, "--state-directory", self.path("state"), preexec=close)
        daemon.post("/v1/learn", svmlight(examples(50)))
        for descriptor in (0, 1, 2):
            self.assertEqual(os.readlink(f"/proc/{daemon.process.pid}/fd/{descriptor}"), "/dev/null")
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(os.path.getsize(self.path("state", "lock")), 0)

    def test_sigusr1_and_sigusr2_end_nothing_at_any_time(self):
        for _ in range(5):
            daemon = self.start(*SMALL, ready=False)
            until(lambda: self.has_begun(daemon.process), "main has begun")
            daemon.send_signal(signal.SIGUSR1)
            daemon.wait_ready()
            for name in ("SIGUSR1", "SIGUSR2"):
                daemon.send_signal(getattr(signal, name))
                daemon.wait_log(f"{name} was ignored: SIGHUP reads the configuration again, and SIGTERM ends glimpsed")
            self.assertEqual(daemon.get("/readyz").status, 200)
            while daemon.process.poll() is None:
                daemon.send_signal(signal.SIGUSR2)
                daemon.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
