#include "daemon/durability/checkpointer.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <spdlog/spdlog.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "daemon/support/memory_trouble.h"
#include "daemon/support/wall_clock.h"
#include "daemon/training/stream_processor.h"
#include "learn/core/array_limits.h"

namespace glimpse {

namespace {
using Clock = std::chrono::steady_clock;
constexpr std::chrono::minutes kFailuresApart{1};  // in the log
constexpr std::chrono::minutes kLeastOverdue{1};
constexpr const char* kNoMemoryForState = "no memory";  // so short that a std::string of it takes none

Error no_memory() { return {ErrorCode::kSystem, kNoMemoryForState}; }

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}
Error no_store() {
  return failure(ErrorCode::kUnavailable, "checkpoints are off: start with --state-directory DIR");
}
}  // namespace

Checkpointer::Checkpointer(CheckpointStore* store, Claim claim, Check check, BlockQueue& queue,
                           boost::asio::thread_pool& worker)
    : store_(store), claim_(std::move(claim)), check_(std::move(check)), queue_(queue), worker_(worker) {
  status_.enabled = store != nullptr;
}

void Checkpointer::request(Done done) {
  if (store_ == nullptr) {
    if (done) done(no_store());
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (done) waiting_.push_back(std::move(done));
    note_asked();
  }
  post_capture();
}

void Checkpointer::request_if_changed(Done done) {
  if (store_ == nullptr) {
    if (done) done(no_store());
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    note_asked();
  }
  queue_.post([this, done = std::move(done)](StreamProcessor& processor) mutable {
    bool is_saved = false;
    {
      const std::lock_guard lock(mutex_);
      is_saved = saved_records_ == processor.records();
      if (!is_saved && done) waiting_.push_back(std::move(done));
      if (is_saved && !busy_) asked_at_.reset();
    }
    if (!is_saved) return capture(processor);
    // Of those for which there was no memory when it became durable.
    if_memory_allows("sources are sent the number of their durable records with the next checkpoint",
                     [&] { SourceTable::note_durable(processor.sources().marks()); });
    if (done) done(status());
  });
}

void Checkpointer::note_asked() {
  if (!asked_at_) asked_at_ = Clock::now();
}

// Whoever waits gets an answer, also where there is no memory to ask the trainer.
void Checkpointer::post_capture() {
  try {
    queue_.post([this](StreamProcessor& processor) { capture(processor); });
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a checkpoint was not made, as there was no room for a copy of the state");
    answer_waiting(no_memory());
  }
}

void Checkpointer::capture(StreamProcessor& processor) {
  {
    const std::lock_guard lock(mutex_);
    if (busy_) {
      again_ = true;
      return;
    }
    busy_ = true;
    writing_ = std::exchange(waiting_, {});
  }
  const auto begin = Clock::now();
  take_state(processor);
  captured_pause_ = seconds_since(begin);
  try {
    boost::asio::post(worker_, [this] { write(); });
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a checkpoint was not made, as there was no room for a copy of the state");
    end(note_failure(no_memory(), begin));
  }
}

// No memory for a part: there is no copy of the state, and what is there is not written.
void Checkpointer::take_state(const StreamProcessor& processor) {
  is_captured_ = false;
  try {
    state_.begin();
    processor.save(state_);
    state_.finish();
    captured_examples_ = processor.learner().counts().examples;
    captured_records_ = processor.records();
    captured_sources_ = processor.sources().marks();
    is_captured_ = true;
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a checkpoint was not made, as there was no room for a copy of the state");
  }
}

Result<CheckpointStore::Saved> Checkpointer::try_to_save() {
  if (!is_captured_) return failure(ErrorCode::kSystem, "not enough memory for a copy of the state");
  if (claim_) GLIMPSE_TRY(claim_());
  reset_unsaved_reports();
  if (check_)
    if (const Status status = check_(state_); !status)
      return failure(status.error().code,
                     "the state could not be restored, and is not saved: {}; the last checkpoint stays",
                     status.error().message);
  return store_->save(state_, captured_examples_);
}

// Throws nothing: it runs where nobody catches.
Status Checkpointer::save_state() {
  const auto begin = Clock::now();
  try {
    auto saved = try_to_save();
    if (!saved) return note_failure(saved.error(), begin);
    note_success(std::move(*saved), begin);
    return {};
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a checkpoint was not written");
    return note_failure(no_memory(), begin);
  } catch (const std::exception& error) {
    return note_failure(Error{ErrorCode::kSystem, error.what()}, begin);
  }
}

// What is learned does not wait for what is only reported.
void Checkpointer::reset_unsaved_reports() {
  for (const std::string& name : reset_reports(state_))
    if (reset_.insert(name).second)
      spdlog::warn(
          "checkpoint: the figure '{}' is too large to be saved, and begins again after a restart; what was "
          "learned is saved",
          name);
}

