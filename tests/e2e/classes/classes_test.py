"""Labels that are classes: replies, answers, which labels are classes, held-out records, and all of it through kills."""

import json
import math
import random
import re
import shutil
import struct
import unittest

from class_support import D, NAMES, NUMBERED, SHAPE, ClassTestCase, daemon_slope, examples, softmax, table
from harness import f32, npy, svmlight, until, vw


class Classes(ClassTestCase):
    def test_words_are_classes_and_a_reply_is_the_class_and_its_probability(self):
        rows = examples(1500)
        asked = [("?", x) for _, x in examples(200, seed=1)]
        status, out, log = self.run_to_end(*SHAPE, "--label", "last", stdin=table(rows) + table(asked)[15:])
        self.assertEqual(status, 0, log)
        self.assertIn("label 'colour' (column #5) of words", log)
        self.assertRegex(log, "label: class 0 is '(red|light green|blue)'")
        right = 0
        for line, (c, _) in zip(out.splitlines(), examples(200, seed=1), strict=True):
            name, probability = line.rsplit(" ", 1)
            right += name == (f'"{NAMES[c]}"' if " " in NAMES[c] else NAMES[c])
            self.assertTrue(1 / 3 <= float(probability) <= 1, line)
        self.assertGreater(right, 150)

    def test_labels_of_minus_one_and_one_are_said_once_to_be_numbers(self):
        def lines(labels):
            return "".join(f"{label} | 0:{n % 7} 1:{n % 5}\n" for n, label in enumerate(labels)).encode()

        signs = [(-1, 1)[n % 3 == 0] for n in range(20000)]
        for labels, arguments, said in ((signs, (), 1), (signs[:99], (), 0), (signs, ("--task", "regression"), 0), ([.5, *signs], (), 0),
                                        (signs, ("--task", "classes"), 0), ([max(0, sign) for sign in signs], (), 0)):
            with self.subTest((len(labels), arguments)):
                status, _, log = self.run_to_end("--dimension", 2, "--budget", 2, "--state-directory", self.path("state"), *arguments,
                                                 stdin=lines(labels))
                self.assertEqual((status, log.count("all labels are -1 or 1")), (0, said), log)
                if said:
                    _, _, log = self.run_to_end("--dimension", 2, "--budget", 2, "--state-directory", self.path("state"), stdin=lines(labels))
                    self.assertNotIn("all labels are", log)
                shutil.rmtree(self.path("state"))

    def test_a_reply_has_all_classes_where_that_is_asked_for_and_the_tag(self):
        lines = "".join(f"{c} | 0:{x[0]} 1:{x[1]} 2:{x[2]} 3:{x[3]}\n" for c, x in examples(300))
        for predict, check in (("probabilities", lambda n: self.assertAlmostEqual(sum(n), 1, delta=1e-5)),
                               ("scores", lambda n: self.assertNotAlmostEqual(sum(n), 1))):
            status, out, log = self.run_to_end(*NUMBERED, "--task", "classes", "--classes", "0,1,2", "--predict", predict,
                                               stdin=(lines + "'mine | 0:1 3:2\n").encode())
            self.assertEqual(status, 0, log)
            *numbers, tag = out.split()
            self.assertEqual(tag, "mine")
            self.assertEqual([number.split(":")[0] for number in numbers], ["0", "1", "2"])
            check([float(number.split(":")[1]) for number in numbers])

    def test_answers_of_http_follow_from_the_model(self):
        daemon = self.learned("--serve", "--hold-out", "5%")
        daemon.wait_examples(1300)
        model = json.loads(daemon.model())
        self.assertEqual(len(model["classes"]), 3)
        for _, x in examples(20, seed=9):
            answer = self.predict([{"values": x}], "?predict=scores")
            scores = [bias + sum(w * v for w, v in zip(weights, x))
                      for bias, weights in zip(model["biases"], model["weights"])]
            for ours, told in zip(scores, answer["scores"][0], strict=True):
                self.assertAlmostEqual(ours, told, delta=1e-9 * (1 + abs(ours)))
            probabilities = softmax(scores, model["slope"])
            of_all = self.predict([{"values": x}])
            for ours, told in zip(probabilities, of_all["probabilities"][0], strict=True):
                self.assertAlmostEqual(ours, told, delta=1e-9)
            best = max(range(3), key=probabilities.__getitem__)
            next_best = sorted(probabilities)[-2]
            self.assertEqual(answer["predictions"], [model["classes"][best]])
            self.assertEqual(answer["classes"], model["classes"])
            self.assertAlmostEqual(of_all["probability"][0], probabilities[best], delta=1e-9)
            self.assertAlmostEqual(of_all["margins"][0], math.log(probabilities[best] / next_best), delta=1e-6)
            self.assertNotIn("probabilities", self.predict([{"values": x}], "?predict=label"))
        self.assertIn("predict 'all' must be label, probabilities or scores",
                      self.predict([{"values": x}], "?predict=all", 400)["error"]["message"])
        self.assertEqual(daemon.get("/v1/model?errors=true").status, 409)
        csv = daemon.get("/v1/model?format=csv").body.decode().splitlines()
        self.assertTrue(csv[0].startswith("attribute,name,weight of "), csv[0])
        self.assertEqual(len(csv[1].split(",")), 2 + 3 + 2)
        self.assertIn(b'"classes"', daemon.get("/v1/model?format=safetensors").body[:2000])

    def test_large_bodies_are_predicted_for_as_small_ones(self):
        daemon = self.learned("--serve")
        daemon.wait_examples(1500)
        many = [{"values": x} for _, x in examples(1000, seed=4)]
        whole = self.predict(many)
        self.assertEqual(len(whole["predictions"]), 1000)
        parts = [self.predict(many[at:at + 100]) for at in range(0, 1000, 100)]
        for name in ("predictions", "probability", "margins", "probabilities"):
            self.assertEqual(whole[name], [value for part in parts for value in part[name]], name)
        self.assertEqual(whole["classes"], parts[0]["classes"])

    def test_numbers_are_classes_in_every_format_where_that_is_asked_for(self):
        rows = [(float(c), [struct.unpack("<f", struct.pack("<f", v))[0] for v in x]) for c, x in examples(400)]
        expected = None
        for form, content in (("svmlight", svmlight(rows)), ("vw", vw(rows)), ("f32", f32(rows)), ("npy", npy(rows)),
                              ("csv", "".join(",".join(map(repr, [y, *x])) + "\n" for y, x in rows))):
            with self.subTest(form):
                daemon = self.start(*NUMBERED, "--task", "classes", "--format", form, "--serve", "--input",
                                    self.write(form, content))
                daemon.wait_examples(400)
                model = json.loads(daemon.model())
                daemon.stop()
                self.assertEqual(sorted(model["classes"]), ["0", "1", "2"])
                expected = expected or (model["classes"], model["biases"], model["weights"])
                self.assertEqual((model["classes"], model["biases"], model["weights"]), expected)

    def test_a_class_too_many_is_refused_and_the_others_go_on(self):
        rows = examples(300) + [("violet", [0, 0, 0, 0])] + examples(50, seed=2)
        status, _, log = self.run_to_end(*SHAPE, "--label", "last", "--max-classes", 3, stdin=table(rows))
        self.assertRegex(log, r"line 302: column #5 \('colour'\): label 'violet' is one class too many: there are 3 \(.*\); "
                              "--max-classes allows 3")
        self.assertIn("finished: 350 examples", log)
        status, _, log = self.run_to_end("--budget", 3, "--label", "last", "--algorithm", "two-phase-ddaerr", stdin=b"a,b,c,y\n" + b"".join(
            f"{i % 5},{i % 7},{i % 3},{('yes', 'no')[i % 2]}\n".encode() for i in range(50)) + b"1,2,3,maybe\n")
        self.assertIn("label 'maybe' is one class too many: there are 2 (yes, no); --algorithm two-phase-ddaerr learns two "
                      "classes; take --algorithm pairwise for more", log)
        self.assertIn("finished: 50 examples", log)

    def test_a_record_that_is_not_learned_from_leaves_no_class_and_a_rare_class_is_learned(self):
        status, _, log = self.run_to_end("--dimension", 2, "--budget", 2, "--label", "y", "--max-classes", 1,
                                         stdin=b"y,a,b\nbad,1e99,1\nx,1,2\n")
        self.assertIn("finished: 1 examples", log)
        rows = [("a", [i % 3, i % 5, 1, 2]) for i in range(40)] + [("b", [9, 9, 1, 2])]
        daemon = self.learned("--serve", rows=rows)
        daemon.wait_examples(41)
        self.assertEqual(daemon.status()["classes"]["first"], [{"name": "a", "examples": 40}, {"name": "b", "examples": 1}])
        self.assertEqual(daemon.status()["examples_left_out"], 0)

    def test_with_products_what_is_held_out_is_judged_as_it_is_predicted(self):
        source = random.Random(3)
        rows = []
        for _ in range(6000):
            x = [source.gauss(0, 1) for _ in range(D)]
            rows.append((int(x[0] * x[1] > 0), x))
        daemon = self.learned("--products", 2, "--hold-out", "10%", "--serve", "--budget", 4, rows=rows)
        until(lambda: sum(daemon.status()[name] for name in ("examples", "held_out_examples")) == 6000, "all are read")
        self.assertLess(daemon.status()["held_out_classes"]["recent_error"], 0.2)

    def test_learners_that_step_tell_two_classes_and_their_probabilities(self):
        rows = [(c, x) for c, x in examples(3000, classes=2)]
        for algorithm in ("two-phase-ddaerr", "online-ridge", "apple"):
            with self.subTest(algorithm):
                budget = SHAPE[4:] if algorithm != "two-phase-ddaerr" else ("--budget", 3, "--seed", 3)
                daemon = self.start("--label", "last", "--algorithm", algorithm, *budget, "--serve", "--input",
                                    self.write("two", table(rows)))
                daemon.wait_examples(3000)
                self.daemon = daemon
                answer = self.predict([{"values": x} for _, x in rows[:200]])
                right = sum(told == NAMES[c] for told, (c, _) in zip(answer["predictions"], rows))
                self.assertGreater(right, 160)
                model = json.loads(daemon.model())
                self.assertEqual(set(model["classes"]), set(NAMES[:2]))
                self.assertGreaterEqual(len(model["weights"]), D)  # apple has those of products as well
                daemon.stop()

    def test_status_and_metrics_tell_how_good_probabilities_are_for_what_was_held_out(self):
        rows = examples(4000)
        daemon = self.learned("--serve", "--hold-out", "10%", rows=rows)
        daemon.wait_examples(3500)
        status = daemon.status()
        self.assertEqual({c["name"] for c in status["classes"]["first"]}, set(NAMES))
        self.assertEqual(sum(c["examples"] for c in status["classes"]["first"]), status["examples"])
        report = status["held_out_classes"]
        count = status["held_out_examples"]
        self.assertEqual(report["examples"], count)
        self.assertGreater(count, 300)
        confusion = report["confusion"]
        wrong = sum(n for a, row in enumerate(confusion) for p, n in enumerate(row) if a != p)
        self.assertAlmostEqual(report["error"], wrong / count)
        self.assertAlmostEqual(report["error_error"], math.sqrt(report["error"] * (1 - report["error"]) / (count - 1)))
        self.assertLess(report["error"], 0.25)
        self.assertLess(report["log_loss"], math.log(3))
        self.assertAlmostEqual(report["brier"] / 2, status["held_out_loss"])
        bins = report["calibration"]
        self.assertEqual(sum(each["count"] for each in bins), count)
        self.assertAlmostEqual(report["calibration_error"], sum(
            each["count"] * abs(each["mean_probability"] - each["share_right"]) for each in bins if each["count"]) / count)
        metrics = daemon.get("/metrics").body.decode()
        self.assertIn("glimpse_held_out_class_error ", metrics)
        self.assertIn('glimpse_held_out_confusion_total{class="red",predicted="red"} ', metrics)
        self.assertIn("glimpse_classes 3", metrics)
        self.assertIn("# HELP glimpse_progressive_loss Half of the mean squared errors of all classes' indicators, by least", metrics)
        self.assertIn("# HELP glimpse_held_out_loss Half of the mean Brier score of the probabilities of classes for", metrics)
        for b, each in enumerate(bins):
            of_bin = [float(re.search(rf'^glimpse_held_out_calibration_{name}total{{bin="0.{b}"}} (\S+)$', metrics,
                                      re.MULTILINE)[1]) for name in ("", "right_", "probability_")]
            self.assertEqual(of_bin[0], each["count"])
            if each["count"]:
                self.assertAlmostEqual(of_bin[1] / of_bin[0], each["share_right"], delta=1e-6)
                self.assertAlmostEqual(of_bin[2] / of_bin[0], each["mean_probability"], delta=1e-4)
                share = (each["share_right"] * each["count"] + 1) / (each["count"] + 2)
                self.assertAlmostEqual(each["share_right_error"], math.sqrt(share * (1 - share) / (each["count"] + 2)))
                told = re.search(rf'^glimpse_held_out_calibration_right_share_error{{bin="0.{b}"}} (\S+)$', metrics, re.MULTILINE)
                self.assertAlmostEqual(float(told[1]), each["share_right_error"], delta=1e-6)
            else:
                self.assertIsNone(each["share_right_error"])

    def test_a_held_out_record_of_a_class_that_nobody_knows_counts_as_wrong_and_leaves_no_class(self):
        # Of one record in two hundred and a class of its own, some are held out before any is learned.
        rows = [(c, x) if i % 40 else (f"rare {i}", x) for i, (c, x) in enumerate(examples(2000))]
        daemon = self.learned("--serve", "--hold-out", "50%", rows=rows)
        until(lambda: sum(daemon.status()[name] for name in ("examples", "held_out_examples")) == 2000, "all are read")
        status = daemon.status()
        names = {c["name"] for c in status["classes"]["first"]}
        self.assertLess(len(names), 3 + 50)
        self.assertGreater(sum(status["held_out_classes"]["confusion"][-1]), 5)

    def test_killed_and_restarted_it_is_the_model_of_one_run_to_the_bit(self):
        rows = examples(6000)
        options = ("--label", "last", "--hold-out", "5%", "--serve", "--state-directory", self.path("state"),
                   "--checkpoint-every", "10ms")
        whole = self.start(*SHAPE, *options[:5], "--input", self.write("whole", table(rows)))
        until(lambda: sum(whole.status()[name] for name in ("examples", "held_out_examples")) == 6000, "all are read")
        expected, facts = json.loads(whole.model()), whole.status()
        whole.stop()
        for part in (1500, 4000):
            grown = self.write("grown", table(rows[:part]))
            daemon = self.start(*SHAPE, *options, "--input", grown)
            daemon.wait_examples(int(part * .93))
            daemon.kill()
        daemon = self.start(*SHAPE, *options, "--input", self.write("grown", table(rows)))
        daemon.wait_examples(facts["examples"])
        model, now = json.loads(daemon.model()), daemon.status()
        for name in ("classes", "slope", "biases", "weights"):
            self.assertEqual(model[name], expected[name], name)
        for name in ("classes", "held_out_classes", "held_out_loss", "progressive_loss"):
            self.assertEqual(now[name], facts[name], name)

    def test_a_checkpoint_keeps_what_labels_are(self):
        state = ("--state-directory", self.path("state"))
        status, _, log = self.run_to_end(*SHAPE, "--label", "last", *state, stdin=table(examples(200)))
        self.assertEqual(status, 0, log)
        status, _, log = self.run_to_end(*SHAPE, "--label", "last", *state, "--task", "regression", stdin=table(examples(5)))
        self.assertIn("--task regression: the checkpoint's records were read with --task classes", log)
        numbers = ("--state-directory", self.path("numbers"))
        self.run_to_end(*NUMBERED, *numbers, stdin=b"1 1:1\n2 2:1\n")
        status, _, log = self.run_to_end(*NUMBERED, *numbers, "--task", "classes", stdin=b"1 1:1\n")
        self.assertIn("--task classes: the checkpoint's records were read with --task regression", log)

    def test_options_that_contradict_each_other_are_refused(self):
        for arguments, message in (
                (("--task", "regression", "--classes", "a,b"), "contradicts --task regression"),
                (("--task", "sorting"), "--task sorting"),
                (("--classes", "a,,b"), "--classes a,,b: must be names of classes"),
                (("--classes", "a,b,a"), "names a twice"),
                (("--classes", "a,?"), "has the class ?, which no label names"),
                (("--classes", "a,b,c", "--max-classes", "2"), "--classes: has 3 classes: --max-classes allows 2"),
                (("--classes", "a,b,c", "--algorithm", "two-phase-ddaerr"), "learns two classes"),
                (("--max-classes", "0"), "--max-classes 0")):
            with self.subTest(arguments):
                status, log = self.refused("--dimension", D, "--budget", 3, *arguments, stdin=b"1 1:1\n")
                self.assertEqual(status, 2)
                self.assertIn(message, log)

    def test_a_limit_of_classes_that_has_no_effect_is_refused_or_told(self):
        rows = b"y,z,a\n1,2,3\n2,3,4\n3,4,5\n"
        status, _, line = self.run_to_end("--budget", 2, "--label", "y", "--max-classes", 4, "--algorithm", "aerr", stdin=rows)
        self.assertEqual(status, 2)
        self.assertIn("--max-classes 4: has no effect: --algorithm aerr learns two classes", line)
        status, _, line = self.run_to_end("--budget", 2, "--label", "y,z", "--max-classes", 4, stdin=rows)
        self.assertEqual(status, 2)
        self.assertIn("--max-classes 4: has no effect with several labels, which are numbers", line)
        told = "warning --max-classes 4 has no effect: the labels are numbers; --task classes takes them for names"
        self.assertIn(told, self.run_to_end("--budget", 2, "--max-classes", 4, stdin=rows)[2])
        kept = ("--budget", 2, "--task", "classes", "--state-directory", self.path("limited"))
        self.assertNotIn(told, self.run_to_end(*kept, "--max-classes", 4, stdin=rows)[2])
        self.assertIn("warning --max-classes 2: the checkpoint has 3 classes, which all stay; records of further ones "
                      "are refused", self.run_to_end(*kept, "--max-classes", 2, stdin=rows + b"9,3,4\n")[2])

    def test_before_any_example_classes_that_are_named_are_as_likely_and_none_is_a_question_mark(self):
        _, out, _ = self.run_to_end(*NUMBERED, "--classes", "a,b", "--predict", "probabilities", stdin=b" 1:1\n")
        self.assertEqual(out, "a:0.5 b:0.5\n")
        _, out, _ = self.run_to_end(*NUMBERED, "--task", "classes", stdin=b" 1:1\n")
        self.assertEqual(out, "?\n")

    def test_plans_are_told_classes(self):
        daemon = self.daemon = self.start(*NUMBERED, "--classes", "yes,no", "--serve")
        plan = daemon.post("/v1/ask", "{}").json()["plans"][0]
        told = daemon.post("/v1/tell", json.dumps({"id": plan["id"], "label": "no",
                                                   "values": [1.0] * len(plan["attributes"])}))
        self.assertEqual(told.status, 200, told.body)
        self.assertEqual(daemon.status()["classes"]["first"], [{"name": "yes", "examples": 0}, {"name": "no", "examples": 1}])

    def test_what_is_not_known_is_told_from_what_is_known(self):
        """The fourth attribute follows the first, which alone tells the classes apart."""
        source = random.Random(5)
        rows = []
        for _ in range(4000):
            c = source.randrange(3)
            first = 3 * c + source.gauss(0, 1)
            rows.append((c, [first, source.gauss(0, 1), source.gauss(0, 1), first + source.gauss(0, 0.3)]))
        daemon = self.learned("--serve", rows=rows)
        daemon.wait_examples(4000)
        for asked in ([{"values": [None, 0, 0, x[3]]} for _, x in rows[:300]], [{"known": {"d": x[3]}} for _, x in rows[:300]]):
            for many in (asked, asked * 10):  # a small body, and a large one
                answer = self.predict(many)
                self.assertEqual(len(answer["predictions"]), len(many))
                right = sum(told == NAMES[c] for told, (c, _) in zip(answer["predictions"], rows[:300]))
                self.assertGreater(right, 250)
                for row, probability in zip(answer["probabilities"], answer["probability"]):
                    self.assertAlmostEqual(sum(row), 1)
                    self.assertEqual(max(row), probability)
        nothing = self.predict([{"known": {}}])
        shares = {c["name"]: c["examples"] / 4000 for c in daemon.status()["classes"]["first"]}
        total = sum(share ** daemon_slope(daemon) for share in shares.values())
        for name, p in zip(nothing["classes"], nothing["probabilities"][0]):
            self.assertAlmostEqual(p, shares[name] ** daemon_slope(daemon) / total, delta=1e-3)
        self.assertIn("no explanation", self.predict([{"known": {"d": 1}}], "?explain=true", 400)["error"]["message"])
        choice = daemon.post("/v1/ask", json.dumps({"for": "prediction", "count": 2, "known": {"b": 0}})).json()
        self.assertIn(choice["choices"][0]["name"], ("a", "d"))
        self.assertGreater(choice["choices"][0]["gain"], choice["choices"][1]["gain"])
        self.assertIn(choice["prediction"], NAMES)

    def test_glimpsectl_shows_classes(self):
        self.learned("--serve").wait_examples(1500)
        line = self.write("asked", json.dumps({"values": [0, 0, 0, 0]}) + "\n")
        self.assertRegex(self.ctl("predict", line).stdout, r'^(red|"light green"|blue) 0\.\d+\n$')
        self.assertRegex(self.ctl("predict", "--predict", "probabilities", line).stdout, r"red:\d")
        model = self.ctl("model").stdout
        self.assertIn("weights in the scores of classes", model)
        self.assertIn("light green", model)
        self.assertIn("held_out_classes", self.ctl("status").stdout)

    def test_the_python_client_has_classes_probabilities_and_margins(self):
        daemon = self.learned("--serve")
        daemon.wait_examples(1500)
        client = self.of(daemon)
        rows = examples(100)
        answer = client.predict([x for _, x in rows])
        self.assertGreater(sum(told == NAMES[c] for told, (c, _) in zip(answer.predictions, rows)), 70)
        self.assertEqual(set(answer.classes), set(NAMES))
        for row, probability in zip(answer.probabilities, answer.probability):
            self.assertAlmostEqual(sum(row), 1)
            self.assertEqual(max(row), probability)
        self.assertEqual(len(answer.margins), 100)
        self.assertIsNone(client.predict([rows[0][1]], predict="label").probabilities)
        self.assertEqual(len(client.predict([rows[0][1]], predict="scores").scores[0]), 3)
        self.assertEqual(client.learn([("blue", rows[0][1])]).accepted, 1)


if __name__ == "__main__":
    unittest.main()
