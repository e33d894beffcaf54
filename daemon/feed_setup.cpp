#include "daemon/feed_setup.h"

#include <utility>

#include "data/formats/validating_reader.h"

namespace glimpse {

std::shared_ptr<Feed> make_feed_of(const Configuration& c, StreamProcessor& processor,
                                   const std::shared_ptr<Door>& door, const BodyReading& reading,
                                   const std::string& addressable_name) {
  FormatOptions options;
  options.dimension = c.learner.dimension;
  options.svmlight_index_base = c.index_base;
  options.table = c.table;
  options.absent = reading.absent.value_or(c.absent);
  options.known_table = &processor.known_table();
  options.table.header = reading.header.value_or(options.table.header);
  options.table.delimiter = reading.delimiter.value_or(options.table.delimiter);
  options.table.goes_on = reading.first_line > 1 && options.table.header == HeaderChoice::kNo;
  auto feed = processor.make_feed(door, reading.format, options, c.max_line_bytes, addressable_name);
  if (addressable_name.empty()) feed->records = reading.first_line - 1;
  if (c.validate_full) {
    feed->inner_reader = feed->reader.get();
    feed->reader = std::make_unique<ValidatingReader>(std::move(feed->reader));
  }
  feed->has_own_reading = reading.format != c.format || reading.says_table();
  feed->replies = c.replies;
  return feed;
}

}  // namespace glimpse
