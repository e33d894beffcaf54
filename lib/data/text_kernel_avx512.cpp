#if defined(__x86_64__)

#include <bit>
#include <cstring>
#include <immintrin.h>

#include "data/text_kernel.h"
#include "data/text_kernel_variants.h"

#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,bmi,bmi2,popcnt"))), apply_to = function)
#else
// GCC 12 takes the parts of registers that its own intrinsics leave open for mistakes (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512vbmi2,bmi,bmi2,popcnt")
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

// The numbers 0 … 63 as bytes, of which those at the ones are brought together.
inline std::uint32_t* list_ones(std::uint64_t marks, std::size_t base, std::uint32_t* out) {
  const __m512i places = _mm512_maskz_compress_epi8(
      marks,
      _mm512_set_epi64(0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
                       0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100));
  const __m512i from = _mm512_set1_epi32(static_cast<int>(base));
  const unsigned count = count_ones(marks);
  _mm512_storeu_si512(out, _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places))));
  if (count > 16) {
    _mm512_storeu_si512(out + 16,
                        _mm512_add_epi32(from, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(places, 1))));
    // A block has no more than 32 tokens.
  }
  return out + count;
}

#include "data/text_kernel_body.inc"

// Eight names at a time: their texts are gathered, one a lane.
bool read_names(const char* begin, const std::uint32_t* begins, const std::uint32_t* name_ends,
                std::size_t count, std::uint32_t first, std::uint32_t* numbers) {
  std::uint64_t misfits = 0;
  std::size_t i = 0;
  // Before these there are no eight bytes to read.
  for (; i < count && name_ends[i] < 8; ++i) {
    numbers[i] = read_name(begin, begins[i], name_ends[i], first, misfits);
    first = numbers[i] + 1;
  }
  const __m512i zero_digits = _mm512_set1_epi64(0x3030303030303030);
  const __m512i nine = _mm512_set1_epi8(9);
  const __m512i eight = _mm512_set1_epi64(8);
  __m512i previous = _mm512_set1_epi64(std::int64_t{first} - 1);
  std::uint64_t bad = 0;
  for (; i < count; i += 8) {
    const __mmask8 lanes = count - i >= 8 ? __mmask8{0xff} : static_cast<__mmask8>((1u << (count - i)) - 1);
    const __m512i from = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, begins + i));
    const __m512i to = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, name_ends + i));
    const __m512i length = _mm512_sub_epi64(to, from);
    const __m512i text =
        _mm512_mask_i64gather_epi64(zero_digits, lanes, _mm512_sub_epi64(to, eight), begin, 1);
    // All but the last `length` bytes are cleared; in lanes that are not used, all are 0.
    const __m512i digits = _mm512_and_si512(
        _mm512_xor_si512(text, zero_digits),
        _mm512_sllv_epi64(_mm512_set1_epi64(-1), _mm512_slli_epi64(_mm512_sub_epi64(eight, length), 3)));
    // Pairs, fours, and eights of digits, the first of which are in the lowest places.
    const __m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(10 | 1 << 8));
    const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(100 | 1 << 16));
    const __m512i number =
        _mm512_add_epi64(_mm512_mul_epu32(fours, _mm512_set1_epi64(10000)), _mm512_srli_epi64(fours, 32));
    _mm256_mask_storeu_epi32(numbers + i, lanes, _mm512_cvtepi64_epi32(number));
    // Each must be above the one before it, which is in the lane below. Lengths are from 1 to 8 when they are
    // below 8 after 1 is taken away, without a sign.
    const __m512i before = _mm512_alignr_epi64(number, previous, 7);
    bad |= _mm512_mask_cmple_epi64_mask(lanes, number, before) |
           _mm512_mask_cmpge_epu64_mask(lanes, _mm512_sub_epi64(length, _mm512_set1_epi64(1)), eight) |
           _mm512_cmpgt_epu8_mask(digits, nine);
    previous = number;
  }
  return (misfits | bad) == 0;
}

// By halving until sixteen are left, which are compared at once.
void find_numbers(const std::uint32_t* numbers, std::size_t count, std::span<const Attribute> planned,
                  std::uint32_t base, std::uint32_t* found) {
  for (std::size_t i = 0; i < planned.size(); ++i) {
    const std::uint32_t number = planned[i] + base;
    std::size_t at = 0;
    std::size_t length = count;
    while (length > 16) {
      const std::size_t half = length / 2;
      at += half & -static_cast<std::size_t>(numbers[at + half] <= number);
      length -= half;
    }
    const auto lanes = static_cast<__mmask16>((1u << length) - 1);
    const auto equals = static_cast<std::uint32_t>(_mm512_mask_cmpeq_epi32_mask(
        lanes, _mm512_maskz_loadu_epi32(lanes, numbers + at), _mm512_set1_epi32(static_cast<int>(number))));
    found[i] = static_cast<std::uint32_t>(at + _tzcnt_u32(equals)) | -static_cast<std::uint32_t>(equals == 0);
  }
}

}  // namespace
}  // namespace avx512

const TextKernel kAvx512Kernel{
    "avx512",           avx512::mark_fields, avx512::locate_fields, avx512::mark_tokens,
    avx512::read_names, avx512::find_numbers};

}  // namespace glimpse

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
