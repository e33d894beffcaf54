#if defined(__aarch64__)

#include <arm_neon.h>
#include <bit>
#include <cstring>
#include <limits>

#include "data/text/short_decimal.h"
#include "data/text/text_kernel.h"
#include "data/text/text_kernel_select.h"

namespace glimpse {
namespace neon {
namespace {

struct Bytes {
  uint8x16_t parts[4];
};

inline Bytes load(const char* at) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(at);
  return {{vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)}};
}

inline Bytes load_part(const char* at, std::size_t size) {
  alignas(16) char copy[64] = {};
  std::memcpy(copy, at, size);
  return load(copy);
}

// There is no instruction that gathers one bit of every byte: each byte keeps the bit of its place among
// eight, and three rounds of adding neighbours bring eight bytes together.
inline std::uint64_t marks(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
  constexpr std::uint8_t kPlaces[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t places = vld1q_u8(kPlaces);
  const uint8x16_t ab = vpaddq_u8(vandq_u8(a, places), vandq_u8(b, places));
  const uint8x16_t cd = vpaddq_u8(vandq_u8(c, places), vandq_u8(d, places));
  const uint8x16_t abcd = vpaddq_u8(ab, cd);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(abcd, abcd)), 0);
}

inline std::uint64_t equal(const Bytes& bytes, char c) {
  const uint8x16_t pattern = vdupq_n_u8(static_cast<std::uint8_t>(c));
  return marks(vceqq_u8(bytes.parts[0], pattern), vceqq_u8(bytes.parts[1], pattern),
               vceqq_u8(bytes.parts[2], pattern), vceqq_u8(bytes.parts[3], pattern));
}

inline std::uint64_t less(const Bytes& bytes, char c) {
  const int8x16_t pattern = vdupq_n_s8(static_cast<std::int8_t>(c));
  return marks(vcltq_s8(vreinterpretq_s8_u8(bytes.parts[0]), pattern),
               vcltq_s8(vreinterpretq_s8_u8(bytes.parts[1]), pattern),
               vcltq_s8(vreinterpretq_s8_u8(bytes.parts[2]), pattern),
               vcltq_s8(vreinterpretq_s8_u8(bytes.parts[3]), pattern));
}

inline uint8x16_t any(uint8x16_t bytes, char a, char b, char c) {
  return vorrq_u8(vorrq_u8(vceqq_u8(bytes, vdupq_n_u8(static_cast<std::uint8_t>(a))),
                           vceqq_u8(bytes, vdupq_n_u8(static_cast<std::uint8_t>(b)))),
                  vceqq_u8(bytes, vdupq_n_u8(static_cast<std::uint8_t>(c))));
}

inline std::uint64_t equal_any(const Bytes& bytes, char a, char b, char c) {
  return marks(any(bytes.parts[0], a, b, c), any(bytes.parts[1], a, b, c), any(bytes.parts[2], a, b, c),
               any(bytes.parts[3], a, b, c));
}

inline unsigned count_ones(std::uint64_t marks) { return static_cast<unsigned>(std::popcount(marks)); }
inline unsigned select_one(std::uint64_t marks, unsigned n) { return select_one_by_words(marks, n); }

inline std::uint32_t first_one(std::uint64_t marks) {
  return static_cast<std::uint32_t>(std::countr_zero(marks));  // is defined for 0 by the instruction
}

#include "data/text/text_kernel_list.inc"
//
#include "data/text/text_kernel_prefix.inc"
//
#include "data/text/text_kernel_body.inc"
//
#include "data/text/text_kernel_json.inc"
//
#include "data/text/text_kernel_names.inc"
//
#include "data/text/text_kernel_numbers.inc"

}  // namespace
}  // namespace neon

const TextKernel kNeonKernel{"neon",
                             neon::mark_fields,
                             neon::locate_fields,
                             neon::mark_tokens,
                             neon::mark_members,
                             neon::mark_elements,
                             neon::read_names,
                             neon::find_numbers,
                             neon::read_numbers};

}  // namespace glimpse

#endif
