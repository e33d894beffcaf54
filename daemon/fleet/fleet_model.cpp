#include "daemon/fleet/fleet_model.h"

#include <spdlog/spdlog.h>
#include <utility>

#include "daemon/support/memory_trouble.h"
#include "daemon/training/trainer_turn.h"

namespace glimpse {

using Clock = std::chrono::steady_clock;

namespace {

// Once for each that comes and goes.
void tell_of_left_out(const std::map<std::uint32_t, std::string>& before,
                      const std::map<std::uint32_t, std::string>& now) {
  for (const auto& [partition, why] : now)
    if (!before.contains(partition))
      spdlog::error(
          "fleet: partition {} is left out of the merged model, as its state does not match those of most "
          "partitions: {}; the partition goes on learning, and the merged model of the others answers",
          partition, why);
  for (const auto& [partition, why] : before)
    if (!now.contains(partition))
      spdlog::info("fleet: partition {} is part of the merged model again", partition);
}

}  // namespace

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
      if (!tree_) {
        tree_.emplace(partitions_);
        tree_->leave_out_misfits();
      }
      in_tree_.resize(partitions_);
    }
    const auto begun = Clock::now();
    Status status;
    try {
      put_into_tree(found);
      status = fold(begun);
    } catch (const std::bad_alloc&) {
      note_memory_trouble("the fleet's merged model was not renewed; glimpsed tries again in a second");
      std::unique_lock lock(mutex_);
      found_.merge(found);  // those that came meanwhile are newer
      changed_.wait_for(lock, std::chrono::seconds(1), [this] { return stopping_; });
      continue;
    }
    const std::lock_guard lock(mutex_);
    if (!status) {
      if (report_.error != status.error().message)
        spdlog::error("fleet: the newest states cannot be merged, and the older model goes on answering: {}",
                      status.error().message);
      report_.error = status.error().message;
      continue;
    }
    report_.error.clear();
    report_.fold = Clock::now() - begun;
    report_.waits = !found_.empty();
    ++report_.folds;
  }
}

void FleetModel::put_into_tree(const std::map<std::uint32_t, Found>& found) {
  for (const auto& [partition, of] : found) {
    unusable_.erase(partition);
    in_tree_[partition] = of.version.offset;
    const Status status = tree_->set(partition, *of.state);
    if (status) continue;
    tree_->clear(partition);
    unusable_[partition] = status.error().message;
  }
}

Status FleetModel::fold(Clock::time_point states_at) {
  const auto state = tree_->fold();
  return state ? adopt(*state, states_at) : Status(state.error());
}

std::map<std::uint32_t, std::string> FleetModel::left_out() const {
  auto all = unusable_;
  for (const auto& [part, why] : tree_->left_out()) all[static_cast<std::uint32_t>(part)] = why.message;
  return all;
}

// On the trainer's thread, while this one waits for it.
void FleetModel::note_adopted(std::uint64_t examples, Clock::time_point states_at) {
  auto without = left_out();
  const std::lock_guard lock(mutex_);
  tell_of_left_out(report_.left_out, without);
  report_.left_out = std::move(without);
  report_.positions = in_tree_;
  for (const auto& [partition, why] : report_.left_out) report_.positions[partition].reset();
  report_.examples = examples;
  report_.made_at = states_at;
}

Status FleetModel::adopt(const State& state, Clock::time_point states_at) {
  GLIMPSE_TRY_ASSIGN(auto whole, parts_.rebuild(state));
  Status status;
  const bool there =
      take_trainer_turn([&](BlockQueue::Task task) { parts_.queue.post(std::move(task)); },
                        [&](StreamProcessor& processor) {
                          if (parts_.solver != nullptr) parts_.solver->halt();
                          status = processor.take_fleet(*whole, state);
                          if (parts_.solver != nullptr)
                            parts_.solver->replace(processor.learner(), *processor.learner().solving());
                          if (!status) return;
                          note_adopted(processor.learner().counts().examples, states_at);
                          parts_.trainer.note_states(states_at);
                          if (parts_.promoted) parts_.promoted(processor);
                          parts_.trainer.publish();
                        });
  if (!there) return failure(ErrorCode::kUnavailable, "the trainer has ended");
  return status;
}

}  // namespace glimpse
