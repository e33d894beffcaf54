#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "common/tool.h"
#include "lab/experiments/experiment.h"
#include "lab/option_readers.h"

namespace glimpse {

/// Rows that commands share of how runs are carried out and measured, and what stands before them. `place` is
/// where a value goes.

/// The word that comes before all options, taken out of `arguments`; empty where there is none.
std::string take_word(std::vector<const char*>& arguments);

/// --jobs, --quiet.
std::vector<OptionRow> execution_options();

/// K of the pairwise learner.
inline OptionRow budget_option(const OptionMember& place) {
  return {"budget K",
          "attributes drawn from each example",
          OptionKind::whole(place, 1, kLargestCount),
          {.is_required = true}};
}

/// What becomes of a prefix that is longer than the training set.
enum class LongPrefix { kRefused, kLeftOut };

inline OptionRow prefixes_option(const OptionMember& place, LongPrefix beyond = LongPrefix::kRefused,
                                 std::string_view standard = "all") {
  return {fmt::format("prefixes N,N,... = {}", standard),
          beyond == LongPrefix::kRefused
              ? "after how many training examples to measure; all: after the last"
              : "after how many training examples to measure, where there are so many; all: "
                "after the last",
          OptionKind::parsed(place, parse_prefixes)};
}

inline OptionRow seeds_option(const OptionMember& place, std::string_view standard) {
  return {fmt::format("seeds N = {}", standard), "runs", OptionKind::whole(place, 1, 1'000'000)};
}

inline OptionRow first_seed_option(const OptionMember& place) {
  return {"first-seed N = 1", "seed of the first run", OptionKind::whole(place, 0, std::uint64_t{1} << 60)};
}

}  // namespace glimpse
