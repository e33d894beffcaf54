#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "data/text/dialect.h"

namespace glimpse {

/// What the first lines of a text tell.
struct Opening {
  std::string_view line = {};  ///< the first that is of one format alone; empty: none is
  bool waits = false;          ///< one came that may be of several, and none behind it that tells
};

/// A line may be of several formats where it is a number alone, which is an example of zeros in svmlight and
/// stands above some tables; or a number and features as vw has them, without a '|'. One of `question_fields`
/// fields tells, as do all where that is 0: it may ask for a prediction, and waits for no other. Where 4 KiB
/// do not tell, the first line does. Blank lines and comments tell nothing. `is_whole`: a last line without
/// an end is one as well. Cost: O(bytes up to the line that tells, or to those 4 KiB).
Opening opening_of(std::string_view text, std::size_t question_fields, bool is_whole);

/// How a stream of bytes divides into records.
class Framing {
 public:
  /// Lines that end with '\n', each of at most `max_line_bytes` before it (> 0). The limit bounds what a
  /// reader must keep of a line whose end has not come yet.
  static Framing lines(std::size_t max_line_bytes) { return Framing(true, max_line_bytes); }
  /// Records of a table: lines, and those of which a quote goes over line ends, up to the limit and
  /// RecordSplitter::kLongestRecord. Of UTF-16 a line ends with the 16 bits of its end, and lengths are those
  /// of the text as it comes.
  static Framing table(std::shared_ptr<const Dialect> dialect, std::size_t max_line_bytes);
  /// Lines whose format the first of them shows. Where it may be of several (opening_of()), it
  /// is no whole record before a later line tells. `question_fields` > 0: of a table's row without a label.
  static Framing undecided_lines(std::size_t max_line_bytes, std::size_t question_fields) {
    Framing framing(true, max_line_bytes);
    framing.question_fields_ = question_fields;
    return framing;
  }
  /// Rows of exactly `row_bytes` bytes (> 0), with nothing between them.
  static Framing rows(std::size_t row_bytes) { return Framing(false, row_bytes); }
  /// The same behind a header (npy_header.h), which is a record as well. Behind the rows that it says there
  /// may be another header.
  static Framing npy_rows(std::size_t row_bytes) { return Framing(false, row_bytes, true); }
  /// Of what is behind the header, where there is one, and behind the line that shows the format.
  Framing behind_header() const {
    Framing behind = *this;
    behind.has_header_ = false;
    behind.question_fields_ = 0;
    return behind;
  }
  /// Where each line is a whole record as soon as it has come.
  Framing at_once() const {
    Framing now = *this;
    now.question_fields_ = 0;
    return now;
  }

  bool has_header() const { return has_header_; }
  /// Of lines, or of a table.
  bool is_lines() const { return is_lines_; }
  /// Of table(), unless its records are lines; else nullptr.
  const Dialect* dialect() const { return dialect_.get(); }
  /// Bytes of a character of ASCII.
  std::size_t unit() const { return unit_; }
  char line_end() const { return dialect_ ? dialect_->line_end : '\n'; }
  /// Where a character of ASCII stands in `text`, which begins with a record, from `from` on; or npos.
  std::size_t find(char c, std::string_view text, std::size_t from = 0) const;
  /// The bytes that end a line.
  std::string end_of_line() const;
  /// Whether `text` holds a quote, so that records may go over lines.
  bool has_quote(std::string_view text) const {
    return dialect_ && dialect_->quote != 0 && find(dialect_->quote, text) != std::string_view::npos;
  }
  std::size_t max_line_bytes() const { return bytes_; }
  std::size_t row_bytes() const { return bytes_; }
  std::size_t question_fields() const { return question_fields_; }

 private:
  Framing(bool is_lines, std::size_t bytes, bool has_header = false)
      : is_lines_(is_lines), has_header_(has_header), bytes_(bytes) {}

  bool is_lines_;
  bool has_header_;
  std::size_t bytes_;
  std::size_t unit_ = 1;
  std::shared_ptr<const Dialect> dialect_;
  std::size_t question_fields_ = 0;
};

/// Says how much of the bytes that have come so far is whole records. It does no I/O and keeps no bytes: the
/// caller appends to a buffer, asks, and takes the prefix away.
///
/// Every byte is looked at once at most however small the pieces are in which it comes, but for the first 4
/// KiB of undecided lines. Most are not looked at: see whole_records() in the source. Thread-safety: none.
class RecordFramer {
 public:
  /// `left`: bytes of rows up to where a header may be; none: not known.
  explicit RecordFramer(Framing framing, std::optional<std::uint64_t> left = std::nullopt);

