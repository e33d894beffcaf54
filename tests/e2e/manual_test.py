"""Manual pages and completions that the build made: whole by --help, clean by mandoc, and used by bash and zsh."""

import os
import pty
import re
import shutil
import subprocess
import time
import unittest

from harness import DEADLINE, TestCase, binary

MADE = binary("GLIMPSE_MADE")
PROGRAMS = {"glimpsed": ("GLIMPSE_BIN", 8), "glimpsectl": ("GLIMPSECTL_BIN", 1), "glimpse-gen": ("GLIMPSE_GEN_BIN", 1),
            "glimpse-mnist": ("GLIMPSE_MNIST_BIN", 1)}


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=True, **more).stdout


def page_of(name):
    return os.path.join(MADE, "man", name)


def help_of(program):
    everything = ("all",) if program == "glimpsed" else ()
    return run(binary(PROGRAMS[program][0]), "--help", *everything)


def options_in(text):
    """Those that --help begins a line with."""
    return set(re.findall(r"^ +(?:-\w \[ |-\w, )?(--[a-z][a-z0-9-]*)", text, re.MULTILINE))


def options_of(page):
    with open(page, encoding="utf-8") as file:
        return {"--" + name for name in re.findall(r"^\.It Fl \\-(\S+)", file.read(), re.MULTILINE)}


