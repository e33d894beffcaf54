"""Asking which attributes to buy and telling what they were: over HTTP, late, twice, never, and through a kill -9."""

import json
import os
import random
import signal
import unittest

from harness import TestCase, until

D, K = 20, 4
MODEL = ["--dimension", D, "--budget", K, "--serve", "--input", os.devnull]


def example(number, d=D):
    """The whole example that plan `number` is of, and its label."""
    source = random.Random(number)
    x = [source.uniform(-1, 1) for _ in range(d)]
    return x, 2 * x[0] - x[3] + 0.1 * source.gauss(0, 1)


def item(plan, number, refused=()):
    x, label = example(number)
    values = {str(i): x[i] for i in plan["attributes"] if i not in refused}
    return {"id": plan["id"], "label": label, "values": values, "refused": list(refused)}


class Plans(TestCase):
    def ask(self, daemon, path="/v1/ask", **body):
        answer = daemon.post(path, json.dumps(body))
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["plans"]

    def tell(self, daemon, items, path="/v1/tell"):
        answer = daemon.post(path, "\n".join(json.dumps(i) for i in items) + "\n")
        self.assertEqual(answer.status, 200, answer.body)
        answer = answer.json()
        return answer["results"] if "results" in answer else [answer]

    def test_pipe_and_ask_tell_are_the_same_to_the_bit(self):
        for algorithm in ("pairwise", "two-phase-ddaerr", "online-ridge", "aer", "apple"):
            with self.subTest(algorithm):
                extra = ["--radius", 5, "--step", 0.01] if algorithm == "aer" else []
                told = self.start(*MODEL, "--algorithm", algorithm, *extra)
                pushed = self.start(*MODEL, "--algorithm", algorithm, *extra)
                for number in range(150):
                    x, label = example(number)
                    pushed.post("/v1/learn", json.dumps({"label": label, "values": x}))
                    plan = self.ask(told)[0]
                    self.assertEqual(self.tell(told, [item(plan, number)])[0]["status"], "learned")
                self.assertEqual(told.model(), pushed.model())
                self.assertEqual(told.get("/v1/moments").body, pushed.get("/v1/moments").body)

    def test_ten_thousand_plans_in_any_order_through_a_kill(self):
        source = random.Random(5)
        arguments = [*MODEL, "--state-directory", self.path("state"), "--max-plans", 20000]
        daemon = self.start(*arguments)
        plans = self.ask(daemon, "/v1/ask?durable=true", count=10000)
        self.assertEqual(len(plans), 10000)
        numbers = list(range(10000))
        never = set(source.sample(numbers, 1000))
        refused = set(source.sample(numbers, 500))
        items = []
        for number in numbers:
            if number in never:
                continue
            items.append(item(plans[number], number, plans[number]["attributes"][:1] if number in refused else ()))
        source.shuffle(items)
        for again in source.sample(items, 1000):
            items.insert(source.randrange(len(items) + 1), again)

        half, kept = len(items) // 2, len(items) // 3
        batches = [items[:kept], items[kept:half], items[half:]]
        first = self.tell(daemon, batches[0], "/v1/tell?durable=true")
        second = self.tell(daemon, batches[1])  # after the checkpoint: lost with the process
        learned_first = sum(r["status"] == "learned" for r in first)
        self.assertEqual(sum(r["status"] == "learned" for r in first + second) , daemon.status()["examples"])
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()

        daemon = self.start(*arguments)
        status = daemon.status()
        self.assertEqual(status["examples"], learned_first)
        self.assertEqual(status["plans_open"], 10000 - learned_first)
        # Everything since the checkpoint is told again, and what was before it too.
        results = self.tell(daemon, batches[0] + batches[1]) + self.tell(daemon, batches[2])
        learned = [r["id"] for r in results if r["status"] == "learned"]
        self.assertEqual(len(learned), len(set(learned)))
        told = {i["id"] for i in items}
        self.assertEqual({r["status"] for r in results}, {"learned", "duplicate"})
        status = daemon.status()
        self.assertEqual(status["examples"], len(told))
        self.assertEqual(status["examples"], learned_first + len(learned))
        self.assertEqual(status["plans_open"], len(never))
        self.assertEqual(status["plans_given"], 10000)
        self.assertEqual(status["plans_learned"], len(told))
        self.assertEqual(status["attributes_revealed"], K * len(told) - len(refused - never))
        self.assertEqual(status["attributes_reserved"], K * len(never))
        self.assertEqual(status["cost_spent"], status["attributes_revealed"])

    def test_a_plan_of_a_process_that_died_before_it_was_kept_is_no_other_plan(self):
        arguments = [*MODEL, "--state-directory", self.path("state"), "--checkpoint-every", "1h"]
        daemon = self.start(*arguments)
        lost = self.ask(daemon, count=3)
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()
        daemon = self.start(*arguments)
        self.ask(daemon, count=3)
        answer = daemon.post("/v1/tell", json.dumps(item(lost[0], 0)))
        self.assertEqual((answer.status, answer.json()["status"]), (404, "unknown"))
        self.assertEqual(daemon.status()["examples"], 0)

    def test_the_label_of_a_closed_plan_outlives_a_kill(self):
        arguments = [*MODEL, "--state-directory", self.path("state")]
        daemon = self.start(*arguments)
        learned, abandoned, values_only = self.ask(daemon, count=3)
        self.tell(daemon, [{**item(learned, 0), "label": 2}, {**item(values_only, 1), "label": None}])
        daemon.request("DELETE", f"/v1/plans/{abandoned['id']}")
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        daemon.kill()
        daemon = self.start(*arguments)
        for label, message in ((2, "this plan was told before; nothing was learned twice"),
                               (3, "this plan was told before with label 2, which stays; label 3 was not learned")):
            answer = daemon.post("/v1/tell", json.dumps({"id": learned["id"], "label": label})).json()
            self.assertEqual((answer["status"], answer["message"]), ("duplicate", message))

    def test_asks_alone_are_worth_a_checkpoint(self):
        arguments = [*MODEL, "--state-directory", self.path("state"), "--checkpoint-every", "50ms"]
        daemon = self.start(*arguments)
        before = daemon.status()["checkpoint_name"]
        plan = self.ask(daemon)[0]
        until(lambda: daemon.status()["checkpoint_name"] != before, "a checkpoint is written")
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()
        daemon = self.start(*arguments)
        self.assertEqual(self.tell(daemon, [item(plan, 1)])[0]["status"], "learned")

    def test_plans_expire(self):
        daemon = self.start(*MODEL)
        plan = self.ask(daemon, ttl="1ms")[0]
        until(lambda: daemon.get("/v1/plans").json()["open"] == 0, "the plan has expired")
        answer = daemon.post("/v1/tell", json.dumps(item(plan, 0)))
        self.assertEqual((answer.status, answer.json()["status"]), (410, "expired"))
        self.assertEqual(daemon.status()["plans_expired"], 1)

    def test_open_plans_are_listed_by_pages_and_abandoned(self):
        daemon = self.start(*MODEL)
        plans = self.ask(daemon, count=25)
        seen, after = [], ""
        while after is not None:
            page = daemon.get(f"/v1/plans?limit=10&after={after}").json()
            seen += page["plans"]
            after = page["next"]
        self.assertEqual([p["id"] for p in seen], [p["id"] for p in plans])
        self.assertEqual([p["attributes"] for p in seen], [p["attributes"] for p in plans])
        first = plans[0]["id"]
        for _ in range(2):
            answer = daemon.request("DELETE", f"/v1/plans/{first}")
            self.assertEqual((answer.status, answer.json()), (200, {"id": first, "status": "abandoned"}))
        self.assertEqual(daemon.get("/v1/plans").json()["open"], 24)
        self.assertEqual(daemon.post("/v1/tell", json.dumps(item(plans[0], 0))).status, 410)
        self.assertEqual(daemon.request("DELETE", "/v1/plans/nonsense").status, 404)
        self.tell(daemon, [item(plans[1], 1)])
        answer = daemon.request("DELETE", f"/v1/plans/{plans[1]['id']}")
        self.assertEqual((answer.status, answer.error()), (409, "closed"))

    def test_one_bad_item_never_spoils_a_batch(self):
        daemon = self.start(*MODEL)
        plans = self.ask(daemon, count=6)
        good = [json.dumps(item(plan, number)) for number, plan in enumerate(plans)]
        wrong = json.dumps({"id": plans[1]["id"], "label": 1, "values": [1]})
        for text in ("[" + ",".join([good[0], "5", wrong, "{oops}", "", good[2]]) + "]",
                     "\n".join([good[3], '{"id": "', wrong, "null", good[4]]) + "\n"):
            answer = daemon.post("/v1/tell", text)
            self.assertEqual(answer.status, 200)
            statuses = [r["status"] for r in answer.json()["results"]]
            self.assertEqual((statuses[0], statuses[-1]), ("learned", "learned"))
            self.assertEqual(statuses[2], "wrong_attributes")
            self.assertEqual(statuses.count("invalid"), len(statuses) - 3)
        self.assertEqual(daemon.status()["examples"], 4)
        self.assertEqual(self.tell(daemon, [item(plans[1], 1)])[0]["status"], "learned")

    def test_every_refusal_has_a_status_a_code_and_a_sentence(self):
        daemon = self.start(*MODEL, "--max-plans", 3)
        plan = self.ask(daemon)[0]
        for method, path, body, status, code in [
            ("POST", "/v1/ask", '{"count":0}', 400, "invalid_ask"),
            ("POST", "/v1/ask", '{"count":-1}', 400, "invalid_ask"),
            ("POST", "/v1/ask", '{"count":1.5}', 400, "invalid_ask"),
            ("POST", "/v1/ask", '{"count":4}', 400, "invalid_ask"),
            ("POST", "/v1/ask", "[1]", 400, "invalid_ask"),
            ("POST", "/v1/ask", "{", 400, "invalid_ask"),
            ("POST", "/v1/ask", '{"ttl":"soon"}', 400, "invalid_ask"),
            ("POST", "/v1/ask", '{"ttl":0}', 400, "invalid_ask"),
            ("POST", "/v1/ask", '{"available":[]}', 400, "invalid_ask"),
            ("POST", "/v1/ask", '{"available":[1,1]}', 422, "unknown_attribute"),
            ("POST", "/v1/ask", '{"available":[99]}', 422, "unknown_attribute"),
            ("POST", "/v1/ask", '{"available":["age"]}', 422, "unknown_attribute"),
            ("POST", "/v1/ask?durable=maybe", "", 400, "invalid_input"),
            ("POST", "/v1/ask?durable=true", "", 409, "unavailable"),
            ("POST", "/v1/tell", "", 400, "invalid_tell"),
            ("POST", "/v1/tell", "[", 400, "invalid_tell"),
            ("POST", "/v1/tell", "[] []", 400, "invalid_tell"),
            ("POST", "/v1/tell", '{"label":1}', 400, "invalid"),
            ("POST", "/v1/tell", '{"id":"x","label":1}', 404, "unknown"),
            ("POST", "/v1/tell", '{"id":5,"label":1}', 400, "invalid"),
            ("POST", "/v1/tell", f'{{"id":"{plan["id"]}"}}', 400, "invalid"),
            ("POST", "/v1/tell", f'{{"id":"{plan["id"]}","label":1,"values":[1]}}', 422, "wrong_attributes"),
            ("POST", "/v1/tell", f'{{"id":"{plan["id"]}","label":1,"values":[1e99,1,1,1]}}', 422, "invalid_value"),
            ("POST", "/v1/tell", f'{{"id":"{plan["id"]}","label":1,"values":[1e999,1,1,1]}}', 400, "invalid"),
            ("POST", "/v1/tell", f'{{"id":"{plan["id"]}","price":1}}', 400, "invalid"),
            ("GET", "/v1/plans?limit=0", None, 400, "invalid_limit"),
            ("GET", "/v1/plans?after=x", None, 400, "invalid_id"),
            ("PUT", "/v1/plans", None, 405, "method_not_allowed"),
            ("GET", "/v1/plans/3f9a2b-1", None, 405, "method_not_allowed"),
        ]:
            with self.subTest(path + " " + str(body)):
                answer = daemon.request(method, path, body)
                error = answer.json()["error"]
                self.assertEqual((answer.status, error["code"]), (status, code), error)
                self.assertGreater(len(error["message"]), 10)
        self.ask(daemon, count=2)
        answer = daemon.post("/v1/ask", "{}")
        self.assertEqual((answer.status, answer.error()), (429, "too_many_plans"))
        self.assertEqual(daemon.status()["examples"], 0)

    def test_only_available_attributes_are_planned(self):
        for algorithm in ("pairwise", "two-phase-ddaerr", "online-ridge", "apple"):
            with self.subTest(algorithm):
                daemon = self.start(*MODEL, "--algorithm", algorithm)
                for available in ([1, 3, 5, 7, 9, 11], [2, 4], [19]):
                    for plan in self.ask(daemon, count=50, available=available):
                        self.assertLessEqual(set(plan["attributes"]), set(available))
                        if algorithm == "pairwise":
                            self.assertEqual(len(plan["attributes"]), min(K, len(available)))
                        self.assertEqual(self.tell(daemon, [item(plan, 1)])[0]["status"], "learned")
        daemon = self.start(*MODEL, "--algorithm", "aer", "--radius", 5, "--step", 0.01)
        answer = daemon.post("/v1/ask", '{"available":[1,2]}')
        self.assertEqual((answer.status, answer.error()), (409, "not_buying"))

    def test_no_plan_costs_more_than_the_limit(self):
        source = random.Random(2)
        own = [round(source.uniform(0.5, 9), 2) for _ in range(D)]
        groups = {i: "blood" for i in range(4, 9)}
        lines = [f"{i} {price} {groups.get(i, '')}" for i, price in enumerate(own)] + ["@blood 3.3"]
        prices = self.write("prices", "\n".join(lines))
        for algorithm in ("pairwise", "two-phase-ddaerr"):
            with self.subTest(algorithm):
                daemon = self.start("--dimension", D, "--serve", "--input", os.devnull, "--algorithm", algorithm,
                                    "--costs", prices, "--budget-cost", "20.5")
                daemon.wait_log(r"--budget: \d+, as many attributes as --budget-cost 20.5 can pay for")
                seen = set()
                for plan in self.ask(daemon, count=2000):
                    bill = sum(round(100 * own[i]) for i in plan["attributes"])
                    bill += 330 if set(plan["attributes"]) & set(groups) else 0
                    self.assertLessEqual(bill, 2050)
                    self.assertEqual(round(100 * plan["cost"]), bill)
                    seen |= set(plan["attributes"])
                dear = {i for i in range(D) if own[i] + (3.3 if i in groups else 0) > 10.25}
                self.assertEqual(seen, set(range(D)) - (dear if algorithm != "pairwise" else set()))
                if dear and algorithm != "pairwise":
                    daemon.wait_text("attributes are never bought")

    def test_names_of_digits_are_names_everywhere(self):
        called = ["1", "2", "0", "age"]
        names = self.write("names", "\n".join(called) + "\n")
        daemon = self.start("--attributes", names, "--budget", 3, "--serve", "--input", os.devnull)
        for _ in range(20):
            plan = self.ask(daemon)[0]
            self.assertEqual(plan["names"], [called[i] for i in plan["attributes"]])
            values = {name: i for name, i in zip(plan["names"], plan["attributes"])}
            self.assertEqual(self.tell(daemon, [{"id": plan["id"], "label": 0, "values": values}])[0]["status"],
                             "learned")
        values = {name: i for i, name in enumerate(called)}
        self.assertEqual(daemon.post("/v1/learn", json.dumps({"label": 0, "values": values})).status, 200)
        self.assertEqual(daemon.post("/v1/predict", json.dumps({"known": values})).status, 200)
        for moment in daemon.get("/v1/moments").json()["moments"]:
            self.assertEqual(moment["mean"], moment["attribute"])
        # A number without quotes, and digits that are no name, are numbers.
        for available, attribute in ((["1"], 0), ([1], 1), (["01"], 1), (["3"], 3)):
            plan = self.ask(daemon, available=available)[0]
            self.assertEqual(plan["attributes"], [attribute])
            told = {"id": plan["id"], "label": 0, "refused": available}
            self.assertIn(self.tell(daemon, [told])[0]["status"], ("learned", "not_learned"))
        for key in ("1.5", "1e0", " 1", "-0"):
            answer = daemon.post("/v1/ask", json.dumps({"available": [key]}))
            self.assertEqual((answer.status, answer.error()), (422, "unknown_attribute"), key)
            answer = daemon.post("/v1/learn", json.dumps({"label": 0, "values": {key: 1}}))
            self.assertIn("no attribute is called", str(answer.json()), key)

    def test_names_that_are_no_utf8_make_json_all_the_same(self):
        names = self.path("names")
        with open(names, "wb") as file:
            file.write(b"a\xff\nb\xc3\xa4\n")
        daemon = self.start("--attributes", names, "--budget", 2, "--serve", "--input", os.devnull)
        self.assertEqual(self.ask(daemon)[0]["names"], ["0", "b\u00e4"])
        self.assertEqual(daemon.get("/v1/model").json()["names"], ["a\ufffd", "b\u00e4"])

    def test_large_requests_are_bounded(self):
        daemon = self.start("--dimension", 1000, "--budget", 200, "--serve", "--input", os.devnull)
        known = json.dumps({"known": {str(i): 1 for i in range(1000)}})
        answer = daemon.post("/v1/predict", "\n".join([known] * 5))
        self.assertEqual((answer.status, answer.error()), (413, "too_large"))
        self.assertEqual(daemon.post("/v1/predict", "\n".join([known] * 4)).status, 200)
        plan = self.ask(daemon)[0]
        wrong = json.dumps({"id": plan["id"], "values": []})
        results = daemon.post("/v1/tell", "\n".join([wrong] * 500)).json()["results"]
        self.assertEqual(sum("expected" in r for r in results), 100)
        self.assertEqual({r["status"] for r in results}, {"wrong_attributes"})

    def test_the_limit_may_change_at_a_restart_where_the_budget_is_left_to_it(self):
        prices = self.write("prices", "* 1\n0 3\n")
        arguments = ["--dimension", D, "--serve", "--input", os.devnull, "--state-directory", self.path("state"),
                     "--costs", prices]
        daemon = self.start(*arguments, "--budget-cost", 6)
        plan = self.ask(daemon)[0]
        daemon.send_signal(signal.SIGHUP)
        daemon.wait_log("the configuration was read again")
        self.assertNotIn("cannot change", daemon.stderr)
        self.assertEqual(daemon.stop(), 0)
        daemon = self.start(*arguments, "--budget-cost", 4)
        self.assertEqual(daemon.status()["budget"], 6)
        self.assertLessEqual(self.ask(daemon)[0]["cost"], 4)
        self.assertEqual(self.tell(daemon, [item(plan, 0)])[0]["status"], "learned")

    def test_plans_expire_also_while_nobody_asks_for_them(self):
        daemon = self.start(*MODEL)
        self.ask(daemon, count=3, ttl="1ms")
        until(lambda: daemon.status()["plans_expired"] == 3, "the plans have expired")
        self.assertEqual(daemon.status()["cost_reserved"], 0)

    def test_who_waits_for_a_checkpoint_at_the_end_gets_an_answer(self):
        import threading
        daemon = self.start(*MODEL, "--state-directory", self.path("state"))
        answers, stopping, sending = [], threading.Event(), threading.Lock()

        def ask_again():
            try:
                while True:
                    connection = daemon.connection()
                    with sending:  # so that all was sent before the signal
                        if stopping.is_set():
                            return
                        connection.request("POST", "/v1/ask?durable=true", b"{}")
                    answer = connection.getresponse()
                    answer.read()
                    answers.append(answer.status)
                    connection.close()
            except OSError as error:
                answers.append(error)

        askers = [threading.Thread(target=ask_again) for _ in range(4)]
        for asker in askers:
            asker.start()
        until(lambda: len(answers) > 8, "asks are answered")
        with sending:
            stopping.set()
            daemon.send_signal(signal.SIGTERM)
        for asker in askers:
            asker.join()
        daemon.wait()
        self.assertLessEqual(set(answers), {200, 503})

    def test_costs_and_totals(self):
        prices = self.write("prices", "* 1\n0 2.5 blood\n1 2.5 blood\n@blood 4\n")
        daemon = self.start(*MODEL, "--costs", prices, "--total-cost", "100.5")
        bought, plans = 0.0, []
        while True:
            answer = daemon.post("/v1/ask", "")
            if answer.status != 200:
                break
            plan = answer.json()["plans"][0]
            own = sum(2.5 if i < 2 else 1 for i in plan["attributes"]) + (4 if min(plan["attributes"]) < 2 else 0)
            self.assertEqual(plan["cost"], own)
            bought += plan["cost"]
            plans.append(plan)
        self.assertEqual((answer.status, answer.error()), (409, "not_buying"))
        self.assertIn("100.5", answer.json()["error"]["message"])
        self.assertLessEqual(bought, 100.5)
        self.assertEqual(daemon.status()["cost_reserved"], bought)
        for number, plan in enumerate(plans):
            self.assertEqual(self.tell(daemon, [item(plan, number)])[0]["status"], "learned")
        status = daemon.status()
        self.assertEqual((status["cost_spent"], status["cost_reserved"]), (bought, 0))
        self.assertEqual(status["total_cost"], 100.5)
        self.assertIn(f"\nglimpse_cost_total {bought:g}\n", daemon.get("/metrics").body.decode())
        self.assertEqual(daemon.post("/v1/ask", "").status, 409)
        self.assertEqual(daemon.post("/v1/predict", json.dumps({"values": [0] * D})).status, 200)


if __name__ == "__main__":
    unittest.main()
