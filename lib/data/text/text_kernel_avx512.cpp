#if defined(__x86_64__)

#include <bit>
#include <cstddef>
#include <cstring>
#include <immintrin.h>
#include <limits>

#include "data/text/short_decimal.h"
#include "data/text/text_kernel.h"
#include "data/text/text_kernel_select.h"

#if defined(__clang__)
#pragma clang attribute push(                                                                       \
    __attribute__((                                                                                 \
        target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi2,bmi,bmi2,popcnt,pclmul"))), \
    apply_to = function)
#else
// GCC 12 takes the parts of registers that its own intrinsics leave open for mistakes (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi2,bmi,bmi2,popcnt,pclmul")
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

inline std::uint64_t less(Bytes bytes, char c) { return _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(c)); }

inline std::uint64_t equal_any(Bytes bytes, char a, char b, char c) {
  return equal(bytes, a) | equal(bytes, b) | equal(bytes, c);
}

// The carryless product with all ones.
inline std::uint64_t prefix_xor(std::uint64_t marks) {
  const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(marks)),
                                               _mm_set1_epi8(static_cast<char>(0xff)), 0);
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
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

#include "data/text/text_kernel_body.inc"
//
#include "data/text/text_kernel_json.inc"

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

inline __m512i all(long long word) { return _mm512_set1_epi64(word); }

// The number of eight digits, the first of which is in the lowest byte.
inline __m512i eight_digits(__m512i digits) {
  const __m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(10 | 1 << 8));
  const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(100 | 1 << 16));
  return _mm512_add_epi64(_mm512_mul_epu32(fours, all(10000)), _mm512_srli_epi64(fours, 32));
}

// A word of each of eight texts, and where its first point is.
struct Words {
  __m512i text;
  __m512i point;  // bit 7 of its byte
  __mmask8 has_point;
};

inline Words find_point(__m512i text) {
  const __m512i points = _mm512_maskz_mov_epi8(_mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('.' ^ '0')),
                                               _mm512_set1_epi8(static_cast<char>(0x80)));
  const __m512i point = _mm512_and_si512(points, _mm512_sub_epi64(_mm512_setzero_si512(), points));
  return {text, point, _mm512_test_epi64_mask(point, point)};
}

// Without the point: the bytes up to it move up by one; all bytes do in lanes of `behind`, which have it
// behind.
inline __m512i without_point(const Words& words, __m512i before, __mmask8 behind) {
  const __m512i up_to = _mm512_xor_si512(words.point, _mm512_sub_epi64(words.point, all(1)));
  const __m512i moved = _mm512_shldi_epi64(words.text, before, 8);
  __m512i result = words.text;
  // Bit by bit: up_to ? moved : text.
  result = _mm512_mask_ternarylogic_epi64(result, words.has_point, moved, up_to, 0xd8);
  return _mm512_mask_mov_epi64(result, behind, moved);
}

// How many bytes of its word are behind the point, and 0 where there is none.
inline __m512i behind_point(const Words& words) {
  return _mm512_maskz_srli_epi64(words.has_point, _mm512_lzcnt_epi64(words.point), 3);
}

inline __mmask8 other_than_digits(__m512i text) {
  return _mm512_test_epi64_mask(_mm512_or_si512(_mm512_add_epi64(text, all(0x7676767676767676)), text),
                                all(static_cast<long long>(0x8080808080808080)));
}

