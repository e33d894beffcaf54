#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/state.h"
#include "checkpoint/checkpoint_folder.h"

namespace glimpse {

/// The checkpoints of one daemon in one folder: written atomically, the last few kept, the newest sound one
/// restored.
///
/// Names are checkpoint-<sequence>-<examples>.safetensors; the sequence (at least 12 digits) grows with every
/// attempt to save, and it alone says which is newest. While one is being written it is called .<name>.tmp;
/// one that did not verify or could not be restored is <name>.bad and is never read or deleted again. Other
/// files in the folder are left alone. Only regular files are opened: a FIFO, a device, a folder or a link
/// under a checkpoint's name is set aside like a bad checkpoint, and so is a name whose number is above
/// kLastSequence.
///
/// The folder belongs to one store at a time. Thread-safety: none; one thread saves. The FileSystem must
/// outlive it.
class CheckpointStore {
 public:
  /// The largest sequence. Numbers above it are nobody's.
  static constexpr std::uint64_t kLastSequence = kLastCheckpointSequence;

  /// Whether a daemon can go on from a state. An Error of code kCorrupt: it cannot, and an older one may be
  /// taken; of any other: nothing is wrong with the state, and nothing is taken in its place.
  using Trial = std::function<Status(const State&)>;

  /// `keep`: how many of the newest checkpoints stay, at least 1 (0 is taken as 1). Nothing is touched before
  /// the first call.
  CheckpointStore(FileSystem& files, std::string folder, std::size_t keep);

  /// Larger files are refused by their size, and not read (kTooLarge).
  void set_most_bytes(std::uint64_t bytes) { most_bytes_ = bytes; }

  const std::string& folder() const { return folder_; }

  /// A checkpoint that save() wrote.
  struct Saved {
    /// Inside the folder.
    std::string name;
    /// What failed after it was durable: older files that could not be removed.
    std::vector<std::string> warnings;
  };

  /// Writes `state` and returns when it is durable: from then on restore_newest() finds it, or a later one,
  /// whatever crashes. `examples` only goes into the name, for people.
  /// Errors: those of write_checkpoint and of the file system (kSystem), also when the
  /// folder holds a checkpoint numbered kLastSequence. Previous checkpoints are then untouched, and what was
  /// written is removed where that is possible. When only the last fsync, that of the folder, failed, the new
  /// file stays and nothing is rotated, since nobody knows which of the files a crash would leave; the
  /// message says so. Cost: writing and syncing the size of the state; the folder is listed once.
  Result<Saved> save(const State& state, std::uint64_t examples);

  /// What restore_newest() found.
  struct Restored {
    /// Nothing when the folder holds no checkpoint.
    std::optional<State> state;
    /// Where it came from; empty without a state.
    std::string name;
    /// "<name>: <why it does not verify>" of those newer than it, for the log; and, apart from these, of
    /// those that verify and that the trial refused.
    std::vector<std::string> set_aside;
    std::vector<std::string> not_restored;
    /// That the folder could not be synced, so that a crash might bring an older one back.
    std::vector<std::string> warnings;
  };

  /// The newest checkpoint that verifies, and that `trial` (may be empty) accepts. Those newer than it are
  /// renamed to <name>.bad; files left over from writing are removed. Errors: kCorrupt when there are
  /// checkpoints and none can be restored: the error lists them, and none is renamed, so that the next
  /// attempt is refused as well. Other errors do not say that the newest is bad, and leave it where it is.
  /// They are kMismatch when it is sound but of another format, kTooLarge when it is larger than
  /// set_most_bytes(), kSystem when it cannot be read, and the other errors of `trial`. Cost: one file in
  /// memory, and its
  /// state; `trial` sees the state alone.
  Result<Restored> restore_newest(const Trial& trial = {});

  /// One named file, in any folder, also through a link. Errors: those of FileSystem::open and
  /// read_checkpoint(), with the path in front.
  Result<State> load(const std::string& path);

 private:
  struct Entry {
    std::uint64_t sequence;  // ~0: beyond all numbers
    std::string name;
    FileKind kind;

    bool is_sound() const { return sequence <= kLastSequence && kind == FileKind::kRegular; }
  };

  std::string path_of(const std::string& name) const;
  /// What has a checkpoint's name in the folder, newest first. Makes the folder where missing, notes the
  /// highest sequence, and removes what was left over from writing.
  Result<std::vector<Entry>> survey();
  Result<State> read(const Entry& entry);
  Status write(const std::string& path, const State& state);
  Status publish(const std::string& name, const State& state);
  /// Removes all of `older` (newest first) but the keep_ - 1 that stay beside the one just saved. Returns
  /// what failed.
  std::vector<std::string> rotate(const std::vector<Entry>& older);
  /// Gives a file that cannot be restored its other name, and says what happened.
  std::string set_aside(const std::string& name, const std::string& reason);

  FileSystem& files_;
  const std::string folder_;
  const std::size_t keep_;

  std::uint64_t next_sequence_ = 1;
  std::uint64_t most_bytes_ = ~std::uint64_t{0};
};

}  // namespace glimpse
