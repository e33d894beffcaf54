#include "learn/inference/partial_classes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "learn/classes/discriminants.h"

namespace glimpse {

PartialClasses::PartialClasses(std::shared_ptr<const Solution> solution, std::vector<Attribute> universe,
                               std::vector<Attribute> owners)
    : solution_(std::move(solution)),
      owners_(std::move(owners)),
      factor_(solution_->moments, std::move(universe)) {
  const std::size_t classes = this->classes();
  if (classes == 0) return;
  const ClassMoments& moments = *solution_->class_moments;
  totals_ = moments.totals;
  targets_.reserve(factor_.universe().size() * classes);
  for (const Attribute i : factor_.universe())
    for (std::size_t c = 0; c < classes; ++c) targets_.push_back(moments.targets[c * moments.slots() + i]);
}

bool PartialClasses::add_known(Attribute attribute, double value, std::span<const double> row) {
  if (supposes_ || !std::isfinite(value)) return false;
  return condition(attribute, row, inward(attribute, value));
}

double PartialClasses::inward(Attribute attribute, double value) const {
  constexpr double kLargest = 1e140;  // as PartialPrediction has it
  return std::clamp(solution_->inward(attribute, value), -kLargest, kLargest);
}

void PartialClasses::replace_known(std::span<const double> values) {
  for (std::size_t k = 0; k < known_.size(); ++k)
    known_[k].value = inward(universe()[known_[k].slot], values[k]);
}

bool PartialClasses::suppose_known(Attribute attribute, std::span<const double> row) {
  const bool was_supposing = std::exchange(supposes_, true);
  const bool is_new = condition(attribute, row, 0);
  supposes_ = was_supposing || is_new;
  return is_new;
}

bool PartialClasses::condition(Attribute attribute, std::span<const double> row, double value) {
  const auto slot = factor_.unknown_slot(attribute);
  if (!slot) return false;
  const std::size_t columns = factor_.columns();
  const auto [pivot, column] = factor_.condition(solution_->moments, *slot, row);
  const std::size_t classes = this->classes();
  const double root = std::sqrt(pivot);
  std::vector<double> reduced(classes);
  for (std::size_t c = 0; c < classes && pivot > 0; ++c) {
    double& target = targets_[*slot * classes + c];
    const double most = std::sqrt(totals_[c]);
    reduced[c] = std::clamp(target / root, -most, most);
    totals_[c] = std::max(totals_[c] - reduced[c] * reduced[c], 0.0);
    target = 0;
  }
  for (std::size_t j = factor_.first_unknown(); j < column.size(); ++j)
    for (std::size_t c = 0; c < classes; ++c) targets_[j * classes + c] -= column[j] * reduced[c];
  if (supposes_) return true;
  model_.reset();
  known_.push_back({*slot, value, root, {}});
  if (factor_.columns() > columns) known_.back().column = columns;
  reduced_.insert(reduced_.end(), reduced.begin(), reduced.end());
  return true;
}

// w_c,S by back substitution, one class after another.
std::vector<double> PartialClasses::weights() const {
  const std::size_t n = known_.size();
  const std::size_t classes = this->classes();
  std::vector<double> by_known(reduced_);
  for (std::size_t k = n; k-- > 0;) {
    double* const w = by_known.data() + k * classes;
    if (known_[k].column) {
      const std::span<const double> column = factor_.column(*known_[k].column);
      for (std::size_t m = k + 1; m < n; ++m) {
        const double l = column[known_[m].slot];
        const double* const later = by_known.data() + m * classes;
        for (std::size_t c = 0; c < classes; ++c) w[c] -= l * later[c];
      }
    }
    for (std::size_t c = 0; c < classes; ++c) w[c] = known_[k].root > 0 ? w[c] / known_[k].root : 0;
  }
  std::vector<double> weights(n * classes);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t c = 0; c < classes; ++c) weights[c * n + k] = by_known[k * classes + c];
  return weights;
}

// By the offsets of what is known from the means.
ClassModel PartialClasses::model_of_known() const {
  const ClassMoments& moments = *solution_->class_moments;
  const std::size_t classes = moments.classes();
  const std::size_t n = known_.size();
  ClassTargets targets;
  targets.counts = moments.counts;
  targets.weights = weights();
  targets.centres.assign(n, 0.0);  // values about their means
  double in_sample = 0;
  double in_squares = 0;
  for (const Known& known : known_) {
    const double leverage = moments.leverages[universe()[known.slot]];
    in_sample += leverage;
    in_squares += leverage * leverage;
  }
  if (in_sample > 0)
    targets.in_sample = in_sample + static_cast<double>(classes - 1) * in_squares / in_sample;
  for (std::size_t c = 0; c < classes; ++c)
    for (const Known& known : known_)
      targets.covariances.push_back(moments.covariances[c * moments.slots() + universe()[known.slot]]);
  return discriminants(targets);
}

void PartialClasses::scores(std::span<double> scores) const {
  if (!solution_->class_moments) return scores_at_means(scores);
  if (!model_) model_ = model_of_known();
  const ClassModel& model = *model_;
  std::ranges::fill(scores, kNoScore);
  const std::size_t count = std::min(classes(), scores.size());
  std::copy_n(model.biases.begin(), count, scores.begin());
  for (std::size_t k = 0; k < known_.size(); ++k) {
    const double offset = known_[k].value - solution_->moments.means[universe()[known_[k].slot]];
    for (std::size_t c = 0; c < count; ++c) scores[c] += model.weights_of(k)[c] * offset;
  }
}

void PartialClasses::scores_at_means(std::span<double> scores) const {
  const ClassModel& model = *solution_->classes;
  std::ranges::fill(scores, kNoScore);
  const std::size_t count = std::min(model.classes(), scores.size());
  std::copy_n(model.biases.begin(), count, scores.begin());
  std::vector<double> values = solution_->moments.means;
  for (const Known& known : known_) values[universe()[known.slot]] = known.value;
  for (std::size_t i = 0; i < std::min(values.size(), model.slots()); ++i) {
    const double value = solution_->outward(static_cast<Attribute>(i), values[i]);
    for (std::size_t c = 0; c < count; ++c) scores[c] += model.weights_of(i)[c] * value;
  }
}

std::optional<PartialClasses::Choice> PartialClasses::best_next(
    const std::function<double(Attribute)>& cost) const {
  if (classes() == 0) return std::nullopt;
  const std::span<const Attribute> owners = owners_.empty() ? universe() : std::span(owners_);
  const double most = std::accumulate(totals_.begin(), totals_.end(), 0.0) / 2;
  return best_choice(owners, [this](std::size_t s) { return gain(s); }, most, cost);
}

double PartialClasses::gain(std::size_t slot) const {
  const double variance = factor_.variance(slot);
  if (factor_.is_known(slot) || !(variance > 0)) return 0;
  const std::size_t classes = this->classes();
  double sum = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    const double target = targets_[slot * classes + c];
    sum += target / variance * target;
  }
  const bool is_indicator = !owners_.empty() && owners_[slot] != universe()[slot];
  return sum / 2 * (is_indicator ? 1 - solution_->moments.means[universe()[slot]] : 1);
}

}  // namespace glimpse
