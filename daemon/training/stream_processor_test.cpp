#include "daemon/training/stream_processor.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <utility>

#include "daemon/training/stream_processor_test_support.h"

namespace stream_processor_test {

using namespace glimpse;
using namespace glimpse::stream_processor_test;

TEST_CASE("labelled lines are learned and silent, unlabelled ones answered") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  const auto worked = work(processor, feed, "1 | 0:1\n| 0:1\n\n0.5 'tag| 1:1\n'ask| 1:1\n");
  CHECK(worked.going);
  CHECK(worked.result.learned == 2);
  CHECK(processor.predictions() == 2);
  CHECK(worked.result.replies.ends_with(" ask\n"));
  CHECK(std::count(worked.result.replies.begin(), worked.result.replies.end(), '\n') == 2);
  CHECK(feed->door->examples == 2);
  CHECK(feed->door->predictions == 2);
  CHECK(feed->position == feed->door->bytes);
  CHECK(feed->records == 5);
}

TEST_CASE("replies of each kind") {
  for (const auto& [replies, lines] :
       {std::pair{Replies::kUnlabelled, 1}, {Replies::kAll, 2}, {Replies::kNone, 0}}) {
    auto processor = make_processor();
    const auto feed = make_feed(processor);
    feed->replies = replies;
    const auto worked = work(processor, feed, "1 | 0:1\n| 0:1\n");
    CHECK(std::count(worked.result.replies.begin(), worked.result.replies.end(), '\n') == lines);
    CHECK(worked.result.learned == 1);
  }
}

TEST_CASE("a labelled line is predicted before it is learned") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  feed->replies = Replies::kAll;
  processor.set_clip({Clip::Kind::kOff});  // to see what was learned, not the range of the labels
  CHECK(work(processor, feed, "1 | 0:1\n").result.replies == "0\n");
  CHECK(work(processor, feed, "1 | 0:1\n").result.replies != "0\n");
}

TEST_CASE("a feed that only asks learns nothing, whatever its labels") {
  auto processor = make_processor();
  const auto feed = make_feed(processor);
  feed->learns = false;
  const auto worked = work(processor, feed, "1 | 0:1\n| 0:1\n");
  CHECK(worked.result.predictions.size() == 2);
  CHECK(worked.result.replies.empty());
  CHECK(processor.learner().counts().examples == 0);
}

TEST_CASE("a question asked in a pause changes nothing") {
  auto straight = make_processor();
  work(straight, make_feed(straight), some_lines(0, 100));

  auto processor = make_processor();
  const auto asking = make_feed(processor);
  asking->learns = false;
  StreamProcessor::Hooks hooks;
  hooks.wants_pause = [] { return true; };
  hooks.pause = [&] { CHECK(work(processor, asking, "| 0:1 3:1\n").result.predictions.size() == 1); };
  processor.set_hooks(hooks);
  work(processor, make_feed(processor), some_lines(0, 100));
  CHECK(weights(processor) == weights(straight));
}

}  // namespace stream_processor_test
