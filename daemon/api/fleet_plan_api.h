#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>

#include "daemon/api/plan_requests.h"
#include "daemon/bodies/plan_bodies.h"
#include "daemon/fleet/fleet_member.h"
#include "daemon/fleet/fleet_model.h"
#include "daemon/http/http_types.h"
#include "daemon/support/large_jobs.h"

namespace glimpse {

/// /v1/ask, /v1/tell and /v1/plans of an instance of a fleet. A plan belongs to a partition, and its
/// partition's owner alone gives it out and is told of it; who asks elsewhere is told where the owner answers
/// (409 `elsewhere`). What was asked and told is answered once a state of the partition that has it is
/// committed: a kill of an instance loses nothing that was answered. Where the partition went to another
/// owner before, the answer is 503 `not_committed`, and the same may be asked again; what was learned all the
/// same is a `duplicate` then. The work is done on the fleet's thread, a request at a time. I/O thread only.
class FleetPlanApi {
 public:
  using Work = std::function<void(FleetMember*)>;

  /// What it works with. References must outlive it.
  struct Parts {
    boost::asio::io_context& io;
    LargeJobs& jobs;
    /// FleetRuntime::post() and facts().
    std::function<void(Work)> post;
    std::function<FleetFacts()> facts;
    std::chrono::milliseconds default_ttl;
    /// /v1/ask for a prediction, which the model of all answers. Called on the I/O thread.
    std::function<void(HttpRequest, Respond)> choose;
  };

  explicit FleetPlanApi(Parts parts) : parts_(std::move(parts)) {}

  void ask(HttpRequest request, Respond respond);
  void tell(HttpRequest request, Respond respond);
  /// Of the partitions that are here.
  void list(const HttpRequest& request, Respond respond);
  /// `token`: what follows /v1/plans/ in the path.
  void abandon(const std::string& token, Respond respond);

 private:
  struct Asking;
  struct Telling;

  void read_ask_of(const std::shared_ptr<Asking>& asking);
  void give_plans(Asking& asking, FleetMember& member, std::uint32_t partition);
  void read_tell_of(const std::shared_ptr<Telling>& telling);
  void tell_all(const std::shared_ptr<Telling>& telling, FleetMember& member);
  TellAnswer tell_one(Telling& telling, FleetMember& member, std::size_t item);
  void finish(const std::shared_ptr<Telling>& telling);
  /// Posts `work` with the member, and answers where there is none.
  void with_member(std::shared_ptr<Respond> respond, std::function<void(FleetMember&)> work);
  void answer(Respond& respond, HttpResponse response);
  /// That the partition is not here, and who has it.
  HttpResponse not_here(std::uint32_t partition) const;

  Parts parts_;
};

}  // namespace glimpse
