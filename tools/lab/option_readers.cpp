#include "lab/option_readers.h"

#include <algorithm>

#include "base/numbers.h"
#include "data/text/number.h"

namespace glimpse {

namespace {

// Calls `read` for each part of "a,b,c", empty ones too, up to the first Error.
template <class Read>
Status for_each_part(std::string_view text, Read read) {
  for (;;) {
    const std::string_view part = text.substr(0, text.find(','));
    if (const Status status = read(part); !status) return status;
    if (part.size() == text.size()) return {};
    text.remove_prefix(part.size() + 1);
  }
}

Error wrong_part(std::string_view option, std::string_view part, std::string_view constraint) {
  return failure(ErrorCode::kInvalidOption, "--{}: '{}' must be {}", option, part, constraint);
}

}  // namespace

Error wrong_value(std::string_view option, std::string_view text, std::string_view constraint) {
  return invalid_option(option, text.empty() ? "''" : text, fmt::format("must be {}", constraint));
}

Result<std::uint64_t> whole_number(std::string_view option, std::string_view text, std::uint64_t lowest,
                                   std::uint64_t highest) {
  if (const auto value = whole_text_as<std::uint64_t>(text); value && *value >= lowest && *value <= highest)
    return *value;
  return wrong_value(option, text, fmt::format("a whole number from {} to {}", lowest, highest));
}

OptionKind with_text(const OptionMember& place, OptionKind kind) {
  kind.read = [place, read = kind.read, part = kind.part](void* target, std::string_view option,
                                                          const std::string& text) {
    place.use->set(static_cast<std::byte*>(target) + place.offset, {.text = text});
    return read(static_cast<std::byte*>(target) + part, option, text);
  };
  kind.part = 0;
  return kind;
}

Result<MeasuringPoints> parse_prefixes(std::string_view option, std::string_view text) {
  MeasuringPoints points;
  const Status status = for_each_part(text, [&](std::string_view part) -> Status {
    std::uint64_t count = 0;
    if (part == "all")
      points.all = true;
    else if (read_index(part, count) && count > 0)
      points.counts.push_back(count);
    else
      return wrong_part(option, part, "a number of examples from 1, or all");
    return {};
  });
  if (!status) return status.error();
  return points;
}

Result<std::vector<std::uint64_t>> parse_counts(std::string_view option, std::string_view text) {
  std::vector<std::uint64_t> counts;
  const Status status = for_each_part(text, [&](std::string_view part) -> Status {
    std::uint64_t count = 0;
    if (!read_index(part, count) || count == 0) return wrong_part(option, part, "a whole number from 1");
    counts.push_back(count);
    return {};
  });
  if (!status) return status.error();
  return counts;
}

Result<double> parse_share(std::string_view option, std::string_view text) {
  double value = 0;
  if (text.ends_with('%') && read_number(text.substr(0, text.size() - 1), value) && value > 0 && value < 100)
    return value / 100;
  return wrong_value(option, text, "a share between 0% and 100%");
}

Result<std::vector<double>> parse_numbers(std::string_view option, std::string_view text) {
  std::vector<double> numbers;
  const Status status = for_each_part(text, [&](std::string_view part) -> Status {
    double value = 0;
    if (!read_number(part, value) || !(value > 0)) return wrong_part(option, part, "a number above 0");
    numbers.push_back(value);
    return {};
  });
  if (!status) return status.error();
  return numbers;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(','), text.size());
    if (length > 0) parts.emplace_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return parts;
}

}  // namespace glimpse
