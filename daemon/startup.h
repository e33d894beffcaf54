#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/file.h"
#include "checkpoint/checkpoint_store.h"
#include "daemon/configuration.h"
#include "daemon/stream_processor.h"

namespace glimpse {

/// What is there before any door opens.
struct Prepared {
  std::unique_ptr<StreamProcessor> processor;
  std::unique_ptr<CheckpointStore> store;  ///< nullptr: checkpoints are off
  /// Holds the lock on the state directory as long as this lives. Called before each checkpoint: takes the
  /// lock again where the directory was removed or replaced, and fails where another process holds it now.
  std::function<Status()> claim;
  std::string restored;  ///< the checkpoint's name; empty: started from nothing
};

/// Builds the learner, and brings it to where the newest checkpoint left it. Logs what was restored and what
/// was set aside. Without --dimension, the attributes file, and then the checkpoint, tell it. Errors:
/// kInvalidOption where the options are at fault; others where the state or a file is.
Result<Prepared> prepare(Configuration& configuration, FileSystem& files);

}  // namespace glimpse
