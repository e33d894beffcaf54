#include "learn/inference/partial_prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace glimpse {

PartialPrediction::PartialPrediction(std::shared_ptr<const Solution> solution,
                                     std::vector<Attribute> universe, std::vector<Attribute> owners)
    : solution_(std::move(solution)),
      owners_(std::move(owners)),
      factor_(solution_->moments, std::move(universe)) {
  const TargetMoments& moments = solution_->moments;
  for (const Attribute i : factor_.universe()) target_.push_back(moments.target[i]);
  total_ = moments.total;
  ridge_left_ = moments.ridge_total;
  begin();
}

// With nothing known.
void PartialPrediction::begin() {
  expected_.clear();
  for (const Attribute i : factor_.universe()) expected_.push_back(solution_->moments.means[i]);
  known_part_ = solution_->label_inward(solution_->model.bias);
  rest_ = solution_->moments.expected;
}

// A value out of all proportion to those that were seen, in their unit, is bounded so that its square is a
// number.
double PartialPrediction::inward(Attribute attribute, double value) const {
  constexpr double kLargest = 1e140;
  return std::clamp(solution_->inward(attribute, value), -kLargest, kLargest);
}

bool PartialPrediction::add_known(Attribute attribute, double value, std::span<const double> row) {
  const auto slot = factor_.unknown_slot(attribute);
  if (!slot || !std::isfinite(value)) return false;
  condition(*slot, inward(attribute, value), row);
  return true;
}

void PartialPrediction::replace_known(std::span<const double> values) {
  begin();
  for (std::size_t k = 0; k < known_.size(); ++k)
    take(known_[k], inward(universe()[known_[k].slot], values[k]));
  if (factor_.known() == solution_->feature_count()) rest_ = 0;
}

double PartialPrediction::prediction() const {
  constexpr double kLargest = std::numeric_limits<double>::max();
  const double sum = solution_->label_outward(known_part_ + rest_);
  return std::isnan(sum) ? 0 : std::clamp(sum, -kLargest, kLargest);
}

bool PartialPrediction::suppose_known(Attribute attribute, std::span<const double> row) {
  const auto slot = factor_.unknown_slot(attribute);
  if (!slot) return false;
  condition(*slot, expected_[*slot], row);
  return true;
}

void PartialPrediction::condition(std::size_t slot, double value, std::span<const double> row) {
  const TargetMoments& moments = solution_->moments;
  const Attribute attribute = universe()[slot];
  const double w = solution_->weight_inward(attribute);
  ridge_left_ = std::max(ridge_left_ - w * (w * moments.ridge[attribute]), 0.0);

  const std::size_t columns = factor_.columns();
  const auto [pivot, column] = factor_.condition(moments, slot, row);
  known_.push_back({slot, pivot, 0, factor_.first_unknown(), {}});
  if (factor_.columns() > columns) known_.back().column = columns;
  if (pivot > 0) {
    const double most = std::sqrt(pivot * total_);
    const double c = std::clamp(target_[slot], -most, most);
    known_.back().target = c;
    total_ = std::max(total_ - c / pivot * c, 0.0);
    target_[slot] = 0;
    const double scaled = c / std::sqrt(pivot);
    for (std::size_t j = factor_.first_unknown(); j < column.size(); ++j) target_[j] -= column[j] * scaled;
  }
  take(known_.back(), value);
  if (factor_.known() == solution_->feature_count()) {
    rest_ = 0;
    total_ = 0;
    ridge_left_ = 0;
  }
}

// What the value says of the others.
void PartialPrediction::take(const Known& known, double value) {
  const double w = solution_->weight_inward(universe()[known.slot]);
  const double surprise = value - expected_[known.slot];
  known_part_ += w * value;
  rest_ -= w * expected_[known.slot];
  // Of the rest alone: what x_a itself brings is in the known part.
  if (known.pivot > 0) rest_ += (known.target / known.pivot - w) * surprise;
  if (known.column) {
    const std::span<const double> column = factor_.column(*known.column);
    const double scaled = surprise / std::sqrt(known.pivot);
    for (std::size_t j = known.first_unknown; j < column.size(); ++j) expected_[j] += column[j] * scaled;
  }
  expected_[known.slot] = value;
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
  const std::span<const Attribute> owners = owners_.empty() ? universe() : std::span(owners_);
  std::optional<Choice> best = best_choice(owners, [this](std::size_t s) { return gain(s); }, total_, cost);
  if (best) best->gain = solution_->square_outward(best->gain);
  return best;
}

// Its share of what its attribute gains.
double PartialPrediction::gain(std::size_t slot) const {
  if (factor_.is_known(slot) || !(variance(slot) > 0)) return 0;
  const double gain = target_[slot] / variance(slot) * target_[slot];
  const bool is_indicator = !owners_.empty() && owners_[slot] != universe()[slot];
  return is_indicator ? gain * (1 - solution_->moments.means[universe()[slot]]) : gain;
}

}  // namespace glimpse
