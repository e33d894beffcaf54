#include "daemon/durability/checkpointer.h"

#include <chrono>
#include <new>
#include <spdlog/spdlog.h>
#include <utility>

#include <boost/asio/post.hpp>

#include "daemon/support/memory_trouble.h"
#include "daemon/training/stream_processor.h"

namespace glimpse {

namespace {
using Clock = std::chrono::steady_clock;
constexpr std::chrono::minutes kFailuresApart{1};  // in the log

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
  }
  queue_.post([this](StreamProcessor& processor) { capture(processor); });
}

void Checkpointer::request_if_changed(Done done) {
  if (store_ == nullptr) {
    if (done) done(no_store());
    return;
  }
  queue_.post([this, done = std::move(done)](StreamProcessor& processor) mutable {
    bool is_saved = false;
    {
      const std::lock_guard lock(mutex_);
      is_saved = saved_records_ == processor.records();
      if (!is_saved && done) waiting_.push_back(std::move(done));
    }
    if (!is_saved) return capture(processor);
    if (done) done(status());
  });
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
  boost::asio::post(worker_, [this] { write(); });
}

void Checkpointer::take_state(const StreamProcessor& processor) {
  trouble_.reset();
  try {
    state_.begin();
    processor.save(state_);
    state_.finish();
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a checkpoint was not made");
    trouble_ = failure(ErrorCode::kSystem, "not enough memory for a copy of the state");
  }
  captured_examples_ = processor.learner().counts().examples;
  captured_records_ = processor.records();
  captured_sources_ = processor.sources().marks();
}

Result<CheckpointStore::Saved> Checkpointer::try_to_save() {
  if (trouble_) return *trouble_;
  try {
    if (claim_)
      if (const Status status = claim_(); !status) return status.error();
    if (check_)
      if (const Status status = check_(state_); !status)
        return failure(status.error().code,
                       "the state could not be restored, and is not saved: {}; the last checkpoint stays",
                       status.error().message);
    return store_->save(state_, captured_examples_);
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a checkpoint was not written");
    return failure(ErrorCode::kSystem, "not enough memory to write a checkpoint");
  }
}

Status Checkpointer::save_state() {
  const auto begin = Clock::now();
  auto saved = try_to_save();
  const auto free = free_bytes(store_->folder());
  const auto bytes = saved ? file_bytes(store_->folder() + "/" + saved->name) : std::nullopt;
  const std::lock_guard lock(mutex_);
  status_.free_bytes = free;
  if (bytes) status_.bytes = bytes;
  if (!saved) {
    ++status_.failures;
    // Once a minute until it is over.
    const bool is_news = failures_in_row_++ == 0 || begin - failure_told_at_ >= kFailuresApart;
    if (is_news) failure_told_at_ = begin;
    status_.last_error = saved.error().message;
    spdlog::log(
        is_news ? spdlog::level::err : spdlog::level::debug, "checkpoint failed{}, learning goes on: {}",
        failures_in_row_ > 1 ? fmt::format(" for the {}. time in a row", failures_in_row_) : std::string(),
        status_.last_error);
    return saved.error();
  }
  for (const std::string& warning : saved->warnings) spdlog::warn("checkpoint {}: {}", saved->name, warning);
  if (failures_in_row_ > 0)
    spdlog::info("checkpoints succeed again, after {} that failed: {}", failures_in_row_, saved->name);
  failures_in_row_ = 0;
  status_.last_error.clear();
  status_.name = saved->name;
  status_.examples = captured_examples_;
  status_.last_success = std::chrono::system_clock::now();
  status_.succeeded_at = std::chrono::steady_clock::now();
  status_.pause_seconds = captured_pause_;
  status_.duration_seconds = captured_pause_ + seconds_since(begin);
  saved_records_ = captured_records_;
  spdlog::debug("checkpoint {} of {} examples, learning paused for {:.1f} ms", saved->name,
                captured_examples_, captured_pause_ * 1e3);
  return {};
}

void Checkpointer::write() {
  const Status status = save_state();
  if (status && !captured_sources_.empty())
    queue_.post([marks = captured_sources_](StreamProcessor&) { SourceTable::note_durable(marks); });
  std::vector<Done> done;
  bool again = false;
  {
    const std::lock_guard lock(mutex_);
    busy_ = false;
    again = std::exchange(again_, false);
    done = std::exchange(writing_, {});
  }
  for (const Done& call : done) {
    if (status) {
      call(this->status());
    } else {
      call(status.error());
    }
  }
  if (again) queue_.post([this](StreamProcessor& processor) { capture(processor); });
}

Status Checkpointer::save_now(StreamProcessor& processor) {
  take_state(processor);
  const Status saved = save_state();
  if (saved) SourceTable::note_durable(captured_sources_);
  return saved;
}

void Checkpointer::answer_waiting(const Status& saved) {
  std::vector<Done> done;
  {
    const std::lock_guard lock(mutex_);
    done = std::exchange(waiting_, {});
  }
  for (const Done& call : done) {
    if (saved) {
      call(status());
    } else {
      call(saved.error());
    }
  }
}

CheckpointStatus Checkpointer::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
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
