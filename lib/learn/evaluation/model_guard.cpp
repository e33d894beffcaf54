#include "learn/evaluation/model_guard.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace glimpse {

namespace {
constexpr double kWorse = 2;   // standard errors above the mean predictor's
constexpr double kBetter = 1;  // and below it
}  // namespace

void ModelGuard::Evidence::add(double difference, double effect) {
  const double square = effect * difference * difference;
  if (!std::isfinite(squares + square)) return;
  ++count;
  sum += difference;
  squares += square;
}

double ModelGuard::Evidence::deviation() const {
  const auto n = static_cast<double>(count);
  if (count < 2) return 0;
  return std::sqrt(std::max(squares - sum * sum / n, 0.0) * (n / (n - 1)));
}

bool ModelGuard::Evidence::is_worse(double slack) const {
  return count >= kFewest && sum > kWorse * deviation() + slack;
}
bool ModelGuard::Evidence::is_better() const { return count >= kFewest && sum < -kBetter * deviation(); }

ModelGuard::ModelGuard(std::uint64_t longest) : longest_(std::max(longest, kFewest)) {}

void ModelGuard::choose() {
  if (!withheld_) {
    choice_ = {};
  } else {
    choice_ = {earlier_ ? Served::kEarlier : Served::kMean, earlier_};
  }
}

void ModelGuard::begin(std::shared_ptr<const PastModel> leaving) {
  if (!withheld_ && newest_.count >= kFewest && newest_.sum < 0) earlier_ = std::move(leaving);
  withheld_ = false;
  newest_ = {};
  choose();
}

bool ModelGuard::add(const Errors& newest, const Errors& earlier) {
  const Served before = served();
  if (before == Served::kEarlier) {
    earlier_evidence_.add(earlier.model - earlier.mean, effect_);
    if (earlier_evidence_.is_worse(slack_)) earlier_.reset();
  }
  newest_.add(newest.model - newest.mean, effect_);
  if (!withheld_ && newest_.is_worse(slack_)) {
    withheld_ = true;
    verdict_ = newest_;
    earlier_evidence_ = {};
  } else if (withheld_ && newest_.is_better()) {
    withheld_ = false;
  }
  if (newest_.count >= longest_) newest_ = {};
  const Served now = !withheld_ ? Served::kNewest : earlier_ ? Served::kEarlier : Served::kMean;
  if (now == before) return false;
  choose();
  return true;
}

bool ModelGuard::acquit() {
  if (!withheld_) return false;
  withheld_ = false;
  newest_ = {};
  choose();
  return true;
}

GuardReport ModelGuard::report() const {
  GuardReport report;
  report.served = served();
  if (report.served == Served::kEarlier) report.model_examples = earlier_->examples;
  const Evidence& evidence = withheld_ ? verdict_ : newest_;
  report.judged = evidence.count;
  if (evidence.count > 0) {
    const auto n = static_cast<double>(evidence.count);
    report.excess = evidence.sum / n;
    report.standard_error = evidence.deviation() / n;
  }
  return report;
}

void ModelGuard::forget_attribute(std::size_t attribute) {
  if (earlier_) earlier_ = without(*earlier_, attribute);
  choose();
}

void ModelGuard::clear() { *this = ModelGuard(longest_); }

void ModelGuard::save(State& state) const {
  const std::uint64_t counts[] = {withheld_ ? 1U : 0U, newest_.count, earlier_evidence_.count,
                                  verdict_.count};
  state.put_copy<std::uint64_t>("guard.counts", counts);
  const double sums[] = {newest_.sum,  newest_.squares, earlier_evidence_.sum, earlier_evidence_.squares,
                         verdict_.sum, verdict_.squares};
  state.put_copy<double>("guard.sums", sums);
  if (earlier_) glimpse::save(state, "guard.earlier", *earlier_);
}

Status ModelGuard::restore(const State& state, std::size_t least, std::size_t most) {
  clear();
  if (state.find("guard.counts") == nullptr) return {};  // checkpoints of earlier builds have none
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("guard.counts", 4));
  GLIMPSE_TRY_ASSIGN(const auto sums, state.get<double>("guard.sums", 6));
  GLIMPSE_TRY_ASSIGN(auto earlier, restore_past_model(state, "guard.earlier", least, most));
  withheld_ = counts[0] != 0;
  newest_ = {counts[1], sums[0], sums[1]};
  earlier_evidence_ = {counts[2], sums[2], sums[3]};
  verdict_ = {counts[3], sums[4], sums[5]};
  earlier_ = std::move(earlier);
  choose();
  return {};
}

}  // namespace glimpse
