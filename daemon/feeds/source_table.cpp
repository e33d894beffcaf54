#include "daemon/feeds/source_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "daemon/feeds/block.h"
#include "data/formats.h"

namespace glimpse {

Status open_source(SourceTable& sources, AttributeNames& names, const std::shared_ptr<Feed>& feed,
                   const std::string& name, std::optional<std::uint64_t> from) {
  GLIMPSE_TRY_ASSIGN(const auto source, sources.find_or_add(name));
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
  feed->framing = feed->records > 0 ? feed->framing.behind_header() : feed->framing.at_once();
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

namespace {

constexpr std::size_t kNumbers = 4;  // of each in sources.progress

// Takes texts of given lengths from the front of one array.
class Texts {
 public:
  Texts(std::span<const std::uint8_t> bytes, const char* array) : bytes_(bytes), array_(array) {}

  Result<std::string> take(std::uint64_t length) {
    if (length > bytes_.size()) return wrong("shorter");
    const auto text = bytes_.first(static_cast<std::size_t>(length));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(length));
    return std::string(text.begin(), text.end());
  }
  Status at_end() const {
    if (!bytes_.empty()) return wrong("longer");
    return {};
  }

 private:
  Error wrong(const char* how) const {
    return failure(ErrorCode::kCorrupt, "{} is {} than sources.progress says", array_, how);
  }

  std::span<const std::uint8_t> bytes_;
  const char* array_;
};

}  // namespace

std::size_t Source::opening_bytes() const {
  std::size_t bytes = 0;
  for (const std::string& kept : opening) bytes += kept.size();
  return bytes;
}

void Source::note_record(const Feed& of, bool is_example, bool is_refused) {
  has_example = has_example || is_example || of.in_messages;
  if (!has_example && (is_refused || refused > 0)) {
    refused = of.records - records;
    return;
  }
  records = of.records;
  contents = of.contents;
  opening_inside = opening.size();
  refused = 0;
  refusal.clear();
}

void Source::forget_refused() {
  refused = 0;
  refusal.clear();
  if (opening_inside == opening.size()) return;
  opening.resize(opening_inside);
  opening_is_whole = false;
}

void Source::note_opening(std::string_view record, bool readable) {
  const bool fits = opening.size() < kMostOpening;
  if (fits) opening.emplace_back(record);
  opening_is_whole = readable || !fits;
}

Result<std::shared_ptr<Source>> SourceTable::find_or_add(const std::string& name) {
  const auto known = sources_.find(name);
  if (known != sources_.end()) return known->second;
  // Those that only ever greeted make room.
  if (sources_.size() >= most_)
    std::erase_if(sources_, [](const auto& entry) {
      return entry.second->records == 0 && entry.second->feed.expired();
    });
  if (sources_.size() >= most_)
    return failure(ErrorCode::kUnavailable, "source '{}' is new, and {} are known already (--max-sources {})",
                   name, sources_.size(), most_);
  auto source = std::make_shared<Source>();
  source->name = name;
  sources_.emplace(name, source);
  return source;
}

std::vector<SourceMark> SourceTable::marks() const {
  std::vector<SourceMark> marks;
  marks.reserve(sources_.size());
  for (const auto& [name, source] : sources_) marks.push_back({source, source->records});
  return marks;
}

void SourceTable::note_durable(const std::vector<SourceMark>& marks) {
  for (const SourceMark& mark : marks) {
    if (mark.records <= mark.source->durable) continue;
    const auto feed = mark.source->feed.lock();
    if (feed && feed->durable) feed->durable(mark.records);
    mark.source->durable = mark.records;  // behind what may throw: it is reported another time
  }
}

void SourceTable::save(State& state) const {
  std::string names;
  std::string openings;
  std::vector<std::uint64_t> lengths;
  std::vector<std::uint64_t> progress;
  std::vector<std::uint64_t> contents;
  for (const auto& [name, source] : sources_) {
    if (source->records == 0) continue;
    names += name;
    for (std::size_t i = 0; i < source->opening_inside; ++i) {
      openings += source->opening[i];
      lengths.push_back(source->opening[i].size());
    }
    const bool is_whole = source->opening_is_whole && source->opening_inside == source->opening.size();
    for (const std::uint64_t number : {std::uint64_t{name.size()}, source->records,
                                       std::uint64_t{source->opening_inside}, std::uint64_t{is_whole}})
      progress.push_back(number);
    for (const std::uint64_t number : {source->contents.value_or(0), std::uint64_t{source->has_example}})
      contents.push_back(number);
  }
  const auto copy = [&state](const char* name, const std::string& from) {
    const auto to = state.put<std::uint8_t>(name, from.size());
    std::copy(from.begin(), from.end(), to.begin());
  };
  copy("sources.names", names);
  copy("sources.openings", openings);
  state.put_copy<std::uint64_t>("sources.progress", progress);
  state.put_copy<std::uint64_t>("sources.opening_lengths", lengths);
  state.put_copy<std::uint64_t>("sources.contents", contents);
}

Status SourceTable::restore(const State& state) {
  if (state.find("sources.progress") == nullptr) {
    sources_.clear();
    return {};
  }
  GLIMPSE_TRY_ASSIGN(const auto progress, state.get<std::uint64_t>("sources.progress"));
  GLIMPSE_TRY_ASSIGN(const auto names, state.get<std::uint8_t>("sources.names"));
  GLIMPSE_TRY_ASSIGN(const auto openings, state.get<std::uint8_t>("sources.openings"));
  GLIMPSE_TRY_ASSIGN(const auto lengths, state.get<std::uint64_t>("sources.opening_lengths"));
  if (progress.size() % kNumbers != 0)
    return failure(ErrorCode::kCorrupt, "sources.progress is not {} numbers for each source", kNumbers);

  const auto contents = state.get<std::uint64_t>("sources.contents", progress.size() / kNumbers * 2);
  if (!contents && state.find("sources.contents") != nullptr) return contents.error();

  std::map<std::string, std::shared_ptr<Source>> sources;
  Texts name_texts(names, "sources.names");
  Texts opening_texts(openings, "sources.openings");
  std::size_t record = 0;
  for (std::size_t i = 0; i < progress.size(); i += kNumbers) {
    GLIMPSE_TRY_ASSIGN(auto name, name_texts.take(progress[i]));
    auto source = std::make_shared<Source>();
    source->name = name;
    source->records = source->durable = progress[i + 1];
    source->opening_is_whole = progress[i + 3] != 0;
    for (std::uint64_t n = 0; n < progress[i + 2]; ++n) {
      if (record == lengths.size())
        return failure(ErrorCode::kCorrupt, "sources.opening_lengths is shorter than sources.progress says");
      GLIMPSE_TRY_ASSIGN(auto text, opening_texts.take(lengths[record++]));
      source->opening.push_back(std::move(text));
    }
    source->opening_inside = source->opening.size();
    // Checkpoints of earlier builds do not say.
    const std::uint64_t known = contents ? (*contents)[i / kNumbers * 2] : 0;
    source->contents = known != 0 ? std::optional(known) : std::nullopt;
    source->has_example = !contents || (*contents)[i / kNumbers * 2 + 1] != 0;
    if (!sources.emplace(name, std::move(source)).second)
      return failure(ErrorCode::kCorrupt, "sources.names has '{}' twice", name);
  }
  if (record != lengths.size())
    return failure(ErrorCode::kCorrupt, "sources.opening_lengths is longer than sources.progress says");
  GLIMPSE_TRY(name_texts.at_end());
  GLIMPSE_TRY(opening_texts.at_end());
  sources_ = std::move(sources);
  return {};
}

}  // namespace glimpse
