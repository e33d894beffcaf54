#include "daemon/feeds/input_progress.h"

#include <doctest/doctest.h>

namespace input_progress_test {

using namespace glimpse;

namespace {

std::shared_ptr<Feed> feed_of(const std::string& name) {
  auto feed = std::make_shared<Feed>();
  feed->addressable_name = name;
  feed->is_begun = true;
  return feed;
}

State saved(const InputProgress& progress, const TableSchema& schema) {
  State state;
  state.begin();
  schema.save(state);
  progress.save(state, schema, [](const Feed& feed) { return feed.position * 7; });
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
  feed->beginning = {90, 5};
  TableSchema schema;
  schema.index_base = 0;
  feed->schema = schema;

  InputProgress later;
  REQUIRE(later.restore(saved(progress, TableSchema())).has_value());
  const auto again = feed_of("a\xff.csv");
  later.open(again);
  CHECK(again->position == 100);
  CHECK(again->records == 4);
  CHECK(again->known_fingerprint == 700);
  CHECK(again->beginning.bytes == 90);
  CHECK(again->beginning.hash == 5);
  CHECK(again->schema == schema);

  // One that nobody opens is kept as it was.
  InputProgress last;
  REQUIRE(last.restore(saved(later, TableSchema())).has_value());
  const auto closed = feed_of("a\xff.csv");
  last.open(closed);
  CHECK(closed->schema == schema);
}

TEST_CASE("an input that was renamed goes on under its new name, and what had that name is forgotten") {
  InputProgress before;
  for (const auto& [name, position] :
       {std::pair{"log", 30}, std::pair{"log.1", 20}, std::pair{"other", 10}}) {
    const auto feed = feed_of(name);
    before.open(feed);
    feed->position = static_cast<std::uint64_t>(position);
  }
  InputProgress progress;
  REQUIRE(progress.restore(saved(before, {})).has_value());
  CHECK(progress.reached().size() == 3);
  progress.rename({{"log", "log.1"}});
  CHECK(progress.reached().size() == 2);
  const auto moved = feed_of("log.1");
  progress.open(moved);
  CHECK(moved->position == 30);
  CHECK(moved->known_fingerprint == 210);
  const auto fresh = feed_of("log");
  progress.open(fresh);
  CHECK(fresh->position == 0);

  // All at once: each takes the place of the next.
  InputProgress chain;
  REQUIRE(chain.restore(saved(before, {})).has_value());
  chain.rename({{"log", "log.1"}, {"log.1", "log.2"}});
  const auto oldest = feed_of("log.2");
  chain.open(oldest);
  CHECK(oldest->position == 20);
  CHECK(chain.reached().size() == 3);
}

TEST_CASE("an input that is not read after all keeps what is known of it") {
  InputProgress before;
  const auto feed = feed_of("log");
  before.open(feed);
  feed->position = 30;
  InputProgress progress;
  REQUIRE(progress.restore(saved(before, {})).has_value());
  const auto replaced = feed_of("log");
  progress.open(replaced);
  replaced->position = 5;
  progress.close("log");
  InputProgress later;
  REQUIRE(later.restore(saved(progress, {})).has_value());
  CHECK(later.reached().front().position == 30);
  CHECK(later.reached().front().fingerprint == 210);
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
  const State whole = saved(progress, TableSchema());
  CHECK(whole.get<std::uint64_t>("inputs.progress")->size() == 3);
}

}  // namespace input_progress_test
