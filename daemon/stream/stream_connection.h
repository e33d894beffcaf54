#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "daemon/net/connection_count.h"
#include "daemon/net/stream_socket.h"
#include "daemon/stream/stream_protocol.h"
#include "daemon/training/block_queue.h"

namespace glimpse {

/// One connection on a stream door: moves bytes between its socket and a StreamProtocol, which says what is
/// to be done, hands blocks to the trainer, and keeps the time. A peer that is refused may send on for a
/// moment, and what it sends is thrown away: closing at once would reset the connection and take the error
/// line with it. All members belong to the I/O thread. It keeps itself alive while something is under way.
class StreamConnection : public std::enable_shared_from_this<StreamConnection>, public CheckpointWaiter {
 public:
  /// `idle_timeout`: how long nothing may move before it is closed; 0: for ever. Time in which reading pauses
  /// on this side does not count. `counts` must outlive the I/O context. `closed` is called once at the end.
  StreamConnection(boost::asio::io_context& io, StreamSocket socket, std::shared_ptr<Feed> feed,
                   BlockQueue& queue, BufferPool& buffers, std::shared_ptr<const SourceSupport> sources,
                   StreamGate gate, ConnectionCount& counts, std::chrono::milliseconds idle_timeout,
                   std::function<void()> closed);
  ~StreamConnection() override;

  void start();
  /// Stops reading; what was queued is still answered.
  void stop_reading();
  /// Closes at once.
  void abort();
  /// StreamProtocol::tokens_changed().
  bool tokens_changed();

  void checkpoint_begins() override { protocol_.checkpoint_begins(); }
  void checkpoint_pending() override;
  void checkpoint_ended(const Status& status) override;

 private:
  using Phase = StreamProtocol::Phase;
  using Deadline = StreamProtocol::Deadline;

  /// Tells the protocol of an event, and does what it asks for. Without memory for that the connection ends:
  /// nothing would ever move on it again.
  template <class Event>
  void take(Event&& event);
  void advance();
  void note_error();
  void open_source(const Greeting& greeting);
  void queue_blocks(bool again);
  void try_again();
  std::function<void(BlockResult&&)> make_done(std::size_t bytes);
  void ask_for_checkpoint();
  void read();
  void read_some();
  void write();
  void await_deadline();
  void note_late(Deadline deadline);
  void await_idleness(std::chrono::milliseconds wait);
  void end_if_idle();
  void end();
  void await_last_replies();
  void linger();
  void discard_input();

  boost::asio::io_context& io_;
  StreamSocket socket_;
  const std::shared_ptr<Feed> feed_;
  BlockQueue& queue_;
  const bool has_sample_;  // records may wait for more
  const std::shared_ptr<const SourceSupport> sources_;
  const std::chrono::milliseconds greeting_timeout_;
  const bool asks_token_;
  ConnectionCount& counts_;
  const std::chrono::milliseconds idle_timeout_;
  const std::function<void()> closed_;

  StreamProtocol protocol_;
  // Itself, while blocks are with the trainer or wait for it, and while the peer waits for a checkpoint.
  // Handlers outside the I/O thread hold weak references only, so that the last one never goes on the
  // trainer's thread.
  std::shared_ptr<StreamConnection> keep_alive_;
  bool reading_ = false;       // a read is under way
  bool waiting_room_ = false;  // the queue was full
  Deadline awaited_ = Deadline::kNone;
  boost::asio::steady_timer linger_limit_;
  boost::asio::steady_timer idle_limit_;
  boost::asio::steady_timer deadline_;
  std::chrono::steady_clock::time_point moved_;  // when a byte came in or a reply left
};

}  // namespace glimpse
