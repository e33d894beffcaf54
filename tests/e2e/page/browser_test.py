"""The page in Debian's chromium: moves while a stream runs, marks what happens, comes back after kill -9, asks nothing
while hidden, and has no violation of axe-core's rules.

Wants node, chromium, and the npm packages of package-lock.json in a folder GLIMPSE_BROWSER_MODULES. tools/check brings
all of them. By hand:

    cp tests/e2e/page/package*.json FOLDER && npm ci --prefix FOLDER --ignore-scripts
    GLIMPSE_BROWSER_MODULES=FOLDER/node_modules ctest -R e2e_browser

GLIMPSE_SCREENSHOTS=DIR: leaves pictures there.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import time
import unittest

from browser_support import MODULES, REASON, SOURCES, Look
from harness import DEADLINE, SMALL, binary, examples, ndjson, until
from locked_support import READER, TEACHER, Locked, bearer


@unittest.skipIf(REASON, REASON)
class Browser(Locked):
    def check(self, look, state, complaints=()):
        self.assertEqual((state["elsewhere"], look.violations(), state["is_wider"]), ([], [], False))
        self.assertEqual([one for one in state["complaints"] if not any(word in one for word in complaints)], [])

    def test_it_shows_what_was_learned_in_each_size_and_colour(self):
        daemon = self.on_tcp("--hold-out", "5%")
        self.ask(daemon, "POST", "/v1/learn", ndjson(examples(2000)))
        for scheme in ("light", "dark"):
            for width in (360, 1600):
                with self.subTest(scheme=scheme, width=width):
                    look = Look(daemon.port, scheme=scheme, width=width)
                    state = look.until(lambda now: now["importances"] > 0 and now["looks"] == 4 and now["canvases"] == 3
                                       and now["rows"] > 20, "importances, looks and curves are there")
                    self.assertIn("phase", state["facts"])
                    self.check_headline(state["headline"])
                    self.assertNotIn("undefined", json.dumps(state))
                    self.assertNotIn("NaN", json.dumps(state))
                    self.check(look, state)
                    look.end()

    def check_headline(self, headline):
        """Of `examples(2000)` with 5 % held out."""
        for tile, words in zip(headline, (r"examples learned from1,\d{3}pairwise, \d of 4 attributes of each",
                                          r"R², recent0\.\d+± 0\.\d+; loss ", r"looked at\d+ %of everything: ",
                                          "examples a second", r"phase\d"), strict=True):
            self.assertRegex(tile, "^" + words)

    def test_where_it_looks_and_the_weights_are_pictures_where_attributes_are_one(self):
        daemon = self.on_tcp("--attribute-grid", "2x2")
        # Of the four the third alone says something.
        self.ask(daemon, "POST", "/v1/learn", ndjson([(5 * x[2], x) for _, x in examples(2000)]))
        for scheme, width in (("light", 360), ("dark", 1600)):
            look = Look(daemon.port, scheme=scheme, width=width)
            state = look.until(lambda now: len(now["heat"]) == 2 and now["looks"] == 4, "both pictures are there")
            self.assertRegex(state["heat"][0], r"^Chance of each attribute to be looked at, 2 by 2: largest is 0\.\d+ at row 2, column 1$")
            self.assertRegex(state["heat"][1], r"^Weight of each attribute, 2 by 2: largest is [45]\.?\d* at row 2, column 1$")
            self.check(look, state)
            look.end()

    def test_classes_are_told_with_what_they_are_mistaken_for(self):
        rows = "".join(f"{x[0]},{x[1]},{'lime' if x[0] + x[1] > 0 else 'kiwi'}\n" for _, x in examples(3000))
        daemon = self.start("--label", "fruit", "--budget", 2, "--hold-out", "20%", "--serve", "--input",
                            self.write("fruit.csv", "weight,width,fruit\n" + rows), "--http", "127.0.0.1:0", http=None)
        port = int(daemon.wait_log(r"HTTP door open on tcp:127.0.0.1:(\d+)").group(1))
        for scheme, width in (("dark", 360), ("light", 1600)):
            look = Look(port, scheme=scheme, width=width)
            state = look.until(lambda now: len(now["confusion"]) == 2, "the table is there")
            self.assertEqual({row[0] for row in state["confusion"]}, {"lime", "kiwi"})
            right = sum(int(row[1 + k].replace(",", "")) for k, row in enumerate(state["confusion"]))
            every = sum(int(cell.replace(",", "")) for row in state["confusion"] for cell in row[1:-1])
            held_out = re.search(r"Of ([\d,]+) examples held out", state["classes"]).group(1)
            self.assertEqual(every, int(held_out.replace(",", "")))
            self.assertGreater(right, 0.8 * every)
            for words in ("log loss", "Brier score", "wrong"):
                self.assertRegex(state["classes"], words + r"\d+(\.\d+)? ± ")
            self.assertRegex(state["headline"][1], r"^wrong, held out\d+(\.\d+)? %± ")
            look.say("fill #try-fields>div:first-child>input 0.9")
            look.say("click #try-form>p:last-child>button")
            state = look.until(lambda now: "Worth looking at next" in now["answer"], "the answer is there")
            self.assertRegex(state["answer"], r"^lime with probability \d\d.* % .*width")
            self.check(look, state)
            look.end()

    def test_of_several_labels_one_is_chosen(self):
        rows = "".join(f"{x[0]},{x[1]},{x[0] + 20},{1000 * x[1] + 300 * x[0] * x[1]}\n" for _, x in examples(1000))
        daemon = self.start("--label", "temp,cnt", "--budget", 2, "--serve", "--input",
                            self.write("both.csv", "hour,wind,temp,cnt\n" + rows), "--http", "127.0.0.1:0", http=None)
        look = Look(int(daemon.wait_log(r"HTTP door open on tcp:127.0.0.1:(\d+)").group(1)), width=360)
        loss = r"loss, recent([\d.e-]+) ± "
        state = look.until(lambda now: now["importances"] > 0 and "1,000 examples" in now["title"], "the page is there")
        self.assertLess(float(re.search(loss, state["facts"]).group(1)), 1)
        look.say("choose #label cnt")
        state = look.until(lambda now: float(re.search(loss, now["facts"]).group(1)) > 1, "the other label's losses are shown")
        look.say("click #try-form>p:last-child>button")
        state = look.until(lambda now: "in 95 of 100 cases" in now["answer"], "and its predictions")
        self.check(look, state)
        look.end()

    def test_a_prediction_is_tried_and_a_plan_is_answered_by_hand(self):
        prices = self.write("costs", "0 1\n1 2\n2 4\n3 8\n")
        arguments = ("--token-file", self.tokens(), "--costs", prices, "--budget-cost", 15, "--total-cost", 100000)
        daemon = self.on_tcp(*arguments)
        self.assertEqual(self.ask(daemon, "POST", "/v1/learn", ndjson([(5 * x[2], x) for _, x in examples(2000)]), bearer(TEACHER))[0], 200)
        look = Look(daemon.port, TEACHER)
        state = look.until(lambda now: len(now["fields"]) == 4 and "0 plans open" in now["account"], "there is a field for each attribute")
        self.assertEqual(state["fields"], ["0", "1", "2", "3"])
        look.say("click #try-form>p:last-child>button")
        state = look.until(lambda now: "Worth looking at next" in now["answer"], "nothing is known")
        self.assertRegex(state["answer"], r"± .*; in 95 of 100 cases between .*± is then24\S+")  # attribute 2, for 4
        look.say("fill #try-fields>div:nth-child(3)>input 0.5")
        look.say("click #try-form>p:last-child>button")
        state = look.until(lambda now: now["answer"].startswith("2."), "5 times 0.5 is near 2.5")
        look.say("fill #try-fields>div:nth-child(3)>input red")
        look.say("click #try-form>p:last-child>button")
        look.until(lambda now: "is a word, which it never had" in now["try_trouble"], "what is wrong is told")
        self.assertRegex(state["account"], r"^money: [\d,]+ spent, [\d,]+ of 100,000 left; attributes: [\d,]+ spent; 0 plans open$")

        look.say("click #plans-ask>button")
        state = look.until(lambda now: now["plan_fields"] and "1 plan open" in now["account"], "a plan is there")
        self.assertRegex(state["account"], "for open plans")
        for k in range(len(state["plan_fields"])):
            look.say(f"fill #plans-fields>div:nth-child({k + 1})>input 0.25")
        look.say("fill #plans-label 1.25")
        self.check(look, look.state(), ("401", "422"))
        look.say("click #plans-form>p:last-child>button")
        state = look.until(lambda now: "0 plans open" in now["account"] and "learned" in now["plans_said"] and "2,001 examples" in now["title"]
                           and not now["plan_fields"] and not now["plans"], "it is learned")
        look.say("click #plans-ask>button")
        look.until(lambda now: len(now["plans"]) == 1, "another one")
        look.say("click #plans-list>li>button:last-child")
        look.until(lambda now: "0 plans open" in now["account"] and "was given back" in now["plans_said"], "it was given back")
        look.end()
        reader = Look(daemon.port, READER)
        reader.until(lambda now: len(now["fields"]) == 4, "a reader sees the page")
        reader.say("click #plans-ask>button")
        reader.until(lambda now: "needs one that may learn" in now["plans_said"], "and may not buy")
        reader.end()

    def test_what_the_first_picture_needs_is_asked_for_at_once(self):
        daemon = self.on_tcp()
        self.ask(daemon, "POST", "/v1/learn", ndjson(examples(2000)))
        done = subprocess.run(["node", os.path.join(SOURCES, "tests", "e2e", "page", "first_picture.js"), os.path.abspath(MODULES),
                               shutil.which("chromium"), "1", f"http://127.0.0.1:{daemon.port}/"],
                              stdout=subprocess.PIPE, text=True, timeout=DEADLINE, check=True)
        load = json.loads(done.stdout)
        self.assertTrue(load["is_drawn"])
        asked = {one["path"]: one for one in load["requests"]}
        self.assertEqual(len(asked), len(load["requests"]), "one is asked for twice")
        files = {"/page/page.css", "/page/page.js", "/page/uPlot.iife.min.js"}
        # What else there may be at this moment comes after the picture.
        self.assertEqual(set(asked) - {"/page/icon.svg", "/v1/model", "/v1/moments", "/v1/plans"}, {*files, "/v1/status", "/v1/history"})
        for together in (files, ("/v1/status", "/v1/history")):
            self.assertLessEqual(max(asked[path]["asked"] for path in together), min(asked[path]["answered"] for path in together))

    def test_it_moves_and_asks_nothing_while_hidden(self):
        daemon = self.on_tcp()
        look = Look(daemon.port)
        look.until(lambda now: now["title"] == "glimpse: 0 examples", "the page shows an empty daemon")
        rows = examples(600)
        for k in range(3):
            self.ask(daemon, "POST", "/v1/learn", ndjson(rows[200 * k:200 * k + 200]))
            look.until(lambda now, k=k: f"{200 * k + 200} examples" in now["title"], "the page moves")
        self.ask(daemon, "POST", "/v1/freeze")
        self.check(look, look.until(lambda now: "freeze after 600 examples" in now["events"], "the freeze is marked"))
        look.say("hide")
        time.sleep(1.5)  # what was asked before
        before = look.state()["asked"]
        time.sleep(3)
        self.assertEqual(look.state()["asked"], before)
        look.end()

    def test_the_switch_of_looks_and_a_change_of_the_stream_appear_while_it_runs(self):
        stream = subprocess.run([binary("GLIMPSE_GEN_BIN"), "--set", "pictures", "--examples", "8000", "--flip-at", "4000",
                                 "--format", "vw"], stdout=subprocess.PIPE, check=True).stdout.splitlines(True)
        daemon = self.start("--dimension", 784, "--budget", 57, "--drift", "auto", "--solver", "inline", "--format", "vw",
                            "--http", "127.0.0.1:0", "--serve", "--input", "-", http=None, stdin=subprocess.PIPE)
        daemon.process.stdin.writelines(stream[:3000])
        daemon.process.stdin.flush()
        look = Look(int(daemon.wait_log(r"HTTP door open on tcp:\S+:(\d+)").group(1)))
        first = look.until(lambda now: "phase 2 after" in now["events"] and "looks go to attributes that vary more" in now["facts"],
                           "the switch is there")
        self.assertNotIn("change", first["events"])
        daemon.process.stdin.writelines(stream[3000:])
        daemon.process.stdin.flush()
        last = look.until(lambda now: re.search("chang[^;]* after", now["events"]) and "1 noticed" in now["facts"],
                          "the change is there")
        self.check(look, last)
        look.end()

    def again(self, daemon, *arguments):
        """Another daemon at the same address."""
        daemon.kill()
        other = self.start(*SMALL, *arguments, "--http", f"127.0.0.1:{daemon.port}", http=None)
        other.wait_log("HTTP door open")

    def test_another_daemon_at_the_same_address_begins_another_curve(self):
        daemon = self.on_tcp()
        self.ask(daemon, "POST", "/v1/learn", ndjson(examples(300)))
        self.ask(daemon, "POST", "/v1/freeze")
        look = Look(daemon.port)
        look.until(lambda now: "freeze after 300 examples" in now["events"], "the freeze is marked")
        self.again(daemon)
        # More than the other had, so that counts alone do not tell.
        self.ask(daemon, "POST", "/v1/learn", ndjson(examples(900)))
        look.until(lambda now: "900 examples" in now["title"] and "freeze" not in now["events"], "the page shows the other daemon")
        look.end()

    def test_what_is_frozen_and_what_stands_still_is_told(self):
        daemon = self.on_tcp()
        look = Look(daemon.port)
        state = look.until(lambda now: "Nothing was learned yet" in now["curve_words"], "an empty daemon is told in words")
        self.assertEqual((state["rate_words"], state["canvases"]), (state["curve_words"], 1))
        self.ask(daemon, "POST", "/v1/learn", ndjson(examples(1)))
        look.until(lambda now: now["title"] == "glimpse: 1 example", "one example is told as one")
        self.ask(daemon, "POST", "/v1/learn", ndjson(examples(500)))
        look.until(lambda now: "501 examples" in now["title"], "the page moves")
        look.say("select")
        selected = look.state()["selected"]
        self.assertIn("pairwise", selected)
        state = look.until(lambda now: "the last came" in now["facts"], "it is told that no example comes")
        self.assertEqual(state["selected"], selected)
        self.assertNotIn("a second", state["facts"])
        # The newest sample whose rate is known: of examples that all came at one moment none may be.
        told = json.loads(self.ask(daemon, "GET", "/v1/history?columns=examples,rate")[1])["columns"]
        known = [number for number, rate in zip(told["examples"], told["rate"]) if rate is not None]
        self.assertEqual(state["legends"][0], str((known or told["examples"])[-1]))
        self.assertEqual("–" in state["legends"], not known)
        self.ask(daemon, "POST", "/v1/freeze")
        self.ask(daemon, "POST", "/v1/learn", ndjson([(-9 * y, x) for y, x in examples(300)]))
        state = look.until(lambda now: "300 labelled examples came" in now["facts"], "what came while frozen is told")
        self.assertRegex(state["facts"], "R² while frozen-")
        self.assertIn("R² at the freeze", state["facts"])
        self.check(look, state)
        look.end()

    def test_errors_stand_first_and_are_marked_and_a_daemon_without_history_says_so(self):
        cut = self.write("cut.gz", gzip.compress(ndjson(examples(20)).encode())[:-9])
        daemon = self.on_tcp("--history", 0, "--input", cut, "--serve")
        look = Look(daemon.port)
        self.ask(daemon, "POST", "/v1/learn", ndjson(examples(20)))
        state = look.until(lambda now: "--history 0" in now["curve_words"], "it is told that there is no history")
        self.assertIn("--history 0", state["rate_words"])
        state = look.until(lambda now: "cut short" in now["doors"], "the input that failed is marked")
        self.assertRegex(state["doors"], "⚠ .*cut.gz: .*cut short")
        self.ask(daemon, "POST", "/v1/learn", ndjson(examples(2)) + "no example\n")
        state = look.until(lambda now: "⚠ 1" in now["doors"], "the error is marked")
        self.assertRegex(state["doors"], "^doorerrorsexamples.*http.*⚠ 1")
        self.check(look, state, ("404", "409"))
        look.end()

    def test_what_was_shown_is_grey_while_nobody_answers_and_gone_without_a_token(self):
        daemon = self.on_tcp()
        self.ask(daemon, "POST", "/v1/learn", ndjson(examples(300)))
        look = Look(daemon.port)
        self.assertFalse(look.until(lambda now: "300 examples" in now["title"], "the page is there")["is_old"])
        daemon.kill()
        state = look.until(lambda now: " s old." in now["trouble"] and now["is_old"], "the age of what is shown is told")
        self.assertEqual((state["title"], look.violations()), ("glimpse: no answer", []))
        self.again(daemon, "--token-file", self.tokens())
        state = look.until(lambda now: now["needs_token"], "a token is asked for")
        self.assertFalse(state["shows_data"])
        self.assertEqual([state[name] for name in ("title", "headline", "facts", "events", "doors", "canvases")],
                         ["glimpse", [], "", "", "", 0])
        look.end()

    def test_it_needs_a_token_and_comes_back_after_kill_9(self):
        arguments = (*SMALL, "--token-file", self.tokens(), "--state-directory", self.path("state"), "--checkpoint-examples", 100)
        daemon = self.on_tcp(*arguments[len(SMALL):])
        self.assertEqual(self.ask(daemon, "POST", "/v1/learn", ndjson(examples(1000)), bearer(TEACHER))[0], 200)
        stranger = Look(daemon.port)
        state = stranger.until(lambda now: now["needs_token"], "a token is asked for")
        self.assertFalse(state["shows_data"])
        self.assertEqual((state["facts"], state["events"], state["headline"], state["canvases"]), ("", "", [], 0))
        self.check(stranger, state, ("401",))
        stranger.end()
        look = Look(daemon.port, READER)
        state = look.until(lambda now: now["shows_data"] and now["title"] == "glimpse: 1,000 examples", "the token opens the page")
        self.assertEqual(state["url"], f"http://127.0.0.1:{daemon.port}/")
        self.assertEqual(self.ask(daemon, "POST", "/v1/checkpoint", None, bearer(TEACHER))[0], 200)
        daemon.kill()
        look.until(lambda now: "does not answer" in now["trouble"], "the page says that nobody answers")
        again = self.start(*arguments, "--http", f"127.0.0.1:{daemon.port}", http=None)
        again.wait_log("HTTP door open")
        state = look.until(lambda now: now["trouble"] == "" and "restart from a checkpoint after 1,000" in now["events"], "the page comes back")
        self.check(look, state, ("401", "ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET"))
        look.end()


if __name__ == "__main__":
    unittest.main()
