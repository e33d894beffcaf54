#include "checkpoint/checkpoint_store.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "checkpoint/checkpoint.h"

namespace glimpse {
namespace {

constexpr std::string_view kPrefix = "checkpoint-";
constexpr std::string_view kSuffix = ".safetensors";
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr std::size_t kSequenceDigits = 12;

std::string temporary_name(const std::string& name) { return "." + name + std::string(kTemporarySuffix); }

std::optional<std::uint64_t> number(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [stopped, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || stopped != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// The sequence of a name that this store gave; nothing for any other name.
std::optional<std::uint64_t> sequence_of(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  const std::size_t dash = name.find('-');
  if (dash == name.npos || dash < kSequenceDigits || !number(name.substr(dash + 1))) return std::nullopt;
  return number(name.substr(0, dash));
}

bool is_left_over(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kTemporarySuffix)) return false;
  name.remove_prefix(1);
  name.remove_suffix(kTemporarySuffix.size());
  return sequence_of(name).has_value();
}

}  // namespace

CheckpointStore::CheckpointStore(FileSystem& files, std::string folder, std::size_t keep)
    : files_(files), folder_(std::move(folder)), keep_(std::max<std::size_t>(keep, 1)) {}

std::string CheckpointStore::path_of(const std::string& name) const { return folder_ + "/" + name; }

Result<std::vector<CheckpointStore::Entry>> CheckpointStore::survey() {
  if (auto made = files_.create_directories(folder_); !made) return made.error();
  auto names = files_.list(folder_);
  if (!names) return names.error();

  std::vector<Entry> entries;
  for (auto& name : *names) {
    if (const auto sequence = sequence_of(name)) {
      next_sequence_ = std::max(next_sequence_, *sequence + 1);
      entries.push_back({*sequence, std::move(name)});
    } else if (is_left_over(name)) {
      // It only takes up room: that it cannot be removed is no reason to fail.
      (void)files_.remove(path_of(name));
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.sequence != b.sequence ? a.sequence > b.sequence : a.name > b.name;
  });
  return entries;
}

Status CheckpointStore::write(const std::string& path, const State& state) {
  auto file = files_.create(path);
  if (!file) return file.error();
  if (auto written = write_checkpoint(**file, state); !written) return written;
  return (*file)->sync();
}

Status CheckpointStore::publish(const std::string& name, const State& state) {
  const std::string temporary = path_of(temporary_name(name));
  auto done = write(temporary, state);
  if (done) done = files_.rename(temporary, path_of(name));
  if (!done) {
    (void)files_.remove(temporary);
    return done;
  }
  if (auto synced = files_.sync_directory(folder_); !synced)
    return failure(synced.error().code, "{} is written, but it is unknown whether it survives a crash: {}",
                   path_of(name), synced.error().message);
  return {};
}

Result<CheckpointStore::Saved> CheckpointStore::save(const State& state, std::uint64_t examples) {
  const auto older = survey();
  if (!older) return older.error();
  // The number is spent even when saving fails: the name might have reached the disk all the same.
  Saved saved{fmt::format("{}{:0{}}-{}{}", kPrefix, next_sequence_++, kSequenceDigits, examples, kSuffix),
              {}};
  if (auto published = publish(saved.name, state); !published) return published.error();
  saved.warnings = rotate(*older);
  return saved;
}

std::vector<std::string> CheckpointStore::rotate(const std::vector<Entry>& older) {
  std::vector<std::string> warnings;
  for (std::size_t i = keep_ - 1; i < older.size(); ++i)
    if (auto removed = files_.remove(path_of(older[i].name)); !removed)
      warnings.push_back(removed.error().message);
  return warnings;
}

Result<State> CheckpointStore::load(const std::string& path) {
  auto bytes = files_.read(path);
  if (!bytes) return bytes.error();
  auto state = decode_checkpoint(*bytes);
  if (!state) return failure(state.error().code, "{}: {}", path, state.error().message);
  return state;
}

std::string CheckpointStore::set_aside(const std::string& name, const std::string& reason) {
  std::string other = name + ".bad";
  // A sequence number that only bad files had is given again, so the name may be taken.
  const auto names = files_.list(folder_);
  for (int n = 2; names && std::binary_search(names->begin(), names->end(), other); ++n)
    other = fmt::format("{}.{}.bad", name, n);
  if (auto renamed = files_.rename(path_of(name), path_of(other)); !renamed)
    return fmt::format("{}: {} ({})", name, reason, renamed.error().message);
  return fmt::format("{}: {}", name, reason);
}

Result<CheckpointStore::Restored> CheckpointStore::restore_newest() {
  const auto entries = survey();
  if (!entries) return entries.error();

  Restored restored;
  std::vector<std::pair<std::string, std::string>> bad;  // name, reason
  for (const auto& [sequence, name] : *entries) {
    auto bytes = files_.read(path_of(name));
    if (!bytes) return bytes.error();
    auto state = decode_checkpoint(*bytes);
    if (state) {
      restored.state = std::move(*state);
      restored.name = name;
      break;
    }
    if (state.error().code != ErrorCode::kCorrupt)
      return failure(state.error().code, "{}: {}", path_of(name), state.error().message);
    bad.emplace_back(name, state.error().message);
  }

  if (!restored.state && !bad.empty()) {
    std::string reasons;
    for (const auto& [name, reason] : bad)
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", name, reason);
    return failure(ErrorCode::kCorrupt,
                   "no checkpoint in {} verifies ({}); to start without them use --restore never", folder_,
                   reasons);
  }
  // Only now, when there is something to go on with: else a second start would find an empty folder and begin
  // from nothing.
  for (const auto& [name, reason] : bad) restored.set_aside.push_back(set_aside(name, reason));
  // A killed process may have left the newest name visible and not yet durable; what is built on it must not
  // lose it.
  if (auto synced = files_.sync_directory(folder_); !synced)
    restored.warnings.push_back(synced.error().message);
  return restored;
}

}  // namespace glimpse
