#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/types.h"

namespace glimpse {

/// 64 bytes of a record that delimiters divide into fields.
struct FieldBlock {
  std::uint64_t delimiters;         ///< bit i: byte i of the block is a delimiter
  std::uint64_t delimiters_before;  ///< in the blocks before this one
};

/// What mark_fields() found.
struct FieldMarks {
  std::size_t delimiters = 0;
  bool has_quote = false;  ///< a '"' somewhere
};

/// Bytes of a record, from its beginning: [begin, end).
struct Place {
  std::size_t begin;
  std::size_t end;
};

/// What mark_tokens() found.
struct TokenMarks {
  std::size_t count = 0;
  bool has_stop = false;   ///< the byte asked for occurs
  bool all_pairs = false;  ///< every name ends at a colon
};

/// The loops that look at every byte of a record, or at every field that is planned, written for one kind of
/// processor. Every kernel gives the same answers. Functions read [begin, begin + size) and nothing else.
struct TextKernel {
  std::string_view name;  ///< "avx512", "avx2", "neon" or "portable"

  /// Fills the field_blocks(size) blocks of the record, and counts. Cost: one pass.
  FieldMarks (*mark_fields)(const char* begin, std::size_t size, char delimiter, FieldBlock* blocks);

  /// places[i] becomes where field columns[i] stands; `delimiters` is what mark_fields() counted, and no
  /// column is above it. Touches `blocks` alone. Cost: O(log(size / 64)) a column.
  void (*locate_fields)(const FieldBlock* blocks, std::size_t size, std::size_t delimiters,
                        std::span<const Attribute> columns, Place* places);

  /// Divides a text into tokens: what stands between blanks (is_blank). The i-th begins at begins[i], and its
  /// name ends at name_ends[i]: at its first colon, or else where the token ends. Room at both: for
  /// token_room(size). `size` < 2^32. Cost: one pass.
  TokenMarks (*mark_tokens)(const char* begin, std::size_t size, char stop, std::uint32_t* begins,
                            std::uint32_t* name_ends);

  /// keys[i] becomes the name_key() of token i, of `count`. False when names are not all numbers of 1 to 8
  /// digits whose keys are at least `first` and ascend strictly. Cost: O(count).
  bool (*read_names)(const char* begin, const std::uint32_t* begins, const std::uint32_t* name_ends,
                     std::size_t count, std::uint64_t first, std::uint64_t* keys);

  /// found[i] becomes the place of planned[i] among `keys`, or kNoToken. `keys` ascend strictly. Cost:
  /// O(log(count)) a planned one.
  void (*find_keys)(const std::uint64_t* keys, std::size_t count, const std::uint64_t* planned,
                    std::size_t planned_count, std::uint32_t* found);
};

/// How much more than what they write some functions of a kernel may overwrite, in elements.
inline constexpr std::size_t kSlack = 16;

/// How many blocks a record of `size` bytes has; the last one or two have no delimiter, and end searches.
constexpr std::size_t field_blocks(std::size_t size) { return size / 64 + 2; }
constexpr std::size_t token_room(std::size_t size) { return size / 2 + 1 + kSlack; }

inline constexpr std::uint32_t kNoToken = static_cast<std::uint32_t>(-1);

/// A number below 10^8 as its eight decimal digits, a byte each, the first in the top byte: such keys compare
/// like the numbers. The text of a number is turned into its key without a multiplication.
constexpr std::uint64_t digit_key(std::uint32_t number) {
  const std::uint64_t halves = number / 10000 | std::uint64_t{number % 10000} << 32;
  // Each half is divided by 100 and each quarter by 10, as products with 2^20/100 and 2^10/10 rounded up.
  const std::uint64_t hundreds = (halves * 10486 >> 20) & 0x0000007f0000007f;
  const std::uint64_t quarters = hundreds | (halves - hundreds * 100) << 16;
  const std::uint64_t tens = (quarters * 103 >> 10) & 0x000f000f000f000f;
  const std::uint64_t digits = tens | (quarters - tens * 10) << 8;  // the first digit in the lowest byte
  return __builtin_bswap64(digits);
}

/// The number of such a key.
constexpr std::uint32_t key_number(std::uint64_t key) {
  const std::uint64_t pairs = (key & 0x000f000f000f000f) + ((key >> 8) & 0x000f000f000f000f) * 10;
  const std::uint64_t fours = (pairs & 0x000000ff000000ff) + ((pairs >> 16) & 0x000000ff000000ff) * 100;
  return static_cast<std::uint32_t>((fours & 0xffff) + (fours >> 32) * 10000);
}

/// The key of the number whose text is [begin, end), of 1 to 8 bytes; a word that is no key when these are
/// not digits alone. `readable` ≤ `begin`: all bytes from there may be read.
inline std::uint64_t name_key(const char* readable, const char* begin, const char* end) {
  std::uint64_t word = 0;
  if (end - readable >= 8) {
    std::memcpy(&word, end - 8, 8);
    word = __builtin_bswap64(word ^ 0x3030303030303030);
    return word & ~std::uint64_t{0} >> ((64 - 8 * (end - begin)) & 63);
  }
  for (; begin != end; ++begin) word = word << 8 | static_cast<unsigned char>(*begin ^ '0');
  return word;
}

/// The kernels that this processor can run, the fastest first; the last is the portable one.
std::span<const TextKernel* const> text_kernels();

/// The first of them.
const TextKernel& text_kernel();

}  // namespace glimpse
