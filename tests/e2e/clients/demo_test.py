"""tools/demo: a stream to look at, which changes half-way, and nothing of it stays."""

import json
import os
import re
import signal
import subprocess
import unittest
import urllib.request
import xml.etree.ElementTree

from harness import DEADLINE, TestCase, binary, until

PROGRAMS = os.path.dirname(os.path.dirname(os.path.abspath(binary("GLIMPSE_BIN"))))
DEMO = os.path.join(binary("GLIMPSE_SOURCE_DIR"), "tools", "demo")
SVG = "{http://www.w3.org/2000/svg}"


class Demo(TestCase):
    def begin(self, *arguments):
        os.makedirs(self.path("tmp"), exist_ok=True)
        process = subprocess.Popen([DEMO, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": self.path("tmp")},
                                   start_new_session=True)
        self.addCleanup(self.discard, process)
        return process

    @staticmethod
    def discard(process):
        """With all that it started, which is a session of its own."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def ends(self, process, status=0):
        out, error = process.communicate(timeout=2 * DEADLINE)
        self.assertEqual(process.returncode, status, error)
        return out, error

    def assert_nothing_stays(self, process):
        self.assertEqual(os.listdir(self.path("tmp")), [])
        with self.assertRaises(ProcessLookupError):
            os.killpg(process.pid, 0)

    @staticmethod
    def status(address):
        with urllib.request.urlopen(address + "v1/status", timeout=DEADLINE) as answer:
            return json.load(answer)

    def test_it_says_where_its_page_is_changes_and_ends_at_ctrl_c(self):
        demo = self.begin("--programs", PROGRAMS, "--rate", 1000, "--flip-at", 3000)
        address = next(found.group(1) for line in demo.stdout if (found := re.search(r"(http://127\.0\.0\.1:\d+/)", line)))
        with urllib.request.urlopen(address, timeout=DEADLINE) as page:
            self.assertIn(b"<title>glimpse</title>", page.read())
        first = self.status(address)
        self.assertEqual((first["dimension"], first["budget"], first["drift_alarms"]), (784, 57, 0))
        until(lambda: self.status(address)["drift_alarms"] > 0, "the change is noticed")
        last = self.status(address)
        self.assertGreater(last["drift_examples"], 2700)  # without those held out
        os.killpg(demo.pid, signal.SIGINT)  # as a terminal sends it: to all of them
        self.assertEqual(self.ends(demo)[1], "")
        self.assert_nothing_stays(demo)

    def test_it_ends_after_a_time(self):
        demo = self.begin("--programs", PROGRAMS, "--exit-after", 1, "--flip-at", 0)
        out, error = self.ends(demo)
        self.assertRegex(out, r"http://127\.0\.0\.1:\d+/")
        self.assertNotIn("sign", out)
        self.assertEqual(error, "")
        self.assert_nothing_stays(demo)

    def test_its_picture_has_the_curve_what_happened_and_where_it_looked(self):
        demo = self.begin("--programs", PROGRAMS, "--flip-at", 2000, "--picture", self.path("demo.svg"))
        self.assertEqual(self.ends(demo), ("", ""))
        self.assert_nothing_stays(demo)
        self.assertLess(os.path.getsize(self.path("demo.svg")), 200_000)
        picture = xml.etree.ElementTree.parse(self.path("demo.svg")).getroot()
        texts = [text.text or "" for text in picture.iter(SVG + "text")]
        for text in ("looks are chosen from here on", "change noticed", "an average digit", "where it looked"):
            self.assertIn(text, texts)
        self.assertEqual(texts.count("looks are chosen from here on"), 2, "once, with its halo")
        self.assertFalse([text for text in texts if text.startswith("phase ")])
        self.assertEqual([line.get("class") for line in picture.iter(SVG + "line")].count("mark"), 2)
        width, height = float(picture.get("width")), float(picture.get("height"))
        ink = [one for one in picture.iter(SVG + "rect") if one.get("class") == "ink"]
        self.assertGreater(len(ink), 200)
        for one in ink:
            self.assertLess(float(one.get("x")) + float(one.get("width")), width)
            self.assertLess(float(one.get("y")) + float(one.get("height")), height)

    def test_what_it_does_not_understand_it_refuses(self):
        for arguments, words in ((("--rate", "0"), "--rate is '0'"), (("--rate",), "wants a value"), (("--fast", "1"), "'--fast' is unknown"),
                                 (("--exit-after", "1.5"), "whole number"), (("--picture", "x", "--flip-at", "0"), "--flip-at of at least 1"),
                                 (("--programs", self.folder), "there is no")):
            with self.subTest(arguments):
                self.assertIn(words, self.ends(self.begin(*arguments), 2)[1])
        self.assertIn("--rate R", self.ends(self.begin("--help"))[0])


if __name__ == "__main__":
    unittest.main()
