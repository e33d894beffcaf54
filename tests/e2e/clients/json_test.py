"""--json of each command of glimpsectl: JSON alone on standard output, what went wrong on standard error."""

import glob
import json
import os
import re
import subprocess
import unittest

from harness import DEADLINE, TestCase, binary

REFUSED = {"serve", "send", "stream", "help", "version"}
STREAM = {"watch", "predict", "learn", "tell", "abandon", "describe"}  # a document in each line


def table(names, count=300):
    return ",".join(names) + "\n" + "".join(f"{n % 29 * 2 - n % 7},{n % 29},{n % 7},{'xyz'[n % 3]}\n" for n in range(count))


class Json(TestCase):
    def setUp(self):
        super().setUp()
        path = os.path.dirname(binary("GLIMPSE_BIN")) + os.pathsep + os.environ["PATH"]
        self.environment = {**os.environ, "PATH": path, "TMPDIR": self.folder, "LC_ALL": "C.UTF-8"}

    def run_ctl(self, *arguments):
        done = subprocess.run([binary("GLIMPSECTL_BIN"), *map(os.fsencode, map(str, arguments))], capture_output=True, timeout=DEADLINE,
                              stdin=subprocess.DEVNULL, env=self.environment, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def documents(self, text):
        def refuse(word):
            raise ValueError(f"{word} is no JSON")
        try:
            return [json.loads(text, parse_constant=refuse)]
        except json.JSONDecodeError:
            return [json.loads(line, parse_constant=refuse) for line in text.splitlines()]

    def commands(self):
        """Those that `glimpsectl help` lists."""
        lines = self.run_ctl("help")[1].split("\ncommands\n")[1].split("\n\n")[0].splitlines()
        names = [re.match(r"  ([a-z]+( [a-z]+)?)", line)[1] for line in lines if re.match("  [a-z]", line)]
        return {name.strip() for name in names}

    def test_every_command_prints_json_alone_or_says_in_a_line_that_it_has_none(self):
        odd = self.path("caf\udce9.csv")  # a name that is no UTF-8
        with open(odd, "w", encoding="ascii") as file:
            file.write(table("yabw"))
        more = self.write("more.csv", table("yabw", 20))
        other = self.write("other.csv", table("yabw", 100))
        ndjson = self.write("asked.ndjson", '{"values": {"a": 1}}\n{"values": {"b": 2}}\n')
        model = self.path("caf\udce9.glimpsed")
        for name, source in (("one", other), ("two", more)):
            status, _, log = self.run_to_end("--label", "y", "--budget", "2", "--state-directory", self.path(name), "--input", source)
            self.assertEqual(status, 0, log)
        parts = [glob.glob(os.path.join(self.path(name), "checkpoint-*"))[0] for name in ("one", "two")]
        daemon = self.start("--label", "y", "--budget", "2", "--input", other, "--state-directory", self.path("state"), "--checkpoint-keep", 20, "--serve")
        daemon.wait_examples(100)
        server = ("--server", f"unix:{daemon.http_path}")
        plans = self.documents(self.run_ctl("ask", "--count", 2, "--json", *server)[1])[0]["plans"]
        values = {name: "x" if name == "w" else 1 for name in plans[0]["names"]}
        told = self.write("told.ndjson", json.dumps({"id": plans[0]["id"], "label": 1, "values": values}) + "\n")
        checkpoint = self.documents(self.run_ctl("checkpoint", "--json", *server)[1])[0]["name"]
        calls = {
            "describe": ((odd, more, "--label", "y"),), "fit": ((odd, "--label", "y"),),
            "serve": ((model,),), "status": (server, ("--brief", *server), ("--model", model)),
            "model": (server, ("--attributes", 2, *server), ("--model", model)), "moments": (server, ("--model", model)),
            "predict": ((ndjson, *server), (more, "--model", model), (more, "--explain", *server, "--format", "csv")),
            "explain": ((more, "--model", model),), "test": ((more, "--model", model),),
            "learn": ((more, *server),), "send": ((more, "--source", "s"),), "stream": ((more,),),
            "checkpoint": (server,), "freeze": (server,), "unfreeze": (server,), "checkpoints": (server,),
            "checkpoint inspect": ((model,),),
            "checkpoint merge": ((*parts, "-o", self.path("merg\udce9d")),), "watch": (("--count", 2, "--every", "10ms", *server),),
            "plot": (server, ("--model", model)), "ask": (server, ("--for", "prediction", "--known", "a=1", *server)),
            "tell": ((told, *server),), "plans": (server,), "abandon": ((plans[1]["id"], *server),), "promote": ((checkpoint, *server),),
            "doctor": (("--state-directory", self.path("state"), *server),), "help": ((), ("fit",)), "version": ((),)}
        self.assertEqual(set(calls), self.commands(), "a command has no row here")
        for command, rows in calls.items():
            for arguments in rows:
                with self.subTest(command, arguments=arguments):
                    status, out, error = self.run_ctl(*command.split(), *arguments, "--json")
                    if command in REFUSED:
                        self.assertEqual((status, out), (2, ""))
                        self.assertRegex(error, rf"^glimpsectl: --json is of no use to {command}: [^\n]+\n$")
                        continue
                    told = self.documents(out)
                    self.assertTrue(told)
                    self.assertTrue(len(told) == 1 or command in STREAM, out)
                    if command == "doctor":  # whose status is its verdict
                        self.assertIn(status, (0, 1))
                    else:
                        self.assertEqual((status, error), (0, ""))

    def test_what_fails_is_told_on_standard_error_alone(self):
        nobody = ("--server", "unix:" + self.path("nobody"))
        none = self.path("none.csv")
        file = self.write("a.csv", table("yabw", 5))
        no_model = ("--model", file)
        calls = {
            "describe": (none,), "fit": (none, "--label", "y"), "predict": (file, *no_model), "explain": (none, *no_model),
            "test": (file, *no_model), "learn": (none, *nobody), "promote": ("x", *nobody), "checkpoint inspect": (none,),
            "checkpoint merge": (none, file, "-o", self.path("o")), "abandon": ("1-1", *nobody), "tell": (none, *nobody),
            "watch": ("--count", 1, *nobody), "plot": no_model, "status": no_model, "model": no_model, "moments": nobody,
            "checkpoint": nobody, "freeze": nobody, "unfreeze": nobody, "checkpoints": nobody, "ask": nobody, "plans": nobody}
        self.assertEqual(set(calls) | REFUSED | {"doctor"}, self.commands(), "a command has no row here")
        for command, arguments in calls.items():
            with self.subTest(command):
                status, out, error = self.run_ctl(*command.split(), *arguments, "--json")
                self.assertIn(status, (1, 2, 3))
                self.assertEqual(out, "")
                self.assertRegex(error, "^glimpsectl: .+")


if __name__ == "__main__":
    unittest.main(verbosity=2)
