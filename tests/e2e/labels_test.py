"""Several labels: what is replied and answered of each, what is refused, and that all of it survives kills."""

import json
import random
import re
import subprocess
import unittest

from client_support import ClientTestCase
from harness import binary, svmlight, until

D = 4
SHAPE = ("--solver", "inline", "--seed", 3)
BOTH = (*SHAPE, "--budget", 2, "--label", "temp,cnt")
HEADER = "temp,a,b,c,cnt,d"


def examples(count, seed=1):
    """(temp, cnt, values): each label of attributes of its own, in units of its own."""
    source = random.Random(seed)
    made = []
    for _ in range(count):
        x = [round(source.uniform(-1, 1), 6) for _ in range(D)]
        made.append((round(2 * x[0] - x[1] + 5, 6), round(1000 * (x[2] + 3 * x[3]), 6), x))
    return made


def row(temp, cnt, x):
    return f"{temp},{x[0]},{x[1]},{x[2]},{cnt},{x[3]}\n"


def table(rows, header=True):
    return (HEADER + "\n" if header else "") + "".join(row(*each) for each in rows)


def ndjson(rows):
    return "".join(json.dumps({"labels": {"cnt": cnt, "temp": temp}, "values": x}) + "\n" for temp, cnt, x in rows)


class Labels(ClientTestCase):
    def learned(self, *arguments, rows=None, **keywords):
        return self.start(*BOTH, *arguments, "--input", self.write("examples.csv", table(rows or examples(800))),
                          "--serve", **keywords)

    def ctl(self, daemon, *arguments):
        return subprocess.run([binary("GLIMPSECTL_BIN"), "--server", f"unix:{daemon.http_path}", *map(str, arguments)],
                              capture_output=True, text=True)

    def test_a_row_without_labels_is_answered_with_a_number_of_each(self):
        asked = "".join(row("", "", x) for _, _, x in examples(100, seed=5))
        status, out, log = self.run_to_end(*BOTH, stdin=(table(examples(3000)) + asked).encode())
        self.assertEqual(status, 0, log)
        self.assertIn("label 'temp' (column #1), label 'cnt' (column #5)", log)
        self.assertIn("info label cnt: progressive loss ", log)
        for line, (temp, cnt, _) in zip(out.splitlines(), examples(100, seed=5), strict=True):
            ours, theirs = map(float, line.split(" "))
            self.assertAlmostEqual(ours, temp, delta=0.5)
            self.assertAlmostEqual(theirs, cnt, delta=500)

    def test_the_history_has_the_losses_of_each_label_through_a_kill(self):
        arguments = ("--hold-out", "10%", "--state-directory", self.path("state"))
        daemon = self.learned(*arguments)
        daemon.wait_examples(700)
        further = iter(examples(5000, seed=9))

        counts = [daemon.status()["examples"]]

        def sampled():  # between samples that no count asks for lies a second
            self.assertEqual(daemon.post("/v1/learn", ndjson([next(further)])).json()["error_count"], 0)
            status = daemon.status()
            counts.append(status["examples"])
            newest = daemon.get("/v1/history").json()["columns"]["examples"][-1]
            # a row that is held out changes losses without changing the count of examples
            return status if counts[-2] < counts[-1] == newest else None

        status = until(sampled, "the newest sample is of a status")
        self.assertEqual(daemon.post("/v1/checkpoint").status, 200)
        columns = "columns=examples,rate,recent_loss,recent_r2,held_out_recent_r2"
        told = {name: daemon.get(f"/v1/history?{columns}&label={name}").json() for name in ("temp", "cnt")}
        first = daemon.get(f"/v1/history?{columns}").json()
        self.assertEqual((first["label"], first["columns"]), ("temp", told["temp"]["columns"]))
        of_labels = {one["name"]: one for one in status["labels"]}
        for name, history in told.items():
            self.assertEqual(history["label"], name)
            sample = history["columns"]["examples"].index(status["examples"])
            for column in ("recent_loss", "recent_r2", "held_out_recent_r2"):
                loss = of_labels[name][column]
                self.assertAlmostEqual(history["columns"][column][sample], loss, delta=1e-6 * abs(loss))
        self.assertEqual(told["temp"]["columns"]["examples"], told["cnt"]["columns"]["examples"])
        self.assertNotEqual(told["temp"]["columns"]["recent_r2"], told["cnt"]["columns"]["recent_r2"])
        self.assertEqual(daemon.get("/v1/history?label=wind").status, 400)
        for name in ("temp", "cnt"):
            picture = self.ctl(daemon, "plot", "--label", name)
            self.assertIn(f"{name}: R²", picture.stdout)
            r2 = {one["name"]: one for one in daemon.status()["labels"]}[name]["recent_r2"]
            self.assertIn(f" {r2:.3f} ", self.ctl(daemon, "watch", "--count", 1, "--label", name).stdout)
        refused = self.ctl(daemon, "watch", "--count", 1, "--label", "wind")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("--label wind: no label is called so; there are temp, cnt", refused.stderr)
        daemon.kill()
        again = self.start(*BOTH, *arguments, "--serve")
        after = again.get(f"/v1/history?{columns}&label=cnt").json()["columns"]
        kept = dict(zip(after["examples"], after["held_out_recent_r2"]))
        before = dict(zip(told["cnt"]["columns"]["examples"], told["cnt"]["columns"]["held_out_recent_r2"]))
        self.assertEqual({count: kept.get(count) for count in before}, before)

    def test_http_answers_by_label(self):
        daemon = self.learned("--hold-out", "10%")
        daemon.wait_examples(700)
        models = {name: daemon.get(f"/v1/model?label={name}&fresh=true").json() for name in ("temp", "cnt")}
        self.assertEqual([models[name]["label"] for name in models], ["temp", "cnt"])
        self.assertEqual(daemon.get("/v1/model").json()["label"], "temp")
        values = [x for _, _, x in examples(30, seed=9)]
        body = json.dumps([{"values": x} for x in values])
        answer = daemon.post("/v1/predict", body).json()
        self.assertEqual(list(answer["predictions"]), ["temp", "cnt"])
        for name, model in models.items():
            one = daemon.post(f"/v1/predict?label={name}", body).json()
            self.assertEqual(one["label"], name)
            self.assertEqual(one["predictions"], answer["predictions"][name])
            for x, told in zip(values, one["predictions"], strict=True):
                ours = model["bias"] + sum(w * v for w, v in zip(model["weights"], x))
                self.assertAlmostEqual(told, ours, delta=1e-9 * (1 + abs(ours)))
        large = daemon.post("/v1/predict", json.dumps([{"values": x} for x in values * 60])).json()
        self.assertEqual(large["predictions"]["cnt"], answer["predictions"]["cnt"] * 60)
        self.assertGreater(models["cnt"]["importances"][3], 0.5)
        self.assertLess(models["temp"]["importances"][3], 0.1)

    def test_the_models_of_all_labels_are_of_the_same_examples(self):
        daemon = self.learned()
        daemon.wait_examples(800)
        body = json.dumps([{"values": [0.5] * D}])
        daemon.post("/v1/predict", body)
        daemon.post("/v1/learn", ndjson(examples(3, seed=7)))
        for path, options in (("/v1/model?label=cnt", "&fresh=true"), ("/v1/model?label=temp", "&errors=true")):
            for of_model in (daemon.get(path).json(), daemon.get(path + options).json()):
                self.assertEqual((of_model["examples"], of_model["attributes_revealed"]), (803, 1606))
                self.assertLess(of_model["age_seconds"], 60)
        daemon.post("/v1/learn", ndjson(examples(3, seed=8)))
        first = daemon.get("/v1/model").json()  # of one label alone
        self.assertEqual(first["examples"], 806)
        answer = daemon.post("/v1/predict", body).json()
        self.assertEqual(answer["examples"], 806)
        for name in ("temp", "cnt"):
            model = daemon.get(f"/v1/model?label={name}").json()
            self.assertAlmostEqual(answer["predictions"][name][0], model["bias"] + 0.5 * sum(model["weights"]),
                                   delta=1e-9 * (1 + abs(model["bias"])))

    def test_missing_values_reasons_errors_and_small_models_are_of_a_label(self):
        daemon = self.learned()
        daemon.wait_examples(800)
        partial = daemon.post("/v1/predict", json.dumps([{"values": [0.5, None, None, 0.5]}])).json()
        self.assertGreater(partial["standard_errors"]["cnt"][0], 100 * partial["standard_errors"]["temp"][0])
        for name, main in (("temp", 0), ("cnt", 3)):
            known = json.dumps({"known": {str(main): 0.5}})
            one = daemon.post(f"/v1/predict?label={name}", known)
            self.assertEqual((one.status, one.json()["label"]), (200, name))
            for form in ("csv", "safetensors"):
                model = daemon.get(f"/v1/model?format={form}&label={name}")
                self.assertEqual(model.headers["Glimpse-Label"], f'"{name}"')
            self.assertIn(f'"label":"{name}"'.encode(), model.body)
            explained = daemon.post(f"/v1/predict?label={name}&explain=true",
                                    json.dumps([{"values": [0.5, 0.1, 0.1, 0.5]}])).json()
            self.assertEqual(explained["explanations"][0]["contributions"][0]["attribute"], main)
            small = daemon.get(f"/v1/model?attributes=1&label={name}").json()
            self.assertEqual((small["label"], small["attributes"]), (name, [main]))
            errors = daemon.get(f"/v1/model?errors=true&label={name}").json()
            self.assertEqual(len(errors["weight_errors"]), D)
        for path, body in (("/v1/predict", json.dumps({"known": {"0": 1}})),
                           ("/v1/predict?explain=true", json.dumps([{"values": [0.5, 0.1, 0.1, 0.5]}]))):
            refused = daemon.post(path, body)
            self.assertEqual(refused.status, 400, refused.body)
            self.assertIn("add label=NAME", refused.json()["error"]["message"])
        unknown = daemon.get("/v1/model?label=wind")
        self.assertEqual((unknown.status, unknown.json()["error"]["message"]),
                         (400, "no label is called 'wind'; there are temp, cnt"))

    def test_status_and_metrics_know_each(self):
        daemon = self.learned("--hold-out", "10%")
        daemon.wait_examples(700)
        status = daemon.status()
        temp, cnt = status["labels"]
        self.assertEqual((temp["name"], cnt["name"]), ("temp", "cnt"))
        self.assertEqual(temp["progressive_loss"], status["progressive_loss"])
        self.assertEqual(temp["held_out_loss"], status["held_out_loss"])
        self.assertGreater(cnt["label_variance"], 1000 * temp["label_variance"])
        for one in (temp, cnt):
            self.assertGreater(one["held_out_r2"], 0.8)
        metrics = daemon.get("/metrics").body.decode()
        self.assertIn('glimpse_label_progressive_loss{label="cnt"} ', metrics)
        self.assertIn('glimpse_label_held_out_r2{label="temp"} ', metrics)
        for kind in ("mean", "median"):
            value = re.search(rf'^glimpse_label_held_out_{kind}_absolute_error{{label="cnt"}} (\S+)$', metrics, re.MULTILINE)
            self.assertAlmostEqual(float(value.group(1)), cnt[f"held_out_{kind}_absolute_error"], 9)
            self.assertNotIn(f"glimpse_label_progressive_{kind}_absolute_error{{", metrics)  # not looked at whole

    def test_a_model_that_is_withheld_is_told_with_its_label(self):
        rows = [(temp, cnt if n < 4000 else -cnt, x) for n, (temp, cnt, x) in enumerate(examples(6500))]
        daemon = self.learned(rows=rows)
        daemon.wait_examples(6500)
        self.assertEqual([one["model_served"] for one in daemon.status()["labels"]], ["newest", "mean"])
        events = [(one["event"], one["label"]) for one in daemon.get("/v1/history").json()["events"] if "label" in one]
        self.assertEqual(events, [("model_withheld", "cnt")])
        self.assertEqual(daemon.stop(), 0)
        daemon.wait_log(r"warning label cnt: the newest model is withheld \(example \d+\): over ")

    def test_python_client_and_glimpsectl_know_labels(self):
        daemon = self.start(*BOTH, "--dimension", D)
        client = self.of(daemon)
        report = client.learn([({"temp": temp, "cnt": cnt}, x) for temp, cnt, x in examples(500)])
        self.assertEqual(report.accepted, 500)
        with self.assertRaisesRegex(ValueError, "give label=, one of temp, cnt"):
            client.predict([[0.5] * D])
        told = daemon.post("/v1/predict", json.dumps([{"values": [0.5] * D}])).json()["predictions"]
        self.assertEqual(client.predict([[0.5] * D], label="cnt").predictions, tuple(told["cnt"]))
        self.assertEqual(client.model(label="cnt")["label"], "cnt")
        self.assertEqual(client.small_model(attributes=1, label="cnt")["attributes"], [3])

        def ctl(*arguments, stdin=""):
            done = subprocess.run([binary("GLIMPSECTL_BIN"), "--server", f"unix:{daemon.http_path}", *arguments],
                                  input=stdin, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        for label, message in (({"temp": 1, "cnt": None}, "the label 'cnt' is None"), (None, "the label is None")):
            with self.assertRaisesRegex(ValueError, message):
                client.learn([(label, [0.5] * D)])
        incomplete = json.dumps({"values": [0.5, None, 0.5, 0.5]}) + "\n"
        errors = daemon.post("/v1/predict", incomplete).json()
        self.assertEqual(list(map(float, ctl("predict", stdin=incomplete).split(" "))),
                         [errors[what][name][0] for what in ("predictions", "standard_errors")
                          for name in ("temp", "cnt")])

        self.assertIn("label                cnt\n", ctl("model", "--attributes", "1", "--label", "cnt"))
        asked = json.dumps({"values": [0.5] * D}) + "\n"
        self.assertEqual([float(number) for number in ctl("predict", stdin=asked).split(" ")],
                         [told["temp"][0], told["cnt"][0]])
        self.assertEqual(float(ctl("predict", "--label", "cnt", stdin=asked)), told["cnt"][0])
        self.assertIn("at the means", ctl("predict", "--label", "cnt", "--explain", stdin=asked))
        self.assertEqual(json.loads(ctl("model", "--json", "--label", "cnt"))["label"], "cnt")
        self.assertRegex(ctl("model", "--label", "cnt"), "label +cnt")
        self.assertIn("attributes", ctl("model", "--attributes", "2", "--label", "cnt"))
        self.assertIn("progressive_loss", ctl("status"))

    def test_tables_json_and_bodies_teach_the_same(self):
        rows = examples(300)
        expected = None
        for form, content in (("csv", table(rows)), ("tsv", table(rows).replace(",", "\t")), ("ndjson", ndjson(rows))):
            with self.subTest(form):
                daemon = self.start(*BOTH, "--dimension", D)
                query = {"csv": "?format=csv", "tsv": "?format=csv&delimiter=tab", "ndjson": "?format=ndjson"}[form]
                answer = daemon.post("/v1/learn" + query, content)
                self.assertEqual(answer.json()["accepted"], 300, answer.body)
                models = [daemon.get(f"/v1/model?fresh=true&label={name}").json() for name in ("temp", "cnt")]
                weights = [(model["bias"], model["weights"]) for model in models]
                expected = expected or weights
                self.assertEqual(weights, expected)
                daemon.stop()
        daemon = self.start(*BOTH, "--dimension", D)
        array = [{"labels": {"temp": temp, "cnt": cnt}, "values": x} for temp, cnt, x in rows]
        self.assertEqual(daemon.post("/v1/learn", json.dumps(array)).json()["accepted"], 300)
        weights = [(model["bias"], model["weights"]) for model in
                   (daemon.get(f"/v1/model?fresh=true&label={name}").json() for name in ("temp", "cnt"))]
        self.assertEqual(weights, expected)

    def test_json_alone_may_be_said(self):
        status, out, log = self.run_to_end(*BOTH, "--format", "ndjson", "--dimension", D, "--replies", "all",
                                           stdin=ndjson(examples(200)).encode())
        self.assertEqual(status, 0, log)
        self.assertEqual([len(line.split(" ")) for line in out.splitlines()], [2] * 200)

    def test_a_name_may_have_quotes_commas_and_blanks(self):
        text = table(examples(200)).replace(HEADER, '"te ""m"" p",a,b,c,"c,nt",d')
        for option in ('te "m" p, "c,nt"', '"te ""m"" p","c,nt"'):
            status, _, log = self.run_to_end(*SHAPE, "--budget", 2, "--label", option, stdin=text.encode())
            self.assertEqual(status, 0, log)
            self.assertIn("""label 'te "m" p' (column #1), label 'c,nt' (column #5)""", log)

    def test_where_everything_is_looked_at_it_is_two_runs(self):
        models = {}
        for label in ("temp,cnt", "temp", "cnt"):
            ignored = () if "," in label else ("--ignore", "cnt" if label == "temp" else "temp")
            daemon = self.start(*SHAPE, "--budget", D, "--label", label, *ignored, "--serve", "--input",
                                self.write("examples.csv", table(examples(500))))
            daemon.wait_examples(500)
            for name in label.split(","):
                query = f"&label={name}" if "," in label else ""
                model = daemon.get(f"/v1/model?fresh=true{query}").json()
                models.setdefault(name, []).append((model["bias"], model["weights"], model["importances"]))
            daemon.stop()
        for name in ("temp", "cnt"):
            self.assertEqual(models[name][0], models[name][1])

    def test_rows_with_some_labels_and_words_are_refused_and_counted(self):
        daemon = self.start(*BOTH, "--dimension", D)
        bad = HEADER + "\n1,0,0,0,,0\nhot,0,0,0,3,0\n1,0,0,0,2,0\n"
        answer = daemon.post("/v1/learn?format=csv", bad).json()
        self.assertEqual((answer["accepted"], answer["error_count"]), (1, 2))
        self.assertIn("label 'cnt' is missing beside others", answer["errors"][0]["message"])
        self.assertIn("of several labels none holds words", answer["errors"][1]["message"])
        for example, message in (({"label": 1, "values": [0] * D}, "'label' is one, but there are 2 labels"),
                                 ({"labels": {"temp": 1}, "values": [0] * D}, "label 'cnt' is missing beside others"),
                                 ({"labels": {"temp": 1, "wind": 2}, "values": [0] * D}, "no label is called 'wind'"),
                                 ({"labels": {"temp": 1, "cnt": "x"}, "values": [0] * D}, "not the word 'x'")):
            refused = daemon.post("/v1/learn", json.dumps(example))
            self.assertEqual(refused.status, 400, refused.body)
            self.assertIn(message, refused.json()["error"]["message"])
        refused = daemon.post("/v1/learn?format=svmlight", svmlight([(1, [0.5] * D)]))
        self.assertIn("it has one label, and --label names 2", refused.json()["error"]["message"])
        self.assertEqual(daemon.status()["parse_errors"], 7)
        one = self.start(*SHAPE, "--budget", 2, "--dimension", D)
        self.assertIn("'labels' is for several labels",
                      one.post("/v1/learn", json.dumps({"labels": {"temp": 1}, "values": [0] * D})).json()["error"]["message"])

    def test_what_does_not_go_together_is_refused_at_the_start(self):
        for arguments, message in (
                (("--label", "temp,cnt,temp"), "--label temp,cnt,temp: names temp twice"),
                (("--label", "temp,"), "--label temp,: must be a name"),
                (("--label", ",".join(f"l{n}" for n in range(101))), "--label: names 101 labels; must be at most 100"),
                (("--label", "temp,cnt", "--algorithm", "two-phase-ddaerr"),
                 "several labels are for pairwise and pairwise-screened only, not two-phase-ddaerr"),
                (("--label", "temp,cnt", "--task", "classes"), "classes (--task classes, --classes) are of one label"),
                (("--label", "temp,cnt", "--drift", "auto"), "several labels go without --drift auto")):
            with self.subTest(message):
                self.assertIn(message, self.refused("--budget", 2, "--dimension", D, "--listen",
                                                    f"unix:{self.path('s')}", *arguments)[1])
        status, _, log = self.run_to_end(*SHAPE, "--budget", 2, "--label", "temp,wind", stdin=table(examples(9)).encode())
        self.assertNotEqual(status, 0)
        self.assertIn("--label wind: the header has no such column", log)

    def test_killed_and_restarted_they_are_the_models_of_one_run_to_the_bit(self):
        rows = examples(2000)
        path = self.write("examples.csv", table(rows))

        def models(daemon):
            daemon.wait_examples(1800)
            until(lambda: daemon.status()["queue_bytes"] == 0, "the end of the input")
            return [daemon.get(f"/v1/model?fresh=true&label={name}").body for name in ("temp", "cnt")], \
                [one["held_out_loss"] for one in daemon.status()["labels"]]

        def without_age(told):
            bodies, losses = told
            kept = []
            for body in bodies:
                model = json.loads(body)
                model.pop("age_seconds", None)
                kept.append(model)
            return kept, losses

        hold_out = ("--hold-out", "5%", "--serve")
        whole = self.start(*BOTH, *hold_out, "--input", path)
        expected = without_age(models(whole))
        whole.stop()
        state = self.path("state")
        for _ in range(3):
            daemon = self.start(*BOTH, *hold_out, "--input", path, "--state-directory", state, "--checkpoint-examples",
                                100)
            daemon.wait_examples(200)
            daemon.kill()
        daemon = self.start(*BOTH, *hold_out, "--input", path, "--state-directory", state)
        self.assertEqual(without_age(models(daemon)), expected)
        daemon.stop()
        self.assertIn("--label cnt,temp: the checkpoint's records were read with --label temp,cnt",
                      self.refused(*SHAPE, "--budget", 2, "--label", "cnt,temp", "--input", path, "--state-directory",
                                   state)[1])


if __name__ == "__main__":
    unittest.main()