// As divide() in short_decimal.cpp does: `fine` are the lanes where 64 bits of the quotient are enough.
inline __m512d divide(__m512i w, __m512i k, __mmask8& fine) {
  const __m512i zeros = _mm512_lzcnt_epi64(w);
  const __m512i u = _mm512_sllv_epi64(w, zeros);
  const __m512i v = _mm512_i64gather_epi64(k, kDecimalReciprocals.values.data(), 8);
  // The product of 128 bits, from four of 64.
  const __m512i low_half = all(0xffffffff);
  const __m512i u_high = _mm512_srli_epi64(u, 32);
  const __m512i v_high = _mm512_srli_epi64(v, 32);
  const __m512i ll = _mm512_mul_epu32(u, v);
  const __m512i lh = _mm512_mul_epu32(u, v_high);
  const __m512i hl = _mm512_mul_epu32(u_high, v);
  const __m512i middle =
      _mm512_add_epi64(_mm512_srli_epi64(ll, 32),
                       _mm512_add_epi64(_mm512_and_si512(lh, low_half), _mm512_and_si512(hl, low_half)));
  const __m512i high =
      _mm512_add_epi64(_mm512_add_epi64(_mm512_mul_epu32(u_high, v_high), _mm512_srli_epi64(middle, 32)),
                       _mm512_add_epi64(_mm512_srli_epi64(lh, 32), _mm512_srli_epi64(hl, 32)));
  const __m512i low = _mm512_or_si512(_mm512_slli_epi64(middle, 32), _mm512_and_si512(ll, low_half));

  const __m512i one_less = _mm512_xor_si512(_mm512_srli_epi64(high, 63), all(1));
  const __m512i top = _mm512_shldv_epi64(high, low, one_less);
  const __m512i above_half = _mm512_and_si512(_mm512_add_epi64(top, all(1 << 10)), all((1 << 11) - 1));
  fine = _mm512_cmple_epu64_mask(_mm512_sub_epi64(above_half, all(1)), all((1 << 11) - 5));
  const __m512i rounded =
      _mm512_add_epi64(_mm512_srli_epi64(top, 11), _mm512_and_si512(_mm512_srli_epi64(top, 10), all(1)));
  const __m512i shift = _mm512_i64gather_epi64(k, kDecimalReciprocals.shifts.data(), 8);
  const __m512i exponent =
      _mm512_sub_epi64(all(1023 + 64 + 11), _mm512_add_epi64(_mm512_add_epi64(one_less, zeros), shift));
  return _mm512_mul_pd(_mm512_cvtepu64_pd(rounded), _mm512_castsi512_pd(_mm512_slli_epi64(exponent, 52)));
}

// Eight numbers. Of each, the last eight bytes are in `a`, the eight before in `b`, the eight before in `c`:
// less '0', and 0 where the sign and what is before the number stood.
struct NumberBytes {
  __m512i a;
  __m512i b;
  __m512i c;       // 0 unless the number has more than 16 bytes
  __m512i length;  // bytes without sign
  __mmask8 fine;   // read by this kernel so far
  __mmask8 is_long;
  __mmask8 is_negative;
};

// Eight numbers w/10^k. What is not `fine` has no meaning.
struct Decimals {
  __m512i w;
  __m512i k;
  __mmask8 fine;
};

// `lanes` are those of the `left` places.
NumberBytes load_numbers(const char* begin, const Place* places, std::size_t left, __mmask8 lanes) {
  const __m512i zero_digits = all(0x3030303030303030);
  const __m512i eight = all(8);
  // Pairs of begin and end, of which two registers hold eight.
  const auto words = static_cast<std::uint32_t>(left >= 8 ? 0xffff : (1u << (2 * left)) - 1);
  const __m512i first_four = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(words), places);
  const __m512i other_four = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(words >> 8), places + 4);
  const __m512i from =
      _mm512_permutex2var_epi64(first_four, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), other_four);
  const __m512i to =
      _mm512_permutex2var_epi64(first_four, _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1), other_four);
  NumberBytes n;
  n.length = _mm512_sub_epi64(to, from);
  n.fine = _mm512_mask_cmpge_epu64_mask(lanes, to, all(24)) & _mm512_cmple_epu64_mask(n.length, all(21)) &
           _mm512_test_epi64_mask(n.length, n.length);

  n.a = _mm512_xor_si512(
      zero_digits, _mm512_mask_i64gather_epi64(zero_digits, n.fine, _mm512_sub_epi64(to, eight), begin, 1));
  n.b = _mm512_xor_si512(
      zero_digits, _mm512_mask_i64gather_epi64(zero_digits, n.fine, _mm512_sub_epi64(to, all(16)), begin, 1));
  n.c = _mm512_setzero_si512();
  n.is_long = _mm512_mask_cmpgt_epu64_mask(n.fine, n.length, all(16));
  if (n.is_long != 0)
    n.c = _mm512_xor_si512(zero_digits, _mm512_mask_i64gather_epi64(zero_digits, n.is_long,
                                                                    _mm512_sub_epi64(to, all(24)), begin, 1));

  // The first byte, which may be a sign, is in the lowest place after a shift.
  const __m512i bits = _mm512_slli_epi64(n.length, 3);
  const __mmask8 is_short = _mm512_cmple_epu64_mask(n.length, eight);
  const __m512i first_word = _mm512_mask_mov_epi64(_mm512_mask_mov_epi64(n.b, is_short, n.a), n.is_long, n.c);
  const __m512i first = _mm512_and_si512(
      _mm512_srlv_epi64(first_word,
                        _mm512_and_si512(_mm512_sub_epi64(_mm512_setzero_si512(), bits), all(63))),
      all(0xff));
  n.is_negative = _mm512_cmpeq_epi64_mask(first, all('-' ^ '0'));
  const __mmask8 has_sign = n.is_negative | _mm512_cmpeq_epi64_mask(first, all('+' ^ '0'));
  n.length = _mm512_mask_sub_epi64(n.length, has_sign, n.length, all(1));

  // What is before the number is cleared. A shift by 64 bits or more clears a word, and none is below 0.
  const __m512i ones = all(-1);
  const __m512i unused = _mm512_sub_epi64(all(64), _mm512_slli_epi64(n.length, 3));
  const __m512i none = _mm512_setzero_si512();
  n.a = _mm512_and_si512(n.a, _mm512_sllv_epi64(ones, _mm512_max_epi64(unused, none)));
  n.b = _mm512_and_si512(n.b,
                         _mm512_sllv_epi64(ones, _mm512_max_epi64(_mm512_add_epi64(unused, all(64)), none)));
  n.c = _mm512_and_si512(n.c,
                         _mm512_sllv_epi64(ones, _mm512_max_epi64(_mm512_add_epi64(unused, all(128)), none)));
  return n;
}

