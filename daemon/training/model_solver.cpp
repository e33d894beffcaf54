#include "daemon/training/model_solver.h"

#include <algorithm>
#include <ctime>
#include <future>
#include <limits>
#include <new>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "daemon/support/memory_trouble.h"

namespace glimpse {

void SolveSchedule::began(Time now) {
  if (!began_) began_ = now;
}

void SolveSchedule::solved(Time now, std::chrono::nanoseconds work, std::uint64_t examples) {
  solved_examples_ = examples;
  rested_ = now + kRest * work;
}

std::optional<SolveSchedule::Time> SolveSchedule::due(std::uint64_t examples, Time quiet_since,
                                                      std::uint64_t forgotten) const {
  if (examples <= solved_examples_) return std::nullopt;
  const std::uint64_t known = solved_examples_ > forgotten ? solved_examples_ - forgotten : 0;
  const std::uint64_t lacking = examples - forgotten - known;
  const Time quiet = quiet_since + kQuiet;
  if (solved_examples_ == 0) return began_ ? std::min(quiet, *began_ + kFirst) : quiet;
  if (lacking < (examples - forgotten) / kShare) return std::max(quiet, rested_);
  if (lacking > known) return Time::min();
  return std::min(quiet, rested_);
}

namespace {
constexpr int kExamplesForJudges = 16;
constexpr int kJudgeNiceness = 5;  // as ModelSolver's
}  // namespace

JudgeWorker::JudgeWorker() {
  // Of that thread alone.
  boost::asio::post(worker_,
                    [] { ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kJudgeNiceness); });
}

JudgeWorker::~JudgeWorker() {
  cancelled_ = true;
  worker_.join();
}

// The learner may be a new one, which does not know yet that somebody comes for its judges.
bool JudgeWorker::wants_turn(Solving& solving) {
  if (--until_look_ > 0) return false;
  until_look_ = kExamplesForJudges;
  solving.leave_ahead_to_others();
  return solving.has_ahead();
}

// The learner does it by itself where this comes too late, or there is no memory for it.
void JudgeWorker::turn(Solving& solving) {
  while (auto ahead = solving.take_ahead()) {
    boost::asio::post(worker_, [this, ahead = std::move(ahead)] {
      if_memory_allows("learning waits while a model that is evaluated is solved for",
                       [&] { ahead->run([this] { return cancelled_.load(std::memory_order_relaxed); }); });
    });
  }
}

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kSolveSlice = 500us;
constexpr int kPauseForSlice = 9;                           // times the slice: a tenth of the time
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;  // between two looks at the clock
constexpr int kExamplesForLook = 16;
// A third of the weight of the trainer, where both want the same processor.
constexpr int kNiceness = 5;

std::chrono::nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

ModelSolver::ModelSolver(Learner& learner, Solving& solving, BlockQueue& queue)
    : learner_(&learner), solving_(&solving), queue_(queue) {
  solving_->begin_capture();  // says that solutions come from here; begun again when one is due
  // Of that thread alone.
  boost::asio::post(worker_,
                    [] { ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kNiceness); });
}

ModelSolver::~ModelSolver() {
  cancelled_ = true;
  worker_.join();
}

// A request that waits while the worker is free needs another copy, which is due at once.
bool ModelSolver::is_due(Time now, Time quiet_since) {
  if (!waiting_.empty()) return true;
  const std::uint64_t examples = learner_->counts().examples;
  if (examples > 0) schedule_.began(now);
  const auto due = schedule_.due(examples, quiet_since, learner_->drift().examples);
  return due && *due <= now;
}

bool ModelSolver::wants_turn() {
  if (--until_look_ > 0) return false;
  until_look_ = kExamplesForLook;
  if (solving_->has_ahead()) return true;
  if (stage_ == Stage::kSolving) return false;
  const Time now = Clock::now();
  return stage_ == Stage::kCopying ? now >= next_slice_ : is_due(now, now);
}

