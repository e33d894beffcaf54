#include "learn/pairwise/pairwise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "learn/covariance/look_weights.h"
#include "learn/covariance/reselect.h"
#include "learn/evaluation/kept_share.h"
#include "learn/pairwise/pairwise_rules.h"
#include "stats/feature_sums.h"

namespace glimpse {

Pairwise::Pairwise(const LearnerOptions& options)
    : SolvingLearner(options, options.dimension),
      q_(options.dimension),
      drawn_(options.dimension),
      position_(options.dimension) {
  if (options.budget_cost) priced_.emplace(options);
  plan_sampling();
}

Outcome Pairwise::step(const Plan& plan, std::span<const double> values, double label, double importance) {
  if (!is_summable(values, label, importance)) return Outcome::kDiverged;
  judge(plan, values, label, watch());
  if (features_.is_plain()) {
    keep_for_judge(plan.attributes);
    forget_moments();
    moments_.add(plan.attributes, values, label, importance);
    learn_class(importance);
  } else {
    finish_judges_copy();  // of the time before the first category
    forget_moments();
    add_features(plan, values, label, importance);
  }
  return Outcome::kLearned;
}

// Indicators have slots behind those of all attributes.
void Pairwise::add_features(const Plan& plan, std::span<const double> values, double label,
                            double importance) {
  slots_.clear();
  indicators_.clear();
  slot_values_.clear();
  for (std::size_t a = 0; a < plan.attributes.size(); ++a) {
    const Attribute i = plan.attributes[a];
    if (std::isnan(values[a])) continue;
    slots_.push_back(i);
    slot_values_.push_back(features_.is_category(i) ? 1 : values[a]);
    if (!features_.is_category(i)) continue;
    const std::uint32_t indicator = features_.find_or_add(i, values[a]);
    if (indicator != FeatureMap::kNone) indicators_.push_back(indicator);
  }
  std::sort(indicators_.begin(), indicators_.end());
  slots_.insert(slots_.end(), indicators_.begin(), indicators_.end());
  slot_values_.resize(slots_.size(), 1.0);
  if (moments_.dimension() < features_.room()) make_room();
  moments_.add(slots_, slot_values_, label, importance);
  learn_class(importance);
}

void Pairwise::make_room() {
  std::vector<std::size_t> from(features_.room(), kNewSlot);
  for (std::size_t i = 0; i < moments_.dimension(); ++i) from[i] = i;
  moments_ = reselect(moments_, from);
  captured_.is_stale = true;
}

double Pairwise::mean_of(std::size_t slot) const {
  return features_.is_plain() ? moments_[slot].mean() : feature_sums(moments_, features_, slot).mean();
}

void Pairwise::after_example() {
  if (steps() >= next_plan_) plan_sampling();
  judge_when_due();
}

std::unique_ptr<JudgeBasis> Pairwise::judge_basis() const {
  auto basis = std::make_unique<JudgeBasis>();
  lend_memory(*basis);
  basis->examples = counts().examples;
  basis->snapshot.begin(moments_, options().bias, features_);
  basis->features = features_;
  basis->means.resize(moments_.dimension());
  for (std::size_t i = 0; i < basis->means.size(); ++i)
    basis->means[i] = features_.is_category(i) ? 0 : mean_of(i);
  return basis;
}

void Pairwise::forget(const ChangeDetector::Rise& rise) {
  const double kept = share_kept(rise, label_of_losses());
  if (kept == 0) return forget_everything();
  forget_judgements();
  if (kept < 1) moments_.decay(kept);
  begin_again_from_sums();
}

void Pairwise::forget_everything() {
  forget_judgements();
  moments_ = no_sums(features_.room());
  begin_again_from_sums();
}

void Pairwise::forget_attribute(Attribute attribute) {
  finish_judges_copy();
  moments_.forget_attribute(attribute);
  forget_judgements_of(attribute);
  drop_solution();
}

void Pairwise::begin_again_from_sums() {
  forget_judgements();
  forget_best();
  drop_solution();
  restart_steps();
  plan_sampling();
}

JudgeForm Pairwise::judge_form() const {
  const auto& best = best_.set();
  return {.ball = ball(),
          .steps = PairwiseSolver::kRoughSteps,
          .class_steps = PairwiseSolver::kClassSteps,
          .best = best_set_form(options(), best ? *best : std::vector<Attribute>())};
}

void Pairwise::begin_copy() const {
  snapshot_.begin(moments_, options().bias, features_);
  captured_ = now();
}

void Pairwise::start_capture() const {
  begin_copy();
  has_copy_ = true;
  for (std::size_t l = 1; l < label_count(); ++l) {
    const Pairwise& other = sibling(l);
    snapshot_.begin_label(other.moments_, other.side_);
    other.captured_ = other.now();
  }
}

bool Pairwise::capture(std::size_t bytes) {
  if (captured_.is_stale) {
    start_capture();  // of sums that may have another size
    return false;
  }
  moments_.add_at_once(true);
  if (!moments_.settle_some(bytes) || !snapshot_.copy(moments_, bytes)) return false;
  if (!captured_.is_stale && !is_old(captured_)) {
    moments_.add_at_once(false);
    captured_.choice = guard_.choice();
    for (std::size_t l = 1; l < label_count(); ++l) sibling(l).captured_.choice = sibling(l).guard_.choice();
    return true;
  }
  start_capture();
  return false;
}

void Pairwise::covariances(const TargetMoments& about, std::span<const Attribute> rows,
                           std::span<const Attribute> columns, std::span<double> out) const {
  glimpse::covariances(moments_, features_, about, rows, columns, out);
}

SamplingRow Pairwise::sampling_row(Attribute attribute) const {
  const AttributeSums& s = moments_[attribute];
  if (features_.is_category(attribute))
    return {{NAN, NAN, SecondMoments::count_of(s.weight()), 0}, look_chance(attribute)};
  const double mean = s.mean();
  return outward(attribute, {{mean, s.variance() + mean * mean, SecondMoments::count_of(s.weight()),
                              static_cast<float>(s.largest)},
                             look_chance(attribute)});
}

std::size_t Pairwise::sums_memory_bytes() const {
  const std::size_t d = moments_.dimension();
  if (lead() != nullptr) return d * (2 * sizeof(AttributeSums) + PairSnapshot::kBytesAnAttribute);
  return PairMoments::memory_bytes(d) + moments_.targets() * d * TargetSums::kBytesACell +
         (PairBatch::is_worthwhile(d, options().budget) ? PairBatch::bytes_of(d) : 0) + q_.memory_bytes() +
         (priced_ ? priced_->memory_bytes() : 0) + d / 8 + 4 * d +
         (has_copy_ ? PairSnapshot::memory_bytes(d) + PairwiseSolver::memory_bytes(d)
                    : PairSnapshot::kBytesAnAttribute * snapshot_.dimension());
}

void Pairwise::save_state(State& state) const {
  moments_.save(state);
  if (priced_) {
    priced_->save(state);
  } else {
    state.put_copy<std::uint8_t>("sampling.levels", q_.levels());
  }
  look_phase_.save(state);
  const std::uint64_t numbers[] = {q_.lowest_key(), q_.shift(), next_plan_};
  state.put_copy<std::uint64_t>("pairwise.sampling", numbers);
  save_judges(state);
}

// A limit of cost, or prices, may have come, gone or changed since: then q is planned again.
Status Pairwise::restore_sampling(const State& state, std::span<const std::uint64_t> numbers) {
  draw_otherwise();
  next_plan_ = numbers[2];
  if (priced_) {
    GLIMPSE_TRY_ASSIGN(const auto same, priced_->restore(state));
    if (!same) plan_sampling();
    return {};
  }
  if (state.find("costs.levels") != nullptr) {
    plan_sampling();
    return {};
  }
  GLIMPSE_TRY_ASSIGN(const auto levels, state.get<std::uint8_t>("sampling.levels", options().dimension));
  if (!q_.restore(levels, static_cast<std::uint32_t>(numbers[0]), static_cast<std::uint32_t>(numbers[1])))
    return failure(ErrorCode::kCorrupt, "pairwise.sampling is of no distribution");
  return {};
}

Status Pairwise::restore_state(const State& state) {
  if (moments_.dimension() != features_.room()) moments_ = no_sums(features_.room());
  GLIMPSE_TRY(moments_.restore(state));
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<std::uint64_t>("pairwise.sampling", 3));
  GLIMPSE_TRY(restore_sampling(state, numbers));
  GLIMPSE_TRY(look_phase_.restore(state, looks()));
  const Status status = restore_judges(state);
  note_chances();
  return status;
}

}  // namespace glimpse
