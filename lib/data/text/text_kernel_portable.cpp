#include <bit>
#include <cstring>
#include <limits>

#include "data/text/short_decimal.h"
#include "data/text/text_kernel.h"
#include "data/text/text_kernel_select.h"

// 64 bytes are eight words of eight. After an exclusive or with eight copies of the byte looked for, matches
// are zero bytes:
//
//   x            00 17 80 00 …     zero bytes are matches
//   (x & 7f)+7f  7f 96 7f 7f …     bit 7 is set when any of the low seven bits was; no carry leaves a byte
//   | x | 7f     7f ff ff 7f …     now also when bit 7 itself was set
//   ~            80 00 00 80 …     bit 7 of exactly the matching bytes
//
// and a multiplication gathers these eight bits in the top byte.

namespace glimpse {
namespace portable {
namespace {

static_assert(std::endian::native == std::endian::little, "the order of bytes in a word is that in memory");

struct Bytes {
  std::uint64_t words[8];
};

inline Bytes load(const char* at) {
  Bytes bytes;
  std::memcpy(bytes.words, at, sizeof bytes.words);
  return bytes;
}

inline Bytes load_part(const char* at, std::size_t size) {
  Bytes bytes{};
  std::memcpy(bytes.words, at, size);
  return bytes;
}

// The top bits of eight bytes, side by side.
inline std::uint64_t gathered(std::uint64_t top_bits) { return (top_bits >> 7) * 0x0102040810204080 >> 56; }

inline std::uint64_t equal(const Bytes& bytes, char c) {
  constexpr std::uint64_t kLowBits = 0x7f7f7f7f7f7f7f7f;
  const std::uint64_t pattern = static_cast<unsigned char>(c) * std::uint64_t{0x0101010101010101};
  std::uint64_t marks = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const std::uint64_t x = bytes.words[i] ^ pattern;
    const std::uint64_t matches = ~(((x & kLowBits) + kLowBits) | x | kLowBits);
    marks |= gathered(matches) << (8 * i);
  }
  return marks;
}

// Bytes and c with their top bits changed are in the order of numbers without a sign, where c has its top
// bit. A byte is not below it when it has the top bit too, and its other bits, of which nothing is borrowed
// from the byte above, are not below c's.
inline std::uint64_t less(const Bytes& bytes, char c) {
  constexpr std::uint64_t kTopBits = 0x8080808080808080;
  const std::uint64_t pattern = static_cast<unsigned char>(c) * std::uint64_t{0x0101010101010101};
  std::uint64_t marks = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const std::uint64_t x = bytes.words[i] ^ kTopBits;
    const std::uint64_t matches = ~(x & ((x | kTopBits) - pattern)) & kTopBits;
    marks |= gathered(matches) << (8 * i);
  }
  return marks;
}

inline std::uint64_t equal_any(const Bytes& bytes, char a, char b, char c) {
  return equal(bytes, a) | equal(bytes, b) | equal(bytes, c);
}

inline unsigned count_ones(std::uint64_t marks) {
  marks -= (marks >> 1) & 0x5555555555555555;
  marks = (marks & 0x3333333333333333) + ((marks >> 2) & 0x3333333333333333);
  return static_cast<unsigned>((((marks + (marks >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101) >> 56);
}

inline unsigned select_one(std::uint64_t marks, unsigned n) { return select_one_by_words(marks, n); }

inline std::uint32_t first_one(std::uint64_t marks) {
  return static_cast<std::uint32_t>(__builtin_ctzll(marks | std::uint64_t{1} << 63));
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
}  // namespace portable

const TextKernel kPortableKernel{"portable",
                                 portable::mark_fields,
                                 portable::locate_fields,
                                 portable::mark_tokens,
                                 portable::mark_members,
                                 portable::mark_elements,
                                 portable::read_names,
                                 portable::find_numbers,
                                 portable::read_numbers};

}  // namespace glimpse
