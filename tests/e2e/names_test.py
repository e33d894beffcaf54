"""Names and numbers of attributes: never the same index, and nothing stays of a record that is refused."""

import glob
import json
import os
import struct
import unittest

from harness import TestCase, until

MODEL = ("--dimension", 5, "--budget", 5, "--algorithm", "online-ridge", "--seed", 7)
README = '{"label": 1, "values": {"0": 0.5, "age": 61}}'
REFUSED = [
    '{"label": 1, "values": {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}}',  # too many names
    '{"label": 1, "values": {"a": 1, "b": 1, "a": 1}}',  # a name twice
    '{"label": 1, "values": {"a": 1, "4": 1, "04": 1}}',  # a number twice
    '{"label": 1, "values": {"a": 1, "b": 1e999}}',  # no number
    '{"label": 1e31, "values": {"a": 1, "4": 1}}',  # beyond what is learned from
    '{"label": 1e999, "values": {"a": 1}}',
    '{"label": [], "values": {"a": 1}}',
    '{"label": 1, "importance": -1, "values": {"a": 1}}',
    '{"label": 1, "values": {"a": 1}} trailing',
    '{"label": 1, "values": {"a": 1, "5": 1}}',  # an index out of range
    '{"label": 1, "values": {"a": []}}',
]
REFUSED_VW = ["1 | a b c d e f", "1 | a b:x", "1e31 | a 4", "1 | a :1", "1 | a 5", "x | a",
              "1 | a:1e308 a:1e308", "1 |n:x a"]
# A value beyond what is learned from is missing: no error, and nothing is learned.
MISSING = ['{"label": 1, "values": {"a": 1, "b": 1e31}}', "1 | a 4 b:1e31"]
FIVE = '{"label": 1, "values": {"p": 1, "q": 2, "r": 3, "s": 4, "t": 5}}'


