"""What Prometheus is told."""

import os
import re
import shutil
import subprocess
import unittest

from harness import SMALL, TestCase, examples, unlabelled, until, vw

PROMISED = ("glimpse_examples_total glimpse_attributes_revealed_total glimpse_parse_errors_total glimpse_phase "
            "glimpse_phase_since_examples glimpse_look_ratio glimpse_effective_attributes "
            "glimpse_progressive_loss glimpse_queue_bytes glimpse_checkpoint_duration_seconds "
            "glimpse_checkpoint_last_success_timestamp_seconds glimpse_checkpoint_failures_total glimpse_plans_open "
            "glimpse_plans_expired_total glimpse_snapshot_age_seconds glimpse_build_info").split()


class Metrics(TestCase):
    def setUp(self):
        super().setUp()
        self.daemon = self.start(*SMALL, "--listen", "tcp:127.0.0.1:0", "--listen", f"unix:{self.path('stream.sock')}",
                                 "--format", "vw", "--state-directory", self.path("state"))
        rows = examples(200)
        for kind in ("tcp", "unix"):
            with self.daemon.client(kind) as client:
                client.send("".join(vw([row]) + unlabelled(row[1]) + "no\n" for row in rows))
                client.finish()
        self.daemon.post("/v1/predict", "[1,2,3,4]")
        self.daemon.get("/v1/model")
        until(lambda: self.daemon.status()["predictions"] == 401, "all is worked off")
        self.daemon.post("/v1/checkpoint")
        answer = self.daemon.get("/metrics")
        self.assertEqual(answer.status, 200)
        self.assertTrue(answer.headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        self.text = answer.body.decode()

    def values(self, name):
        return [float(value) for value in
                re.findall(rf"^{name}(?:\{{[^}}]*\}})? (\S+)$", self.text, flags=re.MULTILINE)]

    def test_the_text_ends_with_a_newline(self):
        self.assertTrue(self.text.endswith("\n"))
        self.assertFalse(self.text.endswith("\n\n"))

    def test_every_promised_name_is_there(self):
        self.assertEqual([name for name in PROMISED if not self.values(name)], [])
        self.assertIn('glimpse_examples_total{source="tcp:127.0.0.1:', self.text)
        self.assertIn(f'glimpse_parse_errors_total{{source="unix:{self.path("stream.sock")}"}} 200', self.text)

    def test_the_counters_add_up_to_the_status(self):
        status = self.daemon.status()
        self.assertEqual(sum(self.values("glimpse_examples_total")), status["examples"])
        self.assertEqual(status["examples"], 400)
        self.assertEqual(sum(self.values("glimpse_predictions_total")), status["predictions"])
        self.assertEqual(sum(self.values("glimpse_parse_errors_total")), status["parse_errors"])
        self.assertEqual(status["parse_errors"], 400)
        self.assertEqual(self.values("glimpse_attributes_revealed_total"), [status["attributes_revealed"]])
        for name in ("examples", "predictions", "parse_errors"):
            self.assertEqual(sum(source[name] for source in status["sources"]), status[name])

    def test_promtool_accepts_the_text(self):
        promtool = os.environ.get("GLIMPSE_PROMTOOL") or shutil.which("promtool")
        if not promtool:
            self.skipTest("promtool is not here (Debian: prometheus); GLIMPSE_PROMTOOL may name it")
        checked = subprocess.run([promtool, "check", "metrics"], input=self.text, capture_output=True, text=True,
                                 timeout=60, check=False)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
