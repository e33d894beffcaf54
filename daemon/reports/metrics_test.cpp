#include "daemon/reports/metrics.h"

#include <doctest/doctest.h>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "learn/options/prices.h"

namespace metrics_test {

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
  checkpoint.last_success = 1000;
  CHECK(render_metrics({}, checkpoint, {}).find("glimpse_checkpoint_last_success_timestamp_seconds 1000") !=
        std::string::npos);
}

TEST_CASE("limits stand beside what they bound, and those of the buying where there are any") {
  Statistics statistics;
  CheckpointStatus checkpoint;
  checkpoint.enabled = true;
  ProcessFacts facts;
  facts.limits = {1000, 20, 30, 2.5};
  std::string text = render_metrics(statistics, checkpoint, facts);
  CHECK(text.find("glimpse_queue_limit_bytes 1000\n") != std::string::npos);
  CHECK(text.find("glimpse_plans_limit 20\n") != std::string::npos);
  CHECK(text.find("glimpse_named_sources_limit 30\n") != std::string::npos);
  CHECK(text.find("glimpse_checkpoint_interval_seconds 2.5\n") != std::string::npos);
  for (const char* unknown : {"glimpse_cost_limit", "glimpse_attributes_limit", "glimpse_state_free_bytes",
                              "glimpse_checkpoint_size_bytes"})
    CHECK(text.find(unknown) == std::string::npos);
  statistics.spending.limits.attributes = 7;
  statistics.spending.limits.cost = *parse_money("1.5");
  checkpoint.bytes = 11;
  checkpoint.free_bytes = 12;
  text = render_metrics(statistics, checkpoint, facts);
  CHECK(text.find("glimpse_attributes_limit 7\n") != std::string::npos);
  CHECK(text.find("glimpse_cost_limit 1.5\n") != std::string::npos);
  CHECK(text.find("glimpse_checkpoint_size_bytes 11\n") != std::string::npos);
  CHECK(text.find("glimpse_state_free_bytes 12\n") != std::string::npos);
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

namespace {

std::vector<std::string> names_of(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = text.find("# TYPE ", at)) != std::string::npos;) {
    at += 7;
    names.push_back(text.substr(at, text.find(' ', at) - at));
  }
  return names;
}

// Everything that can be told.
std::string whole_exposition() {
  Statistics statistics;
  statistics.doors = {Door()};
  statistics.progressive_loss.count = statistics.recent_loss.count = 2;
  statistics.label_variance = 1;
  statistics.model = ModelFacts{4, 8, std::chrono::steady_clock::time_point(std::chrono::seconds(98))};
  statistics.solve_seconds = 0.5;
  statistics.snapshot_at = std::chrono::steady_clock::time_point(std::chrono::seconds(1));
  CheckpointStatus checkpoint;
  checkpoint.enabled = true;
  checkpoint.last_success = 1000;
  ProcessFacts facts;
  facts.requests.note("/metrics", 200, std::chrono::milliseconds(3));
  facts.usage = process_usage();
  return render_metrics(statistics, checkpoint, facts);
}

}  // namespace

TEST_CASE("no two metrics differ only by what says their kind or unit") {
  std::map<std::string, std::string> seen;
  for (const std::string& name : names_of(whole_exposition())) {
    std::string stem = name;
    for (bool cut = true; cut;) {
      cut = false;
      for (const std::string ending : {"_total", "_seconds", "_bytes", "_count", "_sum", "_info"})
        if (stem.ends_with(ending)) {
          stem.resize(stem.size() - ending.size());
          cut = true;
        }
    }
    CAPTURE(name);
    CAPTURE(seen[stem]);
    CHECK(seen[stem].empty());
    seen[stem] = name;
  }
  CHECK(seen.size() > 40);
}

TEST_CASE("a histogram has a bucket for each bound, and one for all") {
  ProcessFacts facts;
  facts.requests.note("/v1/learn", 200, std::chrono::milliseconds(3));
  facts.requests.note("/v1/learn", 200, std::chrono::minutes(3));
  const std::string text = render_metrics({}, {}, facts);
  const std::string labels =
      "glimpse_http_request_duration_seconds_bucket{path=\"/v1/learn\",status=\"2xx\",le=";
  CHECK(text.find(labels + "\"0.001\"} 0\n") != std::string::npos);
  CHECK(text.find(labels + "\"0.005\"} 1\n") != std::string::npos);
  CHECK(text.find(labels + "\"30\"} 1\n") != std::string::npos);
  CHECK(text.find(labels + "\"+Inf\"} 2\n") != std::string::npos);
  CHECK(text.find("glimpse_http_request_duration_seconds_count{path=\"/v1/learn\",status=\"2xx\"} 2\n") !=
        std::string::npos);
}

TEST_CASE("the metric says for what /readyz answers 200") {
  ProcessFacts facts;
  facts.is_ready = true;
  const std::string text = render_metrics({}, {}, facts);
  CHECK(text.find("glimpse_ready{for=\"predictions\"} 1\n") != std::string::npos);
  CHECK(text.find("glimpse_ready{for=\"learning\"} 0\n") != std::string::npos);
}

}  // namespace metrics_test
