#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>

#include "daemon/durability/checkpointer.h"
#include "daemon/http/http_types.h"
#include "daemon/support/large_jobs.h"
#include "daemon/training/block_queue.h"
#include "daemon/training/model_solver.h"
#include "daemon/training/trainer.h"
#include "merging/merge_part.h"

namespace glimpse {

/// The part of the HTTP API that takes in what others learned: POST /v1/merge, whose body is a checkpoint of
/// a learner of other examples (MERGING.md). It is merged between two examples, on the trainer's thread,
/// which waits meanwhile: for a copy of the state, the merge, and a solution. It is answered once a
/// checkpoint holds it, where there are any: so kill -9 after the answer keeps it, and one that is sent again
/// is refused; where none can be written, nothing is merged. `force=true` says that the examples are disjoint
/// all the same. I/O thread only.
class MergeApi {
 public:
  using Rebuild = std::function<Result<std::unique_ptr<StreamProcessor>>(const State&)>;

  /// What it works with. References must outlive it.
  struct Parts {
    boost::asio::io_context& io;
    LargeJobs& jobs;
    BlockQueue& queue;
    Trainer& trainer;
    ModelSolver* solver;  ///< nullptr: the learner has a model at any time
    Checkpointer& checkpointer;
    std::function<Rebuild()> rebuild;                ///< as of HttpApi
    std::function<void(StreamProcessor&)> promoted;  ///< as of HttpApi
  };

  explicit MergeApi(Parts parts) : parts_(std::move(parts)) {}

  void merge(HttpRequest request, Respond respond);

 private:
  /// What was merged, to be told.
  struct Merged {
    std::uint64_t examples = 0;  ///< those that came
    std::uint64_t all = 0;
    std::uint64_t attributes_revealed = 0;
    std::optional<std::string> checkpoint;  ///< that holds it; none where there are no checkpoints
  };

  void merge_now(const std::string& body, bool anyhow, const Rebuild& rebuild,
                 const std::shared_ptr<Respond>& respond);
  Result<Merged> take(StreamProcessor& processor, const MergePart& other, bool anyhow, const Rebuild& rebuild,
                      std::unique_ptr<StreamProcessor>& before);

  Parts parts_;
};

}  // namespace glimpse