// The error as it is reported: shorter where there is no memory for it.
Error Checkpointer::note_failure(Error error, Clock::time_point begin) {
  const auto free = free_bytes(store_->folder());
  const std::lock_guard lock(mutex_);
  status_.free_bytes = free;
  ++status_.failures;
  // Once a minute until it is over.
  const bool is_news = failures_in_row_++ == 0 || begin - failure_told_at_ >= kFailuresApart;
  if (is_news) failure_told_at_ = begin;
  try {
    status_.last_error = error.message;
    spdlog::log(
        is_news ? spdlog::level::err : spdlog::level::debug, "checkpoint failed{}, learning goes on: {}",
        failures_in_row_ > 1 ? fmt::format(" for the {}. time in a row", failures_in_row_) : std::string(),
        status_.last_error);
    return error;
  } catch (const std::bad_alloc&) {
    status_.last_error = kNoMemoryForState;
    return no_memory();
  }
}

void Checkpointer::note_success(CheckpointStore::Saved saved, Clock::time_point begin) {
  std::optional<std::uint64_t> bytes;
  if_memory_allows("the metrics lack the size of the newest checkpoint",
                   [&] { bytes = file_bytes(store_->folder() + "/" + saved.name); });
  const auto free = free_bytes(store_->folder());
  for (const std::string& warning : saved.warnings) spdlog::warn("checkpoint {}: {}", saved.name, warning);
  const std::lock_guard lock(mutex_);
  if (failures_in_row_ > 0)
    spdlog::info("checkpoints succeed again, after {} that failed: {}", failures_in_row_, saved.name);
  else if (is_overdue_told_)
    spdlog::info("the checkpoint that was overdue is written: {}", saved.name);
  is_overdue_told_ = false;
  failures_in_row_ = 0;
  asked_at_.reset();
  longest_ = std::max(longest_, Clock::now() - begin);
  status_.free_bytes = free;
  if (bytes) status_.bytes = bytes;
  status_.last_error.clear();
  status_.name = std::move(saved.name);
  status_.examples = captured_examples_;
  status_.last_success = wall_seconds();
  status_.succeeded_at = Clock::now();
  status_.pause_seconds = captured_pause_;
  status_.duration_seconds = captured_pause_ + seconds_since(begin);
  saved_records_ = captured_records_;
  spdlog::debug("checkpoint {} of {} examples, learning paused for {:.1f} ms", status_.name,
                captured_examples_, captured_pause_ * 1e3);
}

void Checkpointer::write() {
  Status status = save_state();
  if (status && !captured_sources_.empty()) {
    try {
      queue_.post([marks = captured_sources_](StreamProcessor&) { SourceTable::note_durable(marks); });
    } catch (const std::bad_alloc&) {
      note_memory_trouble("sources were not sent how many of their records are durable");
      status = no_memory();  // who waits for that asks again, and request_if_changed() reports it then
    }
  }
  end(status);
}

// Whatever became of the checkpoint: the next one can be made, and all who wait for this one get an answer.
void Checkpointer::end(const Status& status) {
  std::vector<Done> done;
  bool again = false;
  {
    const std::lock_guard lock(mutex_);
    busy_ = false;
    written_.notify_all();
    again = std::exchange(again_, false);
    done = std::exchange(writing_, {});
  }
  answer(std::move(done), status);
  if (again) post_capture();
}

// One for whose answer there is no memory is destroyed, which its client notices.
void Checkpointer::answer(std::vector<Done> waiting, const Status& status) {
  for (const Done& done : waiting)
    if_memory_allows("a request was answered with 503", [&] {
      if (status) {
        done(this->status());
      } else {
        done(status.error());
      }
    });
}

Status Checkpointer::save_now(StreamProcessor& processor) {
  take_state(processor);
  const Status saved = save_state();
  if (saved) SourceTable::note_durable(captured_sources_);
  return saved;
}

Result<CheckpointStatus> Checkpointer::save_between(StreamProcessor& processor) {
  {
    std::unique_lock lock(mutex_);
    written_.wait(lock, [this] { return !busy_; });
  }
  GLIMPSE_TRY(save_now(processor));
  return status();
}

void Checkpointer::answer_waiting(const Status& saved) {
  std::vector<Done> done;
  {
    const std::lock_guard lock(mutex_);
    done = std::exchange(waiting_, {});
  }
  answer(std::move(done), saved);
}

void Checkpointer::note_overdue(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto overdue = overdue_by(now);
  if (!overdue || std::exchange(is_overdue_told_, true)) return;
  spdlog::error(
      "a checkpoint is overdue: asked for {:.0f} s ago, and {}; learning goes on, and what is learned is "
      "lost "
      "if glimpsed is killed (GET /readyz?for=learning)",
      std::chrono::duration<double>(now - *asked_at_).count(),
      busy_ ? "still being written" : "the thread that learns has not come to it");
}

std::optional<std::chrono::steady_clock::duration> Checkpointer::overdue_by(Clock::time_point now) const {
  if (!asked_at_) return std::nullopt;
  const auto due = *asked_at_ + std::max<Clock::duration>(kLeastOverdue, 3 * every_.load() + longest_);
  if (now < due) return std::nullopt;
  return now - due;
}

CheckpointStatus Checkpointer::status(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  CheckpointStatus status = status_;
  if (const auto overdue = overdue_by(now))
    status.overdue_seconds = std::chrono::duration<double>(*overdue).count();
  return status;
}

std::uint64_t Checkpointer::failures() const {
  const std::lock_guard lock(mutex_);
  return status_.failures;
}

void Checkpointer::note_restored(const std::string& name, std::uint64_t examples) {
  const std::lock_guard lock(mutex_);
  status_.name = name;
  status_.examples = examples;
}

}  // namespace glimpse
