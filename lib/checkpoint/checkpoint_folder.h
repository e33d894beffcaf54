#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// The name of a checkpoint: checkpoint-<sequence>-<examples>.safetensors, the sequence with at least 12
/// digits. No two names have the same sequence.
struct CheckpointName {
  std::uint64_t sequence = 0;  ///< kBeyond: a larger one than any checkpoint has
  std::uint64_t examples = 0;  ///< what the name says, for people

  static constexpr std::uint64_t kBeyond = ~std::uint64_t{0};

  std::string text() const;
  bool operator==(const CheckpointName&) const = default;
};

/// What a name says; nothing for one that has not this form, or has a sequence with too many leading zeros.
/// Such a name is that of a file in a folder, and never a path. Pure.
std::optional<CheckpointName> parse_checkpoint_name(std::string_view name);

/// The largest sequence of a checkpoint. Counting on from a larger one would come to the end of the numbers.
/// A thousand checkpoints a second take 31 million years to get there.
inline constexpr std::uint64_t kLastCheckpointSequence = 1'000'000'000'000'000'000;

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
