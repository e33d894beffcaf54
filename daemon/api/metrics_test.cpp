#include "daemon/api/metrics.h"

#include <doctest/doctest.h>
#include <limits>

using namespace glimpse;

TEST_CASE("the exposition has a line for each door, and nothing that is not known") {
  Statistics statistics;
  Door door;
  door.name = "odd \"name\"\\";
  door.examples = 3;
  statistics.doors = {door};
  const std::string text =
      render_metrics(statistics, CheckpointStatus(), {5, 2, {7, 0, 2, 0, 0}, 3, 0, "1.2"});
  CHECK(text.ends_with("\n"));
  CHECK(text.find("glimpse_examples_total{source=\"odd \\\"name\\\"\\\\\"} 3") != std::string::npos);
  CHECK(text.find("glimpse_queue_bytes 5") != std::string::npos);
  CHECK(text.find("glimpse_memory_troubles_total 3") != std::string::npos);
  CHECK(text.find("glimpse_refused_total{reason=\"connections\"} 7") != std::string::npos);
  CHECK(text.find("glimpse_refused_total{reason=\"token\"} 2") != std::string::npos);
  CHECK(text.find("glimpse_build_info{version=\"1.2\"} 1") != std::string::npos);
  CHECK(text.find("glimpse_progressive_loss ") == std::string::npos);
  CHECK(text.find("glimpse_checkpoint") == std::string::npos);
  CHECK(text.find("glimpse_snapshot_age_seconds") == std::string::npos);
}

TEST_CASE("checkpoints show once they are enabled, and their time once there was one") {
  CheckpointStatus checkpoint;
  checkpoint.enabled = true;
  checkpoint.failures = 2;
  CHECK(render_metrics({}, checkpoint, {}).find("glimpse_checkpoint_failures_total 2") != std::string::npos);
  CHECK(render_metrics({}, checkpoint, {}).find("last_success") == std::string::npos);
  checkpoint.last_success = std::chrono::system_clock::time_point(std::chrono::seconds(1000));
  CHECK(render_metrics({}, checkpoint, {}).find("glimpse_checkpoint_last_success_timestamp_seconds 1000") !=
        std::string::npos);
}

TEST_CASE("the model's examples and age, and the time of a solve, show once there is one") {
  Statistics statistics;
  ProcessFacts facts;
  facts.now_seconds = 100;
  CHECK(render_metrics(statistics, {}, facts).find("glimpse_model_examples ") == std::string::npos);
  CHECK(render_metrics(statistics, {}, facts).find("glimpse_model_age") == std::string::npos);
  CHECK(render_metrics(statistics, {}, facts).find("glimpse_solve") == std::string::npos);
  statistics.counts.examples = 5;
  statistics.model = ModelFacts{4, 8, std::chrono::steady_clock::time_point(std::chrono::seconds(98))};
  statistics.solve_seconds = 0.5;
  const std::string text = render_metrics(statistics, {}, facts);
  CHECK(text.find("glimpse_model_examples 4\n") != std::string::npos);
  CHECK(text.find("glimpse_model_age_seconds 2\n") != std::string::npos);
  CHECK(text.find("glimpse_solve_duration_seconds 0.5\n") != std::string::npos);
}
