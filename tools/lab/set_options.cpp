#include "lab/set_options.h"

#include <algorithm>
#include <fmt/format.h>

#include "common/option_table.h"
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

std::vector<Option<SetOptions>> set_options() {
  using Types = ToolTypes<SetOptions>;
  return {
      {.name = "data",
       .value = "DATA",
       .sentence = "a further data set, may be repeated: a file, mnist:A,B[:DIR], "
                   "simulated:ridge|lasso:ALPHA[:D] or simulated:factors:F[:D]; seed S of a simulated one "
                   "has hidden weights and a stream of its own",
       .type = Types::repeated(Types::set(read_data))},
      {.name = "only",
       .value = "NAME,...",
       .sentence = "of the folder only these, named without their endings",
       .type = Types::set(read_only)},
      {.name = "label-column",
       .value = "WHICH",
       .sentence = "files in CSV: first, last, or a number from 1 as #5",
       .standard = "first",
       .type = Types::parsed(at(&SetOptions::common, &DataOptions::label), parse_label_column)},
      {.name = "scale",
       .value = "HOW",
       .sentence = "none, norm, maxabs or maxabs-norm, as run has it",
       .type = Types::parsed(at(&SetOptions::common, &DataOptions::scaling), parse_scaling)},
      {.name = "test-share",
       .value = "P%",
       .sentence = "files: share held out, another with every seed; 10% by default",
       .type = Types::parsed(at(&SetOptions::test_share), parse_share)},
      {.name = "largest-training",
       .value = "M",
       .sentence = "training sets are cut down to so many examples",
       .type = Types::set(read_largest_training)},
      {.name = "largest-dimension",
       .value = "D",
       .sentence = "files with more attributes are left out",
       .standard = "2000",
       .type = Types::whole(at(&SetOptions::common, &DataOptions::most_attributes), 1, kLargestCount)},
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
