#include "learn/inference/incomplete_example.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "learn/inference/conditioning.h"
#include "learn/inference/known_features.h"
#include "learn/inference/partial_classes.h"
#include "learn/inference/partial_prediction.h"

namespace glimpse {

namespace {

// One example fits any model: nothing tells of errors then.
double error_where_known(const Learner& learner, const Solution& basis, auto error_of_noise) {
  const double noise = error_variance(learner, basis.noise());
  return noise > 0 ? error_of_noise(noise) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::shared_ptr<const Solution> prediction_basis(const Learner& learner) {
  const Conditioning* const conditioning = learner.conditioning();
  return conditioning != nullptr ? conditioning->newest_solution() : independent_solution(learner);
}

double IncompleteExamples::standard_error_of_complete(const Learner& learner, const Solution& basis) {
  return error_where_known(learner, basis, [](double noise) { return std::sqrt(noise); });
}

bool IncompleteExamples::conditions(const Learner& learner, std::span<const Entry> entries) {
  if (learner.conditioning() == nullptr) return false;
  const auto missing = std::count_if(entries.begin(), entries.end(),
                                     [](const Entry& entry) { return std::isnan(entry.value); });
  return learner.features().slots() <= kMostConditioned + static_cast<std::size_t>(missing);
}

// What is not given is 0, as in Learner::predict(); of categories and dates, which have no 0, it is missing.
void IncompleteExamples::find_known(const Learner& learner, std::span<const Entry> entries) {
  const std::size_t dimension = learner.options().dimension;
  known_.resize(dimension);
  std::iota(known_.begin(), known_.end(), Attribute{0});
  values_.assign(dimension, 0.0);
  if (!learner.features().is_plain())
    for (std::size_t i = 0; i < dimension; ++i)
      if (learner.features().has_indicators(i)) values_[i] = std::numeric_limits<double>::quiet_NaN();
  for (const Entry& entry : entries) values_[entry.attribute] = entry.value;
  std::erase_if(known_, [this](Attribute i) { return std::isnan(values_[i]); });
}

// The attributes become their features.
void IncompleteExamples::expand(const Learner& learner, const Solution& basis) {
  std::vector<Entry> known;
  for (const Attribute i : known_) known.push_back({i, values_[i]});
  const std::vector<Entry> features = known_features(known, learner.features(), basis);
  known_.clear();
  values_.resize(basis.known_slots());
  for (const Entry& feature : features) {
    known_.push_back(feature.attribute);
    values_[feature.attribute] = feature.value;
  }
}

bool IncompleteExamples::gather(const Learner& learner, std::span<const Entry> entries,
                                const Solution& basis) {
  find_known(learner, entries);
  if (!learner.features().is_plain() || !basis.model.products.empty()) expand(learner, basis);
  const std::size_t n = known_.size();
  // Where all is known nothing is told of anything else.
  if (n >= basis.feature_count() || !conditions(learner, entries)) return false;
  return true;
}

template <class Partial>
const Partial& IncompleteExamples::partial(const Learner& learner,
                                           const std::shared_ptr<const Solution>& basis, bool is_conditioned,
                                           Earlier<Partial>& earlier) {
  constexpr std::size_t kMostBytes = std::size_t{8} << 20;  // of each of two
  const LearnerCounts& counts = learner.counts();
  const bool is_of_now = earlier.learner == &learner && earlier.basis == basis &&
                         earlier.examples == counts.examples &&
                         earlier.revealed == counts.attributes_revealed;
  if (!is_of_now) earlier = {&learner, basis, counts.examples, counts.attributes_revealed, {}};
  auto& all = earlier.all;
  known_values_.clear();
  for (const Attribute slot : known_) known_values_.push_back(values_[slot]);
  const bool may_serve =
      is_conditioned && !known_.empty() &&
      std::ranges::all_of(known_values_, [](double value) { return std::isfinite(value); });
  const auto found = may_serve ? std::ranges::find(all, known_, &Earlier<Partial>::Kept::known) : all.end();
  if (found != all.end()) {
    all.splice(all.begin(), all, found);
    all.front().partial.replace_known(known_values_);
    return all.front().partial;
  }
  const std::size_t n = known_.size();
  if (is_conditioned) {
    covariances_.resize(n * n);
    learner.conditioning()->covariances(basis->moments, known_, known_, covariances_);
  }
  const std::size_t most = 1 + kMostBytes / (1 + sizeof(double) * n * n);
  while (all.size() >= most) all.pop_back();
  // One that may not serve others is found by nothing.
  all.push_front({may_serve ? known_ : std::vector<Attribute>(), Partial(basis, known_)});
  Partial& made = all.front().partial;
  for (std::size_t k = 0; k < n; ++k)
    made.add_known(
        known_[k], known_values_[k],
        is_conditioned ? std::span<const double>(covariances_).subspan(k * n, n) : std::span<const double>());
  return made;
}

const PartialPrediction& IncompleteExamples::predicted(const Learner& learner, std::span<const Entry> entries,
                                                       const std::shared_ptr<const Solution>& basis) {
  return partial(learner, basis, gather(learner, entries, *basis), numbers_);
}

void IncompleteExamples::class_scores(const Learner& learner, std::span<const Entry> entries,
                                      const std::shared_ptr<const Solution>& basis,
                                      std::span<double> scores) {
  if (learner.labels().empty()) {
    std::ranges::fill(scores, 0.0);
    return;
  }
  if (!basis->classes)
    return learner.scores_of_prediction(predict(learner, entries, basis).prediction, scores);
  if (!basis->class_moments || !conditions(learner, entries) || !gather(learner, entries, *basis))
    return learner.class_scores(basis->classes.get(), entries, scores);
  partial(learner, basis, true, classes_).scores(scores);
}

IncompleteExamples::Answer IncompleteExamples::predict(const Learner& learner, std::span<const Entry> entries,
                                                       const std::shared_ptr<const Solution>& basis) {
  const PartialPrediction& prediction = predicted(learner, entries, basis);
  const auto error_of = [&](double noise) { return prediction.standard_error(noise); };
  return {prediction.prediction(), error_where_known(learner, *basis, error_of)};
}

Explanation IncompleteExamples::explain_margin(const Learner& learner, std::span<const Entry> entries,
                                               const std::shared_ptr<const Solution>& basis,
                                               const ClassModel& model, std::span<const double> scores,
                                               double slope, std::size_t top) {
  gather(learner, entries, *basis);
  Explanation::Margin margin;
  for (std::size_t c = 1; c < scores.size(); ++c)
    if (scores[c] > scores[margin.predicted]) margin.predicted = c;
  margin.next = margin.predicted == 0 ? 1 : 0;
  for (std::size_t c = 0; c < scores.size(); ++c)
    if (c != margin.predicted && scores[c] > scores[margin.next]) margin.next = c;
  const auto [best, next] = margin;
  const auto weight = [&](std::size_t slot) {
    const std::span<const double> weights = model.weights_of(slot);
    return std::max(best, next) < weights.size() ? slope * (weights[best] - weights[next]) : 0;
  };
  const auto mean = [&](std::size_t slot) {
    return basis->outward(static_cast<Attribute>(slot), basis->moments.means[slot]);
  };
  Explanation result;
  result.margin = margin;
  result.prediction = slope * (scores[best] - scores[next]);
  result.noise = result.unknown_variance = std::numeric_limits<double>::quiet_NaN();
  if (std::max(best, next) >= model.classes()) return result;
  result.at_means = slope * (model.biases[best] - model.biases[next]);
  for (std::size_t slot = 0; slot < basis->moments.means.size(); ++slot)
    if (const double w = weight(slot); w != 0) result.at_means += w * mean(slot);
  double sum = result.at_means;
  for (const Attribute slot : known_) {
    const double amount = weight(slot) * (values_[slot] - mean(slot));
    sum += amount;
    if (amount != 0 && !std::isnan(amount)) result.parts.push_back({slot, values_[slot], amount});
  }
  if (known_.size() < basis->feature_count()) result.unknown = result.prediction - sum;
  result.keep(top);
  return result;
}

Explanation IncompleteExamples::explain(const Learner& learner, std::span<const Entry> entries,
                                        const std::shared_ptr<const Solution>& basis, std::size_t top) {
  const PartialPrediction& prediction = predicted(learner, entries, basis);
  std::vector<Entry> known;
  for (const Attribute slot : known_) known.push_back({slot, values_[slot]});
  Explanation result = glimpse::explain(*basis, known, prediction, top);
  result.noise = error_where_known(learner, *basis, [](double noise) { return noise; });
  return result;
}

}  // namespace glimpse
