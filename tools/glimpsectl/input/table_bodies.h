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

/// A table in a file as bodies of requests: whole rows of RFC 4180 in UTF-8 below the table's header, however
/// the file is written. Thread-safety: none. Memory: two bodies.
class TableBodies {
 public:
  /// Rows that go into one request.
  struct Body {
    std::string text;
    std::vector<std::string> kept;  ///< of each row the fields of keep(), as CSV; empty: there are none
    std::uint64_t rows = 0;
    std::uint64_t rows_before = 0;  ///< rows of the table in front of these
  };

  /// What `path`, which may be packed, is read as is decided by its beginning, as glimpsed does it. `format`:
  /// of --format, and becomes what it is. `names`: of columns, of which a header has one; empty: they are not
  /// known. nullptr: it is no table. Errors: kSystem; kInvalidInput for what is no text.
  static Result<std::unique_ptr<TableBodies>> open(const std::string& path, std::string& format,
                                                   std::vector<std::string> names);

  /// The names of the columns; empty without a header.
  const std::vector<std::string>& names() const { return names_; }
  /// These columns, by name or as #3, are given back beside each row. Before next(). Errors: kInvalidInput
  /// for a column that is not there, which `option` named.
  Status keep(const std::vector<std::string>& columns, std::string_view option = "--keep");
  /// How the first of them is written.
  const ColumnForm& kept_form() const { return forms_[kept_.front()]; }
  /// Of a table with a header no other columns are sent. Before next().
  void send_only(const std::vector<std::string>& columns);
  /// "?format=csv&header=yes&delimiter=%2C".
  std::string query() const;

  /// The next rows, at most about `size` bytes; nothing at the end. Errors: kSystem, kCorrupt.
  Result<std::optional<Body>> next(std::size_t size);

 private:
  explicit TableBodies(const std::string& path)
      : path_(path), file_(path, std::ios::binary), buffer_(file_), in_(&buffer_) {}
  Result<std::string> read(std::size_t size);
  template <class Fields>
  std::vector<std::string> sent_of(const Fields& fields) const;

  const std::string path_;
  std::ifstream file_;
  UnpackedBuffer buffer_;
  std::istream in_;
  std::string beginning_;  // read to decide, and no rows yet
  std::optional<TableRows> rows_;
  std::vector<std::string> names_;
  std::size_t width_ = 0;
  std::vector<ColumnForm> forms_;  // of all columns
  std::vector<std::size_t> kept_;
  std::vector<bool> is_sent_;
  std::uint64_t given_ = 0;  // rows
  bool is_end_ = false;      // all bytes were read
};

}  // namespace glimpse::ctl
