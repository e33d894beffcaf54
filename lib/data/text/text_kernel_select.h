#pragma once

#include <bit>
#include <cstdint>

#include "data/text/text_kernel.h"

namespace glimpse {

// One object for each kind of processor, in files of their own. text_kernels() knows which of them run here.

extern const TextKernel kPortableKernel;

#if defined(__x86_64__)
extern const TextKernel kAvx2Kernel;
extern const TextKernel kAvx512Kernel;
#endif

#if defined(__aarch64__)
extern const TextKernel kNeonKernel;
#endif

/// The place of the n-th 1 of `marks`, counted from 0, without an instruction for it. REQUIRES: there is one.
/// Additions in the bytes of a word find the byte (S. Vigna, "Broadword implementation of rank/select
/// queries", 2008), and a step per 1 before it the bit in it.
inline unsigned select_one_by_words(std::uint64_t marks, unsigned n) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  std::uint64_t counts = marks - ((marks >> 1) & 0x5555555555555555);
  counts = (counts & 0x3333333333333333) + ((counts >> 2) & 0x3333333333333333);
  counts = ((counts + (counts >> 4)) & 0x0f0f0f0f0f0f0f0f) * kOnes;  // in each byte: ones up to its end
  // Bit 7 of the bytes up to whose end there are no more than n; their number is the byte looked for.
  const std::uint64_t before = ((n * kOnes | 0x8080808080808080) - counts) & 0x8080808080808080;
  const auto shift = static_cast<unsigned>(((before >> 7) * kOnes) >> 56) * 8;
  std::uint64_t rest = marks >> shift;
  for (n -= static_cast<unsigned>((counts << 8 >> shift) & 0xff); n > 0; --n) rest &= rest - 1;
  return shift + static_cast<unsigned>(std::countr_zero(rest));
}

}  // namespace glimpse
