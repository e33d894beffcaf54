#include "learn/options/algorithms.h"

#include <algorithm>
#include <vector>

namespace glimpse {

namespace {

const Algorithm* find(std::string_view name) {
  const auto* found = std::find_if(kAlgorithms.begin(), kAlgorithms.end(),
                                   [&](const Algorithm& algorithm) { return algorithm.name == name; });
  return found == kAlgorithms.end() ? nullptr : found;
}

}  // namespace

bool is_algorithm(std::string_view name) { return find(name) != nullptr; }

const Algorithm& algorithm_of(std::string_view name) {
  static constexpr Algorithm kUnknown{};
  const Algorithm* const found = find(name);
  return found == nullptr ? kUnknown : *found;
}

bool is_budgeted_first_order(std::string_view name) {
  const Algorithm& algorithm = algorithm_of(name);
  return algorithm.family == AlgorithmFamily::kGradient && !algorithm.full_information &&
         !algorithm.name.empty();
}

std::string algorithm_names(bool (*has)(std::string_view), std::string_view last) {
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : kAlgorithms)
    if (has == nullptr || has(algorithm.name)) names.push_back(algorithm.name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text.append(i == 0 ? "" : i + 1 < names.size() ? ", " : last).append(names[i]);
  return text;
}

}  // namespace glimpse
