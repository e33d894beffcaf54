#include "daemon/fleet/state_folder.h"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <xxhash.h>

namespace glimpse {

namespace {

constexpr const char* kEnding = ".safetensors";

// What a file's name begins with: its partition and sequence. None: it is no file of a state.
struct Owner {
  std::uint64_t partition = 0;
  std::uint64_t sequence = 0;
};

std::optional<Owner> owner_of(std::string_view name) {
  if (name.starts_with('.')) name.remove_prefix(1);  // one that is being written, or never was to its end
  Owner owner;
  for (std::uint64_t* const number : {&owner.partition, &owner.sequence}) {
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), *number);
    if (error != std::errc() || end == name.data() + name.size() || *end != '-') return std::nullopt;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()) + 1);
  }
  return owner;
}

Error unusable(std::uint32_t partition, const StateVersion& version, const std::string& path,
               std::string_view why) {
  return failure(ErrorCode::kCorrupt, "state {} of partition {}, in {}: {}", version.sequence, partition,
                 path, why);
}

}  // namespace

Status StateFolder::open() {
  const std::string around = std::filesystem::path(folder_).parent_path().string();
  if (const auto names = files_.list(around); !names)
    return failure(names.error().code, "{}: make it, or mount what all instances share",
                   names.error().message);
  return files_.create_directories(folder_);
}

std::string StateFolder::name_of(std::uint32_t partition, const StateVersion& version) {
  return fmt::format("{}-{}-{:016x}{}", partition, version.sequence, version.checksum, kEnding);
}

Status StateFolder::write(std::uint32_t partition, const StateVersion& version, std::string_view bytes) {
  const std::string name = name_of(partition, version);
  // Two owners, of which one does not know yet that it is none, may write the same state at once.
  const std::string temporary = fmt::format("{}/.{}.{}.tmp", folder_, name, tag_);
  Status status;
  {
    GLIMPSE_TRY_ASSIGN(auto file, files_.create(temporary));
    status = file->append(std::as_bytes(std::span(bytes)));
    if (status) status = file->sync();
  }
  if (status) status = files_.rename(temporary, folder_ + '/' + name);
  if (!status) {
    (void)files_.remove(temporary);
    return status;
  }
  return files_.sync_directory(folder_);
}

Result<std::string> StateFolder::read(std::uint32_t partition, const StateVersion& version,
                                      std::string_view name) {
  const std::string expected = name_of(partition, version);
  const std::string path = folder_ + '/' + expected;
  if (name != expected)
    return unusable(partition, version, path, "the message of that state names another file");
  const auto file = files_.open(path, Links::kRefused);
  if (!file) {
    Error error = unusable(partition, version, path, file.error().message);
    if (file.error().code == ErrorCode::kNotFound) error.code = ErrorCode::kNotFound;
    return error;
  }
  if ((*file)->size() != version.bytes)
    return unusable(partition, version, path,
                    fmt::format("has {} bytes, and the state {}", (*file)->size(), version.bytes));
  if (version.bytes > most_bytes_)
    return failure(ErrorCode::kTooLarge,
                   "state {} of partition {}, in {}: has {} bytes, more than this machine's memory ({})",
                   version.sequence, partition, path, version.bytes, most_bytes_);
  std::string bytes(version.bytes, '\0');
  if (const Status status = (*file)->read(0, std::as_writable_bytes(std::span(bytes))); !status)
    return unusable(partition, version, path, status.error().message);
  if (XXH3_64bits(bytes.data(), bytes.size()) != version.checksum)
    return unusable(partition, version, path, "its checksum is not the state's");
  return bytes;
}

Status StateFolder::remove_before(std::uint32_t partition, std::uint64_t sequence) {
  GLIMPSE_TRY_ASSIGN(const auto names, files_.list(folder_));
  Status first;
  for (const std::string& name : names) {
    const auto owner = owner_of(name);
    if (!owner || owner->partition != partition || owner->sequence >= sequence) continue;
    const Status removed = files_.remove(folder_ + '/' + name);
    if (!removed && removed.error().code != ErrorCode::kNotFound && first) first = removed;
  }
  return first;
}

}  // namespace glimpse