class Names(TestCase):
    def names(self, daemon):
        return daemon.get("/v1/model").json().get("names", [])

    def dictionary(self, state="state"):
        """The arrays of names in the newest checkpoint."""
        path = max(glob.glob(os.path.join(self.path(state), "checkpoint-*.safetensors")))
        with open(path, "rb") as file:
            data = file.read()
        length = struct.unpack("<Q", data[:8])[0]
        arrays = {}
        for name, tensor in json.loads(data[8:8 + length]).items():
            if name.startswith("names/"):
                begin, end = (8 + length + offset for offset in tensor["data_offsets"])
                arrays[name] = data[begin:end]
        self.assertEqual(sorted(arrays), ["names/ends", "names/limits", "names/numbers", "names/text"])
        return arrays

    def feed(self, daemon, door, lines):
        """Sends lines through a door that is open; the errors that it tells."""
        if door == "http":
            report = daemon.post("/v1/learn?format=auto", lines).json()
            return [report["error"]] if "error" in report else report["errors"]
        with daemon.client(door) as client:
            client.send(lines)
            return client.finish().splitlines()

    def test_the_example_of_the_readme_is_learned_by_a_fresh_model(self):
        for door in ("http", "tcp", "unix", "file"):
            options = [*MODEL, "--serve"] if door in ("http", "file") else MODEL
            if door in ("tcp", "unix"):
                options = [*MODEL, "--listen", "tcp:127.0.0.1:0", "--listen", "unix:" + self.path("stream")]
            if door == "file":
                options = [*options, "--input", self.write("examples", README + "\n")]
            elif door == "http":
                options = [*options, "--input", os.devnull]
            daemon = self.start(*options)
            if door != "file":
                self.assertEqual(self.feed(daemon, door, README + "\n"), [], door)
            daemon.wait_examples(1)
            self.assertEqual(self.names(daemon), ["0", "age"], door)
            self.assertEqual([row["name"] for row in daemon.get("/v1/moments").json()["moments"][:2]], ["0", "age"])
            self.assertEqual(daemon.status()["parse_errors"], 0)
            daemon.stop()

    def test_an_attribute_of_words_without_a_name_is_called_by_its_number(self):
        daemon = self.start("--budget", 2, "--categories", "#3", "--format", "csv", "--serve", "--input",
                            self.write("words", "".join(f"{n % 7 + n % 2},{n % 7},{'ab'[n % 2]}\n" for n in range(100))))
        daemon.wait_examples(100)
        [category] = daemon.get("/v1/model").json()["categories"]
        self.assertEqual((category["attribute"], category["name"]), (1, "1"))
        answer = daemon.post("/v1/predict?explain=true&format=csv", "3,a\n").json()
        self.assertEqual({part["name"] for part in answer["explanations"][0]["contributions"]}, {"0", "1=a", "1=b"})

    def test_a_name_and_a_number_are_two_attributes_through_every_door(self):
        """Also when the daemon was killed between them."""
        options = (*MODEL, "--listen", "tcp:127.0.0.1:0", "--listen", "unix:" + self.path("stream"))
        svmlight, vw, rows = "1 1:1 4:1\n", "1 | 0 3\n", '{"label": 1, "values": {"0": 1, "3": 1}}\n'
        for run, (numbers, door, second, kills) in enumerate((
                (svmlight, "tcp", "http", True), (svmlight, "http", "unix", False), (vw, "unix", "tcp", True),
                (vw, "http", "http", False), (rows, "http", "unix", True), (rows, "tcp", "tcp", False))):
            state = ("--state-directory", self.path(f"state-{run}"))
            daemon = self.start(*options, *state)
            self.assertEqual(self.feed(daemon, door, numbers), [])
            daemon.wait_examples(1)
            if kills:
                self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
                daemon.kill()
                daemon = self.start(*options, *state)
            self.assertEqual(self.feed(daemon, second, '{"label": 1, "values": {"a": 1}}\n'), [])
            daemon.wait_examples(2)
            self.assertEqual(self.names(daemon), ["0", "1", "2", "3", "a"])
            errors = self.feed(daemon, second, '{"label": 1, "values": {"b": 1}}\n')
            self.assertIn("those from 0 to 3 are in use by number", str(errors))
            self.assertIn("--attributes FILE", str(errors))
            daemon.stop()

    def test_refused_records_leave_no_names_through_any_door(self):
        """With kill -9 and a restart between them and what is learned then."""
        options = (*MODEL, "--listen", "tcp:127.0.0.1:0", "--listen", "unix:" + self.path("stream"))
        for run, door in enumerate(("http", "tcp", "unix")):
            state = ("--state-directory", self.path(f"state-{run}"))
            daemon = self.start(*options, *state)
            daemon.post("/v1/checkpoint")
            fresh = self.dictionary(f"state-{run}")
            for line in REFUSED:
                self.assertEqual(len(self.feed(daemon, door, line + "\n")), 1, line)
            for line in REFUSED_VW:
                self.assertEqual(len(self.feed(daemon, door, line + "\n")), 1, line)
            for line in MISSING:
                self.assertEqual(self.feed(daemon, door, line + "\n"), [], line)
            self.assertEqual(daemon.status()["examples_skipped_missing"], len(MISSING))
            self.assertEqual(daemon.status()["examples"], 0)
            self.assertEqual(daemon.status()["names"], 0)
            self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
            self.assertEqual(self.dictionary(f"state-{run}"), fresh)
            daemon.kill()
            daemon = self.start(*options, *state)
            self.assertEqual(self.feed(daemon, door, FIVE + "\n"), [])
            daemon.wait_examples(1)
            self.assertEqual(self.names(daemon), ["p", "q", "r", "s", "t"])
            daemon.stop()

    def test_refused_records_of_a_file_leave_no_names(self):
        for more in ((), ("--validate", "full"), ("--replies", "all")):
            content = "".join(line + "\n" for line in REFUSED) + FIVE + "\n"
            daemon = self.start(*MODEL, "--serve", "--input", self.write("examples", content), *more)
            daemon.wait_examples(1)
            self.assertEqual(self.names(daemon), ["p", "q", "r", "s", "t"])
            self.assertEqual(daemon.status()["parse_errors"], len(REFUSED))
            daemon.stop()

    def test_a_record_that_stops_a_strict_run_leaves_no_names(self):
        state = ("--state-directory", self.path("state"))
        path = self.write("examples", README + "\n" + '{"label": 1, "values": {"b": 1e31, "3": 1}}' + "\n")
        status, _, error = self.run_to_end(*MODEL, *state, "--strict", "--input", path)
        self.assertNotEqual(status, 0, error)
        kept = self.dictionary()
        self.assertEqual((kept["names/text"], kept["names/numbers"]), (b"age", struct.pack("<2Q", 0, 1)))

    def test_a_kill_amid_a_file_leads_to_the_same_names(self):
        """A file is read on from the checkpoint: what stood behind it is met again, and gives the same."""
        lines = [README, *REFUSED[:6], '{"label": 2, "values": {"0": 1}}', '{"label": 0, "values": {"b": 1}}', *REFUSED[6:],
                 '{"label": 1, "values": {"0": 3, "c": 1}}', '{"label": 1, "values": {"4": 1}}',
                 '{"label": 1, "values": {"c": 1, "d": 1}}', '{"label": 1, "values": {"e": 1}}']
        whole = "".join(line + "\n" for line in lines)
        for run, cut in enumerate((0, 1, 4, 9, 16, len(lines))):
            state = ("--state-directory", self.path(f"state-{run}"), "--checkpoint-every", "1h")
            path = self.write(f"examples-{run}", "".join(line + "\n" for line in lines[:cut]))
            daemon = self.start(*MODEL, *state, "--serve", "--input", path)
            until(lambda: sum(daemon.status()[key] for key in ("examples", "parse_errors")) == cut, "the file is read")
            self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
            daemon.kill()
            self.write(f"examples-{run}", whole)
            status, _, error = self.run_to_end(*MODEL, *state, "--input", path)
            self.assertEqual(status, 1 if cut == 16 else 0, error)  # none of the last two lines can be read
            if run == 0:
                expected = self.dictionary(f"state-{run}")
                self.assertEqual(expected["names/text"], b"agebc")
            self.assertEqual(self.dictionary(f"state-{run}"), expected, cut)

    def test_what_was_asked_for_by_number_never_becomes_a_name(self):
        options = ("--dimension", 5, "--budget", 4, "--algorithm", "pairwise", "--seed", 7, "--serve", "--input",
                   os.devnull, "--state-directory", self.path("state"))
        daemon = self.start(*options)
        plans = daemon.post("/v1/ask?durable=true", '{"count": 10}').json()["plans"]
        self.assertEqual({a for plan in plans for a in plan["attributes"]}, {0, 1, 2, 3, 4})
        daemon.kill()
        daemon = self.start(*options)
        for line in ('{"label": 1, "values": {"a": 1}}', '{"id": "%s", "label": 1, "values": {"a": 1}}' % plans[0]["id"]):
            path = "/v1/tell" if "id" in line else "/v1/learn"
            self.assertGreaterEqual(daemon.post(path, line).status, 400, line)
        values = json.dumps({str(a): 1 for a in plans[0]["attributes"]})
        told = daemon.post("/v1/tell", '{"id": "%s", "label": 1, "values": %s}' % (plans[0]["id"], values))
        self.assertEqual((told.status, told.json()["status"]), (200, "learned"), told.body)
        self.assertEqual(self.names(daemon), [])

    def test_questions_name_nothing_and_use_no_numbers(self):
        daemon = self.start(*MODEL, "--serve", "--input", os.devnull, "--state-directory", self.path("state"))
        for body in ('{"label": 1, "values": {"0": 1, "4": 1}}', "[1, 2, 3, 4, 5]", '{"values": {"a": 1, "4": 1}}',
                     '{"label": 1, "values": [1, 2, 3, 4, 5]}'):
            self.assertEqual(daemon.post("/v1/predict", body).status, 200, body)
        self.assertEqual(daemon.post("/v1/predict?format=vw", "1 | 4 0\n| a 3\n").status, 200)
        self.assertEqual(daemon.post("/v1/predict?format=svmlight", "1 1:1 5:1\n").status, 200)
        self.assertEqual(daemon.post("/v1/learn", FIVE).status, 200)
        self.assertEqual(self.names(daemon), ["p", "q", "r", "s", "t"])
        # And may say by number what has a name.
        self.assertEqual(daemon.post("/v1/predict", '{"label": 1, "values": [1, 2, 3, 4, 5]}').status, 200)

    def test_a_file_of_names_mends_it(self):
        state = ("--state-directory", self.path("state"))
        daemon = self.start(*MODEL, *state, "--serve", "--input", os.devnull)
        self.assertEqual(daemon.post("/v1/learn", '{"label": 1, "values": [1, 2, 3, 4, 5]}').status, 200)
        answer = daemon.post("/v1/learn", FIVE)
        self.assertEqual(answer.status, 400)
        self.assertIn("no index is free for the new attribute 'p': of 5, those from 0 to 4 are in use by number, and others "
                      "have names; name them with --attributes FILE", answer.json()["error"]["message"])
        daemon.stop()
        daemon = self.start(*MODEL, *state, "--serve", "--input", os.devnull, "--attributes",
                            self.write("names", "t\ns\nr\nq\np\n"))
        for body in (FIVE, '{"label": 1, "values": [1, 2, 3, 4, 5]}', '{"label": 1, "values": {"0": 1, "p": 1}}'):
            self.assertEqual(daemon.post("/v1/learn", body).status, 200, body)
        self.assertEqual(self.names(daemon), ["t", "s", "r", "q", "p"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
