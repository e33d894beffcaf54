#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "daemon/predictions/class_prediction.h"

namespace clip_test {

using namespace glimpse;

namespace {

Clip clip_of(std::string_view text) {
  const auto clip = parse_clip(text);
  REQUIRE(clip.has_value());
  return *clip;
}

LabelRange seen_from_to(double low, double high) {
  LabelRange seen;
  seen.add(low);
  seen.add(high);
  return seen;
}

}  // namespace

TEST_CASE("auto clips to the labels seen, and to nothing before the first") {
  const Clip clip;
  CHECK(clip.apply(50, LabelRange()) == 50);
  const LabelRange seen = seen_from_to(-1, 2);
  CHECK(clip.apply(-3, seen) == -1);
  CHECK(clip.apply(3, seen) == 2);
  CHECK(clip.apply(0.1, seen) == 0.1);
  CHECK(clip.apply(7, seen_from_to(1, 1)) == 1);
}

TEST_CASE("off never clips") { CHECK(clip_of("off").apply(1e9, seen_from_to(-1, 1)) == 1e9); }

TEST_CASE("a range clips to itself, whatever was seen") {
  const Clip clip = clip_of("-0.5:3");
  CHECK(clip.apply(-1, LabelRange()) == -0.5);
  CHECK(clip.apply(4, seen_from_to(-9, 9)) == 3);
  CHECK(clip.apply(2.5, seen_from_to(-1, 1)) == 2.5);
}

TEST_CASE("a prediction that is no number stays none") {
  for (const char* text : {"auto", "off", "0:1"})
    CHECK(std::isnan(clip_of(text).apply(std::nan(""), seen_from_to(0, 1))));
}

TEST_CASE("what --clip says is read and told alike") {
  for (const char* text : {"auto", "off", "-1:1", "0:0.1", "1e-300:1e+300"})
    CHECK(clip_of(text).text() == text);
  CHECK(clip_of("+1:2.50").text() == "1:2.5");
}

TEST_CASE("what is no range is refused") {
  for (const char* bad : {"", "x", "Auto", "1", ":", "1:", ":1", "3:1", "1:1", "nan:1", "0:nan", "-inf:inf",
                          "0:1e999", "0:1:2", "0 : 1", "0:1x"}) {
    const auto clip = parse_clip(bad);
    REQUIRE(clip.has_error());
    CHECK(clip.error().code == ErrorCode::kInvalidOption);
    CHECK(clip.error().message ==
          fmt::format("--clip {}: must be auto, off, or LO:HI, two finite numbers with LO below HI", bad));
  }
}

}  // namespace clip_test
