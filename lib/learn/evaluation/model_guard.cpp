#include "learn/evaluation/model_guard.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace glimpse {

namespace {
constexpr double kWorse = 2;   // standard errors above the mean predictor's
constexpr double kBetter = 1;  // and below it
// Of the sum of two errors: up to 4 epsilons were seen of models that predict the mean.
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();
}  // namespace

void ModelGuard::Evidence::add(const Errors& errors, double effect) {
  const double difference = errors.model - errors.mean;
  const double square = effect * difference * difference;
  if (!std::isfinite(squares + square)) return;
  ++count;
  sum += difference;
  squares += square;
  size += std::abs(errors.model) + std::abs(errors.mean);
}

bool ModelGuard::Evidence::is_rounding() const { return count > 0 && std::abs(sum) <= kRounding * size; }

double ModelGuard::Evidence::deviation() const {
  const auto n = static_cast<double>(count);
  if (count < 2) return 0;
  return std::sqrt(std::max(squares - sum * sum / n, 0.0) * (n / (n - 1)));
}

bool ModelGuard::Evidence::is_worse(double slack) const {
  return count >= kFewest && !is_rounding() && sum > kWorse * deviation() + slack;
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
    earlier_evidence_.add(earlier, effect_);
    if (earlier_evidence_.is_worse(slack_)) earlier_.reset();
  }
  newest_.add(newest, effect_);
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
    report.excess = evidence.is_rounding() ? 0 : evidence.sum / n;
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
  const double sizes[] = {newest_.size, verdict_.size};
  if (newest_.is_rounding() || verdict_.is_rounding()) state.put_copy<double>("guard.sizes", sizes);
  if (earlier_) glimpse::save(state, "guard.earlier", *earlier_);
}

Status ModelGuard::restore(const State& state, std::size_t least, std::size_t most) {
  clear();
  if (state.find("guard.counts") == nullptr) return {};  // checkpoints of earlier builds have none
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("guard.counts", 4));
  GLIMPSE_TRY_ASSIGN(const auto sums, state.get<double>("guard.sums", 6));
  GLIMPSE_TRY_ASSIGN(auto earlier, restore_past_model(state, "guard.earlier", least, most));
  withheld_ = counts[0] != 0;
  newest_ = {counts[1], sums[0], sums[1], 0};
  earlier_evidence_ = {counts[2], sums[2], sums[3], 0};
  verdict_ = {counts[3], sums[4], sums[5], 0};
  if (state.find("guard.sizes") != nullptr) {
    GLIMPSE_TRY_ASSIGN(const auto sizes, state.get<double>("guard.sizes", 2));
    newest_.size = sizes[0];
    verdict_.size = sizes[1];
  }
  earlier_ = std::move(earlier);
  choose();
  return {};
}

namespace {
constexpr double kMostShares = 2;  // that a mixed stream hardly ever has more than
constexpr double kFewestShares = .5;
constexpr double kChance = 2;  // standard deviations of a count
}  // namespace

void ClassQuota::begin() {
  seen_ = 0;
  admitted_.assign(admitted_.size(), 0);
}

bool ClassQuota::admits(std::size_t c, double share) {
  ++seen_;
  if (c >= admitted_.size()) admitted_.resize(c + 1, 0);
  if (static_cast<double>(admitted_[c]) >= 1 + kMostShares * share * static_cast<double>(seen_)) return false;
  ++admitted_[c];
  return true;
}

bool ClassQuota::is_balanced(std::span<const double> shares) const {
  const auto came = [&](std::size_t c) {
    return c < admitted_.size() ? static_cast<double>(admitted_[c]) : 0.0;
  };
  const auto stays_away = [&](double share, double count) {
    const double expected = share * static_cast<double>(seen_);
    return count < kFewestShares * expected - kChance * std::sqrt(expected);
  };
  double all = 0;
  double most = 0;
  double all_came = 0;
  double most_came = 0;
  for (std::size_t c = 0; c < shares.size(); ++c) {
    if (stays_away(shares[c], came(c))) return false;
    all += shares[c];
    all_came += came(c);
    if (!(shares[c] > most)) continue;
    most = shares[c];
    most_came = came(c);
  }
  return !stays_away(all - most, all_came - most_came);
}

void ClassQuota::save(State& state) const {
  if (admitted_.empty()) return;
  std::vector<std::uint64_t> counts = admitted_;
  counts.push_back(seen_);
  state.put_copy<std::uint64_t>("guard.classes", counts);
}

Status ClassQuota::restore(const State& state) {
  *this = {};
  const auto* const saved = state.find("guard.classes");
  if (saved == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto counts, state.get<std::uint64_t>("guard.classes"));
  if (counts.size() < 2) return failure(ErrorCode::kCorrupt, "guard.classes counts no class");
  admitted_.assign(counts.begin(), counts.end() - 1);
  seen_ = counts.back();
  return {};
}

namespace {
constexpr double kHarmful = 3;  // standard errors above the linear model's
constexpr double kUseful = 1;   // and below it
constexpr double kCertain = 2;  // both, of products that are withheld at first
}  // namespace

void ProductGuard::begin() {
  count_ = 0;
  sum_ = 0;
  squares_ = 0;
}

bool ProductGuard::add(double with_products, double without) {
  double difference = with_products - without;
  if (std::abs(difference) <= kRounding * (std::abs(with_products) + std::abs(without))) difference = 0;
  const double square = difference * difference;
  if (!std::isfinite(squares_ + square)) return false;
  ++count_;
  sum_ += difference;
  squares_ += square;
  if (count_ < static_cast<double>(kFewest)) return false;
  const double deviation =
      std::sqrt(std::max(squares_ - sum_ * sum_ / count_, 0.0) * (count_ / (count_ - 1)));
  const bool before = withholds_;
  if (sum_ > (withholds_at_first_ ? kCertain : kHarmful) * deviation) withholds_ = true;
  if (sum_ < -(withholds_at_first_ ? kCertain : kUseful) * deviation) withholds_ = false;
  return withholds_ != before;
}

void ProductGuard::save(State& state) const {
  if (count_ == 0 && withholds_ == withholds_at_first_) return;
  const double numbers[] = {withholds_ ? 1.0 : 0.0, count_, sum_, squares_};
  state.put_copy<double>("products.guard", numbers);
}

Status ProductGuard::restore(const State& state) {
  clear();
  if (state.find("products.guard") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<double>("products.guard", 4));
  if (!(numbers[1] >= 0) || !(numbers[3] >= 0))
    return failure(ErrorCode::kCorrupt, "products.guard has {} examples and {} squares, must be 0 or more",
                   numbers[1], numbers[3]);
  withholds_ = numbers[0] != 0;
  count_ = numbers[1];
  sum_ = numbers[2];
  squares_ = numbers[3];
  return {};
}

}  // namespace glimpse
