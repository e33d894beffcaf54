#include "merging/read_inputs.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "data/text/text.h"

namespace glimpse {

namespace {

constexpr std::size_t kNumbersAFile = 3;
constexpr std::size_t kNumbersASource = 4;

Error does_not_fit(const char* name) {
  return failure(ErrorCode::kCorrupt, "{} does not fit the lengths that are said of it", name);
}

// Texts that stand one behind the other.
class Pieces {
 public:
  explicit Pieces(std::span<const std::uint8_t> bytes)
      : rest_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}
  std::optional<std::string> take(std::uint64_t length) {
    if (length > rest_.size()) return std::nullopt;
    std::string piece(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return piece;
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

void put_bytes(State& state, const char* name, std::string_view bytes) {
  const auto room = state.put<std::uint8_t>(name, bytes.size());
  std::copy(bytes.begin(), bytes.end(), room.begin());
}

Error read_by_both(const char* what, const std::string& name) {
  return failure(ErrorCode::kMismatch, "both have learned from {} {}: merging would count its examples twice",
                 what, quoted(name));
}

}  // namespace

Result<ReadInputs> ReadInputs::of(const State& state) {
  ReadInputs inputs;
  GLIMPSE_TRY(inputs.read_files(state));
  GLIMPSE_TRY(inputs.read_sources(state));
  if (state.find("inputs.learners") != nullptr) {
    GLIMPSE_TRY_ASSIGN(const auto learners, state.get<std::uint64_t>("inputs.learners"));
    inputs.learners_.assign(learners.begin(), learners.end());
  }
  if (state.find("merged.checkpoints") == nullptr) return inputs;
  GLIMPSE_TRY_ASSIGN(const auto checkpoints, state.get<std::uint64_t>("merged.checkpoints"));
  inputs.checkpoints_.assign(checkpoints.begin(), checkpoints.end());
  return inputs;
}

Status ReadInputs::read_files(const State& state) {
  if (state.find("inputs.progress") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto progress, state.get<std::uint64_t>("inputs.progress"));
  GLIMPSE_TRY_ASSIGN(const auto names, state.get<std::uint8_t>("inputs.names"));
  const std::size_t count = progress.size() / kNumbersAFile;
  const auto fingerprints = state.get<std::uint64_t>("inputs.fingerprints", count);
  GLIMPSE_TRY_ASSIGN(const auto schemas, TableSchema::of_inputs(state, count));
  Pieces texts(names);
  for (std::size_t i = 0; i < count; ++i) {
    const auto name = texts.take(progress[kNumbersAFile * i]);
    if (!name) return does_not_fit("inputs.names");
    File file{progress[kNumbersAFile * i + 1], progress[kNumbersAFile * i + 2]};
    if (fingerprints) file.fingerprint = (*fingerprints)[i];
    if (i < schemas.size()) file.schema = schemas[i];
    files_.emplace_back(*name, std::move(file));
  }
  if (!texts.is_at_end() || progress.size() != count * kNumbersAFile) return does_not_fit("inputs.names");
  return {};
}

Status ReadInputs::read_sources(const State& state) {
  if (state.find("sources.progress") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto progress, state.get<std::uint64_t>("sources.progress"));
  GLIMPSE_TRY_ASSIGN(const auto names, state.get<std::uint8_t>("sources.names"));
  GLIMPSE_TRY_ASSIGN(const auto openings, state.get<std::uint8_t>("sources.openings"));
  GLIMPSE_TRY_ASSIGN(const auto lengths, state.get<std::uint64_t>("sources.opening_lengths"));
  Pieces texts(names);
  Pieces records(openings);
  std::size_t next = 0;
  for (std::size_t i = 0; i + kNumbersASource <= progress.size(); i += kNumbersASource) {
    const auto name = texts.take(progress[i]);
    if (!name) return does_not_fit("sources.names");
    Source source{progress[i + 1], {}, progress[i + 3] != 0};
    for (std::uint64_t n = 0; n < progress[i + 2]; ++n) {
      const auto record = next < lengths.size() ? records.take(lengths[next++]) : std::nullopt;
      if (!record) return does_not_fit("sources.openings");
      source.opening.push_back(*record);
    }
    sources_.emplace(*name, std::move(source));
  }
  return {};
}

Status ReadInputs::add_checkpoint(std::uint64_t checksum) {
  if (std::ranges::find(checkpoints_, checksum) != checkpoints_.end())
    return failure(
        ErrorCode::kMismatch,
        "the checkpoint of checksum xxh3:{:016x} is merged already: its examples would count twice",
        checksum);
  checkpoints_.push_back(checksum);
  return {};
}

Status ReadInputs::merge(const ReadInputs& other, bool anyhow) {
  ReadInputs merged = *this;
  for (const std::uint64_t checksum : other.checkpoints_)
    if (const Status status = merged.add_checkpoint(checksum); !status && !anyhow) return status;
  for (const auto& [name, source] : other.sources_) {
    const auto [known, is_new] = merged.sources_.emplace(name, source);
    if (is_new || source.records == 0) continue;
    if (known->second.records > 0 && !anyhow) return read_by_both("the source", name);
    if (source.records > known->second.records) known->second = source;
  }
  for (const auto& [name, file] : other.files_) {
    const auto known = std::ranges::find(merged.files_, name, [](const auto& entry) { return entry.first; });
    if (known == merged.files_.end()) {
      merged.files_.emplace_back(name, file);
      continue;
    }
    if (file.position == 0) continue;
    if (known->second.position > 0 && !anyhow) return read_by_both("the file", name);
    if (file.position > known->second.position) known->second = file;
  }
  for (const std::uint64_t learner : other.learners_) {
    if (std::ranges::find(merged.learners_, learner) == merged.learners_.end()) {
      merged.learners_.push_back(learner);
      continue;
    }
    if (!anyhow)
      return failure(ErrorCode::kMismatch,
                     "both have in them what learner {:016x} has learned: merging would count its examples "
                     "twice",
                     learner);
  }
  *this = std::move(merged);
  return {};
}

std::vector<std::string> ReadInputs::names() const {
  std::vector<std::string> names;
  for (const auto& [name, source] : sources_) names.push_back(name);
  for (const auto& [name, file] : files_) names.push_back(name);
  return names;
}

void ReadInputs::save(State& state) const {
  std::string names;
  std::vector<std::uint64_t> progress;
  std::vector<std::uint64_t> fingerprints;
  std::string schemas;
  bool has_schemas = true;
  for (const auto& [name, file] : files_) {
    names += name;
    for (const std::uint64_t number : {std::uint64_t{name.size()}, file.position, file.records})
      progress.push_back(number);
    fingerprints.push_back(file.fingerprint);
    has_schemas = has_schemas && file.schema;
    if (file.schema) schemas.append(file.schema->describe()).push_back('\0');
  }
  put_bytes(state, "inputs.names", names);
  state.put_copy<std::uint64_t>("inputs.progress", progress);
  state.put_copy<std::uint64_t>("inputs.fingerprints", fingerprints);
  if (has_schemas) put_bytes(state, "inputs.schemas", schemas);  // of a release that noted them
  names.clear();
  progress.clear();
  std::string openings;
  std::vector<std::uint64_t> lengths;
  for (const auto& [name, source] : sources_) {
    names += name;
    for (const std::string& record : source.opening) {
      openings += record;
      lengths.push_back(record.size());
    }
    for (const std::uint64_t number :
         {std::uint64_t{name.size()}, source.records, std::uint64_t{source.opening.size()},
          std::uint64_t{source.opening_is_whole}})
      progress.push_back(number);
  }
  put_bytes(state, "sources.names", names);
  put_bytes(state, "sources.openings", openings);
  state.put_copy<std::uint64_t>("sources.progress", progress);
  state.put_copy<std::uint64_t>("sources.opening_lengths", lengths);
  if (!learners_.empty()) state.put_copy<std::uint64_t>("inputs.learners", learners_);
  if (!checkpoints_.empty()) state.put_copy<std::uint64_t>("merged.checkpoints", checkpoints_);
}

}  // namespace glimpse
