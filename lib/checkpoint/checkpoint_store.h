#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// The checkpoints of one daemon in one folder: written atomically, the last few kept, the newest sound one
/// restored.
///
/// Names are checkpoint-<sequence>-<examples>.safetensors; the sequence (at least 12 digits) grows with every
/// attempt to save, and it alone says which is newest. While one is being written it is called .<name>.tmp;
/// one that did not verify is <name>.bad and is never read or deleted again. Other files in the folder are
/// left alone.
///
/// The folder belongs to one store at a time. Thread-safety: none; one thread saves. The FileSystem must
/// outlive it.
class CheckpointStore {
 public:
  /// `keep`: how many of the newest checkpoints stay, at least 1 (0 is taken as 1). Nothing is touched before
  /// the first call.
  CheckpointStore(FileSystem& files, std::string folder, std::size_t keep);

  struct Saved {
    /// Inside the folder.
    std::string name;
    /// What failed after it was durable: older files that could not be removed.
    std::vector<std::string> warnings;
  };

  /// Writes `state` and returns when it is durable: from then on restore_newest() finds it, or a later one,
  /// whatever crashes. `examples` only goes into the name, for people.
  /// Errors: those of write_checkpoint and of the file system (kSystem). Previous checkpoints are then
  /// untouched, and what was written is removed where that is possible. When only the last fsync, that of the
  /// folder, failed, the new file stays and nothing is rotated, since nobody knows which of the files a crash
  /// would leave; the message says so. Cost: writing and syncing the size of the state; the folder is listed
  /// once.
  Result<Saved> save(const State& state, std::uint64_t examples);

  struct Restored {
    /// Nothing when the folder holds no checkpoint.
    std::optional<State> state;
    /// Where it came from; empty without a state.
    std::string name;
    /// "<name>: <why it does not verify>" of those newer than it, for the log.
    std::vector<std::string> set_aside;
    /// That the folder could not be synced, so that a crash might bring an older one back.
    std::vector<std::string> warnings;
  };

  /// The newest checkpoint that verifies. Those newer than it are renamed to <name>.bad; files left over from
  /// writing are removed. Errors: kCorrupt when there are checkpoints and none verifies (it lists them, and
  /// renames none, so that the next attempt is refused as well); kMismatch when the newest is sound but of
  /// another format, and kSystem when it cannot be read, since neither says that it is bad. Cost: one file in
  /// memory, and its state.
  Result<Restored> restore_newest();

  /// One named file, in any folder. Errors: those of FileSystem::read and decode_checkpoint, with the path in
  /// front.
  Result<State> load(const std::string& path);

 private:
  struct Entry {
    std::uint64_t sequence;
    std::string name;
  };

  std::string path_of(const std::string& name) const;
  /// The checkpoints in the folder, newest first. Makes the folder where missing, notes the highest sequence,
  /// and removes what was left over from writing.
  Result<std::vector<Entry>> survey();
  Status write(const std::string& path, const State& state);
  Status publish(const std::string& name, const State& state);
  /// Removes all of `older` (newest first) but the keep_ - 1 that stay beside the one just saved. Returns
  /// what failed.
  std::vector<std::string> rotate(const std::vector<Entry>& older);
  /// Gives a file that does not verify its other name, and says what happened.
  std::string set_aside(const std::string& name, const std::string& reason);

  FileSystem& files_;
  const std::string folder_;
  const std::size_t keep_;

  std::uint64_t next_sequence_ = 1;
};

}  // namespace glimpse
