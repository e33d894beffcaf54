#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/option_table.h"
#include "lab/experiments/experiment.h"
#include "lab/option_readers.h"

namespace glimpse {

/// Rows that commands share of how runs are carried out and measured, and what stands before them. `place` is
/// where a value goes, as in ToolTypes.

/// The word that comes before all options, taken out of `arguments`; empty where there is none.
std::string take_word(std::vector<const char*>& arguments);

/// --jobs, --quiet.
std::vector<Option<Execution>> execution_options();

/// K of the pairwise learner.
template <class Target, class Place>
Option<Target> budget_option(Place place) {
  return {.name = "budget",
          .value = "K",
          .sentence = "attributes drawn from each example",
          .type = ToolTypes<Target>::whole(place, 1, kLargestCount),
          .is_required = true};
}

/// What becomes of a prefix that is longer than the training set.
enum class LongPrefix { kRefused, kLeftOut };

template <class Target, class Place>
Option<Target> prefixes_option(Place place, LongPrefix beyond = LongPrefix::kRefused,
                               const char* standard = "all") {
  return {.name = "prefixes",
          .value = "N,N,...",
          .sentence = beyond == LongPrefix::kRefused
                          ? "after how many training examples to measure; all: after the last"
                          : "after how many training examples to measure, where there are so many; all: "
                            "after the last",
          .standard = standard,
          .type = ToolTypes<Target>::parsed(place, parse_prefixes)};
}

template <class Target, class Place>
Option<Target> seeds_option(Place place, const char* standard) {
  return {.name = "seeds",
          .value = "N",
          .sentence = "runs",
          .standard = standard,
          .type = ToolTypes<Target>::whole(place, 1, 1'000'000)};
}

template <class Target, class Place>
Option<Target> first_seed_option(Place place) {
  return {.name = "first-seed",
          .value = "N",
          .sentence = "seed of the first run",
          .standard = "1",
          .type = ToolTypes<Target>::whole(place, 0, std::uint64_t{1} << 60)};
}

}  // namespace glimpse
