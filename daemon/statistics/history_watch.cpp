#include "daemon/statistics/history_watch.h"

#include <algorithm>
#include <cmath>

#include "learn/options/prices.h"

namespace glimpse {

namespace {

using namespace std::chrono_literals;

constexpr auto kApart = 1s;     // samples that no count asked for
constexpr auto kLeast = 10ms;   // over which a rate says something
constexpr double kMissed = 16;  // examples that did not come, at the rate before: that was a pause

double mean_of(const ProgressiveLoss::Part& loss) { return loss.reported().estimate; }

void note_held_out(const Statistics& s, HistorySample& sample) {
  using C = HistoryColumn;
  if (!s.holds_out) return;
  sample[C::kHeldOutExamples] = static_cast<double>(s.held_out.records);
  sample[C::kHeldOutLoss] = mean_of(s.held_out.loss);
  sample[C::kHeldOutLossError] = s.held_out.loss.standard_error();
  sample[C::kHeldOutRecentLoss] = mean_of(s.held_out.recent);
  sample[C::kHeldOutRecentLossError] = s.held_out.recent.standard_error();
  sample[C::kHeldOutBaseline] = s.held_out.loss.baseline;
  sample[C::kHeldOutRecentBaseline] = s.held_out.recent.baseline;
  if (!s.held_out.classes) return;
  const ProgressiveLoss::Part wrong = s.held_out.classes->wrong().recent();
  sample[C::kHeldOutRecentWrong] = mean_of(wrong);
  sample[C::kHeldOutRecentWrongError] = wrong.standard_error();
}

// kLabelColumns of the labels behind the first.
void note_labels(const Statistics& s, HistorySample& sample) {
  for (std::size_t l = 1; l < s.by_label.size(); ++l) {
    const LabelFacts& facts = s.by_label[l];
    sample.further.push_back(facts.variance);
    for (const ProgressiveLoss::Part* loss :
         {&facts.progressive_loss, &facts.recent_loss, &facts.held_out.loss, &facts.held_out.recent}) {
      sample.further.push_back(mean_of(*loss));
      sample.further.push_back(loss->standard_error());
    }
    for (const ProgressiveLoss::Part* loss :
         {&facts.recent_loss, &facts.held_out.recent, &facts.held_out.loss})
      sample.further.push_back(loss->baseline);
  }
}

HistorySample sample_of(const Statistics& s, double time, double now_seconds) {
  using C = HistoryColumn;
  HistorySample sample;
  const auto examples = static_cast<double>(s.counts.examples);
  sample[C::kTime] = time;
  sample[C::kExamples] = examples;
  sample[C::kAttributesRevealed] = static_cast<double>(s.counts.attributes_revealed);
  sample[C::kAttributesThere] = examples * static_cast<double>(s.dimension);
  sample[C::kLabelVariance] = s.label_variance;
  sample[C::kProgressiveLoss] = mean_of(s.progressive_loss);
  sample[C::kProgressiveLossError] = s.progressive_loss.standard_error();
  sample[C::kRecentLoss] = mean_of(s.recent_loss);
  sample[C::kRecentLossError] = s.recent_loss.standard_error();
  sample[C::kRecentBaseline] = s.recent_loss.baseline;
  note_held_out(s, sample);
  note_labels(s, sample);
  sample[C::kPhase] = s.phase;
  sample[C::kLookRatio] = s.looks.ratio;
  sample[C::kEffectiveAttributes] = s.looks.effective;
  sample[C::kDriftAlarms] = static_cast<double>(s.drift.alarms);
  if (s.model) {
    sample[C::kModelExamples] = static_cast<double>(s.model->examples);
    sample[C::kModelAge] = model_age_seconds(*s.model, s.counts.examples, now_seconds);
  }
  sample[C::kCostSpent] = money_in_units(s.spending.cost);
  sample[C::kPlansOpen] = static_cast<double>(s.plans_open);
  sample[C::kPredictions] = static_cast<double>(s.predictions);
  std::uint64_t errors = 0;
  for (const Door& door : s.doors) errors += door.parse_errors;
  sample[C::kParseErrors] = static_cast<double>(errors);
  sample[C::kMemoryBytes] = static_cast<double>(s.memory_bytes);
  return sample;
}

// Of each label.
std::vector<bool> withheld(const Statistics& s) {
  if (s.by_label.empty()) return {s.guard.served != Served::kNewest};
  std::vector<bool> all;
  for (const LabelFacts& label : s.by_label) all.push_back(label.guard.served != Served::kNewest);
  return all;
}

double in_seconds(HistoryWatch::Clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

void HistoryWatch::note(const Statistics& s, std::uint64_t failures, Clock::time_point now, double time,
                        History& history) {
  if (!history.is_kept()) return;
  const std::uint64_t examples = s.counts.examples;
  if (!seen_) {
    counted_at_ = sampled_at_ = came_at_ = now;
    counted_ = examples;
  } else {
    note_events(s, failures, time, history);
    note_pause(examples, now);
  }
  const bool is_replaced = seen_ && seen_->promotions != s.promotion.count;
  if (!seen_ || is_replaced) due_ = History::next_count(history.examples());
  if (is_replaced) {
    counted_at_ = now;
    counted_ = examples;
  }
  seen_ = Seen{examples,    s.phase,     s.phase_since,     s.drift.alarms,
               s.is_frozen, withheld(s), s.promotion.count, failures};
  if (examples <= history.examples() || (examples < due_ && now - sampled_at_ < kApart)) return;
  HistorySample sample = sample_of(s, time, in_seconds(now.time_since_epoch()));
  sample[HistoryColumn::kRate] = rate(examples);
  history.add(sample);
  sampled_at_ = now;
  due_ = History::next_count(examples);
}

// A rate over a pause would be neither that of before nor that of after it. Where examples come seldom
// anyway, a gap of a few of them is none.
void HistoryWatch::note_pause(std::uint64_t examples, Clock::time_point now) {
  if (examples <= seen_->examples) return;
  const auto gap = now - came_at_;
  came_at_ = now;
  if (gap < kApart || in_seconds(gap) * newest_rate_ < kMissed) return;
  counted_at_ = now;
  counted_ = examples;
  newest_rate_ = 0;
}

// Over a second and more where there was one: samples at fixed counts may be close to each other. What passed
// since the newest examples came does not count.
double HistoryWatch::rate(std::uint64_t examples) {
  const auto elapsed = came_at_ - counted_at_;
  if (elapsed < kLeast) return std::nan("");
  const double rate = static_cast<double>(examples - counted_) / in_seconds(elapsed);
  newest_rate_ = rate;
  if (elapsed >= kApart) {
    counted_at_ = came_at_;
    counted_ = examples;
  }
  return rate;
}

// What a promotion brings with it, as the phase of the other learner, is no event of its own.
void HistoryWatch::note_events(const Statistics& s, std::uint64_t failures, double time,
                               History& history) const {
  using Kind = HistoryEvent::Kind;
  const Seen& seen = *seen_;
  const auto count = [](std::uint64_t value) { return static_cast<double>(value); };
  const double examples = count(s.counts.examples);
  const auto add = [&](Kind kind, double at, double value = 0) {
    history.add(HistoryEvent{kind, time, at, value});
  };
  if (failures > seen.failures) add(Kind::kCheckpointFailed, examples, count(failures));
  if (s.is_frozen != seen.is_frozen) add(s.is_frozen ? Kind::kFreeze : Kind::kUnfreeze, examples);
  if (s.promotion.count != seen.promotions)
    return add(Kind::kPromotion, count(s.promotion.examples), count(s.promotion.replaced_examples));
  if (s.drift.alarms > seen.alarms) add(Kind::kDrift, count(s.drift.examples), count(s.drift.alarms));
  // One that began again since went to another in between.
  const bool is_again = s.phase_since && seen.phase_since && s.phase_since != seen.phase_since;
  if (s.phase != seen.phase || is_again)
    add(Kind::kPhase, count(s.phase_since.value_or(s.counts.examples)), s.phase);
  const std::vector<bool> is_withheld = withheld(s);
  for (std::size_t l = 0; l < std::min(is_withheld.size(), seen.is_withheld.size()); ++l)
    if (is_withheld[l] != seen.is_withheld[l])
      add(is_withheld[l] ? Kind::kWithheld : Kind::kServedAgain, examples,
          count(s.by_label.empty() ? 0 : l + 1));
}

}  // namespace glimpse
