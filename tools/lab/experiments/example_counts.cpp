#include "lab/experiments/example_counts.h"

#include <fmt/format.h>

#include "data/text/number.h"

namespace glimpse {

void ExampleCounts::add(std::uint64_t examples, const LearnerCounts& counts) {
  *this += {examples, counts.diverged, counts.out_of_range, counts.missing};
}

ExampleCounts& ExampleCounts::operator+=(const ExampleCounts& other) {
  given += other.given;
  diverged += other.diverged;
  out_of_range += other.out_of_range;
  missing += other.missing;
  return *this;
}

std::string to_text(const ExampleCounts& counts) {
  std::string text =
      fmt::format("{} of {} examples were not learned from:", counts.unlearned(), counts.given);
  const char* separator = " ";
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", separator, count, what);
    separator = ", ";
  };
  add(counts.diverged, "diverged (a smaller step may help)");
  add(counts.out_of_range, "out of range");
  add(counts.missing, "had a missing value");
  return text;
}

std::string to_comment(const ExampleCounts& counts) {
  return fmt::format("# examples given={} diverged={} out_of_range={} missing={}\n", counts.given,
                     counts.diverged, counts.out_of_range, counts.missing);
}

std::optional<ExampleCounts> parse_comment(std::string_view line) {
  ExampleCounts counts;
  for (const auto& [before, value] :
       {std::pair{"# examples given=", &counts.given}, std::pair{" diverged=", &counts.diverged},
        std::pair{" out_of_range=", &counts.out_of_range}, std::pair{" missing=", &counts.missing}}) {
    if (!line.starts_with(before)) return std::nullopt;
    line.remove_prefix(std::string_view(before).size());
    const std::size_t end = line.find_first_of(" \n");
    if (end == std::string_view::npos || !read_index(line.substr(0, end), *value)) return std::nullopt;
    line.remove_prefix(end);
  }
  return line == "\n" ? std::optional(counts) : std::nullopt;
}

}  // namespace glimpse
