"""Classes before the first of them, those that a promotion leaves, decimal numbers as classes, and what the Python client
tells of them."""

import json
import unittest

from class_support import D, NAMES, NUMBERED, SHAPE, examples, table
from client_support import ClientTestCase


class ClassAnswers(ClientTestCase):
    def test_a_state_without_examples_that_is_promoted_keeps_the_classes_also_over_a_kill(self):
        for task in ((), ("--task", "classes")):
            with self.subTest(task=task):
                arguments = (*NUMBERED, *task, "--serve", "--input", "/dev/null", "--state-directory",
                             self.path("empty" + "".join(task)))
                daemon = self.start(*arguments)
                self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
                lines = "".join(json.dumps({"label": NAMES[c], "values": x}) + "\n" for c, x in examples(300))
                self.assertEqual(daemon.post("/v1/learn", lines).status, 200)
                self.assertEqual(daemon.post("/v1/promote?checkpoint=0").status, 200)
                asked = json.dumps([{"values": [0, 0, 0, 0]}])
                before, classes = daemon.post("/v1/predict", asked).json(), daemon.status()["classes"]
                self.assertEqual(set(before["classes"]), set(NAMES))
                self.assertIn(before["predictions"][0], NAMES)
                for p in before["probabilities"][0]:
                    self.assertAlmostEqual(p, 1 / 3)
                daemon.kill()
                again = self.start(*arguments)
                self.assertEqual(again.post("/v1/predict", asked).json(), before)
                self.assertEqual(again.status()["classes"], classes)

    def test_a_checkpoint_without_examples_predicts_no_number_once_labels_are_classes(self):
        daemon = self.start(*NUMBERED, "--serve", "--input", "/dev/null", "--state-directory", self.path("empty"))
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        bodies = ([{"values": [0, 0, 0, 0]}], [{"known": {"0": 1}}], [{"values": [0, 0, 0, 0]}] * 5000)
        for body in bodies[:1]:  # nothing has said yet that labels are classes
            self.assertEqual(daemon.post("/v1/predict?checkpoint=0", json.dumps(body)).json()["predictions"], [0])
        lines = "".join(json.dumps({"label": NAMES[c], "values": x}) + "\n" for c, x in examples(300))
        self.assertEqual(daemon.post("/v1/learn", lines).status, 200)
        for body in bodies:
            answer = daemon.post("/v1/predict?checkpoint=0", json.dumps(body))
            self.assertEqual((answer.status, answer.json()["error"]["code"]), (409, "no_class"), answer.body)

    def test_names_that_are_not_seen_or_stand_for_no_number_are_no_classes_and_are_counted(self):
        daemon = self.start(*NUMBERED, "--task", "classes", "--serve", "--input", "/dev/null")
        odd = ["y\n", "y\tn", "\u202ey", "y\u200b", "\ufeffy", "nan", "-inf", "Infinity"]
        lines = [json.dumps({"label": name, "values": [0, 0, 0, 0]}) for name in [*odd, "größe – \u201ea\u201c", "名"]]
        answer = daemon.post("/v1/learn", "\n".join(lines)).json()
        self.assertEqual((answer["accepted"], answer["error_count"]), (2, len(odd)), answer)
        for error in answer["errors"]:
            self.assertRegex(error["message"], "that is not seen, as a line end|for no number: leave the label empty")
        status = daemon.status()
        self.assertEqual(status["parse_errors"], len(odd))
        self.assertEqual([one["name"] for one in status["classes"]["first"]], ["größe – \u201ea\u201c", "名"])
        meant = self.start(*NUMBERED, "--classes", "yes,nan", "--serve", "--input", "/dev/null")
        self.assertEqual(meant.post("/v1/learn", lines[5]).json()["accepted"], 1)

    def test_messages_show_what_was_sent_as_it_is(self):
        daemon = self.start(*NUMBERED, "--task", "classes", "--max-classes", 2, "--serve", "--input", "/dev/null")
        names = ["größe", "20 °C – „a“", "жжж" * 10]
        answer = daemon.post("/v1/learn", "\n".join(json.dumps({"label": name, "values": [0] * 4}) for name in names))
        message = answer.json()["errors"][0]["message"]
        self.assertIn(f"label '{names[2][:20]}...' is one class too many: there are 2 ({names[0]}, {names[1]})", message)
        for path in ("/v1/predict?gr%C3%B6%C3%9Fe=1", "/v1/promote?checkpoint=" + "%D0%B6" * 30):
            self.assertNotIn("\\x", daemon.post(path).json()["error"]["message"])

    def test_nothing_is_predicted_before_the_first_class(self):
        daemon = self.start(*NUMBERED, "--task", "classes", "--serve", "--input", "/dev/null")
        for body in ({"values": [0, 0, 0, 0]}, {"known": {"0": 1}}):
            answer = daemon.post("/v1/predict", json.dumps([body]))
            self.assertEqual((answer.status, answer.json()["error"]["code"]), (409, "no_class"), answer.body)
        many = daemon.post("/v1/predict", json.dumps([{"values": [0, 0, 0, 0]}] * 5000))
        self.assertEqual((many.status, many.json()["error"]["code"]), (409, "no_class"), many.body)

    def test_all_classes_of_numbers_are_refused(self):
        daemon = self.start(*NUMBERED, "--serve", "--input", "/dev/null")
        for body in ({"values": [0, 0, 0, 0]}, {"known": {"0": 1}}):
            for many in (1, 3000):
                text = json.dumps([body] * many)
                for word in ("probabilities", "scores"):
                    answer = daemon.post(f"/v1/predict?predict={word}", text)
                    self.assertEqual(answer.status, 400, answer.body)
                    self.assertIn(f"predict={word} is of classes, and labels are numbers", answer.json()["error"]["message"])
                for query in ("", "?predict=label"):
                    self.assertEqual(len(daemon.post("/v1/predict" + query, text).json()["predictions"]), many)

    def test_decimal_numbers_are_classes_like_others(self):
        lines = "".join(f"{c + .5},{','.join(map(repr, x))}\n" for c, x in examples(300))
        for options, text in (((), lines), (("--decimal-comma", "--delimiter", ";"),
                                            lines.replace(",", ";").replace(".", ","))):
            with self.subTest(options=options):
                status, out, log = self.run_to_end(*SHAPE, "--label", "#1", "--header", "no", "--task", "classes",
                                                   "--format", "csv", *options, stdin=text.encode())
                self.assertEqual(status, 0, log)
                self.assertIn("label: class 0 is '", log)
                self.assertNotIn("another way", log)
        for shape in ("svmlight", "vw", "ndjson"):
            with self.subTest(shape=shape):
                made = {"svmlight": lambda c, x: f"{c + .5} " + " ".join(f"{i + 1}:{v!r}" for i, v in enumerate(x)),
                        "vw": lambda c, x: f"{c + .5} | " + " ".join(f"{i}:{v!r}" for i, v in enumerate(x)),
                        "ndjson": lambda c, x: json.dumps({"label": c + .5, "values": x})}[shape]
                text = "".join(made(c, x) + "\n" for c, x in examples(100))
                status, out, log = self.run_to_end(*NUMBERED, "--task", "classes", "--format", shape,
                                                   stdin=text.encode())
                self.assertEqual(status, 0, log)
                self.assertIn("label: class 0 is '", log)
                self.assertNotIn("another way", log)

    def test_the_python_client_is_told_the_class_its_probability_and_what_choices_gain(self):
        daemon = self.start(*SHAPE, "--label", "last", "--serve", "--input", self.write("examples", table(examples(1500))))
        daemon.wait_examples(1500)
        told = self.of(daemon).choose({"a": examples(1)[0][1][0]}, 3)
        self.assertIn(told.prediction, NAMES)
        self.assertGreater(told.probability, 1 / 3)
        self.assertIsNone(told.standard_error)
        self.assertEqual(len(told.choices), 3)
        for choice in told.choices:
            self.assertIsNone(choice.standard_error)
            self.assertGreater(choice.gain, 0)


if __name__ == "__main__":
    unittest.main()
