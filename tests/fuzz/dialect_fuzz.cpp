// Tables of any dialect that come in pieces: the records are those of RecordSplitter in the whole text, and
// the numbers that are read are its fields. The first bytes choose the dialect and the sizes of the pieces.

#include <string>
#include <vector>

#include "data/formats.h"
#include "data/formats/dialect_reader.h"
#include "data/text/number.h"
#include "data/text/text.h"
#include "fuzzing.h"

namespace glimpse::dialect_fuzz {

Dialect dialect_of(Input& input) {
  constexpr std::string_view kDelimiters[] = {",", ";", "\t", "::", " ", "|", "", ","};
  constexpr char kQuotes[] = {'"', '"', '\'', 0};
  Dialect dialect;
  const std::uint8_t first = input.byte();
  const std::uint8_t second = input.byte();
  dialect.encoding = static_cast<Encoding>(first % 5);
  dialect.delimiter = kDelimiters[first >> 5];
  dialect.divides_by_runs = dialect.delimiter == " ";
  dialect.quote = kQuotes[second & 3];
  dialect.escape = (second & 4) != 0 ? '\\' : 0;
  dialect.line_end = (second & 8) != 0 ? '\r' : '\n';
  dialect.comment = (second & 16) != 0 ? '#' : 0;
  dialect.width = second >> 5;
  if (dialect.delimiter.empty() && dialect.width == 0) dialect.width = 1;  // TableForm::is_of_json()
  return dialect;
}

std::string in_utf8(std::string_view text, Encoding encoding) {
  std::string utf8;
  append_as_utf8(text, encoding, utf8);
  return utf8;
}

std::vector<std::string> streamed(std::string_view text, const Framing& framing, std::string_view sizes,
                                  Encoding encoding) {
  std::vector<std::string> records;
  const auto take = [&](std::string_view block, bool has_quote) {
    const Exact exact(block);
    RecordCursor cursor(exact.view(), framing, has_quote);
    while (const auto record = cursor.next()) records.push_back(in_utf8(*record, encoding));
  };
  RecordFramer framer(framing);
  std::size_t begin = 0;
  for (std::size_t end = 0, piece = 0; end < text.size(); ++piece) {
    const std::size_t size = sizes.empty() ? 1 : 1 + static_cast<unsigned char>(sizes[piece % sizes.size()]);
    end = std::min(text.size(), end + size);
    const auto whole = framer.whole_records(text.substr(begin, end - begin));
    require(whole.has_value() && *whole <= end - begin);
    take(text.substr(begin, *whole), framer.has_quote());
    begin += *whole;
  }
  take(text.substr(begin), true);
  return records;
}

void check_numbers(DialectReader& reader, const AttributeNames& names, const RecordSplitter& splitter) {
  const auto& fields = splitter.fields();
  for (std::size_t i = 1; i < fields.size(); ++i) {
    const auto attribute = static_cast<Attribute>(i - 1);
    double wanted = 0;
    double value = 0;
    if (names.categories().holds(attribute) || !read_number(trimmed(fields[i]), wanted)) continue;
    require(reader.reveal({&attribute, 1}, {&value, 1}).has_value() && value == wanted);
  }
}

const Fuzzer fuzzer("dialect", [](Input input) {
  auto form = std::make_shared<TableForm>();
  form->dialect = dialect_of(input);
  const Dialect& dialect = form->dialect;
  const std::string_view sizes = input.take(input.byte() % 8);
  const std::string_view text = input.rest();
  const std::string whole = in_utf8(text, dialect.encoding);
  const Framing framing = framing_of(Format::kCsv, 0, 1 << 20, form);
  const auto records = streamed(text, framing, sizes, dialect.encoding);
  AttributeNames names(dialect.width > 1 ? dialect.width - 1 : 1);
  DialectReader reader(form, {}, names);
  RecordSplitter splitter(dialect);
  std::size_t count = 0;
  for (std::string_view rest = whole; !rest.empty(); ++count) {
    const std::size_t mark = rest.size() - without_mark(rest).size();
    const std::size_t length = mark == rest.size() ? mark : mark + splitter.split(rest.substr(mark), true);
    std::string_view record = rest.substr(0, length);
    rest.remove_prefix(length);
    if (record.ends_with(dialect.line_end)) record.remove_suffix(1);
    if (record.ends_with('\r')) record.remove_suffix(1);
    require(count < records.size() && records[count] == record);  // however the text is cut
    if (reader.open(record) && reader.has_example() && splitter.fields().size() == dialect.width &&
        dialect.width > 1 && dialect.encoding == Encoding::kUtf8 && !reader.rows_end_with_delimiter())
      check_numbers(reader, names, splitter);
  }
  require(count == records.size());
});

}  // namespace glimpse::dialect_fuzz
