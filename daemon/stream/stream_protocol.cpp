#include "daemon/stream/stream_protocol.h"

#include <fmt/format.h>
#include <utility>

namespace glimpse {

StreamProtocol::StreamProtocol(std::shared_ptr<Feed> feed, StreamGate gate, std::string source_refusal,
                               BufferPool& buffers, SharedBytes& unfinished)
    : feed_(std::move(feed)),
      gate_(std::move(gate)),
      source_refusal_(std::move(source_refusal)),
      unfinished_of_all_(unfinished),
      buffer_(feed_->framing, buffers),
      first_line_(feed_->framing.is_lines()),
      has_sample_(feed_->decide != nullptr) {}

StreamProtocol::~StreamProtocol() { unfinished_of_all_.hold(unfinished_, 0); }

bool StreamProtocol::is_reading() const {
  return phase_ == Phase::kGreeting || phase_ == Phase::kFirstLine || phase_ == Phase::kRecords;
}

bool StreamProtocol::wants_read() const {
  return is_reading() && !block_ && in_flight_ < kMostInFlight &&
         outbox_.size() + writing_.size() <= kMostUnsent;
}

// A connection that never says who it is takes a place from those who may. Rows may look like text for a
// while: what never becomes a line is taken for rows.
StreamProtocol::Deadline StreamProtocol::deadline() const {
  if (phase_ == Phase::kGreeting && (gate_.asks || greeting_begun_)) return Deadline::kGreeting;
  if (phase_ == Phase::kFirstLine && !first_line_.records_are_lines()) return Deadline::kFirstLine;
  return Deadline::kNone;
}

void StreamProtocol::received(std::size_t count) {
  buffer_.filled(count);
  if (phase_ == Phase::kGreeting) return take_greeting();
  if (is_reading()) take_first_line(buffer_.view().substr(buffer_.size() - count));
}

void StreamProtocol::take_greeting() {
  // What a browser, or a client that takes this for a TLS door, says first may hold lines of a stranger's
  // choice.
  if (feed_->framing.is_lines() && buffer_.view().starts_with('\x16'))
    return refuse_input("a TLS handshake came to a stream door without TLS");
  const auto scan = scan_greeting(buffer_.view());
  if (!scan) return refuse_input(scan.error().message);
  greeting_begun_ = true;
  if (scan->kind == GreetingScan::Kind::kUnfinished) return;
  phase_ = Phase::kFirstLine;
  if (scan->kind == GreetingScan::Kind::kHttp) return refuse_http();
  if (!admit(scan->greeting.token)) return;
  if (scan->kind == GreetingScan::Kind::kWhole) buffer_.drop(scan->length);
  if (scan->greeting.source.empty()) return take_first_line(buffer_.view());
  if (!feed_->may_learn) return refuse("this token may read only, and a source is for learning");
  // What has come is judged before the source changes hands; what is unfinished of it is later.
  if (first_line_.add(buffer_.view()) == FirstLine::Verdict::kHttp) return refuse_http();
  if (!source_refusal_.empty()) return refuse(source_refusal_);
  phase_ = Phase::kOpening;
  memory_ = scan->greeting.memory;
  asks_contents_ = scan->greeting.asks_contents;
  opening_ = scan->greeting;
}

bool StreamProtocol::admit(const std::optional<std::string>& token) {
  const Access access = gate_.access(token, false);
  feed_->may_learn = access >= Access::kLearn;
  admitted_ = access != Access::kNone;
  token_ = token;
  if (admitted_) return true;
  refuse(token ? "this token is not known here"
               : "this door needs a token: the first line '#glimpse token=TOKEN'");
  return false;
}

std::optional<Greeting> StreamProtocol::take_opening() { return std::exchange(opening_, std::nullopt); }

void StreamProtocol::opened(const Status& status, Framing framing, std::uint64_t inside,
                            std::uint64_t durable, std::optional<std::uint64_t> contents) {
  if (phase_ != Phase::kOpening) return;
  phase_ = Phase::kFirstLine;
  if (!status) return refuse(status.error().message);
  buffer_.set_framing(framing);
  if (asks_contents_ && contents) outbox_ += fmt::format("contents {}\n", *contents);
  outbox_ += session_.emplace().open(inside, durable, memory_);
  take_first_line({});
}

// Of lines none is whole before the first is; rows would be learned meanwhile.
void StreamProtocol::take_first_line(std::string_view bytes) {
  const auto verdict = first_line_.add(bytes);
  if (verdict == FirstLine::Verdict::kHttp) return refuse_http();
  if (verdict == FirstLine::Verdict::kRecords) phase_ = Phase::kRecords;
}

void StreamProtocol::time_is_up(Deadline deadline) {
  if (deadline != this->deadline()) return;
  if (deadline == Deadline::kGreeting) {
    refuse("the first line '#glimpse ...' did not come whole in time");
  } else if (deadline == Deadline::kFirstLine) {
    first_line_.give_up();
    phase_ = Phase::kRecords;
  }
}

std::optional<Block> StreamProtocol::take_block() {
  if (block_) {
    ++in_flight_;
    return std::exchange(block_, std::nullopt);
  }
  const bool cuts =
      phase_ == Phase::kRecords || (phase_ == Phase::kFirstLine && first_line_.records_are_lines());
  if (!cuts) return std::nullopt;
  auto records = buffer_.take_records();
  if (!records) {
    refuse_input(records.error().message);
    return block_ ? take_block() : std::nullopt;
  }
  if (!*records) {
    hold_unfinished();
    return block_ ? take_block() : std::nullopt;
  }
  ++in_flight_;
  Block block;
  block.feed = feed_;
  block.bytes = std::move(**records);
  return block;
}

// What is begun of a record beyond the first kilobytes, which every connection may have.
void StreamProtocol::hold_unfinished() {
  const std::size_t size = buffer_.size();
  if (unfinished_of_all_.hold(unfinished_, size > kFreeUnfinished ? size - kFreeUnfinished : 0)) return;
  refuse_input(fmt::format(
      "lines that have begun to come have more than --max-unfinished {} bytes over all connections",
      unfinished_of_all_.limit));
}

void StreamProtocol::put_back(Block&& block) {
  --in_flight_;
  block_ = std::move(block);
}

void StreamProtocol::block_done(std::string replies, std::uint64_t inside, std::size_t bytes, bool gave_up,
                                std::string refusal, std::uint64_t learned) {
  --in_flight_;
  learned_ += learned;
  if (session_) session_->note_inside(inside, bytes);
  outbox_ += replies;
  refusal_ = std::move(refusal);
  if (gave_up) give_up("connect again, and go on behind what is inside");
  refuse_at_end();
}

// Records may wait with the trainer for others that do not come.
void StreamProtocol::end_sample() {
  if (!has_sample_ || session_ || phase_ >= Phase::kDraining) return;
  if (!block_) block_.emplace().feed = feed_;
  block_->is_last = true;
}

void StreamProtocol::input_ended() {
  if (!is_reading()) return;
  if (phase_ == Phase::kFirstLine && !first_line_.records_are_lines() && buffer_.size() > 0) {
    first_line_.give_up();
    phase_ = Phase::kRecords;
    return;  // what is left when these are cut into blocks is taken next time
  }
  if (buffer_.end_opening()) return;
  phase_ = Phase::kDraining;
  const bool is_whole = buffer_.size() == 0;
  if (is_whole && (session_ || !(feed_->framing.has_header() || has_sample_))) return refuse_at_end();
  // Through the queue like any line, so that the client is told after its other replies and with the number.
  block_.emplace();
  block_->feed = feed_;
  block_->bytes = buffer_.take_rest();
  block_->cut_off = !is_whole;
  block_->is_last = true;
}

// Of a source that has ended and of which no record could be read none is inside.
void StreamProtocol::refuse_at_end() {
  if (phase_ != Phase::kDraining || is_stopped_ || works() || refused_ || refusal_.empty()) return;
  refuse(fmt::format("{}; no record of the source could be read so far, and it still begins with this one",
                     refusal_));
}

void StreamProtocol::stop() {
  is_stopped_ = true;
  end_sample();
  opening_.reset();
  if (phase_ < Phase::kDraining) phase_ = Phase::kDraining;
}

void StreamProtocol::close() {
  stop();
  phase_ = Phase::kClosed;
  session_.reset();
  outbox_.clear();
}

// What was queued is thrown away by the trainer.
void StreamProtocol::give_up(const std::string& why) {
  session_.reset();
  if (phase_ < Phase::kLingering) refuse(why);
}

bool StreamProtocol::tokens_changed() {
  if (!admitted_ || phase_ >= Phase::kDraining) return false;
  const Access access = gate_.access(token_, true);
  if (access != Access::kNone && (access >= Access::kLearn || !feed_->may_learn)) return false;
  revoked_ =
      access == Access::kNone ? "this token is not known here any more" : "this token may read only now";
  stop_input();
  return true;
}

void StreamProtocol::stop_input() {
  end_sample();
  opening_.reset();
  buffer_.clear();
  unfinished_of_all_.hold(unfinished_, 0);
  phase_ = Phase::kDraining;
  refused_ = true;
}

void StreamProtocol::refuse(const std::string& message) {
  stop_input();
  if (feed_->error_replies == ErrorReplies::kAll) outbox_ += "error: " + message + "; closing\n";
}

void StreamProtocol::refuse_input(std::string message) {
  refuse(message);
  error_ = std::move(message);
}

void StreamProtocol::refuse_http() {
  refuse("this is a stream door and no HTTP server (--http opens one)");
  error_ = "a request of HTTP came to a stream door";
}

std::optional<std::string> StreamProtocol::take_error() { return std::exchange(error_, std::nullopt); }

void StreamProtocol::durable(std::uint64_t records) {
  if (session_) outbox_ += session_->note_durable(records);
}

bool StreamProtocol::wants_checkpoint() const {
  if (asked_ || !session_ || phase_ >= Phase::kLingering) return false;
  return session_->wants_checkpoint(phase_ == Phase::kDraining && !works());
}

void StreamProtocol::checkpoint_asked() {
  asked_ = true;
  outbox_ += session_->note_pending();
}

void StreamProtocol::checkpoint_begins() {
  if (session_) session_->note_checkpoint();
}

// A peer that does not take what it was told before is told no more.
void StreamProtocol::checkpoint_pending() {
  if (!session_ || phase_ >= Phase::kLingering || !writing_.empty() || !outbox_.empty()) return;
  outbox_ += session_->note_pending();
}

void StreamProtocol::checkpoint_ended(const Status& status) {
  asked_ = false;
  if (!session_ || phase_ >= Phase::kLingering || status) return;
  if (writing_.empty() && outbox_.empty()) outbox_ += session_->note_failed(status.error().message);
}

std::string_view StreamProtocol::begin_write() {
  if (!writing_.empty()) return {};
  if (!revoked_.empty() && !works())  // behind the replies
    outbox_ += fmt::format("error: {}; {}: {}; closing\n", std::exchange(revoked_, {}),
                           session_ ? "records inside" : "examples learned on this connection",
                           session_ ? session_->inside() : learned_);
  writing_.swap(outbox_);
  return writing_;
}

bool StreamProtocol::is_done() const {
  return phase_ == Phase::kDraining && !is_busy() && writing_.empty() && outbox_.empty() && revoked_.empty();
}

}  // namespace glimpse
