#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/csv_reader.h"
#include "data/records/cell.h"
#include "data/text/arff.h"
#include "data/text/dialect.h"

namespace glimpse {

/// Whether CsvReader alone reads tables of this form.
bool is_plain(const TableForm& form);

/// Declares the attributes of dates (Categories::declare_date()): those that have the names of columns, or of
/// a table without names those of `layout`.
void declare_dates(const TableForm& form, const TableLayout& layout, AttributeNames& names);

/// Records of a table of any form (Framing::table()): each becomes a row of RFC 4180 in UTF-8, where it is
/// none yet, that a CsvReader reads, with the cells that are asked for in the form of their columns. Dates
/// and times become numbers of days (append_in_form()); the attributes of dates are declared. Blank records,
/// comments, records of delimiters alone and lines in front of the table are no examples.
///
/// Of the stream of which a sample was read (TableOptions::is_sampled) the lines in front and the header's
/// records are passed over, and its columns have TableForm::names. Another stream begins with a row, or with
/// a header that has one of these names: its columns may stand in any order, lack some, and have others. So
/// may those of an ARFF header, which each stream of an ARFF table may bring.
///
/// Cost: one pass for each step: conversion to UTF-8, RecordSplitter, writing and reading the row. Records
/// without quotes below the first, between comma, semicolon, tab or |, are read where they stand. Memory: of
/// the longest record. Thread-safety: as CsvReader.
class DialectReader final : public ExampleReader {
 public:
  /// Of `options` the form decides delimiter and decimal comma, and the header unless there is none. `names`
  /// and `known`, which may be nullptr, outlive the reader.
  DialectReader(std::shared_ptr<const TableForm> form, const TableOptions& options, AttributeNames& names,
                TableLayout* known = nullptr, const TextKernel& kernel = text_kernel());

  const TableForm& form() const { return *form_; }

  bool rows_end_with_delimiter() const override { return inner_.rows_end_with_delimiter(); }
  bool is_amid_record() const override { return open_quote_.is_open(); }
  void end_message() override { open_quote_.close(); }
  Status open(std::string_view record) override;
  Status reveal(std::span<const Attribute> attributes, std::span<double> values) override;
  Status reveal_all(std::vector<Entry>& entries) override;

 private:
  bool has_names() const;
  bool is_row() const;
  Status take_arff(std::string_view line);
  Status open_header(std::vector<std::string> names);
  Status begin_with(const std::vector<std::string>& names);
  bool is_in_place(std::string_view record) const;
  Status open_row(std::string_view row);

  const std::shared_ptr<const TableForm> form_;
  AttributeNames& names_;
  CsvReader inner_;
  RecordSplitter splitter_;
  OpenQuote open_quote_;
  const bool are_lines_;
  const char delimiter_;        // of rows
  const bool may_be_in_place_;  // records without quotes are such rows
  ArffHeader arff_;
  const bool is_sampled_;
  const bool may_be_utf8_;
  const HeaderChoice header_;
  std::size_t preamble_left_;   // lines
  std::size_t header_left_;     // records
  std::size_t units_left_ = 0;  // below a header of this stream: records that may be of units, and one
  bool has_begun_ = false;      // with a header, or a row
  bool has_dates_declared_ = false;
  std::vector<ColumnForm> forms_;  // of the columns below a header of this stream
  std::string text_;               // the record opened last in UTF-8
  std::string row_;                // and as inner_ reads it
};

}  // namespace glimpse
