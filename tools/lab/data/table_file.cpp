#include "lab/data/table_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "data/formats.h"
#include "data/records/attribute_names.h"
#include "data/records/record_framer.h"
#include "data/text/number.h"

namespace glimpse {

namespace {

RecordCursor lines_of(std::string_view text) {
  return RecordCursor(text, Framing::lines(std::numeric_limits<std::size_t>::max()));
}

// The largest index before a ':', over all of the text: svmlight does not say its dimension.
std::size_t largest_index(std::string_view text) {
  std::size_t largest = 0;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    std::size_t index = 0;
    std::size_t unit = 1;
    for (std::size_t i = colon; i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9' && unit < 10'000'000'000;
         --i, unit *= 10) {
      index += static_cast<std::size_t>(text[i - 1] - '0') * unit;
    }
    largest = std::max(largest, index);
  }
  return largest;
}

Result<FormatOptions> options_for(std::string_view text, const std::string& name, const LabelColumn& label,
                                  Format& format) {
  RecordCursor lines = lines_of(text);
  format = Format::kAuto;
  std::string_view first;
  while (const auto line = lines.next()) {
    first = *line;
    format = detect_format(first);
    if (format != Format::kAuto) break;
  }
  FormatOptions options;
  if (format == Format::kSvmlight) {
    options.dimension = largest_index(text);
  } else if (format == Format::kCsv) {
    options.dimension = static_cast<std::size_t>(std::count(first.begin(), first.end(), ','));
    options.table.label.number = label.last ? options.dimension : label.number;
    if (options.table.label.number > options.dimension)
      return failure(ErrorCode::kInvalidInput, "{}: has {} columns, and no column #{} for the label", name,
                     options.dimension + 1, label.number + 1);
  } else {
    return failure(ErrorCode::kInvalidInput, "{}: neither CSV nor svmlight: its first line is '{}'", name,
                   first.substr(0, 60));
  }
  if (options.dimension < 1)
    return failure(ErrorCode::kInvalidInput, "{}: has no attributes: its first line is '{}'", name,
                   first.substr(0, 60));
  return options;
}

}  // namespace

Result<LabelColumn> parse_label_column(std::string_view text) {
  LabelColumn column;
  column.last = text == "last";
  std::uint64_t number = 0;
  const bool is_number = text.starts_with('#') && read_index(text.substr(1), number) && number > 0;
  if (text != "first" && !column.last && !is_number)
    return failure(ErrorCode::kInvalidOption,
                   "--label-column {}: must be first, last, or a number from 1, as #5", text);
  column.number = is_number ? number - 1 : 0;
  return column;
}

Result<DenseSet> parse_table(std::string_view text, const std::string& name, const LabelColumn& label,
                             std::size_t most_attributes) {
  Format format = Format::kAuto;
  const auto options = options_for(text, name, label, format);
  if (!options) return options.error();
  if (options->dimension > most_attributes)
    return failure(ErrorCode::kInvalidInput, "{}: has {} attributes, more than {}", name, options->dimension,
                   most_attributes);
  AttributeNames names(options->dimension);
  const auto reader = make_example_reader(format, *options, names);

  DenseSet set;
  set.dimension = options->dimension;
  std::vector<Entry> entries;
  std::vector<float> row(set.dimension);
  RecordCursor lines = lines_of(text);
  std::size_t number = 0;
  while (const auto line = lines.next()) {
    ++number;
    Status status = reader->open(*line);
    if (status && reader->has_example()) {
      if (!reader->head().label)
        return failure(ErrorCode::kInvalidInput, "{}: line {} has no label", name, number);
      status = reader->reveal_all(entries);
    }
    if (!status)
      return failure(ErrorCode::kInvalidInput, "{}: line {}: {}", name, number, status.error().message);
    if (!reader->has_example()) continue;
    std::fill(row.begin(), row.end(), 0.0F);
    for (const Entry& entry : entries) {
      if (std::isnan(entry.value))
        return failure(
            ErrorCode::kInvalidInput,
            "{}: line {}: attribute {} is missing or a word; the lab needs whole examples of numbers", name,
            number, entry.attribute + 1);
      row[entry.attribute] = static_cast<float>(entry.value);
    }
    set.append(row, *reader->head().label);
  }
  if (set.size() == 0) return failure(ErrorCode::kInvalidInput, "{}: has no examples", name);
  return set;
}

}  // namespace glimpse
