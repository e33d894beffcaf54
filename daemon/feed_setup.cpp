#include "daemon/feed_setup.h"

#include <spdlog/spdlog.h>
#include <utility>

#include "daemon/startup.h"
#include "data/formats.h"

namespace glimpse {

namespace {

// What comes is read as by `made`, whose blocks are cut as before.
void adopt(Feed& feed, Feed& made) {
  feed.reader = std::move(made.reader);
  feed.inner_reader = made.inner_reader;
  feed.sampled = std::move(made.sampled);
  if (made.framing.dialect() != nullptr) feed.table_framer.emplace(made.framing);
}

// Feed::decide. Lines of svmlight and vw say alone how they are read. Where something was learned, records
// are read as those were, or as the first value shows; so they are where every record is answered, and where
// a client counts the lines that were received.
bool decide_by_first(const Configuration& c, const BodyReading& body, StreamProcessor& processor, Feed& feed,
                     std::string_view records, bool is_whole) {
  if (feed.framing.dialect() != nullptr || feed.durable) return true;
  BodyReading reading = body;
  if (reading.format == Format::kAuto)
    reading.format = detect_format(opening_of(records, feed.framing.question_fields(), is_whole).line);
  if (reading.format == Format::kSvmlight || reading.format == Format::kVw) return true;
  if (const RecordForm& form = processor.schema().form; form.table || c.decided) {
    const auto known = std::make_shared<const TableForm>(form.table ? *form.table : *c.decided);
    if (reading.format == Format::kCsv)
      adopt(feed, *make_feed_of(c, processor, feed.door, reading, {}, std::nullopt, known));
    return true;
  }
  if (!feed.learns || !feed.may_learn || feed.replies == Replies::kAll ||
      processor.learner().counts().examples > 0 || processor.schema().form.format != Format::kAuto)
    return true;
  const SampleLimits limits = feed.door->kind == "http" ? c.sample : limits_of_messages(c);
  auto first = read_messages(c, body.format, records, is_whole, limits);
  if (first && !*first && !is_whole) {
    if (!std::exchange(feed.door->told_sample, true))
      spdlog::info(
          "{}: its first {} records wait for each other, and decide how it is read (--sample-records)",
          feed.door->name, limits.records);
    return false;
  }
  // What cannot be read is told when it is read.
  if (!first || !*first || ((*first)->format != Format::kCsv && (*first)->format != Format::kNdjson))
    return true;
  auto made = make_feed_of(c, processor, feed.door, body, {}, (*first)->record_form());
  const Status taken = take_first(c, feed.door->name, std::move(**first), processor);
  if (taken)
    adopt(feed, *made);
  else
    spdlog::warn("{}: no sample decides how it is read: {}", feed.door->name, taken.error().message);
  return true;
}

}  // namespace

std::shared_ptr<Feed> make_feed_of(const Configuration& c, StreamProcessor& processor,
                                   const std::shared_ptr<Door>& door, const BodyReading& reading,
                                   const std::string& addressable_name,
                                   const std::optional<RecordForm>& sampled,
                                   const std::shared_ptr<const TableForm>& known) {
  FormatOptions options;
  options.dimension = c.learner.dimension;
  options.svmlight_index_base = c.index_base;
  options.table = c.table;
  options.absent = reading.absent.value_or(c.absent);
  options.known_table = &processor.known_table();
  options.table.header = reading.header.value_or(options.table.header);
  options.table.delimiter = reading.delimiter.value_or(options.table.delimiter);
  Format format = reading.format;
  options.table.is_sampled = sampled.has_value();
  if (sampled) {
    if (format == Format::kAuto) format = sampled->format;
    if (options.table.header == HeaderChoice::kAuto) options.table.header = sampled->header;
    if (options.table.delimiter == 0) options.table.delimiter = sampled->delimiter;
    door->sample_records = sampled->sample_records;
    options.table.has_comments = !sampled->table || sampled->table->dialect.comment != 0;
  }
  if (sampled && sampled->table) {
    options.form = std::make_shared<const TableForm>(*sampled->table);
  } else if (known && !reading.says_table()) {
    auto form = std::make_shared<TableForm>(*known);
    options.table.may_be_utf8 = !door->is_input();
    if (options.table.may_be_utf8 && form->dialect.encoding != Encoding::kWindows1252 &&
        form->dialect.encoding != Encoding::kLatin1)
      form->dialect.encoding = Encoding::kUtf8;
    options.form = std::move(form);
  }
  options.table.learns_partial = c.allows_missing_columns;
  options.table.goes_on = reading.first_line > 1 && options.table.header == HeaderChoice::kNo;
  auto feed = processor.make_feed(door, format, options, c.max_line_bytes, addressable_name);
  feed->sampled = sampled;
  if (addressable_name.empty()) feed->records = reading.first_line - 1;
  if (c.validate_full) {
    feed->inner_reader = feed->reader.get();
    feed->reader = std::make_unique<ValidatingReader>(std::move(feed->reader));
  }
  feed->has_own_reading = reading.format != c.format || reading.says_table();
  feed->replies = c.replies;
  if (format == Format::kAuto && c.replies != Replies::kAll)
    feed->framing = Framing::undecided_lines(c.max_line_bytes, question_fields(options));
  const bool is_of_lines =
      reading.format == Format::kAuto || reading.format == Format::kCsv || reading.format == Format::kNdjson;
  if (!sampled && is_of_lines && addressable_name.empty() && !reading.says_table())
    feed->decide = [&c, reading](StreamProcessor& trained, Feed& begun, std::string_view records,
                                 bool is_whole) {
      return decide_by_first(c, reading, trained, begun, records, is_whole);
    };
  return feed;
}

}  // namespace glimpse
