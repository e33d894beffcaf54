// The HTTP API of the service, of the newest model and of checkpoints, and how it reads bodies.

#include <utility>

#include "daemon/service.h"

namespace glimpse {

CheckpointModels::Rebuild Service::rebuild() const {
  return [make = prepared_.rebuild, options = std::make_shared<const Configuration>(configuration_)](
             const State& state) { return make(*options, state); };
}

void Service::open_api() {
  HttpApi::Parts parts{
      io_,
      renderer_,
      jobs_,
      queue_,
      *trainer_,
      solver_.get(),
      checkpointer_,
      entrance_.connections(),
      [this](StreamProcessor&, const BodyReading& body) { return make_feed(http_door_, body); },
      http_door_,
      configuration_.plan_ttl,
      configuration_.learner.labels};
  parts.promoted = [this](StreamProcessor& processor) {
    log_->note_promoted();
    checkpoint_schedule_.note_promoted(processor.learner().counts().examples);
  };
  parts.rebuild = [this] { return rebuild(); };
  if (configuration_.page) page_ = std::make_unique<Page>();
  parts.page = page_.get();
  parts.grid = configuration_.grid;
  parts.limits = [this] {
    return ReportedLimits{configuration_.queue_bytes, configuration_.max_plans, configuration_.max_sources,
                          std::chrono::duration<double>(configuration_.checkpoint_every).count()};
  };
  if (fleet_) {
    parts.rebuild = {};
    parts.fleet = [this] { return fleet_->facts(); };
    parts.fleet_model = [this] { return fleet_->model(); };
    parts.fleet_work = [this](FleetPlanApi::Work work) { fleet_->post(std::move(work)); };
  }
  if (prepared_.store) {
    checkpoints_ = std::make_unique<CheckpointModels>(
        parts, CheckpointFolder(*prepared_.files, configuration_.state_directory), rebuild(),
        [this](StreamProcessor& processor, const std::shared_ptr<Door>& door, const BodyReading& body) {
          return make_feed(processor, door, body);
        },
        CheckpointModels::Limits{configuration_.max_compared, configuration_.compared_bytes,
                                 most_restored_bytes()});
    parts.checkpoints = checkpoints_.get();
  }
  api_ = std::make_unique<HttpApi>(std::move(parts));
}

}  // namespace glimpse
