#include "daemon/feeds/input_progress.h"

#include <algorithm>
#include <utility>
#include <xxhash.h>

namespace glimpse {

void Fingerprint::add(std::string_view bytes) {
  head_ += bytes.substr(0, kBytes - head_.size());
  tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), kBytes));
  tail_.erase(0, tail_.size() - std::min(tail_.size(), kBytes));
}

std::uint64_t Fingerprint::value() const {
  const std::string both = head_ + tail_;
  return std::max<std::uint64_t>(XXH3_64bits(both.data(), both.size()), 1);
}

void InputProgress::open(const std::shared_ptr<Feed>& feed) {
  const auto known = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.name == feed->addressable_name; });
  if (known == entries_.end()) {
    entries_.push_back({feed->addressable_name, 0, 0, 0, feed, {}, {}, std::nullopt});
    return;
  }
  feed->position = known->position;
  feed->records = feed->records_before = known->records;
  feed->known_fingerprint = known->fingerprint;
  feed->first_question = known->first_question;
  feed->schema = known->schema;
  feed->beginning = known->beginning;
  feed->is_begun = known->position > 0;
  known->feed = feed;
}

std::vector<InputProgress::Reached> InputProgress::reached() const {
  std::vector<Reached> all;
  for (const Entry& entry : entries_) all.push_back({entry.name, entry.position, entry.fingerprint});
  return all;
}

std::optional<TableSchema> InputProgress::schema_of(const std::string& addressable_name) const {
  const auto known = std::ranges::find(entries_, addressable_name, &Entry::name);
  return known != entries_.end() && known->position > 0 ? known->schema : std::nullopt;
}

void InputProgress::close(const std::string& addressable_name) {
  for (Entry& entry : entries_)
    if (entry.name == addressable_name) entry.feed = nullptr;
}

void InputProgress::rename(const std::map<std::string, std::string>& names) {
  std::erase_if(entries_, [&](const Entry& entry) {
    return !names.contains(entry.name) &&
           std::ranges::any_of(names, [&](const auto& each) { return each.second == entry.name; });
  });
  for (Entry& entry : entries_)
    if (const auto found = names.find(entry.name); found != names.end()) entry.name = found->second;
}

std::size_t InputProgress::count_of(std::string_view beginning) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [&](const Entry& entry) { return entry.name.starts_with(beginning); }));
}

void InputProgress::add_unknown(const InputProgress& other) {
  for (const Entry& entry : other.entries_)
    if (std::ranges::find(entries_, entry.name, &Entry::name) == entries_.end()) entries_.push_back(entry);
}

void InputProgress::save(State& state, const TableSchema& schema,
                         const std::function<std::uint64_t(const Feed&)>& fingerprint) const {
  // Paths are bytes, not necessarily UTF-8, so they are kept as an array and not as a text.
  std::size_t characters = 0;
  for (const Entry& p : entries_) characters += p.name.size();
  const auto names = state.put<std::uint8_t>("inputs.names", characters);
  const auto numbers = state.put<std::uint64_t>("inputs.progress", entries_.size() * 3);
  const auto fingerprints = state.put<std::uint64_t>("inputs.fingerprints", entries_.size());
  const auto questions = state.put<std::uint64_t>("inputs.questions", entries_.size() * 2);
  const auto beginnings = state.put<std::uint64_t>("inputs.beginnings", entries_.size() * 2);
  std::string schemas;  // of each the entries of describe(), none where it is as `schema`, and a NUL
  std::size_t at = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& p = entries_[i];
    if (auto read = p.feed ? p.feed->schema : p.schema) {
      read->labels = schema.labels;
      if (*read != schema) schemas += read->describe();
    }
    schemas.push_back('\0');
    std::copy(p.name.begin(), p.name.end(), names.begin() + static_cast<std::ptrdiff_t>(at));
    at += p.name.size();
    numbers[3 * i] = p.name.size();
    const RecordPlace& question = p.feed ? p.feed->first_question : p.first_question;
    questions[2 * i] = question.position;
    questions[2 * i + 1] = question.records;
    numbers[3 * i + 1] = numbers[3 * i + 2] = fingerprints[i] = 0;
    beginnings[2 * i] = beginnings[2 * i + 1] = 0;
    if (p.feed && !p.feed->in_messages && !p.feed->is_begun) continue;
    numbers[3 * i + 1] = p.feed ? p.feed->position : p.position;
    numbers[3 * i + 2] = !p.feed ? p.records : p.feed->in_messages ? p.feed->records_before : p.feed->records;
    fingerprints[i] = p.feed ? fingerprint(*p.feed) : p.fingerprint;
    const InputBeginning& beginning = p.feed ? p.feed->beginning : p.beginning;
    beginnings[2 * i] = beginning.bytes;
    beginnings[2 * i + 1] = beginning.hash;
  }
  std::ranges::copy(schemas, state.put<std::uint8_t>("inputs.schemas", schemas.size()).begin());
}

Status InputProgress::restore(const State& state) {
  GLIMPSE_TRY_ASSIGN(const auto names, state.get<std::uint8_t>("inputs.names"));
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<std::uint64_t>("inputs.progress"));
  if (numbers.size() % 3 != 0)
    return failure(ErrorCode::kCorrupt, "inputs.progress is not 3 numbers for each input");
  // Checkpoints of the first builds have none.
  const auto fingerprints = state.get<std::uint64_t>("inputs.fingerprints", numbers.size() / 3);
  if (!fingerprints && state.find("inputs.fingerprints") != nullptr) return fingerprints.error();
  GLIMPSE_TRY_ASSIGN(const auto schemas, TableSchema::of_inputs(state, numbers.size() / 3));
  const auto questions = state.get<std::uint64_t>("inputs.questions", numbers.size() / 3 * 2);
  if (!questions && state.find("inputs.questions") != nullptr) return questions.error();
  const auto beginnings = state.get<std::uint64_t>("inputs.beginnings", numbers.size() / 3 * 2);
  if (!beginnings && state.find("inputs.beginnings") != nullptr) return beginnings.error();
  std::vector<Entry> entries;
  std::size_t at = 0;
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    const std::uint64_t length = numbers[i];
    if (length > names.size() - at)
      return failure(ErrorCode::kCorrupt, "inputs.names is shorter than inputs.progress says");
    const auto first = names.begin() + static_cast<std::ptrdiff_t>(at);
    entries.push_back({std::string(first, first + static_cast<std::ptrdiff_t>(length)), numbers[i + 1],
                       numbers[i + 2], fingerprints ? (*fingerprints)[i / 3] : 0, nullptr, RecordPlace{0, 0},
                       InputBeginning(),
                       std::nullopt});  // where it is not known, any record may be a question
    if (questions) entries.back().first_question = {(*questions)[i / 3 * 2], (*questions)[i / 3 * 2 + 1]};
    if (beginnings) entries.back().beginning = {(*beginnings)[i / 3 * 2], (*beginnings)[i / 3 * 2 + 1]};
    if (entries.back().beginning.bytes > entries.back().position)
      return failure(ErrorCode::kCorrupt, "inputs.beginnings: {} bytes of an input were read, not {}",
                     entries.back().position, entries.back().beginning.bytes);
    if (i / 3 < schemas.size()) entries.back().schema = schemas[i / 3];
    at += length;
  }
  if (at != names.size())
    return failure(ErrorCode::kCorrupt, "inputs.names is longer than inputs.progress says");
  entries_ = std::move(entries);
  return {};
}

}  // namespace glimpse
