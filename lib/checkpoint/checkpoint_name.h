#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace glimpse
