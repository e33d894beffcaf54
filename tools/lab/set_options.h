#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/option_row.h"
#include "base/result.h"
#include "lab/sweeps/sweep_data.h"

namespace glimpse {

/// Which data sets a command over several uses, as on its command line.
struct SetOptions {
  std::string folder;             ///< of tables; empty: none
  std::vector<std::string> data;  ///< further ones
  std::vector<std::string> only;  ///< of the folder; empty: all
  DataOptions common;
  std::optional<double> test_share;  ///< of files
};

/// --data, --only, --label-column, --scale, --test-share, --largest-training, --largest-dimension.
std::vector<OptionRow> set_options();

/// The tables of the folder, then the further ones; at least one. Errors: those of tables_of_folder();
/// kInvalidOption.
Result<std::vector<SweepSet>> sets_of(const SetOptions& options);

}  // namespace glimpse
