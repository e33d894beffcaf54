"""The service manager's side: readiness, watchdog, socket activation, the units."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import unittest

from harness import DEADLINE, SANITIZERS, SMALL, StreamClient, TestCase, UnixHttp, binary, until


class Notify(TestCase):
    """Plays the service manager on a datagram socket."""

    def setUp(self):
        super().setUp()
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.manager.close)
        self.manager.bind(self.path("notify"))
        self.manager.settimeout(DEADLINE)

    def next(self, key):
        """The next message that says `key`."""
        while True:
            message = dict(line.split("=", 1) for line in self.manager.recv(4096).decode().splitlines() if "=" in line)
            if key in message:
                return message

    def begin(self, *arguments, **environment):
        return self.start(*SMALL, *arguments, environment={"NOTIFY_SOCKET": self.path("notify"), **environment},
                          ready=False)

    def test_ready_is_said_once_the_doors_are_open_and_stopping_at_the_end(self):
        daemon = self.begin("--listen", f"unix:{self.path('stream')}")
        self.assertEqual(self.next("READY")["READY"], "1")
        with StreamClient(f"unix:{self.path('stream')}") as client:
            float(client.ask("| 0:1\n"))
        self.assertEqual(daemon.get("/readyz").status, 200)
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(self.next("STOPPING")["STOPPING"], "1")
        self.assertEqual(daemon.wait(), 0)

    def test_a_start_that_fails_never_says_ready(self):
        with socket.socket(socket.AF_UNIX) as busy:
            busy.bind(self.path("busy"))
            busy.listen()
            daemon = self.begin("--listen", f"unix:{self.path('busy')}")
            self.assertEqual(daemon.wait(), 1)
        self.manager.setblocking(False)
        with self.assertRaises(BlockingIOError):
            self.manager.recv(4096)

    def test_a_reload_is_announced_and_ends_with_ready(self):
        daemon = self.begin()
        self.next("READY")
        daemon.send_signal(signal.SIGHUP)
        self.assertGreater(int(self.next("RELOADING")["MONOTONIC_USEC"]), 0)
        self.assertEqual(self.next("READY")["READY"], "1")

    def test_the_watchdog_is_fed(self):
        self.begin(WATCHDOG_USEC="100000")
        self.next("READY")
        for _ in range(3):
            self.assertEqual(self.next("WATCHDOG")["WATCHDOG"], "1")


class Activation(TestCase):
    def test_a_socket_of_the_service_manager_is_a_stream_door(self):
        activate = shutil.which("systemd-socket-activate")
        if not activate:
            self.skipTest("systemd-socket-activate is not here")
        for kind in ("unix", "tcp"):
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            listen = self.path("activated") if kind == "unix" else f"127.0.0.1:{port}"
            daemon = self.start(*SMALL, "--listen", "systemd:stream", ready=False,
                                wrapper=(activate, "-l", listen, "--fdname=stream"))
            address = f"unix:{listen}" if kind == "unix" else f"tcp:{listen}"

            def connected():
                try:
                    return StreamClient(address)
                except OSError:
                    return None

            with until(connected, "the socket listens") as client:  # this starts glimpsed
                float(client.ask("1 | 0:1\n| 0:1\n"))
            daemon.wait_ready()
            self.assertEqual(daemon.status()["examples"], 1)
            self.assertEqual(daemon.stop(), 0)

    def test_a_name_that_was_not_passed_is_refused(self):
        status, line = self.refused(*SMALL, "--listen", "systemd:stream")
        self.assertEqual(status, 1)
        self.assertIn("--listen systemd:stream: cannot listen: systemd passed no socket of that name", line)


class Service(TestCase):
    """glimpsed under a running manager, with what the unit forbids."""

    # What a transient unit of another name has for itself, or does without.
    ITS_OWN = ("ExecStart", "ExecReload", "Restart", "RestartSec", "StateDirectory", "RuntimeDirectory",
               "ConfigurationDirectory", "Group")

    def setUp(self):
        super().setUp()
        if SANITIZERS:
            self.skipTest("sanitizers need what the unit forbids")
        if not shutil.which("systemd-run"):
            self.skipTest("systemd-run is not here")
        tried = subprocess.run(["systemd-run", "--wait", "--pipe", "true"], stdin=subprocess.DEVNULL, capture_output=True,
                               text=True, timeout=DEADLINE, check=False)
        if tried.returncode != 0:
            self.skipTest("systemd-run starts nothing here, as no systemd is running that this user may ask: "
                          + " ".join(tried.stderr.split()))
        if os.geteuid() != 0:
            self.skipTest("only root reaches the sockets of a dynamic user")

    def restrictions(self):
        """The lines of [Service] as arguments of systemd-run."""
        with open(os.path.join(binary("GLIMPSE_SOURCE_DIR"), "systemd", "glimpsed.service"), encoding="utf-8") as file:
            service = re.search(r"^\[Service\]\n(.*?)(?=^\[|\Z)", file.read(), re.MULTILINE | re.DOTALL).group(1)
        lines = re.findall(r"^([A-Za-z]+)=(.*)$", service, re.MULTILINE)
        return [f"--property={key}={value}" for key, value in lines if key not in self.ITS_OWN]

    def clean(self, name):
        subprocess.run(["systemctl", "stop", name], capture_output=True, timeout=DEADLINE, check=False)
        shutil.rmtree(f"/var/lib/private/{name}", True)
        for path in (f"/var/lib/{name}", f"/run/{name}.bin"):
            if os.path.lexists(path):
                os.remove(path)

    def test_it_learns_answers_and_ends_under_the_restrictions_of_the_unit(self):
        restrictions = self.restrictions()
        self.assertIn("--property=MemoryDenyWriteExecute=yes", restrictions)
        name = f"glimpse-e2e-{os.getpid()}"
        program = f"/run/{name}.bin"  # the binary may lie where the unit's user does not get
        self.addCleanup(self.clean, name)
        run = subprocess.Popen(
            ["systemd-run", "--wait", "--quiet", f"--unit={name}", *restrictions, f"--property=StateDirectory={name}",
             f"--property=RuntimeDirectory={name}", f"--property=BindReadOnlyPaths={binary('GLIMPSE_BIN')}:{program}",
             program, *map(str, SMALL), "--listen", f"unix:/run/{name}/stream.sock", "--http",
             f"unix:/run/{name}/http.sock", "--state-directory", f"/var/lib/{name}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(run.stdout.close)

        def status(path="/v1/status"):
            self.assertIsNone(run.poll(), "the service ended")
            connection = UnixHttp(f"/run/{name}/http.sock")
            try:
                connection.request("GET", path)
                return connection.getresponse().read()
            except OSError:
                return None
            finally:
                connection.close()

        until(lambda: status("/readyz") == b"ready\n", "/readyz answers")
        with StreamClient(f"unix:/run/{name}/stream.sock") as client:
            float(client.ask("1 | 0:1\n2 | 0:2\n| 0:1\n"))
        self.assertEqual(json.loads(status())["examples"], 2)
        subprocess.run(["systemctl", "stop", name], check=True, capture_output=True, timeout=DEADLINE)  # SIGTERM
        self.assertEqual(run.wait(DEADLINE), 0, run.stdout.read())
        kept = os.listdir(f"/var/lib/private/{name}")
        self.assertTrue([file for file in kept if re.match(r"checkpoint-\d+-2\.safetensors$", file)], kept)


class Units(TestCase):
    def setUp(self):
        super().setUp()
        self.folder_of_units = os.path.join(binary("GLIMPSE_SOURCE_DIR"), "systemd")
        if not shutil.which("systemd-analyze") or not os.path.isdir(self.folder_of_units):
            self.skipTest("systemd-analyze or the units are not here")

    def analyze(self, *arguments):
        return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, timeout=DEADLINE,
                              check=False)

    def test_the_service_exposes_little(self):
        checked = self.analyze("security", "--offline=true", os.path.join(self.folder_of_units, "glimpsed.service"))
        found = re.search(r"Overall exposure level for glimpsed.service: ([0-9.]+)", checked.stdout)
        self.assertTrue(found, checked.stdout[-2000:] + checked.stderr)
        print(f"exposure {found.group(1)}")
        self.assertLessEqual(float(found.group(1)), 1.5)

    def test_socket_service_and_sysusers_name_the_same_group(self):
        def found(name, pattern):
            with open(os.path.join(self.folder_of_units, name), encoding="utf-8") as file:
                return re.findall(pattern, file.read(), re.MULTILINE)

        group = found("glimpse.sysusers", r"^g (\S+)")
        self.assertEqual(len(group), 1)
        self.assertEqual(found("glimpsed.socket", r"^SocketGroup=(.*)$"), group)
        self.assertEqual(found("glimpsed.service", r"^Group=(.*)$"), group)

    def test_the_units_verify(self):
        # The unit names where an installed binary lies; here it is this one.
        for name in ("glimpsed.service", "glimpsed.socket"):
            with open(os.path.join(self.folder_of_units, name), encoding="utf-8") as file:
                self.write(name, re.sub(r"^ExecStart=\S+", f"ExecStart={binary('GLIMPSE_BIN')}", file.read(),
                                        flags=re.MULTILINE))
        checked = self.analyze("verify", "--man=no", self.path("glimpsed.service"), self.path("glimpsed.socket"))
        about_ours = [line for line in checked.stderr.splitlines() if "glimpse" in line and "Failed to prepare" not in line]
        self.assertEqual((checked.returncode, about_ours), (0, []), checked.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
