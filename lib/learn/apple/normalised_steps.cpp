#include "learn/apple/normalised_steps.h"

#include <algorithm>
#include <cmath>

namespace glimpse {

namespace {
constexpr double kLargestResidual = 1e90;  // its square, times that of an importance, is still a number
}

NormalisedSteps::NormalisedSteps(std::size_t attributes, const Options& options)
    : options_(options), own_(attributes) {
  constant_.scale = 1;
  if (options_.half_life > 0) growing_ = std::exp2(1 / options_.half_life);
}

double NormalisedSteps::worth(std::uint32_t slot) const {
  const Cell* cell = find(slot);
  return cell != nullptr ? std::abs(cell->value) : 0;
}

double NormalisedSteps::mean(std::uint32_t slot) const {
  const Cell cell = cell_of(slot);
  return weights_ > 0 ? cell.scale * (cell.first / weights_) : 0;
}

double NormalisedSteps::mean_square(std::uint32_t slot) const {
  const Cell cell = cell_of(slot);
  return weights_ > 0 ? cell.scale * (cell.second / weights_) * cell.scale : 0;
}

double NormalisedSteps::residual_index(std::uint32_t slot) const {
  const Cell cell = cell_of(slot);
  return cell.second > 0 ? cell.square / cell.second : 0;
}

double NormalisedSteps::predict(std::span<const FeatureValue> features) const {
  double sum = bias();
  for (const FeatureValue& feature : features) sum += weight(feature.slot) * within_scale(feature);
  return sum;
}

void NormalisedSteps::count_label(double label, double weight) {
  label_weight_ += weight;
  if (!options_.bias) {
    label_squares_ += weight * (label * label);
    return;
  }
  const double difference = label - label_mean_;
  label_mean_ += weight / label_weight_ * difference;
  // A label near the mean with a large weight may bring less than 0 by rounding.
  label_squares_ = std::max(label_squares_ + weight * (difference * (label - label_mean_)), 0.0);
}

// terms_, and with them the predictions. Slots that are new get room.
void NormalisedSteps::take_features(std::span<const FeatureValue> features) {
  std::size_t most = slots();
  for (const FeatureValue& feature : features) most = std::max<std::size_t>(most, feature.slot + 1);
  if (most > slots()) more_.resize(most - own_.size());
  terms_.clear();
  double present = label_mean_ + constant_.value;
  auto behind = constant_.lags;
  for (const FeatureValue& feature : features) {
    Cell& cell = at(feature.slot);
    const double size = std::abs(feature.value);
    if (size > cell.scale) grow_scale(cell, cell.scale > 0 ? std::min(size, kMostGrowth * cell.scale) : size);
    const double z = size > cell.scale ? std::copysign(1.0, feature.value) : feature.value / cell.scale;
    present += cell.value * z;
    for (std::size_t k = 0; k < behind.size(); ++k) behind[k] += cell.lags[k] * z;
    terms_.push_back({&cell, z, 0});
  }
  predictions_[0] = present;
  for (std::size_t k = 0; k < behind.size(); ++k)
    predictions_[k + 1] = present - behind[k] / average_weights_[k];
}

void NormalisedSteps::grow_scale(Cell& cell, double scale) {
  const double shrinkage = cell.scale / scale;
  cell.square *= shrinkage * shrinkage;
  cell.first *= shrinkage;
  cell.second *= shrinkage * shrinkage;
  cell.scale = scale;
}

double NormalisedSteps::step_size() const {
  if (!(norms_ > 0 && label_weight_ > 0)) return 0;
  return options_.rate * std::sqrt(label_squares_ / label_weight_) * std::sqrt(weights_ / norms_);
}

bool NormalisedSteps::learn(std::span<const FeatureValue> features, double label, double importance) {
  take_features(features);
  if (options_.bias) terms_.push_back({&constant_, 1, 0});
  judge(label, growth_ * importance);
  const double mean = label_mean_;
  count_label(label, growth_ * importance);
  const double moved = predictions_[0] + (label_mean_ - mean);
  labels_.add(label);
  const double r = clipped(moved) - label;
  if (!(std::abs(r) <= kLargestResidual)) return false;

  const double slope = importance * r;
  const double weight = growth_ * importance;
  double norm = 0;
  double reach = 0;  // q over η L √(T/N)
  for (Term& term : terms_) {
    Cell& cell = *term.cell;
    const double z = term.z;
    const double gradient = slope * z;
    cell.square += growth_ * (gradient * gradient);
    cell.first += weight * z;
    cell.second += weight * (z * z);
    term.rate = cell.square > 0 ? z / std::sqrt(cell.square) : 0;
    norm += z * z;
    reach += term.rate * z;
  }
  norms_ += weight * norm;
  weights_ += weight;

  // √growth: of G what counts now. Where nothing changes, as all labels were the same, there is no step.
  const double step = step_size() * std::sqrt(growth_);
  const double q = step * reach;
  const double change = q > 0 ? -step * (r * -std::expm1(-importance * q) / q) : 0;
  if (!std::isfinite(change)) return false;
  for (const Term& term : terms_) {
    const double moves = change * term.rate;
    term.cell->value += moves;
    for (std::size_t k = 0; k < kPowers.size(); ++k) term.cell->lags[k] += average_weights_[k] * moves;
  }
  follow(weight);
  if (options_.half_life > 0) grow_old();
  return true;
}

// The predictions by u and its averages before the example.
void NormalisedSteps::judge(double label, double weight) {
  prediction_ = clipped(predictions_[model()]);
  for (std::size_t k = 0; k < losses_.size(); ++k) {
    const double error = clipped(predictions_[k]) - label;
    losses_[k] += weight * (error * error);
  }
}

// ū goes after u: with an example C becomes C + c, and ū = u − Σ C·Δu/C over the changes of u, each with the
// C before it, so that only the features of an example are touched.
void NormalisedSteps::follow(double weight) {
  constexpr double kMost = 0x1p200;
  const double before = weights_ - weight;
  for (std::size_t k = 0; k < kPowers.size(); ++k) {
    double& sum = average_weights_[k];
    if (before > 0) sum *= (before + kPowers[k] * weight) / before;
    if (sum < kMost) continue;
    const int exponent = std::ilogb(sum);
    sum = std::ldexp(sum, -exponent);
    change_all([k, exponent](Cell& cell) { cell.lags[k] = std::ldexp(cell.lags[k], -exponent); });
  }
}

template <class Change>
void NormalisedSteps::change_all(const Change& change) {
  change(constant_);
  for (Cell& cell : own_)
    if (cell.scale > 0) change(cell);
  for (Cell& cell : more_) change(cell);
}

// What an example adds grows, in place of all sums shrinking; before it is too large they shrink at once.
void NormalisedSteps::grow_old() {
  constexpr double kMost = 0x1p100;
  growth_ *= growing_;
  if (growth_ < kMost) return;
  for (double* sum : {&label_weight_, &label_squares_, &norms_, &weights_}) *sum /= growth_;
  for (double& loss : losses_) loss /= growth_;
  change_all([this](Cell& cell) {
    cell.square /= growth_;
    cell.first /= growth_;
    cell.second /= growth_;
  });
  growth_ = 1;
}

void NormalisedSteps::take(std::uint32_t slot, double weight, double scale) {
  if (slot >= slots()) more_.resize(slot + 1 - own_.size());
  Cell& cell = at(slot);
  if (scale > cell.scale) grow_scale(cell, scale);
  cell.value = weight * cell.scale;
  cell.lags = {};
}

void NormalisedSteps::forget(std::uint32_t slot) {
  if (find(slot) != nullptr) at(slot) = Cell();
}

void NormalisedSteps::clear() { *this = NormalisedSteps(own_.size(), options_); }

void NormalisedSteps::save(State& state, std::size_t slots) const {
  const auto values = state.put<double>("expansion.weights", slots + 1);
  const auto squares = state.put<double>("expansion.squares", slots + 1);
  const auto scales = state.put<double>("expansion.scales", slots);
  const auto firsts = state.put<double>("expansion.firsts", slots);
  const auto seconds = state.put<double>("expansion.seconds", slots);
  const auto lags = state.put<double>("expansion.lags", kPowers.size() * (slots + 1));
  for (std::size_t i = 0; i < slots; ++i) {
    const Cell cell = cell_of(static_cast<std::uint32_t>(i));
    values[i] = cell.value;
    squares[i] = cell.square;
    scales[i] = cell.scale;
    firsts[i] = cell.first;
    seconds[i] = cell.second;
    std::ranges::copy(cell.lags, lags.subspan(kPowers.size() * i).begin());
  }
  values[slots] = constant_.value;
  squares[slots] = constant_.square;
  std::ranges::copy(constant_.lags, lags.subspan(kPowers.size() * slots).begin());
  const double sums[] = {label_weight_, label_squares_, norms_, weights_, growth_};
  state.put_copy<double>("expansion.sums", sums);
  state.put_copy<double>("expansion.averages", average_weights_);
  state.put_copy<double>("expansion.losses", losses_);
  state.put_number("expansion.label_mean", label_mean_);
  const bool none = labels_.empty();
  const double range[] = {none ? 0 : labels_.min(), none ? 0 : labels_.max()};
  state.put_copy<double>("expansion.label_range", range);
}

Status NormalisedSteps::restore(const State& state, std::size_t slots) {
  GLIMPSE_TRY_ASSIGN(const auto values, state.get<double>("expansion.weights", slots + 1));
  GLIMPSE_TRY_ASSIGN(const auto squares, state.get<double>("expansion.squares", slots + 1));
  GLIMPSE_TRY_ASSIGN(const auto scales, state.get<double>("expansion.scales", slots));
  GLIMPSE_TRY_ASSIGN(const auto firsts, state.get<double>("expansion.firsts", slots));
  GLIMPSE_TRY_ASSIGN(const auto seconds, state.get<double>("expansion.seconds", slots));
  GLIMPSE_TRY_ASSIGN(const auto sums, state.get<double>("expansion.sums", 5));
  GLIMPSE_TRY_ASSIGN(const auto mean, state.get_number<double>("expansion.label_mean"));
  GLIMPSE_TRY_ASSIGN(const auto range, state.get<double>("expansion.label_range", 2));
  clear();
  more_.resize(slots - own_.size());
  for (std::size_t i = 0; i < slots; ++i) {
    const Cell cell{values[i], squares[i], scales[i], firsts[i], seconds[i], {}};
    if (cell.scale > 0) at(static_cast<std::uint32_t>(i)) = cell;  // others stay as they are, untouched
  }
  constant_.value = values[slots];
  constant_.square = squares[slots];
  label_weight_ = sums[0];
  label_squares_ = sums[1];
  norms_ = sums[2];
  weights_ = sums[3];
  growth_ = sums[4];
  label_mean_ = mean;
  if (label_weight_ > 0)  // else no label was seen
    for (const double label : range) labels_.add(label);
  return restore_averages(state, slots);
}

// Earlier builds' checkpoints have no averages: they begin at the weights.
Status NormalisedSteps::restore_averages(const State& state, std::size_t slots) {
  if (state.find("expansion.averages") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto lags, state.get<double>("expansion.lags", kPowers.size() * (slots + 1)));
  GLIMPSE_TRY_ASSIGN(const auto averages, state.get<double>("expansion.averages", kPowers.size()));
  GLIMPSE_TRY_ASSIGN(const auto losses, state.get<double>("expansion.losses", losses_.size()));
  const auto take_lags = [&](Cell& cell, std::size_t slot) {
    std::ranges::copy(lags.subspan(kPowers.size() * slot, kPowers.size()), cell.lags.begin());
  };
  for (std::size_t i = 0; i < slots; ++i)
    if (Cell& cell = at(static_cast<std::uint32_t>(i)); cell.scale > 0) take_lags(cell, i);
  take_lags(constant_, slots);
  std::ranges::copy(averages, average_weights_.begin());
  std::ranges::copy(losses, losses_.begin());
  return {};
}

}  // namespace glimpse
