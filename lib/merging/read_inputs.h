#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state.h"
#include "data/table_schema.h"

namespace glimpse {

/// What the examples of a state were read from: the files with their positions, the named sources, the
/// learners that began and that were merged into it, and their checkpoints (FORMAT.md). Thread-safety: that
/// of a value type.
class ReadInputs {
 public:
  /// Errors: kCorrupt.
  static Result<ReadInputs> of(const State& state);

  /// Adds those of `other`. Errors (kMismatch): both have read of the same file or source, or have the same
  /// learner or checkpoint in them, and so some examples twice; nothing is changed then. `anyhow`: it is said
  /// to be right, and the position that is further holds.
  Status merge(const ReadInputs& other, bool anyhow);
  /// A checkpoint with this checksum is in it. The same Error where it is already.
  Status add_checkpoint(std::uint64_t checksum);

  void save(State& state) const;

  /// Names of sources, and paths of files.
  std::vector<std::string> names() const;
  const std::vector<std::uint64_t>& checkpoints() const { return checkpoints_; }

 private:
  struct File {
    std::uint64_t position = 0;
    std::uint64_t records = 0;
    std::uint64_t fingerprint = 0;
    std::optional<TableSchema> schema = std::nullopt;  // how it was read; none: not known
  };
  struct Source {
    std::uint64_t records = 0;
    std::vector<std::string> opening;
    bool opening_is_whole = false;
  };

  Status read_files(const State& state);
  Status read_sources(const State& state);

  std::vector<std::pair<std::string, File>> files_;  // in the order in which they were given
  std::map<std::string, Source> sources_;
  std::vector<std::uint64_t> checkpoints_;
  std::vector<std::uint64_t> learners_;  // its own name first; none: a state of an earlier build
};

}  // namespace glimpse
