#include "daemon/feeds/topic_progress.h"

#include <doctest/doctest.h>

namespace topic_progress_test {

using glimpse::TopicProgress;

TEST_CASE("topic progress: the lag is what stands between what was learned and the end, of all partitions") {
  TopicProgress progress;
  CHECK_FALSE(TopicProgress::lag(progress.partitions()).has_value());
  progress.begin(0, 10);
  progress.begin(1, 0);
  progress.note_end(0, 25);
  CHECK(progress.partitions()[0].lag() == 15);
  CHECK_FALSE(progress.partitions()[1].lag().has_value());
  CHECK_FALSE(TopicProgress::lag(progress.partitions()).has_value());
  progress.note_end(1, 4);
  CHECK(TopicProgress::lag(progress.partitions()) == 19);
  progress.note_learned(0, 25);
  CHECK(TopicProgress::lag(progress.partitions()) == 4);
}

TEST_CASE("topic progress: an end that is told late is no lag below zero, and offsets do not go back") {
  TopicProgress progress;
  progress.begin(0, 5);
  progress.note_end(0, 3);
  CHECK(progress.partitions()[0].lag() == 0);
  progress.note_learned(0, 4);
  CHECK(progress.partitions()[0].offset == 5);
}

TEST_CASE(
    "topic progress: marks of transactions at the end are no lag once the messages before are learned") {
  TopicProgress progress;
  progress.begin(0, 0);
  progress.note_end(0, 9);
  progress.note_read_to_end(0, 8, 9);  // seven, and a mark
  progress.note_learned(0, 5);
  CHECK(progress.partitions()[0].lag() == 4);
  progress.note_learned(0, 8);
  CHECK(progress.partitions()[0].lag() == 0);
  CHECK(progress.partitions()[0].offset == 9);
  // And where the end is told after all was learned.
  progress.note_learned(0, 12);
  progress.note_read_to_end(0, 12, 14);
  CHECK(progress.partitions()[0].offset == 14);
  CHECK(progress.partitions()[0].end == 14);
}

TEST_CASE("topic progress: reading that is begun again may begin elsewhere") {
  TopicProgress progress;
  progress.begin(0, 5);
  progress.begin(0, 50);
  progress.begin(1, 7);
  CHECK(progress.partitions()[0].offset == 50);
  CHECK(progress.partitions().size() == 2);
}

TEST_CASE("topic progress: what keeps the brokers from answering is told until they do") {
  TopicProgress progress;
  CHECK(progress.trouble().empty());
  progress.note_trouble("no broker answers");
  CHECK(progress.trouble() == "no broker answers");
  progress.note_trouble("");
  CHECK(progress.trouble().empty());
}

}  // namespace topic_progress_test
