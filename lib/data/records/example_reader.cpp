#include "data/records/example_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "data/records/record_framer.h"
#include "data/text/text.h"

namespace glimpse {

Status ExampleHead::set_labels(std::span<const double> given, std::span<const std::string> names) {
  const auto is_missing = [](double value) { return std::isnan(value); };
  if (std::ranges::all_of(given, is_missing)) return {};
  const auto place = static_cast<std::size_t>(std::ranges::find_if(given, is_missing) - given.begin());
  if (place < given.size())
    return failure(
        ErrorCode::kInvalidInput,
        "label {} is missing beside others: an example is learned from with all of its labels, and asks for "
        "predictions without any",
        place < names.size() ? in_quotes(names[place]) : fmt::format("{}", place + 1));
  label = given.front();
  further_labels = given.subspan(1);
  return {};
}

std::size_t ExampleReader::line_length(std::string_view rest) { return length_of_line(rest); }

}  // namespace glimpse
