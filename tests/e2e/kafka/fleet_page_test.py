"""What the page in the browser shows of a fleet, also of a partition that is left out of the merged model."""

import json
import unittest

import browser_support
from broker_support import needs_broker
from fleet_support import PATIENCE, FleetTestCase
from harness import until


@needs_broker
@unittest.skipIf(browser_support.REASON, browser_support.REASON)
class FleetPage(FleetTestCase):
    def test_partitions_their_owners_and_what_is_left_out_are_shown(self):
        self.client.create_topic(self.topic, 3)
        rows = [json.dumps({"label": n % 7, "values": {name: n * (i + 3) % 11 for i, name in enumerate("abcd")}}) for n in range(40)]
        poison = json.dumps({"label": 1, "values": dict.fromkeys("abcx", 1)})  # a name too many
        self.client.produce(self.topic, [(0, poison), *((1 + n % 2, row) for n, row in enumerate(rows))])
        instance = self.instance("--http", "127.0.0.1:0", "--fleet-address", "127.0.0.1:1", dimension=4, format="ndjson")
        port = int(instance.wait_log(r"HTTP door open on tcp:127.0.0.1:(\d+)").group(1))
        until(lambda: self.fleet(instance)["model"]["left_out"] == 1, "one is left out", PATIENCE)
        self.wait_model(instance, 40)
        for scheme, width in (("light", 360), ("dark", 1600)):
            look = browser_support.Look(port, scheme=scheme, width=width)
            state = look.until(lambda now: "40 examples" in now["fleet"], "the fleet is shown")
            self.assertIn(f"Group {self.group} learns from topic {self.topic}: 3 of 3 partitions here, 0 messages behind", state["fleet"])
            self.assertIn("1 partition left out of it", state["fleet"])
            self.assertEqual([row[:3] for row in state["partitions"]], [[str(p), "here", "127.0.0.1:1"] for p in range(3)])
            self.assertEqual([row[5] for row in state["partitions"]], ["", "20", "20"])
            self.assertEqual([bool(row[7]) for row in state["partitions"]], [True, False, False])
            self.assertIn("here", state["partitions"][0])
            self.assertNotIn("undefined", json.dumps(state["partitions"]))
            self.assertEqual((state["elsewhere"], look.violations(), state["is_wider"], state["complaints"]), ([], [], False, []))
            look.end()


if __name__ == "__main__":
    unittest.main()