  /// The length of the longest prefix of `bytes` that is whole records; 0 when the first is not complete yet.
  /// REQUIRES: between two calls, the caller takes exactly the prefix found from the front, and appends at
  /// the end. An Error (kTooLarge) when the record at the front is a line over the limit, whether its end has
  /// come or not; whole records before such a line are given out first. One (kInvalidInput) when there is no
  /// header where one must be. A header is given out alone, and so are the rows of each array. After an
  /// Error, go on with reset() behind the end of that line, or not at all.
  Result<std::size_t> whole_records(std::string_view bytes);

  /// Forgets what was scanned: the next bytes are the first of a record.
  void reset() {
    scanned_ = 0;
    if (splitter_) splitter_->forget();
  }
  /// Nothing comes behind lines that may be of several formats: they are whole records. False: none waits.
  bool end_opening() { return std::exchange(framing_, framing_.at_once()).question_fields() > 0; }

  const Framing& framing() const { return framing_; }
  /// Whether the records found last hold a quote of their table.
  bool has_quote() const { return has_quote_; }

  /// Of a table: the length of the record at the front of `text` without its line end; none: it may go on
  /// behind `text`. With `is_whole` nothing comes behind. `at`: as of RecordSplitter::split().
  std::optional<std::size_t> record_length(std::string_view text, bool is_whole, std::uint64_t at = 0);

 private:
  Result<std::size_t> whole_lines(std::string_view bytes);
  Result<std::size_t> whole_table_records(std::string_view bytes);

  Framing framing_;  // without the header once that was found
  std::optional<std::uint64_t> left_;
  std::uint64_t taken_ = 0;  // bytes of a table's records given out since its first
  std::size_t scanned_ = 0;  // bytes at the front known to hold no end of a line, or of a table's record
  bool has_quote_ = false;
  std::optional<RecordSplitter> splitter_;  // of a table
  std::string utf8_;                        // of UTF-16: what splitter_ divides
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
  /// `has_quote`: of a table, whether the block holds a quote, where that is known.
  RecordCursor(std::string_view block, Framing framing, bool has_quote = true)
      : block_(block),
        end_(block.size()),
        framer_(std::move(framing)),
        ends_with_newlines_(framer_.framing().is_lines() && framer_.framing().unit() == 1 &&
                            framer_.framing().line_end() == '\n'),
        next_quote_(has_quote && framer_.framing().dialect() != nullptr ? 0 : block.size()) {}

  /// No record goes on behind `end`, as a message ends there. Not before position().
  void end_at(std::size_t end) { end_ = end; }

  /// The next record: a line without its '\n' or "\r\n", or a row. Nothing at the end of the block.
  std::optional<std::string_view> next() { return next(length_of_line); }
  /// The same; `line_length` says what length_of_line() does.
  template <class LineLength>
  std::optional<std::string_view> next(LineLength line_length) {
    if (position_ == end_) return std::nullopt;
    const std::string_view rest = block_.substr(position_, end_ - position_);
    if (!ends_with_newlines_) return take_record(rest);
    const std::size_t length = line_length(rest);
    if (next_quote_ <= position_) find_quote();
    if (position_ + length > next_quote_) return take_record(rest);
    position_ += length + static_cast<std::size_t>(length < rest.size());
    return rest.substr(0, length - static_cast<std::size_t>(length > 0 && rest[length - 1] == '\r'));
  }

  /// Where in the block the next record begins; the block's length at the end.
  std::size_t position() const { return position_; }

 private:
  void find_quote();
  std::string_view take_record(std::string_view rest);
  std::string_view take_row(std::string_view rest);

  std::string_view block_;
  std::size_t end_;
  RecordFramer framer_;
  bool ends_with_newlines_;
  std::size_t next_quote_;  // no quote stands between position_ and there
  std::size_t position_ = 0;
};

/// Stands for the contents of all records of a source up to `record` (a line without its end, or a row):
/// XXH3-64 of the record, seeded with the value of the records before it, which is 0 before the first.
/// Streams that differ in any record have different values, but for one chance in 2⁶⁴. Pure.
std::uint64_t contents_with(std::uint64_t before, std::string_view record);

}  // namespace glimpse
