#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "daemon/feeds/block.h"
#include "daemon/ingest/first_line.h"
#include "daemon/ingest/record_buffer.h"
#include "daemon/net/tokens.h"
#include "daemon/stream/greeting.h"
#include "daemon/stream/source_session.h"
#include "daemon/support/shared_bytes.h"

namespace glimpse {

/// Who stands in front of a stream connection.
struct StreamGate {
  /// What a client may do that shows this token, or none. `again`: it was let in with it.
  std::function<Access(std::optional<std::string_view> token, bool again)> access;
  bool asks = false;  ///< a token must come first
  /// For that, and for any greeting that was begun, to be whole; 0: never.
  std::chrono::milliseconds timeout{0};
};

/// What one connection on a stream door does, without I/O: events in; what is to be done is asked for after
/// each. StreamConnection moves the bytes, hands the blocks to the trainer and keeps the time.
///
/// A greeting (greeting.h) may come first, and name the source that follows. Records are cut into blocks.
/// Reading pauses while a block waits for the trainer, while kMostInFlight are with it, and while the peer
/// does not take its replies, so that memory stays bounded and nothing is dropped. When the peer ends its
/// side, what it sent is finished and answered first. A record that was cut off is not learned, but counted
/// and told. A line over the limit and a request of HTTP end the connection with an error line. A connection
/// with a source stays until it could tell that everything is durable. Thread-safety: none.
class StreamProtocol {
 public:
  /// In the order in which they come.
  enum class Phase : std::uint8_t {
    kGreeting,   ///< the first bytes decide whether one comes
    kOpening,    ///< the trainer opens the source
    kFirstLine,  ///< a request of HTTP is told from records
    kRecords,
    kDraining,   ///< nothing more is read; what was read is answered
    kLingering,  ///< the peer was told why it is cut off, and may read that
    kClosed,
  };
  /// What has to come in StreamGate::timeout.
  enum class Deadline : std::uint8_t { kNone, kGreeting, kFirstLine };

  /// Blocks with the trainer before reading pauses: bounds the replies that are still to come (short lines
  /// get long ones), and what one fast client puts in front of the others.
  static constexpr std::size_t kMostInFlight = 8;
  static constexpr std::size_t kMostUnsent = std::size_t{1} << 20;  ///< of replies, before reading pauses
  /// Bytes of an unfinished record that do not count against `unfinished`.
  static constexpr std::size_t kFreeUnfinished = std::size_t{64} << 10;

  /// `source_refusal`: why sources cannot be named; empty: they can. `unfinished` (--max-unfinished) and
  /// `buffers` outlive this.
  StreamProtocol(std::shared_ptr<Feed> feed, StreamGate gate, std::string source_refusal, BufferPool& buffers,
                 SharedBytes& unfinished);
  ~StreamProtocol();
  StreamProtocol(const StreamProtocol&) = delete;
  StreamProtocol& operator=(const StreamProtocol&) = delete;

  Phase phase() const { return phase_; }

  // What comes from the peer.
  std::span<char> room() { return buffer_.room(); }
  void received(std::size_t count);
  /// The peer ended its side, or nothing more can be read. Where wants_read() still holds afterwards, it is
  /// to be told again.
  void input_ended();
  /// The deadline has passed.
  void time_is_up(Deadline deadline);
  /// Nothing more is read: glimpsed ends.
  void stop();
  /// The tokens are others now. Where this connection's allows less than it did, nothing more is read, what
  /// was read is finished and answered, and the peer is told why; true then.
  bool tokens_changed();

  // What comes from the trainer and the checkpoints.
  /// `contents`: what stands for the records inside; none: not known.
  void opened(const Status& status, Framing framing, std::uint64_t inside, std::uint64_t durable,
              std::optional<std::uint64_t> contents = std::nullopt);
  /// Replies to records whose blocks are done.
  void late_replies(const std::string& replies, std::uint64_t learned) {
    outbox_ += replies;
    learned_ += learned;
  }
  /// What became of a block of take_block(). `refusal`: Source::refusal. `learned`: examples.
  void block_done(std::string replies, std::uint64_t inside, std::size_t bytes, bool gave_up,
                  std::string refusal = {}, std::uint64_t learned = 0);
  /// The source is another connection's, or cannot go on: why.
  void give_up(const std::string& why);
  void durable(std::uint64_t records);
  void checkpoint_begins();
  void checkpoint_pending();
  void checkpoint_ended(const Status& status);

  // What is to be done.
  bool wants_read() const;
  Deadline deadline() const;
  /// The greeting of a source that is to be opened, once.
  std::optional<Greeting> take_opening();
  /// The next block for the trainer, which counts as being with it; none: there is none. One that the queue
  /// has no room for is put back, and taken again once there is.
  std::optional<Block> take_block();
  void put_back(Block&& block);
  /// What was wrong with the input, once: to be counted and logged. An error line is on its way already.
  std::optional<std::string> take_error();
  /// Whether a checkpoint is to be asked for; checkpoint_asked() says that it was.
  bool wants_checkpoint() const;
  void checkpoint_asked();
  /// What is to be written, empty while a write is under way: valid until written().
  std::string_view begin_write();
  void written() { writing_.clear(); }
  bool is_writing() const { return !writing_.empty(); }
  /// This side has work to do for the peer: time does not count against it.
  bool works() const { return block_ || in_flight_ > 0 || phase_ == Phase::kOpening; }
  /// The same, or the peer waits for a checkpoint.
  bool is_busy() const { return works() || awaits_durable(); }
  /// All is done: the connection may be closed. `linger`: only once the peer had time to read why.
  bool is_done() const;
  bool lingers() const { return refused_; }
  void linger() { phase_ = Phase::kLingering; }
  void close();

 private:
  bool is_reading() const;
  bool awaits_durable() const { return phase_ == Phase::kDraining && session_ && session_->awaits_durable(); }
  void take_greeting();
  bool admit(const std::optional<std::string>& token);
  void end_sample();
  void stop_input();
  void take_first_line(std::string_view bytes);
  void hold_unfinished();
  void refuse(const std::string& message);
  void refuse_input(std::string message);
  void refuse_http();
  void refuse_at_end();

  const std::shared_ptr<Feed> feed_;
  const StreamGate gate_;
  const std::string source_refusal_;
  SharedBytes& unfinished_of_all_;
  std::size_t unfinished_ = 0;  // bytes that count against the limit of all

  Phase phase_ = Phase::kGreeting;
  RecordBuffer buffer_;
  FirstLine first_line_;
  const bool has_sample_;  // the last of its records may wait for more
  bool greeting_begun_ = false;
  std::optional<Greeting> opening_;
  std::optional<std::uint64_t> memory_;  // Greeting::memory
  bool asks_contents_ = false;           // Greeting::asks_contents
  std::optional<std::string> error_;
  std::optional<Block> block_;  // waits for room, or was cut off
  std::size_t in_flight_ = 0;   // blocks with the trainer
  std::uint64_t learned_ = 0;   // examples
  std::string outbox_;          // to be written
  std::string writing_;         // being written
  bool is_stopped_ = false;     // glimpsed ends, and not the peer
  bool refused_ = false;        // the peer is told why it is cut off
  bool admitted_ = false;
  std::optional<std::string> token_;  // that it was admitted with
  std::string revoked_;               // why its token does not do any more, until the peer is told
  // Of the source: none before it is open, and once another connection carries it.
  std::optional<SourceSession> session_;
  std::string refusal_;  // why nothing of it could be read; empty: something could
  bool asked_ = false;   // for a checkpoint, and it has not ended
};

}  // namespace glimpse
