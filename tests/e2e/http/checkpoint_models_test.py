"""?checkpoint=NAME: the answers of a checkpoint beside those of the newest model."""

import json
import threading
import unittest

from harness import TestCase, examples, ndjson

OPTIONS = ("--dimension", 4, "--budget", 3, "--seed", 7, "--algorithm", "pairwise", "--checkpoint-every", 0,
           "--checkpoint-examples", 10**9, "--checkpoint-keep", 20)


def without_ages(body):
    return {name: value for name, value in json.loads(body).items() if "age" not in name}


class CheckpointModels(TestCase):
    def begin(self, *arguments, state="state"):
        return self.start(*OPTIONS, "--state-directory", self.path(state), *arguments)

    def learned(self, daemon, count=2):
        """Checkpoints of 100, 200, … examples; their names."""
        rows = examples(100 * count)
        names = []
        for i in range(count):
            daemon.post("/v1/learn", ndjson(rows[100 * i:100 * i + 100]))
            names.append(daemon.post("/v1/checkpoint").json()["name"])
        return names

    def test_the_answers_are_those_of_a_daemon_that_was_started_from_it(self):
        daemon = self.begin()
        first, second = self.learned(daemon)
        daemon.post("/v1/learn", ndjson(examples(300)[200:]))
        newest = daemon.model()
        plain = self.begin("--restore", self.path("state", first), state="plain")
        body = ndjson([(None, values) for _, values in examples(50)])
        large = body * 400  # more than a turn
        for name in (first, "100"):
            for path in ("/v1/model", "/v1/model?fresh=true", "/v1/model?errors=true", "/v1/moments"):
                answer = daemon.get(path + ("&" if "?" in path else "?") + "checkpoint=" + name)
                self.assertEqual(answer.headers["Glimpse-Checkpoint"], first)
                self.assertEqual(without_ages(answer.body), without_ages(plain.get(path).body), path)
            for path in ("/v1/model?format=csv", "/v1/moments?format=csv"):
                self.assertEqual(daemon.get(f"{path}&checkpoint={name}").body, plain.get(path).body)
            for sent in (body, large):
                self.assertEqual(daemon.post("/v1/predict?checkpoint=" + name, sent).body,
                                 plain.post("/v1/predict", sent).body)
            why = f'[{{"values": {{"0": 1, "2": 0.5}}}}]'
            self.assertEqual(daemon.post(f"/v1/predict?explain=true&checkpoint={name}&absent=unknown", why).body,
                             plain.post("/v1/predict?explain=true&absent=unknown", why).body)
            known = '{"known": {"0": 1}}'
            self.assertEqual(daemon.post(f"/v1/predict?checkpoint={name}", known).body,
                             plain.post("/v1/predict", known).body)
        status = daemon.get("/v1/status?checkpoint=" + first).json()
        self.assertEqual((status["examples"], status["progressive_loss"]),
                         (100, plain.status()["progressive_loss"]))
        self.assertEqual(daemon.get("/v1/status?checkpoint=" + second).json()["examples"], 200)
        self.assertEqual((daemon.model(), daemon.status()["examples"]), (newest, 300))
        self.assertGreaterEqual(daemon.get("/v1/model?checkpoint=100").json()["age_seconds"], 0)

    def test_they_are_listed_the_newest_first(self):
        daemon = self.begin()
        names = self.learned(daemon, 3)
        listed = daemon.get("/v1/checkpoints").json()["checkpoints"]
        self.assertEqual([(one["name"], one["examples"]) for one in listed][:3], list(zip(names[::-1], (300, 200, 100))))
        self.assertEqual(listed[3]["examples"], 0)  # of the start
        for one in listed:
            self.assertGreater(one["bytes"], 100)
            self.assertGreater(one["written_at"], 1.7e9)
        answer = daemon.get("/v1/checkpoints?limit=1")
        self.assertEqual((answer.status, answer.error()), (400, "unknown_parameter"))
        self.assertEqual(daemon.post("/v1/checkpoints").status, 405)

    def test_a_few_stay_in_memory_and_more_take_their_places(self):
        daemon = self.begin("--max-compared", 2)
        names = self.learned(daemon, 5)
        for _ in range(3):
            for i, name in enumerate(names):
                self.assertEqual(daemon.get("/v1/model?checkpoint=" + name).json()["examples"], 100 * i + 100)
        # Many at once are all answered, or told to try again.
        answers = []

        def ask(name):
            answers.append(daemon.get("/v1/model?checkpoint=" + name))

        threads = [threading.Thread(target=ask, args=(name,)) for name in names * 4]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(answers), 20)
        for answer in answers:
            self.assertIn(answer.status, (200, 503))
            if answer.status == 503:
                self.assertEqual(answer.error(), "unavailable")
                self.assertIn("try again", answer.json()["error"]["message"])
        self.assertIn(200, [answer.status for answer in answers])

    def test_limits_are_told_with_what_mends_them(self):
        daemon = self.begin("--compared-memory", 100)
        name, = self.learned(daemon, 1)
        answer = daemon.get("/v1/model?checkpoint=" + name)
        self.assertEqual((answer.status, answer.error()), (413, "checkpoint_too_large"))
        self.assertRegex(answer.json()["error"]["message"],
                         f"checkpoint '{name}': it has \\d+ bytes, .* may have 100 .* --compared-memory")
        self.assertEqual(daemon.post("/v1/promote?checkpoint=" + name).status, 200)  # which it does not bound
        daemon.stop()
        daemon = self.begin("--max-compared", 0)
        answer = daemon.get("/v1/model?checkpoint=" + name)
        self.assertEqual((answer.status, answer.error()), (503, "unavailable"))
        self.assertIn("--max-compared 1", answer.json()["error"]["message"])

    def test_only_paths_that_read_take_a_checkpoint(self):
        daemon = self.begin()
        name, = self.learned(daemon, 1)
        model = daemon.model()
        for method, path in (("POST", "/v1/learn"), ("POST", "/v1/ask"), ("POST", "/v1/tell"), ("GET", "/v1/plans"),
                             ("POST", "/v1/checkpoint"), ("POST", "/v1/freeze"), ("GET", "/v1/checkpoints"),
                             ("GET", "/metrics"), ("GET", "/readyz"), ("DELETE", "/v1/plans/1")):
            answer = daemon.request(method, f"{path}?checkpoint={name}", ndjson(examples(1)) if "learn" in path else None)
            self.assertEqual((answer.status, answer.error()), (400, "unknown_parameter"), path)
        self.assertEqual(daemon.model(), model)
        for text, status, code in (("", 400, "invalid_checkpoint"), ("newest", 400, "invalid_checkpoint"),
                                   ("../" + name, 400, "invalid_checkpoint"), ("7", 404, "unknown_checkpoint")):
            answer = daemon.get("/v1/model?checkpoint=" + text)
            self.assertEqual((answer.status, answer.error()), (status, code))
        answer = daemon.post(f"/v1/predict?checkpoint={name}", '[{"values": {"9": 1}}]')
        self.assertEqual(answer.status, 400)

    def test_one_that_is_damaged_or_of_other_options_is_told(self):
        daemon = self.begin()
        name, = self.learned(daemon, 1)
        with open(self.path("state", name), "r+b") as file:
            file.seek(200)
            file.write(b"?")
        answer = daemon.get("/v1/model?checkpoint=" + name)
        self.assertEqual((answer.status, answer.error()), (409, "damaged_checkpoint"))
        other = self.start("--dimension", 4, "--budget", 3, "--seed", 7, "--algorithm", "aerr", "--radius", 1,
                           "--state-directory", self.path("other"))
        made = other.post("/v1/checkpoint").json()["name"]
        with open(self.path("other", made), "rb") as file:
            taken = file.read()
        with open(self.path("state", "checkpoint-000000000090-7.safetensors"), "wb") as file:
            file.write(taken)
        for method, path in (("GET", "/v1/model"), ("POST", "/v1/promote")):
            answer = daemon.request(method, path + "?checkpoint=7")
            self.assertEqual((answer.status, answer.error()), (409, "other_options"))
            self.assertRegex(answer.json()["error"]["message"], "aerr")
        self.assertEqual(daemon.get("/v1/status").json()["examples"], 100)

    def test_it_ends_well_while_checkpoints_are_asked_for(self):
        daemon = self.begin()
        names = self.learned(daemon, 3)
        ended = threading.Event()

        def ask(name):
            while not ended.is_set():
                try:
                    daemon.get("/v1/model?checkpoint=" + name)
                except OSError:
                    return

        threads = [threading.Thread(target=ask, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for _ in range(5):
            self.assertIn(daemon.post(f"/v1/promote?checkpoint={names[0]}").status, (200, 503))
        self.assertEqual(daemon.stop(), 0)
        ended.set()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    unittest.main()
