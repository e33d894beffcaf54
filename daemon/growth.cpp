#include "daemon/growth.h"

#include <algorithm>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "data/records/attribute_names.h"
#include "learn/options/state_options.h"
#include "learn/pairwise/grown_state.h"

namespace glimpse {

namespace {

// The first few of them; "attributes 12 to 14" where they have no names.
std::string new_attributes(std::size_t before, std::size_t now, const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 5;
  if (names.size() != now)
    return now == before + 1 ? fmt::format("number {}", before)
                             : fmt::format("numbers {} to {}", before, now - 1);
  std::string text;
  for (std::size_t i = before; i < std::min(now, before + kMostNamed); ++i)
    text.append(i > before ? ", " : "").append(names[i]);
  return now > before + kMostNamed ? text + ", ..." : text;
}

}  // namespace

Result<std::optional<State>> grow(const State& state, const LearnerOptions& options,
                                  const std::vector<std::string>& names, bool is_quiet) {
  const std::string_view algorithm = option_of(state, "algorithm");
  const bool same = options.algorithm == kAutomatic || options.algorithm == algorithm;
  std::optional<State> grown;
  if (!same || !keeps_pairs(algorithm)) return grown;
  const std::size_t before = number_of(state, "dimension");
  const std::size_t now = options.dimension > 0 ? options.dimension : names.size();
  if (now > before) {
    LearnerOptions all = options;
    all.dimension = now;
    GLIMPSE_TRY_ASSIGN(grown, with_more_attributes(state, now, active_limit(all)));
    if (!is_quiet)
      spdlog::info("{} new attribute{} behind the {} of the state: {}", now - before,
                   now == before + 1 ? "" : "s", before, new_attributes(before, now, names));
  }
  const std::size_t budget = number_of(state, "budget");
  if (options.budget > 0 && options.budget != budget) {
    GLIMPSE_TRY_ASSIGN(grown, with_budget(grown ? *grown : state, options.budget));
    if (!is_quiet) spdlog::info("--budget {}: the state was made with {}", options.budget, budget);
  }
  return grown;
}

std::vector<std::string> names_with_new(const State& state, const std::vector<std::string>& header) {
  AttributeNames known(number_of(state, "dimension"));
  if (!known.restore(state) || !known.are_complete()) return {};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < known.dimension(); ++i)
    names.emplace_back(known.name(static_cast<Attribute>(i)));
  const auto is_in_header = [&](const std::string& name) {
    return std::ranges::find(header, name) != header.end();
  };
  if (!std::ranges::all_of(names, is_in_header)) return {};
  for (const std::string& name : header)
    if (!known.find(name)) names.push_back(name);
  return names;
}

}  // namespace glimpse
