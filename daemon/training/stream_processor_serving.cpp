// Which model answers, and what is done with labelled records while nothing is learned.

#include <utility>

#include "daemon/predictions/continued_names.h"
#include "daemon/training/stream_processor.h"

namespace glimpse {

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
  if (is_classifier()) {
    const ClassPrediction& prediction = predictor_.classify(nullptr);
    freeze_.add(predictor_.values(), prediction.brier(class_of(*head.label)) / 2);
  } else {
    const double error = predictor_.predict(nullptr) - *head.label;
    freeze_.add(predictor_.values(), error * error);
  }
  return {};
}

Status StreamProcessor::promote(StreamProcessor& other, const std::string& checkpoint) {
  if (const Status status = check_continued(other.names_, names_); !status) return status;
  if (is_classifier() && !other.is_classifier() && other.learner_->counts().examples > 0)
    return failure(ErrorCode::kMismatch, "it is of a regression, and labels are classes now");
  Promotion promotion{promotion_.count + 1, checkpoint, other.learner_->counts().examples,
                      learner_->counts().examples};
  // Attributes that turned out to hold words since.
  if (const Status status = words_.note_restored(names_, *other.learner_); !status) return status;
  words_.note(names_, *other.learner_);
  // Nothing can fail from here on.
  Words::follow(names_, *other.learner_);
  plans_ahead_.give_back(random_);
  buying_.set_learner(*other.learner_);
  predictor_.set_learner(*other.learner_);
  std::swap(learner_, other.learner_);
  random_ = other.random_;
  inner_random_ = other.inner_random_;
  hold_out_ = other.hold_out_;
  predictor_.set_slope(hold_out_.slope());
  promotion_ = std::move(promotion);
  ++life_;
  note_change();
  return {};
}

}  // namespace glimpse
