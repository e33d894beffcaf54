// Any bytes are sniffed, and the records of the dialect that comes out are written as RFC 4180 and read
// again: the same fields. How the bytes arrive changes nothing.

#include <string>
#include <vector>

#include "data/sniff.h"
#include "fuzzing.h"

namespace glimpse::sniff_fuzz {

using Records = std::vector<std::vector<std::string>>;

Records records_of(const Dialect& dialect, std::string_view text) {
  RecordSplitter splitter(dialect);
  Records records;
  while (!text.empty()) {
    const std::size_t length = splitter.split(text, true);
    require(length > 0 && length <= text.size());  // a record has a length
    text.remove_prefix(length);
    if (!splitter.is_blank() && !splitter.is_comment() && !splitter.has_delimiters_alone())
      records.emplace_back(splitter.fields().begin(), splitter.fields().end());
  }
  return records;
}

std::string written(const Records& records) {
  std::string text;
  for (const auto& record : records) {
    for (std::size_t i = 0; i < record.size(); ++i) {
      text += i > 0 ? ",\"" : "\"";
      for (const char c : record[i]) text.append(c == '"' ? 2 : 1, c);
      text += '"';
    }
    text += '\n';
  }
  return text;
}

const Fuzzer fuzzer("sniff", [](Input input) {
  const std::string_view content = input.rest();
  const auto sniffed = sniff(content, true, Format::kAuto, {});
  if (!sniffed || sniffed->format != Format::kCsv) return;
  const Dialect& dialect = sniffed->table.dialect;
  require(sniffed->table.columns.size() == dialect.width);                  // each column is described
  require(sniffed->table.certainty >= 0 && sniffed->table.certainty <= 1);  // a certainty is a share
  std::string text;
  append_as_utf8(content.substr(sniffed->mark), sniffed->encoding, text);
  const Records records = records_of(dialect, text);
  const Records again = records_of(Dialect(), written(records));
  require(records == again);  // what is written is read again
  // A record that is whole in a part of the text is the record.
  RecordSplitter part(dialect);
  RecordSplitter whole(dialect);
  const std::size_t size = text.size() / 2;
  const std::size_t length = text.empty() ? 0 : part.split(std::string_view(text).substr(0, size), false);
  if (length > 0) {
    require(whole.split(text, true) == length);  // the record of a part is as long
    require(whole.fields() == part.fields());    // the record of a part has the same fields
  }
});

}  // namespace glimpse::sniff_fuzz
