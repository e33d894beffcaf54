#include "lab/sweeps/sweep_sets.h"

#include <filesystem>
#include <iterator>
#include <utility>

namespace glimpse {

namespace {

// The message with the file's name in place of its path, which says nothing where the page is read.
std::string without_folder(std::string message, const SweepSet& set) {
  const std::filesystem::path path(set.data.data);
  const std::string name = path.filename().string();
  for (std::size_t at = message.find(path.string()); at != std::string::npos;
       at = message.find(path.string(), at + name.size()))
    message.replace(at, path.string().size(), name);
  return message;
}

}  // namespace

Result<SweepResult> run_sweeps(const std::vector<SweepSet>& sets, const Sweep& sweep,
                               const Execution& execution) {
  SweepResult result;
  Progress progress("running", 0, execution.quiet);
  for (const SweepSet& set : sets) {
    const auto source = SweepSource::load(set, sweep.first_seed);
    if (!source) {
      if (!set.of_folder) return source.error();
      result.skipped.push_back(without_folder(source.error().message, set));
      continue;
    }
    auto rows = run_sweep(set.name, *source, sweep, execution.threads, progress);
    if (!rows) {
      // What is wrong with a learner's options is wrong with every data set.
      if (!set.of_folder || rows.error().code == ErrorCode::kInvalidOption) return rows.error();
      result.skipped.push_back(rows.error().message);
      continue;
    }
    result.sets.push_back({set.name, source->dimension(), source->training_size(), source->test_size()});
    std::move(rows->begin(), rows->end(), std::back_inserter(result.rows));
  }
  return result;
}

}  // namespace glimpse
