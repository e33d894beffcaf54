"""Freezing: nothing is learned, what comes is judged and counted once, and it outlives kill -9 and restarts."""

import json
import re
import unittest

from harness import SMALL, StreamClient, examples, ndjson, until, vw
from locked_support import READER, TEACHER, WRITER, Locked, bearer

FOUR = ("--dimension", 4, "--budget", 3, "--seed", 7, "--algorithm", "pairwise", "--solver", "inline")


def weights(daemon):
    model = json.loads(daemon.model())
    return model["bias"], model["weights"]


class Freeze(Locked):
    def begin(self, *arguments, options=FOUR):
        return self.start(*options, "--state-directory", self.path("state"), *arguments)

    def test_while_frozen_nothing_is_learned_and_what_comes_is_judged(self):
        daemon = self.begin()
        rows = examples(600)
        daemon.post("/v1/learn", ndjson(rows[:200]))
        before = weights(daemon)
        answer = daemon.post("/v1/freeze").json()
        self.assertEqual((answer["frozen"], answer["examples"]), (True, 200))
        self.assertRegex(answer["checkpoint"], r"^checkpoint-\d{12}-200\.safetensors$")
        self.assertEqual(daemon.post("/v1/freeze").json(), answer)  # asked twice it changes nothing
        predictions = daemon.post("/v1/predict", ndjson(rows[200:300])).json()["predictions"]
        learned = daemon.post("/v1/learn", ndjson(rows[200:300])).json()
        self.assertEqual((learned["accepted"], learned["skipped"], learned["frozen"]), (0, 100, 100))
        status = daemon.status()
        self.assertIs(status["frozen"], True)
        self.assertEqual((status["examples"], status["frozen_examples"], status["frozen_values"]), (200, 100, 400))
        loss = sum((p - y) ** 2 for p, (y, _) in zip(predictions, rows[200:300])) / 100
        self.assertAlmostEqual(status["frozen_loss"], loss, delta=1e-9)
        mean = sum(y for y, _ in rows[200:300]) / 100
        of_mean = sum((mean - y) ** 2 for y, _ in rows[200:300]) / 100
        self.assertAlmostEqual(status["frozen_r2"], 1 - loss / of_mean, delta=1e-9)
        self.assertEqual(weights(daemon), before)
        metrics = daemon.get("/metrics").body.decode()
        self.assertIn("\nglimpse_frozen 1\n", metrics)
        self.assertIn("\nglimpse_frozen_examples_total 100\n", metrics)
        self.assertIs(daemon.post("/v1/unfreeze").json()["frozen"], False)
        daemon.post("/v1/learn", ndjson(rows[300:]))
        after = weights(daemon)
        self.assertIn("\nglimpse_frozen 0\n", daemon.get("/metrics").body.decode())
        daemon.stop()
        daemon.wait_log(r"warning frozen at example 200: .* nothing is learned \(POST /v1/freeze\)")
        daemon.wait_log(r"learning again at example 200: 100 labelled examples came while frozen")
        daemon.wait_log(r"while frozen: 100 labelled examples were not learned from; loss \d")
        # As if nothing had come meanwhile, to the bit.
        plain = self.start(*FOUR)
        plain.post("/v1/learn", ndjson(rows[:200]))
        plain.post("/v1/learn", ndjson(rows[300:]))
        self.assertEqual(weights(plain), after)

    def test_a_freeze_that_was_answered_outlives_kill_9_and_each_record_counts_once(self):
        rows = examples(300)
        daemon = self.begin("--listen", f"unix:{self.path('stream')}", "--checkpoint-every", 0, "--checkpoint-examples",
                            1000000)
        with StreamClient(f"unix:{self.path('stream')}") as client:
            self.assertEqual(client.ask("#glimpse source=a\n"), "resume 0\n")
            client.send(vw(rows[:100]))
            daemon.wait_examples(100)
            daemon.post("/v1/freeze")
            client.send(vw(rows[100:150]))
            client.finish()
        daemon.wait_log("frozen at example 100")
        daemon.kill()
        daemon = self.begin("--listen", f"unix:{self.path('stream')}")
        daemon.wait_log(r"frozen at example 100: .*\(as the checkpoint says; --learn on ends it\)")
        with StreamClient(f"unix:{self.path('stream')}") as client:
            inside = int(re.fullmatch(r"resume (\d+)\n", client.ask("#glimpse source=a\n")).group(1))
            self.assertGreaterEqual(inside, 100)
            client.send(vw(rows[inside:200]))
            client.finish()
        status = daemon.status()
        self.assertTrue(status["frozen"])
        daemon.post("/v1/checkpoint")
        self.assertEqual((status["examples"], status["frozen_examples"]), (100, 100))
        daemon.kill()
        # The command line wins over the checkpoint, and what was passed over is not learned any more.
        daemon = self.begin("--listen", f"unix:{self.path('stream')}", "--learn", "on")
        daemon.wait_log("--learn on: the checkpoint was made while the model was frozen; it learns again")
        with StreamClient(f"unix:{self.path('stream')}") as client:
            self.assertEqual(client.ask("#glimpse source=a\n"), "resume 200\n")
            client.send(vw(rows[200:]))
            client.finish()
        daemon.wait_examples(200)
        after = weights(daemon)
        plain = self.start(*FOUR)
        plain.post("/v1/learn", ndjson(rows[:100]))
        plain.post("/v1/learn", ndjson(rows[200:]))
        self.assertEqual(weights(plain), after)

    def test_a_freeze_amid_a_file_goes_on_behind_what_was_passed_over(self):
        rows = examples(4000)
        path = self.write("rows.vw", vw(rows))
        daemon = self.begin("--input", path, "--serve")
        daemon.post("/v1/freeze")
        daemon.post("/v1/checkpoint")
        daemon.kill()
        daemon = self.begin("--input", path, "--serve")

        def counted():
            status = daemon.status()
            return status["examples"] + status["frozen_examples"] == 4000 and status

        status = until(counted, "the file is read")
        self.assertTrue(status["frozen"])
        learned = status["examples"]
        after = weights(daemon)
        daemon.stop()
        plain = self.start(*FOUR)
        plain.post("/v1/learn", ndjson(rows[:learned]))
        self.assertEqual(weights(plain), after)

    def test_learn_off_serves_a_checkpoint_and_writes_nothing_where_there_is_no_folder(self):
        daemon = self.begin()
        rows = examples(500)
        daemon.post("/v1/learn", ndjson(rows[:300]))
        name = daemon.post("/v1/checkpoint").json()["name"]
        before = weights(daemon)
        daemon.stop()
        # Judges a file, and ends well though it learned nothing.
        path = self.write("rows.vw", vw(rows[300:]))
        status, _, error = self.run_to_end("--budget", 3, "--learn", "off", "--restore", self.path("state", name), "--input",
                                           path)
        self.assertEqual(status, 0, error)
        self.assertRegex(error, r"frozen: 200 labelled examples were not learned from; loss \S+ \+- \S+, recently")
        daemon = self.start("--budget", 3, "--learn", "off", "--restore", self.path("state", name))
        self.assertEqual(weights(daemon), before)
        answer = daemon.post("/v1/unfreeze").json()
        self.assertEqual(answer, {"frozen": False, "examples": 300, "checkpoint": None})

    def test_learn_off_without_a_checkpoint_is_refused(self):
        status, line = self.refused(*FOUR, "--learn", "off", "--state-directory", self.path("state"))
        self.assertEqual(status, 2)
        self.assertIn(f"--learn off: there is no checkpoint in --state-directory {self.path('state')} whose model could answer",
                      line)
        for arguments in ((), ("--restore", "never", "--state-directory", self.path("state"))):
            status, line = self.refused(*FOUR, "--learn", "off", *arguments)
            self.assertEqual(status, 2)
            self.assertIn("--learn off: needs a checkpoint to answer from", line)
        status, line = self.refused(*FOUR, "--learn", "perhaps")
        self.assertEqual(status, 2)

    def test_plans_wait_while_frozen(self):
        daemon = self.begin(options=SMALL)
        plan = daemon.post("/v1/ask", "{}").json()["plans"][0]
        daemon.post("/v1/freeze")
        refused = daemon.post("/v1/ask", "{}")
        self.assertEqual((refused.status, refused.error()), (409, "not_buying"))
        self.assertIn("frozen", refused.json()["error"]["message"])
        told = json.dumps({"id": plan["id"], "label": 1, "values": [0.5] * len(plan["attributes"])})
        answer = daemon.post("/v1/tell", told)
        self.assertEqual((answer.status, answer.json()["status"], answer.json()["error"]["code"]), (409, "frozen", "frozen"))
        many = daemon.post("/v1/tell", f"[{told}, {told}]").json()
        self.assertEqual([one["status"] for one in many["results"]], ["frozen", "frozen"])
        self.assertEqual(many["learned"], 0)
        # What a prediction would gain from is no learning.
        self.assertEqual(daemon.post("/v1/ask", '{"for": "prediction", "known": {"1": 0.5}}').status, 200)
        daemon.kill()
        daemon = self.begin(options=SMALL)
        self.assertEqual(daemon.status()["plans_open"], 1)
        daemon.post("/v1/unfreeze")
        self.assertEqual(daemon.post("/v1/tell", told).json()["status"], "learned")
        daemon.post("/v1/freeze")
        self.assertEqual(daemon.post("/v1/tell", told).json()["status"], "duplicate")

    def test_a_stream_is_answered_as_ever_and_names_are_not_kept(self):
        daemon = self.begin("--listen", f"unix:{self.path('stream')}", "--replies", "all", options=SMALL)
        daemon.post("/v1/learn", ndjson(examples(100)))
        daemon.post("/v1/freeze")
        with daemon.client("unix") as client:
            self.assertEqual(client.ask("| 0:1 1:0.5\n"), client.ask("1 | 0:1 1:0.5\n"))
            self.assertIn("error: line 3: ", client.ask("1 | 9:1\n"))
        self.assertEqual(daemon.status()["frozen_examples"], 1)
        self.assertEqual(daemon.status()["sources"][0]["frozen"], 1)

    def test_who_may_freeze(self):
        daemon = self.on_tcp("--token-file", self.tokens(), "--state-directory", self.path("state"))
        line = ndjson(examples(1))
        for path in ("/v1/freeze", "/v1/unfreeze"):
            self.assertEqual(self.ask(daemon, "POST", path)[0], 401)
            status, body = self.ask(daemon, "POST", path, headers=bearer(READER))
            self.assertEqual(status, 403)
            self.assertIn(f"this token may read only, and POST {path} needs one that may write", body)
            status, body = self.ask(daemon, "POST", path, headers=bearer(TEACHER))
            self.assertEqual(status, 403)
            self.assertIn(f"this token may read and teach only, and POST {path} needs one that may write", body)
            self.assertEqual(self.ask(daemon, "GET", path, headers=bearer(READER))[0], 405)
        for method, path, body in (("POST", "/v1/learn", line), ("POST", "/v1/ask", "{}"), ("POST", "/v1/checkpoint", None),
                                   ("GET", "/v1/status", None), ("DELETE", "/v1/plans/1", None)):
            self.assertNotIn(self.ask(daemon, method, path, body, bearer(TEACHER))[0], (401, 403))
        self.assertEqual(self.ask(daemon, "POST", "/v1/freeze", headers=bearer(WRITER))[0], 200)
        self.assertIs(json.loads(self.ask(daemon, "GET", "/v1/status", headers=bearer(READER))[1])["frozen"], True)

    def test_what_is_asked_otherwise_is_refused_and_freezes_nothing(self):
        daemon = self.begin()
        answer = daemon.post("/v1/freeze", '{"frozen": false}')
        self.assertEqual((answer.status, answer.error()), (400, "invalid_request"))
        answer = daemon.post("/v1/freeze?frozen=false")
        self.assertEqual((answer.status, answer.error()), (400, "unknown_parameter"))
        self.assertIs(daemon.status()["frozen"], False)


if __name__ == "__main__":
    unittest.main()
