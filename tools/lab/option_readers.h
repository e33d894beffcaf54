#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/option_row.h"
#include "base/result.h"
#include "lab/experiments/experiment.h"

namespace glimpse {

/// Up to where counts of examples, attributes and runs go.
inline constexpr std::uint64_t kLargestCount = std::uint64_t{1} << 31;

/// How rows of the laboratory's options read their lists. `option` is for the message of the Error
/// (kInvalidOption).

/// "--option text: must be …".
Error wrong_value(std::string_view option, std::string_view text, std::string_view constraint);

/// A whole number within [lowest, highest].
Result<std::uint64_t> whole_number(std::string_view option, std::string_view text, std::uint64_t lowest,
                                   std::uint64_t highest);

/// `parse(text)`, which does not ask for the option's name.
template <class Parse>
auto of_text(Parse parse) {
  return [=](std::string_view, const std::string& text) { return parse(text); };
}

/// As `kind`, and the text is kept, for those who say how they were called.
OptionKind with_text(const OptionMember& place, OptionKind kind);

/// "100,1000,all": points in examples.
Result<MeasuringPoints> parse_prefixes(std::string_view option, std::string_view text);

/// "1,2,4", each from 1, in the order given.
Result<std::vector<std::uint64_t>> parse_counts(std::string_view option, std::string_view text);

/// "10%" is 0.1, above 0% and below 100%.
Result<double> parse_share(std::string_view option, std::string_view text);

/// "0.5,1,2", each above 0, in the order given.
Result<std::vector<double>> parse_numbers(std::string_view option, std::string_view text);

/// "a,b,c" without its empty parts.
std::vector<std::string> split_list(std::string_view text);

}  // namespace glimpse
