#include "daemon/training/stream_processor.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <new>
#include <spdlog/spdlog.h>
#include <utility>

#include "base/at_end.h"
#include "daemon/support/memory_trouble.h"
#include "data/records/npy_header.h"
#include "data/records/record_framer.h"
#include "data/text/text.h"

namespace glimpse {

namespace {
// A plan that looks at much of a line is faster with marks that this thread made, which are near, than with
// those of another.
constexpr std::size_t kLeastSkipped = 64;  // attributes for each that is looked at

const std::string kNoMemory = "not enough memory for this record; not learned";

bool is_out_of_range(std::span<const double> labels, std::span<const double> values) {
  const auto is_large = [](double value) { return std::abs(value) > kLargestMagnitude; };
  return std::ranges::any_of(labels, is_large) || std::ranges::any_of(values, is_large);
}

Error out_of_range() {
  return failure(ErrorCode::kInvalidInput,
                 "the label, the importance or, with --strict, a planned attribute is beyond the largest "
                 "magnitude that is learned from, {:g}",
                 kLargestMagnitude);
}

// How records are read holds for what was learned from now on, and what the first of them showed of tables
// and formats, unless options change it.
void keep(const TableSchema& schema, std::optional<TableSchema>& kept) {
  TableSchema now = schema;
  if (kept && !schema.form.table && !kept->difference(schema, Format::kAuto)) now.form = kept->form;
  kept = std::move(now);
}

Error lost_bytes() { return failure(ErrorCode::kSystem, "the file was cut short while it was read"); }
}  // namespace

StreamProcessor::StreamProcessor(std::unique_ptr<Learner> learner, AttributeNames names, std::uint64_t seed)
    : learner_(std::move(learner)),
      names_(std::move(names)),
      random_(seed),
      inner_random_(random_.apart()),
      looks_at_few_(!is_full_information(learner_->options().algorithm) &&
                    learner_->options().dimension >= kLeastSkipped * learner_->options().budget),
      buying_(*learner_, plans_),
      predictor_(*learner_) {
  words_.connect(names_, *learner_);
}

void StreamProcessor::set_buying(std::size_t most_plans, std::uint32_t process,
                                 const SpendingLimits& limits) {
  plans_ = PlanBook(most_plans, process, learner_->label_count());
  buying_.set_limits(limits);
}

Status StreamProcessor::draw_plan(const std::vector<Attribute>* available) {
  plans_ahead_.give_back(*learner_, random_);
  if (available != nullptr) return learner_->plan_among(random_, *available, plan_);
  learner_->begin_plan(random_, plan_);
  learner_->finish_plan(inner_random_, plan_);
  return {};
}

void StreamProcessor::set_recent(std::uint64_t examples) {
  recent_ = examples;
  learner_->set_recent(examples);
  // As many as are held out of so many, and enough for a standard error.
  const auto held_out =
      static_cast<std::uint64_t>(std::llround(static_cast<double>(examples) * hold_out_.share()));
  hold_out_.losses().set_recent(std::max<std::uint64_t>(held_out, 2));
  freeze_.losses().set_recent(examples);
  alarms_ = learner_->drift().alarms;
  beginnings_ = learner_->beginnings();
}

Outcome StreamProcessor::learn(Door& door, const Plan& plan, std::span<const double> values,
                               std::span<const double> labels, double importance,
                               std::optional<Money> promised) {
  Outcome outcome{};
  try {
    is_with_learner_ = true;
    const bool is_bare = is_bare_word(values, labels.front());
    if (!is_bare) words_.begin(names_, *learner_);
    buying_.note(plan.attributes, values, promised);
    const double values_before = values_of_added_names();
    outcome = learner_->learn(plan, values, labels, is_bare ? 0 : importance);
    settle_names(outcome, importance, values_before);
  } catch (const std::bad_alloc&) {
    // What is left by a step that was not made whole is no state to go on with, nor one to keep.
    spdlog::critical(
        "not enough memory within a step of learning: ending; the next start goes on from the newest "
        "checkpoint");
    std::_Exit(1);
  }
  if (learner_->drift().alarms != alarms_) {
    alarms_ = learner_->drift().alarms;
    hold_out_.losses().begin_recent();
  }
  if (learner_->beginnings() != beginnings_) {
    beginnings_ = learner_->beginnings();
    hold_out_.begin_again();
    predictor_.set_slope(hold_out_.slope());
  }
  if (outcome != Outcome::kLearned) return outcome;
  if (!keeps_schema_)
    if_memory_allows("checkpoints do not hold yet how records are read; the next labelled record adds it",
                     [this] {
                       keep(schema_, kept_schema_);
                       keeps_schema_ = true;
                     });
  ++door.examples;
  if (hooks_.learned) hooks_.learned(labels.front());
  return outcome;
}

// What the learner has of the attributes whose names the example brought: also zeros, of examples that did
// not give them.
double StreamProcessor::values_of_added_names() const {
  double values = 0;
  for (const Attribute i : names_.added())
    values += static_cast<double>(learner_->sampling_row(i).moment.count);
  return values;
}

// Beside no value a label is learned alone, but no word that nothing was learned of yet.
bool StreamProcessor::is_bare_word(std::span<const double> values, double label) const {
  if (values.empty() ||
      !std::ranges::all_of(values, [](double x) { return !(std::abs(x) <= kLargestMagnitude); }))
    return false;
  const Categories& categories = names_.categories();
  if (!categories.is_kept()) return true;
  if (learner_->is_classifier()) return label >= static_cast<double>(learner_->classes().size());
  return categories.has_label_words() && learner_->labels().empty();
}

// Names, words and kinds of an example that leaves nothing in the learner are forgotten.
void StreamProcessor::settle_names(Outcome outcome, double importance, double values_before) {
  const bool was_compared = outcome == Outcome::kLeftOut || outcome == Outcome::kDiverged;
  has_values_in_learner_ = (outcome == Outcome::kLearned && importance > 0) ||
                           (was_compared && values_of_added_names() > values_before);
  if (has_values_in_learner_) return words_.settle(names_, *learner_);
  if (was_compared && !(names_.added().empty() && names_.categories().is_kept())) learner_->withdraw_last();
  if (was_compared) names_.keep_numbers();
  words_.withdraw(names_, *learner_);
}

void StreamProcessor::expire_plans(double now) {
  plans_.expire(now);
  const PlanBook::Counts& counts = plans_.counts();
  const std::uint64_t given_up = counts.expired + counts.abandoned + counts.not_learned;
  if (std::exchange(plans_given_up_, given_up) == given_up) return;
  words_.forget_unlearned(names_, *learner_, plans_);
  are_promises_stale_ = true;
}

// Attributes of open plans may be answered by number. O(plans in the book): at the first record behind those
// that were given up, as records alone bring names.
void StreamProcessor::promise_numbers() {
  are_promises_stale_ = false;
  names_.release_numbers();
  plans_.each_open([this](const OpenPlan& plan) { names_.promise_numbers(plan.plan.attributes); });
}

// False: the feed stops before this record.
bool StreamProcessor::take_record(Feed& feed, std::string_view record, bool strict, BlockResult& result) {
  if (!feed.only_answers) ++records_;
  if (are_promises_stale_) promise_numbers();
  const std::uint64_t predictions = predictions_;
  const std::size_t replies = result.replies.size();
  const Status status = try_record(feed, record, result);
  is_refused_ = !status;
  if (names_.categories().has_odd()) note_odd_values(feed, !status);
  if (!feed.is_taken && feed.learns && !feed.only_answers &&
      (is_with_learner_ || (status && has_head_ && feed.reader->head().label)))
    if_memory_allows("checkpoints do not hold yet how records are read; the next labelled record adds it",
                     [&] { note_taken(feed); });
  if (status) return true;
  // What of JSON cannot be read as a whole shows its label all the same.
  if (const std::string_view text = trimmed(record);
      !has_head_ && feed.framing.is_lines() && (text.starts_with('{') || text.starts_with('[')))
    feed.asked_last = text.find("\"label") == std::string_view::npos;
  if (is_question(feed))
    note_question(feed);
  else if (feed.only_answers)
    return true;  // it was noted when it came first
  // A client that needs each example learned once sends it again, and gets its answer then.
  result.gave_up = lacks_memory_ && (feed.source || feed.gave_up);
  if (result.gave_up) result.replies.resize(replies);
  std::string message = "out of memory";  // short enough to take none; error() copies
  if_memory_allows("a bad record was counted in parse_errors, and its reason was not logged",
                   [&] { message = lacks_memory_ ? kNoMemory : status.error().message; });
  note_error(feed, message, result);
  const bool is_begun = feed.source ? feed.source->has_example : feed.is_begun || !feed.door->is_input();
  const bool comes_again = !is_begun && !feed.in_messages && !is_with_learner_;
  if (comes_again && feed.source && feed.source->refused == 0)
    if_memory_allows("the reason why a source's first record was refused was not kept",
                     [&] { feed.source->refusal = fmt::format("line {}: {}", feed.records, message); });
  if (comes_again) put_back_draws(feed);  // it is not inside
  if (!strict && !is_lost() && !result.gave_up) return true;
  put_back(feed, predictions);
  feed.retired = result.gave_up;
  if (result.gave_up && feed.gave_up) feed.gave_up();
  return false;
}

// Of a record that cannot be read what is known of it decides, or what came before it: where nothing did, a
// model that has learned is asked.
bool StreamProcessor::is_question(const Feed& feed) const {
  if (has_head_ || feed.reader->head().label) return !feed.reader->head().label;
  return feed.asked_last.value_or(learner_->counts().examples > 0);
}

// The feed's first record with a label that was taken.
void StreamProcessor::note_taken(Feed& feed) {
  const ExampleReader& reader = feed.inner_reader != nullptr ? *feed.inner_reader : *feed.reader;
  const RecordForm form = feed.has_own_reading ? RecordForm() : feed.sampled.value_or(form_of(reader));
  if (!keeps_schema_) keep(schema_, kept_schema_);
  keeps_schema_ = true;
  if (kept_schema_->form.format == Format::kAuto) kept_schema_->form = form;
  if (!feed.addressable_name.empty()) {
    feed.schema = schema_;
    feed.schema->form = form;
  }
  feed.is_taken = feed.is_begun = true;
}

// A carrier that began with the source's first record has come to the last one that is inside.
void StreamProcessor::check_contents(Feed& feed, BlockResult& result) {
  const Source& source = *feed.source;
  if (!feed.contents || !source.contents || feed.contents == source.contents) return;
  if_memory_allows("it was not logged that a source's records are not those that were learned before", [&] {
    note_error(
        feed,
        fmt::format("the records up to this one are not those of source '{}' that were learned before; "
                    "what follows is learned: where it is another stream, give it another name",
                    source.name),
        result);
  });
}

// The record that is worked through.
void StreamProcessor::note_question(Feed& feed) {
  if (feed.first_question.position > feed.position) feed.first_question = {feed.position, feed.records - 1};
}

bool StreamProcessor::process(Block& block, bool strict, BlockResult& result) {
  Feed& feed = *block.feed;
  if (feed.retired) return true;
  if (!feed.reader) feed.begin_table(feed);
  if (!feed.learns && !pausing_ && !is_strict_) end_samples(false);
  // Of UTF-16, whose lines were cut at their first byte.
  if (block.cut_off && block.bytes.view == std::string_view("\0", 1)) block.cut_off = false;
  const bool was_undecided = feed.decide != nullptr;
  if (was_undecided && !decide(block, strict, result)) return false;
  if (feed.decide || feed.retired) return true;
  const bool going = feed.table_framer ? process_table(block, strict, result)
                                       : block.cut_off || process_records(block, strict, result);
  if (going && block.cut_off) note_cut_off(feed, result);
  if (going && was_undecided && !pausing_ && schema().form.table)
    end_samples(false);  // others are read as this one
  return going;          // also when strict: a client that breaks off is no reason to stop
}

// Of a feed of which no sample was read: whether its first records, with those of the block, say how they are
// read; if so, those that waited are worked through, and the block is as it was, or empty where they are its
// own. False: the last of them stops everything (--strict).
bool StreamProcessor::decide(Block& block, bool strict, BlockResult& result) {
  Feed& feed = *block.feed;
  std::string_view records = block.cut_off ? std::string_view() : block.bytes.view;
  try {
    if (!feed.undecided.empty()) {
      feed.undecided.append(records);
      records = feed.undecided;
      if (!block.cut_off) block.bytes.view = {};
    }
    if (!feed.decide(*this, feed, records, block.is_last || block.cut_off || feed.is_ending)) {
      if (feed.undecided.empty()) {
        feed.undecided = records;
        undecided_.push_back(block.feed);
        block.bytes.view = {};
      }
      std::size_t waiting = 0;
      for (const auto& each : undecided_)
        if (const auto other = each.lock()) waiting += other->undecided.size();
      if (waiting > most_waiting_ && !pausing_) end_samples(false);
      return true;
    }
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a sample ended early, and the first values decide");
  }
  feed.decide = nullptr;
  if (feed.undecided.empty()) return true;
  std::erase_if(undecided_, [](const auto& waiting) {
    const auto other = waiting.lock();
    return !other || !other->decide;
  });
  Block held;
  held.feed = block.feed;
  held.bytes = Bytes(std::exchange(feed.undecided, {}));
  if (feed.table_framer) return process_table(held, strict, result);
  held.is_last = !block.cut_off && std::exchange(block.is_last, false);
  return process_records(held, strict, result);
}

// Records of a table that were cut at the ends of lines.
bool StreamProcessor::process_table(Block& block, bool strict, BlockResult& result) {
  Feed& feed = *block.feed;
  const Framing& framing = feed.table_framer->framing();
  const std::string_view lines = block.cut_off ? std::string_view() : block.bytes.view;
  if (feed.begun.empty() && framing.unit() == 1 && !framing.has_quote(lines))
    return block.cut_off || process_records(block, strict, result);
  feed.begun.append(lines);
  const auto whole = feed.table_framer->whole_records(feed.begun);
  const bool is_end = block.is_last || block.cut_off || !whole;
  const std::size_t size = is_end ? feed.begun.size() : *whole;
  if (is_end) feed.table_framer->reset();
  Block records;
  records.feed = block.feed;
  std::string rest = feed.begun.substr(size);
  feed.begun.resize(size);
  records.bytes = Bytes(std::exchange(feed.begun, std::move(rest)));
  records.is_last = block.is_last && !block.cut_off;
  return process_records(records, strict, result);
}

void StreamProcessor::end_sample(const std::shared_ptr<Feed>& feed, bool is_end) {
  if (!feed->decide || feed->retired || failure_) return;
  feed->is_ending = is_end;
  if (feed->undecided.empty()) return;
  Block rest;
  rest.feed = feed;
  rest.is_last = is_end;
  BlockResult result;
  feed->decide(*this, *feed, feed->undecided, true);
  feed->decide = nullptr;
  rest.bytes = Bytes(std::exchange(feed->undecided, {}));
  const bool going = feed->table_framer ? process_table(rest, is_strict_, result)
                                        : process_records(rest, is_strict_, result);
  if (feed->send_late) feed->send_late(std::move(result.replies), result.learned);
  if (!going && !result.errors.empty()) failure_ = {feed->door->name, result.errors.back()};
}

void StreamProcessor::end_samples(bool is_end) {
  std::vector<std::weak_ptr<Feed>> left;
  for (const auto& waiting : std::exchange(undecided_, {})) {
    const auto feed = waiting.lock();
    if (!feed || !feed->decide) continue;
    // The end of a body comes by itself; where there is no example nothing is to be learned from.
    const bool waits = !is_end && (feed->door->kind == "http" || !feed->has_waiting_example);
    waits ? left.push_back(feed) : end_sample(feed, is_end);
  }
  undecided_ = std::move(left);
}

bool StreamProcessor::process_records(Block& block, bool strict, BlockResult& result) {
  Feed& feed = *block.feed;
  const std::uint64_t begin = feed.position;
  const auto outer_messages =
      std::exchange(messages_, block.messages ? std::span<const BlockMessage>(*block.messages)
                                              : std::span<const BlockMessage>());
  const bool addressable = !feed.addressable_name.empty() && !feed.in_messages;
  if (addressable) {
    current_feed_ = &feed;
    current_bytes_ = block.bytes.view;
    current_begin_ = begin;
  }
  const auto* const outer = std::exchange(lost_, block.lost);
  const bool outer_strict = std::exchange(is_block_strict_, strict);
  const bool names_were_open = names_.set_open(feed.learns && feed.may_learn);
  const bool took_odd = names_.categories().set_takes_odd(!strict || feed.takes_odd);
  feed.reader->use_marks(block.marks.get());
  if (block.bytes.has_quote) block.bytes.has_quote = feed.records_framing().has_quote(block.bytes.view);
  const bool outer_reads = std::exchange(reads_ahead_, begin_reading(block));
  const bool at_header = begin == 0 || (feed.framing.has_header() && begins_npy_header(block.bytes.view));
  const Framing& framing = feed.records_framing();
  RecordCursor cursor(block.bytes.view, at_header ? framing : framing.behind_header(), block.bytes.has_quote);
  bool going = true;
  for (;;) {
    if (!messages_.empty() && !pass_messages(feed, cursor.position(), strict, result)) {
      going = false;
      break;
    }
    if (!messages_.empty()) cursor.end_at(messages_.front().end);
    // What does not learn comes in blocks that are short, and is to be of one model.
    if (!pausing_ && feed.learns && hooks_.wants_pause && hooks_.wants_pause()) {
      pausing_ = true;
      const bool open = names_.set_open(names_were_open);
      const AtEnd end([&] {
        names_.set_open(open);
        pausing_ = false;
      });
      hooks_.pause();
      if (feed.retired) break;
    }
    if (reads_ahead_ && cursor.position() < block.bytes.size())
      read_ahead_->step(block.bytes.view.data() + cursor.position());
    const auto record = cursor.next([&](std::string_view rest) { return measure_line(feed, rest); });
    if (!record) break;
    ++feed.records;
    const auto contents = feed.contents;
    if (contents) feed.contents = contents_with(*contents, *record);
    if (feed.source && feed.records <= feed.source->records) {
      if (feed.records == feed.source->records) check_contents(feed, result);
      if (!feed.in_messages) feed.position = begin + cursor.position();
      continue;  // it is inside already
    }
    following_ = block.bytes.view.substr(cursor.position());
    if (reads_ahead_ && read_ahead_->wants_more()) read_on(feed);
    if (!take_record(feed, *record, strict, result)) {
      feed.contents = contents;
      going = !strict;
      break;
    }
    if (!feed.in_messages) feed.position = begin + cursor.position();
    if (feed.source)
      feed.source->note_record(feed, is_with_learner_ || (!is_refused_ && !is_empty_),
                               is_refused_ && !is_with_learner_);
  }
  if (going && block.is_last && !feed.source) going = note_end(feed, result) || !strict;
  // What a checkpoint of an earlier build does not say is known now.
  if (const auto next = feed.goes_on.lock(); next && next->position == feed.position)
    next->first_question = feed.first_question;
  feed.reader->use_marks(nullptr);
  reads_ahead_ = outer_reads;
  tell_reader(block.feed);
  if (feed.source) result.inside = feed.source->records;
  if (feed.source && feed.source->refused > 0) result.refusal = feed.source->refusal;
  feed.door->bytes += feed.in_messages ? cursor.position() : feed.position - begin;
  messages_ = outer_messages;
  if (addressable) {
    feed.fingerprint.add(current_bytes_.substr(0, feed.position - begin));
    if (block.beginning.bytes <= feed.position) feed.beginning = block.beginning;
    current_feed_ = nullptr;
  }
  lost_ = outer;
  is_block_strict_ = outer_strict;
  names_.categories().set_takes_odd(took_odd);
  names_.set_open(names_were_open);
  return going;
}

// Stopped at this record, not behind it: reading resumes with it, and with the same plan.
void StreamProcessor::put_back(Feed& feed, std::uint64_t predictions) {
  --feed.records;
  put_back_draws(feed);
  feed.door->predictions -= predictions_ - predictions;
  predictions_ = predictions;
}

// The record leaves nothing in what decides about the following ones.
void StreamProcessor::put_back_draws(Feed& feed) {
  if (std::exchange(has_plan_, false)) plans_ahead_.put_back(*learner_, random_, inner_random_);
  if (std::exchange(has_number_, false)) hold_out_.put_back();
  if (!std::exchange(is_passed_over_, false)) return;
  freeze_.put_back();
  --feed.door->frozen;
}

// Where a reader has no memory for what it finds on the way, it finds it again in open(), or fails there.
std::size_t StreamProcessor::measure_line(const Feed& feed, std::string_view rest) const {
  if (reads_ahead_)
    if (const auto length = read_ahead_->line_length()) return *length;
  try {
    return feed.reader->line_length(rest);
  } catch (const std::bad_alloc&) {
    return length_of_line(rest);
  }
}

// A record for which there is no memory is one that cannot be read. Names and numbers of records that leave
// nothing in the learner are forgotten.
Status StreamProcessor::try_record(Feed& feed, std::string_view record, BlockResult& result) {
  is_with_learner_ = is_empty_ = has_plan_ = has_head_ = has_number_ = is_passed_over_ = lacks_memory_ =
      has_values_in_learner_ = false;
  Status status;
  try {
    status = process_record(feed, record, result);
  } catch (const std::bad_alloc&) {
    lacks_memory_ = true;
    note_memory_trouble("a record was not learned from");
    status = Error{ErrorCode::kUnavailable, {}};  // which takes none
  }
  if (!has_values_in_learner_) names_.take_back();
  return status;
}

Status StreamProcessor::process_record(Feed& feed, std::string_view record, BlockResult& result) {
  ExampleReader& reader = *feed.reader;
  if (reads_ahead_)
    if (const ReadJob::Found* const read = found(feed))
      return read->entries ? answer_found(feed, *read, result) : learn_found(feed, *read, result);
  const bool is_opening = feed.source && !feed.source->opening_is_whole && is_kept_whole(feed);
  // No reader may learn from it what one that goes on later could not know.
  if (is_opening && feed.source->opening_bytes() + record.size() > sources_.opening_limit())
    return failure(ErrorCode::kInvalidInput,
                   "has {} bytes; what a source begins with is kept, up to --max-opening {} bytes",
                   record.size(), sources_.opening_limit());
  const Status opened = reader.open(record);
  if (feed.source && !feed.source->opening_is_whole) note_opening(feed, record, opened);
  if (!opened) return opened;
  if (!reader.has_example()) {
    is_empty_ = true;
    if (read_ahead_ && feed.has_first_row && !is_blank_or_comment(record))
      read_ahead_->forget();  // a header again
    ++feed.door->empty_records;
    note_header(feed, record);
    return {};
  }
  if (!feed.has_example) note_first_example(feed);

  const bool labelled = reader.head().label.has_value();
  has_head_ = true;
  if (reader.head().is_filled) ++feed.door->filled_records;
  feed.asked_last = !labelled;
  if (!labelled) note_question(feed);
  if (labelled && feed.only_answers) return {};
  if (reads_ahead_) read_ahead_->note_asks(!labelled);
  if (labelled && !feed.may_learn)
    return failure(ErrorCode::kInvalidInput, "the token of this connection may read only: not learned");
  if (!feed.learns || !labelled || feed.replies == Replies::kAll) {
    if (const Status status = predict(feed, result); !status) return status;
    if (feed.learns && !labelled) ++result.unlabelled;
    if (!feed.learns || !labelled) return {};
  }

  if (const Status status = take_labels(reader.head()); !status) return status;
  if (freeze_.is_frozen()) return pass_over(feed, result);
  if (buying_.stopped()) {
    ++result.skipped;
    ++result.beyond_budget;
    return {};
  }
  has_number_ = true;
  if (hold_out_.take_next()) return hold_out(feed, result);
  const bool takes_entries = learner_->learns_from_entries();
  if (takes_entries)
    if (const Status status = read_entries(reader); !status) return status;
  const Plan& plan = takes_entries ? plan_ : plans_ahead_.next(*learner_, random_, inner_random_);
  has_plan_ = !takes_entries;
  if (has_plan_) prefetch_following(feed);
  if (buying_.is_limited() && !buying_.may_buy(plan.attributes.size(), buying_.cost_of(plan.attributes))) {
    ++result.skipped;
    ++result.beyond_budget;
    return {};
  }
  if (!takes_entries) {
    values_.resize(plan.attributes.size());
    if (const Status status = reader.reveal(plan.attributes, values_); !status) return status;
  }
  return learn_values(feed, plan, values_, reader.head().importance, result);
}

Status StreamProcessor::learn_values(Feed& feed, const Plan& plan, std::span<const double> values,
                                     double importance, BlockResult& result) {
  if (is_lost()) return lost_bytes();
  // Before its values are paid for.
  if (is_block_strict_ && is_out_of_range(labels_, values)) return out_of_range();
  const Outcome outcome = learn(*feed.door, plan, values, labels_, importance);
  if (outcome == Outcome::kLearned) {
    ++result.learned;
    return {};
  }
  if (outcome == Outcome::kOutOfRange) return out_of_range();  // counted as an error
  ++result.skipped;
  return {};
}

void StreamProcessor::note_first_example(Feed& feed) {
  feed.has_first_row = feed.has_example = true;
  if (!feed.reader->rows_end_with_delimiter() || std::exchange(feed.door->told_row_ends, true)) return;
  spdlog::info("{}: rows end with a delimiter: the empty field behind their last column is passed over",
               feed.door->name);
}

// A record that is no example, and neither blank nor a comment, is the header of a table.
void StreamProcessor::note_header(Feed& feed, std::string_view record) {
  if (feed.has_first_row || is_blank_or_comment(without_mark(record))) return;
  feed.header = feed.records;
  feed.has_first_row = true;
}

// The plan of what the record gives, and its values. What is missing may be a word that is refused, which
// reveal() alone says.
Status StreamProcessor::read_entries(ExampleReader& reader) {
  if (Status status = reader.reveal_all(entries_); !status) return status;
  const auto is_before = [](const Entry& a, const Entry& b) { return a.attribute < b.attribute; };
  if (!std::ranges::is_sorted(entries_, is_before)) std::ranges::sort(entries_, is_before);
  plan_.clear();
  values_.clear();
  bool is_whole = true;
  for (const Entry& entry : entries_) {
    plan_.attributes.push_back(entry.attribute);
    values_.push_back(entry.value);
    is_whole = is_whole && !std::isnan(entry.value);
  }
  return is_whole ? Status() : reader.reveal(plan_.attributes, values_);
}

// The row for which the last plan is, where each has the length of all.
void StreamProcessor::prefetch_following(const Feed& feed) const {
  if (feed.records_framing().is_lines() || plans_ahead_.size() == 0) return;
  const std::size_t row = feed.framing.row_bytes();
  const std::size_t begin = (plans_ahead_.size() - 1) * row;
  if (begin + row <= following_.size())
    feed.reader->prefetch(following_.substr(begin, row), plans_ahead_.last().attributes);
}

Status StreamProcessor::predict(Feed& feed, BlockResult& result) {
  if (const Status status = predictor_.read(*feed.reader); !status) return status;
  if (const Status status = answer(feed, feed.reader->head().tag, result); !status) return status;
  return !feed.learns && feed.explain ? feed.explain(predictor_) : Status();
}

// What predictor_ has read.
Status StreamProcessor::answer(Feed& feed, std::string_view tag, BlockResult& result) {
  if (is_lost()) return lost_bytes();
  if (hooks_.predicting) hooks_.predicting();
  if (feed.learns) {
    if (feed.replies != Replies::kNone) reply(feed, tag, result);
  } else {
    add_prediction(feed, result);
  }
  ++predictions_;
  ++feed.door->predictions;
  return {};
}

Status StreamProcessor::take_labels(const ExampleHead& head) {
  labels_.assign(1, *head.label);
  labels_.insert(labels_.end(), head.further_labels.begin(), head.further_labels.end());
  if (labels_.size() == learner_->label_count()) return {};
  return failure(ErrorCode::kInvalidInput,
                 "it has one label, and --label names {}: several are read from tables and from JSON",
                 learner_->label_count());
}

// A record that is not learned from: it draws no plan, and leaves no trace in the learner or its names.
Status StreamProcessor::read_whole(const Feed& feed, KeptRecords* kept) {
  const ExampleHead& head = feed.reader->head();
  GLIMPSE_TRY(feed.reader->reveal_all(entries_));
  if (is_lost()) return lost_bytes();
  if (is_out_of_range(labels_, {}) || !(head.importance <= kLargestMagnitude)) return out_of_range();
  if (kept != nullptr) kept->add(entries_, labels_);
  predictor_.take(entries_);
  return {};
}

std::shared_ptr<Feed> StreamProcessor::make_feed(std::shared_ptr<Door> door, Format format,
                                                 const FormatOptions& options, std::size_t max_line_bytes,
                                                 const std::string& addressable_name) {
  auto feed = std::make_shared<Feed>();
  feed->door = std::move(door);
  feed->framing = framing_of(format, options.dimension, max_line_bytes, options.form);
  FormatOptions of_records = options;
  of_records.table.are_lines = feed->framing.dialect() == nullptr;
  feed->reader = make_example_reader(format, of_records, names_);
  feed->addressable_name = addressable_name;
  if (addressable_name.empty()) return feed;
  progress_.open(feed);
  return feed;
}

}  // namespace glimpse
