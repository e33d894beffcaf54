// Records and messages of which nothing is learned.

#include <algorithm>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <utility>

#include "daemon/support/memory_trouble.h"
#include "daemon/training/stream_processor.h"
#include "data/formats/csv_cells.h"
#include "data/text/number.h"
#include "data/text/text.h"

namespace glimpse {

namespace {
constexpr std::size_t kToldOdd = 20;  // attributes whose odd values the log tells
}

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
    feed.reader->end_message();
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

// Words where numbers are, in the record that was worked through. The log has the first of each attribute,
// and says once of each where they are many.
void StreamProcessor::note_odd_values(Feed& feed, bool is_refused) {
  const auto odd = names_.categories().take_odd();
  if (is_refused) return;
  if_memory_allows("a value that is no number was counted as missing, and not logged", [&] {
    for (std::size_t i = 0; i < odd.size(); ++i) {
      const auto is_same = [&](const auto& other) { return other.attribute == odd[i].attribute; };
      if (std::any_of(odd.begin(), odd.begin() + static_cast<std::ptrdiff_t>(i), is_same)) continue;
      ++feed.door->odd_values;
      ++feed.odd_values;
      OddValues& of_one = odd_values_[odd[i].attribute];
      ++of_one.count;
      const std::string name = names_.callable_name(odd[i].attribute);
      std::string word = odd[i].word;  // CsvReader puts ' in front of a number of another form
      if (double number = 0; word.starts_with('\'') && read_number(word.substr(1), number)) word.erase(0, 1);
      const auto of_feed = std::ranges::find(feed.odd, name, &OddAttribute::attribute);
      if (of_feed != feed.odd.end())
        ++of_feed->count;
      else if (!feed.source && feed.odd.size() < kToldOdd)
        feed.odd.push_back({name, word, feed.records, 1});
      constexpr double kMany = 100;  // one in so many values
      const double values = learner_->sampling_row(odd[i].attribute).moment.count;
      const bool are_many = values >= kMany && kMany * static_cast<double>(of_one.count) >= values;
      if (of_one.count == 1 && !of_one.is_told && odd_values_.size() <= kToldOdd)
        spdlog::info("{}: line {}: {} holds numbers, and {} is none: it counts as missing{}", feed.door->name,
                     feed.records, in_quotes(name), in_quotes(word), cell_mend(word, false));
      if (are_many && !std::exchange(of_one.is_told, true) && odd_values_.size() <= kToldOdd)
        spdlog::warn(
            "{}: {} holds numbers, and 1 % of its values or more are none, as {}: they count as missing; "
            "--categories{} takes all as words, --ignore{} leaves them out, --strict refuses them",
            feed.door->name, in_quotes(name), in_quotes(word), as_argument(name), as_argument(name));
    }
  });
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
