#include "daemon/feed_setup.h"

#include <utility>

#include "data/formats.h"

namespace glimpse {

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
  return feed;
}

}  // namespace glimpse
