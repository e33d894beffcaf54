#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/file.h"
#include "checkpoint/checkpoint.h"
#include "data/text/text.h"
#include "glimpsectl/commands.h"
#include "merging/merge_tree.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

namespace json = boost::json;

// Memory: one file at a time, and what the tree keeps.
Result<std::uint64_t> add_file(FileSystem& files, const std::string& file, std::size_t i, MergeTree& tree) {
  GLIMPSE_TRY_ASSIGN(const auto bytes, files.read(file));
  const auto of_file = [&](const Error& error) {
    return failure(error.code, "'{}': {}", file, error.message);
  };
  const auto state = decode_checkpoint(bytes);
  if (!state) return of_file(state.error());
  if (const Status set = tree.set(i, *state, checksum_of(bytes)); !set) return of_file(set.error());
  const auto counts = state->get<std::uint64_t>("learner.counts");
  return counts && !counts->empty() ? (*counts)[0] : 0;
}

// Beside it first, so that the name never stands for half of one.
Status write_atomically(FileSystem& files, const std::string& path, const State& state) {
  const std::filesystem::path target(path);
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
  const std::string temporary = folder + "/." + target.filename().string() + ".tmp";
  {
    GLIMPSE_TRY_ASSIGN(auto file, files.create(temporary));
    Status written = write_checkpoint(*file, state);
    if (written) written = file->sync();
    if (!written) {
      (void)files.remove(temporary);
      return written;
    }
  }
  if (const Status renamed = files.rename(temporary, path); !renamed) {
    (void)files.remove(temporary);
    return renamed;
  }
  return files.sync_directory(folder);
}

std::string merge_report(const json::object& told) {
  std::string report;
  Table parts({{"checkpoint", true}, {"examples"}});
  for (const auto& part : told.at("parts").as_array())
    parts.add({std::string(part.at("file").as_string()),
               with_thousands(part.at("examples").to_number<std::uint64_t>())});
  parts.add({std::string(told.at("file").as_string()),
             with_thousands(told.at("examples").to_number<std::uint64_t>())});
  return parts.text() + "\n" + std::string(told.at("options").as_string());
}

}  // namespace

Status merge_checkpoints(const CommandLine& line, Console& console) {
  PosixFileSystem files;
  MergeTree tree(line.files.size());
  tree.set_anyhow(line.force);
  json::array parts;
  for (std::size_t i = 0; i < line.files.size(); ++i) {
    GLIMPSE_TRY_ASSIGN(const auto examples, add_file(files, line.files[i], i, tree));
    parts.push_back({{"file", valid_utf8(line.files[i])}, {"examples", examples}});
  }
  GLIMPSE_TRY_ASSIGN(auto merged, tree.fold());
  const auto whole = tree.merged();
  const LearnerCounts counts = (*whole)->learner().counts();
  // As a start will: what cannot be restored is not written.
  GLIMPSE_TRY(MergePart::restore(merged));
  GLIMPSE_TRY(write_atomically(files, line.output, merged));
  json::array labels;
  for (const std::string& word : (*whole)->names().categories().label_words())
    labels.push_back(json::value(valid_utf8(word)));
  const json::object told{{"file", valid_utf8(line.output)},
                          {"examples", counts.examples},
                          {"attributes_revealed", counts.attributes_revealed},
                          {"classes", std::move(labels)},
                          {"options", std::string(*merged.get_text("learner.options"))},
                          {"parts", std::move(parts)}};
  return write_output("", line.json ? json::serialize(told) + "\n" : merge_report(told), console);
}

}  // namespace glimpse::ctl
