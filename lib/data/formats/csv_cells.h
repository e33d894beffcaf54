#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/records/cell.h"

namespace glimpse {

/// Of a line whose label is no number, where labels are numbers; of a word it says how words are classes.
Error label_is_no_number(std::string_view label);
/// Of a number: digits alone, as a column may be called. A row with another number is no header.
bool may_be_name(std::string_view field);

/// The character that divides most fields of `row`, outside quotes: tab, semicolon or comma, in this order at
/// equal numbers, and no comma where these are `decimal_comma`s. A blank where there is none of them, and a
/// comma where there is no blank either.
char delimiter_of(std::string_view row, bool decimal_comma);
/// Whether the last field of a row, which has no quotes, is empty and not its only one.
bool ends_empty(std::string_view row, char delimiter);
/// As --delimiter has it: "','", "tab", "space".
std::string delimiter_word(char delimiter);

/// What to do about a field of a table that is no number, without blanks around it: ": --decimal-comma where
/// the comma of '1,5' is decimal". Empty: nothing of the kind is known. `decimal_comma`: the option is given.
std::string cell_mend(std::string_view field, bool decimal_comma);

/// Divides a CSV record into fields with all the rules (RFC 4180 on one line): a field may stand in double
/// quotes, then delimiters in it are text and "" is one quote. Blanks around fields and around their quotes
/// are dropped. A quote inside an unquoted field is text. For headers and rows with quotes; rows without are
/// read in place, without this. Thread-safety: none. The memory is reused from record to record.
class CsvFields {
 public:
  /// As another divided the record; they live as long as those.
  void assign(const std::vector<std::string_view>& fields) { fields_ = fields; }
  /// An Error when a quote does not end, when text follows it, or when there are more than `most` fields.
  Status split(std::string_view record, char delimiter, std::size_t most = static_cast<std::size_t>(-1));

  /// Of the record split last; views into it or into this object.
  const std::vector<std::string_view>& fields() const { return fields_; }

 private:
  bool read_quoted(std::string_view record, std::size_t& at);

  std::vector<std::string_view> fields_;
  std::string unescaped_;  // the text of fields with "", in room reserved beforehand so that it never moves
};

}  // namespace glimpse
