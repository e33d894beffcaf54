#include "lab/sweeps/sweep_data.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

namespace glimpse {

namespace {

// The name without the endings of a table; empty where it has none.
std::string table_name(std::string_view file) {
  if (file.ends_with(".gz")) file.remove_suffix(3);
  if (!file.ends_with(".csv") && !file.ends_with(".svm")) return {};
  return std::string(file.substr(0, file.size() - 4));
}

DataOptions run_options(DataOptions options, bool simulated, std::uint64_t seed) {
  options.standardise_labels = true;
  if (simulated) options.data_seed = seed;
  return options;
}

}  // namespace

Result<std::vector<SweepSet>> tables_of_folder(const std::string& folder,
                                               const std::vector<std::string>& only,
                                               const DataOptions& common) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  std::map<std::string, std::size_t> named;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = table_name(entry->path().filename().string());
    std::error_code ignored;
    if (name.empty() || !entry->is_regular_file(ignored)) continue;
    files.push_back(entry->path());
    ++named[name];
  }
  if (error)
    return failure(error == std::errc::no_such_file_or_directory ? ErrorCode::kNotFound : ErrorCode::kSystem,
                   "cannot read folder '{}': {}", folder, error.message());
  std::sort(files.begin(), files.end());
  std::vector<SweepSet> sets;
  std::vector<bool> met(only.size());
  for (const auto& file : files) {
    SweepSet set;
    set.name = table_name(file.filename().string());
    if (named[set.name] > 1) set.name = file.filename().string();
    const auto wanted = std::find(only.begin(), only.end(), set.name);
    if (!only.empty() && wanted == only.end()) continue;
    if (!only.empty()) met[static_cast<std::size_t>(wanted - only.begin())] = true;
    set.data = common;
    set.data.data = file.string();
    set.of_folder = true;
    sets.push_back(std::move(set));
  }
  for (std::size_t i = 0; i < only.size(); ++i)
    if (!met[i])
      return failure(ErrorCode::kInvalidOption, "--only {}: no table in '{}' has this name", only[i], folder);
  return sets;
}

Result<SweepSource> SweepSource::load(const SweepSet& set, std::uint64_t first_seed) {
  const bool simulated = set.data.data.starts_with("simulated:");
  auto loaded = DataSource::load(run_options(set.data, simulated, first_seed));
  if (!loaded) return loaded.error();
  SweepSource source(set.data, std::move(*loaded), first_seed);
  const auto first = source.source_.prepare(first_seed);
  const auto& labels = first->train.labels;
  if (std::all_of(labels.begin(), labels.end(), [](double y) { return y == 0; }))
    return failure(ErrorCode::kInvalidInput, "{}: all labels are the same", set.name);
  source.test_size_ = first->test.size();
  return source;
}

SweepSource::SweepSource(const DataOptions& options, DataSource source, std::uint64_t first_seed)
    : options_(options),
      simulated_(options.data.starts_with("simulated:")),
      first_seed_(first_seed),
      source_(std::move(source)),
      test_size_(0) {}

Result<std::shared_ptr<const DataSet>> SweepSource::prepare(std::uint64_t seed) const {
  if (!simulated_ || seed == first_seed_) return source_.prepare(seed);
  const auto other = DataSource::load(run_options(options_, true, seed));
  if (!other) return other.error();
  return other->prepare(seed);
}

}  // namespace glimpse
