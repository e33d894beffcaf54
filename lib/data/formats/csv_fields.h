#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// Divides a CSV record into fields with all the rules (RFC 4180 on one line): a field may stand in double
/// quotes, then delimiters in it are text and "" is one quote. Blanks around fields and around their quotes
/// are dropped. A quote inside an unquoted field is text. For headers and rows with quotes; rows without are
/// read in place, without this. Thread-safety: none. The memory is reused from record to record.
class CsvFields {
 public:
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
