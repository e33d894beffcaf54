"""Promotion: an older model takes the place of the newest; positions stay, and it outlives kill -9 bit for bit."""

import json
import os
import resource
import unittest

from harness import SMALL, StreamClient, examples, ndjson, until, vw
from locked_support import READER, TEACHER, WRITER, Locked, bearer

NEVER = ("--checkpoint-every", 0, "--checkpoint-examples", 10**9, "--checkpoint-keep", 20)
DIMENSION = ("--dimension", 4, "--budget", 3, "--seed", 7)
LEARNERS = {
    "pairwise inline": ("--algorithm", "pairwise", "--solver", "inline"),
    "pairwise in the background": ("--algorithm", "pairwise", "--solver", "background"),
    "pairwise-screened": ("--algorithm", "pairwise-screened", "--solver", "background"),
    "two phases": ("--algorithm", "two-phase-ddaerr", "--radius", 2, "--phase1", 250),
    "exponentiated": ("--algorithm", "aelr", "--radius", 2),
    "apple": ("--algorithm", "apple"),
    "held out": ("--algorithm", "aerr", "--radius", 2, "--hold-out", "10%"),
}
FOUR = (*DIMENSION, *LEARNERS["pairwise inline"])


def core(daemon, path="/v1/model?fresh=true"):
    """The model without what tells of time."""
    answer = daemon.get(path)
    assert answer.status == 200, answer.body
    return {name: value for name, value in answer.json().items() if "age" not in name}


def tensors(daemon):
    """The bytes of the model's arrays."""
    body = daemon.get("/v1/model?format=safetensors").body
    return body[8 + int.from_bytes(body[:8], "little"):]


