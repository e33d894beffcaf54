#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/state.h"
#include "checkpoint/checkpoint_name.h"

namespace glimpse {

/// The checkpoints of a folder, as somebody sees them who only reads. A store may write and remove some
/// meanwhile. A name is looked at before anything is opened, and is never a path. Thread-safety: any thread,
/// as far as the FileSystem's, which must outlive it.
class CheckpointFolder {
 public:
  CheckpointFolder(FileSystem& files, std::string folder) : files_(files), folder_(std::move(folder)) {}

  /// A file that has a checkpoint's name, and is a regular one. Whether it verifies is not known.
  struct Listed {
    std::string name;
    CheckpointName parsed;
    std::uint64_t bytes = 0;
    std::int64_t modified = 0;  ///< nanoseconds since 1970

    bool operator==(const Listed&) const = default;
  };

  /// The newest first. A file that goes meanwhile is left out. Cost: opens each file.
  Result<std::vector<Listed>> list() const;

  /// One of them: by its name, or by the examples that its name says, as digits: the newest of these. Errors:
  /// kInvalidInput where `text` is neither; kNotFound where there is none; kCorrupt where it is no regular
  /// file.
  Result<Listed> find(const std::string& text) const;

  /// The state in one of that name. Errors: those of find() and of read_checkpoint().
  Result<State> load(const std::string& name, std::uint64_t most_bytes) const;

 private:
  Result<Listed> named(const std::string& name) const;
  Result<Listed> with_examples(const std::string& digits) const;

  FileSystem& files_;
  const std::string folder_;
};

}  // namespace glimpse
