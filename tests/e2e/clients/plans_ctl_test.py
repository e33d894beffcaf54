"""glimpsectl ask, tell, plans and abandon against the real daemon."""

import json
import os
import pty
import random
import re
import subprocess
import unittest

from harness import DEADLINE, TestCase, binary


class PlansCtl(TestCase):
    def setUp(self):
        super().setUp()
        names = self.write("names.txt", "age\nsex\nbilirubin\nsgot\nprotime\n")
        self.daemon = self.start("--attributes", names, "--budget", 2, "--seed", 7, "--serve", "--max-plans", 5000)

    def ctl(self, *arguments, stdin="", expect=0, stdout=subprocess.PIPE):
        done = subprocess.run([binary("GLIMPSECTL_BIN"), "--server", f"unix:{self.daemon.http_path}",
                               *map(str, arguments)], input=stdin.encode(), stdout=stdout, stderr=subprocess.PIPE,
                              timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, expect, (done.stdout, done.stderr))
        return (done.stdout or b"").decode(), done.stderr.decode()

    def ask(self, *arguments):
        return json.loads(self.ctl("ask", "--json", *arguments)[0])["plans"]

    @staticmethod
    def item(plan, label=1.0):
        return json.dumps({"id": plan["id"], "label": label, "values": [0.5] * len(plan["attributes"])}) + "\n"

    def test_a_plan_is_asked_for_listed_and_told(self):
        out, _ = self.ctl("ask", "--ttl", "2h")
        match = re.fullmatch(r"plan +cost +expires +attributes\n(\S+) +2 +(\S+Z)  (\w+), (\w+)\n", out)
        self.assertTrue(match, out)
        self.assertLess({match[3], match[4]}, {"age", "sex", "bilirubin", "sgot", "protime"})
        listed, _ = self.ctl("plans")
        self.assertIn(f"{match[1]}     2  {match[2]}  –     {match[3]}, {match[4]}\n", listed)
        self.assertIn("\nopen         1\n", listed)
        item = json.dumps({"id": match[1], "label": 1, "values": {match[3]: 0.5, match[4]: None}})
        self.assertEqual(self.ctl("tell", stdin=item), ("1 plan learned\n", ""))
        self.assertEqual(self.ctl("tell", self.write("again", item)), ("0 plans learned, 1 duplicate\n", ""))
        self.assertEqual(self.daemon.status()["examples"], 1)

    def test_a_file_of_many_goes_out_in_pieces_and_what_is_bad_is_named_by_its_line(self):
        plans = self.ask("--count", 5000)
        padding = " " * 600  # three pieces
        lines = [self.item(plan).rstrip("\n") + padding + "\n" for plan in plans]
        lines[4321] = "\n" + '{"id":"3f9a2b-1","label":1,"values":[1]}\n'
        lines[10] = self.item({"id": plans[10]["id"], "attributes": [0]})
        file = self.write("answers", "".join(lines))
        self.assertGreater(os.path.getsize(file), 3_000_000)
        out, error = self.ctl("tell", file, expect=1)
        self.assertEqual(out, "4,998 plans learned, 1 unknown, 1 wrong_attributes\n")
        first, second, last = error.splitlines()
        self.assertIn(f"'{file}' line 11: plan {plans[10]['id']}: wrong_attributes: ", first)
        self.assertIn("; expected: ", first)
        self.assertIn(f"'{file}' line 4323: plan 3f9a2b-1: unknown: ", second)
        self.assertEqual(last, f"glimpsectl: '{file}': 2 of 5,000 items refused")
        self.assertEqual(self.daemon.status()["examples"], 4998)

    def test_a_label_that_differs_from_the_one_told_before_is_named(self):
        first, second = self.ask("--count", 2)
        self.ctl("tell", stdin=self.item(first, 2) + json.dumps({"id": second["id"], "label": 2}))
        out, error = self.ctl("tell", stdin=self.item(first, 3) + self.item(second, 4))
        self.assertEqual(out, "1 plan learned, 1 duplicate\n")
        self.assertEqual(error, f"glimpsectl: '-' line 1: plan {first['id']}: duplicate: this plan was told before with "
                         f"label 2, which stays; label 3 was not learned\nglimpsectl: '-' line 2: plan {second['id']}: "
                         "learned: label 4 takes the place of 2, which was told before\n")
        answer = self.daemon.post("/v1/tell", self.item(first, 3))
        self.assertEqual((answer.status, answer.json()["told_label"]), (200, 2))
        self.assertEqual(self.ctl("tell", stdin=self.item(first, 2)), ("0 plans learned, 1 duplicate\n", ""))

    def test_json_is_what_the_daemon_says(self):
        plans = self.ask("--count", 2)
        out, _ = self.ctl("tell", "--json", stdin="".join(map(self.item, plans)))
        self.assertEqual(json.loads(out), {"results": [{"id": plan["id"], "status": "learned"} for plan in plans],
                                           "learned": 2})
        out, error = self.ctl("tell", "--json", "-", stdin="{bad", expect=1)
        self.assertEqual(json.loads(out)["status"], "invalid")
        self.assertEqual(error, "glimpsectl: '-': 1 of 1 item refused\n")

    def test_one_array_is_told_in_one_piece(self):
        plans = self.ask("--count", 2)
        array = "[" + ",\n".join(map(self.item, plans)) + ', {"id": "x"}]'
        out, error = self.ctl("tell", stdin=array, expect=1)
        self.assertEqual(out, "2 plans learned, 1 invalid\n")
        self.assertIn("'-' item 3: plan x: invalid: no label, value or refused attribute is given", error)

    def test_a_terminal_gets_a_table(self):
        plan = self.ask()[0]
        file = self.write("answers", json.dumps({"id": plan["id"], "label": 1}) + "\n" + self.item({
            "id": "3f9a2b-1", "attributes": [1]}))
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        _, error = self.ctl("tell", file, expect=1, stdout=theirs)
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # how Linux says that the other side is closed
                break
            shown += piece
        text = shown.decode().replace("\r\n", "\n")
        self.assertRegex(text, rf"where +plan +status +message\nline 1  {plan['id']} +incomplete  kept; ")
        self.assertTrue(text.endswith("0 plans learned, 1 incomplete, 1 unknown\n"), text)
        self.assertEqual(error, f"glimpsectl: '{file}': 1 of 2 items refused\n")

    def test_what_to_buy_for_a_prediction(self):
        generator = random.Random(3)
        lines = []
        for _ in range(500):
            row = [generator.gauss(0, 1) for _ in range(5)]
            lines.append(json.dumps({"label": row[0] + 5 * row[3], "values": row}) + "\n")
        self.ctl("learn", stdin="".join(lines))
        self.daemon.get("/v1/model?fresh=true")
        out, _ = self.ctl("ask", "--for", "prediction", "--known", "age=3,sex=-0.5", "--count", 2)
        self.assertRegex(out, r"(?s)prediction +\S+\nstandard_error +\S+\n.*\nchoices\n"
                              r"attribute +name +cost +standard_error\n +3 +sgot +1 +\S+\n")
        answer = json.loads(self.ctl("ask", "--json", "--for", "prediction", "--known", "0=3,1=-0.5")[0])
        lines, _ = self.ctl("predict", stdin='{"known": {"age": 3, "sex": -0.5}}\n{"known": {}}\n')
        first, second = (list(map(float, line.split())) for line in lines.splitlines())
        self.assertAlmostEqual(first[0], answer["prediction"], delta=1e-9)
        self.assertAlmostEqual(first[1], answer["standard_error"], delta=1e-9)
        self.assertGreater(second[1], first[1])

    def test_pages(self):
        plans = self.ask("--count", 5)
        first = self.ctl("plans", "--limit", 2)[0]
        self.assertIn(f"\nmore are open: glimpsectl plans --after {plans[1]['id']}\n", first)
        page = json.loads(self.ctl("plans", "--json", "--after", plans[1]["id"], "--limit", 9)[0])
        self.assertEqual([row["id"] for row in page["plans"]], [plan["id"] for plan in plans[2:]])
        self.assertIsNone(page["next"])

    def test_plans_are_abandoned(self):
        one, two, three = (plan["id"] for plan in self.ask("--count", 3))
        self.assertEqual(self.ctl("abandon", one, two), (f"{one} abandoned\n{two} abandoned\n", ""))
        out, error = self.ctl("abandon", "x/y", three, expect=1)
        self.assertEqual(out, f"{three} abandoned\n")
        self.assertIn("unknown: ", error)
        self.assertEqual(self.daemon.status()["plans_open"], 0)

    def test_what_the_daemon_refuses_has_its_exit_code(self):
        for arguments, words in ((("ask", "--available", "nonsense"), "unknown_attribute"),
                                 (("ask", "--ttl", "5 weeks"), "invalid_ask"),
                                 (("ask", "--count", "999999"), "--max-plans"),
                                 (("plans", "--after", "x"), "invalid_id"),
                                 (("plans", "--limit", "99999999"), "invalid_limit")):
            out, error = self.ctl(*arguments, expect=1)
            self.assertEqual(out, "")
            self.assertRegex(error, f"^glimpsectl: .*{words}")
        self.daemon.kill()
        for arguments in (("ask",), ("plans",), ("abandon", "a-1"), ("tell", self.write("one", "{}"))):
            self.ctl(*arguments, expect=3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
