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
  std::size_t length = 0;  ///< of the line
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

/// What mark_members() and mark_elements() found.
struct JsonMarks {
  std::size_t length = 0;  ///< up to behind the closing bracket; 0: the text is not written plainly, or wrong
  std::size_t count = 0;   ///< of members or elements
  bool has_high = false;   ///< a byte above 0x7f in a string, which may be no UTF-8
};

/// The loops that look at every byte of a record, or at every field that is planned, written for one kind of
/// processor. Every kernel gives the same answers. Functions read [begin, begin + size) and nothing else.
struct TextKernel {
  std::string_view name;  ///< "avx512", "avx2", "neon" or "portable"

  /// Fills the blocks of the first line, which ends before a newline or with the text, and counts. Room: for
  /// field_blocks(size) of them; field_blocks(length) are filled. Cost: one pass over the line.
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

  /// Of a JSON object whose opening bracket is before `begin`, and whose values are numbers, strings or null.
  /// What stands between the quotes of the i-th key is [key_begins[i], key_ends[i]). Room at both: for
  /// token_room(size). The grammar of RFC 8259 is checked up to the closing bracket; keys are not empty. Not
  /// plain: escapes, control characters, newlines, and exponents of more than four digits. Bytes above 0x7f
  /// are not checked. `size` < 2^32. Cost: one pass up to the closing bracket.
  JsonMarks (*mark_members)(const char* begin, std::size_t size, std::uint32_t* key_begins,
                            std::uint32_t* key_ends);

  /// The same of a JSON array. Its commas become the delimiters that locate_fields() takes, with the size
  /// length − 1 and count − 1 delimiters. Room: for field_blocks(size) of them. Cost: one pass.
  JsonMarks (*mark_elements)(const char* begin, std::size_t size, FieldBlock* blocks);

  /// numbers[i] becomes the name of token i, of `count`. False when names are not all numbers of 1 to 8
  /// digits that are at least `first` and ascend strictly. Cost: O(count).
  bool (*read_names)(const char* begin, const std::uint32_t* begins, const std::uint32_t* name_ends,
                     std::size_t count, std::uint32_t first, std::uint32_t* numbers);

  /// found[i] becomes the place of planned[i] + base among `numbers`, which ascend strictly, or kNoToken.
  /// Cost: O(log(count)) a planned one.
  void (*find_numbers)(const std::uint32_t* numbers, std::size_t count, std::span<const Attribute> planned,
                       std::uint32_t base, std::uint32_t* found);

  /// values[i] becomes the number (read_number()) that fills places[i] of the record, or NaN where that is
  /// none, or one that takes more work. Cost: a few nanoseconds a number.
  void (*read_numbers)(const char* begin, const Place* places, std::size_t count, double* values);
};

/// How much more than what they write some functions of a kernel may overwrite, in elements.
inline constexpr std::size_t kSlack = 16;

/// How many blocks a record of `size` bytes has; the last one or two have no delimiter, and end searches.
constexpr std::size_t field_blocks(std::size_t size) { return size / 64 + 2; }
constexpr std::size_t token_room(std::size_t size) { return size / 2 + 1 + kSlack; }

inline constexpr std::uint32_t kNoToken = static_cast<std::uint32_t>(-1);

/// The digits of the number whose text is [begin, end), of 1 to 8 bytes: a byte each, the last digit in the
/// top byte, and 0 in bytes that are not used. `readable` ≤ `begin`: all bytes from there may be read.
inline std::uint64_t name_digits(const char* readable, const char* begin, const char* end) {
  std::uint64_t word = 0;
  if (end - readable >= 8) {
    std::memcpy(&word, end - 8, 8);
    word ^= 0x3030303030303030;
    return word & ~std::uint64_t{0} << ((64 - 8 * (end - begin)) & 63);
  }
  for (; begin != end; ++begin)
    word = word >> 8 | std::uint64_t{static_cast<unsigned char>(*begin ^ '0')} << 56;
  return word;
}

/// The number that has these digits; pairs of them, fours and eights are added up in all places at once.
constexpr std::uint32_t number_of_digits(std::uint64_t digits) {
  digits = digits * 10 + (digits >> 8);  // each second byte is a pair
  return static_cast<std::uint32_t>(
      ((digits & 0x000000ff000000ff) * (100 + (std::uint64_t{1000000} << 32)) +
       ((digits >> 16) & 0x000000ff000000ff) * (1 + (std::uint64_t{10000} << 32))) >>
      32);
}

/// Not 0 when some byte is above 9.
constexpr std::uint64_t not_digits(std::uint64_t word) {
  return ((word + 0x7676767676767676) | word) & 0x8080808080808080;
}

/// The kernels that this processor can run, the fastest first; the last is the portable one.
std::span<const TextKernel* const> text_kernels();

/// The first of them.
const TextKernel& text_kernel();

}  // namespace glimpse
