#include "daemon/feeds/source_opening.h"

#include <fmt/format.h>
#include <utility>

#include "data/formats.h"

namespace glimpse {

Status open_source(SourceTable& sources, AttributeNames& names, const std::shared_ptr<Feed>& feed,
                   const std::string& name, std::optional<std::uint64_t> from) {
  GLIMPSE_TRY_ASSIGN(auto found, sources.find_or_add(name));
  const std::shared_ptr<Source>& source = found;
  if (from && *from > source->records + source->refused)
    return failure(ErrorCode::kInvalidInput,
                   "from {}: of source '{}' there are {} records inside, so that those between would be "
                   "missing",
                   *from, name, source->records);
  if (const auto carrier = source->feed.lock()) {
    if (!carrier->retire)
      return failure(ErrorCode::kUnavailable, "source '{}' comes in through {}", name, carrier->door->name);
    if (!std::exchange(carrier->retired, true)) carrier->retire();
  }
  source->feed = feed;
  feed->source = source;
  feed->records = from.value_or(source->records);
  if (feed->records <= source->records) source->forget_refused();
  if (!feed->in_messages && feed->records == 0) feed->contents = 0;
  if (!feed->in_messages && feed->records == source->records) feed->contents = source->contents;
  // A reader that goes on amid the source takes it as one that saw its beginning does. What was to be kept of
  // these records is, so that a reader that looks at all of them now has nothing to add.
  names.keep();
  for (const std::string& record : source->opening) (void)feed->reader->open(record);
  names.take_back();
  if (feed->records > 0) feed->framing = feed->framing.behind_header();
  return {};
}

bool is_kept_whole(const Feed& feed) { return feed.framing.is_lines() || feed.framing.has_header(); }

// Blank lines and comments tell a reader nothing.
void note_opening(Feed& feed, std::string_view record, const Status& opened) {
  if (!is_kept_whole(feed)) {
    feed.source->opening_is_whole = true;
  } else if (!opened || feed.reader->has_example() || !feed.framing.is_lines() ||
             detect_format(record) != Format::kAuto) {
    feed.source->note_opening(record, opened.has_value());
  }
}

}  // namespace glimpse
