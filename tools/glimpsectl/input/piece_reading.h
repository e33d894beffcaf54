#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "glimpsectl/input/input_bodies.h"

namespace glimpse::ctl {

/// What the answer to a body tells of the table in it.
struct TableReply {
  std::string delimiter;                     ///< a word of --delimiter
  std::optional<std::uint64_t> header_line;  ///< from 1 in the file; none: there is no header
};

/// Sees to it that the daemon reads all pieces of a file as it would read the whole file in one body: their
/// format is that of the first line that shows one, and a table's delimiter and header are those that the
/// daemon found in the first piece. The header is repeated before each later one. Thread-safety: none.
class PieceReading {
 public:
  /// `format`: that of --format; empty: the daemon takes the lines for JSON.
  explicit PieceReading(std::string format) : format_(std::move(format)) {}

  /// Puts the header before `piece`, where there is one, and returns the query that goes with it:
  /// "?format=csv&header=yes&delimiter=tab&first_line=52", or nothing. Errors (kInvalidInput): the daemon is
  /// older, and did not tell how it read the table.
  Result<std::string> prepare(LineChunks::Chunk& piece);

  /// What the answer to the piece prepared last tells; `has_examples`: it held some that were read. Errors
  /// (kCorrupt): its header is no line of that piece.
  Status note(const std::optional<TableReply>& table, bool has_examples);

  /// Bytes that prepare() puts before each further piece.
  std::size_t header_bytes() const { return header_.size(); }

 private:
  bool may_be_table() const { return format_ == "csv" || format_ == "auto"; }

  std::string format_;
  std::optional<TableReply> table_;  // once it is known
  std::string header_;               // a whole line; empty: none
  bool is_untold_ = false;           // examples were read, and it is not known how

  // Of the piece prepared last, until the table is known:
  std::string text_;
  std::uint64_t lines_before_ = 0;
};

}  // namespace glimpse::ctl
