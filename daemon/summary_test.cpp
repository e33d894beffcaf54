#include "daemon/summary.h"

#include <doctest/doctest.h>

namespace summary_test {

using namespace glimpse;

namespace {

std::string why(std::uint64_t learned, std::uint64_t predictions, std::uint64_t errors,
                std::uint64_t before = 0, std::uint64_t missing = 0) {
  Statistics s;
  Door door;
  door.examples = learned;
  door.predictions = predictions;
  door.parse_errors = errors;
  s.doors.push_back(door);
  s.counts.examples = before + learned;
  s.counts.missing = missing;
  return why_nothing_was_learned(s);
}

}  // namespace

TEST_CASE("a run that learned, or predicted with a model of before, or had nothing new, is fine") {
  CHECK(why(1, 0, 5).empty());
  CHECK(why(0, 3, 0, 10).empty());
  CHECK(why(0, 3, 2, 10).empty());
  CHECK(why(0, 0, 0, 10).empty());
  CHECK(why(0, 0, 0, 10, 4).empty());
}

TEST_CASE("a run that was frozen, and judged what came, is fine") {
  Statistics s;
  Door door;
  door.frozen = 3;
  s.doors.push_back(door);
  CHECK(why_nothing_was_learned(s).empty());
}

TEST_CASE("uniform draws are not said to prefer an attribute") {
  Statistics s;
  s.dimension = 6;
  s.looks.ratio = 1.3;
  s.looks.effective = 5.8;
  s.phase_reason = "phase 1: uniform: no attribute varies or explains more than others";
  CHECK(phase_report(s) == s.phase_reason);
  s.phase_reason = "phase 2: looks go to attributes that vary more";
  CHECK(
      phase_report(s).starts_with(s.phase_reason + "; the likeliest attribute is drawn 1.3 times as often"));
}

TEST_CASE("a run that learned nothing says why") {
  CHECK(why(0, 0, 7) == "none of 7 records could be read; the first warning above says why");
  CHECK(why(0, 0, 1, 10).starts_with("none of 1 record could be read"));
  CHECK(why(0, 3, 0).starts_with("none of 3 records had a label"));
  CHECK(why(0, 1, 0).starts_with("none of 1 record had a label"));
  CHECK(why(0, 3, 2) == "records that could not be read: 2; without a label: 3");
  CHECK(why(0, 0, 0, 0, 4).starts_with("all examples were skipped: 4 in all,"));
  CHECK(why(0, 0, 0) == "the input has no record");
  Statistics spent;
  spent.is_spent = true;
  CHECK(why_nothing_was_learned(spent).starts_with("--total-budget or --total-cost allows no example"));
}

}  // namespace summary_test
