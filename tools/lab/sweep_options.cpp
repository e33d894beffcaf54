#include "lab/sweep_options.h"

#include <algorithm>
#include <fmt/format.h>

#include "common/command_line.h"
#include "lab/options.h"

namespace glimpse {

namespace po = boost::program_options;

namespace {

constexpr std::uint64_t kMostExamples = std::uint64_t{1} << 31;

// What all data sets have in common.
Result<DataOptions> read_common(const po::variables_map& values) {
  DataOptions common;
  const auto label = parse_label_column(text_of(values, "label-column"));
  if (!label) return label.error();
  common.label = *label;
  if (const std::string scale = text_of(values, "scale"); !scale.empty()) {
    const auto scaling = parse_scaling(scale);
    if (!scaling) return scaling.error();
    common.scaling = *scaling;
  }
  if (values.count("largest-training") != 0) {
    const auto largest = whole_number(values, "largest-training", 1, kMostExamples);
    if (!largest) return largest.error();
    common.largest_training = *largest;
    common.examples = std::min<std::size_t>(common.examples, *largest);
  }
  const auto widest = whole_number(values, "largest-dimension", 1, kMostExamples);
  if (!widest) return widest.error();
  common.most_attributes = *widest;
  return common;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(','), text.size());
    if (length > 0) parts.emplace_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return parts;
}

std::string text_of(const po::variables_map& values, const char* name) {
  return values.count(name) != 0 ? values[name].as<std::string>() : std::string();
}

Result<std::vector<SweepSet>> read_sets(const std::string& folder, const po::variables_map& values) {
  std::vector<SweepSet> sets;
  auto common = read_common(values);
  if (!common) return common.error();
  DataOptions files = *common;
  if (const std::string share = text_of(values, "test-share"); !share.empty()) {
    const auto part = parse_share("test-share", share);
    if (!part) return part.error();
    files.test_share = *part;
  }
  const std::vector<std::string> only = split_list(text_of(values, "only"));
  if (!folder.empty()) {
    const auto tables = tables_of_folder(folder, only, files);
    if (!tables) return tables.error();
    sets = *tables;
  } else if (!only.empty()) {
    return failure(ErrorCode::kInvalidOption, "--only {}: needs a DIRECTORY", only[0]);
  }
  if (values.count("data") != 0)
    for (const std::string& data : values["data"].as<std::vector<std::string>>()) {
      const bool has_tests = data.starts_with("mnist:") || data.starts_with("simulated:");
      SweepSet set;
      set.name = data;
      set.data = has_tests ? *common : files;
      set.data.data = data;
      sets.push_back(std::move(set));
    }
  if (sets.empty())
    return failure(ErrorCode::kInvalidOption, "{}",
                   folder.empty()
                       ? "--data or a DIRECTORY of tables is needed"
                       : fmt::format("folder '{}' holds no table, and there is no --data", folder));
  return sets;
}

void add_set_options(po::options_description& options) {
  const auto text = [](const char* standard, const char* name) {
    return po::value<std::string>()->default_value(standard)->value_name(name);
  };
  const auto optional = [](const char* name) { return po::value<std::string>()->value_name(name); };
  auto add = options.add_options();
  add("data", po::value<std::vector<std::string>>()->value_name("DATA"),
      "a further data set, may be repeated: a file, mnist:A,B[:DIR], simulated:ridge|lasso:ALPHA[:D] or "
      "simulated:factors:F[:D]; seed S of a simulated one has hidden weights and a stream of its own");
  add("only", optional("NAME,..."), "of the folder only these, named without their endings");
  add("label-column", text("first", "WHICH"), "files in CSV: first, last, or a number counted from 0");
  add("scale", optional("HOW"), "none, norm, maxabs or maxabs-norm, as run has it");
  add("test-share", optional("P%"), "files: share held out, another with every seed; 10% by default");
  add("largest-training", optional("M"), "training sets are cut down to so many examples");
  add("largest-dimension", text("2000", "D"), "files with more attributes are left out");
}

std::string take_folder(std::vector<const char*>& arguments) {
  if (arguments.size() < 2 || arguments[1][0] == '-') return {};
  std::string folder = arguments[1];
  arguments.erase(arguments.begin() + 1);
  return folder;
}

}  // namespace glimpse
