#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/result.h"
#include "daemon/ingest/file_input.h"
#include "daemon/ingest/input_source.h"
#include "daemon/ingest/reply_writer.h"
#include "daemon/ingest/running_input.h"
#include "daemon/training/block_queue.h"

namespace glimpse {

/// What --input names, and its order. Regular files come one after another in the order given, so that they
/// make the same stream whenever they are read; pipes, terminals and topics all at once, as they have no such
/// order.
/// Thread-safety: none; the I/O thread's.
class Inputs {
 public:
  /// What happens to the inputs, as callbacks.
  struct Events {
    /// One of them has ended; the next file has begun.
    std::function<void(const std::shared_ptr<Door>&, const Status&)> ended;
    /// There was no memory for a record of `name`: it stops there.
    std::function<void(const std::shared_ptr<Door>&, const std::string& name)> gave_up;
  };

  /// All three outlive the inputs. Events come on the thread of `io`.
  Inputs(boost::asio::io_context& io, BlockQueue& queue, ReplyWriter& replies)
      : io_(io), queue_(queue), replies_(replies) {}

  void set_events(Events events) { events_ = std::move(events); }
  /// `can_resume`: what is given again later goes on where it stopped, so it stops amid it where a record has
  /// no memory. Errors: of the system.
  Status add(std::unique_ptr<InputSource> source, std::shared_ptr<Feed> feed, bool can_resume);

  /// One that calls, on any thread, what end_of_running() made for it when it has ended.
  void add(std::unique_ptr<RunningInput> input) { running_.push_back(std::move(input)); }
  std::function<void(Status)> end_of_running(std::shared_ptr<Door> door);

  void start();
  /// What was read is queued; files whose turn has not come are not read.
  void stop();
  bool empty() const { return inputs_.empty() && running_.empty(); }
  /// None is being read.
  bool all_ended() const { return open_ == 0; }
  /// FileInput::check_beginning() of the first file; success where there is none.
  Status check_first_beginning() const {
    return inputs_.empty() ? Status() : inputs_.front()->check_beginning();
  }
  /// Waits for their threads.
  void clear() {
    inputs_.clear();
    running_.clear();
  }

 private:
  void start_next_file();
  void ended(std::size_t index, const std::shared_ptr<Door>& door, const Status& status);

  boost::asio::io_context& io_;
  BlockQueue& queue_;
  ReplyWriter& replies_;
  Events events_;
  std::vector<std::unique_ptr<FileInput>> inputs_;
  std::vector<std::unique_ptr<RunningInput>> running_;
  std::size_t open_ = 0;                  // started and not ended
  std::deque<FileInput*> waiting_files_;  // whose turn has not come
  bool stopping_ = false;
};

}  // namespace glimpse