class Pages(TestCase):
    def test_every_option_that_a_program_tells_is_on_its_page_and_no_other(self):
        for program, (_, section) in PROGRAMS.items():
            with self.subTest(program):
                told = options_in(help_of(program))
                if program == "glimpsectl":
                    told |= {"--help", "--version"}
                self.assertGreater(len(told), 5)
                self.assertEqual(told, options_of(page_of(f"{program}.{section}")))

    def test_the_file_has_every_option_of_the_daemon_but_those_of_the_command_line(self):
        with open(page_of("glimpsed.conf.5"), encoding="utf-8") as file:
            lines = {"--" + name for name in re.findall(r"^\.It Ic (\S+) = ", file.read(), re.MULTILINE)}
        of_the_line = {"--config", "--check-config", "--dry-run", "--json", "--rows", "--help", "--version"}
        self.assertEqual(lines, options_in(help_of("glimpsed")) - of_the_line)

    def test_mandoc_has_nothing_to_say(self):
        if not shutil.which("mandoc"):
            self.skipTest("mandoc is not here")
        pages = sorted(os.listdir(os.path.join(MADE, "man")))
        self.assertGreaterEqual(len(pages), 6)
        for page in pages:
            with self.subTest(page):
                # Pages that refer to each other are not installed here.
                found = subprocess.run(["mandoc", "-T", "lint", page_of(page)], capture_output=True, text=True,
                                       timeout=DEADLINE, check=False).stdout.splitlines()
                self.assertEqual([line for line in found if "referenced manual not found" not in line], [])
                bold = re.compile(".\x08")  # as typewriters have it
                self.assertIn("\nNAME\n", bold.sub("", run("mandoc", "-T", "utf8", page_of(page))))

    def test_man_shows_them_without_a_warning(self):
        if not shutil.which("man"):
            self.skipTest("man is not here")
        for page in sorted(os.listdir(os.path.join(MADE, "man"))):
            with self.subTest(page):
                shown = subprocess.run(["man", "--warnings", "-l", page_of(page)], capture_output=True, text=True, timeout=DEADLINE,
                                       check=True, env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
                self.assertIn(page.rpartition(".")[0], shown.stdout)
                self.assertEqual(shown.stderr, "")

    def test_the_wire_and_the_checkpoint_have_the_tables_of_their_pages(self):
        if not os.path.exists(page_of("glimpse-stream.7")):
            self.skipTest("lowdown was not here when these pages were to be made")
        for page, words in (("glimpse-stream.7", ("#glimpse [version=1] [token=TOKEN]", "durable 1500", "svmlight")),
                            ("glimpse-checkpoint.5", ("learner.counts", "U64, 5", "xxh3:"))):
            with open(page_of(page), encoding="utf-8") as file:
                text = file.read().replace("\\:", "")  # where a name may be broken
            for word in words:
                self.assertIn(word, text)


class Bash(TestCase):
    def complete(self, program, *words):
        """What is offered for the last of the words."""
        line = " ".join(f"'{word}'" for word in (program, *words))
        script = (f"source {os.path.join(MADE, 'bash', program)}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; "
                  f"_{program.replace('-', '_')}; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        return run("bash", "-c", script, cwd=self.folder).split()

    def test_options_begin_as_typed(self):
        self.assertEqual(self.complete("glimpsed", "--budg"), ["--budget", "--budget-cost"])
        self.assertEqual(self.complete("glimpse-gen", "--se"), ["--set", "--seed"])

    def test_values_are_those_of_the_option(self):
        self.assertEqual(self.complete("glimpsed", "--algorithm", "pair"), ["pairwise", "pairwise-screened"])
        self.assertEqual(self.complete("glimpsed", "--algorithm", "=", "pair"), ["pairwise", "pairwise-screened"])
        self.assertEqual(self.complete("glimpsed", "--algorithm", "="), self.complete("glimpsed", "--algorithm", ""))
        self.assertEqual(self.complete("glimpsed", "--budget", ""), [])
        self.assertEqual(self.complete("glimpse-gen", "--set", "l"), ["lasso"])

    def test_commands_and_their_own_options(self):
        self.assertEqual(self.complete("glimpsectl", "pl"), ["plot", "plans"])
        self.assertEqual(self.complete("glimpsectl", "--server", "tcp:a:1", "pro"), ["promote"])
        self.assertEqual(self.complete("glimpsectl", "model", "--fr"), ["--fresh"])
        self.assertEqual(self.complete("glimpsectl", "status", "--fr"), [])
        self.assertEqual(self.complete("glimpsectl", "model", "--format", "c"), ["csv"])
        self.assertEqual(self.complete("glimpsectl", "send", "--format", "n"), ["ndjson", "npy"])
        self.assertEqual(self.complete("glimpsectl", "checkpoint", "in"), ["inspect"])

    def test_files_where_files_are_due(self):
        self.write("names.txt", "")
        os.mkdir(self.path("names.d"))
        self.assertEqual(set(self.complete("glimpsed", "--attributes", "names")), {"names.d", "names.txt"})
        self.assertEqual(self.complete("glimpsed", "--state-directory", "names"), ["names.d"])
        self.assertEqual(self.complete("glimpsectl", "checkpoint", "inspect", "names.t"), ["names.txt"])
        self.assertEqual(self.complete("glimpsectl", "send", "names.t"), ["names.txt"])


# Of an interactive zsh: what completion adds goes to a file, an empty line ends it.
ZSH = r"""
PROMPT= ; fpath=({made}/zsh $fpath); autoload -Uz compinit; compinit -u -D
bindkey '^I' complete-word
compadd() {{
  if [[ "$*" == *-[OAD]* ]]; then builtin compadd "$@"; return; fi
  local -a hits; builtin compadd -A hits "$@"; (( $#hits )) && print -l -- $hits >> {out}
  builtin compadd "$@"
}}
said() {{ print >> {out} }}
comppostfuncs=(said)
print ready >> {out}
"""


class Zsh(TestCase):
    def setUp(self):
        super().setUp()
        if not shutil.which("zsh"):
            self.skipTest("zsh is not here")

    def complete(self, line):
        """What is offered at the end of a line that is typed."""
        out = self.path("offered")
        with open(out, "w", encoding="utf-8"):
            pass
        master, slave = pty.openpty()
        shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=slave, stdout=slave, stderr=slave, cwd=self.folder,
                                 start_new_session=True, env={**os.environ, "TERM": "dumb"})
        os.close(slave)
        try:
            self.write("rc", ZSH.format(made=MADE, out=out))
            os.write(master, f"source {self.path('rc')}\n".encode())
            self.wait(out, lambda text: "ready\n" in text)
            os.write(master, line.encode() + b"\t")
            text = self.wait(out, lambda text: "\n\n" in text)
        finally:
            os.close(master)
            shell.kill()
            shell.wait()
        return text.split("\n\n")[0].split("\n")[1:]

    def wait(self, path, is_there):
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if is_there(text):
                return text
            time.sleep(0.02)
        self.fail(f"zsh said no more than {text!r}")

    def test_options_commands_and_values(self):
        self.assertEqual(set(self.complete("glimpsed --budg")), {"--budget", "--budget-cost"})
        self.assertEqual(self.complete("glimpsed --algorithm pairwise-"), ["pairwise-screened"])
        self.assertEqual(self.complete("glimpsectl prom"), ["promote"])
        self.assertEqual(self.complete("glimpsectl model --fres"), ["--fresh"])
        self.assertEqual(self.complete("glimpsectl model --format cs"), ["csv"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
