#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/sniff.h"
#include "data/table_rows.h"
#include "glimpsectl/input/input_bodies.h"

namespace glimpse::ctl {

/// A table in a file as bodies of requests: rows of RFC 4180 in UTF-8, a line each, below the table's header,
/// however the file is written. Numbers with a decimal comma have an exponent there, which columns of any
/// form read. A row of which every cell is missing begins with a mark for that, and so is an example. Blank
/// lines, comments and the header again are no rows. Thread-safety: none. Memory: two bodies.
class TableBodies {
 public:
  /// Rows that go into one request.
  struct Body {
    std::string text;
    std::vector<std::string> kept;     ///< of each row the fields of keep(), as CSV; empty: there are none
    std::vector<std::uint64_t> lines;  ///< on which each row begins in the file, from 1
  };

  /// What `path`, which may be packed and is called `called` in messages, is read as is decided by its
  /// beginning, as glimpsed does it, where `options` leave it open. `format`: of --format, and becomes what
  /// it is. `names`: of columns, of which a header has one; empty: they are not known. nullptr: it is no
  /// table. Errors: kSystem; kInvalidInput for what is no text, and for columns to ignore that are not there.
  static Result<std::unique_ptr<TableBodies>> open(const std::string& path, const std::string& called,
                                                   std::string& format, std::vector<std::string> names,
                                                   const TableOptions& options);

  /// The names of the columns; empty without a header.
  const std::vector<std::string>& names() const { return names_; }
  /// The column that a name is of, or else a place as #3 or last; nothing: there is none.
  std::optional<std::size_t> find(const std::string& column) const;
  /// These columns are given back beside each row. Before next(). Errors: kInvalidInput for one that is not
  /// there, which `option` named.
  Status keep(const std::vector<std::string>& columns, std::string_view option = "--keep");
  /// How the first of them is written.
  const ColumnForm& kept_form() const { return columns_[kept_.front()].written; }
  /// What they are called, as the beginning of the header of CSV.
  std::string kept_header() const;
  /// Of a table with a header the cells of all other columns are sent as missing ones. Before next().
  void send_only(const std::vector<std::string>& columns);
  /// Dates of the column begin with "day", "month" or "year" to the model, where they are not written as
  /// 2026-01-31: next() fails where they begin otherwise here, as the beginning of the file shows. Before
  /// next().
  void expect_dates(const std::string& column, std::string_view begin);
  /// Cells of these columns are words to the model: they stay as they are. Before next().
  void keep_words(const std::vector<std::string>& columns);
  /// "?format=csv&header=yes&delimiter=%2C&others=ignore".
  std::string query() const;
  /// The line of the file of a record of a body, which counts from 1 with the header; 0: it is the header.
  std::uint64_t line_of(const Body& body, std::uint64_t record) const {
    const std::uint64_t row = record - (names_.empty() ? 0 : 1);
    return row >= 1 && row <= body.lines.size() ? body.lines[row - 1] : 0;
  }
  /// Lines between rows that were no rows, up to the last one given.
  std::uint64_t lines_without_row() const { return lines_without_row_; }
  /// Of all rows so far, the cells of a column that were sent and are not missing.
  std::uint64_t values_of(std::size_t column) const { return columns_[column].values; }
  /// Of the file, packed or not.
  std::uint64_t bytes_read() const { return buffer_.bytes_read(); }
  /// A body of one row without values.
  std::string body_without_values();

  /// The next rows, at most about `size` bytes; nothing at the end. Errors: kSystem, kCorrupt; kInvalidInput
  /// of expect_dates().
  Result<std::optional<Body>> next(std::size_t size);

 private:
  struct Column {
    std::vector<std::string> missing = {};  // marks
    std::optional<NumberForm> form = {};    // how its numbers are written; none: cells stay as they are
    bool is_sent = true;
    ColumnForm written = {};
    bool is_order_known = false;                // of dates
    std::optional<std::size_t> expected_order;  // Days::order_of() of the model
    std::uint64_t values = 0;                   // cells that were sent and are not missing
  };
  TableBodies(const std::string& path, std::string called, const TableOptions& options)
      : called_(std::move(called)),
        options_(options),
        file_(path, std::ios::binary),
        buffer_(file_),
        in_(&buffer_) {}
  Result<std::string> read(std::size_t size);
  Status take_form(const Sniffed& sniffed);
  std::string sent_cell(std::string_view field, std::size_t column) const;
  void append_row(const std::vector<std::string_view>& fields, std::string& text);
  Status check_dates(const std::vector<std::string_view>& fields) const;

  const std::string called_;
  const TableOptions options_;
  std::ifstream file_;
  UnpackedBuffer buffer_;
  std::istream in_;
  std::string beginning_;  // read to decide, and no rows yet
  std::optional<TableRows> rows_;
  std::vector<std::string> names_;
  std::vector<Column> columns_;
  std::vector<std::size_t> kept_;
  std::uint64_t repeats_ = 0;  // of the header
  std::uint64_t lines_without_row_ = 0;
  bool is_end_ = false;  // all bytes were read
};

}  // namespace glimpse::ctl
