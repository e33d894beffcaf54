"""Plans of several labels: one ask, each label told once it is known, through a kill -9, by curl, glimpsectl and Python."""

import json
import os
import random
import statistics
import subprocess
import unittest

from client_support import ClientTestCase
from harness import DEADLINE, binary

D, K = 12, 3
LABELS = ("temp", "cnt")
MODEL = ("--dimension", D, "--budget", K, "--seed", 3, "--label", "temp,cnt", "--serve", "--input", os.devnull)


def example(number):
    source = random.Random(number)
    x = [round(source.uniform(-1, 1), 6) for _ in range(D)]
    return x, {"temp": round(2 * x[0] - x[3], 6), "cnt": round(1000 * x[5] + 7, 6)}


def values_of(plan, number):
    return {str(i): example(number)[0][i] for i in plan["attributes"]}


class LabelPlans(ClientTestCase):
    def ask(self, daemon, path="/v1/ask", **body):
        answer = daemon.post(path, json.dumps(body))
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["plans"]

    def tell(self, daemon, items, path="/v1/tell"):
        answer = daemon.post(path, "[" + ",".join(map(json.dumps, items)) + "]")
        self.assertEqual(answer.status, 200, answer.body)
        return [one["status"] for one in answer.json()["results"]]

    def models(self, daemon):
        return [daemon.get(f"/v1/model?fresh=true&label={name}").json()["weights"] for name in LABELS]

    def ctl(self, daemon, *arguments, stdin="", expect=0):
        done = subprocess.run([binary("GLIMPSECTL_BIN"), "--server", f"unix:{daemon.http_path}", *map(str, arguments)],
                              input=stdin, capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done.stdout, done.stderr

    def tell_in_parts(self, daemon, plans, numbers):
        """Whole, or a label at a time with the values between them."""
        for plan, number in zip(plans, numbers, strict=True):
            labels, values = example(number)[1], values_of(plan, number)
            if number % 2 == 0:
                self.assertEqual(self.tell(daemon, [{"id": plan["id"], "labels": labels, "values": values}]), ["learned"])
                continue
            parts = [{"id": plan["id"], "labels": {"cnt": labels["cnt"], "temp": None}},
                     {"id": plan["id"], "values": values}, {"id": plan["id"], "labels": {"temp": labels["temp"]}}]
            self.assertEqual(self.tell(daemon, parts), ["incomplete", "incomplete", "learned"])

    def test_asking_and_telling_is_pushing_to_the_bit(self):
        for algorithm in ("pairwise", "pairwise-screened"):
            with self.subTest(algorithm):
                extra = ("--active", 4) if algorithm == "pairwise-screened" else ()
                told = self.start(*MODEL, "--algorithm", algorithm, *extra)
                pushed = self.start(*MODEL, "--algorithm", algorithm, *extra)
                for number in range(150):
                    x, labels = example(number)
                    pushed.post("/v1/learn", json.dumps({"labels": labels, "values": x}))
                    self.tell_in_parts(told, self.ask(told), [number])
                self.assertEqual(self.models(told), self.models(pushed))
                self.assertEqual(told.get("/v1/moments").body, pushed.get("/v1/moments").body)
                self.assertTrue(all(any(weights) for weights in self.models(told)))

    def test_plans_and_what_was_told_of_some_labels_outlive_a_kill(self):
        for algorithm in ("pairwise", "pairwise-screened"):
            with self.subTest(algorithm):
                extra = ("--active", 4) if algorithm == "pairwise-screened" else ()
                arguments = (*MODEL, "--algorithm", algorithm, *extra)
                kept = (*arguments, "--state-directory", self.path("state-" + algorithm))
                undisturbed, daemon = self.start(*arguments), self.start(*kept)
                plans = []
                for one in (undisturbed, daemon):
                    plans.append(self.ask(one, "/v1/ask", count=60))
                    self.tell_in_parts(one, plans[-1][:20], range(20))
                    half = [{"id": plan["id"], "labels": {"cnt": example(20 + n)[1]["cnt"]}}
                            for n, plan in enumerate(plans[-1][20:40])]
                    self.assertEqual(set(self.tell(one, half)), {"incomplete"})
                self.assertEqual([plan["attributes"] for plan in plans[0]], [plan["attributes"] for plan in plans[1]])
                self.assertEqual((answer := daemon.post("/v1/checkpoint")).status, 200, answer.body)
                self.tell(daemon, [{"id": plans[1][45]["id"], "labels": {"temp": 9, "cnt": 9}}])  # lost
                daemon.kill()
                daemon = self.start(*kept)
                listed = daemon.get("/v1/plans").json()
                self.assertEqual(listed["open"], 40)
                self.assertEqual([plan["labels_told"] for plan in listed["plans"]], [["cnt"]] * 20 + [[]] * 20)
                self.assertFalse(any(plan["label_told"] for plan in listed["plans"]))
                for one, given in ((undisturbed, plans[0]), (daemon, plans[1])):
                    rest = [{"id": plan["id"], "labels": {"temp": example(20 + n)[1]["temp"]},
                             "values": values_of(plan, 20 + n)} for n, plan in enumerate(given[20:40])]
                    self.assertEqual(self.tell(one, rest), ["learned"] * 20)
                    self.tell_in_parts(one, given[40:], range(40, 60))
                    self.tell_in_parts(one, self.ask(one, count=20), range(60, 80))
                self.assertEqual(self.models(daemon), self.models(undisturbed))
                self.assertEqual(daemon.status()["plans_learned"], 80)
                again = daemon.post("/v1/tell", json.dumps({"id": plans[1][20]["id"], "labels": {"cnt": -1}})).json()
                self.assertEqual((again["status"], again["told_labels"]), ("duplicate", {"cnt": example(20)[1]["cnt"]}))

    def test_glimpsectl_and_the_python_client_tell_labels(self):
        daemon = self.start(*MODEL)
        plans = json.loads(self.ctl(daemon, "ask", "--count", 3, "--json")[0])["plans"]
        lines = [{"id": plan["id"], "labels": labels, "values": values_of(plan, n)} for n, (plan, labels) in
                 enumerate(zip(plans, ({"temp": 1, "cnt": 2}, {"temp": 3}, {"cnt": "x"}), strict=True))]
        out, error = self.ctl(daemon, "tell", stdin="".join(json.dumps(line) + "\n" for line in lines), expect=1)
        self.assertEqual(out, "1 plan learned, 1 incomplete, 1 invalid_value\n")
        self.assertIn("incomplete: kept; the label 'cnt' is still to be told\n", error)
        self.assertIn("the label 'cnt' must be a number or null, not the word 'x'", error)
        listed = self.ctl(daemon, "plans")[0]
        self.assertRegex(listed, rf"{plans[1]['id']} .*  temp, values  ")
        out, error = self.ctl(daemon, "tell", stdin=json.dumps({"id": plans[0]["id"], "labels": {"temp": 8}}))
        self.assertEqual(out, "0 plans learned, 1 duplicate\n")
        self.assertIn("told before with label 'temp' 1, which stays; label 'temp' 8 was not learned", error)
        client = self.of(daemon)
        self.assertEqual([plan.labels_told for plan in client.plans()], [("temp",), ()])
        told = client.tell(plans[1]["id"], {"temp": 4, "cnt": None})
        self.assertEqual((told.status, told.told_label), ("incomplete", {"temp": 3.0}))
        self.assertEqual(client.tell(plans[1]["id"], {"cnt": 5}).status, "learned")
        self.assertEqual([label["label_max"] for label in daemon.status()["labels"]], [4, 5])

    def test_what_is_told_wrongly_is_refused_with_what_mends_it(self):
        daemon = self.start(*MODEL)
        plan = self.ask(daemon)[0]
        for labels, status, message in (
                ({"label": 1}, 400, "'label' is one, but there are 2 labels"),
                ({"labels": {"tmp": 1}}, 400, "no label is called 'tmp'; did you mean 'temp'?"),
                ({"labels": [1, 2]}, 400, "'labels' must be an object of labels by their names, not an array"),
                ({"labels": {"cnt": 1e31}}, 422, "the label 'cnt' is 1e+31, beyond 1e+30")):
            answer = daemon.post("/v1/tell", json.dumps({"id": plan["id"], **labels, "values": values_of(plan, 0)}))
            self.assertEqual(answer.status, status, answer.body)
            self.assertIn(message, answer.json()["error"]["message"])
        self.assertEqual(self.tell(daemon, [{"id": plan["id"], "labels": {"temp": 1, "cnt": 2},
                                             "values": values_of(plan, 0)}]), ["learned"])

    def test_the_attribute_to_look_at_next_is_of_the_label_that_is_named(self):
        daemon = self.start(*MODEL)
        rows = [example(number) for number in range(3000)]
        daemon.post("/v1/learn", "\n".join(json.dumps({"labels": labels, "values": x}) for x, labels in rows))
        self.assertEqual(daemon.status()["examples"], 3000)
        body = {"for": "prediction", "known": {}, "count": 1}

        def choose(path="/v1/ask", status=200, **more):
            answer = daemon.post(path, json.dumps({**body, **more}))
            self.assertEqual(answer.status, status, answer.body)
            return answer.json() if status == 200 else answer.json()["error"]

        for label, attribute in (("temp", 0), ("cnt", 5)):
            by_body, by_path = choose(label=label), choose(f"/v1/ask?label={label}")
            self.assertEqual(by_body, by_path)
            self.assertEqual((by_body["label"], by_body["choices"][0]["attribute"]), (label, attribute))
            told = daemon.post(f"/v1/predict?label={label}", '{"known": {}}').json()
            self.assertEqual(by_body["prediction"], told["predictions"][0])
            out, _ = self.ctl(daemon, "ask", "--for", "prediction", "--label", label, "--json")
            self.assertEqual(json.loads(out), by_body)
            self.assertEqual(self.of(daemon).choose({}, 1, label=label).choices[0].attribute, attribute)
        nameless = choose(status=400)
        self.assertEqual(nameless, daemon.post("/v1/predict", '{"known": {}}').json()["error"])
        for wrong in ({"label": "humidity"}, {"label": 3}, {"path": "/v1/ask?label=humidity"},
                      {"path": "/v1/ask?label=cnt", "label": "cnt"}):
            self.assertIn("label", choose(status=400, **wrong)["message"])
        for answer in (daemon.post("/v1/ask?label=cnt", "{}"), daemon.post("/v1/ask", '{"label": "cnt"}')):
            self.assertEqual((answer.status, answer.json()["error"]["code"]), (400, "invalid_label"), answer.body)

    def test_records_that_come_while_frozen_are_told_by_label(self):
        daemon = self.start(*MODEL)
        for number in range(80):
            x, labels = example(number)
            daemon.post("/v1/learn", json.dumps({"labels": labels, "values": x}))
        self.assertEqual(daemon.post("/v1/freeze").status, 200)
        self.assertEqual(daemon.post("/v1/ask", "{}").status, 409)
        before = self.models(daemon)
        for number in range(80, 120):
            x, labels = example(number)
            daemon.post("/v1/learn", json.dumps({"labels": labels, "values": x}))
        self.assertEqual(self.models(daemon), before)
        status = daemon.status()
        first, second = status["labels"]
        self.assertEqual(first["frozen_loss"], status["frozen_loss"])
        self.assertGreater(second["frozen_loss"], 0)
        counts = [example(number)[1]["cnt"] for number in range(80, 120)]
        of_mean = statistics.pvariance(counts)
        self.assertAlmostEqual(second["frozen_r2"], 1 - second["frozen_loss"] / of_mean, places=9)
        metrics = daemon.get("/metrics").body.decode()
        self.assertIn('glimpse_label_frozen_loss{label="cnt"} ', metrics)
        self.assertIn('glimpse_label_frozen_recent_r2{label="temp"} ', metrics)
        self.assertIn('glimpse_label_frozen_mean_absolute_error{label="cnt"} ', metrics)


if __name__ == "__main__":
    unittest.main()
