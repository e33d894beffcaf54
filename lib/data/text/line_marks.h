#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "data/text/text_kernel.h"
#include "data/text/token_lines.h"

namespace glimpse {

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
