"""What Prometheus is told."""

import os
import re
import shutil
import subprocess
import time
import unittest

from harness import SMALL, TestCase, binary, examples, unlabelled, until, vw

PROMISED = ("glimpse_examples_total glimpse_attributes_revealed_total glimpse_parse_errors_total glimpse_phase "
            "glimpse_phase_since_examples glimpse_look_ratio glimpse_effective_attributes "
            "glimpse_progressive_loss glimpse_progressive_loss_estimate glimpse_recent_rmse glimpse_queue_bytes glimpse_checkpoint_duration_seconds "
            "glimpse_checkpoint_last_success_timestamp_seconds glimpse_checkpoint_failures_total glimpse_plans_open "
            "glimpse_plans_expired_total glimpse_snapshot_age_seconds glimpse_build_info glimpse_ready "
            "glimpse_state_examples_total process_cpu_seconds_total process_resident_memory_bytes "
            "process_virtual_memory_bytes process_open_fds process_max_fds process_start_time_seconds").split()

# Of these the daemon of this test has nothing to tell.
ELSEWHERE = {"glimpse_solve_duration_seconds", "glimpse_products", "glimpse_products_lacking_total", "glimpse_classes",
             "glimpse_best_attributes", "glimpse_best_since_examples", "glimpse_progressive_mean_absolute_error",
             "glimpse_progressive_median_absolute_error", "glimpse_frozen_calibration_error",
             "glimpse_frozen_calibration_total", "glimpse_frozen_calibration_right_total",
             "glimpse_frozen_calibration_probability_total", "glimpse_frozen_confusion_total",
             "glimpse_attributes_limit", "glimpse_cost_limit", "glimpse_class_slope", "glimpse_held_out_calibration_error", "glimpse_held_out_calibration_total",
             "glimpse_held_out_calibration_right_total", "glimpse_held_out_calibration_probability_total",
             "glimpse_held_out_confusion_total", "glimpse_tombstones_total", "glimpse_oversized_messages_total",
             "glimpse_input_failed", "glimpse_topic_up", "glimpse_topic_offset", "glimpse_topic_lag_messages",
             "glimpse_held_out_calibration_right_share_error", "glimpse_frozen_calibration_right_share_error",
             *(f"glimpse_fleet_{name}" for name in (
                 "up", "messages_total", "repeated_messages_total", "empty_messages_total", "oversized_messages_total", "dropped_messages_total",
                 "commits_total", "fenced_total", "assignments_total", "corrupt_states_total", "folds_total",
                 "model_age_seconds", "fold_seconds", "model_failed", "partition_here", "partition_owner", "partition_offset",
                 "partition_lag_messages", "partition_generation", "partition_cut", "cuts_total",
                 "refused_records_total", "model_left_out"))}


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

    def test_the_manual_has_the_metrics_that_there_are_and_no_others(self):
        with open(os.path.join(binary("GLIMPSE_SOURCE_DIR"), "daemon", "README.md"), encoding="utf-8") as file:
            told = set(re.findall(r"`((?:glimpse|process)_[a-z0-9_]+)[`{]", file.read()))
        given = set(re.findall(r"^# TYPE (\S+) ", self.text, flags=re.MULTILINE))
        self.assertEqual((sorted(told - given - ELSEWHERE), sorted(given - told)), ([], []))

    def test_requests_are_timed_by_a_fixed_set_of_paths_and_the_class_of_their_status(self):
        for path in ("/v1/plans/x-1", "/v1/plans/x-2", "/nonsense", "/other/nonsense"):
            self.daemon.request("DELETE", path)
        self.daemon.get("/v1/plans/x")
        text = self.daemon.get("/metrics").body.decode()
        counts = {(path, status): int(count) for path, status, count in re.findall(
            r'^glimpse_http_request_duration_seconds_count\{path="([^"]+)",status="([^"]+)"\} (\d+)$', text, re.MULTILINE)}
        self.assertEqual(counts[("/v1/plans/ID", "4xx")], 3)
        self.assertEqual(counts[("other", "4xx")], 2)
        self.assertEqual(counts[("/v1/predict", "2xx")], 1)
        self.assertEqual(counts[("/metrics", "2xx")], 1)  # this one is not over yet
        self.assertEqual({path for path, _ in counts} - {"/readyz", "/metrics", "/v1/status", "/v1/predict", "/v1/model",
                                                         "/v1/checkpoint", "/v1/plans/ID", "other"}, set())

    def test_what_the_process_takes_is_what_the_system_says(self):
        page = os.sysconf("SC_PAGE_SIZE")
        with open(f"/proc/{self.daemon.process.pid}/statm", encoding="ascii") as file:
            virtual, resident = (int(pages) * page for pages in file.read().split()[:2])
        self.assertLess(abs(self.values("process_virtual_memory_bytes")[0] - virtual), 1 << 28)
        self.assertLess(abs(self.values("process_resident_memory_bytes")[0] - resident), 1 << 25)
        self.assertGreater(self.values("process_cpu_seconds_total")[0], 0)
        self.assertLess(abs(self.values("process_start_time_seconds")[0] - time.time()), 600)
        opened = len(os.listdir(f"/proc/{self.daemon.process.pid}/fd"))
        self.assertLess(abs(self.values("process_open_fds")[0] - opened), 10)
        self.assertGreaterEqual(self.values("process_max_fds")[0], self.values("process_open_fds")[0])

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
