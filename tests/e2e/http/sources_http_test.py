"""Named sources over HTTP: bodies are learned once through kills and repetitions, and go on over another door."""

import random
import unittest

from harness import SMALL, StreamClient, TestCase, examples, ndjson, svmlight


class OverHttp(TestCase):
    def learn(self, daemon, rows, query):
        answer = daemon.post(f"/v1/learn?format=svmlight&source=s{query}", "".join(rows))
        return answer.status, answer.json()

    def test_bodies_of_a_source_are_learned_once_through_kills_and_repetitions(self):
        rows = svmlight(examples(3000)).splitlines(keepends=True)
        rows[700] = "no example\n"
        whole = self.start(*SMALL, "--state-directory", self.path("whole"))
        status, answer = self.learn(whole, rows, "&from=0")
        self.assertEqual((status, answer["accepted"], answer["error_count"], answer["inside"]), (200, 2999, 1, 3000))
        options = (*SMALL, "--state-directory", self.path("state"), "--checkpoint-examples", 100,
                   "--checkpoint-every", "1h")
        daemon = self.start(*options)
        chance = random.Random(5)
        inside = durable = kills = 0
        while inside < len(rows):
            begin = max(0, inside - chance.randrange(60))
            end = min(len(rows), inside + chance.randrange(1, 300))
            if chance.random() < .3:  # amid it, or before its answer is read
                with StreamClient(f"unix:{daemon.http_path}") as client:
                    body = "".join(rows[begin:end])
                    client.send(f"POST /v1/learn?format=svmlight&source=s&from={begin} HTTP/1.1\r\nHost: localhost\r\n"
                                f"Content-Length: {len(body)}\r\n\r\n" + body[:chance.randrange(len(body) + 1)])
                    daemon.kill()
                kills += 1
                daemon = self.start(*options)
                _, answer = self.learn(daemon, (), "")
                self.assertGreaterEqual(answer["inside"], durable)
                self.assertEqual(answer["inside"], answer["durable"])
            else:
                status, answer = self.learn(daemon, rows[begin:end], f"&from={begin}" +
                                            chance.choice(("", "&durable=true")))
                self.assertEqual((status, answer["inside"]), (200, end))
            inside, durable = answer["inside"], answer["durable"]
        self.assertGreater(kills, 3)
        self.assertEqual(daemon.status()["examples"], 2999)
        self.assertEqual(daemon.model(), whole.model())

    def test_a_source_goes_on_over_another_door(self):
        rows = svmlight(examples(400)).splitlines(keepends=True)
        whole = self.start(*SMALL, "--state-directory", self.path("whole"))
        self.learn(whole, rows, "&from=0")
        daemon = self.start(*SMALL, "--state-directory", self.path("state"), "--listen", f"unix:{self.path('stream')}")
        self.assertEqual(self.learn(daemon, rows[:100], "&from=0")[1]["inside"], 100)
        with StreamClient(f"unix:{self.path('stream')}") as client:
            client.send("#glimpse source=s\n")
            self.assertEqual(client.line(), "resume 100\n")
            client.send("".join(rows[100:200]))
            daemon.wait_examples(200)
            self.assertEqual(self.learn(daemon, rows[200:300], "&from=200&durable=true")[1],
                             {"accepted": 100, "skipped": 0, "error_count": 0, "errors": [],
                              "inside": 300, "durable": 300})
            lines = client.finish().splitlines()
            self.assertIn("error: another connection carries the source now; closing", lines)
        self.assertEqual(self.learn(daemon, rows[300:], "&from=300")[1]["inside"], 400)
        self.assertEqual(daemon.model(), whole.model())

    def test_what_would_leave_a_gap_or_cannot_be_kept_is_refused(self):
        rows = svmlight(examples(10)).splitlines(keepends=True)
        daemon = self.start(*SMALL, "--state-directory", self.path("state"))
        self.learn(daemon, rows[:4], "&from=0")
        for query, status, message in (
                ("&from=5", 409, "from 5: of source 's' there are 4 records inside, "
                                 "so that those between would be missing"),
                ("", 400, "from is needed: how many records of source 's' stand before those of this body"),
                ("&from=-1", 400, "from '-1' must be a whole number of records"),
                ("&from=", 400, "from '' must be a whole number of records"),
                ("&from=4&durable=perhaps", 400, "durable 'perhaps' must be true or false"),
                ("&From=4", 400, "/v1/learn has no parameter 'From'; there are format, absent, header, delimiter, "
                                 "first_line, others, source, from and durable; did you mean 'from'?")):
            self.assertEqual(self.learn(daemon, rows[4:], query), (status, {"error": {
                "code": {409: "records_missing"}.get(status, "unknown_parameter" if "no parameter" in message
                                                     else "invalid_input"),
                "message": message}}))
        answer = daemon.post("/v1/learn?source=&from=0", "")
        self.assertEqual((answer.status, answer.error()), (400, "invalid_input"))
        answer = daemon.post("/v1/learn?from=0", ndjson(examples(1)))
        self.assertEqual((answer.status, answer.json()["error"]["message"]),
                         (400, "from is for a named source (source=NAME)"))
        self.assertEqual(daemon.status()["examples"], 4)
        forgetful = self.start(*SMALL)
        answer = forgetful.post("/v1/learn?source=s&from=0", ndjson(examples(1)))
        self.assertEqual((answer.status, answer.error()), (409, "unavailable"))
        self.assertEqual(forgetful.post("/v1/learn?durable=true", ndjson(examples(1))).status, 409)


if __name__ == "__main__":
    unittest.main(verbosity=2)
