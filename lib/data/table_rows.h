#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "data/text/dialect.h"
#include "data/text/encoding.h"

namespace glimpse {

/// The records of a table behind its header, whatever their width, from the table's bytes as they come.
/// Thread-safety: none. Cost: that of RecordSplitter. Memory: the bytes given last, and the longest record.
class TableRows {
 public:
  /// `mark`: bytes of the byte order mark (Sniffed::mark). `gives_empty`: also records of delimiters alone.
  TableRows(const Dialect& dialect, Encoding encoding, std::size_t mark, bool gives_empty = false)
      : dialect_(dialect),
        splitter_(dialect_),
        encoding_(encoding),
        mark_(mark),
        gives_empty_(gives_empty),
        header_left_(dialect.header_records) {}
  TableRows(const TableRows&) = delete;
  TableRows& operator=(const TableRows&) = delete;

  /// The line on which the record given last begins, from 1.
  std::uint64_t line() const { return line_; }
  /// Blank records and comments behind the header up to now.
  std::uint64_t passed() const { return passed_; }

  /// Takes the bytes that come next; `is_end`: and no others. Gives the fields of each whole record, a
  /// std::vector<std::string_view>, to `use`, until that returns false.
  template <class Use>
  void read(std::string_view bytes, bool is_end, const Use& use) {
    bytes_ += bytes;
    if (!is_end && bytes_.size() < mark_) return;
    bytes_.erase(0, std::exchange(mark_, 0));
    const std::size_t whole = is_end ? bytes_.size() : whole_characters(bytes_, encoding_);
    append_as_utf8(std::string_view(bytes_).substr(0, whole), encoding_, text_);
    bytes_.erase(0, whole);
    std::string_view rest = text_;
    take(rest, is_end, use);
    text_.erase(0, text_.size() - rest.size());
  }

 private:
  template <class Use>
  void take(std::string_view& text, bool is_end, const Use& use) {
    while (!text.empty()) {
      if (lines_ < dialect_.preamble_lines) {
        const std::size_t end = text.find(dialect_.line_end);
        if (end == std::string_view::npos && !is_end) return;
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        ++lines_;
        continue;
      }
      const std::size_t length = splitter_.split(text, is_end, taken_);
      if (length == 0) return;
      taken_ += length;
      line_ = lines_ + 1;
      lines_ += static_cast<std::size_t>(std::ranges::count(text.substr(0, length), dialect_.line_end));
      text.remove_prefix(length);
      if (splitter_.is_blank() || splitter_.is_comment()) {
        passed_ += header_left_ == 0 ? 1 : 0;
        continue;
      }
      if (splitter_.has_delimiters_alone() && (!gives_empty_ || header_left_ > 0)) continue;
      if (header_left_ > 0) {
        --header_left_;
        continue;
      }
      if (!use(splitter_.fields())) return;
    }
  }

  const Dialect dialect_;
  RecordSplitter splitter_;
  const Encoding encoding_;
  std::size_t mark_;
  const bool gives_empty_;
  std::size_t header_left_;
  std::size_t lines_ = 0;  // in front of `text_`
  std::uint64_t line_ = 0;
  std::uint64_t passed_ = 0;
  std::uint64_t taken_ = 0;  // bytes of records
  std::string bytes_;        // in the encoding of the table, not decoded
  std::string text_;         // not divided
};

/// Appends `fields` as a record of RFC 4180 with its line end.
template <class Fields>
void append_record(const Fields& fields, std::string& to) {
  bool is_first = true;
  for (const auto& field : fields) {
    if (!is_first) to += ',';
    is_first = false;
    append_field(field, false, to);
  }
  if (fields.size() == 1 && fields[0].empty()) to += "\"\"";
  to += '\n';
}

}  // namespace glimpse
