#include "daemon/feeds/input_progress.h"

#include <doctest/doctest.h>

namespace input_progress_test {

using namespace glimpse;

namespace {

std::shared_ptr<Feed> feed_of(const std::string& name) {
  auto feed = std::make_shared<Feed>();
  feed->addressable_name = name;
  return feed;
}

State saved(const InputProgress& progress, const ReadingOptions& reading) {
  State state;
  state.begin();
  progress.save(state, reading, [](const Feed& feed) { return feed.position * 7; });
  state.finish();
  return state;
}

}  // namespace

TEST_CASE("an input that was read before goes on where it was, in a later process as well") {
  InputProgress progress;
  const auto feed = feed_of("a\xff.csv");
  progress.open(feed);
  CHECK(feed->position == 0);
  feed->position = 100;
  feed->records = 4;
  ReadingOptions reading;
  reading.columns = 3;

  InputProgress later;
  REQUIRE(later.restore(saved(progress, reading)).has_value());
  CHECK(later.reading_of("a\xff.csv")->columns == 3);
  CHECK_FALSE(later.reading_of("b").has_value());
  const auto again = feed_of("a\xff.csv");
  later.open(again);
  CHECK(again->position == 100);
  CHECK(again->records == 4);
  CHECK(again->known_fingerprint == 700);

  // One that nobody opens is kept as it was.
  InputProgress last;
  REQUIRE(last.restore(saved(later, ReadingOptions())).has_value());
  CHECK(last.reading_of("a\xff.csv")->columns == ReadingOptions().columns);  // `later` had it open
}

TEST_CASE("numbers that do not fit to each other are refused, and nothing changes") {
  InputProgress progress;
  progress.open(feed_of("a"));
  State state;
  state.begin();
  state.put_copy<std::uint8_t>("inputs.names", std::vector<std::uint8_t>{'a', 'b'});
  state.put_copy<std::uint64_t>("inputs.progress", std::vector<std::uint64_t>{3, 1, 1});
  state.finish();
  CHECK(progress.restore(state).has_error());
  const State whole = saved(progress, ReadingOptions());
  CHECK(whole.get<std::uint64_t>("inputs.progress")->size() == 3);
}

}  // namespace input_progress_test
