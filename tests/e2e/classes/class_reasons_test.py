"""Labels that are classes: which numbers name them, of which class small models are, and why a margin is what it is."""

import json
import unittest

from class_support import NUMBERED, SHAPE, ClassTestCase, examples


class ClassReasons(ClassTestCase):
    def test_whole_numbers_that_a_double_does_not_hold_are_no_names_of_classes(self):
        first, second = "9007199254740992", "9007199254740993"
        for form, line in (("svmlight", "%s 1:1\n"), ("vw", "%s | 1:1\n"), ("csv", "%s,1,0,0,0\n"),
                           ("ndjson", '{"label": %s, "values": [1, 0, 0, 0]}\n')):
            with self.subTest(form):
                lines = "".join(line % label for label in ("7", first, second, "8"))
                _, _, log = self.run_to_end(*NUMBERED, "--task", "classes", "--format", form, stdin=lines.encode())
                self.assertIn("is a number from 2^53 on, where neighbours become one: as the name of a class it must be a word",
                              log)
                self.assertIn("finished: 2 examples", log)

    def test_with_decimal_commas_1_0_is_the_class_1(self):
        lines = b"a;b;c;d;y\n" + b"".join(b"%d,5;1;2;3;%s\n" % (i % 5, (b"1,0", b"1", b"0,0")[i % 3]) for i in range(30))
        daemon = self.start(*SHAPE, "--task", "classes", "--label", "last", "--delimiter", ";", "--decimal-comma",
                            "--serve", "--input", self.write("table", lines))
        daemon.wait_examples(30)
        self.assertEqual([(c["name"], c["examples"]) for c in daemon.status()["classes"]["first"]], [("1", 20), ("0", 10)])
        shown = b"a;b;c;d;y\n1;2;3;4;1\n1;2;3;4;1,0\n"
        _, _, log = self.run_to_end(*SHAPE, "--task", "classes", "--label", "last", "--delimiter", ";", stdin=shown)
        self.assertIn("numbers are written as 1234,5 with a decimal comma", log)
        self.assertIn("class 0 is '1'", log)
        self.assertNotIn("class 1", log)

    def test_reasons_of_a_margin_add_up_to_it_and_follow_from_the_model(self):
        for arguments in ((), ("--algorithm", "pairwise-screened")):
            daemon = self.learned("--serve", *arguments, rows=examples(2000))
            daemon.wait_examples(2000)
            model = json.loads(daemon.model())
            values = [0.5, -1, 0.25, 2]
            told = self.predict([{"values": values}], "?explain=true")
            why = told["explanations"][0]
            ranked = sorted(zip(told["probabilities"][0], told["classes"]), reverse=True)
            self.assertEqual([why["class"], why["next"]], [name for _, name in ranked[:2]])
            self.assertEqual(why["class"], told["predictions"][0])
            self.assertAlmostEqual(why["margin"], told["margins"][0], delta=1e-9)
            parts = {part["attribute"]: part for part in why["contributions"]}
            self.assertAlmostEqual(why["at_means"] + sum(part["contribution"] for part in parts.values()), why["margin"],
                                   delta=1e-9)
            best, following = (model["classes"].index(why[name]) for name in ("class", "next"))
            for i, part in parts.items():
                self.assertEqual(part["value"], values[i])
                other = self.predict([{"values": [*values[:i], values[i] + 0.001, *values[i + 1:]]}], "?explain=true")
                slope = (other["explanations"][0]["margin"] - why["margin"]) / 0.001
                weights = model["weights"]
                self.assertAlmostEqual(slope, model["slope"] * (weights[best][i] - weights[following][i]), delta=1e-6)
            part = self.predict([{"values": [0.5, None, 0.25, 2]}], "?explain=true&top=1")["explanations"][0]
            self.assertEqual(len(part["contributions"]), 1)
            self.assertAlmostEqual(part["at_means"] + part["contributions"][0]["contribution"] + part["rest"] + part["unknown"],
                                   part["margin"], delta=1e-9)
            shown = self.ctl("predict", "--explain", input='{"values": [0.5, -1, 0.25, 2]}')
            self.assertRegex(shown.stdout, rf"example 1: {why['class']}, of log-odds [0-9.]+ over {why['next']}\n", shown.stderr)
            daemon.stop()

    def test_a_small_model_of_two_classes_says_of_which_it_is(self):
        rows = [row for row in examples(2000) if row[0] in (0, 1)]
        daemon = self.learned("--serve", rows=rows)
        daemon.wait_examples(len(rows))
        small = daemon.get("/v1/model?attributes=1").json()
        self.assertEqual(small["class"], daemon.status()["classes"]["first"][1]["name"])


if __name__ == "__main__":
    unittest.main()
