#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/text.h"

namespace glimpse {

/// `text` with the signs that glimpsectl writes beyond ASCII in letters of it, of the same width where blanks
/// are around them: for terminals and locales without UTF-8.
std::string in_ascii(std::string text);

/// How many columns UTF-8 text takes, at one column a code point (what glimpse prints is no wider).
std::size_t display_width(std::string_view text);

/// `text` in at most `width` ≥ 1 columns, ending in "…" where something was cut off.
std::string clipped(std::string_view text, std::size_t width);

/// `text` with blanks in front (or, with `left`, behind) up to `width` columns.
std::string padded(std::string_view text, std::size_t width, bool left = false);

/// Rows of cells in aligned columns, two blanks between them and none at the end of a line.
/// Thread-safety: none.
class Table {
 public:
  /// Title and alignment of a column.
  struct Column {
    std::string title;
    bool left = false;  ///< words on the left, numbers on the right
  };

  /// The line of titles is left out when all are empty.
  explicit Table(std::vector<Column> columns);

  /// Adds a row; missing cells are empty, further ones are dropped. Cells are made printable.
  void add(std::vector<std::string> cells);

  bool empty() const { return rows_.empty(); }

  /// All lines, each ended.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace glimpse
