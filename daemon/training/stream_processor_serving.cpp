// What is answered beside the newest model's predictions, and what is done with labelled records while
// frozen.

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
  freeze_.add(predictor_.values(), predictor_.predict(nullptr) - *head.label);
  return {};
}

}  // namespace glimpse
