"""The commands of README.md, daemon/README.md and the runbook, typed in that order in an empty folder, print what
the pages say.

GLIMPSE_WRITE=1 puts the numbers that are printed now into the pages.
"""

import os
import re
import signal
import socket
import subprocess
import unittest

from harness import DEADLINE, TestCase, binary, until
from pages_support import Command, commands_of, compare, renewed, without_times

PAGES = ("README.md", "daemon/README.md", "daemon/operations/RUNBOOK.md")
PORTS = ("9317", "9318")  # of the pages; others are typed, so that several runs are no trouble to each other

# What is not typed here, by its beginning, and why.
NOT_TYPED = {
    "tools/quickstart": "installs packages as root and fetches MNIST; tests/bare_machine/run types it",
    "cmake --install": "as root, into /usr/local",
    "systemd-sysusers ": "makes a group, and what follows wants systemd; systemd_test reads the units",
    "$EDITOR ": "asks a person",
    "glimpsectl --server unix:/run/glimpse/http.sock": "asks the unit of systemd",
}
# Blocks that are no commands, by their first line, and why.
NO_COMMANDS = {
    "== Beside fewer looks, uniform looks and all pixels": "what tools/quickstart prints",
}

# Reads commands from descriptor 4, each up to a NUL; says on 3 how they ended. What daemons in the background print
# stands apart, as it comes when it likes.
SHELL = r"""
while IFS= read -r -u 4 -d '' kind && IFS= read -r -u 4 -d '' command; do
  if [[ $kind == daemon ]]; then eval "$command" >>"$DAEMON_LOG" 2>&1 3>&- 4<&-
  else eval "$command" 3>&- 4<&-; fi
  echo "$? $!" >&3
done
"""


class Shell:
    """A shell whose variables, jobs and folder last from one command to the next."""

    def __init__(self, folder, log, environment, ports):
        self.ports = ports
        self.printed_path, self.log_path = log + ".printed", log + ".daemons"
        open(self.log_path, "w", encoding="utf-8").close()
        status_read, status_write = os.pipe()
        command_read, command_write = os.pipe()
        with open(self.printed_path, "ab") as printed:
            self.process = subprocess.Popen(
                ["bash", "-c", f"exec 3>&{status_write} 4<&{command_read}\n" + SHELL], cwd=folder, stdin=subprocess.DEVNULL,
                stdout=printed, stderr=printed, pass_fds=(status_write, command_read), start_new_session=True,
                env={**environment, "DAEMON_LOG": self.log_path})
        os.close(status_write)
        os.close(command_read)
        self.status = os.fdopen(status_read, encoding="ascii")
        self.commands = os.fdopen(command_write, "wb")
        self.children = set()

    def read(self, path, begin):
        with open(path, encoding="utf-8", errors="replace") as file:
            file.seek(begin)
            return file.read()

    def run(self, command):
        """(exit status, the lines that it printed)."""
        path = self.log_path if command.is_daemon else self.printed_path
        begin = os.path.getsize(path)
        text = self.ports.typed(command.text)
        self.commands.write(f"{'daemon' if command.is_daemon else 'command'}\0{text}\0".encode())
        self.commands.flush()
        answer = self.status.readline().split()
        if command.is_daemon:
            self.children.add(int(answer[1]))
            self.wait_open(command, begin)
        return int(answer[0]), [self.ports.printed(without_times(line)) for line in self.read(path, begin).splitlines()]

    def wait_open(self, command, begin):
        """As people do: until the log says that all doors are open, and that something was learned of what a pipe brings."""
        doors = len(re.findall(r"--(?:http|listen) ", command.text))
        learns = "| glimpsed" in command.text and "--serve" in command.text

        def is_open():
            log = self.read(self.log_path, begin)
            is_ready = len(re.findall(r"door open on ", log)) >= doors and (not learns or "phase 2 since" in log)
            return is_ready or "glimpsed: " in log

        until(is_open, f"{command.place}: the doors of {command.text} are open")

    def end(self):
        self.commands.close()
        self.status.close()
        for child in self.children:
            try:
                os.kill(child, signal.SIGTERM)
            except ProcessLookupError:
                pass
        try:
            self.process.wait(DEADLINE)
        finally:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)  # its own session: nobody else is in it
            except ProcessLookupError:
                pass


class Ports:
    """Ports of this machine in place of those of the pages. They are bound all the while, so that the system gives them to
    nobody else, and nobody listens, so that a daemon may."""

    def __init__(self):
        self.bound, self.ours = [], {}
        for port in PORTS:
            door = socket.socket()
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind(("127.0.0.1", 0))
            self.bound.append(door)
            self.ours[port] = str(door.getsockname()[1])

    def close(self):
        for door in self.bound:
            door.close()

    def typed(self, text):
        return re.sub(r"(?<=:)(\d+)\b", lambda found: self.ours.get(found.group(1), found.group(1)), text)

    def printed(self, line):
        pages = {ours: port for port, ours in self.ours.items()}
        return re.sub(r"(?<=:)(\d+)\b", lambda found: pages.get(found.group(1), found.group(1)), line)


