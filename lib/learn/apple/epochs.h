#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace glimpse {

/// When apple makes new parents: where the number n of examples is known, behind n/6, 2n/6, … 5n/6 of them
/// (ABHLT14 §3.1), rounded down; elsewhere behind each power of two from kFirstEpoch on.
inline constexpr std::uint64_t kEpochs = 6;
inline constexpr std::uint64_t kFirstEpoch = 256;

inline bool ends_epoch(std::uint64_t examples, const std::optional<std::uint64_t>& horizon) {
  if (!horizon) return examples >= kFirstEpoch && std::has_single_bit(examples);
  if (examples == 0 || examples >= *horizon) return false;
  // The k for which ⌊k·n/6⌋ is `examples`, of a horizon of more than six; k·n may be more than a number
  // holds.
  const std::uint64_t whole = *horizon / kEpochs;
  const std::uint64_t rest = *horizon % kEpochs;
  for (std::uint64_t k = 1; k < kEpochs; ++k)
    if (k * whole + k * rest / kEpochs == examples) return true;
  return false;
}

}  // namespace glimpse
