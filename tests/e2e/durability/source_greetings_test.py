"""How a source begins: its greeting, in pieces and refused, what of its first lines is kept, how many there may be."""

import os
import subprocess
import unittest

from harness import SMALL, StreamClient, examples, svmlight
from source_support import SourceClient, SourceTestCase


class Greetings(SourceTestCase):
    def test_what_a_source_begins_with_is_kept_up_to_a_limit(self):
        """A first line beyond it is refused and nothing of it kept, so that strangers cannot make checkpoints grow."""
        rows = "".join(svmlight(examples(200)).splitlines(True))
        garbage = "nonsense " + "x" * 5000 + "\n"
        daemon = self.begin("--max-opening", "1KiB")
        for name in ("a", "b", "c"):
            with SourceClient(self.door, name) as client:
                client.send(garbage * 3)
                self.assertRegex(client.line(), "^error: line 1: has 5009 bytes; what a source begins with is kept, "
                                                "up to --max-opening 1024 bytes")
        with SourceClient(self.door, "a") as client:
            self.assertEqual(client.inside, 0)  # none of it is inside
            client.send(rows)
            daemon.wait_examples(200)
            daemon.post("/v1/checkpoint")
        newest = max(name for name in os.listdir(self.state) if name.startswith("checkpoint-"))
        with open(os.path.join(self.state, newest), "rb") as file:
            self.assertNotIn(b"xxxxxxxxxxxxxxxx", file.read())
        daemon.kill()
        daemon = self.begin("--max-opening", "1KiB")
        with SourceClient(self.door, "a") as client:
            self.assertEqual(client.inside, 200)
        self.assertEqual(self.answers(daemon), self.straight(rows))

    def test_a_greeting_in_single_bytes(self):
        self.begin()
        with StreamClient(self.door) as client:
            for byte in b"#glimpse source=a/b:c-1\r\n1 1:1\n 1:1\n":
                client.send(bytes([byte]))
            self.assertEqual(client.line(), "resume 0\n")
            self.assertRegex(client.line(), r"^[-\d.e]+\n$")

    def test_greetings_that_are_none_are_refused_and_closed(self):
        daemon = self.begin()
        for greeting, reply in (("#glimpse \n", "says nothing; the keys are"),
                                ("#glimpse source=\n", "source '' has 0 characters"),
                                ("#glimpse source=a colour=x\n", "'colour' is not a key"),
                                ("#glimpse version=2 source=a\n", "version '2': this daemon speaks version 1 alone"),
                                ("#glimpse source=a b\n", "every word must be KEY=VALUE"),
                                ("#glimpse source=a from=3\n", "from 3: of source 'a' there are 0 records inside"),
                                ("#glimpsesource=a\n", "a blank must follow the word"),
                                ("#glimpse source=\x00\x1b[2J\n", "character 1 cannot be in a name"),
                                ("#glimpse source=" + "x" * 2000, "longer than 1024 bytes")):
            with StreamClient(self.door) as client:
                client.send(greeting)
                line = client.line()
                self.assertRegex(line, "^error: ")
                self.assertIn(reply, line)
                self.assertTrue(line.endswith("; closing\n") and line.isprintable() is False
                                and line[:-1].isprintable(), line)
                self.assertEqual(client.line(), "")
        self.assertEqual(daemon.status()["examples"], 0)

    def test_only_the_very_first_bytes_count(self):
        daemon = self.begin()
        for content in ("\n#glimpse source=a\n", "# comment\n#glimpse source=a\n", "#glimpsed\n", "#\n",
                        "1 1:1\n#glimpse source=a\n"):
            with StreamClient(self.door) as client:
                client.send(content)
                self.assertEqual(client.finish(), "")
        with StreamClient(self.door) as client:  # and a beginning of one that never ends is a line cut off
            client.send("#glim")
            self.assertEqual(client.finish(), "error: line 1: cut off by the end of the connection; not learned\n")
        with SourceClient(self.door, "a") as client:
            self.assertEqual(client.inside, 0)
            client.send("1 1:1\n#glimpse source=b\n1 1:1\n")  # later it is a comment, which counts as a record
            self.assertEqual(client.finish(), "durable 3\n")
        self.assertEqual(daemon.status()["examples"], 3)

    def test_without_a_state_directory_sources_are_refused(self):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0")
        with daemon.client() as client:
            self.assertEqual(client.ask("#glimpse source=a\n"), "error: sources cannot be named: this glimpsed keeps "
                             "no checkpoints (--state-directory DIR); closing\n")

    def test_the_number_of_sources_is_bounded(self):
        daemon = self.begin("--max-sources", 2)
        for name in ("a", "b"):
            with SourceClient(self.door, name) as client:
                client.send("1 1:1\n")
                client.finish()
        with StreamClient(self.door) as client:
            self.assertEqual(client.ask("#glimpse source=c\n"),
                             "error: source 'c' is new, and 2 are known already (--max-sources 2); closing\n")
        daemon.kill()
        # Those that were restored stay known whatever the limit.
        daemon = self.begin("--max-sources", 1)
        with SourceClient(self.door, "b") as client:
            self.assertEqual(client.inside, 1)
        self.assertEqual(daemon.status()["named_sources"], 2)
        self.assertIn("glimpse_named_sources 2\n", daemon.get("/metrics").body.decode())
        status, line = self.refused(*SMALL, "--max-sources", 5)
        self.assertEqual((status, line), (2, "glimpsed: --max-sources 5: has no effect without --state-directory DIR"))

    def test_stdin_source_is_refused_where_it_makes_no_sense(self):
        for arguments, line in ((("--stdin-source", "a"),
                                 "--stdin-source a: has no effect without --state-directory DIR"),
                                (("--stdin-source", "a b", "--state-directory", self.state),
                                 "--stdin-source 'a b': character 2 cannot be in a name, which has printable ASCII "
                                 "characters without blanks and '='"),
                                (("--stdin-source", "a", "--state-directory", self.state, "--http", "127.0.0.1:0"),
                                 "--stdin-source a: has no effect without --input -")):
            self.assertEqual(self.refused(*SMALL, *arguments), (2, "glimpsed: " + line))
        self.begin("--input", "-", "--stdin-source", "a", stdin=subprocess.PIPE)
        with StreamClient(self.door) as client:
            self.assertEqual(client.ask("#glimpse source=a\n"), "error: source 'a' comes in through stdin; closing\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
