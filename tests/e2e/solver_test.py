"""A model that is solved for in the background: learning and queries do not wait for it, and it says how old it is."""

import threading
import unittest

from harness import Response, TestCase, examples, ndjson, svmlight, unlabelled, until, vw

SMALL = ("--algorithm", "pairwise", "--dimension", 6, "--budget", 3, "--seed", 7)
LARGE_DIMENSION = 4096
LONG = 100  # seconds: solves of a second, at a low priority, on a machine that is busy with other tests
LARGE = ("--algorithm", "pairwise", "--dimension", LARGE_DIMENSION, "--budget", 8, "--format", "svmlight")


def sparse(count, seed):
    """svmlight lines of 4096 attributes, of which a few are not 0."""
    lines = []
    for i in range(count):
        step = (7919 * (i + 1) + 104729 * seed) % LARGE_DIMENSION
        places = sorted({1 + (step * k) % LARGE_DIMENSION for k in range(1, 9)})
        lines.append(f"{i % 7} " + " ".join(f"{place}:{1 + place % 3}" for place in places) + "\n")
    return "".join(lines)


class Solver(TestCase):
    def learn_large(self, daemon, count, seed):
        answer = daemon.post("/v1/learn?format=svmlight", sparse(count, seed))
        self.assertEqual(answer.json()["accepted"], count)

    def test_learning_and_queries_go_on_while_a_large_model_is_solved_for(self):
        daemon = self.start(*LARGE)
        self.learn_large(daemon, 500, seed=1)
        until(lambda: daemon.status()["model_examples"] == 500, "the quiet stream has a model of its last example",
              LONG)
        self.assertEqual(daemon.status()["model_age_seconds"], 0)
        self.assertGreater(daemon.status()["solve_seconds"], 0)

        self.learn_large(daemon, 10, seed=2)  # too few for a solve at once
        answers = []
        asker = threading.Thread(target=lambda: answers.append(daemon.get("/v1/model?fresh=true", LONG).json()))
        asker.start()
        batches, old = 0, []
        while not answers:
            self.learn_large(daemon, 10, seed=3 + batches)
            prediction = daemon.post("/v1/predict", '{"values": {"3": 1}}').json()
            model = daemon.get("/v1/model").json()
            if not answers:
                batches += 1
                old.append((prediction["examples"], model["examples"], model["age_seconds"]))
        asker.join()
        # All answers meanwhile came from the model before, and learning went far beyond it. Had anything waited for the
        # solve, there would have been a batch or two.
        self.assertGreaterEqual(batches, 8)
        first = [entry for entry in old if entry[:2] == (500, 500)]
        self.assertGreaterEqual(len(first), 6, old)
        self.assertGreater(min(age for _, _, age in first), 0)
        ages = [age for _, _, age in first]
        self.assertEqual(ages, sorted(ages))  # it grows older
        self.assertGreaterEqual(answers[0]["examples"], 510)
        learned = 510 + 10 * batches
        self.assertLess(answers[0]["examples"], learned)
        # And then, quiet again, the model is brought up to the last example.
        total = daemon.status()["examples"]
        self.assertGreaterEqual(total, learned)
        until(lambda: daemon.status()["model_examples"] == total, "a model of the last example", LONG)

    def test_what_was_asked_for_right_after_learning_is_no_guess(self):
        """The first model is waited for, on every door."""
        rows = examples(2000, 6)
        values = [1, 0, 0, 0, 0, -1]
        for door in ("predict", "model", "stream"):
            with self.subTest(door):
                daemon = self.start(*SMALL, "--solver", "background", "--listen", "tcp:127.0.0.1:0", "--format", "vw",
                                    "--clip", "off")
                if door == "stream":
                    with daemon.client() as client:
                        client.send(vw(rows) + unlabelled(values))
                        prediction = float(client.finish())
                else:
                    daemon.post("/v1/learn", ndjson(rows))
                    if door == "predict":
                        answer = daemon.post("/v1/predict", f'{{"values": {values}}}').json()
                        self.assertGreaterEqual(answer["examples"], 1000)
                        prediction = answer["predictions"][0]
                    else:
                        model = daemon.get("/v1/model").json()
                        self.assertGreaterEqual(model["examples"], 1000)
                        prediction = model["bias"] + model["weights"][0] - model["weights"][5]
                self.assertAlmostEqual(prediction, 1.5, delta=0.3)
                daemon.stop()

    def test_the_status_and_the_metrics_tell_of_the_model(self):
        daemon = self.start(*SMALL, "--solver", "background")
        self.assertIsNone(daemon.status()["model_examples"])
        self.assertIsNone(daemon.status()["model_age_seconds"])
        self.assertEqual(daemon.get("/v1/model").json()["weights"], [0] * 6)  # of nothing
        daemon.post("/v1/learn", ndjson(examples(300, 6)))
        until(lambda: daemon.status()["model_examples"] == 300, "a model of the last example")
        text = daemon.get("/metrics").body.decode()
        for line in ("glimpse_model_examples 300\n", "glimpse_model_age_seconds 0\n", "glimpse_solve_duration_seconds "):
            self.assertIn(line, text)
        answer = daemon.get("/v1/model?format=csv")
        self.assertEqual((answer.headers["Glimpse-Examples"], answer.headers["Glimpse-Age-Seconds"]), ("300", "0"))
        body = answer.body
        self.assertEqual(daemon.get("/v1/model?format=csv&fresh=true").body, body)  # nothing came since

    def test_after_kill_9_a_fresh_model_is_the_same_bytes(self):
        arguments = (*SMALL, "--solver", "background", "--state-directory", self.path("state"), "--checkpoint-examples", 300,
                     "--checkpoint-every", "0s", "--serve", "--input")
        rows = examples(1000, 6)
        file = self.write("rows.svm", svmlight(rows))
        daemon = self.start(*arguments, file)
        daemon.wait_examples(1000)
        model = daemon.model()
        safetensors = daemon.get("/v1/model?fresh=true&format=safetensors").body
        self.assertEqual(daemon.get("/v1/model").json()["examples"], 1000)
        daemon.kill()
        daemon = self.start(*arguments, file)
        daemon.wait_examples(1000)
        self.assertEqual(daemon.model(), model)
        self.assertEqual(daemon.get("/v1/model?fresh=true&format=safetensors").body, safetensors)
        daemon.kill()
        # The trainer solves to the same bits.
        inline = self.start(*SMALL, "--solver", "inline", "--serve", "--input", file)
        inline.wait_examples(1000)
        self.assertEqual(inline.model(), model)

    def test_pipes_and_files_get_the_same_predictions_each_time(self):
        rows = examples(1500, 6)
        text = "".join(vw([row]) + unlabelled(row[1]) for row in rows).encode()
        runs = [self.run_to_end(*SMALL, "--format", "vw", stdin=text)[1] for _ in range(2)]
        self.assertEqual(len(runs[0].splitlines()), len(rows))
        self.assertEqual(runs[0], runs[1])
        served = self.start(*SMALL, "--solver", "inline", "--listen", "tcp:127.0.0.1:0", "--format", "vw")
        with served.client() as client:
            client.send(text)
            self.assertEqual(client.finish(), runs[0])

    def test_the_end_does_not_wait_for_a_solve_and_who_does_is_told(self):
        daemon = self.start(*LARGE)
        self.learn_large(daemon, 200, seed=1)
        connection = daemon.connection(LONG)
        connection.request("GET", "/v1/model?fresh=true")
        until(lambda: daemon.post("/v1/learn?format=svmlight", "1 1:1\n").status == 200, "the question is there")
        answers = []
        asker = threading.Thread(target=lambda: answers.append(connection.getresponse()))
        asker.start()
        self.assertEqual(daemon.stop(), 0)
        asker.join()
        answer = Response(answers[0].status, answers[0].headers, answers[0].read())
        connection.close()
        if answer.status != 200:  # the solve was faster than the end
            self.assertEqual((answer.status, answer.error()), (503, "stopping"))

    def test_solver_and_ball_are_refused_where_they_mean_nothing(self):
        other = ("--algorithm", "two-phase-ddaerr", "--dimension", 6, "--budget", 3)
        self.assertEqual(self.refused(*other, "--solver", "inline"),
                         (2, "glimpsed: --solver inline: has an effect on --algorithm pairwise and pairwise-screened only"))
        self.assertEqual(self.refused(*other, "--radius", 1, "--ball", "l1"),
                         (2, "glimpsed: --ball l1: two-phase-ddaerr keeps its weights in an L2 ball; pairwise alone has "
                             "both"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
