#include "checkpoint/checkpoint_store.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_folder.h"

namespace glimpse {
namespace {

constexpr std::string_view kTemporarySuffix = ".tmp";

std::string temporary_name(const std::string& name) { return "." + name + std::string(kTemporarySuffix); }

bool is_left_over(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kTemporarySuffix)) return false;
  name.remove_prefix(1);
  name.remove_suffix(kTemporarySuffix.size());
  return parse_checkpoint_name(name).has_value();
}

}  // namespace

CheckpointStore::CheckpointStore(FileSystem& files, std::string folder, std::size_t keep)
    : files_(files), folder_(std::move(folder)), keep_(std::max<std::size_t>(keep, 1)) {}

std::string CheckpointStore::path_of(const std::string& name) const { return folder_ + "/" + name; }

Result<std::vector<CheckpointStore::Entry>> CheckpointStore::survey() {
  GLIMPSE_TRY(files_.create_directories(folder_));
  GLIMPSE_TRY_ASSIGN(auto names, files_.list(folder_));

  std::vector<Entry> entries;
  for (auto& name : names) {
    if (const auto parsed = parse_checkpoint_name(name)) {
      const std::uint64_t sequence = parsed->sequence;
      if (sequence <= kLastSequence) next_sequence_ = std::max(next_sequence_, sequence + 1);
      auto kind = files_.kind(path_of(name));
      if (!kind && kind.error().code == ErrorCode::kNotFound) continue;  // removed meanwhile
      if (!kind) return kind.error();
      entries.push_back({sequence, std::move(name), *kind});
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

Result<State> CheckpointStore::read(const Entry& entry) {
  if (entry.kind != FileKind::kRegular)
    return failure(ErrorCode::kCorrupt, "it is {}, not a regular file", describe(entry.kind));
  if (entry.sequence > kLastSequence)
    return failure(ErrorCode::kCorrupt, "its number is above {}, the last that a checkpoint has",
                   kLastSequence);
  GLIMPSE_TRY_ASSIGN(const auto file, files_.open(path_of(entry.name), Links::kRefused));
  return read_checkpoint(*file, most_bytes_);
}

Status CheckpointStore::write(const std::string& path, const State& state) {
  GLIMPSE_TRY_ASSIGN(auto file, files_.create(path));
  GLIMPSE_TRY(write_checkpoint(*file, state));
  return file->sync();
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
  GLIMPSE_TRY_ASSIGN(const auto older, survey());
  if (next_sequence_ > kLastSequence)
    return failure(
        ErrorCode::kSystem,
        "{} holds a checkpoint numbered {}, and no number is above it; remove it if no daemon made it",
        folder_, kLastSequence);
  // The number is spent even when saving fails: the name might have reached the disk all the same.
  Saved saved{CheckpointName{next_sequence_++, examples}.text(), {}};
  GLIMPSE_TRY(publish(saved.name, state));
  saved.warnings = rotate(older);
  return saved;
}

std::vector<std::string> CheckpointStore::rotate(const std::vector<Entry>& older) {
  std::vector<std::string> warnings;
  std::size_t kept = 1;
  for (const Entry& entry : older) {
    // What no store wrote neither counts nor is removed: the next start sets it aside.
    if (!entry.is_sound() || kept++ < keep_) continue;
    if (auto removed = files_.remove(path_of(entry.name)); !removed)
      warnings.push_back(removed.error().message);
  }
  return warnings;
}

Result<State> CheckpointStore::load(const std::string& path) {
  GLIMPSE_TRY_ASSIGN(const auto file, files_.open(path, Links::kFollowed));
  auto state = read_checkpoint(*file, most_bytes_);
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

Result<CheckpointStore::Restored> CheckpointStore::restore_newest(const Trial& trial) {
  GLIMPSE_TRY_ASSIGN(const auto entries, survey());

  Restored restored;
  struct Bad {
    std::string name;
    std::string reason;
    bool verifies;
  };
  std::vector<Bad> bad;
  bool one_verifies = false;
  std::uint64_t newest = 0;
  for (const Entry& entry : entries) {
    auto state = read(entry);
    Status usable = state && trial ? trial(*state) : Status();
    if (state && usable) {
      restored.state = std::move(*state);
      restored.name = entry.name;
      newest = entry.sequence;
      break;
    }
    const Error& error = state ? usable.error() : state.error();
    if (error.code != ErrorCode::kCorrupt)
      return failure(error.code, "{}: {}", path_of(entry.name), error.message);
    bad.push_back({entry.name, error.message, state.has_value()});
    one_verifies = one_verifies || state.has_value();
  }

  if (!restored.state && !bad.empty()) {
    std::string reasons;
    for (const auto& [name, reason, verifies] : bad)
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", name, reason);
    return failure(ErrorCode::kCorrupt,
                   "no checkpoint in {} {} ({}); to start without them use --restore never", folder_,
                   one_verifies ? "verifies and can be restored" : "verifies", reasons);
  }
  // Only now, when there is something to go on with: else a second start would find an empty folder and begin
  // from nothing.
  for (const auto& [name, reason, verifies] : bad)
    (verifies ? restored.not_restored : restored.set_aside).push_back(set_aside(name, reason));
  // The numbers of those set aside are free again; where one is still there the next survey counts it.
  next_sequence_ = newest + 1;
  // A killed process may have left the newest name visible and not yet durable; what is built on it must not
  // lose it.
  if (auto synced = files_.sync_directory(folder_); !synced)
    restored.warnings.push_back(synced.error().message);
  return restored;
}

}  // namespace glimpse
