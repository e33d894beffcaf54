#include "daemon/feeds/reading_options.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <xxhash.h>

#include "base/numbers.h"
#include "data/formats/csv_cells.h"

namespace glimpse {

namespace {

// Their places are stored.
constexpr Format kFormats[] = {Format::kAuto,   Format::kSvmlight, Format::kVw, Format::kCsv,
                               Format::kNdjson, Format::kF32,      Format::kNpy};

template <class Number>
void read_number(std::string_view text, Number& number) {
  if (const auto value = whole_text_as<Number>(text)) number = *value;
}

std::string delimiter_option(char delimiter) {
  return fmt::format("--delimiter {}", delimiter == 0 ? "auto" : delimiter_word(delimiter));
}

std::string columns_option(std::uint64_t columns) {
  return columns <= kLargestNumber ? fmt::format("--label {}", columns)
                                   : "other options of --label, --ignore, --header or --decimal-comma";
}

}  // namespace

std::uint64_t columns_of(const TableOptions& table) {
  const bool is_plain = table.further_labels.empty() && table.label.kind == ColumnChoice::Kind::kNumber &&
                        table.ignored.empty() && table.header == HeaderChoice::kAuto && !table.decimal_comma;
  if (is_plain) return table.label.number;
  const auto text_of = [](const ColumnChoice& choice) {
    return choice.kind == ColumnChoice::Kind::kNumber ? fmt::format("{}", choice.number) : choice.name;
  };
  std::string text =
      fmt::format("{}\n{}\n{}\n", static_cast<int>(table.header), table.decimal_comma, text_of(table.label));
  for (const ColumnChoice& choice : table.ignored) text += text_of(choice) + '\n';
  for (const ColumnChoice& choice : table.further_labels) text += "label " + text_of(choice) + '\n';
  return XXH3_64bits(text.data(), text.size()) | (kLargestNumber + 1);
}

std::string ReadingOptions::describe() const {
  return fmt::format("format={}\nindex-base={}\nlabel-column={}\ndelimiter={}\nabsent={}\n", name_of(format),
                     index_base, columns, static_cast<unsigned>(static_cast<unsigned char>(delimiter)),
                     name_of(absent));
}

ReadingOptions ReadingOptions::with(std::string_view description) const {
  ReadingOptions options = *this;
  while (!description.empty()) {
    const std::string_view line = description.substr(0, description.find('\n'));
    description.remove_prefix(std::min(line.size() + 1, description.size()));
    const std::string_view name = line.substr(0, line.find('='));
    const std::string_view value = line.substr(std::min(name.size() + 1, line.size()));
    if (name == "format") {
      if (const auto known = parse_format(value)) options.format = *known;
    }
    if (name == "index-base") read_number(value, options.index_base);
    if (name == "label-column") read_number(value, options.columns);
    if (name == "absent") {
      if (const auto known = parse_absent(value)) options.absent = *known;
    }
    if (name == "delimiter") {
      auto code = static_cast<unsigned char>(options.delimiter);
      read_number(value, code);
      options.delimiter = static_cast<char>(code);
    }
  }
  return options;
}

std::array<std::uint64_t, kNumbersAReading> ReadingOptions::numbers() const {
  const auto place = std::find(std::begin(kFormats), std::end(kFormats), format);
  return {static_cast<std::uint64_t>(place - std::begin(kFormats)), index_base, columns,
          static_cast<unsigned char>(delimiter)};
}

ReadingOptions ReadingOptions::from(std::span<const std::uint64_t, kNumbersAReading> numbers) {
  ReadingOptions options;
  if (numbers[0] < std::size(kFormats)) options.format = kFormats[numbers[0]];
  if (numbers[1] <= 1) options.index_base = static_cast<unsigned>(numbers[1]);
  options.columns = numbers[2];
  if (numbers[3] <= 255) options.delimiter = static_cast<char>(numbers[3]);
  return options;
}

std::string ReadingOptions::difference(const ReadingOptions& other, Format actual) const {
  const auto as = [actual](Format given) { return given == Format::kAuto ? actual : given; };
  if (as(format) != as(other.format) && (format != Format::kAuto || actual != Format::kAuto) &&
      (other.format != Format::kAuto || actual != Format::kAuto))
    return fmt::format("--format {}", name_of(format));
  const Format read = as(format);
  const auto may_be = [read](Format one) { return read == one || read == Format::kAuto; };
  if (may_be(Format::kSvmlight) && index_base != other.index_base)
    return fmt::format("--index-base {}", index_base);
  if (may_be(Format::kNdjson) && absent != other.absent) return fmt::format("--absent {}", name_of(absent));
  if (may_be(Format::kCsv) && columns != other.columns) return columns_option(columns);
  if (may_be(Format::kCsv) && delimiter != other.delimiter && delimiter != 0 && other.delimiter != 0)
    return delimiter_option(delimiter);
  return {};
}

}  // namespace glimpse
