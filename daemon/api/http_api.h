#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include "daemon/api/fleet_plan_api.h"
#include "daemon/api/learn_api.h"
#include "daemon/api/merge_api.h"
#include "daemon/api/partial_api.h"
#include "daemon/api/plan_api.h"
#include "daemon/api/predict_api.h"
#include "daemon/api/query.h"
#include "daemon/api/serving_api.h"
#include "daemon/durability/checkpointer.h"
#include "daemon/fleet/fleet_model.h"
#include "daemon/http/http_types.h"
#include "daemon/net/connection_count.h"
#include "daemon/net/tokens.h"
#include "daemon/reports/metrics.h"
#include "daemon/support/attribute_grid.h"
#include "daemon/support/large_jobs.h"
#include "daemon/training/block_queue.h"
#include "daemon/training/model_solver.h"
#include "daemon/training/trainer.h"

namespace glimpse {

class CheckpointModels;
class Page;
struct ModelSnapshot;
struct ModelQuery;

/// The HTTP API: which path does what. Status, history and metrics come from published copies. Model and
/// moments are taken from the trainer between two examples and written out on a thread of LargeJobs. A model
/// is as of one moment: where the learner steps it is copied at once, O(d). Moments and names are taken some
/// at a time, and each row is as of its own moment. /v1/predict is PredictApi's, /v1/learn LearnApi's, what
/// is about plans PlanApi's, what is about examples known in part PartialApi's, and what is learned at all
/// and by which model ServingApi's. What names a checkpoint goes to CheckpointModels. I/O thread only.
class HttpApi {
 public:
  /// What it works with. References must outlive it.
  struct Parts {
    boost::asio::io_context& io;
    boost::asio::thread_pool& renderer;  ///< for arithmetic that is quick
    LargeJobs& jobs;                     ///< for what takes long
    BlockQueue& queue;
    Trainer& trainer;
    ModelSolver* solver;  ///< nullptr: the learner has a model at any time
    Checkpointer& checkpointer;
    const ConnectionCount& connections;
    /// A feed for a request's body; called on the trainer's thread.
    std::function<std::shared_ptr<Feed>(StreamProcessor&, const BodyReading&)> make_feed;
    std::shared_ptr<Door> door;
    std::chrono::milliseconds plan_ttl;
    std::vector<std::string> labels = {};     ///< where there are several
    CheckpointModels* checkpoints = nullptr;  ///< nullptr: there are none
    /// On the trainer's thread, once another learner has its place.
    std::function<void(StreamProcessor&)> promoted = {};
    /// Makes what restores a state with the options of now, on any thread. None: nothing can be merged.
    std::function<MergeApi::Rebuild()> rebuild = {};
    /// When the state was written that the learner is of, where it never learns.
    std::optional<std::chrono::steady_clock::time_point> written_at = std::nullopt;
    const Page* page = nullptr;  ///< nullptr: there is none
    std::optional<AttributeGrid> grid = std::nullopt;
    std::string columns = "null";  ///< columns_json()
    /// Asked for /metrics, as some may change while running.
    std::function<ReportedLimits()> limits = {};
    /// Of the fleet that this instance is a part of, which its doors do not teach; empty: there is none.
    std::function<FleetFacts()> fleet = {};
    /// Of these what stands of the model: within a task of the trainer, of the one that the task finds.
    std::function<FleetModelReport()> fleet_model = {};
    /// FleetRuntime::post(), where there is one.
    std::function<void(FleetPlanApi::Work)> fleet_work = {};
  };

  explicit HttpApi(Parts parts);

  /// Also for a body that is packed: it is unpacked on a thread of LargeJobs first.
  void handle(HttpRequest request, Respond respond);

  /// The same for a body that was unpacked, or is not to be.
  void route(HttpRequest request, Respond respond);

  /// The page and its files, which hold no data: other web pages may link to them, too.
  static bool is_open(std::string_view method, std::string_view path);
  /// 404 for a path that there is not and 405 for a method that it does not take: known before the body is.
  std::optional<HttpResponse> refuse_method(std::string_view method, std::string_view path);
  /// What a client must be allowed that requests this; kNone: anybody may.
  static Access needed_access(std::string_view method, std::string_view path);

  /// /readyz says so from now on.
  void set_ready() { not_ready_.clear(); }
  /// From now on everything that needs the trainer is refused: it works off what it has, and ends.
  void set_stopping() {
    not_ready_ = "stopping";
    stopping_ = true;
  }

 private:
  struct Route;
  static const Route* find_route(std::string_view path);
  static std::string_view timed_path(std::string_view path);  ///< of a fixed set, for times_
  void unpack(HttpRequest request, Respond respond);
  std::optional<HttpResponse> refuse_in_fleet(const HttpRequest& request) const;
  std::optional<HttpResponse> refuse_checkpoint(const HttpRequest& request) const;
  void model(const HttpRequest& request, Respond respond);
  void small_model(const ModelQuery& query, Respond respond);
  void moments(const HttpRequest& request, Respond respond);
  /// Runs `task` on the trainer's thread as soon as the learner has a model that has what is wished for.
  void with_wish(const SolutionWish& wish, std::size_t label, std::shared_ptr<Respond> respond,
                 BlockQueue::Task task);
  bool weigh(ModelSnapshot& snapshot, std::uint64_t life, bool& is_replaced);
  bool copy_bounds(ModelSnapshot& snapshot, std::size_t label, std::uint64_t life, bool& is_replaced);
  bool copy_names(std::vector<std::string>& names);
  void checkpoint(Respond respond);
  using Way = void (BlockQueue::*)(BlockQueue::Task);  // to the trainer: post() or post_short()
  /// Runs `task` on the trainer's thread as soon as the learner has a model: a `fresh` one is of no earlier
  /// than now. `respond`, which `task` moves from, gets an error when that does not come to pass any more.
  void with_model(Way way, bool fresh, std::shared_ptr<Respond> respond, BlockQueue::Task task);
  /// For the solver: runs `task` once there is a model, or tells `respond` that there will be none.
  ModelSolver::Done then(std::shared_ptr<Respond> respond, BlockQueue::Task task);
  void page(const HttpRequest& request, const Respond& respond) const;
  HttpResponse status() const;
  void history(const HttpRequest& request, Respond respond);
  std::pair<Statistics, std::optional<FleetFacts>> present() const;
  std::function<ModelHeaders()> model_headers() const;
  HttpResponse metrics() const;
  HttpResponse readiness(const HttpRequest& request) const;
  /// The answer of /readyz where it is none of ready.
  std::optional<HttpResponse> why_not_ready(bool learning) const;
  std::string failure_of_inputs() const;
  /// The same, which counts how long it took in times_; `path` is of the table of routes.
  Respond timed(std::string_view path, Respond respond);

  Parts parts_;
  LearnApi learn_;
  PartialApi partial_;
  PredictApi predict_;
  PlanApi plans_;
  FleetPlanApi fleet_plans_;
  ServingApi serving_;
  MergeApi merging_;
  RequestTimes times_;
  std::string not_ready_ = "starting";
  bool stopping_ = false;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  /// Which process answers: milliseconds since 1970.
  const std::uint64_t run_ =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                     std::chrono::system_clock::now().time_since_epoch())
                                     .count());
};

}  // namespace glimpse