class Pages(TestCase):
    def environment(self):
        folders = [os.path.dirname(binary(name)) for name in ("GLIMPSE_BIN", "GLIMPSECTL_BIN", "GLIMPSE_GEN_BIN")]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GLIMPSE")}
        return {**kept, "PATH": ":".join(folders) + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8"}

    def type_page(self, shell, page, used):
        """Types all commands of a page; returns its text with the numbers of now."""
        with open(os.path.join(binary("GLIMPSE_SOURCE_DIR"), page), encoding="utf-8") as file:
            lines = file.read().split("\n")
        commands, others = commands_of(page, "\n".join(lines))
        for number, first in others:
            self.assertIn(first, NO_COMMANDS, f"{page}:{number}: a block is either commands behind '$ ', or in this list")
            used.add(first)
        for command in commands:
            reason = next((begin for begin in NOT_TYPED if command.text.startswith(begin)), None)
            used.add(reason)
            if reason:
                continue
            status, printed = shell.run(command)
            with self.subTest(command.place):
                if not command.text.startswith("kill -9 "):  # the status is that of the daemon
                    self.assertEqual(status != 0, command.is_refused, f"{command.text}: status {status}: {printed[-5:]}")
                self.assertIsNone(compare(command, printed), f"{command.text}\nprinted: " + "\n".join(printed[-40:]))
            end = command.first_shown + len(command.shown)
            lines[command.first_shown:end] = ["    " + line if line else "" for line in renewed(command, printed)]
        return "\n".join(lines)

    def test_every_command_of_the_pages_can_be_typed_in_order_and_prints_what_they_say(self):
        ports = Ports()
        self.addCleanup(ports.close)
        os.mkdir(self.path("empty"))
        shell = Shell(self.path("empty"), self.path("log"), self.environment(), ports)
        self.addCleanup(shell.end)
        used = set()
        for page in PAGES:
            text = self.type_page(shell, page, used)
            if os.environ.get("GLIMPSE_WRITE"):
                with open(os.path.join(binary("GLIMPSE_SOURCE_DIR"), page), "w", encoding="utf-8") as file:
                    file.write(text)
        self.assertEqual({*NOT_TYPED, *NO_COMMANDS} - used, set(), "the lists name what no page has")


class OtherPorts(unittest.TestCase):
    def test_other_ports_are_typed_and_what_is_printed_has_those_of_the_pages(self):
        ports = Ports()
        self.addCleanup(ports.close)
        text = "curl 127.0.0.1:9318/v1 -d 9318 --to tcp:localhost:9317 --at :93180"
        typed = ports.typed(text)
        self.assertEqual(typed, f"curl 127.0.0.1:{ports.ours['9318']}/v1 -d 9318 --to tcp:localhost:{ports.ours['9317']} --at :93180")
        self.assertEqual(ports.printed(typed), text)
        other = Ports()
        self.addCleanup(other.close)
        self.assertFalse(set(ports.ours.values()) & set(other.ours.values()))


class Comparison(unittest.TestCase):
    """The test sees what is wrong."""

    def command(self, *shown):
        command = Command("page", 0, "glimpsed")
        command.shown = list(shown)
        return command

    def test_the_end_of_the_input_may_be_told_between_any_two_lines(self):
        shown = self.command("info a", "info b")
        self.assertIsNone(compare(shown, ["info a", "info stopping: the input has ended", "info b"]))
        self.assertIsNotNone(compare(shown, ["info a", "info stopping: a signal came", "info b"]))

    def test_other_numbers_lines_that_lack_and_lines_too_many_are_seen(self):
        shown = self.command("a 1", "...", "b 2", "c 3")
        self.assertIsNone(compare(shown, ["a 1", "x", "y", "b 2", "c 3"]))
        self.assertIsNone(compare(shown, ["a 1", "b 2", "b 2", "c 3"]))
        for printed in (["a 2", "b 2", "c 3"], ["a 1", "b 2"], ["a 1", "b 2", "c 4"], ["a 1", "b 2", "c 3", "d"], []):
            self.assertIsNotNone(compare(shown, printed), printed)
        self.assertIsNotNone(compare(self.command(), ["a"]))

    def test_times_and_names_of_plans_may_differ_and_nothing_else(self):
        shown = self.command('2026-11-21T22:06:25.953 info {"id":"4933f7-1","expires_at":"2026-11-29T01:03:01Z","cost":1}')
        self.assertIsNone(compare(shown, ['info {"id":"0a0a0a-1","expires_at":"2027-01-01T00:00:00Z","cost":1}']))
        self.assertIsNotNone(compare(shown, ['info {"id":"0a0a0a-1","expires_at":"2027-01-01T00:00:00Z","cost":2}']))
        self.assertIsNotNone(compare(shown, ['info {"id":"0a0a0a-2","expires_at":"2027-01-01T00:00:00Z","cost":1}']))

    def test_answers_of_another_model_have_other_digits_at_the_end_alone(self):
        shown = self.command("1.9770144496021071")
        self.assertIsNone(compare(shown, ["1.9770120304653642"]))
        for printed in ("1.9781144496021071", "-1.9770144496021071", "1.977", "1.9770144496021071 1"):
            self.assertIsNotNone(compare(shown, [printed]), printed)

    def test_numbers_are_renewed(self):
        shown = self.command("loss  0.5 +- .1", "...", "R2 1e-5")
        self.assertEqual(renewed(shown, ["loss 0.75 +- .2", "x", "R2 2e-7"]), ["loss 0.75 +- .2", "...", "R2 2e-7"])

    def test_commands_of_several_lines_are_one(self):
        text = "x\n\n    $ a |\n      b\n    out\n    $ cat <<'END'\n    x\n    END\n\n    plain\n"
        commands, others = commands_of("page", text)
        self.assertEqual([c.text for c in commands], ["a |\n  b", "cat <<'END'\nx\nEND"])
        self.assertEqual([c.shown for c in commands], [["out"], []])
        self.assertEqual(others, [(10, "plain")])


if __name__ == "__main__":
    unittest.main()
