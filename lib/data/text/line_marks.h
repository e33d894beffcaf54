#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/text/text_kernel.h"

namespace glimpse {

/// How a format of sparse text writes a line: where its `number:value` tokens stand, and what they are.
struct TokenRule {
  char stop;      ///< a byte that does not stand in a plain line's tokens
  unsigned base;  ///< the least number
  /// The tokens of a line without its "\r\n". Any part of it may be given where the line is not plain.
  std::string_view (*tokens)(std::string_view line);
};

/// Where the tokens are of all lines of a text, and which numbers their names are, found before a reader
/// comes to them: on another thread, that has the bytes at hand (ExampleReader::use_marks).
struct TokenLines {
  struct Line {
    const char* begin = nullptr;  ///< of its tokens
    std::uint32_t size = 0;       ///< of them
    std::uint32_t length = 0;     ///< of the line
    std::uint32_t first = 0;      ///< its first token
    std::uint32_t count = 0;
    /// The stop does not occur, and the names are whole numbers of at most eight digits that ascend strictly.
    bool is_plain = false;
    bool all_pairs = false;  ///< every name ends at a colon
  };

  std::vector<Line> lines;
  // Of the tokens of all lines; those of lines that are not plain are left out.
  std::vector<std::uint32_t> begins;  ///< in its line's tokens
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint8_t> name_sizes;  ///< bytes of its name, 1 to 8
  std::vector<std::uint32_t> name_ends;  ///< of one line's, while they are found

  std::size_t memory_bytes() const {
    return lines.capacity() * sizeof(Line) +
           (begins.capacity() + numbers.capacity() + name_ends.capacity()) * sizeof(std::uint32_t) +
           name_sizes.capacity();
  }
};

/// Finds the tokens of every line of `text`, whose last newline, or "\r\n", may be missing. Reuses the memory
/// of `found`, which is at most twice the text and half a megabyte. False, and `found` is of no use, where
/// that is not worth it: the lines have fewer than 128 bytes in the mean or one more than 32 KiB, or tokens
/// fewer than 8. Cost: one pass, and some operations a token; no allocation once texts were as long.
[[nodiscard]] bool mark_tokens_of_lines(std::string_view text, const TokenRule& rule,
                                        const TextKernel& kernel, TokenLines& found);

/// Where the fields are of all lines of a text (TextKernel::mark_fields), or the tokens, found before a
/// reader comes to them: on another thread, that has the bytes at hand (ExampleReader::use_marks).
struct LineMarks {
  /// The marks of one line.
  struct Line {
    FieldMarks marks;
    std::size_t first_block = 0;  ///< the line's field_blocks(marks.length) begin here
  };

  const char* text = nullptr;  ///< where the first line begins
  std::vector<Line> lines;
  std::vector<FieldBlock> blocks;
  TokenLines tokens;  ///< of sparse text, in place of `lines`

  std::size_t memory_bytes() const {
    return lines.capacity() * sizeof(Line) + blocks.capacity() * sizeof(FieldBlock) + tokens.memory_bytes();
  }
};

/// Below so many bytes in the mean, marks of lines take more memory than they are worth.
inline constexpr std::size_t kLeastMarkedLine = 128;

/// Finds the fields between delimiters of every line of `text`, whose last newline may be missing. `marks`,
/// whose memory is reused, then takes at most three quarters of the text. False, and `marks` is of no use,
/// when the lines have fewer than kLeastMarkedLine bytes in the mean, or a line quotes. Cost: one pass.
[[nodiscard]] bool mark_lines(std::string_view text, char delimiter, const TextKernel& kernel,
                              LineMarks& marks);

/// Finds the tokens of sparse text in place of fields: mark_tokens_of_lines().
[[nodiscard]] bool mark_lines(std::string_view text, const TokenRule& rule, const TextKernel& kernel,
                              LineMarks& marks);

}  // namespace glimpse
