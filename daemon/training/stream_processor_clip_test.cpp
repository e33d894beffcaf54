// What predictions are clipped to, and the attributes of those who ask: labels and values that were seen
// before.

#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

#include "daemon/training/stream_processor_test_support.h"

namespace stream_processor_clip_test {

using namespace glimpse;
using namespace glimpse::stream_processor_test;

TEST_CASE("predictions are clipped to the labels that were learned before the line") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  feed->replies = Replies::kAll;
  work(processor, feed, "1 | 0:1 1:1\n-1 | 0:-1 1:-1\n");
  const auto asked = [&](const char* line) { return work(processor, feed, line).result.replies; };
  CHECK(asked("| 0:1e6 1:1e6\n") == "1\n");
  CHECK(asked("5 | 0:100 1:100\n") == "1\n");  // what it teaches comes after it
  CHECK(asked("| 0:1e9 1:1e9\n") == "5\n");
  CHECK(asked("| 0:-1e9 1:-1e9\n") == "-1\n");
  processor.set_clip({Clip::Kind::kRange, 0, 2});
  CHECK(asked("| 0:1e9 1:1e9\n| 0:-1e9 1:-1e9\n") == "2\n0\n");
}

TEST_CASE("with --clip auto pairwise believes in an attribute to 1.5 times the largest value it has seen") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    auto processor = make_processor(algorithm);
    const auto feed = make_feed(processor);
    feed->learns = false;
    for (int i = 0; i < 200; ++i)
      work(processor, make_feed(processor),
           fmt::format("{} | 0:{} 1:{} 2:1 3:1\n", i % 5 * 0.25 + i % 7 * 100, i % 5 * 0.25, i % 7));
    const auto asked = [&](const char* line) { return work(processor, feed, line).result.predictions[0]; };
    const double far = asked("| 0:1000 2:1 3:1\n");
    CHECK(far == asked("| 0:1.5 2:1 3:1\n"));
    CHECK(far < processor.learner().labels().max());
    CHECK(far != asked("| 0:1.4 2:1 3:1\n"));
    processor.set_clip({Clip::Kind::kOff});
    CHECK(asked("| 0:1000 2:1 3:1\n") != far);
    processor.set_clip({Clip::Kind::kRange, -1e9, 1e9});
    CHECK(asked("| 0:1000 2:1 3:1\n") != far);
  }
}

TEST_CASE("with --clip auto a wild value counts as missing, once many others were seen") {
  for (const char* algorithm : {"pairwise", "pairwise-screened"}) {
    auto processor = make_processor(algorithm);
    const auto feed = make_feed(processor);
    feed->learns = false;
    for (int i = 0; i < 1000; ++i)
      work(processor, make_feed(processor),
           fmt::format("{} | 0:{} 1:{} 2:{} 3:1\n", i % 5 * 0.25 + i % 7, i % 5 * 0.25, i % 7, i % 3));
    const auto asked = [&](const std::string& line) {
      return work(processor, feed, line).result.predictions[0];
    };
    const auto objects = make_feed(processor, "", Format::kNdjson);
    objects->learns = false;
    const double usual = work(processor, objects, "[null, 0, 1, 1]\n").result.predictions[0];
    CHECK(asked("| 0:1000 2:1 3:1\n") == usual);
    CHECK(asked("| 0:-1000 2:1 3:1\n") == usual);
    CHECK(asked("| 0:1.5 2:1 3:1\n") != doctest::Approx(usual));
    processor.set_clip({Clip::Kind::kOff});
    CHECK(asked("| 0:1000 2:1 3:1\n") != doctest::Approx(usual));
  }
}

TEST_CASE("before the first label nothing is clipped, and nothing by an example of importance 0") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  CHECK(work(processor, feed, "| 0:1\n9 0 | 0:1\n| 0:1\n").result.replies == "0\n0\n");
  CHECK(processor.learner().labels().empty());
}

TEST_CASE("without clipping a prediction is bias plus the inner product") {
  auto processor = make_processor();
  processor.set_clip({Clip::Kind::kOff});
  const auto feed = make_feed(processor);
  feed->learns = false;
  work(processor, make_feed(processor), some_lines(0, 500));
  const auto predictions = work(processor, feed, "| 0:100\n| 0:-100\n").result.predictions;
  const auto w = weights(processor);
  REQUIRE(predictions.size() == 2);
  CHECK(predictions[0] == doctest::Approx(w[4] + 100 * w[0]).epsilon(1e-12));
  CHECK(predictions[1] == doctest::Approx(w[4] - 100 * w[0]).epsilon(1e-12));
  CHECK(std::abs(predictions[0]) > 1);
}

TEST_CASE("a restored processor clips as the one that was saved") {
  auto first = make_processor();
  work(first, make_feed(first), some_lines(0, 100));
  auto second = make_processor();
  REQUIRE(second.restore(saved(first)).has_value());
  const char* questions = "| 0:1e6\n| 0:-1e6\n| 0:0.5\n";
  const std::string answers = work(second, make_feed(second), questions).result.replies;
  CHECK(answers == work(first, make_feed(first), questions).result.replies);
  CHECK((answers.starts_with("1\n-1\n") || answers.starts_with("-1\n1\n")));
}

}  // namespace stream_processor_clip_test
