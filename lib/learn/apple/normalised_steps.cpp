#include "learn/apple/normalised_steps.h"

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
  label_squares_ += weight * (difference * (label - label_mean_));
}

// terms_, and with them the prediction. Slots that are new get room.
void NormalisedSteps::take_features(std::span<const FeatureValue> features) {
  std::size_t most = slots();
  for (const FeatureValue& feature : features) most = std::max<std::size_t>(most, feature.slot + 1);
  if (most > slots()) more_.resize(most - own_.size());
  terms_.clear();
  prediction_ = bias();
  for (const FeatureValue& feature : features) {
    Cell& cell = at(feature.slot);
    if (const double size = std::abs(feature.value); size > cell.scale) grow_scale(cell, size);
    const double z = feature.value / cell.scale;
    prediction_ += cell.value * z;
    terms_.push_back({&cell, z, 0});
  }
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
  const double mean = label_mean_;
  count_label(label, growth_ * importance);
  const double moved = prediction_ + (label_mean_ - mean);
  prediction_ = clipped(prediction_);
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
  for (const Term& term : terms_) term.cell->value += change * term.rate;
  if (options_.half_life > 0) grow_old();
  return true;
}

// What an example adds grows, in place of all sums shrinking; before it is too large they shrink at once.
void NormalisedSteps::grow_old() {
  constexpr double kMost = 0x1p100;
  growth_ *= growing_;
  if (growth_ < kMost) return;
  for (double* sum : {&label_weight_, &label_squares_, &norms_, &weights_}) *sum /= growth_;
  const auto shrink = [this](Cell& cell) {
    cell.square /= growth_;
    cell.first /= growth_;
    cell.second /= growth_;
  };
  shrink(constant_);
  for (Cell& cell : own_)
    if (cell.scale > 0) shrink(cell);
  for (Cell& cell : more_) shrink(cell);
  growth_ = 1;
}

void NormalisedSteps::take(std::uint32_t slot, double weight, double scale) {
  if (slot >= slots()) more_.resize(slot + 1 - own_.size());
  Cell& cell = at(slot);
  if (scale > cell.scale) grow_scale(cell, scale);
  cell.value = weight * cell.scale;
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
  for (std::size_t i = 0; i < slots; ++i) {
    const Cell cell = cell_of(static_cast<std::uint32_t>(i));
    values[i] = cell.value;
    squares[i] = cell.square;
    scales[i] = cell.scale;
    firsts[i] = cell.first;
    seconds[i] = cell.second;
  }
  values[slots] = constant_.value;
  squares[slots] = constant_.square;
  const double sums[] = {label_weight_, label_squares_, norms_, weights_, growth_};
  state.put_copy<double>("expansion.sums", sums);
  state.put_number("expansion.label_mean", label_mean_);
  const bool none = labels_.empty();
  const double range[] = {none ? 0 : labels_.min(), none ? 0 : labels_.max()};
  state.put_copy<double>("expansion.label_range", range);
}

Status NormalisedSteps::restore(const State& state, std::size_t slots) {
  const auto values = state.get<double>("expansion.weights", slots + 1);
  if (!values) return values.error();
  const auto squares = state.get<double>("expansion.squares", slots + 1);
  if (!squares) return squares.error();
  const auto scales = state.get<double>("expansion.scales", slots);
  if (!scales) return scales.error();
  const auto firsts = state.get<double>("expansion.firsts", slots);
  if (!firsts) return firsts.error();
  const auto seconds = state.get<double>("expansion.seconds", slots);
  if (!seconds) return seconds.error();
  const auto sums = state.get<double>("expansion.sums", 5);
  if (!sums) return sums.error();
  const auto mean = state.get_number<double>("expansion.label_mean");
  if (!mean) return mean.error();
  const auto range = state.get<double>("expansion.label_range", 2);
  if (!range) return range.error();
  clear();
  more_.resize(slots - own_.size());
  for (std::size_t i = 0; i < slots; ++i) {
    const Cell cell{(*values)[i], (*squares)[i], (*scales)[i], (*firsts)[i], (*seconds)[i]};
    if (cell.scale > 0) at(static_cast<std::uint32_t>(i)) = cell;  // others stay as they are, untouched
  }
  constant_.value = (*values)[slots];
  constant_.square = (*squares)[slots];
  label_weight_ = (*sums)[0];
  label_squares_ = (*sums)[1];
  norms_ = (*sums)[2];
  weights_ = (*sums)[3];
  growth_ = (*sums)[4];
  label_mean_ = *mean;
  if (label_weight_ > 0)  // else no label was seen
    for (const double label : *range) labels_.add(label);
  return {};
}

}  // namespace glimpse
