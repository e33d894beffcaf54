#pragma once

#include <cstdint>

#include "common/output.h"
#include "common/tool.h"
#include "lab/data_options.h"
#include "lab/method_options.h"
#include "lab/shared_options.h"

namespace glimpse {

/// A command that takes one method through the same prefixes once a seed, and prints what `check` found as
/// CSV.
template <auto check>
struct SeededCheck {
  DataOptions data;
  MethodOptions method;
  MeasuringPoints points;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1;
  Execution execution;

  static std::vector<OptionRow> options() {
    return joined({of_part(data_options(), &SeededCheck::data),
                   of_part(method_options(), &SeededCheck::method),
                   {prefixes_option(&SeededCheck::points), seeds_option(&SeededCheck::seeds, "1"),
                    first_seed_option(&SeededCheck::first_seed)},
                   of_part(execution_options(), &SeededCheck::execution)});
  }

  Status run() const {
    const auto source = DataSource::load(data);
    if (!source) return source.error();
    if (const Status status = check_prefixes(points, source->training_size()); !status) return status;
    const auto found = check(method.method, points, first_seed, seeds, *source, execution);
    if (!found) return found.error();
    Output output;
    output.buffer() += to_csv(*found);
    return output.finish();
  }
};

}  // namespace glimpse
