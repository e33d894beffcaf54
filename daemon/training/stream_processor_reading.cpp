// Lines that other threads read ahead, and fields and lines that they find.

#include <new>
#include <utility>

#include "daemon/support/memory_trouble.h"
#include "daemon/training/stream_processor.h"
#include "learn/core/solving.h"

namespace glimpse {

namespace {
constexpr std::size_t kLeastBlock = std::size_t{4}
                                    << 10;  // bytes; what is read ahead stays while requests pass
constexpr std::size_t kManyLooks = 16;  // at attributes of a line, from which on it is worth another thread

// Whether a record of a table may have several lines, of which its reader has to see each.
bool may_go_over_lines(const Feed& feed, const Bytes& bytes) {
  if (feed.records_framing().dialect() != nullptr)
    return bytes.has_quote && feed.records_framing().has_quote(bytes.view);
  return (feed.reader->field_delimiter() || !feed.has_example) &&
         (feed.reader->is_amid_record() || bytes.view.find('"') != std::string_view::npos);
}
}  // namespace

void StreamProcessor::set_read_jobs(std::shared_ptr<ReadJobs> jobs, bool always) {
  read_ahead_.emplace(std::move(jobs), ReadingChoice(learner_->options().budget >= kManyLooks), always);
}

void StreamProcessor::set_helpers(std::shared_ptr<Helpers> helpers) {
  helpers_ = std::move(helpers);
  tell_helpers();
}

void StreamProcessor::tell_helpers() const {
  if (Solving* const solving = learner_->solving()) solving->set_helpers(helpers_);
}

// Another thread's marks of its lines are of no use where every field is read.
bool StreamProcessor::wants_marks(const Feed& feed) const {
  return looks_at_few_ && feed.learns && feed.replies != Replies::kAll;
}

// What the reading thread is to find in the next blocks. Where values are read ahead, fields are found with
// them.
void StreamProcessor::tell_reader(const std::shared_ptr<Feed>& feed) const {
  const bool reads = read_ahead_ && !pausing_ && read_ahead_->is_reading(feed);
  feed->wants_lengths.store(reads, std::memory_order_relaxed);
  feed->token_rule.store(reads || !feed->learns ? nullptr : feed->reader->token_rule(),
                         std::memory_order_relaxed);
  if (wants_marks(*feed))
    feed->delimiter.store(reads ? '\0' : feed->reader->field_delimiter().value_or(0),
                          std::memory_order_relaxed);
}

// Records that do nothing but teach, or nothing but ask. What is read of a feed's beginning tells how the
// rest is read.
bool StreamProcessor::may_read_ahead(const Feed& feed) const {
  if (!feed.learns || !feed.has_example || (feed.source && !feed.source->opening_is_whole)) return false;
  return read_ahead_->is_whole() ||
         (feed.may_learn && feed.replies != Replies::kAll && !freeze_.is_frozen() && !buying_.is_limited());
}

// Blocks that go amid another one leave alone what is ahead of that.
bool StreamProcessor::begin_reading(const Block& block) {
  if (!read_ahead_ || pausing_ || block.feed->only_answers || block.messages || block.lost != nullptr ||
      !block.feed->records_framing().is_lines() || may_go_over_lines(*block.feed, block.bytes) ||
      !block.feed->learns || learner_->label_count() > 1 || learner_->learns_from_entries() ||
      !begins_whole_plans(*learner_))
    return false;
  if (block.bytes.size() < kLeastBlock && !read_ahead_->is_of(block.feed)) return false;
  read_ahead_->enter(block.feed, {block.bytes, block.lengths});
  return true;
}

void StreamProcessor::read_on(const Feed& feed) {
  if (!may_read_ahead(feed)) return;
  const auto is_held_out = [this](std::size_t i) { return hold_out_.will_take(i); };
  ReadAhead::Following following;
  if (hooks_.following)
    following = [&] {
      auto text = hooks_.following(feed);  // records with quotes may have several lines
      return text && may_go_over_lines(feed, text->bytes) ? std::nullopt : text;
    };
  try {
    read_ahead_->more(*learner_, plans_ahead_, random_, names_, is_held_out, following);
  } catch (const std::bad_alloc&) {
    read_ahead_->forget();
    note_memory_trouble("records are read by the thread that learns, which is slower");
  }
}

const ReadJob::Found* StreamProcessor::found(const Feed& feed) {
  if (!may_read_ahead(feed)) return nullptr;
  if (!read_ahead_->is_whole() && hold_out_.will_take(0)) return nullptr;
  const ReadJob::Found* const found = read_ahead_->found(*learner_, plans_ahead_, names_);
  if (found == nullptr) return nullptr;
  if (found->entries == nullptr) return take_plain(*found->example) ? found : nullptr;
  names_.keep();
  return names_.categories().empty() ? found : nullptr;
}

// What open() and reveal() of such a record would do. False: it would be refused, or is not plain any more.
bool StreamProcessor::take_plain(const PlainExample& example) {
  names_.keep();
  if (!names_.categories().empty() || (example.numbers && !names_.takes_every_number())) return false;
  const auto label = names_.categories().read_label(example.label, names_.is_open());
  if (!label) return false;
  labels_.assign(1, *label);
  if (example.numbers) names_.use_numbers(example.numbers->first, example.numbers->last);
  return true;
}

Status StreamProcessor::answer_found(Feed& feed, const ReadJob::Found& found, BlockResult& result) {
  read_ahead_->note_asks(true);
  feed.asked_last = true;
  note_question(feed);
  predictor_.take(*found.entries);
  if (const Status status = answer(feed, found.example->tag, result); !status) return status;
  ++result.unlabelled;
  return {};
}

Status StreamProcessor::learn_found(Feed& feed, const ReadJob::Found& found, BlockResult& result) {
  feed.asked_last = false;
  has_number_ = true;
  hold_out_.take_next();  // will_take() said that it is not held out
  const Plan& plan = plans_ahead_.next(*learner_, random_, inner_random_);
  has_plan_ = true;
  return learn_values(feed, plan, found.values, found.example->importance, result);
}

}  // namespace glimpse
