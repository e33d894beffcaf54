#include "learn/css10/baseline.h"

#include <algorithm>
#include <cmath>

#include "learn/linalg/l1_quadratic.h"

namespace glimpse {

namespace {
constexpr double kLargestTerm = 1e100;  // sums of such, times the square of a radius, are still numbers
}

Baseline::Baseline(const LearnerOptions& options)
    : Learner(options),
      dimension_(options.dimension),
      coordinates_(options.dimension + (options.bias ? 1 : 0)),
      pairs_(static_cast<std::uint32_t>(options.budget / 2)),
      products_(coordinates_),
      labels_(coordinates_),
      moments_(options.dimension),
      past_models_(options.dimension, PastModels::Draws::kIndependent) {}

// Draws 2r and 2r + 1 of the data-point part are pair r.
void Baseline::begin_plan(Random& random, Plan& plan) {
  builder_.begin(plan);
  const double coefficient = static_cast<double>(dimension_) / (2 * pairs_);
  for (std::uint32_t draw = 0; draw < 2 * pairs_; ++draw)
    builder_.add_data_point(static_cast<Attribute>(random.below(dimension_)), coefficient);
  builder_.finish();
}

Outcome Baseline::step(const Plan& plan, std::span<const double> values, double label, double importance) {
  const std::vector<Draw>& draws = plan.data_point;
  double largest = 1;
  for (const double value : values) largest = std::fmax(largest, std::abs(value));
  const double d = static_cast<double>(dimension_);
  const double y = label - origin_;
  largest = std::fmax(largest, std::abs(2 * y));
  if (!(importance * d * d * largest * largest <= kLargestTerm)) return Outcome::kDiverged;

  count_loss(past_models_.empty() ? y * y
                                  : past_models_.judge(plan, values, label, Watch::kOff).squared_error);
  const std::size_t bias = dimension_;
  for (std::size_t r = 0; r + 1 < draws.size(); r += 2) {
    const Attribute i = plan.attributes[draws[r].position];
    const Attribute j = plan.attributes[draws[r + 1].position];
    const double v_i = importance * draws[r].coefficient * values[draws[r].position];
    const double v_j = importance * draws[r + 1].coefficient * values[draws[r + 1].position];
    // A_ij and A_ji are one cell, and A_ii gets both terms.
    products_.at(i, j) += (i == j ? 2 : 1) * v_i * (d * values[draws[r + 1].position]);
    labels_[i] += 2 * y * v_i;
    labels_[j] += 2 * y * v_j;
    if (!options().bias) continue;
    products_.at(i, bias) += v_i;
    products_.at(j, bias) += v_j;
  }
  if (options().bias) {
    products_.at(bias, bias) += importance;
    labels_[bias] += 2 * y * importance;
  }
  for (std::size_t a = 0; a < plan.attributes.size(); ++a) moments_.update(plan.attributes[a], values[a]);
  solution_.clear();
  return Outcome::kLearned;
}

void Baseline::after_example() {
  if (!PastModels::due(steps(), dimension_, options().budget, dimension_)) return;
  Model present;
  write_model(present);
  past_models_.add(present, counts().examples, [this](std::size_t i) { return moments_[i].mean; });
}

// The sums in place of the means: that factor does not move the minimum.
const std::vector<double>& Baseline::solution() const {
  if (solution_.empty()) solution_ = minimise_on_l1_ball(products_, labels_, *options().radius).w;
  return solution_;
}

double Baseline::predict(std::span<const Entry> entries) const {
  if (waits_for_origin()) return label_spread().mean();
  const std::vector<double>& w = solution();
  double sum = options().bias ? origin_ + w[dimension_] : 0;
  for (const Entry& entry : entries)
    sum += w[entry.attribute] * (std::isnan(entry.value) ? moments_[entry.attribute].mean : entry.value);
  return finite(sum);
}

void Baseline::model(Model& model) const { waits_for_origin() ? model_of_mean(model) : write_model(model); }

void Baseline::write_model(Model& model) const {
  const std::vector<double>& w = solution();
  model.weights.assign(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(dimension_));
  model.bias = options().bias ? origin_ + w[dimension_] : 0;
}

SamplingRow Baseline::sampling_row(Attribute attribute) const {
  return {moments_[attribute], 1 / static_cast<double>(dimension_)};
}

LearnerReport Baseline::describe() const {
  LearnerReport report;
  report.phase_reason = "this algorithm has one phase: it draws pairs of attributes uniformly";
  report.looks = {
      .ratio = 1, .effective = static_cast<double>(dimension_), .possible = static_cast<double>(dimension_)};
  report.origin = all_examples();
  report.memory_bytes = (products_.cells().size() + labels_.size() + solution_.size()) * sizeof(double) +
                        moments_.memory_bytes() + past_models_.memory_bytes();
  return report;
}

void Baseline::forget_everything() {
  std::fill(products_.cells().begin(), products_.cells().end(), 0.0);
  std::fill(labels_.begin(), labels_.end(), 0.0);
  moments_ = SecondMoments(dimension_);
  past_models_.clear();
  solution_.clear();
  restart_steps();
}

// The row of the bias holds Σ v, so that all labels so far count from there as well.
bool Baseline::expect_label(double mean) {
  for (std::size_t i = 0; mean != origin_ && options().bias && i < coordinates_; ++i)
    labels_[i] += 2 * (origin_ - mean) * products_.at(i, dimension_);
  if (options().bias) origin_ = mean;
  return options().bias;
}

Status Baseline::merge_state(const Learner& other, const MergedSlots& slots) {
  const auto& theirs = static_cast<const Baseline&>(other);
  if (origin_ == 0) expect_label(theirs.origin_);
  const auto own = [&](std::size_t i) -> std::size_t {
    return i < slots.attributes.size() ? slots.attributes[i] : i;
  };
  for (std::size_t i = 0; i < coordinates_; ++i) {
    labels_[own(i)] += theirs.labels_[i];
    if (const double apart = theirs.origin_ - origin_; apart != 0)
      labels_[own(i)] += 2 * apart * theirs.products_.at(i, dimension_);
    for (std::size_t j = i; j < coordinates_; ++j) products_.at(own(i), own(j)) += theirs.products_.at(i, j);
  }
  moments_.merge(theirs.moments_, slots.attributes);
  past_models_.clear();
  solution_.clear();
  return {};
}

void Baseline::save_state(State& state) const {
  state.put_copy<double>("baseline.products", products_.cells());
  state.put_copy<double>("baseline.labels", labels_);
  if (origin_ != 0) state.put_number("baseline.origin", origin_);
  moments_.save(state);
  past_models_.save(state);
}

Status Baseline::restore_state(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto products, state.get<double>("baseline.products", products_.cells().size()));
  GLIMPSE_TRY_ASSIGN(const auto labels, state.get<double>("baseline.labels", labels_.size()));
  GLIMPSE_TRY_ASSIGN(origin_, state.get_number<double>("baseline.origin", 0));
  GLIMPSE_TRY(moments_.restore(state));
  GLIMPSE_TRY(past_models_.restore(state));
  std::copy(products.begin(), products.end(), products_.cells().begin());
  std::copy(labels.begin(), labels.end(), labels_.begin());
  solution_.clear();
  return {};
}

}  // namespace glimpse
