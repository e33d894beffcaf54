#include <utility>

#include "learn/core/further_state.h"
#include "learn/core/learner.h"

// What Learner knows of several labels. Each further one has a learner of its own, which gets the same values
// of the same plans. They step before the first one does, as that one changes the pairs that all share.

namespace glimpse {

using Verdict = ValueGauge::Verdict;

void Learner::add_label(std::unique_ptr<Learner> learner) {
  learner->lead_ = this;
  learner->gauge_ = ValueGauge(0, GaugeUnits::kOwn, options_.outliers == Outliers::kBound);
  learner->share_looks(*this);
  further_.push_back(std::move(learner));
}

// An example counts for all labels or for none, so that all know the same of the attributes. A class that is
// rare is no wild number.
Verdict Learner::judge_labels(double& label) {
  const auto judge = [this](ValueGauge& gauge, double& y) {
    const Verdict verdict = gauge.judge_label(y);
    if (verdict == Verdict::kCut || verdict == Verdict::kLeaveOut) ++counts_.bounded_labels;
    return verdict;
  };
  Verdict together = is_classifier() ? Verdict::kBelieve : judge(gauge_, label);
  for (std::size_t l = 0; l < further_.size(); ++l) {
    const Verdict verdict = judge(further_[l]->gauge_, other_labels_[l]);
    if (verdict == Verdict::kLeaveOut || (verdict == Verdict::kBegin && together != Verdict::kLeaveOut))
      together = verdict;
  }
  return together;
}

void Learner::forget_attribute_of_all(Attribute attribute) {
  for (const auto& other : further_) other->forget_attribute(attribute);
  forget_attribute(attribute);
}

bool Learner::can_step_all(std::span<const double> values, double label, double importance) const {
  bool all = can_step(values, label, importance);
  for (std::size_t l = 0; l < further_.size(); ++l)
    all = all && further_[l]->can_step(values, other_labels_[l], importance);
  return all;
}

void Learner::step_others(const Plan& plan, std::span<const double> values, double importance) {
  for (std::size_t l = 0; l < further_.size(); ++l)
    further_[l]->step(plan, values, other_labels_[l], importance);
}

void Learner::finish_others() {
  for (std::size_t l = 0; l < further_.size(); ++l) {
    Learner& other = *further_[l];
    other.counts_ = counts_;
    other.note_label(other.label_outward(other_labels_[l]));
    other.steps_ = steps_;
    other.after_example();
  }
}

void Learner::set_recent(std::uint64_t examples) {
  progressive_loss_.set_recent(examples);
  for (const auto& other : further_) other->set_recent(examples);
}

void Learner::save_others(State& state) const {
  for (std::size_t l = 0; l < further_.size(); ++l) {
    saved_.begin();
    further_[l]->save(saved_);
    saved_.finish();
    put_further_state(state, l + 1, saved_);
  }
}

namespace {

// Features grow alike in all, as the sums of pairs that they share do.
bool has_same_features(const State& state, const State& other) {
  for (const char* const name : {"features.categories", "features.dates", "features.indicators"}) {
    const Tensor* const one = state.find(name);
    const Tensor* const same = other.find(name);
    if ((one == nullptr) != (same == nullptr)) return false;
    if (one != nullptr && (one->type != same->type || one->bytes != same->bytes)) return false;
  }
  return true;
}

}  // namespace

Status Learner::restore_others(const State& state) {
  for (std::size_t l = 0; l < further_.size(); ++l) {
    const auto part = further_state(state, l + 1);
    if (!part) return failure(ErrorCode::kCorrupt, "the state has nothing of label {}", l + 1);
    if (!has_same_features(state, *part))
      return failure(ErrorCode::kCorrupt, "label {} has other categories than the first one", l + 1);
    Learner& other = *further_[l];
    GLIMPSE_TRY(other.restore(*part));
    if (other.steps_ != steps_ || other.counts_.examples != counts_.examples ||
        other.features_.slots() != features_.slots() || other.features_.room() != features_.room())
      return failure(
          ErrorCode::kCorrupt,
          "label {} is not of the examples that the first one is of: learner.counts and learner.steps",
          l + 1);
  }
  return {};
}

}  // namespace glimpse
