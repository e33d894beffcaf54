// Records and messages of which nothing is learned.

#include <fmt/format.h>
#include <utility>

#include "daemon/support/memory_trouble.h"
#include "daemon/training/stream_processor.h"

namespace glimpse {

// Those that end at `at` in the block, in which the records up to there were worked through. False: `strict`
// is set, and one of them is refused; it is left.
bool StreamProcessor::pass_messages(Feed& feed, std::size_t at, bool strict, BlockResult& result) {
  while (!messages_.empty() && messages_.front().end <= at) {
    const BlockMessage& message = messages_.front();
    if (message.is_tombstone) ++feed.door->tombstones;
    if (message.is_oversized) ++feed.door->oversized;
    if (message.refusal) note_error(feed, *message.refusal, result);
    if (message.refusal && strict) return false;
    if (message.is_tombstone || message.refusal) ++records_;
    feed.position = message.offset + 1;
    feed.records_before = feed.records;
    messages_ = messages_.subspan(1);
  }
  return true;
}

// An unfinished record does not count as a record of its source: the client sends it again, whole.
void StreamProcessor::note_cut_off(Feed& feed, BlockResult& result) {
  ++feed.records;
  if (!feed.source) {
    ++records_;
    note_error(feed, "cut off by the end of the connection; not learned", result);
    return;
  }
  if (feed.records > feed.source->records)
    note_error(feed, "cut off by the end of the connection; not taken: send it again, whole", result);
  --feed.records;
  result.inside = feed.source->records;
  result.refusal = feed.source->refusal;
}

// False: records are missing at the end. A source may go on over another connection.
bool StreamProcessor::note_end(Feed& feed, BlockResult& result) {
  const Status status = feed.reader->check_end();
  if (status) return true;
  ++feed.records;
  ++records_;
  note_error(feed, status.error().message, result);
  return false;
}

void StreamProcessor::note_error(Feed& feed, std::string_view message, BlockResult& result) {
  ++feed.door->parse_errors;
  ++result.error_count;
  if_memory_allows("a bad record was counted in parse_errors, and its reason was not logged", [&] {
    RecordError error{feed.records, std::string(message)};
    if (!messages_.empty())
      error.message = fmt::format("{}, offset {}: {}", feed.source ? feed.source->name : feed.door->name,
                                  messages_.front().offset, message);
    if (hooks_.error) hooks_.error(feed, error);
    const bool is_answered =
        !result.gave_up &&  // it comes again
        (feed.replies == Replies::kAll || (feed.replies == Replies::kUnlabelled && is_question(feed)));
    if (feed.error_replies == ErrorReplies::kAll || is_answered)
      fmt::format_to(std::back_inserter(result.replies), "error: line {}: {}\n", error.record, error.message);
    if (result.errors.size() < BlockResult::kMostErrors) result.errors.push_back(std::move(error));
  });
}

}  // namespace glimpse
