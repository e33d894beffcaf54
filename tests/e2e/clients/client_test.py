"""tools/python/glimpsed/client against the real daemon: plans, learning, predictions, and what its manual prints."""

import datetime
import os
import random
import re
import socket
import subprocess
import sys
import threading
import unittest
from unittest import mock

from client_support import TOOLS, ClientTestCase
import glimpsed.client
from glimpsed.client import InvalidRequest, NotBuying, PlanClosed, Tell, TooManyPlans, UnknownPlan
from harness import DEADLINE, SMALL, examples, until

NAMES = "age\nsex\nbilirubin\nsgot\nprotime\n"
COSTS = "age 1\nsex 1\nbilirubin 7.27 blood\nsgot 7.27 blood\nprotime 8.3 blood\n@blood 2.10\n"


class AgainstTheDaemon(ClientTestCase):
    def named(self, *arguments, **keywords):
        daemon = self.start("--attributes", self.write("names.txt", NAMES), "--costs",
                            self.write("costs.txt", COSTS), "--budget", 2, "--seed", 7, "--serve", *arguments)
        self.daemon = daemon
        return self.of(daemon, **keywords)

    def test_a_number_is_never_taken_for_an_attribute_that_is_called_by_one(self):
        daemon = self.start("--attributes", self.write("names.txt", "1\n2\n0\n"), "--budget", 3, "--serve")
        client = self.of(daemon)
        for key in (lambda plan, k: plan.attributes[k], lambda plan, k: plan.names[k]):
            plan = client.ask()[0]
            values = {key(plan, k): attribute for k, attribute in enumerate(plan.attributes)}
            self.assertEqual(client.tell(plan, 1, values).status, "learned")
        client.learn([(1, {0: 0, 1: 1, 2: 2}), (1, {"1": 0, "2": 1, "0": 2})])
        for moment in daemon.get("/v1/moments").json()["moments"]:
            self.assertEqual(moment["mean"], moment["attribute"])

    def test_asking_and_telling(self):
        client = self.named()
        now = datetime.datetime.now(datetime.timezone.utc)
        plans = client.ask(20, ttl="12h")
        self.assertEqual(len({plan.id for plan in plans}), 20)
        prices = [1, 1, 7.27, 7.27, 8.3]
        for plan in plans:
            self.assertEqual(plan.names, tuple(NAMES.split()[i] for i in plan.attributes))
            group = 2.1 if any(i >= 2 for i in plan.attributes) else 0
            self.assertAlmostEqual(plan.cost, group + sum(prices[i] for i in plan.attributes))
            self.assertLess(abs((plan.expires_at - now).total_seconds() - 12 * 3600), 120)
        told = client.tell(plans[0], label=1, values=[0.5] * len(plans[0].attributes))
        self.assertEqual((told.id, told.status, told.learned, told.failed), (plans[0].id, "learned", True, False))
        told = client.tell(plans[1].id, 1, {name: 0.5 for name in plans[1].names}, importance=2)
        self.assertEqual(told.status, "learned")
        # Values first, the label weeks later.
        self.assertEqual(client.tell(plans[2], values=dict.fromkeys(plans[2].attributes, 1)).status, "incomplete")
        self.assertEqual([plan.values_told for plan in client.plans() if plan.id == plans[2].id], [True])
        self.assertEqual(client.tell(plans[2], label=1).status, "learned")
        # Something was refused: as None, and by name.
        values = [0.5] * (len(plans[3].attributes) - 1)
        self.assertEqual(client.tell(plans[3], 1, [None, *values]).status, "learned")
        self.assertEqual(client.tell(plans[4], 1, values, refused=[plans[4].names[0]]).status, "learned")
        self.assertEqual(client.status()["examples"], 5)
        duplicate = client.tell(plans[0], label=1, values=[0.5] * len(plans[0].attributes))
        self.assertEqual((duplicate.status, duplicate.learned, duplicate.told_label), ("duplicate", True, None))
        other = client.tell(plans[0], label=0)
        self.assertEqual((other.status, other.told_label), ("duplicate", 1.0))
        self.assertIn("label 0 was not learned", other.message)
        self.assertEqual(client.status()["examples"], 5)

    def test_examples_that_the_budget_does_not_allow_are_told(self):
        daemon = self.start("--dimension", 3, "--budget", 2, "--total-budget", 6)
        client = self.client(f"unix:{daemon.http_path}")
        report = client.learn((n, [n, 1, 2]) for n in range(5))
        self.assertEqual((report.accepted, report.skipped, report.beyond_budget), (3, 2, 2))

    def test_categories_are_strings(self):
        client = self.named()
        others = {"bilirubin": 1, "sgot": 1, "protime": 1}
        report = client.learn((2 if n % 3 == 0 else 0, {"age": n % 5, "sex": "MFX"[n % 3], **others}) for n in range(300))
        self.assertEqual(report.accepted, 300)
        predictions = client.predict([{"age": 2, "sex": sex, **others} for sex in "MF"])
        self.assertAlmostEqual(predictions.predictions[0] - predictions.predictions[1], 2, delta=0.3)
        known = client.predict(known={"sex": "M"})
        self.assertAlmostEqual(known.predictions[0], 2, delta=0.3)
        plan = client.ask(available=["age", "sex"])[0]
        told = client.tell(plan, 2, {name: {"age": 1, "sex": "M"}[name] for name in plan.names})
        self.assertEqual(told.status, "learned")
        names = ["age", "bilirubin", "protime", "sex=F", "sex=M", "sex=X", "sgot"]
        self.assertEqual(sorted(client.model()["names"]), names)

    def test_truth_values_are_refused_everywhere_by_the_client_alone(self):
        client = self.named()
        values = {"age": 1, "sex": 1, "bilirubin": 1, "sgot": 1, "protime": 1}
        client.learn([(1, values)])
        plan = client.ask()[0]
        numpys = type("bool_", (), {"__float__": lambda self: 1.0, "__index__": lambda self: 1})()
        for true in (True, False, numpys):
            for refused in (lambda: client.predict([{**values, "sex": true}]), lambda: client.predict([[1, 1, 1, 1, true]]),
                            lambda: client.predict(known={"sex": true}), lambda: client.predict([{true: 1}]),
                            lambda: client.learn([(1, {"sex": true})]), lambda: client.learn([(true, values)]),
                            lambda: client.learn([(1, values, true)]), lambda: client.tell(plan, true),
                            lambda: client.tell(plan, 1, [true, 1]), lambda: client.tell(plan, 1, importance=true),
                            lambda: client.tell(plan, 1, [1], refused=[true]), lambda: client.ask(available=[true]),
                            lambda: client.choose({"sex": true})):
                with self.assertRaisesRegex(ValueError, "truth value|calls no attribute"):
                    refused()
        bodies = ('{"values": {"age": 1, "sex": true}}', '{"values": {"age": 1, "sex": 1}}')
        answers = [self.daemon.post("/v1/predict", body).json() for body in bodies]
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(client.status()["examples"], 1)
        with self.assertRaisesRegex(ValueError, "1.5 calls no attribute"):
            client.ask(available=[1.5])

    def test_a_number_among_categories_is_the_word_that_http_takes_it_for(self):
        client = self.named("--absent", "unknown", "--categories", "sex")
        labels = {7: 2, 8: 0}
        client.learn((labels[7 + n % 2], {"sex": 7 + n % 2, "age": n % 5}) for n in range(300))
        names = client.model()["names"]
        self.assertEqual({name for name in names if name.startswith("sex")}, {"sex=7", "sex=8"})
        for sex in (7, 8, 1, 7.0, "7", "7.0"):
            body = f'{{"values": {{"sex": {sex!r}}}}}'.replace("'", '"')
            theirs = self.daemon.post("/v1/predict", body).json()["predictions"]
            self.assertEqual(list(client.predict([{"sex": sex}]).predictions), theirs, sex)
        seven, eight, unknown = client.predict([{"sex": sex} for sex in (7, 8, 1)]).predictions
        self.assertAlmostEqual(seven - eight, 2, delta=0.3)
        self.assertAlmostEqual(unknown, 1, delta=0.3)
        with self.assertRaisesRegex(ValueError, "not a finite number"):
            client.predict([{"age": 10 ** 400}])

    def test_errors_are_told_apart(self):
        client = self.named("--max-plans", 3, "--total-budget", 8)
        plan = client.ask()[0]
        with self.assertRaises(InvalidRequest) as caught:
            client.tell(plan, 1, [1, 2, 3])
        self.assertEqual((caught.exception.status, caught.exception.code), (422, "wrong_attributes"))
        self.assertEqual(caught.exception.details["expected"]["attributes"], list(plan.attributes))
        with self.assertRaisesRegex(InvalidRequest, "beyond"):
            client.tell(plan, 1e300, [1, 2])
        for value in (float("nan"), float("inf")):
            with self.assertRaises(ValueError):
                client.tell(plan, 1, [value, 1])
            with self.assertRaises(ValueError):
                client.tell(plan, value)
        with self.assertRaises(UnknownPlan):
            client.tell("3f9a2b-1", 1, [1])
        with self.assertRaises(UnknownPlan):
            client.abandon("no/plan")
        with self.assertRaises(InvalidRequest):
            client.ask(0)
        with self.assertRaisesRegex(InvalidRequest, "nonsense"):
            client.ask(available=["nonsense"])
        with self.assertRaisesRegex(InvalidRequest, "ttl"):
            client.ask(ttl="5 weeks")
        self.assertEqual(len(client.ask(2)), 2)
        with self.assertRaises(TooManyPlans) as caught:
            client.ask()
        self.assertEqual(caught.exception.status, 429)
        client.abandon(plan)
        client.abandon(plan.id)
        with self.assertRaises(PlanClosed) as caught:
            client.tell(plan, 1, [1, 2])
        self.assertEqual((caught.exception.status, caught.exception.code), (410, "abandoned"))
        for open_plan in client.plans():
            self.assertEqual(client.tell(open_plan, 1, [1, 2]).status, "learned")
        with self.assertRaises(PlanClosed):
            client.abandon(open_plan)
        with self.assertRaises(NotBuying):
            for _ in range(10):
                client.tell(client.ask()[0], 1, [1, 2])
        with self.assertRaises(InvalidRequest) as caught:  # no --state-directory
            client.checkpoint()
        self.assertEqual(caught.exception.status, 409)

    def test_a_plan_whose_time_has_come_is_closed(self):
        client = self.named()
        plan = client.ask(ttl=0.001)[0]
        until(lambda: not client.plans(), "the plan has expired")
        with self.assertRaises(PlanClosed) as caught:
            client.tell(plan, 1, [1, 2])
        self.assertEqual(caught.exception.code, "expired")

    def test_batches_answer_every_item_in_order(self):
        client = self.named("--max-plans", 5000)
        plans = client.ask(3000)
        items = [Tell(plan, 1.0, [0.5] * len(plan.attributes)) for plan in plans]
        bad = [Tell("3f9a2b-1", 1, [1]), {"id": plans[0].id, "lable": 1}, 5, Tell(plans[1], 1, [1] * 9),
               Tell(plans[2])]
        # Small requests, so that there are many.
        with mock.patch.object(glimpsed.client._client, "_BATCH_BYTES", 1000):
            told = client.tell_many([*bad, *items, items[0]])
        self.assertEqual([answer.status for answer in told],
                         ["unknown", "invalid", "invalid", "wrong_attributes", "invalid", *["learned"] * 3000,
                          "duplicate"])
        self.assertEqual([answer.failed for answer in told], [True] * 5 + [False] * 3001)
        self.assertEqual(told[3].expected, plans[1].attributes)
        self.assertEqual([answer.id for answer in told[5:3005]], [plan.id for plan in plans])
        self.assertEqual(client.status()["examples"], 3000)
        self.assertEqual(client.tell_many([]), [])
        self.assertEqual([answer.status for answer in client.tell_many(iter(items[:1]))], ["duplicate"])
        self.assertEqual(len(client.tell_many(items)), 3000)

    def test_all_open_plans_are_listed_over_many_pages(self):
        client = self.named()
        asked = client.ask(25)
        with mock.patch.object(glimpsed.client._client, "_PAGE", 10):
            self.assertEqual(client.plans(), asked)

    def test_learning_and_predicting_over_tcp(self):
        daemon = self.start(*SMALL, "--state-directory", self.path("state"), "--http", "127.0.0.1:0", http=None)
        port = daemon.wait_log(r"HTTP door open on tcp:127.0.0.1:(\d+)").group(1)
        client = self.client(f"http://127.0.0.1:{port}")
        until(client.ready, "the daemon is ready")
        rows = examples(500)
        with mock.patch.object(glimpsed.client._client, "_BATCH_BYTES", 2000):
            report = client.learn((y, x) if i % 2 else (y, x, 1.5) for i, (y, x) in enumerate(rows))
        self.assertEqual((report.accepted, report.skipped, report.error_count), (500, 0, 0))
        self.assertEqual(client.learn([(1, {0: 0.5, "3": 1})]).accepted, 1)
        model = client.model(fresh=True)
        self.assertEqual((model["examples"], len(model["weights"])), (501, 4))
        self.assertEqual([row["attribute"] for row in client.moments()], [0, 1, 2, 3])
        answer = client.predict([[1, 0, 0, 0], {"0": 1}, {0: 1.0}, [0, 0, 0, -1]])
        self.assertEqual(answer.examples, 501)
        self.assertEqual(answer.predictions[0], answer.predictions[1])
        self.assertEqual(answer.predictions[1], answer.predictions[2])
        self.assertAlmostEqual(answer.predictions[0], 1, delta=0.3)
        self.assertAlmostEqual(answer.predictions[3], 0.5, delta=0.3)
        self.assertIsNone(answer.standard_errors)
        unknown = client.predict([{"0": 1}, [1, 0, 0, 0]], absent="unknown")
        self.assertEqual(unknown.predictions[1], answer.predictions[0])
        self.assertGreater(unknown.standard_errors[0], unknown.standard_errors[1])
        with self.assertRaises(ValueError):
            client.predict([{"0": 1}], absent="never")
        self.assertEqual(client.checkpoint()["examples"], 501)
        self.assertTrue(client.ready())
        # What cannot be read is told by its place.
        report = client.learn([(1, [1, 2, 3, 4]), (1, {"9": 1}), (1, [1, 2, 3, 4])])
        self.assertEqual((report.accepted, report.error_count, report.errors[0][0]), (2, 1, 1))
        with self.assertRaises(InvalidRequest):
            client.predict([[1, 2]])
        with self.assertRaises(ValueError):
            client.predict()
        with mock.patch.object(glimpsed.client._client, "_BATCH_BYTES", 10):
            with self.assertRaises(InvalidRequest) as caught:
                client.learn([(1, [1, 2, 3, 4]), (1, [1])])
        self.assertEqual(caught.exception.partial.accepted, 1)

    def test_attributes_are_bought_one_after_the_other_for_a_prediction(self):
        client = self.named()
        generator = random.Random(3)
        rows = [[generator.gauss(0, 1) for _ in range(5)] for _ in range(5000)]
        client.learn([(row[0] + 5 * row[3], row) for row in rows])
        client.model(fresh=True)
        before = client.choose({}, 5)
        self.assertGreater(before.standard_error, 1)
        self.assertEqual(before.choices[0].name, "sgot")
        self.assertAlmostEqual(before.choices[0].cost, 9.37)
        after = client.choose({"sgot": 1.5, "sex": None}, 1)
        self.assertEqual([choice.attribute for choice in after.choices], [0])
        self.assertAlmostEqual(after.standard_error, before.choices[0].standard_error, delta=1e-6)
        both = client.predict(known=[{"sgot": 1.5}, {3: 1.5, "age": 1}])
        self.assertAlmostEqual(both.predictions[0], after.prediction, delta=1e-9)
        # The others are independent of these, and 0 in the mean.
        whole = client.predict([[1, 0, 0, 1.5, 0]]).predictions[0]
        self.assertAlmostEqual(both.predictions[1], whole, delta=0.2)
        self.assertGreater(both.standard_errors[0], both.standard_errors[1])
        self.assertEqual(client.predict(known={"sgot": 1.5}).predictions, both.predictions[:1])
        with self.assertRaises(InvalidRequest):
            client.choose({"nonsense": 1})

    def test_plan_by_plan_or_all_at_once_is_the_same_model(self):
        client = self.named()
        generator = random.Random(5)
        for plan in client.ask(50):
            values = [generator.gauss(0, 1) / 3 for _ in plan.attributes]
            client.tell(plan, sum(values), values)
        many = self.named()
        generator = random.Random(5)
        items = []
        for plan in many.ask(50):
            values = [generator.gauss(0, 1) / 3 for _ in plan.attributes]
            items.append(Tell(plan, sum(values), values))
        many.tell_many(items)
        self.assertEqual(client.model(fresh=True)["weights"], many.model(fresh=True)["weights"])
        self.assertNotEqual(client.model()["weights"], [0] * 5)

    def test_requests_share_one_connection_which_is_opened_again_when_the_daemon_closed_it(self):
        daemon = self.start(*SMALL)
        client = self.of(daemon, retries=0)
        client.ask()
        connected = client._connection.sock
        for _ in range(5):
            client.ask()
        self.assertIs(client._connection.sock, connected)
        connected.shutdown(socket.SHUT_RDWR)  # as a daemon that is tired of waiting: the end is to be read
        self.assertEqual(len(client.ask()), 1)
        self.assertIsNot(client._connection.sock, connected)

    def test_a_body_that_is_too_large_is_told_as_that(self):
        client = self.of(self.start(*SMALL, "--max-body", "64KiB"))
        with self.assertRaises(InvalidRequest) as caught:
            client.predict([[0.123456789] * 4] * 20000)
        self.assertEqual((caught.exception.status, caught.exception.code), (413, "too_large"))
        self.assertEqual(len(client.ask()), 1)

    def test_the_manual_prints_what_it_says(self):
        with open(os.path.join(os.path.dirname(glimpsed.client.__file__), "README.md"), encoding="utf-8") as file:
            manual = file.read()
        program = re.search(r"```python\n(.*?)```", manual, re.DOTALL).group(1)
        printed = re.search(r"It prints:\n\n((?:    .*\n)+)", manual).group(1)
        url = self.named("--state-directory", self.path("state")).url
        self.assertIn('"http://127.0.0.1:9318"', program)
        done = subprocess.run([sys.executable, "-B", "-c", program.replace("http://127.0.0.1:9318", url)],
                              env={**os.environ, "PYTHONPATH": TOOLS}, capture_output=True, check=False,
                              timeout=DEADLINE)
        self.assertEqual([line.rstrip() for line in done.stdout.decode().splitlines()],
                         [line[4:] for line in printed.splitlines()], done.stderr)

    def test_threads_share_a_client(self):
        client = self.named()
        failures = []

        def buy():
            for _ in range(30):
                plan = client.ask()[0]
                told = client.tell(plan, 1, [0.5] * len(plan.attributes))
                if (told.id, told.status) != (plan.id, "learned"):
                    failures.append(told)

        threads = [threading.Thread(target=buy) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(client.status()["examples"], 120)


if __name__ == "__main__":
    unittest.main(verbosity=2)
