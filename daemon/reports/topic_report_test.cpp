#include "daemon/reports/topic_report.h"

#include <doctest/doctest.h>
#include <memory>
#include <string>

#include <boost/json.hpp>

#include "daemon/reports/metrics.h"

namespace topic_report_test {

using namespace glimpse;

namespace {

Door topic_door(const std::shared_ptr<TopicProgress>& progress) {
  Door door;
  door.name = "kafka:t";
  door.kind = "kafka";
  door.tombstones = 3;
  door.oversized = 2;
  door.topic = progress;
  return door;
}

std::string status_of(const Door& door) {
  boost::json::object source;
  add_topic(door, source);
  return boost::json::serialize(source);
}

std::string metrics_of(const Door& door) {
  Statistics statistics;
  statistics.doors = {door};
  return render_metrics(statistics, {}, {});
}

}  // namespace

TEST_CASE(
    "a topic's status has how far each partition is learned from, and null where the end is not known") {
  const auto progress = std::make_shared<TopicProgress>();
  progress->begin(0, 7);
  progress->begin(1, 2);
  progress->note_end(0, 10);
  const Door door = topic_door(progress);
  CHECK(status_of(door) == R"({"tombstones":3,"oversized":2,"lag":null,"trouble":null,"partitions":[)"
                           R"({"offset":7,"end":10,"lag":3},{"offset":2,"end":null,"lag":null}]})");
  progress->note_end(1, 4);
  progress->note_trouble("nobody answers");
  CHECK(status_of(door).find(R"("lag":5,"trouble":"nobody answers")") != std::string::npos);
}

TEST_CASE("a topic's metrics have the lag of each partition that is known, and whether brokers answer") {
  const auto progress = std::make_shared<TopicProgress>();
  progress->begin(0, 7);
  progress->begin(1, 2);
  progress->note_end(1, 10);
  const Door door = topic_door(progress);
  const std::string text = metrics_of(door);
  CHECK(text.find("glimpse_tombstones_total{source=\"kafka:t\"} 3") != std::string::npos);
  CHECK(text.find("glimpse_oversized_messages_total{source=\"kafka:t\"} 2") != std::string::npos);
  CHECK(text.find("glimpse_topic_up{source=\"kafka:t\"} 1") != std::string::npos);
  CHECK(text.find("glimpse_topic_offset{source=\"kafka:t\",partition=\"0\"} 7") != std::string::npos);
  CHECK(text.find("glimpse_topic_lag_messages{source=\"kafka:t\",partition=\"1\"} 8") != std::string::npos);
  CHECK(text.find("glimpse_topic_lag_messages{source=\"kafka:t\",partition=\"0\"}") == std::string::npos);
  progress->note_trouble("nobody answers");
  CHECK(metrics_of(door).find("glimpse_topic_up{source=\"kafka:t\"} 0") != std::string::npos);
}

TEST_CASE("where no input is a topic, no metric tells of topics") {
  Door door;
  door.name = "stdin";
  CHECK(metrics_of(door).find("topic") == std::string::npos);
}

}  // namespace topic_report_test