Decimals digits_of(const NumberBytes& n) {
  const __m512i none = _mm512_setzero_si512();
  const __m512i eight = all(8);
  const Words in_a = find_point(n.a);
  const Words in_b = find_point(n.b);
  const __m512i moved_a = without_point(in_a, n.b, 0);
  const __m512i moved_b = without_point(in_b, n.c, in_a.has_point);
  __mmask8 has_point = in_a.has_point | in_b.has_point;
  Decimals decimals;
  decimals.k = _mm512_add_epi64(behind_point(in_a),
                                _mm512_mask_add_epi64(none, in_b.has_point, behind_point(in_b), eight));
  __mmask8 bad = other_than_digits(moved_a) | other_than_digits(moved_b);
  decimals.w =
      _mm512_add_epi64(eight_digits(moved_a), _mm512_mul_epu32(eight_digits(moved_b), all(100'000'000)));
  if (n.is_long != 0) {
    const Words in_c = find_point(n.c);
    const __m512i moved_c = without_point(in_c, none, has_point);
    has_point |= in_c.has_point;
    decimals.k = _mm512_add_epi64(decimals.k,
                                  _mm512_mask_add_epi64(none, in_c.has_point, behind_point(in_c), all(16)));
    bad |= other_than_digits(moved_c);
    decimals.w =
        _mm512_add_epi64(decimals.w, _mm512_mullo_epi64(eight_digits(moved_c), all(10'000'000'000'000'000)));
  }
  const __m512i digits = _mm512_mask_sub_epi64(n.length, has_point, n.length, all(1));
  decimals.fine = n.fine & static_cast<__mmask8>(~bad) &
                  _mm512_cmple_epu64_mask(_mm512_sub_epi64(digits, all(1)), all(18));
  decimals.k = _mm512_maskz_mov_epi64(decimals.fine, decimals.k);
  return decimals;
}

// What read_short_decimal() does, for eight numbers at a time and without exponents.
void read_numbers(const char* begin, const Place* places, std::size_t count, double* values) {
  static_assert(sizeof(Place) == 16 && offsetof(Place, end) == 8);
  for (std::size_t i = 0; i < count; i += 8) {
    const std::size_t left = count - i;
    const __mmask8 lanes = left >= 8 ? __mmask8{0xff} : static_cast<__mmask8>((1u << left) - 1);
    const NumberBytes n = load_numbers(begin, places + i, left, lanes);
    Decimals d = digits_of(n);
    __m512d value =
        _mm512_div_pd(_mm512_cvtepu64_pd(d.w), _mm512_i64gather_pd(d.k, kDecimalPowers.data(), 8));
    const __mmask8 is_inexact = _mm512_mask_cmpgt_epu64_mask(d.fine, d.w, all(1LL << 53));
    if (is_inexact != 0) {
      __mmask8 decided = 0;
      value = _mm512_mask_mov_pd(value, is_inexact, divide(d.w, d.k, decided));
      d.fine &= static_cast<__mmask8>(~is_inexact | decided);
    }
    value = _mm512_castsi512_pd(_mm512_mask_xor_epi64(_mm512_castpd_si512(value), n.is_negative,
                                                      _mm512_castpd_si512(value),
                                                      all(std::numeric_limits<long long>::min())));
    value = _mm512_mask_mov_pd(_mm512_set1_pd(std::numeric_limits<double>::quiet_NaN()), d.fine, value);
    _mm512_mask_storeu_pd(values + i, lanes, value);
  }
}

}  // namespace
}  // namespace avx512

const TextKernel kAvx512Kernel{"avx512",
                               avx512::mark_fields,
                               avx512::locate_fields,
                               avx512::mark_tokens,
                               avx512::mark_members,
                               avx512::mark_elements,
                               avx512::read_names,
                               avx512::find_numbers,
                               avx512::read_numbers};

}  // namespace glimpse

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
