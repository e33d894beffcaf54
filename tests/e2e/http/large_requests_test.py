"""Requests whose bodies are worked off in parts: that they answer as if they were not, what a client that goes away
leaves behind, and what SIGTERM does amid one."""

import json
import signal
import threading
import unittest

from harness import SANITIZERS, SMALL, TestCase, csv, examples, f32, ndjson, svmlight, until, vw

ROWS = 4000 if SANITIZERS else 20000  # some hundred KiB to some MiB in each format
MANY = (2 << 17) if SANITIZERS else (14 << 17)  # lines that take a while to learn


def predictions(answer):
    assert answer.status == 200, answer.body[:300]
    return answer.json()["predictions"]


class LargeRequests(TestCase):
    def learned(self, *arguments):
        daemon = self.start(*SMALL, *arguments)
        self.assertEqual(daemon.post("/v1/learn", ndjson(examples(300))).status, 200)
        return daemon

    def test_predictions_of_a_large_body_are_those_of_small_ones_in_every_format(self):
        daemon = self.learned()
        rows = examples(ROWS, seed=5)
        small = []
        for begin in range(0, 1000, 100):
            small += predictions(daemon.post("/v1/predict?format=svmlight", svmlight(rows[begin:begin + 100])))
        bodies = {"svmlight": svmlight(rows), "vw": vw(rows), "csv": csv(rows), "f32": f32(rows), "json": ndjson(rows),
                  "auto": vw(rows)}
        for name, body in bodies.items():
            answer = daemon.post(f"/v1/predict?format={name}", body)
            self.assertEqual(predictions(answer)[:1000], small, name)
            self.assertEqual((len(predictions(answer)), answer.json()["examples"]), (ROWS, 300), name)
        array = json.dumps([{"values": x} for _, x in rows])
        self.assertEqual(predictions(daemon.post("/v1/predict", array))[:1000], small)
        known = "".join(json.dumps({"known": {str(i): v for i, v in enumerate(x)}}) + "\n" for _, x in rows)
        parts = [daemon.post("/v1/predict", "".join(known.splitlines(True)[b:b + 100])).json() for b in range(0, 500, 100)]
        whole = daemon.post("/v1/predict", known)
        for key in ("predictions", "standard_errors"):
            self.assertEqual(len(whole.json()[key]), ROWS)
            self.assertEqual(whole.json()[key][:500], sum((part[key] for part in parts), []))
        self.assertEqual(whole.json()["examples"], 300)

    def test_an_error_in_a_large_body_keeps_its_number(self):
        daemon = self.learned()
        good = svmlight(examples(ROWS))
        for path, bad in (("/v1/predict?format=svmlight", "example"), ("/v1/learn?format=svmlight", "line")):
            answer = daemon.post(path, good + "oops\n" + good)
            self.assertIn(f'{bad}": {ROWS + 1}' if answer.status == 200 else f"{bad} {ROWS + 1}: ", json.dumps(answer.json()))
        known = '{"known":{"0":1}}\n' * ROWS
        answer = daemon.post("/v1/predict", known + '{"known":{"9":1}}\n')
        self.assertEqual((answer.status, answer.error()), (422, "invalid_known"))
        self.assertIn(f"example {ROWS + 1}: ", answer.json()["error"]["message"])
        answer = daemon.post("/v1/predict", known + "5\n")
        self.assertEqual((answer.status, answer.error()), (400, "invalid_example"))
        self.assertIn(f"example {ROWS + 1}: must be", answer.json()["error"]["message"])
        for body in ("[" + "[1,2,3,4]," * ROWS, "[" * 100000):
            for path in ("/v1/predict", "/v1/learn"):
                self.assertEqual(daemon.post(path, body).status, 400)
        self.assertEqual(daemon.status()["examples"], 300 + 2 * ROWS)

    def test_all_predictions_of_a_body_are_of_one_model_while_others_teach(self):
        for algorithm in (("pairwise",), ("aelr", "--radius", 10)):
            daemon = self.start(*SMALL, "--algorithm", *algorithm)
            daemon.post("/v1/learn", ndjson(examples(300)))
            ended = threading.Event()

            def teach():
                seed = 10
                while not ended.is_set():
                    seed += 1
                    daemon.post("/v1/learn?format=svmlight", svmlight([(9 * y, x) for y, x in examples(500, seed=seed)]))

            teacher = threading.Thread(target=teach)
            teacher.start()
            try:
                seen = set()
                for _ in range(100):
                    before = daemon.status()["examples"]
                    answer = daemon.post("/v1/predict?format=svmlight", "? 1:0.5 4:-0.25\n" * 200000)
                    self.assertEqual(len(set(predictions(answer))), 1, algorithm)
                    seen.add(answer.json()["examples"])
                    until(lambda: daemon.status()["examples"] > before, "learning goes on")
                    if len(seen) > 2:
                        break
            finally:
                ended.set()
                teacher.join()
            self.assertGreater(len(seen), 1, algorithm)  # each body has the model of its time
            daemon.discard()

    def test_learning_from_a_body_in_parts_is_learning_from_it_whole(self):
        rows = examples(ROWS)
        one = self.start(*SMALL)
        self.assertEqual(one.post("/v1/learn?format=svmlight", svmlight(rows)).json()["accepted"], ROWS)
        other = self.start(*SMALL)
        for begin in range(0, ROWS, 1000):
            other.post("/v1/learn?format=svmlight", svmlight(rows[begin:begin + 1000]))
        self.assertEqual(one.model(), other.model())

    def test_a_stream_has_its_turns_beside_a_large_body_to_learn(self):
        daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0", "--format", "svmlight", "--queue", "32MiB")
        daemon.post("/v1/learn", ndjson(examples(300)))
        body = "1 1:0.5\n" * MANY
        answers = []
        sender = threading.Thread(target=lambda: answers.append(daemon.post("/v1/learn?format=svmlight", body)))
        sender.start()
        daemon.wait_examples(5000)
        with daemon.client() as client:  # labelled and unlabelled: in turn with everybody
            client.send("1 1:1\n? 1:1\n")
            float(client.line())
            self.assertLess(daemon.status()["examples"], 300 + MANY)
        sender.join()
        self.assertEqual(answers[0].json()["accepted"], MANY)

    def test_a_client_that_goes_away_ends_its_predictions(self):
        for body in (b"1\n" * (1 << 23), b'{"known":{}}\n' * (1 << 20)):
            count = body.count(b"\n")
            daemon = self.learned()
            connection = daemon.connection()
            path = "/v1/predict" if b"known" in body else "/v1/predict?format=svmlight"
            connection.request("POST", path, body=body[:(16 << 20)])
            until(lambda: daemon.status()["predictions"] > 0, "it has begun")
            connection.close()

            def stands():
                before = daemon.status()["predictions"]
                daemon.post("/v1/predict?format=svmlight", b"1\n" * 20000)  # has its turns beside the other
                return daemon.status()["predictions"] == before + 20000

            until(stands, "nothing else predicts")
            self.assertLess(daemon.status()["predictions"], count // 2)
            daemon.discard()

    def ask(self, daemon, count):
        answer = daemon.post("/v1/ask", json.dumps({"count": count}))
        self.assertEqual(answer.status, 200, answer.body[:300])
        return answer.json()["plans"]

    def told(self, plans):
        return "".join(json.dumps({"id": p["id"], "label": 1, "values": [0.5] * len(p["attributes"])}) + "\n" for p in plans)

    def test_a_large_batch_of_tells_is_told_once_and_in_order(self):
        daemon = self.start(*SMALL, "--max-plans", 20000)
        plans = self.ask(daemon, 10000)
        body = self.told(plans)
        lines = body.splitlines(True)
        lines.insert(5000, "oops\n")
        answer = daemon.post("/v1/tell", "".join(lines)).json()
        self.assertEqual(answer["learned"], 10000)
        self.assertEqual([r["status"] for r in answer["results"]], ["learned"] * 5000 + ["invalid"] + ["learned"] * 5000)
        self.assertEqual([r["id"] for r in answer["results"] if r["id"]], [p["id"] for p in plans])
        again = daemon.post("/v1/tell", "[" + ",".join(body.splitlines()) + "]").json()
        self.assertEqual((again["learned"], {r["status"] for r in again["results"]}), (0, {"duplicate"}))
        self.assertEqual(daemon.status()["examples"], 10000)

    def test_reasons_are_told_for_the_first_thousand_items_that_cannot_be_read(self):
        daemon = self.start(*SMALL)
        results = daemon.post("/v1/tell", "nonsense\n" * 3000).json()["results"]
        self.assertEqual([r["status"] for r in results], ["invalid"] * 3000)
        self.assertEqual(["message" in r for r in results], [True] * 1000 + [False] * 2000)

    def test_junk_of_more_items_than_its_bytes_could_tell_of_is_refused(self):
        daemon = self.start(*SMALL)
        for body in ("x\n" * 100000, "[" + "{}," * 100000 + "{}]"):
            answer = daemon.post("/v1/tell", body)
            self.assertEqual((answer.status, answer.error()), (400, "invalid_tell"))
            self.assertIn("on average shorter than any item", answer.json()["error"]["message"])

    def test_sigterm_amid_a_batch_of_tells_lets_it_end_and_keeps_all_of_it(self):
        state = ("--state-directory", self.path("state"), "--max-plans", 20000)
        daemon = self.start(*SMALL, *state)
        body = self.told(self.ask(daemon, 20000))
        answers = []
        sender = threading.Thread(target=lambda: answers.append(daemon.post("/v1/tell", body)))
        sender.start()
        daemon.wait_examples(1)
        self.assertEqual(daemon.stop(), 0)
        sender.join()
        self.assertEqual(answers[0].json()["learned"], 20000)
        again = self.start(*SMALL, *state)
        self.assertEqual(again.status()["examples"], 20000)
        self.assertEqual(again.post("/v1/tell", body).json()["learned"], 0)

    def test_sigterm_amid_a_body_to_learn_lets_it_end(self):
        state = ("--state-directory", self.path("state"))
        daemon = self.start(*SMALL, *state)
        count = 1 << 20
        answers = []
        sender = threading.Thread(
            target=lambda: answers.append(daemon.post("/v1/learn?format=svmlight", "1 1:0.5\n" * count)))
        sender.start()
        daemon.wait_examples(1)
        self.assertEqual(daemon.stop(), 0)
        sender.join()
        self.assertEqual(answers[0].json()["accepted"], count)
        self.assertEqual(self.start(*SMALL, *state).status()["examples"], count)

    def test_sigterm_amid_predictions_says_so(self):
        daemon = self.learned()
        answers = []
        sender = threading.Thread(target=lambda: answers.append(daemon.post("/v1/predict?format=svmlight", "1\n" * (1 << 23))))
        sender.start()
        until(lambda: daemon.status()["predictions"] > 0, "it has begun")
        daemon.send_signal(signal.SIGTERM)
        sender.join()
        self.assertEqual(daemon.wait(), 0)
        self.assertIn(answers[0].status, (200, 503))  # 200: it was quicker
        if answers[0].status == 503:
            self.assertEqual(answers[0].error(), "stopping")

    def test_an_ask_for_many_names_is_answered_as_a_short_one_is(self):
        daemon = self.start("--dimension", 100000, "--budget", 3, "--algorithm", "aelr", "--radius", 10, "--seed", 7)
        names = list(range(50000))
        answer = daemon.post("/v1/ask", json.dumps({"available": names, "count": 2}))
        self.assertEqual(answer.status, 200, answer.body[:300])
        for plan in answer.json()["plans"]:
            self.assertLess(max(plan["attributes"]), 50000)
        for bad, message in (([7], "attribute 7 is named twice"), ([100000], "100000"), (["nobody"], "nobody")):
            answer = daemon.post("/v1/ask", json.dumps({"available": names + bad}))
            self.assertEqual((answer.status, answer.error()), (422, "unknown_attribute"))
            self.assertIn(message, answer.json()["error"]["message"])

    def test_a_large_model_comes_whole_with_its_names(self):
        count = 40000
        daemon = self.start("--dimension", count, "--budget", 3, "--algorithm", "aelr", "--radius", 10, "--attributes",
                            self.write("names", "".join(f"n{i}\n" for i in range(count))))
        daemon.post("/v1/learn?format=svmlight", "1 1:1 40000:1\n" * 100)
        model = daemon.get("/v1/model").json()
        self.assertEqual((len(model["weights"]), model["names"]), (count, [f"n{i}" for i in range(count)]))
        moments = daemon.get("/v1/moments").json()["moments"]
        self.assertEqual([(m["attribute"], m["name"]) for m in moments], [(i, f"n{i}") for i in range(count)])
        self.assertEqual(daemon.get("/v1/moments?format=csv").body.count(b"\n"), count + 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
