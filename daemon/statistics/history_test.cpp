#include "daemon/statistics/history.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

namespace history_test {

using namespace glimpse;
using C = HistoryColumn;
using Kind = HistoryEvent::Kind;

HistorySample sample(double examples, double loss = 0.5) {
  HistorySample s;
  s[C::kTime] = 1790000000.25 + examples;
  s[C::kExamples] = examples;
  s[C::kProgressiveLoss] = loss;
  return s;
}

std::vector<double> counts(const History& history) {
  std::vector<double> all;
  for (const HistorySample& s : history.copy()->samples) all.push_back(s[C::kExamples]);
  return all;
}

State saved(const History& history) {
  State state;
  state.begin();
  history.save(state);
  state.finish();
  return state;
}

TEST_CASE("samples are due at eight counts of examples in each doubling, and at each of the first") {
  std::vector<std::uint64_t> due;
  for (std::uint64_t n = 0; n < 40; n = due.back()) due.push_back(History::next_count(n));
  CHECK(due == std::vector<std::uint64_t>{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                          14, 15, 16, 18, 20, 22, 24, 26, 28, 30, 32, 36, 40});
  CHECK(History::next_count(1'000'000) == 1'048'576);
  CHECK(History::next_count(1'048'576) == 1'179'648);
}

TEST_CASE("samples go from the first to now: the newest as they came, the others even on a log axis") {
  History history;
  history.set_most(200);
  // One a second, of a stream of a thousand examples a second, beside those at fixed counts.
  std::uint64_t due = 1;
  std::uint64_t at = 0;
  for (std::uint64_t second = 1; second <= 20'000; ++second) {
    for (; due < second * 1000; due = History::next_count(due))
      history.add(sample(static_cast<double>(at = due)));
    if (at < second * 1000) history.add(sample(static_cast<double>(at = second * 1000)));
  }
  const std::vector<double> kept = counts(history);
  REQUIRE(kept.size() == 200);
  CHECK(kept.front() == 1);
  CHECK(kept.back() == 20'000'000);
  for (std::size_t i = 151; i < 200; ++i) CHECK(kept[i] - kept[i - 1] <= 1000);
  // 150 samples for 24 doublings: each step is near 17 %, beyond the first whole numbers.
  for (std::size_t i = 1; i < 150; ++i)
    if (kept[i] > 16) {
      CAPTURE(kept[i]);
      CHECK(kept[i] / kept[i - 1] < 1.36);
    }
}

TEST_CASE("what is kept follows from the samples alone") {
  std::array<History, 2> histories;
  for (History& history : histories) {
    history.set_most(16);
    for (int i = 1; i < 3000; i += 1 + i % 7) history.add(sample(i, i % 13));
  }
  CHECK(counts(histories[0]) == counts(histories[1]));
}

TEST_CASE("a copy stays as it is, and is shared while nothing changes") {
  History history;
  history.add(sample(1));
  const auto first = history.copy();
  CHECK(history.copy() == first);
  history.add(sample(2));
  CHECK(first->samples.size() == 1);
  CHECK(history.copy()->samples.size() == 2);
}

TEST_CASE("of events the oldest goes of the kind that there is most of") {
  History history;
  history.set_most(16);  // four events
  history.add(HistoryEvent{Kind::kPhase, 1, 12, 2});
  for (int i = 0; i < 9; ++i) history.add(HistoryEvent{Kind::kDrift, 2, 100.0 + i, i + 1.0});
  const auto& events = history.copy()->events;
  REQUIRE(events.size() == 4);
  CHECK(events[0].kind == Kind::kPhase);
  CHECK(events[1].examples == 106);
  CHECK(events[3].examples == 108);
}

TEST_CASE("a promotion takes away what the learner of now has not learned") {
  History history;
  for (const double examples : {1, 2, 3, 50, 60}) history.add(sample(examples));
  history.add(HistoryEvent{Kind::kPhase, 1, 2, 2});
  history.add(HistoryEvent{Kind::kDrift, 1, 55, 1});
  history.cut(50);
  CHECK(counts(history) == std::vector<double>{1, 2, 3, 50});
  REQUIRE(history.copy()->events.size() == 1);
  CHECK(history.copy()->events[0].kind == Kind::kPhase);
  CHECK(history.examples() == 50);
}

TEST_CASE("without room nothing is kept") {
  History history;
  history.add(sample(1));
  history.set_most(0);
  history.add(sample(2));
  history.add(HistoryEvent{Kind::kPhase, 1, 2, 2});
  CHECK_FALSE(history.is_used());
}

TEST_CASE("what was saved comes back, with what is not known") {
  History history;
  history.add(sample(1, std::nan("")));
  history.add(sample(7, 0.25));
  history.add(HistoryEvent{Kind::kPromotion, 1790000000.5, 7, 100});
  History restored;
  REQUIRE(restored.restore(saved(history)).has_value());
  const auto copy = restored.copy();
  REQUIRE(copy->samples.size() == 2);
  CHECK(std::isnan(copy->samples[0][C::kProgressiveLoss]));
  CHECK(copy->samples[1][C::kProgressiveLoss] == 0.25);
  CHECK(copy->samples[1][C::kTime] == 1790000007.25);
  REQUIRE(copy->events.size() == 1);
  CHECK(copy->events[0].kind == Kind::kPromotion);
  CHECK(copy->events[0].value == 100);
}

TEST_CASE("what labels behind the first have of their own comes back") {
  History history;
  for (const double examples : {1.0, 7.0}) {
    HistorySample s = sample(examples, 0.5);
    if (examples > 1) s.further.assign(2 * kLabelColumns.size(), examples);
    history.add(s);
  }
  History restored;
  REQUIRE(restored.restore(saved(history)).has_value());
  const auto copy = restored.copy();
  CHECK(std::isnan(copy->samples[0].of_label(C::kRecentLoss, 2)));
  CHECK(copy->samples[1].of_label(C::kRecentLoss, 2) == 7);
  CHECK(copy->samples[1].of_label(C::kProgressiveLoss, 0) == 0.5);

  State wrong;
  wrong.begin();
  wrong.put_text("history.columns", "examples");
  wrong.put_copy<double>("history.samples", std::array{4.0, 9.0});
  wrong.put_copy<double>("history.labels", std::array{4.0, 7.0, 0.5});
  wrong.put<double>("history.events", 0);
  wrong.finish();
  const Status status = history.restore(wrong);
  REQUIRE_FALSE(status.has_value());
  CHECK(status.error().message ==
        "history.labels has 3 numbers, which are not 9 for each label of 2 samples");
}

TEST_CASE("labels of an earlier build have the columns that it had") {
  State state;
  state.begin();
  state.put_text("history.columns", "examples");
  state.put_copy<double>("history.samples", std::array{4.0, 9.0});
  auto labels = state.put<double>("history.labels", 36);  // two labels
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<double>(i);
  state.put<double>("history.events", 0);
  state.finish();
  History history;
  REQUIRE(history.restore(state).has_value());
  const auto& samples = history.copy()->samples;
  CHECK(samples[0].of_label(C::kLabelVariance, 1) == 0);
  CHECK(samples[1].of_label(C::kLabelVariance, 2) == 27);
  CHECK(samples[1].of_label(C::kHeldOutRecentLossError, 2) == 35);
  CHECK(std::isnan(samples[1].of_label(C::kRecentBaseline, 1)));
  History again;
  REQUIRE(again.restore(saved(history)).has_value());
  CHECK(again.copy()->samples[1].of_label(C::kHeldOutRecentLossError, 2) == 35);
}

TEST_CASE("a checkpoint of an earlier build has no history, and one with other columns has those it knows") {
  State state;
  state.begin();
  state.finish();
  History history;
  history.add(sample(3));
  REQUIRE(history.restore(state).has_value());
  CHECK_FALSE(history.is_used());

  state.begin();
  state.put_text("history.columns", "examples,colour,recent_loss");
  state.put_copy<double>("history.samples", std::array{4.0, 7.0, 0.5, 9.0, 8.0, 0.25});
  state.put<double>("history.events", 0);
  state.finish();
  REQUIRE(history.restore(state).has_value());
  CHECK(counts(history) == std::vector<double>{4, 9});
  CHECK(history.copy()->samples[1][C::kRecentLoss] == 0.25);
  CHECK(std::isnan(history.copy()->samples[1][C::kTime]));
}

TEST_CASE("fewer are kept of a checkpoint that has more") {
  History history;
  for (int i = 1; i <= 1000; ++i) history.add(sample(i));
  for (int i = 0; i < 20; ++i) history.add(HistoryEvent{Kind::kRestart, 1, 10.0 * i, 0});
  History restored;
  restored.set_most(20);
  REQUIRE(restored.restore(saved(history)).has_value());
  const std::vector<double> kept = counts(restored);
  REQUIRE(kept.size() == 20);
  CHECK(kept.front() == 1);
  CHECK(kept.back() == 1000);
  CHECK(std::ranges::is_sorted(kept));
  CHECK(restored.copy()->events.size() == 5);
}

TEST_CASE("a history that no daemon wrote is refused by what is wrong") {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  struct Bad {
    const char* columns;
    std::vector<double> samples;
    std::vector<double> events;
    const char* words;
  };
  const Bad all[] = {
      {"time,recent_loss", {1, 2}, {}, "no rows of the columns"},
      {"", {1}, {}, "no rows of the columns"},
      {"time,examples", {1, 2, 3}, {}, "3 numbers"},
      {"examples", {5, 5}, {}, "a sample of 5 examples behind one of 5"},
      {"examples", {0}, {}, "a sample of 0"},
      {"examples", {nan}, {}, "a sample of nan"},
      {"examples", {infinity}, {}, "a sample of inf"},
      {"examples", {2.5}, {}, "a sample of 2.5"},
      {"examples", {1}, {0, 1, 2}, "history.events has 3 numbers"},
      {"examples", {1}, {9, 1, 2, 0}, "kind 9"},
      {"examples", {1}, {-1, 1, 2, 0}, "kind -1"},
      {"examples", {1}, {0, 1, -2, 0}, "after -2 examples"},
  };
  for (const Bad& bad : all) {
    CAPTURE(bad.words);
    State state;
    state.begin();
    state.put_text("history.columns", bad.columns);
    state.put_copy<double>("history.samples", std::span<const double>(bad.samples));
    state.put_copy<double>("history.events", std::span<const double>(bad.events));
    state.finish();
    const Status status = History().restore(state);
    REQUIRE_FALSE(status.has_value());
    CHECK(status.error().code == ErrorCode::kCorrupt);
    CHECK(status.error().message.find(bad.words) != std::string::npos);
  }
}

}  // namespace history_test
