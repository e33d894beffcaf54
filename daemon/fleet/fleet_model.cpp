#include "daemon/fleet/fleet_model.h"

#include <spdlog/spdlog.h>
#include <utility>

#include "daemon/training/trainer_turn.h"

namespace glimpse {

using Clock = std::chrono::steady_clock;

FleetModel::FleetModel(Parts parts) : parts_(std::move(parts)) {}

FleetModel::~FleetModel() { stop(); }

void FleetModel::begin(std::uint32_t partitions) {
  const std::lock_guard lock(mutex_);
  partitions_ = partitions;
  report_.positions.assign(partitions, std::nullopt);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void FleetModel::put(std::uint32_t partition, const StateVersion& version,
                     std::shared_ptr<const State> state) {
  const std::lock_guard lock(mutex_);
  found_.insert_or_assign(partition, Found{version, std::move(state)});
  report_.waits = true;
  changed_.notify_one();
}

void FleetModel::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

FleetModelReport FleetModel::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

void FleetModel::run() {
  for (;;) {
    std::map<std::uint32_t, Found> found;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !found_.empty(); });
      if (stopping_) return;
      found.swap(found_);
      if (!tree_) tree_.emplace(partitions_);
      in_tree_.resize(partitions_);
    }
    const auto begun = Clock::now();
    std::uint64_t examples = 0;
    Status status = fold(found);
    if (status) {
      auto state = tree_->fold();
      status = state ? adopt(*state, examples) : Status(state.error());
    }
    const std::lock_guard lock(mutex_);
    if (!status) {
      if (report_.error != status.error().message)
        spdlog::error("fleet: its model stays as it is: {}", status.error().message);
      report_.error = status.error().message;
      continue;
    }
    report_.error.clear();
    report_.positions = in_tree_;
    report_.examples = examples;
    report_.made_at = begun;
    report_.fold = Clock::now() - begun;
    report_.waits = !found_.empty();
    ++report_.folds;
  }
}

Status FleetModel::fold(const std::map<std::uint32_t, Found>& found) {
  for (const auto& [partition, of] : found) {
    if (const Status status = tree_->set(partition, *of.state); !status)
      return failure(status.error().code, "state {} of partition {}: {}", of.version.sequence, partition,
                     status.error().message);
    in_tree_[partition] = of.version.offset;
  }
  return {};
}

Status FleetModel::adopt(const State& state, std::uint64_t& examples) {
  auto whole = parts_.rebuild(state);
  if (!whole) return whole.error();
  Status status;
  const bool there =
      take_trainer_turn([&](BlockQueue::Task task) { parts_.queue.post(std::move(task)); },
                        [&](StreamProcessor& processor) {
                          if (parts_.solver != nullptr) parts_.solver->halt();
                          status = processor.take_fleet(**whole, state);
                          if (parts_.solver != nullptr)
                            parts_.solver->replace(processor.learner(), *processor.learner().solving());
                          if (!status) return;
                          examples = processor.learner().counts().examples;
                          if (parts_.promoted) parts_.promoted(processor);
                          parts_.trainer.publish();
                        });
  if (!there) return failure(ErrorCode::kUnavailable, "the trainer has ended");
  return status;
}

}  // namespace glimpse
