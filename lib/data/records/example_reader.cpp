#include "data/records/example_reader.h"

#include "data/records/record_framer.h"

namespace glimpse {

Status ExampleHead::set_labels(std::span<const double> given, std::size_t count) {
  if (given.empty()) return {};
  if (given.size() < count)
    return failure(
        ErrorCode::kInvalidInput,
        "{} of {} labels is missing beside others: an example is learned from with all of its labels, and "
        "asks for predictions without any",
        count - given.size(), count);
  label = given.front();
  further_labels = given.subspan(1);
  return {};
}

std::size_t ExampleReader::line_length(std::string_view rest) { return length_of_line(rest); }

}  // namespace glimpse
