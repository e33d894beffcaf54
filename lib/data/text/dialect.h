#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/text/encoding.h"

namespace glimpse {

/// How the text of a table divides into records and fields.
struct Dialect {
  Encoding encoding = Encoding::kUtf8;
  std::string delimiter = ",";  ///< empty: each line is one field
  bool divides_by_runs =
      false;             ///< a run of blanks and tabs is one delimiter, and those at the ends are none
  char quote = '"';      ///< around fields; 0: no field is quoted
  char escape = 0;       ///< in front of a quote that is text, beside "" for "; 0: there is none
  char line_end = '\n';  ///< '\r' where that stands alone at the end of lines
  char comment = 0;      ///< lines that begin with it are no records; 0: there are no comments
  std::size_t preamble_lines = 0;  ///< in front of the header, or of the first record
  std::size_t header_records = 0;  ///< records that name the columns
  std::size_t width = 0;           ///< fields of most records; 0: not known
  std::vector<std::string> zeros =
      {};  ///< of ARFF: ArffAttribute::zero of each column; empty: of another table

  bool operator==(const Dialect&) const = default;

  /// Gives each part of a dialect to `part`, with its name.
  template <class D, class Part>
  static void each_part(D& dialect, const Part& part) {
    part("encoding", dialect.encoding);
    part("delimiter", dialect.delimiter);
    part("by-runs", dialect.divides_by_runs);
    part("quote", dialect.quote);
    part("escape", dialect.escape);
    part("line-end", dialect.line_end);
    part("comment", dialect.comment);
    part("preamble-lines", dialect.preamble_lines);
    part("header-records", dialect.header_records);
    part("width", dialect.width);
    part("zeros", dialect.zeros);
  }
};

/// "encoding=utf-8 delimiter=:: by-runs=0 quote=' …"; blanks, backslashes and other bytes of values that are
/// no visible ASCII stand as \\x20.
std::string text_of(const Dialect& dialect);
/// Of text_of(); nothing of another text.
std::optional<Dialect> dialect_of(std::string_view text);

/// `text` with a blank for each line end.
std::string one_line(std::string_view text);

/// Appends a field of RFC 4180 between such delimiters. `is_line`: of a row that is a line, with a blank for
/// each line end, and # in quotes.
void append_field(std::string_view field, bool is_line, std::string& to, char delimiter = ',');

/// Divides UTF-8 text into the records of a dialect, one at a time: RFC 4180, and beyond it a field whose
/// quote is neither at its end nor doubled has it as text. A quote that no other ends within the longest
/// record is text as well. A record that does not have Dialect::width fields so is its first line alone,
/// where one of these rules brings that nearer to the width, in turn: a quote that the line does not end is
/// text; two quotes are not one; a quote that opens a field is text where the next one opens another field;
/// no quote is one.
///
/// Of ARFF each line is a record (split_arff_row()), and those of its header are comments.
///
/// A record is the same whatever stands behind it, and where the text ends behind any later record.
/// Thread-safety: none. Memory is reused from record to record. Cost: one pass over a record, or one for each
/// rule. Of the records of one text, what was looked at for the end of a quote is not looked at again.
class RecordSplitter {
 public:
  static constexpr std::size_t kLongestRecord = std::size_t{1} << 20;

  /// `dialect` outlives this. `longest`: bytes of a record with line ends in quotes.
  explicit RecordSplitter(const Dialect& dialect, std::size_t longest = kLongestRecord)
      : dialect_(&dialect), longest_(longest) {}

  /// Divides the record at the front of `text`, which is not empty, and returns its length with its line end;
  /// 0: it goes on behind `text`. With `is_whole` nothing comes behind, and the result is never 0. `at` is
  /// where `text` begins in the one that calls with ascending `at` > 0 go on with.
  std::size_t split(std::string_view text, bool is_whole, std::uint64_t at = 0);
  /// Another text comes.
  void forget() { passed_[0].clear(), passed_[1].clear(); }
  /// The column, counted from 1, of the first quote of `line` that does not end in it; 0: there is none.
  std::size_t open_quote_of(std::string_view line);

  /// Of the record split last, without blanks around them; views into its text or into this object.
  const std::vector<std::string_view>& fields() const { return fields_; }
  /// Whether that field stood in quotes.
  const std::vector<bool>& are_quoted() const { return are_quoted_; }
  bool has_quoted() const { return std::ranges::find(are_quoted_, true) != are_quoted_.end(); }
  /// Whether the record, beside blanks, is empty, or a comment.
  bool is_blank() const { return is_blank_; }
  bool is_comment() const { return is_comment_; }
  /// Why a row of ARFF is none, and is one field.
  const Status& status() const { return status_; }
  /// Whether all its fields are empty, which are several.
  bool has_delimiters_alone() const;

 private:
  struct Rules {
    bool doubles_quotes = true;
    bool may_open_in_vain = false;
    bool has_quotes = true;
  };

  std::size_t scan(std::string_view text, Rules rules);
  bool read_quoted(std::string_view text, Rules rules, std::size_t& at);
  std::size_t delimiter_at(std::string_view text, std::size_t at) const;
  bool ends_field(std::string_view text, std::size_t at) const;
  bool is_padding(char c) const;

  const Dialect* dialect_;
  std::size_t longest_;
  std::vector<std::string_view> fields_;
  std::vector<bool> are_quoted_;
  std::string
      unescaped_;  // texts of fields with quotes in them, in room reserved beforehand so that it never moves
  // A quoted field that reaches a character, other than a quote, between the key and `end` goes on to `end`,
  // where it ends or more text is needed.
  struct Passed {
    std::uint64_t end = 0;
    std::uint64_t escape = 0;  // where the last quote stands that is text; 0: none does
  };
  std::map<std::uint64_t, Passed>
      passed_[2];  // by Rules::doubles_quotes; long fields and those without an end
  std::uint64_t at_ = 0;
  std::size_t most_fields_ = static_cast<std::size_t>(-1);  // of which scan() takes one more at most
  bool keeps_escapes_ = false;                              // scan() leaves quoted fields as they stand
  bool has_escapes_ = false;                                // and one of them has escapes
  std::size_t open_column_ = 0;  // of scan(): the first whose quote has no other, from 1; 0: none
  bool is_blank_ = false;
  bool is_comment_ = false;
  Status status_;
};

/// Tells the lines that are parts of a record of a table, where these come one by one (Framing::lines()):
/// none of them is an example. Thread-safety: none.
class OpenQuote {
 public:
  /// `dialect` outlives this.
  explicit OpenQuote(const Dialect& dialect) : dialect_(&dialect), splitter_(dialect) {}

  /// The line taken last ends in quotes.
  bool is_open() const { return bytes_ > 0; }
  void close() { bytes_ = 0; }
  /// Takes the next line. An Error (kInvalidInput) where a quote of it does not end in it, and of those
  /// behind it up to its end, at most RecordSplitter::kLongestRecord bytes of them. Cost: O(bytes).
  Status take(std::string_view line);

 private:
  const Dialect* dialect_;
  RecordSplitter splitter_;
  std::size_t bytes_ = 0;  // of the lines of the open record
  std::size_t lines_ = 0;
  std::size_t column_ = 0;
  std::string text_;
};

}  // namespace glimpse
