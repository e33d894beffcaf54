#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "checkpoint/checkpoint_store.h"
#include "daemon/config/configuration.h"
#include "daemon/ingest/input_source.h"
#include "daemon/training/stream_processor.h"
#include "data/first_records.h"

namespace glimpse {

class Topic;

/// What --input names, opened and not read yet.
struct InputSources {
  std::vector<std::unique_ptr<InputSource>> files;     ///< in their order
  std::vector<std::shared_ptr<Topic>> topics;          ///< of Kafka; none where this was built without it
  std::vector<std::pair<std::string, Error>> missing;  ///< files that cannot be opened, beside doors
  /// What a sample showed, of the file at the same place; none: of this one none was read.
  std::vector<std::optional<RecordForm>> sampled;
  std::optional<RecordForm> of_topics;  ///< the same of the first topic
};

/// What is there before any door opens.
struct Prepared {
  std::unique_ptr<StreamProcessor> processor;
  FileSystem* files = nullptr;
  std::unique_ptr<CheckpointStore> store;  ///< nullptr: checkpoints are off
  /// Holds the lock on the state directory as long as this lives. Called before each checkpoint: takes the
  /// lock again where the directory was removed or replaced, and fails where another process holds it now.
  std::function<Status()> claim;
  /// StreamProcessor::check() for this one's dimension: asked of every state before it is saved.
  std::function<Status(const State&)> check;
  /// rebuild() with the options that the running processor has, all of them filled in. Any thread.
  std::function<Result<std::unique_ptr<StreamProcessor>>(const Configuration&, const State&)> rebuild;
  InputSources inputs;   ///< of --input
  std::string restored;  ///< the checkpoint's name; empty: started from nothing
};

/// Standard input is read beside the doors where it is a pipe or a file and no --input says otherwise: a
/// terminal, /dev/null and what systemd gives are not.
void add_standard_input(Configuration& configuration);

/// Whether the files that the configuration names can be read, and say what they should (--check-config):
/// tokens, certificate and key; names, prices and moments as far as the number of attributes is known.
/// Errors: kInvalidOption.
Status check_files(const Configuration& configuration, FileSystem& files);

/// Whether a learner can be made as `configuration` says, where nothing else has a say in it: no checkpoint,
/// and no input that tells how many attributes there are. Errors: those of prepare().
Status check_learner(Configuration configuration, FileSystem& files);

/// More than a checkpoint that is restored may have: it has to be in memory.
std::uint64_t most_restored_bytes();

/// A processor as `state` left it, with the options of one that runs: as a start from that state would have
/// it, without the names that a file or a header gives then. Says nothing in the log. Errors: kMismatch where
/// the state is of other options; kCorrupt. Any thread.
Result<std::unique_ptr<StreamProcessor>> rebuild(const Configuration& configuration, FileSystem& files,
                                                 const State& state);

/// The same of nothing: it has learned from no example. Any thread.
Result<std::unique_ptr<StreamProcessor>> begin_from_nothing(Configuration configuration, FileSystem& files);

/// Of pipes and topics, whose records come when they come.
SampleLimits limits_of_messages(const Configuration& configuration);

/// What the sample of `input` shows; nothing: it shows none, or cannot be read. `known`: of the table that
/// was learned from.
std::optional<RecordForm> sample_form(const Configuration& configuration, InputSource& input,
                                      const std::optional<TableForm>& known);

/// What the sample of messages, as lines, shows; nothing: more are needed. `is_whole`: none will come.
Result<std::optional<FirstRecords>> read_messages(const Configuration& configuration, std::string_view lines,
                                                  bool is_whole);
/// The same of a sample that is whole, of `format`.
Result<std::optional<FirstRecords>> read_sample_of(const Configuration& configuration, Format format,
                                                   std::string_view records, const SampleLimits& limits);

/// Before anything is learned: what the first records of a feed show of the attributes and labels of
/// `processor` holds from now on. The log says what was understood, of `name`. Errors: kInvalidOption.
Status take_first(const Configuration& configuration, const std::string& name, FirstRecords first,
                  StreamProcessor& processor);

/// Builds the learner, and brings it to where the newest checkpoint that can be restored left it. Logs what
/// was restored and what was set aside. Without --dimension, the attributes file, then the checkpoint, and
/// then the first records of an input tell it. Errors: kInvalidOption where the options are at fault; others
/// where the state or a file is.
Result<Prepared> prepare(Configuration& configuration, FileSystem& files);

}  // namespace glimpse
