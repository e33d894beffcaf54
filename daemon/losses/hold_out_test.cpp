#include "daemon/losses/hold_out.h"

#include <doctest/doctest.h>
#include <optional>
#include <vector>

#include "learn/gauge/label_range.h"

namespace hold_out_test {

using namespace glimpse;

TEST_CASE("a share of the records is held out, by their numbers alone, and not in step with any period") {
  HoldOut all;
  all.set_share(0.01);
  std::uint64_t taken = 0;
  std::uint64_t of_a_hundred[100] = {};
  for (std::uint64_t n = 1; n <= 1000000; ++n)
    if (all.take_next()) {
      ++taken;
      ++of_a_hundred[n % 100];
    }
  CHECK(taken > 9700);  // three standard deviations
  CHECK(taken < 10300);
  for (const std::uint64_t count : of_a_hundred) CHECK(count > 50);

  HoldOut none;
  for (int n = 0; n < 1000; ++n) CHECK_FALSE(none.take_next());
}

TEST_CASE("losses that begin again have no trace of the records before, which stay counted") {
  HoldOut hold_out;
  hold_out.losses().set_recent(5);
  hold_out.note_record(3);
  hold_out.losses().add(0, 0, 1e6, 1e6);
  hold_out.begin_again();
  CHECK(hold_out.report().records == 1);
  CHECK(hold_out.report().loss.count == 0);
  for (int t = 0; t < 20; ++t) hold_out.losses().add(0, 0, 2, 3);
  CHECK(hold_out.report().loss.mean == 4);
  CHECK(hold_out.report().recent.count <= 6);
  CHECK(hold_out.report().mean_absolute == 2);
}

TEST_CASE("a label of 1e30 that was held out leaves R2 possible, and recent figures behind it as they were") {
  for (const bool restarts : {false, true}) {
    HoldOut hold_out;
    hold_out.losses().set_recent(50);
    for (int t = 0; t < 1000; ++t) {
      hold_out.note_record(3);
      const double label = t == 5 ? 1e30 : t % 2 == 0 ? 2 : -2;
      hold_out.losses().add(0, label, t == 5 ? 0 : label + 0.5, 0);
      if (!restarts || t != 900) continue;
      State state;
      state.begin();
      hold_out.save(state);
      state.finish();
      REQUIRE(hold_out.restore(state).has_value());
      hold_out.losses().set_recent(50);
    }
    UnlearnedLosses both;
    both.merge(hold_out.losses(), {});
    for (const UnlearnedLoss& report : {UnlearnedLoss(hold_out.report()), both.report(0)}) {
      CHECK(share_of(report.loss, 4).r2() == doctest::Approx(-1.0 / 999));
      CHECK(share_of(report.loss, 4).error < 2);
      CHECK(share_of(report.recent, 4).r2() == doctest::Approx(1 - 0.25 / 4));
      CHECK(report.median_absolute == doctest::Approx(0.5).epsilon(0.13));
    }
  }
}

TEST_CASE("R2 of records that are not learned from is beside the mean of their own labels") {
  HoldOut first;
  HoldOut second;
  for (const auto& [label, prediction] : {std::pair(3.0, 2.5), {-0.5, 0.0}, {2.0, 2.0}, {7.0, 8.0}}) {
    HoldOut& of = label > 2 ? first : second;
    of.note_record(1);
    of.losses().add(0, label, prediction, 100);
  }
  State state;
  state.begin();
  first.save(state);
  state.finish();
  REQUIRE(first.restore(state).has_value());
  UnlearnedLosses both;
  both.merge(first.losses(), {});
  both.merge(second.losses(), {});
  // scikit-learn's r2_score([3, -0.5, 2, 7], [2.5, 0, 2, 8])
  CHECK(share_of(both.report(0).loss, 100).r2() == doctest::Approx(0.9486081370));
}

TEST_CASE("a larger share holds out the same records and more") {
  HoldOut small;
  HoldOut large;
  small.set_share(0.05);
  large.set_share(0.2);
  for (int n = 0; n < 10000; ++n) {
    const bool is_in_small = small.take_next();
    CHECK((large.take_next() || !is_in_small));
  }
}

TEST_CASE("what was held out goes on after a restart, and a record that is put back is decided on again") {
  HoldOut first;
  first.set_share(0.3);
  std::vector<bool> decisions;
  for (int n = 0; n < 50; ++n) decisions.push_back(first.take_next());
  for (const double error : {0.5, -1.5}) {
    first.note_record(7);
    first.losses().add(0, 1, 1 + error, 3);
  }
  first.put_back();

  State state;
  state.begin();
  first.save(state);
  state.finish();
  HoldOut second;
  second.set_share(0.3);
  REQUIRE(second.restore(state).has_value());
  CHECK(second.take_next() == decisions.back());
  CHECK(second.report().records == 2);
  CHECK(second.report().values == 14);
  CHECK(second.report().loss.mean == 1.25);
  CHECK(second.report().loss.standard_error() == 1);
  CHECK(second.report().recent.baseline == 4);
  CHECK(second.report().loss.baseline == 0);
  CHECK(second.report().mean_absolute == 1);
  first.take_next();
  for (int n = 0; n < 100; ++n) CHECK(first.take_next() == second.take_next());
}

TEST_CASE(
    "records of classes are judged by the slope of those before, and go on after a restart to the bit") {
  HoldOut first;
  const auto add = [](HoldOut& hold_out, int t) {
    double scores[] = {0.0, t % 2 == 0 ? 8.0 : 4.0};  // too sure: one in four is wrong
    hold_out.note_record(3);
    hold_out.add_class(scores, t % 4 == 0 ? std::optional<std::size_t>(0) : std::optional<std::size_t>(1));
  };
  CHECK(first.slope() == Temperature::kUsual);
  for (int t = 0; t < 300; ++t) add(first, t);
  CHECK(first.slope() < 0.4);
  double unknown[] = {0.0, 1.0};
  first.note_record(3);
  first.add_class(unknown, std::nullopt);
  const HeldOut report = first.report();
  CHECK(report.records == 301);
  CHECK(report.values == 903);
  CHECK(report.classes->wrong().total().mean == doctest::Approx(76.0 / 301));
  CHECK(report.loss.mean == doctest::Approx(report.classes->brier().total().mean / 2));
  CHECK(first.report().classes == report.classes);  // nothing new, nothing copied

  State state;
  state.begin();
  first.save(state);
  state.finish();
  HoldOut second;
  REQUIRE(second.restore(state).has_value());
  CHECK(second.slope() == first.slope());
  for (HoldOut* each : {&first, &second})
    for (int t = 0; t < 50; ++t) add(*each, t);
  CHECK(second.slope() == first.slope());
  CHECK(second.report().classes->log_loss().total().squares ==
        first.report().classes->log_loss().total().squares);
}

TEST_CASE("records that are kept are all of a few, and of many those that are equally far apart") {
  constexpr std::size_t kValues = 1024;
  const std::size_t most = KeptRecords::kMostValues / kValues;
  for (const std::size_t count : {std::size_t{3}, most, most + 1, 5 * most}) {
    KeptRecords kept;
    std::vector<Entry> values(kValues, Entry{7, 0});
    for (std::size_t n = 0; n < count; ++n) {
      values.back().value = static_cast<double>(n);
      kept.add(values, std::vector<double>{2.0 * static_cast<double>(n)});
    }
    std::vector<double> numbers;
    kept.each([&](const std::vector<Entry>& of, const std::vector<double>& labels) {
      REQUIRE(of.size() == kValues);
      CHECK(labels == std::vector<double>{2 * of.back().value});
      numbers.push_back(of.back().value);
    });
    const std::size_t apart = count <= most ? 1 : count <= 2 * most ? 2 : 8;
    REQUIRE(numbers.size() == (count + apart - 1) / apart);
    CHECK(numbers.size() <= most);
    CHECK(numbers.front() == 0);
    CHECK(numbers[numbers.size() / 2] == static_cast<double>(apart * (numbers.size() / 2)));
    CHECK(numbers.back() == static_cast<double>(apart * (numbers.size() - 1)));
  }
}

}  // namespace hold_out_test
