// What is answered, and by which model; what is done with labelled records that are not learned from.

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "daemon/predictions/words.h"
#include "daemon/training/stream_processor.h"
#include "data/text/text.h"

namespace glimpse {

void StreamProcessor::add_prediction(const Feed& feed, BlockResult& result) {
  const PinnedModel* const pinned = feed.pinned.get();
  if (is_classifier()) {
    const ClassPrediction& prediction = predictor_.classify(pinned);
    result.predictions.push_back(static_cast<double>(prediction.predicted));
    return add_to(result.classified, prediction, feed.predict_as);
  }
  const std::size_t first = feed.label.value_or(0);
  result.predictions.push_back(predictor_.predict(pinned, first));
  if (const auto errors = predictor_.standard_errors(pinned, first, feed.tells_errors))
    result.add_error(errors->incomplete, errors->complete);
  if (feed.label) return;
  result.further.resize(learner_->label_count() - 1);
  for (std::size_t l = 1; l < learner_->label_count(); ++l) {
    LabelPredictions& of_label = result.further[l - 1];
    of_label.predictions.push_back(predictor_.predict(pinned, l));
    if (const auto errors = predictor_.standard_errors(pinned, l, feed.tells_errors))
      of_label.add_error(errors->incomplete, errors->complete);
  }
}

// Of the record of now, for each label. Before the first label there is no model whose loss it would be.
template <class Predict>
void StreamProcessor::add_errors(UnlearnedLosses& losses, const Predict& predict) const {
  if (learner_->labels().empty()) return;
  for (std::size_t l = 0; l < labels_.size(); ++l) {
    const double mean = learner_->of_label(l).label_spread().mean();
    losses.add(l, labels_[l], predict(l), mean);
  }
}

Status StreamProcessor::hold_out(const Feed& feed, BlockResult& result) {
  const ExampleHead& head = feed.reader->head();
  GLIMPSE_TRY(read_whole(feed, kept_ && head.importance != 0 ? &*kept_ : nullptr));
  ++result.held_out;
  if (head.importance == 0) return {};  // counts as none, as where it is learned from
  hold_out_.note_record(predictor_.values());
  if (!is_classifier()) {
    add_errors(hold_out_.losses(), [&](std::size_t l) { return predictor_.predict_as_judged(l); });
    return {};
  }
  const std::size_t code = class_of(*head.label);
  const bool is_known = code < learner_->classes().size();
  hold_out_.add_class(predictor_.scores_as_judged(), is_known ? std::optional(code) : std::nullopt);
  predictor_.set_slope(hold_out_.slope());
  return {};
}

// As vw --daemon answers: the number, or the class, and the tag where there is one.
void StreamProcessor::reply(const Feed& feed, std::string_view tag, BlockResult& result) {
  if (is_classifier())
    append_reply(result.replies, predictor_.classify(feed.pinned.get()), names_.categories().label_words(),
                 predict_as_);
  else
    for (std::size_t l = 0; l < learner_->label_count(); ++l)
      fmt::format_to(std::back_inserter(result.replies), "{}{}", l > 0 ? " " : "",
                     predictor_.predict(feed.pinned.get(), l));
  fmt::format_to(std::back_inserter(result.replies), "{}{}\n", tag.empty() ? "" : " ", tag);
}

ClassFacts StreamProcessor::class_facts() const {
  const ClassCounts& classes = learner_->classes();
  const auto& names = names_.categories().label_words();
  ClassFacts facts{std::max(classes.size(), names.size()), {}, hold_out_.slope()};
  for (std::size_t c = 0; c < std::min(names.size(), ClassReport::kMostConfused); ++c)
    facts.classes.push_back({valid_utf8(names[c]), c < classes.size() ? classes.count(c) : 0});
  return facts;
}

// Nothing is learned: what the present model makes of it is all that is kept of a labelled record.
Status StreamProcessor::pass_over(const Feed& feed, BlockResult& result) {
  if (const Status status = read_whole(feed); !status) return status;
  is_passed_over_ = true;
  freeze_.note_record();
  ++feed.door->frozen;
  ++result.skipped;
  ++result.frozen;
  const ExampleHead& head = feed.reader->head();
  if (head.importance == 0) return {};
  if (hooks_.predicting) hooks_.predicting();
  evaluate_unlearned();
  return {};
}

// Of the record of now.
void StreamProcessor::evaluate_unlearned() {
  freeze_.note_values(predictor_.values());
  if (is_classifier()) {
    const ClassPrediction& prediction = predictor_.classify(nullptr);
    const std::size_t own = class_of(labels_.front());
    freeze_.losses().add_class(prediction.probabilities,
                               own < prediction.classes() ? std::optional(own) : std::nullopt);
  } else {
    add_errors(freeze_.losses(), [&](std::size_t l) { return predictor_.predict(nullptr, l); });
  }
}

void StreamProcessor::test_kept() {
  if (Solving* const solving = learner_->solving(); solving && learner_->counts().examples > 0) {
    solving->begin_capture();
    while (!solving->capture(std::size_t{1} << 20)) {
    }
    solving->adopt(solving->solve([] { return false; }));
  }
  kept_->each([this](const std::vector<Entry>& values, const std::vector<double>& labels) {
    entries_ = values;
    labels_ = labels;
    predictor_.take(entries_);
    freeze_.note_record();
    evaluate_unlearned();
  });
}

Status StreamProcessor::promote(StreamProcessor& other, const std::string& checkpoint) {
  if (const Status status = check_continued(other.names_, names_); !status) return status;
  if (is_classifier() && !other.is_classifier() && other.learner_->counts().examples > 0)
    return failure(ErrorCode::kMismatch, "it is of a regression, and labels are classes now");
  Promotion promotion{promotion_.count + 1, checkpoint, other.learner_->counts().examples,
                      learner_->counts().examples};
  // Labels whose words stay are classes, also of a learner that had none yet.
  if (is_classifier() && other.learner_->labels().empty())
    other.learner_->make_classifier(learner_->classes().size());
  GLIMPSE_TRY(words_.note_restored(names_, *other.learner_));
  // Attributes that turned out to hold words since.
  words_.note(names_, *other.learner_);
  words_.note_declared(names_, *other.learner_);
  std::vector<std::uint64_t> learners = learners_;
  for (const std::uint64_t learner : other.learners_)  // whose examples are inside now
    if (std::ranges::find(learners, learner) == learners.end()) learners.push_back(learner);
  History history = history_;
  history.cut(promotion.examples);
  // Nothing can fail from here on.
  exchange(other);
  other.promotion_ = std::exchange(promotion_, std::move(promotion));
  other.learners_ = std::exchange(learners_, std::move(learners));
  other.history_ = std::exchange(history_, std::move(history));
  return {};
}

void StreamProcessor::undo_promotion(StreamProcessor& other) {
  exchange(other);
  promotion_ = std::move(other.promotion_);
  learners_ = std::move(other.learners_);
  history_ = std::move(other.history_);
}

// The learners, and what belongs to them.
void StreamProcessor::exchange(StreamProcessor& other) {
  Words::follow(names_, *other.learner_);
  plans_ahead_.give_back(*learner_, random_);
  if (read_ahead_) read_ahead_->forget();
  buying_.set_learner(*other.learner_);
  predictor_.set_learner(*other.learner_);
  std::swap(learner_, other.learner_);
  tell_helpers();
  std::swap(random_, other.random_);
  std::swap(inner_random_, other.inner_random_);
  std::swap(hold_out_, other.hold_out_);
  set_recent(recent_);
  predictor_.set_slope(hold_out_.slope());
  ++life_;
  note_change();
}

Status StreamProcessor::take_merged(StreamProcessor& other, const State& state) {
  if (const Status status = names_.restore(state); !status) return status;
  promise_numbers();
  if (const Status status = buying_.restore_account(state); !status) return status;
  if (const Status status = words_.note_restored(names_, *other.learner_); !status) return status;
  words_.note(names_, *other.learner_);
  words_.note_declared(names_, *other.learner_);
  exchange(other);
  predictions_ = other.predictions_;
  sources_.add_unknown(std::move(other.sources_));
  progress_.add_unknown(other.progress_);
  if (!kept_schema_) kept_schema_ = std::move(other.kept_schema_);
  learners_ = std::move(other.learners_);
  merged_ = std::move(other.merged_);
  return {};
}

}  // namespace glimpse