// The learner does it by itself where this comes too late, or there is no memory for it.
void ModelSolver::give_ahead() {
  auto ahead = solving_->take_ahead();
  if (!ahead) return;
  boost::asio::post(worker_, [this, ahead = std::move(ahead)] {
    if_memory_allows("learning waits while a model that is evaluated is solved for",
                     [&] { ahead->run([this] { return cancelled_.load(std::memory_order_relaxed); }); });
  });
}

void ModelSolver::turn() {
  give_ahead();
  if (stage_ == Stage::kSolving) return;
  const Time now = Clock::now();
  take_turn(stage_ == Stage::kFree && is_due(now, now), [&] { return now >= next_slice_; });
}

template <class IsTime>
void ModelSolver::take_turn(bool is_due, const IsTime& is_time_to_copy) {
  try {
    if (is_due) begin_copy();
    if (stage_ == Stage::kCopying && is_time_to_copy()) copy_slice();
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a model was not solved for");
    give_up({});
  }
}

std::optional<ModelSolver::Time> ModelSolver::next_quiet_turn(Time quiet_since) const {
  if (solving_->has_ahead()) return Time::min();
  if (stage_ == Stage::kSolving) return std::nullopt;
  if (!waiting_.empty()) return Time::min();
  if (stage_ == Stage::kCopying) return std::min(next_slice_, quiet_since + SolveSchedule::kQuiet);
  return schedule_.due(learner_->counts().examples, quiet_since, learner_->drift().examples);
}

void ModelSolver::quiet_turn(Time quiet_since) {
  give_ahead();
  if (stage_ == Stage::kSolving) return;
  const Time now = Clock::now();
  take_turn(stage_ == Stage::kFree && is_due(now, quiet_since), [&] {
    return !waiting_.empty() || now >= std::min(next_slice_, quiet_since + SolveSchedule::kQuiet);
  });
}

void ModelSolver::begin_copy() {
  ++copies_;
  copied_at_ = std::chrono::steady_clock::now();
  solving_->begin_capture();
  next_slice_ = Time::min();
  stage_ = Stage::kCopying;
}

void ModelSolver::copy_slice() {
  const Time begin = Clock::now();
  Time now = begin;
  bool complete = false;
  while (!complete && now - begin < kSolveSlice) {
    complete = solving_->capture(kPieceBytes);
    now = Clock::now();
  }
  next_slice_ = now + kPauseForSlice * (now - begin);
  if (complete) start_solve();
}

void ModelSolver::start_solve() {
  boost::asio::post(worker_, [this] { solve(); });
  stage_ = Stage::kSolving;  // behind what may throw: nobody else reads it
}

// On the worker. The post and the mutex order it after the copy and before the next.
void ModelSolver::solve() {
  const Time begin = Clock::now();
  const auto work = processor_time();
  Finished finished;
  try {
    finished.solution = solving_->solve([this] { return cancelled_.load(std::memory_order_relaxed); });
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a model was not solved for");
  }
  finished.work = processor_time() - work;
  finished.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  {
    const std::lock_guard lock(mutex_);
    finished_ = std::move(finished);
    done_.notify_one();
  }
  once_memory_allows(
      "a new model is not used yet; an older model answers",
      [this] { queue_.post([this](StreamProcessor&) { adopt(); }); }, [this] { return cancelled_.load(); });
}

void ModelSolver::adopt() {
  std::optional<Finished> finished;
  {
    const std::lock_guard lock(mutex_);
    finished = std::exchange(finished_, std::nullopt);
  }
  if (!finished) return;  // need_model() was faster
  stage_ = Stage::kFree;
  if (!finished->solution) return give_up(finished->work);
  in_model_ = finished->solution->origin.examples;
  labels_in_model_ = finished->solution->origin.labels_alone;
  adopted_at_ = copied_at_;
  solve_seconds_ = finished->seconds;
  schedule_.solved(Clock::now(), finished->work, *in_model_);
  solving_->adopt(std::move(finished->solution));
  spdlog::debug("a model of {} examples was solved for in {:.1f} ms", *in_model_, *solve_seconds_ * 1e3);

  std::vector<Waiting> waiting = std::exchange(waiting_, {});
  for (Waiting& each : waiting) {
    if (each.copy <= copies_ && each.least <= *in_model_) {
      each.done(true);
    } else {
      waiting_.push_back(std::move(each));
    }
  }
}

