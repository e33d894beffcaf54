#include <algorithm>

#include "daemon/support/wall_clock.h"
#include "daemon/training/stream_processor.h"
#include "data/formats/dialect_reader.h"
#include "learn/core/further_state.h"
#include "learn/core/state_check.h"
#include "learn/plans/plan_random.h"

namespace glimpse {

std::uint64_t StreamProcessor::fingerprint(const Feed& feed) const {
  if (current_feed_ != &feed) return feed.fingerprint.value();
  Fingerprint amid_block = feed.fingerprint;
  amid_block.add(current_bytes_.substr(0, feed.position - current_begin_));
  return amid_block.value();
}

void StreamProcessor::save(State& state) const {
  learner_->save(state);
  names_.save(state);
  save_plan_random(state, plans_ahead_, *learner_, random_, inner_random_);
  state.put_number("predictions", predictions_);
  plans_.save(state, wall_clock_shift(), wall_seconds());
  buying_.save(state);
  sources_.save(state);
  if (hold_out_.is_used()) hold_out_.save(state);
  if (freeze_.is_used()) freeze_.save(state);
  if (promotion_.is_any()) promotion_.save(state);
  if (!learners_.empty()) state.put_copy<std::uint64_t>("inputs.learners", learners_);
  if (!merged_.empty()) state.put_copy<std::uint64_t>("merged.checkpoints", merged_);
  if (history_.is_used()) history_.save(state);
  TableSchema schema = kept_schema_.value_or(TableSchema());
  if (is_classifier() || !learner_->labels().empty())
    schema.labels = is_classifier() ? Task::kClasses : Task::kRegression;
  if (kept_schema_) schema.save(state);
  // Options by which records were refused would bind nobody who corrects them.
  if (const std::string options = schema_.describe(); !kept_schema_ && records_ == 0)
    std::ranges::copy(options, state.put<std::uint8_t>("inputs.schema_options", options.size()).begin());
  known_table_.save(state);
  progress_.save(state, schema, [this](const Feed& feed) { return fingerprint(feed); });
}

namespace {

Status check_class_names(const ClassCounts& classes, const AttributeNames& names) {
  const std::size_t words = names.categories().label_words().size();
  if (classes.size() <= words) return {};
  return failure(ErrorCode::kCorrupt, "learner.classes has {} classes, and label_words {} names",
                 classes.size(), words);
}

}  // namespace

Status StreamProcessor::check(const State& state, std::size_t dimension) {
  GLIMPSE_TRY(check_state(state));
  AttributeNames names(dimension);
  GLIMPSE_TRY(names.restore(state));
  ClassCounts classes;
  GLIMPSE_TRY(classes.restore(state, 0));
  GLIMPSE_TRY(check_class_names(classes, names));
  std::uint64_t diverged = 0;
  GLIMPSE_TRY(LearnerCounts().restore(state, dimension, diverged));
  GLIMPSE_TRY(ProgressiveLoss().restore(state));
  GLIMPSE_TRY(restore_plan_random(state));
  GLIMPSE_TRY(FeatureMap(dimension).restore(state));
  const Tensor* const closed = state.find("plans.closed");
  // Remembers all of them.
  PlanBook plans(closed != nullptr ? closed->count() + 1 : 1, 0, 1 + further_labels(state));
  GLIMPSE_TRY(plans.restore(state, dimension));
  GLIMPSE_TRY(SourceTable().restore(state));
  GLIMPSE_TRY(TableLayout::restore(state, dimension));
  GLIMPSE_TRY(TableSchema::restore(state));
  GLIMPSE_TRY(HoldOut().restore(state));
  GLIMPSE_TRY(Freeze().restore(state));
  GLIMPSE_TRY(Promotion().restore(state));
  GLIMPSE_TRY(History().restore(state));
  return InputProgress().restore(state);
}

Status StreamProcessor::restore(const State& state) {
  GLIMPSE_TRY(learner_->restore(state));
  // Of this learner's options, and yet with too many names: nothing that a processor saved.
  if (const Status status = names_.restore(state); !status)
    return failure(ErrorCode::kCorrupt, "{}", status.error().message);
  GLIMPSE_TRY(words_.note_restored(names_, *learner_));
  GLIMPSE_TRY(check_class_names(learner_->classes(), names_));
  GLIMPSE_TRY_ASSIGN(const auto random, restore_plan_random(state));
  GLIMPSE_TRY_ASSIGN(const auto predictions, state.get_number<std::uint64_t>("predictions"));
  GLIMPSE_TRY(progress_.restore(state));
  GLIMPSE_TRY(plans_.restore(state, names_.dimension(), wall_clock_shift(), wall_seconds()));
  promise_numbers();
  GLIMPSE_TRY(buying_.restore_account(state));
  GLIMPSE_TRY(sources_.restore(state));
  GLIMPSE_TRY(hold_out_.restore(state));
  predictor_.set_slope(hold_out_.slope());
  GLIMPSE_TRY(freeze_.restore(state));
  set_recent(recent_);
  GLIMPSE_TRY(promotion_.restore(state));
  GLIMPSE_TRY(history_.restore(state));
  if (history_.examples() > learner_->counts().examples) history_.cut(learner_->counts().examples);
  for (const auto& [name, numbers] :
       {std::pair("inputs.learners", &learners_), std::pair("merged.checkpoints", &merged_)}) {
    numbers->clear();
    if (state.find(name) == nullptr) continue;
    GLIMPSE_TRY_ASSIGN(const auto restored, state.get<std::uint64_t>(name));
    numbers->assign(restored.begin(), restored.end());
  }
  // A checkpoint of the first builds does not say which numbers were used: where its records named nothing,
  // they may have used any.
  if (!AttributeNames::knows_numbers(state) && names_.takes_every_number() &&
      (learner_->counts().examples > 0 || plans_.open() > 0)) {
    (void)names_.use_all_numbers();
    names_.keep();
  }
  GLIMPSE_TRY(buying_.restore_refused(state));
  plans_ahead_.give_back(*learner_, random_);
  random_ = random.outer;
  inner_random_ = random.inner;
  learner_->set_plan_block(random.block);
  predictions_ = predictions;
  GLIMPSE_TRY_ASSIGN(known_table_, TableLayout::restore(state, names_.dimension()));
  GLIMPSE_TRY_ASSIGN(kept_schema_, TableSchema::restore(state));
  if (kept_schema_ && kept_schema_->form.table)
    declare_dates(*kept_schema_->form.table, known_table_, names_);
  return {};
}

}  // namespace glimpse
