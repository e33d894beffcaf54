#include <algorithm>

#include "learn/core/learner.h"
#include "learn/core/option_lines.h"
#include "learn/core/state_check.h"

// What Learner knows of merging: a learner gets the examples of another one.

namespace glimpse {

Status Learner::merge_state(const Learner&, const MergedSlots&) {
  return failure(ErrorCode::kUnavailable,
                 "--algorithm {}: learners of it cannot be merged: its weights are those of one order of the "
                 "examples",
                 options_.algorithm);
}

Status Learner::check_mergeable(const Learner& other) const {
  const std::string mine = glimpse::describe(options_);
  const std::string theirs = glimpse::describe(other.options_);
  for (const auto& [text, against] : {std::pair{&mine, &theirs}, std::pair{&theirs, &mine}}) {
    const std::string_view line = line_without_match(*text, *against);
    if (line.empty()) continue;
    const std::string_view name = line.substr(0, line.find('='));
    const auto value = [&](const std::string& options) {
      const std::string_view found = line_of(options, line.substr(0, name.size() + 1));
      return found.empty() ? std::string("without " + std::string(name)) : "with " + std::string(found);
    };
    return failure(ErrorCode::kMismatch,
                   "one learner was made {}, the other {}: only learners of the same "
                   "options can be merged",
                   value(mine), value(theirs));
  }
  if (counts_.examples > kMostExamples - std::min(kMostExamples, other.counts_.examples))
    return failure(ErrorCode::kTooLarge, "{} and {} examples are more than a learner counts",
                   counts_.examples, other.counts_.examples);
  if (labels_.empty() || other.labels_.empty() || is_classifier() == other.is_classifier()) return {};
  return failure(ErrorCode::kMismatch,
                 "the labels of one learner are classes, those of the other numbers: they cannot be merged");
}

// An attribute is numbers for one and words for the other only where one of them never saw it.
Status Learner::merge_categories(const Learner& other, const Numbering& numbering) {
  for (std::size_t i = 0; i < options_.dimension; ++i) {
    const Attribute mine = numbering.attribute(i);
    const bool are_words = features_.is_category(mine);
    if (are_words == other.features_.is_category(i)) continue;
    const bool is_seen =
        are_words ? other.has_seen(static_cast<Attribute>(i)) : has_seen(mine) || features_.is_date(mine);
    if (is_seen)
      return failure(
          ErrorCode::kMismatch,
          "attribute {} holds words in one learner and numbers in the other: they cannot be merged", mine);
    if (!are_words) features_.make_category(mine);
  }
  return merge_dates(other, numbering);
}

// The indicators of an attribute are of all examples of it or of none.
Status Learner::merge_dates(const Learner& other, const Numbering& numbering) {
  for (std::size_t i = 0; i < options_.dimension; ++i) {
    const Attribute mine = numbering.attribute(i);
    const std::uint8_t parts = other.features_.date_parts(i);
    if (features_.date_parts(mine) == parts || !other.has_seen(static_cast<Attribute>(i))) continue;
    features_.forget(mine);
    if (has_seen(mine) || features_.has_indicators(mine))
      return failure(ErrorCode::kMismatch,
                     "attribute {} holds dates with other parts as categories in one learner than in the "
                     "other: they cannot be merged",
                     mine);
    if (parts != 0) features_.make_date(mine, parts);
  }
  return {};
}

MergedSlots Learner::merge_slots(const Learner& other, const Numbering& numbering) {
  const std::size_t d = options_.dimension;
  MergedSlots slots;
  slots.attributes = numbering.attributes;
  slots.of_class = numbering.classes;
  std::vector<std::size_t> mine(other.features_.slots(), MergedSlots::kNoSlot);
  for (std::size_t i = 0; i < d; ++i) mine[i] = numbering.attribute(i);
  for (std::size_t s = d; s < mine.size(); ++s) {
    const std::size_t owner = other.features_.owner(s);
    const std::uint32_t slot =
        features_.find_or_add(mine[owner], numbering.code(owner, other.features_.code(s)));
    if (slot != FeatureMap::kNone) mine[s] = slot;
  }
  slots.from.assign(features_.room(), MergedSlots::kNoSlot);
  for (std::size_t s = 0; s < mine.size(); ++s)
    if (mine[s] != MergedSlots::kNoSlot) slots.from[mine[s]] = s;
  slots.are_same = features_.room() == other.features_.room();
  for (std::size_t s = 0; s < slots.from.size(); ++s)
    slots.are_same &= slots.from[s] == s || (s >= other.features_.slots() && s >= features_.slots());
  slots.classes.assign(std::max(classes_.size(), other.classes_.size()), MergedSlots::kNoSlot);
  for (std::size_t c = 0; c < other.classes_.size(); ++c) {
    const std::size_t own = numbering.classes.empty() ? c : numbering.classes[c];
    if (own >= slots.classes.size()) slots.classes.resize(own + 1, MergedSlots::kNoSlot);
    slots.classes[own] = c;
    slots.are_same_classes &= own == c;
  }
  return slots;
}

Status Learner::merge_one(const Learner& other, const Numbering& numbering) {
  GLIMPSE_TRY(check_mergeable(other));
  GLIMPSE_TRY(merge_categories(other, numbering));
  if (other.is_classifier()) classes_.begin(0);
  const MergedSlots slots = merge_slots(other, numbering);
  GLIMPSE_TRY(gauge_.merge(other.gauge_, lead_ != nullptr ? std::span<const Attribute>() : slots.attributes));
  GLIMPSE_TRY(merge_state(other, slots));
  drift_.merge(other.drift_, counts_.examples, other.counts_.examples);
  counts_.merge(other.counts_, numbering.attribute(other.counts_.beyond_attribute));
  importances_ += other.importances_;
  diverged_ = std::min(diverged_, other.diverged_);
  labels_.merge(other.labels_);
  label_spread_.merge(other.label_spread_);
  classes_.merge(other.classes_, numbering.classes);
  if (is_classifier()) note_classes();
  progressive_loss_.merge(other.progressive_loss_);
  steps_ += other.steps_;
  return {};
}

// A label is what its class is learned as: which class is number 1 may be another now.
void Learner::note_classes() {
  labels_ = LabelRange();
  label_spread_ = LabelSpread();
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (classes_.count(c) == 0) continue;
    labels_.add(label_of_class(c));
    label_spread_.add(label_of_class(c), classes_.count(c));
  }
}

Status Learner::merge(const Learner& other, const Numbering& numbering) {
  ++changes_;
  first_.close();
  for (std::size_t l = 1; l < label_count(); ++l)
    GLIMPSE_TRY(of_label(l).merge_one(other.of_label(l), numbering));
  return merge_one(other, numbering);
}

void Learner::finish_merging() {
  ++changes_;
  for (std::size_t l = 1; l < label_count(); ++l) of_label(l).after_merging();
  after_merging();
}

}  // namespace glimpse
