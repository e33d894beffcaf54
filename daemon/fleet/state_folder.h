#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/result.h"
#include "daemon/fleet/state_chunks.h"

namespace glimpse {

/// States of partitions that are too large for messages: files in a folder that all instances of a fleet
/// see, one a state. A message of the state topic names each (StateChunks::of_file()); a file that no message
/// names is nothing. Several instances may use it at once: names differ unless the bytes are the same.
/// Thread-safety: none.
class StateFolder {
 public:
  /// `folder` is there. `topic`: of the states; files are in a folder of that name inside. `tag`: differs
  /// between processes. `most_bytes`: of a file that is read. `files` must outlive this.
  StateFolder(FileSystem& files, const std::string& folder, const std::string& topic, std::string tag,
              std::uint64_t most_bytes)
      : files_(files), folder_(folder + '/' + topic), tag_(std::move(tag)), most_bytes_(most_bytes) {}

  /// Makes the folder of the topic. Errors: kNotFound where the folder around it is not there, as when what
  /// is to be mounted there is not; kSystem.
  Status open();

  /// "3-17-0123456789abcdef.safetensors": partition, sequence, checksum.
  static std::string name_of(std::uint32_t partition, const StateVersion& version);

  /// Writes the state whole; on return it survives a power failure under its name. Errors: kSystem; then
  /// nothing has that name, or what had it before. Cost: that of a checkpoint.
  Status write(std::uint32_t partition, const StateVersion& version, std::string_view bytes);

  /// The bytes of a state that a message calls `name`, verified. Errors (kCorrupt): the name is not that of
  /// this version; the file cannot be read, has another size, or another checksum; kNotFound, it is missing;
  /// kTooLarge.
  Result<std::string> read(std::uint32_t partition, const StateVersion& version, std::string_view name);

  /// Removes the files of the partition's states before `sequence`, also those that were not written to
  /// their end. Those from it on stay, also where their transaction failed: an instance that stood still for
  /// a while must not remove what others wrote since. Errors: kSystem. Cost: the folder is listed.
  Status remove_before(std::uint32_t partition, std::uint64_t sequence);

  const std::string& path() const { return folder_; }

 private:
  FileSystem& files_;
  const std::string folder_;
  const std::string tag_;
  const std::uint64_t most_bytes_;
};

}  // namespace glimpse
