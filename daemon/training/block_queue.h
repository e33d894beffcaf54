#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "daemon/feeds/block.h"

namespace glimpse {

class StreamProcessor;

/// The way to the trainer: blocks of whole records, and tasks that go before them. The bytes of blocks are
/// bounded, except kSmallBlock of requests. Nothing is ever dropped: a caller that finds the queue full keeps
/// the block and is called when there is room. Tasks run on the trainer's thread between two examples, so a
/// query waits for one step of learning at most. What is done in the trainer's place and amid a block serves
/// the latency of requests: EXPERIMENTS.md has what each part pays. Thread-safety: all members may be called
/// from any thread, pop() and take_tasks() from one only.
class BlockQueue {
 public:
  using Task = std::function<void(StreamProcessor&)>;
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kSmallBlock = std::size_t{16} << 10;  ///< bytes, at most

  /// How the trainer's work is done in its place; work() and run() return when the trainer is to wake by
  /// itself, as pop()'s `until`.
  struct StandIn {
    std::function<bool(const Block&)> may_work;  ///< false: this one is for the trainer itself
    std::function<void(Block)> work_amid;        ///< between two examples of another block; empty: never
    std::function<std::optional<Time>(Block)> work;
    std::function<std::optional<Time>(const Task&)> run;
  };

  explicit BlockQueue(std::size_t limit_bytes) : limit_(limit_bytes) {}

  /// Before any thread uses the queue; without one everything waits for the trainer.
  void set_stand_in(StandIn stand_in) { stand_in_ = std::move(stand_in); }

  /// Takes `block` and returns true, or leaves it alone, returns false and calls `room` once (on the
  /// trainer's thread) when it is worth trying again, with `again` set. A block goes into an empty queue
  /// whatever its size. Once close() was called everything that still comes is taken.
  ///
  /// A small block of a feed of which nothing else waits is usually a request, and its sender waits for the
  /// reply. So it goes before the blocks of others, between two examples of the block that is being worked
  /// on. About kSmallBlock bytes go amid each block, so that others' requests do not bring a stream to a
  /// standstill.
  bool push(Block& block, bool again, std::function<void()> room);

  /// Who was called by `room` does not try again: without memory for that, say.
  void leave();

  /// While somebody holds what this gives, a closed queue is not finished: more comes of what was begun. It
  /// may outlive the queue.
  std::shared_ptr<const void> hold();

  /// push() that waits for room.
  void push_blocking(Block block);
  /// The same, and not for longer than that: false, and the block is left alone, where there was no room.
  bool push_within(Block& block, std::chrono::milliseconds patience);

  void post(Task task);
  /// post() of a task that needs less than about a millisecond.
  void post_short(Task task);
  /// The rest of a long task: runs once a block that waits now has had its turn, so that neither keeps the
  /// other from going on.
  void post_rest(Task task);

  /// The next block; none when there are tasks to run, or when the queue is closed and empty (see
  /// finished()). Waits for either, but not longer than `until`: then none as well.
  std::optional<Block> pop(std::optional<Time> until = std::nullopt);
  /// The lines of the block that pop() gives next, where it is one of that feed; on the thread of pop().
  std::optional<TextOfLines> following(const Feed& feed);
  /// The block that pop() gave is done: its bytes no longer count.
  void release(std::size_t bytes);

  /// True when take_tasks() has something: cheap enough to ask for each example.
  bool has_tasks() const { return has_tasks_.load(std::memory_order_relaxed); }
  std::vector<Task> take_tasks();

  /// Reading has stopped: the queue is finished when it is empty and those who were told to try again have
  /// done so.
  void close();
  /// Throws away what is queued, and everything that still comes.
  void discard();
  bool finished();
  /// The trainer has ended: tasks that wait, and those that still come, go.
  void end();

  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  void admit(Block&& block);
  bool goes_amid(const Block& block) const;
  bool has_work() const;
  bool awaits_more() const;
  bool take_turn();
  void give_back(std::optional<Time> until);

  const std::size_t limit_;
  StandIn stand_in_;
  std::atomic<bool> has_tasks_{false};
  std::atomic<std::size_t> bytes_{0};  // queued or being worked on; changed under mutex_
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable room_;
  std::deque<Block> blocks_;                    // under mutex_
  std::vector<Task> tasks_;                     // under mutex_
  std::vector<Task> rests_;                     // under mutex_
  bool rests_turn_ = true;                      // under mutex_: before the next block
  std::vector<std::function<void()>> waiting_;  // under mutex_
  std::size_t trying_again_ = 0;                // under mutex_: those who found the queue full
  bool closed_ = false;                         // under mutex_
  bool discarding_ = false;                     // under mutex_
  bool ended_ = false;                          // under mutex_
  const std::shared_ptr<std::atomic<std::size_t>> held_ = std::make_shared<std::atomic<std::size_t>>(0);
  std::size_t amid_bytes_ = 0;  // under mutex_: that went amid the present block
  bool idle_ = false;           // under mutex_: pop() waits
  bool stood_in_ = false;       // under mutex_: another thread works in the trainer's place
  std::optional<Time> until_;   // under mutex_: how long pop() waits
};

}  // namespace glimpse
