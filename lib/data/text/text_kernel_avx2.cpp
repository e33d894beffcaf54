#if defined(__x86_64__)

#include <bit>
#include <cstring>
#include <immintrin.h>
#include <limits>

#include "data/text/short_decimal.h"
#include "data/text/text_kernel.h"
#include "data/text/text_kernel_select.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,pclmul"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,pclmul")
#endif

namespace glimpse {
namespace avx2 {
namespace {

struct Bytes {
  __m256i low;
  __m256i high;
};

inline Bytes load(const char* at) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32))};
}

inline Bytes load_part(const char* at, std::size_t size) {
  alignas(32) char copy[64] = {};
  std::memcpy(copy, at, size);
  return load(copy);
}

inline std::uint64_t marks(__m256i low, __m256i high) {
  const auto word = static_cast<std::uint32_t>(_mm256_movemask_epi8(low));
  return word | static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32;
}

inline std::uint64_t equal(const Bytes& bytes, char c) {
  const __m256i pattern = _mm256_set1_epi8(c);
  return marks(_mm256_cmpeq_epi8(bytes.low, pattern), _mm256_cmpeq_epi8(bytes.high, pattern));
}

inline std::uint64_t less(const Bytes& bytes, char c) {
  const __m256i pattern = _mm256_set1_epi8(c);
  return marks(_mm256_cmpgt_epi8(pattern, bytes.low), _mm256_cmpgt_epi8(pattern, bytes.high));
}

inline __m256i any(__m256i bytes, char a, char b, char c) {
  return _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(a)),
                                         _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b))),
                         _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c)));
}

inline std::uint64_t equal_any(const Bytes& bytes, char a, char b, char c) {
  return marks(any(bytes.low, a, b, c), any(bytes.high, a, b, c));
}

// The carryless product with all ones.
inline std::uint64_t prefix_xor(std::uint64_t marks) {
  const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(marks)),
                                               _mm_set1_epi8(static_cast<char>(0xff)), 0);
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
}

inline unsigned count_ones(std::uint64_t marks) { return static_cast<unsigned>(std::popcount(marks)); }

// There is an instruction for this (pdep), but processors with AVX2 and no AVX-512 took up to 300 cycles for
// it until 2020 (AMD's Zen and Zen 2).
inline unsigned select_one(std::uint64_t marks, unsigned n) { return select_one_by_words(marks, n); }

inline std::uint32_t first_one(std::uint64_t marks) { return static_cast<std::uint32_t>(_tzcnt_u64(marks)); }

#include "data/text/text_kernel_list.inc"
//
#include "data/text/text_kernel_body.inc"
//
#include "data/text/text_kernel_json.inc"
//
#include "data/text/text_kernel_names.inc"
//
#include "data/text/text_kernel_numbers.inc"

}  // namespace
}  // namespace avx2

const TextKernel kAvx2Kernel{"avx2",
                             avx2::mark_fields,
                             avx2::locate_fields,
                             avx2::mark_tokens,
                             avx2::mark_members,
                             avx2::mark_elements,
                             avx2::read_names,
                             avx2::find_numbers,
                             avx2::read_numbers};

}  // namespace glimpse

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
