#include "daemon/trainer.h"

namespace glimpse {

Trainer::Trainer(StreamProcessor& processor, BlockQueue& queue, std::vector<std::shared_ptr<Door>> doors,
                 bool strict, Hooks hooks)
    : processor_(processor),
      queue_(queue),
      doors_(std::move(doors)),
      strict_(strict),
      hooks_(std::move(hooks)) {
  processor_.set_hooks({[this] { return queue_.has_tasks(); },
                        [this] {
                          publish();
                          run_tasks();
                        },
                        hooks_.error, hooks_.learned});
  publish();
}

Trainer::~Trainer() { join(); }

void Trainer::start() {
  thread_ = std::thread([this] { run(); });
}

void Trainer::join() {
  if (thread_.joinable()) thread_.join();
}

void Trainer::run() {
  std::string reason;
  while (!queue_.finished()) {
    pulse_.fetch_add(1, std::memory_order_relaxed);
    auto block = queue_.pop();
    // Predictions and snapshots count as well when no example comes.
    if (run_tasks()) publish();
    if (!block) continue;
    BlockResult result;
    const bool sound = processor_.process(*block, strict_, result);
    if (!sound) {
      const RecordError& error = result.errors.back();
      reason =
          fmt::format("{}: line {}: {} (--strict)", block->feed->door->name, error.record, error.message);
    }
    publish();
    if (block->done) block->done(std::move(result));
    queue_.release(block->bytes.size());
    if (!sound) queue_.discard();
  }
  publish();
  if (hooks_.stopped) hooks_.stopped(reason);
}

bool Trainer::run_tasks() {
  if (!queue_.has_tasks()) return false;
  for (const auto& task : queue_.take_tasks()) task(processor_);
  return true;
}

Statistics Trainer::statistics() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

void Trainer::publish() {
  const Learner& learner = processor_.learner();
  Statistics now;
  now.algorithm = learner.options().algorithm;
  now.dimension = learner.options().dimension;
  now.budget = is_full_information(learner.options().algorithm) ? now.dimension : learner.options().budget;
  now.phase = learner.phase();
  now.phase_reason = learner.explain_phase();
  now.step_size = learner.step_size();
  now.counts = learner.counts();
  now.predictions = processor_.predictions();
  now.clip = processor_.clip();
  now.labels = learner.labels();
  now.progressive_loss = learner.progressive_loss().total();
  now.recent_loss = learner.progressive_loss().recent();
  now.drift = learner.drift();
  now.memory_bytes = learner.memory_bytes();
  now.names = processor_.names().size();
  for (const auto& door : doors_) now.doors.push_back(*door);
  now.snapshot_at = snapshot_at_;
  const std::lock_guard lock(mutex_);
  std::swap(published_, now);
}

}  // namespace glimpse