// Waiting requests are told. The next attempt comes when a model solved now would have become old.
void ModelSolver::give_up(std::chrono::nanoseconds work) {
  stage_ = Stage::kFree;
  schedule_.solved(Clock::now(), work, learner_->counts().examples);
  for (const Waiting& waiting : std::exchange(waiting_, {})) waiting.done(false);
}

void ModelSolver::halt() {
  std::promise<void> idle;
  boost::asio::post(worker_, [&idle] { idle.set_value(); });
  cancelled_ = true;
  idle.get_future().wait();  // its only thread has done all that was posted before
  cancelled_ = false;
}

void ModelSolver::replace(Learner& learner, Solving& solving) {
  {
    const std::lock_guard lock(mutex_);
    finished_.reset();
  }
  learner_ = &learner;
  solving_ = &solving;
  stage_ = Stage::kFree;
  schedule_ = SolveSchedule();
  in_model_.reset();
  solve_seconds_.reset();
  next_slice_ = {};
  until_look_ = 0;
  if_memory_allows("requests for a model were refused", [&] {
    auto before = std::exchange(waiting_, {});
    solving_->begin_capture();  // as at the beginning, and before wishes, which the next copy takes
    if (learner.counts().examples == 0) {  // the model of nothing
      for (const Waiting& waiting : before) waiting.done(true);
      return;
    }
    for (Waiting& waiting : before) {
      waiting.least = std::min(waiting.least, learner.counts().examples / 2);
      solving_of(waiting.label).wish(waiting.wish);
    }
    waiting_ = std::move(before);
  });
}

bool ModelSolver::has_model(bool fresh) const {
  const LearnerCounts& counts = learner_->counts();
  if (!in_model_) return fresh ? has_nothing() : counts.examples == 0;
  return !fresh || (*in_model_ == counts.examples && labels_in_model_ == counts.missing);
}

void ModelSolver::await_model(bool fresh, Done done) {
  if (has_model(fresh)) return done(true);
  const std::uint64_t least = fresh ? 0 : learner_->counts().examples / 2;
  waiting_.push_back({fresh ? copies_ + 1 : 0, least, std::move(done)});
}

void ModelSolver::await_wish(const SolutionWish& wish, Done done, std::size_t label) {
  if (has_nothing()) return done(true);  // the model of nothing
  solving_of(label).wish(wish);
  waiting_.push_back({copies_ + 1, 0, std::move(done), wish, label});
}

// Copies are begun by the first label's for all.
Solving& ModelSolver::solving_of(std::size_t label) {
  return label == 0 ? *solving_ : *learner_->of_label(label).solving();
}

void ModelSolver::need_model() {
  if (has_model(false)) return;
  const std::uint64_t examples = learner_->counts().examples;
  do {
    if (stage_ == Stage::kFree) begin_copy();
    if (stage_ == Stage::kCopying) {
      while (!solving_->capture(std::numeric_limits<std::size_t>::max())) continue;
      start_solve();
    }
    {
      std::unique_lock lock(mutex_);
      done_.wait(lock, [this] { return finished_.has_value(); });
    }
    adopt();
    if (!in_model_) throw std::bad_alloc();
  } while (*in_model_ < examples / 2);
}

void ModelSolver::stop() {
  for (const Waiting& waiting : std::exchange(waiting_, {})) waiting.done(false);
}

}  // namespace glimpse
