#include <algorithm>
#include <iterator>
#include <utility>

#include "learn/covariance/reselect.h"
#include "learn/judges/active_features.h"
#include "learn/pairwise/pairwise.h"
#include "learn/pairwise/screened_pairwise.h"

// What the learners that solve know of merging: sums add up, and all that follows from them is made again.

namespace glimpse {

static_assert(MergedSlots::kNoSlot == kNewSlot);

namespace {

// Those of `other`, in the slots of `from`, with the classes of the learner that gets them.
PairMoments renumbered(const PairMoments& other, std::span<const std::size_t> from,
                       const MergedSlots& slots) {
  PairMoments moments = renumber(other, from, slots.classes);
  if (!slots.are_same_classes) moments.label_by_target(1);
  return moments;
}

// How far labels of `other` are above those of `mine`, which are about other references.
double offset_of_labels(const LabelSums& mine, const LabelSums& other) {
  return mine.weight > 0 && other.weight > 0 ? other.reference - mine.reference : 0;
}

}  // namespace

void SolvingLearner::merge_moments(const PairMoments& other, std::span<const std::size_t> from,
                                   const MergedSlots& slots, bool are_same) {
  moments_.grow_targets(slots.classes.size());
  if (are_same && slots.are_same_classes) return moments_.merge(other);
  moments_.merge(renumbered(other, from, slots));
}

void SolvingLearner::forget_for_merging() {
  forget_judgements();
  forget_best();
  drop_solution();
}

void SolvingLearner::judge_merged() {
  if (steps() < PastModels::kFewest) return;
  JudgeForm form = judge_form();
  form.best.chooses = true;
  pending_ = std::make_unique<PendingJudge>(judge_basis(), form, steps());
  use_judge();
}

Status Pairwise::merge_state(const Learner& other, const MergedSlots& slots) {
  forget_for_merging();
  if (moments_.dimension() < features_.room()) make_room();
  const PairMoments& theirs = static_cast<const Pairwise&>(other).moments_;
  merge_moments(theirs, slots.from, slots, slots.are_same && theirs.dimension() == moments_.dimension());
  return {};
}

void Pairwise::after_merging() {
  forget_for_merging();
  plan_sampling();
  judge_merged();
}

// Which are active is decided by what both screens know together, where there is no room for all of them.
std::vector<Attribute> ScreenedPairwise::active_of_both(std::vector<Attribute> all,
                                                        const PairMoments& label) {
  const std::size_t limit = active_limit(options());
  if (all.size() <= limit) return all;
  std::vector<double> shares(label.targets());
  for (std::size_t c = 0; c < shares.size(); ++c) shares[c] = label.target(c).mean();
  screen_.fit(label.label(), options().bias, shares);
  std::vector<Candidate> candidates;
  std::vector<Attribute> chosen = categories_among(features_, all);
  for (const Attribute i : all)
    if (!features_.is_category(i)) candidates.push_back({screen_.estimate(i).explained, i});
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    return a.key != b.key ? a.key > b.key : a.attribute < b.attribute;
  });
  candidates.resize(std::min(candidates.size(), limit - std::min(limit, chosen.size())));
  for (const Candidate& candidate : candidates) chosen.push_back(candidate.attribute);
  std::ranges::sort(chosen);
  return chosen;
}

// By place of moments_, that of theirs.
std::vector<std::size_t> ScreenedPairwise::places_of(const ScreenedPairwise& theirs,
                                                     const MergedSlots& slots) const {
  std::vector<std::size_t> their_place(theirs.features_.room(), kNewSlot);
  const auto their_slots = learner_slots(theirs.features_, theirs.active_, theirs.places_);
  for (std::size_t p = 0; p < their_slots.size(); ++p) their_place[their_slots[p]] = p;
  std::vector<std::size_t> from(places_.room(), kNewSlot);
  const auto own_slots = learner_slots(features_, active_, places_);
  for (std::size_t p = 0; p < own_slots.size(); ++p)
    if (const std::size_t slot = slots.from[own_slots[p]]; slot != kNewSlot) from[p] = their_place[slot];
  return from;
}

Status ScreenedPairwise::merge_state(const Learner& other, const MergedSlots& slots) {
  const auto& theirs = static_cast<const ScreenedPairwise&>(other);
  forget_for_merging();
  const auto own = [&](Attribute i) { return slots.attributes.empty() ? i : slots.attributes[i]; };
  std::vector<Attribute> all = active_;
  for (const Attribute i : theirs.active_) all.push_back(own(i));
  for (std::size_t i = 0; i < options().dimension; ++i)  // that one of them knew as numbers never seen
    if (features_.is_category(i)) all.push_back(static_cast<Attribute>(i));
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());

  PairMoments label = reselect(moments_, {});
  const PairMoments their_label = renumbered(theirs.moments_, {}, slots);
  const double offset = offset_of_labels(label.label(), their_label.label());
  if (slots.are_same_classes) {
    screen_.merge(theirs.screen_, slots.attributes, offset);
  } else {
    State state;  // which is how a screen is copied
    state.begin();
    theirs.screen_.save(state);
    state.finish();
    AttributeScreen screen(options().dimension);
    GLIMPSE_TRY(screen.restore(state));
    screen.renumber_classes(slots.classes, theirs.moments_.label().reference);
    screen_.merge(screen, slots.attributes, offset);
  }
  label.merge(their_label);

  std::vector<std::uint64_t> ages(options().dimension);
  for (std::size_t s = 0; s < active_.size(); ++s) ages[active_[s]] += steps() - std::min(since_[s], steps());
  for (std::size_t s = 0; s < theirs.active_.size(); ++s)
    ages[own(theirs.active_[s])] += theirs.steps() - std::min(theirs.since_[s], theirs.steps());
  activate(active_of_both(std::move(all), label));
  const std::uint64_t merged = steps() + theirs.steps();
  for (std::size_t s = 0; s < active_.size(); ++s) since_[s] = merged - std::min(ages[active_[s]], merged);
  merge_moments(theirs.moments_, places_of(theirs, slots), slots, false);
  return {};
}

void ScreenedPairwise::after_merging() {
  forget_for_merging();
  review();
  judge_merged();
}

}  // namespace glimpse
