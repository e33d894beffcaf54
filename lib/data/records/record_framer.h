#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// How a stream of bytes divides into records.
class Framing {
 public:
  /// Lines that end with '\n', each of at most `max_line_bytes` before it (> 0). The limit bounds what a
  /// reader must keep of a line whose end has not come yet.
  static Framing lines(std::size_t max_line_bytes) { return Framing(true, max_line_bytes); }
  /// Rows of exactly `row_bytes` bytes (> 0), with nothing between them.
  static Framing rows(std::size_t row_bytes) { return Framing(false, row_bytes); }
  /// The same behind a header (npy_header.h), which is a record as well.
  static Framing npy_rows(std::size_t row_bytes) { return Framing(false, row_bytes, true); }
  /// Of what is behind the header, where there is one.
  Framing behind_header() const { return Framing(is_lines_, bytes_); }

  bool has_header() const { return has_header_; }
  bool is_lines() const { return is_lines_; }
  std::size_t max_line_bytes() const { return bytes_; }
  std::size_t row_bytes() const { return bytes_; }

 private:
  Framing(bool is_lines, std::size_t bytes, bool has_header = false)
      : is_lines_(is_lines), has_header_(has_header), bytes_(bytes) {}

  bool is_lines_;
  bool has_header_;
  std::size_t bytes_;
};

/// Says how much of the bytes that have come so far is whole records. It does no I/O and keeps no bytes: the
/// caller appends to a buffer, asks, and takes the prefix away.
///
/// Every byte is looked at once at most however small the pieces are in which it comes. Most are not looked
/// at: see whole_records() in the source. Thread-safety: none.
class RecordFramer {
 public:
  explicit RecordFramer(Framing framing) : framing_(framing) {}

  /// The length of the longest prefix of `bytes` that is whole records; 0 when the first is not complete yet.
  /// REQUIRES: between two calls, the caller takes exactly the prefix found from the front, and appends at
  /// the end. An Error (kTooLarge) when the record at the front is a line over the limit, whether its end has
  /// come or not; whole records before such a line are given out first. One (kInvalidInput) when there is no
  /// header where one must be. A header is given out alone. After an Error, go on with reset() behind
  /// the end of that line, or not at all.
  Result<std::size_t> whole_records(std::string_view bytes);

  /// Forgets what was scanned: the next bytes are the first of a record.
  void reset() { scanned_ = 0; }

  const Framing& framing() const { return framing_; }

 private:
  Framing framing_;          // without the header once that was found
  std::size_t scanned_ = 0;  // bytes at the front known to hold no newline
};

/// The length of the shortest beginning of `bytes` that is whole records and at least `least` bytes (> 0);
/// all of `bytes` where there is none. `bytes` end where a record does, or where the stream did. A header
/// comes alone.
std::size_t length_of_records(std::string_view bytes, const Framing& framing, std::size_t least);

/// The length of the first line of `text`: up to its '\n', or to the end.
std::size_t length_of_line(std::string_view text);

/// Walks through the records of a block. A last record that is not complete (a line without newline, a row
/// cut short) is given out as well. At the end of a stream it is the caller's. Elsewhere RecordFramer keeps
/// it out of the block. Lengths are not checked here. The records are views into the block. Thread-safety:
/// none.
class RecordCursor {
 public:
  RecordCursor(std::string_view block, Framing framing) : block_(block), framing_(framing) {}

  /// The next record: a line without its '\n' or "\r\n", or a row. Nothing at the end of the block.
  std::optional<std::string_view> next() { return next(length_of_line); }
  /// The same; `line_length` says what length_of_line() does.
  template <class LineLength>
  std::optional<std::string_view> next(LineLength line_length) {
    if (position_ == block_.size()) return std::nullopt;
    const std::string_view rest = block_.substr(position_);
    return framing_.is_lines() ? take_line(rest, line_length(rest)) : take_row(rest);
  }

  /// Where in the block the next record begins; the block's length at the end.
  std::size_t position() const { return position_; }

 private:
  std::string_view take_line(std::string_view rest, std::size_t length);
  std::string_view take_row(std::string_view rest);

  std::string_view block_;
  Framing framing_;
  std::size_t position_ = 0;
};

}  // namespace glimpse
