#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "daemon/bodies/history_body.h"
#include "daemon/training/stream_processor.h"
#include "learn/core/solving.h"
#include "learn/learner_forms_test_support.h"

/// Processors of every form of a learner, with everything that a checkpoint may hold, and what one that was
/// restored must be able to do. Shared by a test and a fuzzer.
namespace glimpse::test {

/// What must hold; std::logic_error says what does not.
inline void must(bool condition, const std::string& what) {
  if (!condition) throw std::logic_error(what);
}

inline constexpr double kNever = 1e10;  // seconds since 1970: when plans expire

inline std::unique_ptr<StreamProcessor> make_processor(const LearnerOptions& options) {
  auto learner = form_learner(options);
  must(learner != nullptr, "no such learner");
  auto processor = std::make_unique<StreamProcessor>(std::move(learner), AttributeNames(kFormDimension), 1);
  processor->set_buying(8, 0xabcdef, {});
  return processor;
}

// A few examples of a plain line; or of one label, weighed so.
inline void learn_some(StreamProcessor& processor, int count, std::optional<double> all_alike = std::nullopt,
                       double importance = 1) {
  Door door;
  std::vector<double> values;
  for (int t = 0; t < count; ++t) {
    if (!processor.draw_plan(nullptr)) return;
    const Plan& plan = processor.scratch_plan();
    std::vector<double> labels(processor.learner().label_count(), 0.25);
    values.clear();
    for (std::size_t i = 0; i < kFormDimension; ++i) {
      const double value = static_cast<double>((t * 7 + static_cast<int>(i) * 5) % 11) / 4 - 1;
      for (std::size_t l = 0; l < labels.size(); ++l) labels[l] += ((i + l) % 2 == 0 ? 0.5 : -0.25) * value;
      if (std::binary_search(plan.attributes.begin(), plan.attributes.end(), i)) values.push_back(value);
    }
    must(values.size() == plan.attributes.size(), "a plan has attributes twice, or unknown ones");
    if (processor.is_classifier()) labels[0] = t % 2;
    if (all_alike) labels.assign(labels.size(), *all_alike);
    processor.learn(door, plan, values, labels, importance);
  }
}

inline State saved(const StreamProcessor& processor) {
  State state;
  state.begin();
  processor.save(state);
  state.finish();
  return state;
}

/// Of a processor that has learned, with open and closed plans, a history, a freeze and a promotion.
inline State state_of(const LearnerForm& form) {
  const auto processor = make_processor(form.options);
  if (form.classes > 0) {
    static const std::vector<std::string> kWords = {"a", "b", "c"};
    processor->names().categories().set_label_limit(form.classes, "");
    const auto words = std::span(kWords).first(form.classes);
    must(processor->names().categories().declare_label_words({words.begin(), words.end()}).has_value(),
         "classes are not taken");
    processor->words().note_declared(processor->names(), processor->learner());
    for (int t = 0; t < 8; ++t) {
      double scores[] = {0.5, static_cast<double>(t % 3)};
      processor->hold_out().note_record(kFormDimension);
      processor->hold_out().add_class(scores, t % 2);
    }
  }
  must(processor->names().fix({"age", "sex"}).has_value(), "names are not taken");
  learn_some(*processor, form.examples);
  for (int k = 0; k < 3; ++k) {
    if (!processor->draw_plan(nullptr)) break;
    processor->plans().give(processor->scratch_plan(), 3, kNever);
  }
  processor->plans().close(processor->plans().list(0, 1).front()->id, PlanFate::kAbandoned);
  if (form.options.labels.size() > 1)
    processor->plans().find(processor->plans().list(0, 1).front()->id)->labels.tell(1, 0.5);
  HistorySample sample;
  sample[HistoryColumn::kExamples] = 7;
  sample[HistoryColumn::kRecentLoss] = 0.5;
  processor->history().add(sample);
  processor->history().add(HistoryEvent{HistoryEvent::Kind::kPhase, 1e9, 7, 2});
  processor->freeze().note_record();
  processor->freeze().note_values(3);
  processor->freeze().losses().add(0, 0, 0.5, 1);
  const auto same = make_processor(form.options);
  must(same->restore(saved(*processor)).has_value(), "what was saved is not restored");
  must(processor->promote(*same, "same").has_value(), "what was restored is not promoted");
  return saved(*processor);
}

inline void score_classes(const StreamProcessor& processor, std::span<const Entry> entries) {
  const Learner& learner = processor.learner();
  if (!learner.is_classifier()) return;
  std::vector<double> scores(learner.classes().size());
  learner.class_scores(nullptr, entries, scores);
  learner.judged_class_scores(entries, scores);
  must(processor.class_facts().count >= scores.size(), "a class has no name");
  for (const double score : scores) must(!std::isnan(score), "a score is not a number");
  const HeldOut held_out = processor.hold_out().report();
  must(!held_out.classes || held_out.classes->confused() <= ClassReport::kMostConfused, "confusion");
}

/// Predictions, weights and the step of every label.
inline void must_be_finite(Learner& learner, std::span<const Entry> entries) {
  Model model;
  for (std::size_t l = 0; l < learner.label_count(); ++l) {
    must(std::isfinite(learner.of_label(l).predict(entries)), "a prediction is not finite");
    must(std::isfinite(learner.of_label(l).describe().step_size), "the step is not finite");
    learner.of_label(l).model(model);
    must(std::isfinite(model.bias) &&
             std::ranges::all_of(model.weights, [](double w) { return std::isfinite(w); }),
         "a weight is not finite");
  }
}

/// Everything that may be asked of a processor. `is_strict`: what it answers must be finite.
inline void work_on(StreamProcessor& processor, bool is_strict) {
  std::vector<Entry> entries;
  for (Attribute i = 0; i < kFormDimension; ++i) entries.push_back({i, 0.5});
  const HistoryQuery everything = read_history_query("").value();
  history_json(*processor.history().copy(), everything, {1790000000123, 1, 0});
  HistorySample sample;
  sample[HistoryColumn::kExamples] = 1 + static_cast<double>(processor.history().examples());
  processor.history().add(sample);
  Learner& learner = processor.learner();
  learner.predict(entries);
  if (is_strict) must_be_finite(learner, entries);
  score_classes(processor, entries);
  Model model;
  learner.model(model);
  must(
      model.weights.size() == kFormDimension || ((learner.products() != nullptr || !model.products.empty()) &&
                                                 model.weights.size() > kFormDimension),
      "weights are missing");
  for (Attribute i = 0; i < kFormDimension; ++i) learner.sampling_row(i);
  learner.describe();
  std::vector<double> values;
  Door door;
  for (const OpenPlan* open : processor.plans().list(0, 8)) {
    const Plan plan = open->plan;
    values.assign(plan.attributes.size(), 0.25);
    processor.plans().close(open->id, PlanFate::kLearned);
    processor.learn(door, plan, values, std::vector(learner.label_count(), 1.0), 1);
  }
  const std::vector<Attribute> available{1, 4};
  if (processor.draw_plan(&available))
    must(processor.scratch_plan().attributes.size() <= 2, "a plan has what is not available");
  learn_some(processor, 25);
  learn_some(processor, 3, 0, 1e20);
  if (processor.names().find_or_add("height"))
    must(processor.names().find("height").has_value(), "a name is lost");
  processor.plans().expire(2 * kNever);
  if (Solving* const solving = learner.solving()) {
    solving->begin_capture();
    while (!solving->capture(1 << 20)) {
    }
    solving->adopt(solving->solve([] { return false; }));
  }
  for (std::size_t l = 0; l < learner.label_count(); ++l) learner.of_label(l).predict(entries);
  if (is_strict) must_be_finite(learner, entries);
  score_classes(processor, entries);
  learner.model(model);
}

}  // namespace glimpse::test
