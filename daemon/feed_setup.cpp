#include "daemon/feed_setup.h"

#include <algorithm>
#include <spdlog/spdlog.h>
#include <utility>

#include "daemon/startup.h"
#include "data/formats.h"
#include "data/text/text.h"

namespace glimpse {

namespace {

// What comes is read as by `made`, whose blocks are cut as before.
void adopt(Feed& feed, Feed& made) {
  feed.reader = std::move(made.reader);
  feed.inner_reader = made.inner_reader;
  feed.sampled = std::move(made.sampled);
  if (made.framing.dialect() != nullptr) feed.table_framer.emplace(made.framing);
}

// How a feed would be read without a sample, to see which records ask for a prediction.
struct FirstLook {
  std::shared_ptr<Feed> feed;
  std::size_t passed = 0;  // bytes of blank lines and comments in front of all others
  std::size_t bytes = 0;
  std::size_t records = 0;
  bool has_question = false;
};

// Records up to the limits, or the first that asks.
void look_at_first(const Configuration& c, const BodyReading& body, StreamProcessor& processor,
                   const std::shared_ptr<Door>& door, std::string_view records, const SampleLimits& limits,
                   FirstLook& look) {
  const TableLayout known = processor.known_table();
  if (!look.feed) look.feed = make_feed_of(c, processor, door, body);
  ExampleReader& reader = *look.feed->reader;
  RecordCursor cursor(records.substr(look.bytes), Framing::lines(c.max_line_bytes));
  const std::size_t before = look.bytes;
  while (look.records < limits.records && look.bytes < limits.bytes && !look.has_question) {
    const auto line = cursor.next([&](std::string_view rest) { return reader.line_length(rest); });
    if (!line) break;
    const Status opened = reader.open(*line);
    look.records += !opened || reader.has_example() ? 1 : 0;
    look.has_question = opened && reader.has_example() && !reader.head().label;
    look.bytes = before + cursor.position();
    processor.names().take_back();
  }
  processor.known_table() = known;
}

// 1|2|3 is no line of vw, which has blanks in front of more than one; and all but the label of svmlight have
// a colon, but not all in 5 12:30 3.
bool may_be_table(std::string_view line, Format format) {
  if (format == Format::kVw)
    return std::ranges::count(line, '|') > 1 && line.find(" |") == std::string_view::npos;
  if (format != Format::kSvmlight) return false;
  const std::string_view features = line.substr(0, line.find('#'));
  std::size_t without_colon = 0;
  const char* const end = features.data() + features.size();
  for (const char* at = skip_blanks(features.data(), end); at != end; at = skip_blanks(at, end)) {
    const char* const token = at;
    at = find_blank(at, end);
    without_colon += std::find(token, at, ':') == at ? 1 : 0;
  }
  return without_colon > 1;
}

// Feed::decide. Lines of svmlight and vw say alone how they are read. Where something was learned, records
// are read as those were, or as the first value shows; so they are where every record is answered.
bool decide_by_first(const Configuration& c, const BodyReading& body, StreamProcessor& processor, Feed& feed,
                     std::string_view records, bool is_whole, FirstLook& look) {
  if (feed.framing.dialect() != nullptr) return true;
  const bool is_answered = feed.replies == Replies::kAll;
  BodyReading reading = body;
  if (reading.format == Format::kAuto && !is_answered) {
    for (std::string_view rest = records.substr(look.passed); !rest.empty();
         rest = records.substr(look.passed)) {
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos || !is_blank_or_comment(rest.substr(0, end))) break;
      look.passed += end + 1;
    }
    const Opening opening = opening_of(records.substr(look.passed), feed.framing.question_fields(), is_whole);
    reading.format = detect_format(opening.line);
    if (reading.format == Format::kAuto && !is_whole && records.size() < c.sample.bytes) return false;
    if (may_be_table(opening.line, reading.format)) reading.format = Format::kCsv;
  }
  if (reading.format == Format::kSvmlight || reading.format == Format::kVw) return true;
  if (const RecordForm& form = processor.schema().form; form.table || c.decided) {
    const auto known = std::make_shared<const TableForm>(form.table ? *form.table : *c.decided);
    if (reading.format == Format::kCsv || reading.format == Format::kAuto)
      adopt(feed, *make_feed_of(c, processor, feed.door, reading, {}, std::nullopt, known));
    return true;
  }
  if (body.says_table() || !feed.learns || !feed.may_learn || processor.learner().counts().examples > 0 ||
      processor.schema().form.format != Format::kAuto)
    return true;
  if ((is_answered || feed.durable) && !std::exchange(feed.door->logged_sample, true))
    spdlog::info(
        "{}: no sample decides how it is read, as {}: the first value of each column does; --schema FILE "
        "decides for all",
        feed.door->name,
        is_answered ? "every line is answered (--replies all)"
                    : "the client of a named source counts records");
  if (records.empty() || is_answered) return true;
  const SampleLimits limits = feed.door->kind == "http" ? c.sample : limits_of_messages(c);
  const bool is_corrected = body.format == Format::kAuto && reading.format == Format::kCsv;
  const BodyReading& sampled = is_corrected ? reading : body;
  look_at_first(c, sampled, processor, feed.door, records, limits, look);
  feed.has_waiting_example = look.records > 0;
  if (!is_whole && !look.has_question && look.records < limits.records && look.bytes < limits.bytes) {
    if (!std::exchange(feed.door->logged_sample, true))
      spdlog::info(
          "{}: its first {} records wait for each other, and decide how it is read (--sample-records)",
          feed.door->name, limits.records);
    return false;
  }
  auto first = read_sample_of(c, sampled.format, records.substr(0, look.bytes), limits);
  // What cannot be read is told when it is read.
  if (!first || !*first || ((*first)->format != Format::kCsv && (*first)->format != Format::kNdjson))
    return true;
  auto made = make_feed_of(c, processor, feed.door, body, {}, (*first)->record_form());
  const Status taken = take_first(c, feed.door->name, std::move(**first), processor);
  if (taken) {
    adopt(feed, *made);
    feed.has_own_reading = false;
  } else {
    spdlog::warn("{}: no sample decides how it is read: {}", feed.door->name, taken.error().message);
  }
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
  } else if (known) {
    auto form = std::make_shared<TableForm>(*known);
    Dialect& dialect = form->dialect;
    const std::string given = std::string(reading.delimiter ? 1 : 0, reading.delimiter.value_or(0));
    if (!given.empty() && given != (dialect.divides_by_runs ? " " : dialect.delimiter)) {
      dialect = Dialect{};  // the columns of the form, in a table that somebody else wrote
      dialect.delimiter = given;
    }
    options.table.may_be_utf8 = !door->is_input();
    if (options.table.may_be_utf8 && form->dialect.encoding != Encoding::kWindows1252 &&
        form->dialect.encoding != Encoding::kLatin1)
      form->dialect.encoding = Encoding::kUtf8;
    options.form = std::move(form);
  }
  if (options.form && !addressable_name.empty())
    options.table.rows_have_label =
        options.form->dialect.width >= std::max<std::size_t>(processor.names().dimension(), 1) +
                                           TableLayout::beside_attributes(options.table);
  options.table.ignores_others = reading.ignores_others;
  options.table.learns_partial = c.allows_missing_columns;
  options.table.goes_on = reading.first_line > 1 && options.table.header == HeaderChoice::kNo;
  auto feed = processor.make_feed(door, format, options, c.max_line_bytes, addressable_name);
  feed->sampled = sampled;
  if (addressable_name.empty()) feed->records = reading.first_line - 1;
  if (c.validate_full) {
    feed->inner_reader = feed->reader.get();
    feed->reader = std::make_unique<ValidatingReader>(std::move(feed->reader));
  }
  feed->takes_odd = reading.takes_odd;
  feed->has_own_reading = reading.format != c.format || reading.says_table();
  feed->replies = c.replies;
  if (format == Format::kAuto && c.replies != Replies::kAll)
    feed->framing = Framing::undecided_lines(c.max_line_bytes, question_fields(options));
  const bool is_of_lines =
      reading.format == Format::kAuto || reading.format == Format::kCsv || reading.format == Format::kNdjson;
  if (!sampled && is_of_lines && addressable_name.empty())
    feed->decide = [&c, reading, look = std::make_shared<FirstLook>()](
                       StreamProcessor& trained, Feed& begun, std::string_view records, bool is_whole) {
      return decide_by_first(c, reading, trained, begun, records, is_whole, *look);
    };
  return feed;
}

}  // namespace glimpse
