#include "learn/inference/partial_prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace glimpse {

PartialPrediction::PartialPrediction(std::shared_ptr<const Solution> solution,
                                     std::vector<Attribute> universe, std::vector<Attribute> owners)
    : solution_(std::move(solution)), universe_(std::move(universe)), owners_(std::move(owners)) {
  const TargetMoments& moments = solution_->moments;
  slots_.reserve(universe_.size());
  for (std::size_t s = 0; s < universe_.size(); ++s) {
    const Attribute i = universe_[s];
    slots_.emplace(i, s);
    expected_.push_back(moments.means[i]);
    variances_.push_back(moments.variances[i]);
    target_.push_back(moments.target[i]);
  }
  is_known_.assign(universe_.size(), false);
  known_part_ = solution_->label_inward(solution_->model.bias);
  total_ = moments.total;
  rest_ = moments.expected;
  ridge_left_ = moments.ridge_total;
}

std::optional<std::size_t> PartialPrediction::unknown_slot(Attribute attribute) const {
  const auto found = slots_.find(attribute);
  if (found == slots_.end() || is_known_[found->second]) return std::nullopt;
  return found->second;
}

bool PartialPrediction::add_known(Attribute attribute, double value, std::span<const double> row) {
  const auto slot = unknown_slot(attribute);
  if (!slot || !std::isfinite(value)) return false;
  // A value out of all proportion to those that were seen, in their unit; its square is still a number.
  constexpr double kLargest = 1e140;
  condition(*slot, std::clamp(solution_->inward(attribute, value), -kLargest, kLargest), row);
  return true;
}

double PartialPrediction::prediction() const {
  constexpr double kLargest = std::numeric_limits<double>::max();
  const double sum = solution_->label_outward(known_part_ + rest_);
  return std::isnan(sum) ? 0 : std::clamp(sum, -kLargest, kLargest);
}

bool PartialPrediction::suppose_known(Attribute attribute, std::span<const double> row) {
  const auto slot = unknown_slot(attribute);
  if (!slot) return false;
  condition(*slot, expected_[*slot], row);
  return true;
}

void PartialPrediction::condition(std::size_t slot, double value, std::span<const double> row) {
  const TargetMoments& moments = solution_->moments;
  const Attribute attribute = universe_[slot];
  const double w = solution_->weight_inward(attribute);
  const double surprise = value - expected_[slot];
  known_part_ += w * value;
  rest_ -= w * expected_[slot];
  ridge_left_ = std::max(ridge_left_ - w * (w * moments.ridge[attribute]), 0.0);
  is_known_[slot] = true;
  ++known_;
  while (first_unknown_ < is_known_.size() && is_known_[first_unknown_]) ++first_unknown_;

  const double pivot = variances_[slot];
  if (pivot > 0) {
    const double most = std::sqrt(pivot * total_);
    const double c = std::clamp(target_[slot], -most, most);
    // Of the rest alone: what x_a itself brings is in the known part.
    rest_ += (c / pivot - w) * surprise;
    total_ = std::max(total_ - c / pivot * c, 0.0);
    target_[slot] = 0;
    variances_[slot] = 0;
    if (!row.empty()) {
      const double root = std::sqrt(pivot);
      column_.assign(row.begin(), row.end());
      for (const std::vector<double>& earlier : columns_) {
        const double factor = earlier[slot];
        if (factor == 0) continue;
        for (std::size_t j = first_unknown_; j < column_.size(); ++j) column_[j] -= factor * earlier[j];
      }
      for (std::size_t j = first_unknown_; j < column_.size(); ++j) {
        if (is_known_[j]) {
          column_[j] = 0;
          continue;
        }
        const Attribute other = universe_[j];
        const double limit = std::sqrt(variances_[j]);
        const double l = std::clamp(column_[j] / root, -limit, limit);
        column_[j] = l;
        expected_[j] += l * (surprise / root);
        target_[j] -= l * (c / root);
        variances_[j] = std::max(variances_[j] - l * l, moments.margin * moments.ridge[other]);
      }
      columns_.push_back(column_);
    }
  }
  expected_[slot] = value;
  if (known_ == solution_->feature_count()) {
    rest_ = 0;
    total_ = 0;
    ridge_left_ = 0;
  }
}

// Σ holds the whole ridge. What is left of C alone may be negative, down to −ridge_left_, as C is indefinite:
// that counts by the share that keeps the sum positive.
double PartialPrediction::variance() const {
  const double margin = solution_->moments.margin;
  const double bare = total_ - ridge_left_;
  constexpr double kLargest = 1e300;  // what is beyond, or not defined, counts as this
  const double sum = margin * ridge_left_ + (bare > 0 ? bare : margin * bare);
  const double outward = solution_->square_outward(sum);
  return std::isnan(outward) ? kLargest : std::clamp(outward, 0.0, kLargest);
}

double PartialPrediction::standard_error(double noise) const {
  return std::sqrt(std::max(noise, 0.0) + variance());
}

std::optional<PartialPrediction::Choice> PartialPrediction::best_next(
    const std::function<double(Attribute)>& cost) const {
  std::optional<Choice> best;
  const auto better = [&](const Choice& a) {
    if (!best) return true;
    if ((a.cost == 0) != (best->cost == 0)) return a.cost == 0;
    if (a.cost == 0) return a.gain > best->gain;
    return a.gain * best->cost > best->gain * a.cost;
  };
  for (std::size_t s = 0; s < universe_.size();) {
    const Attribute attribute = owner(s);
    double sum = 0;
    for (; s < universe_.size() && owner(s) == attribute; ++s) sum += gain(s);
    if (!(sum > 0)) continue;
    const double price = cost(attribute);
    if (!(price >= 0) || !std::isfinite(price)) continue;
    const Choice choice{attribute, std::min(sum, total_), price};
    if (choice.gain > 0 && better(choice)) best = choice;
  }
  if (best) best->gain = solution_->square_outward(best->gain);
  return best;
}

// Its share of what its attribute gains.
double PartialPrediction::gain(std::size_t slot) const {
  if (is_known_[slot] || !(variances_[slot] > 0)) return 0;
  const double gain = target_[slot] / variances_[slot] * target_[slot];
  const bool is_indicator = !owners_.empty() && owners_[slot] != universe_[slot];
  return is_indicator ? gain * (1 - solution_->moments.means[universe_[slot]]) : gain;
}

}  // namespace glimpse
