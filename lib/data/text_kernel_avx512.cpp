#if defined(__x86_64__)

#include <bit>
#include <cstring>
#include <immintrin.h>

#include "data/text_kernel.h"
#include "data/text_kernel_variants.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,bmi,bmi2,popcnt")
#endif

namespace glimpse {
namespace avx512 {
namespace {

using Bytes = __m512i;

inline Bytes load(const char* at) { return _mm512_loadu_si512(at); }

inline Bytes load_part(const char* at, std::size_t size) {
  return _mm512_maskz_loadu_epi8((std::uint64_t{1} << size) - 1, at);
}

inline std::uint64_t equal(Bytes bytes, char c) { return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(c)); }

inline std::uint64_t equal_any(Bytes bytes, char a, char b, char c) {
  return equal(bytes, a) | equal(bytes, b) | equal(bytes, c);
}

inline unsigned count_ones(std::uint64_t marks) { return static_cast<unsigned>(std::popcount(marks)); }

// The n-th bit of the operand goes to the place of the n-th 1 of the mask.
inline unsigned select_one(std::uint64_t marks, unsigned n) {
  return static_cast<unsigned>(std::countr_zero(_pdep_u64(std::uint64_t{1} << n, marks)));
}

#include "data/text_kernel_body.inc"

}  // namespace
}  // namespace avx512

const TextKernel kAvx512Kernel{"avx512", avx512::mark_fields, avx512::locate_fields, avx512::mark_tokens,
                               avx512::find_planned};

}  // namespace glimpse

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
