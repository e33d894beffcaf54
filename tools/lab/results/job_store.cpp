#include "lab/results/job_store.h"

#include <cstdint>
#include <fmt/format.h>
#include <span>

namespace glimpse {

namespace {

// FNV-1a, 64 bits: the same on every machine. As the name of a file, a collision costs a repeated job, since
// keys are compared whole; as a checksum, it finds every change of a single byte.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string head_of(const std::string& key) {
  std::string head = "# ";
  for (const char c : key) {
    head += c;
    if (c == '\n') head += "# ";
  }
  return head + "\n";
}

std::string end_of(std::string_view text) { return fmt::format("# end {:016x}\n", hash_of(text)); }

std::string sealed(const std::string& key, const std::string& content) {
  const std::string text = head_of(key) + content;
  return text + end_of(text);
}

}  // namespace

Result<JobStore> JobStore::open(FileSystem& files, const std::string& folder) {
  if (!folder.empty())
    if (const Status status = files.create_directories(folder); !status) return status.error();
  return JobStore(files, folder);
}

std::string JobStore::path_of(const std::string& name, const std::string& key) const {
  return fmt::format("{}/{}-{:016x}.csv", folder_, name, hash_of(key));
}

std::optional<std::string> JobStore::find(const std::string& name, const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const auto bytes = files_->read(path_of(name, key));
  if (!bytes) return std::nullopt;
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const std::string head = head_of(key);
  const std::size_t end = end_of("").size();
  if (!text.starts_with(head) || text.size() < head.size() + end) return std::nullopt;
  const std::string_view body = text.substr(0, text.size() - end);
  if (text.substr(body.size()) != end_of(body)) return std::nullopt;
  return std::string(body.substr(head.size()));
}

Status JobStore::put(const std::string& name, const std::string& key, const std::string& content) const {
  if (folder_.empty()) return {};
  const Status status = write(path_of(name, key), sealed(key, content), true);
  return status ? files_->sync_directory(folder_) : status;
}

Status JobStore::put_unsynced(const std::string& name, const std::string& key,
                              const std::string& content) const {
  if (folder_.empty()) return {};
  return write(path_of(name, key), sealed(key, content), false);
}

Status JobStore::write(const std::string& path, const std::string& text, bool sync) const {
  {
    const auto file = files_->create(path + ".new");
    if (!file) return file.error();
    if (const Status status = (*file)->append(std::as_bytes(std::span(text))); !status) return status;
    if (sync)
      if (const Status status = (*file)->sync(); !status) return status;
  }
  return files_->rename(path + ".new", path);
}

Status JobStore::remove(const std::string& name, const std::string& key) const {
  if (folder_.empty()) return {};
  const Status status = files_->remove(path_of(name, key));
  if (!status && status.error().code == ErrorCode::kNotFound) return {};
  return status;
}

}  // namespace glimpse
