#include "daemon/statistics/history_watch.h"

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

namespace history_watch_test {

using namespace glimpse;
using namespace std::chrono_literals;
using C = HistoryColumn;
using Kind = HistoryEvent::Kind;

struct Watched {
  Statistics now;
  History history;
  HistoryWatch watch;
  HistoryWatch::Clock::time_point clock{std::chrono::hours(1)};
  std::uint64_t failures = 0;

  Watched() {
    now.dimension = 10;
    note();
  }
  void note() { watch.note(now, failures, clock, 1790000000, history); }
  void note(std::uint64_t examples) {
    now.counts.examples = examples;
    note();
  }
  std::vector<double> counts() const {
    std::vector<double> all;
    for (const HistorySample& s : history.copy()->samples) all.push_back(s[C::kExamples]);
    return all;
  }
};

TEST_CASE("a sample is taken at counts, however fast they come, and else once a second") {
  Watched w;
  CHECK_FALSE(w.watch.is_due(0));
  CHECK(w.watch.is_due(1));
  w.note(1);
  CHECK_FALSE(w.watch.is_due(1));
  w.note(1);
  w.note(32);
  CHECK_FALSE(w.watch.is_due(35));
  w.note(33);
  CHECK(w.counts() == std::vector<double>{1, 32});
  w.clock += 999ms;
  w.note(34);
  w.clock += 1ms;
  w.note(34);
  w.clock += 5s;
  w.note(34);  // nothing came
  CHECK(w.counts() == std::vector<double>{1, 32, 34});
  w.watch.take_next();
  w.note(35);
  w.watch.take_next();
  w.note(35);
  CHECK(w.counts() == std::vector<double>{1, 32, 34, 35});
}

TEST_CASE("a sample says what the status says, and how fast examples came") {
  Watched w;
  w.now.counts.attributes_revealed = 60;
  w.now.recent_loss = {4, 0.5, 1.0};
  w.now.phase = 1;
  w.clock += 2s;
  w.note(20);
  const HistorySample s = w.history.copy()->samples.back();
  CHECK(s[C::kAttributesThere] == 200);
  CHECK(s[C::kAttributesRevealed] == 60);
  CHECK(s[C::kRate] == 10);
  CHECK(s[C::kRecentLoss] == 0.5);
  CHECK(s[C::kRecentLossError] == doctest::Approx(std::sqrt(1.0 / 12)));
  CHECK(std::isnan(s[C::kProgressiveLoss]));
  CHECK(std::isnan(s[C::kHeldOutExamples]));
  CHECK(std::isnan(s[C::kModelExamples]));
  w.clock += 1ms;
  w.note(24);
  CHECK(std::isnan(w.history.copy()->samples.back()[C::kRate]));  // of too short a time
}

TEST_CASE("the rate after a pause is that of what comes then") {
  Watched w;
  const auto newest = [&] { return w.history.copy()->samples.back()[C::kRate]; };
  w.clock += 2s;
  w.note(2000);
  CHECK(newest() == 1000);
  w.clock += 100s;
  w.note(2010);  // the first of them
  CHECK(std::isnan(newest()));
  w.clock += 1s;
  w.note(2510);
  CHECK(newest() == 500);
  w.clock += 60s;
  w.note(2511);
  w.clock += 10s;
  w.note(2516);
  CHECK(newest() == 0.5);  // slower since, and no pause
  w.clock += 10s;
  w.note(2521);
  CHECK(newest() == 0.5);
  w.clock += 30s;
  w.note(2530);  // 15 would have come: so few may come late
  CHECK(newest() == 0.3);
}

TEST_CASE("a sample that is taken long after the newest examples came has their rate") {
  Watched w;
  w.clock += 500ms;
  w.note(500);
  w.clock += 100ms;
  w.note(600);
  w.note(601);
  w.clock += 10s;
  w.watch.take_next();
  w.note(601);
  CHECK(w.history.copy()->samples.back()[C::kRate] == doctest::Approx(601 / 0.6));
}

TEST_CASE("a phase that began again between two looks is an event") {
  Watched w;
  w.now.phase_since = 0;
  w.note(10);
  w.now.phase_since = 15;  // 2 in between
  w.note(20);
  w.note(30);
  w.now.phase = 2;
  w.now.phase_since = 35;
  w.note(40);
  const auto events = w.history.copy()->events;
  REQUIRE(events.size() == 2);
  CHECK(events[0].kind == Kind::kPhase);
  CHECK(events[0].value == 1);
  CHECK(events[0].examples == 15);
  CHECK(events[1].value == 2);
  CHECK(events[1].examples == 35);
}

TEST_CASE("what changes between two looks is an event, and what was so at first is none") {
  Watched w;
  w.note(300);
  w.now.phase = 2;
  w.now.phase_since = 256;
  w.note(310);
  w.now.drift = {1, 305, 0.1, 0.4};
  w.note(320);
  w.now.is_frozen = true;
  w.note();
  w.now.is_frozen = false;
  w.now.guard.served = Served::kMean;
  w.note();
  w.now.guard.served = Served::kEarlier;
  w.failures = 2;
  w.note();
  w.now.guard.served = Served::kNewest;
  w.note();
  std::vector<Kind> kinds;
  const auto events = w.history.copy()->events;
  for (const HistoryEvent& e : events) kinds.push_back(e.kind);
  CHECK(kinds == std::vector<Kind>{Kind::kPhase, Kind::kDrift, Kind::kFreeze, Kind::kUnfreeze,
                                   Kind::kWithheld, Kind::kCheckpointFailed, Kind::kServedAgain});
  CHECK(events[0].examples == 256);
  CHECK(events[0].value == 2);
  CHECK(events[1].examples == 305);
  CHECK(events[5].value == 2);
}

TEST_CASE("which of several labels a model is withheld of is an event's value") {
  Watched w;
  w.now.by_label.resize(2);
  w.note(300);
  w.now.by_label[1].guard.served = Served::kMean;
  w.note(310);
  w.now.by_label[0].guard.served = w.now.guard.served = Served::kEarlier;
  w.now.by_label[1].guard.served = Served::kNewest;
  w.note(320);
  const auto events = w.history.copy()->events;
  REQUIRE(events.size() == 3);
  CHECK(events[0].kind == Kind::kWithheld);
  CHECK(events[0].value == 2);
  CHECK(events[0].examples == 310);
  CHECK(events[1].kind == Kind::kWithheld);
  CHECK(events[1].value == 1);
  CHECK(events[2].kind == Kind::kServedAgain);
  CHECK(events[2].value == 2);
}

TEST_CASE("each of several labels has its own losses in a sample") {
  Watched w;
  w.now.by_label.resize(3);
  w.now.recent_loss = {4, 0.5, 1.0};
  w.now.label_variance = 2;
  w.now.by_label[2].recent_loss = {4, 0.25, 3.0};
  w.now.by_label[2].variance = 7;
  w.note(20);
  const HistorySample s = w.history.copy()->samples.back();
  CHECK(s.of_label(C::kRecentLoss, 0) == 0.5);
  CHECK(std::isnan(s.of_label(C::kRecentLoss, 1)));
  CHECK(s.of_label(C::kRecentLoss, 2) == 0.25);
  CHECK(s.of_label(C::kRecentLossError, 2) == 0.5);
  CHECK(s.of_label(C::kLabelVariance, 2) == 7);
  CHECK(std::isnan(s.of_label(C::kHeldOutRecentLossError, 2)));
  CHECK(s.of_label(C::kExamples, 2) == 20);
  CHECK(std::isnan(s.of_label(C::kRecentLoss, 3)));
}

TEST_CASE("after a promotion samples go on from the examples of its model") {
  Watched w;
  w.note(1);
  w.note(64);
  w.note(1000);
  w.now.promotion = {1, "checkpoint", 64, 1000};
  w.now.phase = 2;  // of the other learner
  w.history.cut(64);
  w.note(64);
  CHECK(w.counts() == std::vector<double>{1, 64});
  REQUIRE(w.history.copy()->events.size() == 1);
  CHECK(w.history.copy()->events[0].kind == Kind::kPromotion);
  CHECK(w.history.copy()->events[0].value == 1000);
  CHECK_FALSE(w.watch.is_due(71));
  CHECK(w.watch.is_due(72));
  w.note(72);
  CHECK(w.counts() == std::vector<double>{1, 64, 72});
}

TEST_CASE("a history of which nothing is kept asks for nothing") {
  Statistics now;
  History history;
  history.set_most(0);
  HistoryWatch watch;
  watch.note(now, 0, {}, 0, history);
  now.counts.examples = 5;
  CHECK_FALSE(watch.is_due(5));
  watch.note(now, 3, {}, 0, history);
  CHECK_FALSE(history.is_used());
}

}  // namespace history_watch_test
