// The HTTP API of the service, of the newest model and of checkpoints, and how it reads bodies.

#include <utility>

#include "daemon/service.h"
#include "data/formats/validating_reader.h"

namespace glimpse {

FormatOptions Service::format_options(StreamProcessor& processor) const {
  FormatOptions options;
  options.dimension = configuration_.learner.dimension;
  options.svmlight_index_base = configuration_.index_base;
  options.table = configuration_.table;
  options.absent = configuration_.absent;
  options.known_table = &processor.known_table();
  return options;
}

std::shared_ptr<Feed> Service::make_feed(StreamProcessor& processor, const std::shared_ptr<Door>& door,
                                         const BodyReading& reading, const std::string& addressable_name) {
  FormatOptions options = format_options(processor);
  options.absent = reading.absent.value_or(options.absent);
  options.table.header = reading.header.value_or(options.table.header);
  options.table.delimiter = reading.delimiter.value_or(options.table.delimiter);
  options.table.goes_on = reading.first_line > 1 && options.table.header == HeaderChoice::kNo;
  auto feed =
      processor.make_feed(door, reading.format, options, configuration_.max_line_bytes, addressable_name);
  if (addressable_name.empty()) feed->records = reading.first_line - 1;
  if (configuration_.validate_full) {
    feed->inner_reader = feed->reader.get();
    feed->reader = std::make_unique<ValidatingReader>(std::move(feed->reader));
  }
  feed->replies = configuration_.replies;
  return feed;
}

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
