#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "daemon/ingest/first_line.h"
#include "daemon/ingest/record_buffer.h"
#include "daemon/net/connection_count.h"
#include "daemon/net/stream_socket.h"
#include "daemon/net/tokens.h"
#include "daemon/stream/greeting.h"
#include "daemon/stream/source_session.h"
#include "daemon/training/block_queue.h"

namespace glimpse {

/// Who stands in front of a stream connection.
struct StreamGate {
  /// What a client may do that shows this token, or none.
  std::function<Access(std::optional<std::string_view> token)> access;
  bool asks = false;  ///< a token must come first
  /// For that, and for any greeting that was begun, to be whole; 0: never.
  std::chrono::milliseconds timeout{0};
};

/// One connection on a stream door: bytes are cut into blocks of whole records and queued; replies are
/// written as they come. Reading pauses while the queue is full or the peer does not take its replies, so
/// memory stays bounded and nothing is dropped. When the peer ends its side, what it sent is finished and
/// answered first; a record cut off in the middle is not learned, but counted, logged and told. A line over
/// the limit ends the connection with an error line; what the peer goes on sending is thrown away for a
/// moment, since closing at once would reset the connection and take the error line with it. A greeting
/// (greeting.h) may come first, and name the source that follows; such a connection stays, when the peer has
/// ended its side, until it could tell that everything is durable. A request of HTTP ends the connection. All
/// members belong to the I/O thread; it keeps itself alive while something is under way.
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

  void checkpoint_begins() override;
  void checkpoint_pending() override;
  void checkpoint_ended(const Status& status) override;

 private:
  void read();
  void read_some();
  void take_greeting();
  void take_first_line(std::string_view bytes);
  void await_greeting();
  void await_first_line();
  bool hold_unfinished();
  bool admit(const std::optional<std::string>& token);
  void open_source(const Greeting& greeting);
  void note_durable(std::uint64_t records);
  void ask_for_checkpoint();
  void give_up(const std::string& why);
  void take_records();
  void queue_block();
  void try_again();
  std::function<void(BlockResult&&)> make_done();
  void count_error(const std::string& message);
  void refuse(const std::string& message);
  void refuse_http();
  void finish_reading();
  void send(std::string replies);
  void write();
  void close_when_done();
  void linger();
  void discard_input();
  void await_idleness(std::chrono::milliseconds wait);
  void end_if_idle();
  /// Does `work`. Without memory for it the connection ends: nothing would ever move on it again.
  template <class Work>
  void attempt(Work&& work);

  boost::asio::io_context& io_;
  StreamSocket socket_;
  const std::shared_ptr<Feed> feed_;
  BlockQueue& queue_;
  const std::shared_ptr<const SourceSupport> sources_;
  const StreamGate gate_;
  ConnectionCount& counts_;
  const std::chrono::milliseconds idle_timeout_;
  const std::function<void()> closed_;

  RecordBuffer buffer_;
  Block block_;                // on its way into the queue
  std::string outbox_;         // not handed to the system yet
  std::string writing_;        // handed over
  std::size_t in_flight_ = 0;  // blocks with the trainer
  // Of the source that it carries: none before it is open, and once another connection carries it.
  std::optional<SourceSession> session_;
  // Itself, while blocks are with the trainer or wait for it, and while the peer waits for a checkpoint.
  // Handlers outside the I/O thread hold weak
  // references only, so that the last one never goes on the trainer's thread.
  std::shared_ptr<StreamConnection> keep_alive_;
  bool greeted_ = false;  // no greeting can come any more
  FirstLine first_line_;  // behind the greeting
  bool awaits_greeting_ = false;
  bool awaits_first_line_ = false;
  std::size_t unfinished_ = 0;  // bytes that count against all connections' limit
  bool opening_ = false;        // a source, by the trainer
  bool reading_ = false;        // a read is under way
  bool ended_ = false;          // no more reads
  bool waiting_room_ = false;   // the queue was full
  bool refused_ = false;        // the peer is told why it is cut off
  bool asked_ = false;          // for a checkpoint, and it has not ended
  bool lingering_ = false;
  boost::asio::steady_timer linger_limit_;
  boost::asio::steady_timer idle_limit_;
  boost::asio::steady_timer greeting_limit_;
  std::chrono::steady_clock::time_point moved_;  // when a byte came in or a reply left
};

}  // namespace glimpse
