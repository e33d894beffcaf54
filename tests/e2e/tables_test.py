"""Tables as people have them: what the first records tell, columns by name, delimiters, compressed inputs; and what is
said to those whose tables cannot be read."""

import gzip
import json
import os
import shutil
import subprocess
import unittest

from harness import TestCase, csv, examples, ndjson, npy, svmlight

BUDGET = ("--budget", 2, "--solver", "inline", "--seed", 1)


def zstd(content):
    return subprocess.run(["zstd", "-q", "-c"], input=content, stdout=subprocess.PIPE, check=True).stdout


def table(rows, names, delimiter=","):
    """Rows of texts below a header."""
    return "".join(delimiter.join(row) + "\n" for row in [names, *rows]).encode()


class Tables(TestCase):
    def learn(self, stdin, *arguments):
        """The model's bytes and the log of a run on standard input that learns without an error."""
        shutil.rmtree(self.path("state"), True)
        status, _, log = self.run_to_end(*BUDGET, "--state-directory", self.path("state"), *arguments, stdin=stdin)
        self.assertEqual(status, 0, log)
        self.assertIn(" 0 lines that could not be read", log)
        return log

    def weights(self, *arguments):
        daemon = self.start(*BUDGET, "--state-directory", self.path("state"), *arguments)
        model = daemon.get("/v1/model").json()
        daemon.stop()
        return model["bias"], model["weights"]

    def test_a_table_with_a_header_needs_no_dimension(self):
        rows = examples(300)
        log = self.learn(csv(rows, header=True).encode())
        self.assertIn("stdin: csv: header, 4 attributes, label 'y' (column #1)", log)
        expected = self.weights()
        self.learn(csv(rows).encode(), "--dimension", 4)
        self.assertEqual(self.weights(), expected)
        log = self.learn(csv(rows).encode())
        self.assertIn("stdin: csv: no header, 4 attributes, label in column #1", log)
        self.assertEqual(self.weights(), expected)

    def test_the_label_and_what_is_ignored_may_stand_anywhere(self):
        rows = examples(300)
        self.learn(csv(rows).encode())
        expected = self.weights()
        texts = [[repr(v) for v in (i, *x, y, i)] for i, (y, x) in enumerate(rows)]
        names = ["id", "a", "b", "c", "d", "y", "copy of id"]
        for delimiter in (",", ";", "\t"):
            log = self.learn(table(texts, names, delimiter), "--label", "y", "--ignore", "id,copy of id")
            self.assertIn("4 attributes, label 'y' (column #6), 2 columns ignored", log)
            self.assertEqual(self.weights("--label", "y", "--ignore", "id,copy of id"), expected)
        self.learn(table(texts, names), "--label", "#6", "--ignore", "#1", "--ignore", "last")
        self.assertEqual(self.weights("--label", "#6", "--ignore", "#1", "--ignore", "last"), expected)

    def test_a_decimal_comma(self):
        rows = examples(200)
        self.learn(csv(rows).encode())
        expected = self.weights()
        self.learn(csv(rows).replace(",", ";").replace(".", ",").encode(), "--decimal-comma")
        self.assertEqual(self.weights("--decimal-comma"), expected)

    def test_rows_and_headers_may_end_with_a_delimiter(self):
        rows = examples(300)
        text = csv(rows, header=True)
        self.learn(text.encode())
        expected = self.weights()
        header, below = text.split("\n", 1)
        ended = below.replace("\n", ",\n")
        told = "rows end with a delimiter: the empty field behind their last column is passed over"
        for content, count in ((f"{header}\n{ended}", 1), (f"{header},\n{ended}", 1), (f"{header},\n{below}", 0),
                               (f"{header};\n{ended}".replace(",", ";"), 1)):
            log = self.learn(content.encode())
            self.assertIn("4 attributes, label 'y' (column #1)", log)
            self.assertEqual(log.count(told), count)
            self.assertEqual(self.weights(), expected)
        self.learn(ended.encode(), "--dimension", 4)
        self.assertEqual(self.weights(), expected)

    def test_rows_that_end_with_a_delimiter_go_on_after_a_restart(self):
        header, below = csv(examples(4000), header=True).split("\n", 1)
        whole = (f"{header}\n" + below.replace("\n", ",\n")).encode()
        self.learn(whole)
        expected = self.weights()
        shutil.rmtree(self.path("state"))
        state = ("--state-directory", self.path("state"))
        half = whole.index(b"\n", len(whole) // 2) + 1
        path = self.write("table", whole[:half])
        self.assertEqual(self.run_to_end(*BUDGET, *state, "--input", path)[0], 0)
        self.write("table", whole)
        status, _, log = self.run_to_end(*BUDGET, *state, "--input", path)
        self.assertEqual(status, 0, log)
        self.assertRegex(log, f"resuming at byte {half}")
        self.assertEqual(self.weights(), expected)

    def test_objects_with_names_need_no_dimension(self):
        log = self.learn(ndjson(examples(200)).encode())
        self.assertIn("stdin: ndjson: 4 attributes, by number", log)
        log = self.learn(b'{"label": 1, "values": {"age": 60, "bp": 130}}\n{"label": 2, "values": {"bp": 120, "age": 50}}\n')
        self.assertIn("stdin: ndjson: 2 attributes, by name", log)

    def test_a_byte_order_mark_is_no_part_of_any_format(self):
        mark = b"\xef\xbb\xbf"
        rows = examples(100)
        for text, more in ((csv(rows, header=True), ()), (ndjson(rows), ()), (svmlight(rows), ("--dimension", 4))):
            self.learn(text.encode(), *more)
            expected = self.weights(*more)
            self.learn(mark + text.encode(), *more)
            self.assertEqual(self.weights(*more), expected)
        daemon = self.start(*BUDGET, "--dimension", 4)
        array = b"[" + ndjson(rows).strip().replace("\n", ",").encode() + b"]"
        for body in (ndjson(rows).encode(), array):
            self.assertEqual(daemon.post("/v1/learn", mark + body).json()["accepted"], 100)
            self.assertEqual(daemon.post("/v1/predict", mark + body).json(), daemon.post("/v1/predict", body).json())

    def test_an_npy_array_needs_no_dimension(self):
        rows = examples(200)
        log = self.learn(npy(rows), "--format", "npy")
        self.assertIn("stdin: npy: 4 attributes, label in column #1", log)

    def test_compressed_inputs_are_the_same_stream(self):
        text = csv(examples(20000), header=True).encode()
        self.learn(text)
        expected = self.weights()
        packed = {"gzip": gzip.compress(text[:1000]) + gzip.compress(text[1000:])}
        if shutil.which("zstd"):
            packed["zstd"] = zstd(text)
        else:
            print("zstd: skipped, there is no such program")
        for name, content in packed.items():
            with self.subTest(name):
                log = self.learn(content)
                self.assertIn(f"stdin: {name}, csv: header, 4 attributes", log)
                self.assertEqual(self.weights(), expected)
                log = self.learn(b"", "--input", self.write("table", content))
                self.assertIn(f"table: {name}, csv: header, 4 attributes", log)
                self.assertEqual(self.weights(), expected)

    def test_a_compressed_file_resumes_where_the_checkpoint_left_it(self):
        rows = examples(4000)
        whole = csv(rows, header=True).encode()
        self.learn(b"", "--input", self.write("whole", gzip.compress(whole)))
        expected = self.weights()
        shutil.rmtree(self.path("state"))
        half = whole.index(b"\n", len(whole) // 2) + 1
        state = ("--state-directory", self.path("state"))
        path = self.write("table", gzip.compress(whole[:half]))
        for _ in range(3):  # also where nothing has come since
            status, _, log = self.run_to_end(*BUDGET, *state, "--input", path)
            self.assertEqual(status, 0, log)
        self.write("table", gzip.compress(whole[:half]) + gzip.compress(whole[half:]))
        status, _, log = self.run_to_end(*BUDGET, *state, "--input", path)
        self.assertEqual(status, 0, log)
        self.assertRegex(log, f"resuming at byte {half}")
        self.assertEqual(self.weights(), expected)
        self.write("table", gzip.compress(whole[1000:]))
        status, _, log = self.run_to_end(*BUDGET, *state, "--input", path)
        self.assertEqual(status, 1)
        self.assertIn(f"fewer bytes when decompressed than the {len(whole)} that the checkpoint had read: it was cut short or replaced", log)

    def test_a_compressed_input_may_end_where_a_buffer_does(self):
        text = csv(examples(12000), header=True).encode()
        for size in (1 << 16, 1 << 18):  # of the first look, and of reading
            for content in (text[:size - 1 - i] for i in range(-1, 2)):
                content = content[:content.rindex(b",")].ljust(len(content), b" ") + b",1\n"
                self.learn(content)
                expected = self.weights()
                packings = [gzip.compress(content), gzip.compress(content) + bytes(512)]
                for packed in packings + ([zstd(content)] if shutil.which("zstd") else []):
                    with self.subTest(size=len(content), packed=packed[:4]):
                        self.learn(packed)
                        self.assertEqual(self.weights(), expected)
                        self.learn(b"", "--input", self.write("table", packed))
                        self.assertEqual(self.weights(), expected)

    def test_a_compressed_input_that_is_cut_short_is_an_error(self):
        content = gzip.compress(csv(examples(5000), header=True).encode())
        status, _, log = self.run_to_end(*BUDGET, stdin=content[:-2000])
        self.assertEqual(status, 1, log)
        self.assertIn("stdin: ends amid its gzip data: it is cut short", log)

    def test_packed_bodies_are_the_same_examples(self):
        text = csv(examples(2000), header=True).encode()
        plain = self.start(*BUDGET, "--dimension", 4)
        plain.post("/v1/learn?format=csv", text)
        packed = [gzip.compress(text[:900]) + gzip.compress(text[900:])] + ([zstd(text)] if shutil.which("zstd") else [])
        for body in packed:
            daemon = self.start(*BUDGET, "--dimension", 4, "--max-body", 100000)
            answer = daemon.post("/v1/learn?format=csv", body)
            self.assertEqual((answer.status, answer.json()["accepted"]), (200, 2000), answer.body)
            self.assertEqual(daemon.model(), plain.model())
            question = json.dumps({"values": {"a0": 1, "a1": 2, "a2": 3, "a3": 4}}).encode()
            self.assertEqual(daemon.post("/v1/predict", gzip.compress(question)).json(),
                             daemon.post("/v1/predict", question).json())
            for wrong, status in ((body[:-9], 400), (body + b"rest", 400), (gzip.compress(bytes(100001)), 413),
                                  (gzip.compress(gzip.compress(text)), 400)):
                answer = daemon.post("/v1/learn?format=csv", wrong)
                self.assertEqual(answer.status, status, answer.body)
            self.assertEqual(daemon.status()["examples"], 2000)

    def test_packed_bodies_count_unpacked_against_the_limit_of_all(self):
        daemon = self.start(*BUDGET, "--dimension", 4, "--max-unfinished", 100000)
        answer = daemon.post("/v1/learn?format=csv", gzip.compress(csv(examples(20000)).encode()))
        self.assertEqual((answer.status, answer.error()), (503, "unavailable"))
        self.assertEqual(daemon.post("/v1/learn?format=csv", gzip.compress(b"1,1,2,3,4\n")).status, 200)

    def test_after_a_restart_columns_are_known_by_name(self):
        state = ("--state-directory", self.path("state"), "--label", "y", "--ignore", "id")
        rows = examples(400)
        texts = [[repr(v) for v in (i, y, *x)] for i, (y, x) in enumerate(rows)]
        names = ["id", "y", "a", "b", "c", "d"]
        self.assertEqual(self.run_to_end(*BUDGET, *state, stdin=table(texts, names))[0], 0)
        expected = self.weights("--label", "y", "--ignore", "id")
        shutil.rmtree(self.path("state"))
        self.run_to_end(*BUDGET, *state, stdin=table(texts[:200], names))
        # Another order, and then none at all.
        order = [5, 3, 1, 0, 4, 2]
        turned = [[row[i] for i in order] for row in texts[200:300]]
        self.run_to_end(*BUDGET, *state, stdin=table(turned, [names[i] for i in order]))
        status, _, log = self.run_to_end(*BUDGET, *state, stdin=table(texts[300:], names).split(b"\n", 1)[1])
        self.assertEqual(status, 0, log)
        self.assertEqual(self.weights("--label", "y", "--ignore", "id"), expected)

    def test_a_redirected_file_brings_new_columns_after_a_restart(self):
        state = ("--label", "y", "--budget", 2, "--state-directory", self.path("state"))
        self.assertEqual(self.run_to_end(*state, stdin=b"y,a,b\n1,2,3\n2,3,1\n")[0], 0)
        path = self.write("more", "y,a,b,c\n1,2,3,4\n2,3,1,5\n")
        with open(path, "rb") as file:
            daemon = self.start(*state, http=None, stdin=file)
            self.assertEqual(daemon.wait(), 0)
        daemon.wait_text("finished: 4 examples")

    def test_a_budget_beyond_a_small_table_looks_at_all_of_it(self):
        status, _, log = self.run_to_end("--label", "y", "--budget", 5, stdin=b"y,a,b\n1,2,3\n2,3,1\n")
        self.assertEqual(status, 0, log)
        self.assertIn("--budget 5: the input has 2 attributes, and all of them are looked at", log)

    def test_an_input_that_taught_nothing_fails_a_server_as_well(self):
        path = self.write("rows", "1,2\n2,3\n")
        daemon = self.start("--dimension", 3, "--budget", 2, "--serve", "--format", "csv", "--input", path)
        daemon.wait_log("row has 2 fields")
        self.assertEqual(daemon.stop(), 1)
        daemon.wait_text("nothing was learned: none of 2 records could be read")
        daemon = self.start("--dimension", 3, "--budget", 2)
        self.assertEqual(daemon.post("/v1/learn?format=csv", "1,2\n").status, 400)
        self.assertEqual(daemon.stop(), 0)
        daemon.wait_text("nothing was learned: none of 1 record could be read")

    def test_wrong_starts_name_the_mend(self):
        words = b"y,sex,age\n1,M,20\n2,F,30\n"
        dates = b"y,day,age\n1,1/2/2011,20\n2,3/4/2012,30\n"
        for stdin, arguments, mend in (
                (svmlight(examples(3)).encode(), (), "--dimension D"),
                (dates, (), "--ignore day"),
                (words, ("--label", "Y", "--ignore", "sex"), "did you mean 'y'?"),
                (words, ("--ignore", "Sex"), "did you mean 'sex'?"),
                (b"a,b\n", ("--format", "f32"), "--dimension D"),
                (b"1,2,3\n", ("--label", "cnt"), "--header yes"),
                (b"1,2,3\n", ("--label", "#4"), "--label=#4: a row has 3 columns"),
                (b"1,2,3\n", ("--decimal-comma", "--delimiter", ","), "--delimiter"),
                (b"1,2,3\n", ("--label-column", 1), "--label-column 1: is --label=#2 now"),
                (b"1,2,3\n", ("--ignore", "a,,b"), "with commas between"),
                (b"1,2,3\n", ("--format", "svmlight", "--ignore", "a"), "is for --format csv, ndjson or auto only")):
            with self.subTest(arguments=arguments, stdin=stdin[:20]):
                status, message = self.refused(*BUDGET, *arguments, stdin=stdin)
                self.assertEqual(status, 2)
                self.assertIn(mend, message)

    @unittest.skipUnless(os.path.isdir(os.path.join(os.environ.get("GLIMPSE_DATA", ""), "raw")), "no GLIMPSE_DATA")
    def test_bicycles_as_their_publisher_has_them(self):
        with open(os.path.join(os.environ["GLIMPSE_DATA"], "raw", "bike_hour.csv.gz"), "rb") as file:
            content = file.read()
        status, _, log = self.run_to_end("--label", "cnt", "--ignore", "instant,dteday,casual,registered", "--budget", 5,
                                         stdin=content)
        self.assertEqual(status, 0, log)
        self.assertIn("stdin: gzip, csv: header, 12 attributes, label 'cnt' (column #17), 4 columns ignored", log)
        self.assertIn("finished: 17379 examples, 86895 attributes revealed", log)

    def test_questions_may_lack_columns_of_the_model(self):
        """They are answered as those where the others are missing: from a body, a stream, and a file; and only with
        --missing-columns allow such rows with a label are learned from."""
        rows = examples(200, 3)
        table = self.write("train.csv", "y,a,b,c\n" + "".join(f"{y},{a},{b},{c}\n" for y, (a, b, c) in rows))
        for budget in (2, 3):
            options = ("--budget", budget, "--label", "y", "--input", table, "--seed", 3, "--solver", "inline")
            daemon = self.start(*options, "--serve", "--listen", "tcp:127.0.0.1:0")
            daemon.wait_examples(200)
            for header, row, values in (("a,c", "0.5,-0.25", {"a": 0.5, "c": -0.25}), ("c", "0.5", {"c": 0.5}),
                                        ("c,b", "0.5,NA", {"c": 0.5}), ("b,y,a", "0.5,,0.25", {"a": 0.25, "b": 0.5}),
                                        ("y,b", "7,0.5", {"b": 0.5})):
                with self.subTest(header=header, budget=budget):
                    expected = daemon.post("/v1/predict", json.dumps({"values": values}).encode()).json()
                    answer = daemon.post("/v1/predict?format=csv", f"{header}\n{row}\n".encode())
                    self.assertEqual(answer.status, 200, answer.body)
                    self.assertEqual([answer.json()[key] for key in ("predictions", "standard_errors")],
                                     [expected[key] for key in ("predictions", "standard_errors")])
                    if "7" in row:
                        continue
                    with daemon.client() as client:
                        client.send(f"{header}\n{row}\n")
                        self.assertAlmostEqual(float(client.line()), expected["predictions"][0])
            answer = daemon.post("/v1/learn?format=csv", b"y,a,c\n5,1,2\n")
            self.assertEqual(answer.status, 400, answer.body)
            self.assertIn("lacks 'b' of the model: --missing-columns allow", answer.json()["error"]["message"])
            self.assertEqual(daemon.status()["examples"], 200)
            self.assertEqual(daemon.stop(), 0)
            daemon = self.start(*options, "--serve", "--missing-columns", "allow")
            daemon.wait_examples(200)
            answer = daemon.post("/v1/learn?format=csv", "y,a,c\n1,0.5,0.25\n,1,2\n".encode())
            self.assertEqual((answer.status, answer.json()["accepted"]), (200, 1), answer.body)
            other = self.start(*options, "--serve")
            other.wait_examples(200)
            other.post("/v1/learn?format=csv", b"y,a,b,c\n1,0.5,,0.25\n")
            self.assertEqual(daemon.get("/v1/moments").body, other.get("/v1/moments").body)
            self.assertEqual([d.stop() for d in (daemon, other)], [0, 0])

    def test_a_body_may_have_other_columns_where_it_says_so_and_its_answer_says_which_values_were_odd(self):
        daemon = self.start("--dimension", 2, "--budget", 2, "--label", "y")
        post = lambda path, text: daemon.post(path, text.encode())
        rows = "".join(f"{n % 7},{n % 5},{n % 3}\n" for n in range(200))
        self.assertEqual(post("/v1/learn?format=csv", "y,a,b\n" + rows).json()["accepted"], 200)
        self.assertEqual(daemon.status()["columns"], {"label": ["y"], "ignore": [], "weight": [], "dates": {}})
        body = "x,b,y,a\nq,1,,2\nq,odd,,2\nq,2,,odd\nq,odder,,1\n"
        refused = post("/v1/predict?format=csv&odd=missing", body)
        self.assertIn("has a column 'x' that is no attribute", refused.json()["error"]["message"])
        told = post("/v1/predict?format=csv&odd=missing&others=ignore", body).json()
        alone = post("/v1/predict?format=csv", "a,b\n2,1\n").json()
        self.assertEqual((len(told["predictions"]), told["predictions"][0]), (4, alone["predictions"][0]))
        self.assertEqual(told["odd_values"], 3)
        self.assertEqual(sorted(told["odd"], key=lambda of: of["attribute"]), [{"attribute": "a", "count": 1, "first": "odd", "line": 4},
                                                                              {"attribute": "b", "count": 2, "first": "odd", "line": 3}])
        told = post("/v1/learn?format=csv&others=ignore", body.replace(",,", ",3,")).json()
        self.assertEqual((told["accepted"], told["odd_values"], [of["line"] for of in told["odd"]]), (4, 3, [3, 4]))
        self.assertEqual(post("/v1/predict?format=csv&others=perhaps", body).status, 400)

    def test_a_file_of_questions_behind_one_of_examples_may_lack_columns(self):
        table = self.write("a-train.csv", "y,a,b\n" + "".join(f"{y},{x[0]},{x[1]}\n" for y, x in examples(50)))
        status, out, log = self.run_to_end("--budget", 2, "--label", "y", "--state-directory", self.path("state"),
                                           "--input", table)
        self.assertEqual(status, 0, log)
        for content, answers in (("b\n1\n2\n", 2), ("a,y\n1,\n2,5\n3,\n", 2)):
            status, out, log = self.run_to_end("--budget", 2, "--state-directory", self.path("state"),
                                               "--input", self.write(f"questions-{answers}-{len(content)}.csv", content))
            self.assertEqual(len(out.split()), answers, log)
            self.assertEqual("--missing-columns allow" in log, "5" in content, log)

    def test_a_key_of_flat_json_is_the_weight(self):
        rows = examples(60)
        table = "y,w,a,b\n" + "".join(f"{y},{n % 4},{x[0]},{x[1]}\n" for n, (y, x) in enumerate(rows))
        flat = "".join(json.dumps({"a": x[0], "w": n % 4, "b": x[1], "y": y}) + "\n" for n, (y, x) in enumerate(rows))
        models = []
        for form, content in (("csv", table), ("auto", flat), ("ndjson", flat)):
            daemon = self.start("--budget", 2, "--label", "y", "--weight", "w", "--format", form, "--seed", 3,
                                "--solver", "inline", "--input", self.write("weights." + form, content), "--serve")
            daemon.wait_examples(60)
            models.append(daemon.get("/v1/model").json()["weights"])
            self.assertEqual(daemon.stop(), 0)
        self.assertEqual(models[1:], [models[0]] * 2)


if __name__ == "__main__":
    unittest.main()
