#include <doctest/doctest.h>

#include "daemon/reading/read_ahead.h"

namespace reading_choice_test {

using namespace glimpse;
using namespace std::chrono_literals;

namespace {

// A stream of blocks, each of which takes as long as its way of reading says.
struct Stream {
  ReadingChoice choice = ReadingChoice(true);
  ReadingChoice::Time now{};
  std::chrono::microseconds with = 100us;
  std::chrono::microseconds without = 100us;
  std::size_t waiting = 0;

  // The share of its time in which lines were read ahead.
  double run(std::chrono::milliseconds time) {
    const auto begin = now;
    std::chrono::microseconds ahead{};
    while (now - begin < time) {
      choice.begin_block(now, 1000, waiting);
      const auto took = choice.reads_ahead() ? with : without;
      if (choice.reads_ahead()) ahead += took;
      now += took;
    }
    return std::chrono::duration<double>(ahead) / std::chrono::duration<double>(now - begin);
  }
};

}  // namespace

TEST_CASE("what is expected to be faster has the first turns") {
  Stream ahead;
  CHECK(ahead.run(40ms) == 1);
  Stream other{.choice = ReadingChoice(false)};
  CHECK(other.run(40ms) == 0);
}

TEST_CASE("each way of reading has a turn, and then the faster one nearly all") {
  Stream faster{.with = 60us};
  faster.run(200ms);
  const double share = faster.run(3000ms);
  CHECK(share > 0.94);
  CHECK(share < 1);
  Stream slower{.with = 110us};
  slower.run(200ms);
  const double other = slower.run(3000ms);
  CHECK(other < 0.06);
  CHECK(other > 0);
}

TEST_CASE("of two ways that are about as fast the one that takes less of the processors is used") {
  Stream stream{.with = 99us};
  stream.run(200ms);
  CHECK(stream.run(3000ms) < 0.06);
}

TEST_CASE("what has become the faster way is found") {
  Stream stream{.with = 60us};
  stream.run(1000ms);
  stream.with = 200us;
  stream.run(1000ms);
  CHECK(stream.run(1000ms) < 0.06);
  stream.with = 60us;
  stream.run(2000ms);
  CHECK(stream.run(1000ms) > 0.94);
}

TEST_CASE("a pause of the stream decides nothing for long") {
  Stream stream{.with = 60us};
  stream.run(100ms);
  stream.now += 10s;
  stream.run(2000ms);
  CHECK(stream.run(1000ms) > 0.94);
}

}  // namespace reading_choice_test
