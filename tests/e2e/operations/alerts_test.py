"""The rules and the dashboard of daemon/operations ask for what is there, and a real Prometheus understands them."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import unittest
import urllib.parse
import urllib.request

from harness import DEADLINE, SMALL, TestCase, binary, until

OPERATIONS = os.path.join(binary("GLIMPSE_SOURCE_DIR"), "daemon", "operations")
NAME = re.compile(r"\b(?:glimpse|process)_[a-z0-9_]+\b")
# What a query is counted in, by the end of its metric's name; by the second that of its rate.
UNITS = {"seconds": ("s", "none"), "bytes": ("bytes", "Bps")}
# Counted in something else than its name says, and why.
OTHER_UNITS = {"Processor": "seconds a second are cores", "Starts": "a date, in milliseconds"}


def promtool():
    return os.environ.get("GLIMPSE_PROMTOOL") or shutil.which("promtool")


def prometheus():
    beside = os.path.join(os.path.dirname(promtool() or ""), "prometheus")
    return beside if os.access(beside, os.X_OK) else shutil.which("prometheus")


def read(name):
    with open(os.path.join(OPERATIONS, name), encoding="utf-8") as file:
        return file.read()


def dashboard_made():
    spec = importlib.util.spec_from_file_location("dashboard", os.path.join(OPERATIONS, "dashboard.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.dashboard()


def panels():
    return [panel for panel in json.loads(read("dashboard.json"))["panels"] if panel["type"] != "row"]


def queries():
    return [target["expr"] for panel in panels() for target in panel["targets"]]


class Files(TestCase):
    def metrics_of(self, *arguments, examples=()):
        daemon = self.start(*arguments)
        for body in examples:
            daemon.post("/v1/learn", body)
        daemon.get("/v1/model?fresh=true")
        return set(re.findall(r"^# TYPE (\S+) ", daemon.get("/metrics").body.decode(), re.MULTILINE))

    def test_every_metric_that_is_asked_for_is_one_that_the_daemon_tells(self):
        costs = self.path("costs.txt")
        with open(costs, "w", encoding="ascii") as file:
            file.write("".join(f"{i} 1\n" for i in range(4)))
        there = self.metrics_of(*SMALL, "--algorithm", "pairwise", "--costs", costs, "--total-cost", "99",
                                "--total-budget", "99", "--hold-out", "20%", "--state-directory", self.path("state"),
                                examples=[json.dumps([{"label": i, "values": [i, 1, 2, 3]} for i in range(60)])])
        there |= self.metrics_of("--dimension", "4", "--budget", "3", "--hold-out", "50%", "--task", "classes",
                                 "--input", self.write("nothing", ""), "--serve",
                                 examples=[json.dumps([{"label": i % 2, "values": [i, 1, 2, 3]} for i in range(60)])])
        there |= {name + "_bucket" for name in there if name.endswith("_duration_seconds")}
        for told in ("topic_report", "metrics"):  # where brokers of Kafka are needed
            with open(os.path.join(OPERATIONS, "..", "reports", told + ".cpp"), encoding="utf-8") as file:
                there |= set(NAME.findall(file.read()))
        for name, text in (("alerts.yml", read("alerts.yml")), ("dashboard.json", " ".join(queries()))):
            with self.subTest(name):
                asked = set(NAME.findall(text))
                self.assertGreater(len(asked), 20)
                self.assertEqual(asked - there - {"glimpse_solve_duration_seconds"}, set())

    def test_the_dashboard_is_what_its_script_makes(self):
        self.assertEqual(json.loads(read("dashboard.json")), dashboard_made(),
                         "python3 daemon/operations/dashboard.py > daemon/operations/dashboard.json renews it")

    def test_panels_lie_apart_and_ask_the_chosen_source(self):
        cells = set()
        board = json.loads(read("dashboard.json"))
        self.assertEqual(len({panel["id"] for panel in board["panels"]}), len(board["panels"]))
        self.assertEqual(board["templating"]["list"][0]["name"], "datasource")
        for panel in board["panels"]:
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24)
            for y in range(place["y"], place["y"] + place["h"]):
                for x in range(place["x"], place["x"] + place["w"]):
                    self.assertNotIn((x, y), cells, panel["title"])
                    cells.add((x, y))
            for target in panel.get("targets", []):
                self.assertEqual(target["datasource"]["uid"], "${datasource}")
                self.assertIn('instance="$instance"', target["expr"])

    def test_units_of_panels_are_those_of_the_metrics(self):
        for panel in panels():
            if panel["title"] in OTHER_UNITS:
                continue
            for target in panel["targets"]:
                query = target["expr"]
                name = re.sub("_(bucket|total)$", "", (NAME.findall(query) or ["up"])[0])
                whole, rate = UNITS.get(name.rpartition("_")[2], ("none", "cps"))
                wanted = rate if "rate(" in query and "histogram_quantile" not in query else whole
                self.assertEqual(panel["fieldConfig"]["defaults"]["unit"], wanted, query)

    def test_each_rule_has_a_test_by_which_it_fires_and_one_by_which_it_does_not(self):
        rules = re.findall(r"^ +- alert: (\w+)$", read("alerts.yml"), re.MULTILINE)
        self.assertEqual(len(rules), len(set(rules)))
        tests = read("alerts_test.yml")
        fires = re.findall(r"alertname: (\w+)\n +exp_alerts:\n", tests)
        silent = re.findall(r"alertname: (\w+)\n +exp_alerts: \[\]\n", tests)
        self.assertEqual((sorted(rules), sorted(rules)), (sorted(fires), sorted(set(silent))))

    def test_each_rule_leads_to_a_section_of_the_runbook(self):
        sections = {"#" + re.sub(r"[^a-z0-9 -]", "", line.lower()).replace(" ", "-")
                    for line in re.findall(r"^## (.*)$", read("RUNBOOK.md"), re.MULTILINE)}
        led = re.findall(r"^ +runbook: /usr/share/doc/glimpsed/RUNBOOK\.md(#\S+)$", read("alerts.yml"), re.MULTILINE)
        self.assertEqual(len(led), len(re.findall(r"- alert:", read("alerts.yml"))))
        self.assertEqual(set(led) - sections, set())

    def promtool(self, *arguments):
        if not promtool():
            self.skipTest("promtool is not here (Debian: prometheus); GLIMPSE_PROMTOOL may name it")
        done = subprocess.run([promtool(), *arguments], cwd=OPERATIONS, capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_promtool_accepts_the_rules_and_the_example_of_a_configuration(self):
        self.promtool("check", "rules", "alerts.yml")
        self.promtool("check", "config", "--syntax-only", "prometheus.yml")

    def test_the_rules_fire_and_do_not_as_their_tests_say(self):
        self.promtool("test", "rules", "alerts_test.yml")


class Prometheus(TestCase):
    """A real one on loopback, at a port of the kernel's choice, that scrapes a real daemon."""

    def setUp(self):
        super().setUp()
        if not prometheus():
            self.skipTest("prometheus is not here; GLIMPSE_PROMTOOL may name a promtool that it stands beside")
        self.daemon = self.start(*SMALL, "--http", "127.0.0.1:0", "--listen", f"unix:{self.path('stream.sock')}",
                                 "--max-connections", "1", "--state-directory", self.path("state"), "--drift", "auto")
        self.target = self.daemon.wait_log(r"HTTP door open on tcp:(\S+)").group(1)
        told = read("prometheus.yml").replace("15s", "200ms").replace("127.0.0.1:9318", self.target)
        self.write("prometheus.yml", told.replace("/usr/share/glimpse", OPERATIONS))
        self.log_path = self.path("prometheus.log")
        with open(self.log_path, "w", encoding="utf-8") as log:
            self.server = subprocess.Popen(
                [prometheus(), f"--config.file={self.path('prometheus.yml')}",
                 f"--storage.tsdb.path={self.path('series')}", "--web.listen-address=127.0.0.1:0"],
                stdout=log, stderr=log)
        self.addCleanup(self.end)
        self.address = until(self.opened, "Prometheus listens")

    def end(self):
        self.server.terminate()
        self.server.wait(DEADLINE)

    def opened(self):
        with open(self.log_path, encoding="utf-8") as file:
            text = file.read()
        self.assertIsNone(self.server.poll(), text)
        found = re.search(r'msg="Listening on" address=(127\.0\.0\.1:[1-9]\d*)', text)
        return found and found.group(1)

    def ask(self, path, **parameters):
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            if error.code == 503:  # it is not ready yet
                return {}
            raise AssertionError(f"{parameters}: {error.read()}") from error

    def values(self, query):
        return [float(found["value"][1]) for found in self.ask("query", query=query).get("result", [])]

    def test_it_scrapes_the_daemon_evaluates_all_rules_and_queries_and_an_alert_fires(self):
        until(lambda: self.values('up{job="glimpse"}') == [1], "the daemon is scraped")
        until(lambda: self.values('glimpse_refused_total{reason="connections"}') == [0], "nobody was turned away yet")
        with self.daemon.client("unix"), self.daemon.client("unix") as second:
            self.assertEqual(second.socket.recv(1000), b"")  # it is turned away
            fired = until(lambda: [alert for alert in self.ask("alerts").get("alerts", [])
                                   if alert["state"] == "firing"], "an alert fires")
        self.assertEqual([(alert["labels"]["alertname"], alert["labels"]["reason"]) for alert in fired],
                         [("GlimpseConnectionsTurnedAway", "connections")])
        rules = self.ask("rules")["groups"][0]["rules"]
        self.assertEqual({rule["health"] for rule in rules}, {"ok"})
        answered = 0
        for query in queries():
            with self.subTest(query):
                answered += bool(self.values(query.replace("$instance", self.target)))
        self.assertGreater(answered, 30)


if __name__ == "__main__":
    unittest.main(verbosity=2)
