#include "daemon/training/trainer.h"

#include <ctime>
#include <spdlog/spdlog.h>

#include "base/at_end.h"
#include "daemon/statistics/statistics.h"
#include "daemon/support/memory_trouble.h"

namespace glimpse {

Trainer::Trainer(StreamProcessor& processor, BlockQueue& queue, ModelSolver* solver, JudgeWorker* judges,
                 std::vector<std::shared_ptr<Door>> doors, bool strict, Hooks hooks)
    : processor_(processor),
      queue_(queue),
      solver_(solver),
      judges_(judges),
      doors_(std::move(doors)),
      strict_(strict),
      hooks_(std::move(hooks)) {
  StreamProcessor::Hooks of_processor;
  of_processor.wants_pause = [this] { return !stands_in_ && (queue_.has_tasks() || wants_turn()); };
  of_processor.pause = [this] {
    publish();
    run_tasks();
    if_memory_allows("work on the next model waits; an older model answers", [this] { take_turn(); });
  };
  of_processor.error = hooks_.error;
  of_processor.following = [this](const Feed& feed) { return queue_.following(feed); };
  of_processor.learned = [this](double label) {
    // It is learned, whatever becomes of this: what is thrown here would have it learned again.
    if (hooks_.learned)
      if_memory_allows("a line of the log or of the progress table is missing",
                       [&] { hooks_.learned(label); });
    if (history_.is_due(processor_.learner().counts().examples))
      if_memory_allows("a sample of the history was left out", [this] { note_history(gather()); });
  };
  processor_.buying().set_spent(hooks_.spent);
  processor_.set_strict(strict_);
  if (solver_ != nullptr) of_processor.predicting = [this] { solver_->need_model(); };
  processor_.set_hooks(std::move(of_processor));
  // A block that may stop everything, or that waits for a model, is the trainer's own.
  std::function<void(Block)> amid;
  if (!strict_) amid = [this](Block block) { process(block); };
  queue_.set_stand_in({[this](const Block&) { return !strict_ && (!solver_ || solver_->has_model(false)); },
                       std::move(amid),
                       [this](Block block) {
                         const AtEnd end([this] { stands_in_ = false; });
                         stands_in_ = true;  // what else there is to do is left to the trainer
                         process(block);
                         return next_quiet_turn();
                       },
                       [this](const BlockQueue::Task& task) {
                         const AtEnd end([this] { stands_in_ = false; });
                         stands_in_ = true;
                         run_task(task);
                         publish();
                         return next_quiet_turn();
                       }});
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
  quiet_since_ = Clock::now();
  while (!queue_.finished()) {
    pulse_.fetch_add(1, std::memory_order_relaxed);
    auto block = queue_.pop(next_quiet_turn());
    // Predictions, snapshots and models count as well when no example comes.
    if (run_tasks()) publish();
    if (block) {
      if (!process(*block)) queue_.discard();
    } else if (solver_ != nullptr) {
      if_memory_allows("work on the next model waits; an older model answers",
                       [this] { solver_->quiet_turn(quiet_since_); });
    }
  }
  if (reason_.empty()) processor_.end_samples(true);
  note_failure();
  if (processor_.has_kept()) {
    if (solver_ != nullptr) solver_->halt();
    processor_.test_kept();
  }
  if (solver_ != nullptr) solver_->stop();
  queue_.end();
  history_.take_next();
  publish();
  timespec taken{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &taken);
  spdlog::debug("the thread that learns took {:.6f} s of a processor",
                static_cast<double>(taken.tv_sec) + static_cast<double>(taken.tv_nsec) * 1e-9);
  if (hooks_.stopped) hooks_.stopped(std::move(reason_));
}

std::optional<Trainer::Clock::time_point> Trainer::next_quiet_turn() const {
  return solver_ != nullptr ? solver_->next_quiet_turn(quiet_since_) : std::nullopt;
}

// False when --strict makes it the last.
bool Trainer::process(Block& block) {
  const AtEnd end([this, bytes = block.bytes.size()] {
    queue_.release(bytes);
    quiet_since_ = Clock::now();
  });
  BlockResult result;
  bool sound = processor_.process(block, strict_, result);
  if (sound && note_failure()) {
    sound = false;
  } else if (!sound) {
    reason_ = "(--strict)";
    if_memory_allows("the record that ended glimpsed (--strict) was not logged", [&] {
      if (!result.errors.empty()) tell_failure(block.feed->door->name, result.errors.back());
    });
  }
  publish();
  if (block.feed) block.feed->waiting.fetch_sub(1, std::memory_order_relaxed);
  if (block.done) if_memory_allows("a request was answered with 503", [&] { block.done(std::move(result)); });
  return sound;
}

void Trainer::tell_failure(const std::string& door, const RecordError& error) {
  reason_ = fmt::format("{}: line {}: {} (--strict)", door, error.record, error.message);
}

// A record of a sample that somebody else ended.
bool Trainer::note_failure() {
  const auto failure = processor_.take_failure();
  if (failure) tell_failure(failure->first, failure->second);
  return failure.has_value();
}

bool Trainer::wants_turn() {
  if (solver_ != nullptr) return solver_->wants_turn();
  return judges_ != nullptr && judges_->wants_turn(*processor_.learner().solving());
}

void Trainer::take_turn() {
  if (solver_ != nullptr) solver_->turn();
  if (judges_ != nullptr) judges_->turn(*processor_.learner().solving());
}

bool Trainer::run_tasks() {
  if (!queue_.has_tasks()) return false;
  for (const auto& task : queue_.take_tasks()) run_task(task);
  return true;
}

void Trainer::run_task(const BlockQueue::Task& task) {
  const std::uint64_t examples = processor_.learner().counts().examples;
  // A task that is given up is destroyed, and what it holds then tells the client.
  if_memory_allows("a request was refused", [&] { task(processor_); });
  if (note_failure()) queue_.discard();
  if (processor_.learner().counts().examples != examples) quiet_since_ = Clock::now();
}

Statistics Trainer::statistics() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

// A model that the learner solved for by itself was made since we looked last.
std::optional<ModelFacts> Trainer::model_facts() {
  const auto origin = processor_.learner().describe().origin;
  if (!origin) {
    model_.reset();
  } else if (!model_ || model_->examples != origin->examples) {
    model_ = ModelFacts{origin->examples, origin->attributes_revealed,
                        solver_ != nullptr && origin->examples > 0 ? solver_->captured_at()
                                                                   : std::chrono::steady_clock::now()};
  } else {
    model_->attributes_revealed = origin->attributes_revealed;  // skipped examples show some as well
  }
  if (model_) model_->states_at = states_at_;
  return model_;
}

void Trainer::publish() {
  if_memory_allows("status and metrics were not updated", [this] { publish_statistics(); });
}

namespace {

// Of label `l` of several.
UnlearnedLoss losses_of(const HeldOut& records, std::size_t l) {
  if (l == 0) return records;
  return l <= records.further.size() ? records.further[l - 1] : UnlearnedLoss();
}

std::vector<LabelFacts> label_facts(const Learner& learner, const HeldOut& held_out, const HeldOut& frozen) {
  std::vector<LabelFacts> all;
  for (std::size_t l = 0; l < learner.label_count(); ++l) {
    const Learner& one = learner.of_label(l);
    LabelFacts& facts = all.emplace_back();
    facts.name = learner.options().labels[l];
    facts.labels = one.labels();
    facts.variance = one.label_variance();
    facts.progressive_loss = one.progressive_loss().with_model();
    facts.recent_loss = one.progressive_loss().recent();
    facts.mean_absolute = one.progressive_loss().absolute().mean();
    facts.median_absolute = one.progressive_loss().absolute().median();
    facts.held_out = losses_of(held_out, l);
    facts.frozen = losses_of(frozen, l);
    facts.guard = one.describe().guard;
  }
  return all;
}

}  // namespace

void Trainer::publish_statistics() {
  Statistics now = gather();
  if (hooks_.published) hooks_.published(now);
  note_history(now);
  now.history = processor_.history().copy();
  const std::lock_guard lock(mutex_);
  std::swap(published_, now);
}

void Trainer::note_history(const Statistics& now) {
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  history_.note(now, hooks_.failures ? hooks_.failures() : 0, Clock::now(),
                std::chrono::duration_cast<std::chrono::duration<double>>(time).count(),
                processor_.history());
}

Statistics Trainer::gather() {
  const Learner& learner = processor_.learner();
  Statistics now;
  now.algorithm = learner.options().algorithm;
  now.dimension = learner.options().dimension;
  now.budget = is_full_information(learner.options().algorithm) ? now.dimension : learner.options().budget;
  LearnerReport report = learner.describe();
  now.phase = report.phase;
  now.phase_since = report.phase_since;
  now.phase_reason = std::move(report.phase_reason);
  now.looks = report.looks;
  now.best_wanted = report.best_wanted;
  now.best = report.best;
  now.best_since = report.best_since;
  now.best_waiting = report.best_waiting;
  // Phases restart with a change of the stream, and so does their count of examples.
  if (learner.drift().alarms > 0 && has_two_phases(now.algorithm))
    now.phase_reason +=
        fmt::format(" (counted from the change noticed after {} examples)", learner.drift().examples);
  now.step_size = report.step_size;
  now.counts = learner.counts();
  if (now.counts.beyond_values > 0)
    now.beyond_attribute = processor_.names().callable_name(now.counts.beyond_attribute);
  now.diverged_for_good = learner.has_diverged_for_good();
  now.step_kind = learner.options().step;
  now.predictions = processor_.predictions();
  now.clip = processor_.clip();
  now.labels = learner.labels();
  now.has_bias = learner.options().bias;
  now.label_variance = learner.label_variance();
  if (learner.is_classifier()) now.classes = processor_.class_facts();
  now.progressive_loss = learner.progressive_loss().with_model();
  now.recent_loss = learner.progressive_loss().recent();
  now.mean_absolute = learner.progressive_loss().absolute().mean();
  now.median_absolute = learner.progressive_loss().absolute().median();
  now.held_out = processor_.hold_out().report();
  now.holds_out = processor_.hold_out().is_used();
  now.is_frozen = processor_.freeze().is_frozen();
  now.frozen = processor_.freeze().report();
  now.was_frozen = processor_.freeze().is_used();
  if (learner.label_count() > 1) now.by_label = label_facts(learner, now.held_out, now.frozen);
  leave_out_small_losses(now);
  now.promotion = processor_.promotion();
  now.drift = learner.drift();
  now.guard = report.guard;
  now.categories_full = learner.features().is_full();
  now.expansion = report.expansion;
  now.memory_bytes = report.memory_bytes;
  now.names = processor_.names().size();
  now.named_sources = processor_.sources().all().size();
  now.plans_open = processor_.plans().open();
  now.plans = processor_.plans().counts();
  now.spending = processor_.buying().report();
  now.is_spent = processor_.buying().stopped().has_value();
  for (const auto& door : doors_) now.doors.push_back(*door);
  now.snapshot_at = snapshot_at_;
  now.model = model_facts();
  if (solver_ != nullptr) now.solve_seconds = solver_->solve_seconds();
  return now;
}

}  // namespace glimpse
