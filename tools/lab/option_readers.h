#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/experiments/experiment.h"

namespace glimpse {

/// Up to where counts of examples, attributes and runs go.
inline constexpr std::uint64_t kLargestCount = std::uint64_t{1} << 31;

/// How rows of the laboratory's options read their lists. `option` is for the message of the Error
/// (kInvalidOption).

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
