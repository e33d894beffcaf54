#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/state.h"

namespace glimpse {

/// Which checkpoint's model took the place of the one that was learned last, where one did (POST
/// /v1/promote). Kept in checkpoints. Thread-safety: none; the trainer's thread.
struct Promotion {
  std::uint64_t count = 0;              ///< how often one did
  std::string checkpoint;               ///< the last of them
  std::uint64_t examples = 0;           ///< that it had learned from
  std::uint64_t replaced_examples = 0;  ///< that the model which it replaced had learned from

  bool is_any() const { return count > 0; }

  void save(State& state) const;
  /// Where there was none the state may have nothing. Errors: kCorrupt.
  Status restore(const State& state);
};

}  // namespace glimpse
