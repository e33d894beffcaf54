#include "lab/set_options.h"

#include <algorithm>
#include <fmt/format.h>

#include "common/tool.h"
#include "lab/option_readers.h"

namespace glimpse {

namespace {

Status read_data(SetOptions& options, std::string_view, const std::string& text) {
  options.data.push_back(text);
  return {};
}

Status read_only(SetOptions& options, std::string_view, const std::string& text) {
  options.only = split_list(text);
  return {};
}

Status read_largest_training(SetOptions& options, std::string_view option, const std::string& text) {
  const auto largest = whole_number(option, text, 1, kLargestCount);
  if (!largest) return largest.error();
  options.common.largest_training = *largest;
  options.common.examples = std::min<std::size_t>(options.common.examples, *largest);
  return {};
}

}  // namespace

std::vector<OptionRow> set_options() {
  using Types = OptionKind;
  return {
      {"data DATA",
       "a further data set, may be repeated: a file, mnist:A,B[:DIR], "
       "simulated:ridge|lasso:ALPHA[:D] or simulated:factors:F[:D]; seed S of a simulated one "
       "has hidden weights and a stream of its own",
       Types::custom(read_data).repeated()},
      {"only NAME,...", "of the folder only these, named without their endings", Types::custom(read_only)},
      {"label-column WHICH = first", "files in CSV: first, last, or a number from 1 as #5",
       Types::parsed({&SetOptions::common, &DataOptions::label}, of_text(parse_label_column))},
      {"scale HOW", "none, norm, maxabs or maxabs-norm, as run has it",
       Types::parsed({&SetOptions::common, &DataOptions::scaling}, of_text(parse_scaling))},
      {"test-share P%", "files: share held out, another with every seed; 10% by default",
       Types::parsed(&SetOptions::test_share, parse_share)},
      {"largest-training M", "training sets are cut down to so many examples",
       Types::custom(read_largest_training)},
      {"largest-dimension D = 2000", "files with more attributes are left out",
       Types::whole({&SetOptions::common, &DataOptions::most_attributes}, 1, kLargestCount)},
  };
}

Result<std::vector<SweepSet>> sets_of(const SetOptions& options) {
  std::vector<SweepSet> sets;
  DataOptions files = options.common;
  files.test_share = options.test_share;
  if (!options.folder.empty()) {
    const auto tables = tables_of_folder(options.folder, options.only, files);
    if (!tables) return tables.error();
    sets = *tables;
  } else if (!options.only.empty()) {
    return failure(ErrorCode::kInvalidOption, "--only {}: needs a DIRECTORY", options.only[0]);
  }
  for (const std::string& data : options.data) {
    const bool has_tests = data.starts_with("mnist:") || data.starts_with("simulated:");
    SweepSet set;
    set.name = data;
    set.data = has_tests ? options.common : files;
    set.data.data = data;
    sets.push_back(std::move(set));
  }
  if (sets.empty())
    return failure(ErrorCode::kInvalidOption, "{}",
                   options.folder.empty()
                       ? "--data or a DIRECTORY of tables is needed"
                       : fmt::format("folder '{}' holds no table, and there is no --data", options.folder));
  return sets;
}

}  // namespace glimpse
