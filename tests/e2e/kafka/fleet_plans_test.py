"""Plans of a fleet over a real broker: asked for and told at the owners of partitions, over rebalances and kill -9; and
states that are files of a shared folder."""

import json
import os
import subprocess
import sys
import unittest

from broker_support import needs_broker
from fleet_support import PATIENCE, SHORT_SILENCE, FleetTestCase, messages, settled
from harness import DEADLINE, binary, until

sys.path.insert(0, os.path.join(os.environ["GLIMPSE_SOURCE_DIR"], "tools", "python"))
from glimpsed.client import Client, Tell  # noqa: E402

PARTITIONS = 4
NEVER = "1h"  # between commits: what is committed was asked or told


def item(plan, label=1.0):
    return {"id": plan["id"], "label": label, "values": [0.5] * len(plan["attributes"])}


@needs_broker
class FleetPlans(FleetTestCase):
    def setUp(self):
        super().setUp()
        self.client.create_topic(self.topic, PARTITIONS)
        self.client.produce(self.topic, list(messages(400, partitions=PARTITIONS)))

    def instance(self, *arguments, **keywords):
        return super().instance("--http", "127.0.0.1:0", *arguments, **keywords)

    @staticmethod
    def url(instance):
        return instance.wait_log(r"HTTP door open on tcp:(127.0.0.1:\d+)").expand(r"http://\1")

    def ask(self, instance, partition, count=1):
        answer = instance.post(f"/v1/ask?partition={partition}", json.dumps({"count": count}))
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["plans"]

    def tell(self, instance, told):
        return instance.post("/v1/tell", json.dumps(told)).json()["status"]

    def ctl(self, instance, *arguments, stdin=""):
        done = subprocess.run([binary("GLIMPSECTL_BIN"), "--server", self.url(instance), *arguments], input=stdin.encode(),
                              capture_output=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def two_instances(self):
        """Two with two partitions each, who know of each other; and the plans that the first gave out before."""
        first = self.instance()
        self.wait_model(first, 400)
        plans = [self.ask(first, partition, 2) for partition in range(PARTITIONS)]
        second = self.instance()
        for instance in (first, second):
            self.wait_here(instance, 2)
        urls = {self.url(first), self.url(second)}
        for instance in (first, second):
            until(lambda: {p["owner"] for p in self.fleet(instance)["partitions"]} == urls, "owners to be known", PATIENCE)
        return first, second, plans

    def test_a_plan_goes_with_its_partition_and_another_instance_says_where_it_is(self):
        first, second, plans = self.two_instances()
        self.assertEqual(len({plan["id"] for of in plans for plan in of}), 2 * PARTITIONS)
        for partition, (plan, _) in enumerate(plans):
            self.assertTrue(plan["id"].startswith(f"p{partition}-"))
            owner, other = (first, second) if partition in self.here(first) else (second, first)
            for answer in (other.post(f"/v1/ask?partition={partition}"), other.post("/v1/tell", json.dumps(item(plan))),
                           other.request("DELETE", "/v1/plans/" + plan["id"])):
                self.assertEqual((answer.status, answer.error()), (409, "elsewhere"), answer.body)
                self.assertEqual(answer.json()["owner"], self.url(owner))
            self.assertEqual(other.post(f"/v1/ask?partition={partition}").headers["Glimpse-Owner"], self.url(owner))
            self.assertEqual(self.tell(owner, item(plan)), "learned")
            self.assertEqual(self.tell(owner, item(plan)), "duplicate")
        told = first.post("/v1/tell", json.dumps([item(of[1]) for of in plans])).json()["results"]
        self.assertEqual([row["status"] for row in told],
                         ["learned" if p in self.here(first) else "elsewhere" for p in range(PARTITIONS)])
        for instance in (first, second):
            self.wait_model(instance, 406)
        any_plan = first.post("/v1/ask").json()["plans"][0]
        self.assertIn(int(any_plan["id"][1]), self.here(first))
        listed = first.get("/v1/plans").json()
        self.assertEqual((listed["open"], [plan["id"] for plan in listed["plans"]]), (1, [any_plan["id"]]))
        until(lambda: first.status()["plans_open"] == 1, "the plan to be counted", PATIENCE)
        self.assertIn("glimpse_plans_open 1\n", first.get("/metrics").body.decode())
        self.assertEqual(first.request("DELETE", "/v1/plans/" + any_plan["id"]).status, 200)
        self.assertEqual(settled(first.model()), settled(second.model()))

    def here(self, instance):
        return {p["partition"] for p in self.fleet(instance)["partitions"] if p["state"] == "here"}

    def test_clients_follow_to_the_owner(self):
        first, _, plans = self.two_instances()
        with Client(self.url(first)) as glimpse:
            asked = [glimpse.ask(partition=partition)[0] for partition in range(PARTITIONS)]
            self.assertEqual([plan.id.split("-")[0] for plan in asked], [f"p{p}" for p in range(PARTITIONS)])
            self.assertEqual({glimpse.tell(plan, 1, [0.5] * 3).status for plan in asked}, {"learned"})
            told = glimpse.tell_many(Tell(of[0]["id"], 1, [0.5] * 3) for of in plans)
            self.assertEqual([row.status for row in told], ["learned"] * PARTITIONS)
        lines = "".join(json.dumps(item(of[1])) + "\n" for of in plans)
        self.assertEqual(self.ctl(first, "tell", stdin=lines), "4 plans learned\n")
        ids = [json.loads(self.ctl(first, "ask", "--json", "--partition", str(p)))["plans"][0]["id"] for p in range(PARTITIONS)]
        self.assertEqual(self.ctl(first, "abandon", *ids), "".join(f"{name} abandoned\n" for name in ids))
        self.wait_model(first, 412)

    def test_what_was_answered_survives_a_kill_of_the_owner(self):
        first = self.instance(commit=NEVER)
        self.wait_here(first, PARTITIONS)
        told, open_plan, half = self.ask(first, 1, 3)
        self.assertEqual(self.tell(first, item(told)), "learned")
        self.assertEqual(self.tell(first, {"id": half["id"], "label": 1}), "incomplete")
        first.kill()
        second = self.instance(commit=NEVER)
        self.wait_here(second, PARTITIONS)
        self.assertEqual(self.tell(second, item(told)), "duplicate")
        self.assertEqual(self.tell(second, item(open_plan)), "learned")
        self.assertEqual(self.tell(second, {"id": half["id"], "values": item(half)["values"]}), "learned")
        self.assertEqual(second.stop(), 0)
        third = self.instance()
        self.wait_model(third, 403)

    def test_what_is_no_plan_or_partition_of_the_fleet_is_refused(self):
        instance = self.instance()
        self.wait_here(instance, PARTITIONS)
        answer = instance.post("/v1/ask?partition=4")
        self.assertEqual((answer.status, answer.error()), (400, "invalid_partition"))
        self.assertEqual(instance.post("/v1/ask?partition=one").status, 400)
        for plan in ("3f9a2b-1842", "p9-3f9a2b-1842", "p0-3f9a2b-1842", "p0-x"):
            answer = instance.post("/v1/tell", json.dumps({"id": plan, "label": 1, "values": [1, 1, 1]}))
            self.assertEqual((answer.status, answer.json()["status"]), (404, "unknown"), plan)
        self.wait_model(instance, 400)
        choice = instance.post("/v1/ask", json.dumps({"for": "prediction", "known": {"0": 0.5}, "count": 1}))
        self.assertEqual(len(choice.json()["choices"]), 1)

    def test_states_beyond_the_limit_are_files_of_the_shared_folder(self):
        shared = self.path("shared")
        os.mkdir(shared)
        options = ("--fleet-state-limit", "1KiB", "--fleet-state-folder", shared)
        first = self.instance(*options, silence=SHORT_SILENCE)
        self.wait_model(first, 400)
        self.client.produce(self.topic, list(messages(400, 2, PARTITIONS)))
        self.wait_model(first, 800)
        self.client.produce(self.topic, list(messages(400, 3, PARTITIONS)))
        self.wait_model(first, 1200)
        model = settled(first.model())
        first.kill()
        files = os.path.join(shared, f"{self.group}-states")
        names = sorted(os.listdir(files))
        self.assertEqual(len(names), 2 * PARTITIONS, names)  # the newest and the one before it
        newest = max((name for name in names if name.startswith("2-")), key=lambda name: int(name.split("-")[1]))
        with open(os.path.join(files, newest), "r+b") as file:
            file.truncate(100)
        second = self.instance(*options)
        second.wait_log(rf"state \d+ of partition 2, in \S+{newest}: has 100 bytes.*the state before it is used")
        self.wait_model(second, 1200)
        self.assertEqual(settled(second.model()), model)
        with self.subTest("without the folder"):
            other = self.instance(ready=False)
            self.assertEqual(other.wait(), 1)
            self.assertRegex(other.stderr, "give all instances the same --fleet-state-folder")
        with self.subTest("a folder that is not mounted"):
            other = self.instance("--fleet-state-limit", "1KiB", "--fleet-state-folder", self.path("gone"), ready=False)
            self.assertEqual(other.wait(), 2)
            self.assertRegex(other.stderr, "--fleet-state-folder .*gone.*mount what all instances share")
        self.assertEqual(second.stop(), 0)


if __name__ == "__main__":
    unittest.main()