class Promote(Locked):
    def begin(self, *arguments, options=FOUR, state="state"):
        return self.start(*options, *NEVER, "--state-directory", self.path(state), *arguments)

    def test_what_comes_is_learned_as_from_that_checkpoint_to_the_bit(self):
        rows = examples(700)
        for called, learner in LEARNERS.items():
            with self.subTest(learner=called):
                options, state = (*DIMENSION, *learner), called.replace(" ", "-")
                daemon = self.begin(options=options, state=state)
                daemon.post("/v1/learn", ndjson(rows[:200]))
                name = daemon.post("/v1/checkpoint").json()["name"]
                at_200 = core(daemon)
                daemon.post("/v1/learn", ndjson(rows[200:400]))
                self.assertNotEqual(core(daemon), at_200)
                answer = daemon.post("/v1/promote?checkpoint=" + name)
                self.assertEqual(answer.status, 200, answer.body)
                held = daemon.status()["held_out_examples"]
                counts = answer.json()
                self.assertEqual((counts["promoted"], counts["frozen"]), (name, False))
                self.assertGreater(counts["replaced_examples"], counts["examples"])
                self.assertRegex(counts["checkpoint"], r"^checkpoint-0{10}\d\d-\d+\.safetensors$")
                self.assertEqual(core(daemon), at_200)
                daemon.post("/v1/learn", ndjson(rows[400:600]))
                daemon.post("/v1/checkpoint")
                daemon.kill()
                daemon = self.begin(options=options, state=state)
                daemon.post("/v1/learn", ndjson(rows[600:]))
                plain = self.begin("--restore", self.path(state, name), options=options, state=state + "-plain")
                self.assertEqual(plain.status()["held_out_examples"], held)
                plain.post("/v1/learn", ndjson(rows[400:600]))
                plain.post("/v1/learn", ndjson(rows[600:]))
                self.assertEqual(core(daemon), core(plain))
                for field in ("examples", "attributes_revealed", "progressive_loss", "recent_loss", "held_out_examples",
                              "held_out_loss", "phase"):
                    self.assertEqual(daemon.status()[field], plain.status()[field], field)
                daemon.kill()
                plain.kill()

    def test_kill_9_behind_the_answer_comes_back_with_the_older_model(self):
        rows = examples(300)
        daemon = self.begin()
        daemon.post("/v1/learn", ndjson(rows[:100]))
        name = daemon.post("/v1/checkpoint").json()["name"]
        before = daemon.model()
        daemon.post("/v1/learn", ndjson(rows[100:]))
        newest = core(daemon)
        answer = daemon.post("/v1/promote?checkpoint=" + name).json()
        undone = daemon.post("/v1/promote?checkpoint=" + answer["replaced_checkpoint"]).json()
        self.assertEqual((undone["examples"], core(daemon)), (300, newest))
        daemon.post("/v1/promote?checkpoint=" + name)
        daemon.kill()
        daemon = self.begin()
        self.assertEqual(core(daemon)["weights"], json.loads(before)["weights"])
        status = daemon.status()
        self.assertEqual((status["examples"], status["promotions"], status["promoted_checkpoint"]), (100, 3, name))
        self.assertIn("\nglimpse_promotions_total 3\n", daemon.get("/metrics").body.decode())
        # A second one counts on.
        answer = daemon.post("/v1/promote?checkpoint=" + name).json()
        self.assertEqual((answer["examples"], answer["replaced_examples"]), (100, 100))
        self.assertEqual(daemon.status()["promotions"], 4)
        daemon.stop()
        daemon.wait_log(r"warning promoted checkpoint-\S+: its model of 100 examples takes the place of one of "
                         r"100; what came since is not learned again \(POST /v1/promote\)")

    def test_a_promotion_that_cannot_be_written_leaves_the_newer_model_as_it_was(self):
        rows = examples(300)
        for called in ("pairwise inline", "pairwise in the background", "exponentiated"):
            with self.subTest(learner=called):
                options, state = (*DIMENSION, *LEARNERS[called]), called.replace(" ", "-")
                daemon = self.begin(options=options, state=state)
                plain = self.start(*options)
                daemon.post("/v1/learn", ndjson(rows[:100]))
                name = daemon.post("/v1/checkpoint").json()["name"]
                daemon.post("/v1/learn", ndjson(rows[100:200]))
                plain.post("/v1/learn", ndjson(rows[:200]))
                newest = core(daemon)
                limits = resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
                answer = daemon.post("/v1/promote?checkpoint=" + name)
                self.assertEqual((answer.status, answer.error()), (503, "not_promoted"), answer.body)
                self.assertIn("nothing was promoted", answer.json()["error"]["message"])
                self.assertEqual(core(daemon), newest)
                status = daemon.status()
                self.assertEqual((status["examples"], status["promotions"], status["promoted_checkpoint"]), (200, 0, None))
                daemon.post("/v1/learn", ndjson(rows[200:]))
                plain.post("/v1/learn", ndjson(rows[200:]))
                self.assertEqual(core(daemon), core(plain))
                resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, limits)
                self.assertEqual(daemon.post("/v1/promote?checkpoint=" + name).status, 200)
                self.assertEqual(daemon.status()["examples"], 100)
                daemon.kill()
                plain.kill()

    def test_positions_stay_so_that_no_record_is_learned_twice(self):
        rows = examples(400)
        daemon = self.begin("--listen", f"unix:{self.path('stream')}")
        with StreamClient(f"unix:{self.path('stream')}") as client:
            self.assertEqual(client.ask("#glimpse source=a\n"), "resume 0\n")
            client.send(vw(rows[:100]))
            daemon.wait_examples(100)
            name = daemon.post("/v1/checkpoint").json()["name"]
            client.send(vw(rows[100:200]))
            daemon.wait_examples(200)
            daemon.post("/v1/promote?checkpoint=" + name)
            self.assertEqual(daemon.status()["examples"], 100)
            client.send(vw(rows[200:300]))  # the connection goes on as if nothing had happened
            client.finish()
        daemon.wait_examples(200)
        daemon.post("/v1/checkpoint")
        daemon.kill()
        daemon = self.begin("--listen", f"unix:{self.path('stream')}")
        with StreamClient(f"unix:{self.path('stream')}") as client:
            self.assertEqual(client.ask("#glimpse source=a\n"), "resume 300\n")
            client.send(vw(rows[300:]))
            client.finish()
        daemon.wait_examples(300)
        plain = self.start(*FOUR)
        plain.post("/v1/learn", ndjson(rows[:100]))
        plain.post("/v1/learn", ndjson(rows[200:]))
        self.assertEqual(core(daemon), core(plain))

    def test_amid_a_file_the_rest_is_learned_by_the_older_model(self):
        rows = examples(20000)
        daemon = self.begin()
        daemon.post("/v1/learn", ndjson(rows[:50]))
        name = daemon.post("/v1/checkpoint").json()["name"]
        daemon.stop()
        path = self.write("rows.vw", vw(rows[50:]))
        daemon = self.begin("--input", path, "--serve")
        answer = daemon.post("/v1/promote?checkpoint=" + name).json()
        learned = answer["replaced_examples"] - 50  # of the file
        daemon.kill()
        daemon = self.begin("--input", path, "--serve")
        left = len(rows) - 50 - learned
        until(lambda: daemon.status()["examples"] == 50 + left, "the rest of the file is read")
        plain = self.start(*FOUR)
        plain.post("/v1/learn", ndjson(rows[:50]))
        plain.post("/v1/learn", ndjson(rows[50 + learned:]))
        self.assertEqual(core(daemon), core(plain))

    def test_a_frozen_daemon_serves_an_older_model_and_nothing_changes_it(self):
        rows = examples(400)
        daemon = self.begin("--listen", f"unix:{self.path('stream')}", "--replies", "all")
        daemon.post("/v1/learn", ndjson(rows[:100]))
        name = daemon.post("/v1/checkpoint").json()["name"]
        at_100 = core(daemon)
        daemon.post("/v1/learn", ndjson(rows[100:200]))
        daemon.post("/v1/freeze")
        self.assertIs(daemon.post("/v1/promote?checkpoint=" + name).json()["frozen"], True)
        before = tensors(daemon)
        self.assertGreaterEqual(len(before), 4 * 8)
        daemon.post("/v1/learn", ndjson(rows[200:300]))
        with daemon.client("unix") as client:
            replies = client.ask("1 | 0:1 1:0.5\n"), client.ask("| 0:1 1:0.5\n")
            self.assertEqual(replies[0], replies[1])
        prediction = daemon.post("/v1/predict", '[{"values": {"0": 1, "1": 0.5}}]').json()["predictions"][0]
        self.assertAlmostEqual(float(replies[1]), prediction, delta=1e-5)
        self.assertEqual(core(daemon), at_100)
        self.assertEqual(tensors(daemon), before)
        self.assertEqual(daemon.status()["frozen_examples"], 101)
        daemon.post("/v1/checkpoint")
        daemon.kill()
        daemon = self.begin()
        status = daemon.status()
        self.assertEqual((status["frozen"], status["frozen_examples"], status["examples"]), (True, 101, 100))
        self.assertEqual(core(daemon), at_100)

    def test_plans_that_are_open_stay_and_money_stays_spent(self):
        daemon = self.begin("--total-budget", 310, options=SMALL)
        daemon.post("/v1/learn", ndjson(examples(50)))
        name = daemon.post("/v1/checkpoint").json()["name"]
        daemon.post("/v1/learn", ndjson(examples(50)))
        spent = daemon.status()["attributes_revealed"]
        plan = daemon.post("/v1/ask", "{}").json()["plans"][0]
        daemon.post("/v1/promote?checkpoint=" + name)
        status = daemon.status()
        self.assertEqual((status["plans_open"], status["examples"]), (1, 50))
        self.assertLess(status["attributes_revealed"], spent)
        daemon.kill()
        daemon = self.begin("--total-budget", 310, options=SMALL)
        told = {"id": plan["id"], "label": 1, "values": [0.5] * len(plan["attributes"])}
        self.assertEqual(daemon.post("/v1/tell", json.dumps(told)).json()["status"], "learned")
        # Of 310 attributes 2 an example went into 101 examples: 54 more can be bought, whatever the counts say.
        each = spent // 100
        rest = (310 - spent - each) // each
        learned = daemon.post("/v1/learn", ndjson(examples(200))).json()
        self.assertEqual((learned["accepted"], learned["beyond_budget"]), (rest, 200 - rest))

    def test_names_that_came_since_stay_and_others_are_refused(self):
        options = ("--budget", 2, "--seed", 7, "--algorithm", "pairwise", "--dimension", 3)

        def rows(words):
            return "".join(f'{{"label": {i % 2}, "values": {{"a": {i}, "b": 2, "sex": "{words[i % len(words)]}"}}}}\n'
                           for i in range(50))

        def learn(daemon, words):
            self.assertEqual(daemon.post("/v1/learn", rows(words)).json()["accepted"], 50)

        daemon = self.begin(options=options)
        learn(daemon, "MF")
        name = daemon.post("/v1/checkpoint").json()["name"]
        learn(daemon, "XMF")
        self.assertEqual(daemon.post("/v1/promote?checkpoint=" + name).status, 200)
        model = daemon.get("/v1/model?fresh=true").json()
        self.assertEqual((model["examples"], {n for n in model["names"] if "=" in n}), (50, {"sex=M", "sex=F"}))
        learn(daemon, "YX")  # X has a code of before; its weight comes with the model of now
        plain = self.begin("--restore", self.path("state", name), options=options, state="plain")
        learn(plain, "YX")

        def named(daemon):  # models list words by their codes
            model = core(daemon)
            return dict(zip(model["names"], model["weights"])), model["bias"]

        self.assertEqual(named(daemon), named(plain))
        self.assertEqual({n for n in core(daemon)["names"] if "=" in n}, {"sex=M", "sex=F", "sex=X", "sex=Y"})
        daemon.post("/v1/checkpoint")
        daemon.kill()
        daemon = self.begin(options=options)
        self.assertEqual(daemon.status()["examples"], 100)
        daemon.stop()
        other = self.begin(options=options, state="other")
        other.post("/v1/learn", '{"label": 1, "values": {"b": 1, "a": 1}}\n')
        with open(self.path("state", name), "rb") as file:
            taken = file.read()
        with open(self.path("other", "checkpoint-000000000099-7.safetensors"), "wb") as file:
            file.write(taken)
        answer = other.post("/v1/promote?checkpoint=7")
        self.assertEqual((answer.status, answer.error()), (409, "other_options"))
        self.assertIn("its attribute 0 is called 'a', and now 'b'", answer.json()["error"]["message"])
        self.assertEqual(other.status()["promotions"], 0)

    def test_what_cannot_be_promoted_is_refused_and_changes_nothing(self):
        daemon = self.begin()
        daemon.post("/v1/learn", ndjson(examples(100)))
        name = daemon.post("/v1/checkpoint").json()["name"]
        model = core(daemon)
        damaged = "checkpoint-000000000050-9.safetensors"
        with open(self.path("state", name), "rb") as file:
            taken = bytearray(file.read())
        taken[len(taken) // 2] ^= 1
        with open(self.path("state", damaged), "wb") as file:
            file.write(taken)
        os.symlink(self.path("state", name), self.path("state", "checkpoint-000000000051-8.safetensors"))
        for query, status, code, words in (
                ("", 400, "invalid_request", "needs checkpoint=NAME"),
                ("?checkpoint=", 400, "invalid_checkpoint", "must be a checkpoint's name, like"),
                ("?checkpoint=../state/" + name, 400, "invalid_checkpoint", "without a folder"),
                ("?checkpoint=%2e%2e%2f" + name, 400, "invalid_checkpoint", "without a folder"),
                ("?checkpoint=12", 404, "unknown_checkpoint", "no checkpoint of 12 examples"),
                ("?checkpoint=checkpoint-000000000077-5.safetensors", 404, "unknown_checkpoint", "GET /v1/checkpoints"),
                ("?checkpoint=" + damaged, 409, "damaged_checkpoint", "take another one"),
                ("?checkpoint=checkpoint-000000000051-8.safetensors", 409, "damaged_checkpoint", "link"),
                ("?name=" + name, 400, "unknown_parameter", "'name'"),
                (f"?checkpoint={name}&fresh=true", 400, "unknown_parameter", "'fresh'")):
            with self.subTest(query=query):
                answer = daemon.post("/v1/promote" + query)
                self.assertEqual((answer.status, answer.error()), (status, code), answer.body)
                self.assertIn(words, answer.json()["error"]["message"])
        answer = daemon.post("/v1/promote?checkpoint=" + name, "{}")
        self.assertEqual((answer.status, answer.error()), (400, "invalid_request"))
        self.assertEqual((core(daemon), daemon.status()["promotions"]), (model, 0))
        without = self.start(*FOUR)
        for method, path in (("POST", "/v1/promote?checkpoint=1"), ("GET", "/v1/checkpoints"),
                             ("GET", "/v1/model?checkpoint=1")):
            answer = without.request(method, path)
            self.assertEqual((answer.status, answer.error()), (409, "unavailable"))
            self.assertIn("--state-directory", answer.json()["error"]["message"])

    def test_who_may_promote_and_who_may_look(self):
        daemon = self.on_tcp("--token-file", self.tokens(), "--state-directory", self.path("state"))
        self.ask(daemon, "POST", "/v1/learn", ndjson(examples(3)), bearer(TEACHER))
        status, body = self.ask(daemon, "POST", "/v1/checkpoint", None, bearer(TEACHER))
        name = json.loads(body)["name"]
        promote = f"/v1/promote?checkpoint={name}"
        self.assertEqual(self.ask(daemon, "POST", promote)[0], 401)
        for token, may in ((READER, "read only"), (TEACHER, "read and teach only")):
            status, body = self.ask(daemon, "POST", promote, headers=bearer(token))
            self.assertEqual(status, 403)
            self.assertRegex(body, f"this token may {may}, and POST /v1/promote.* needs one that may write")
            for method, path, sent in (("GET", "/v1/checkpoints", None), ("GET", f"/v1/model?checkpoint={name}", None),
                                       ("POST", f"/v1/predict?checkpoint={name}", '[{"values": {"0": 1}}]')):
                self.assertEqual(self.ask(daemon, method, path)[0], 401)
                self.assertEqual(self.ask(daemon, method, path, sent, bearer(token))[0], 200, path)
        self.assertEqual(self.ask(daemon, "POST", promote, headers=bearer(WRITER))[0], 200)


if __name__ == "__main__":
    unittest.main()
