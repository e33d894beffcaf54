#include "daemon/stream/stream_connection.h"

#include <chrono>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include "daemon/support/memory_trouble.h"
#include "daemon/support/prepared_post.h"
#include "daemon/training/stream_processor.h"

namespace glimpse {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {
// Of blocks with the trainer, before reading pauses: bounds the replies that are still to come (short lines
// get long ones), and what one fast client puts in front of the others.
constexpr std::size_t kMostInFlight = 8;
constexpr std::size_t kFreeUnfinished = std::size_t{64} << 10;
constexpr std::size_t kMostUnsent = std::size_t{1} << 20;    // of replies, before reading pauses
constexpr std::size_t kMostWritten = std::size_t{64} << 10;  // at once
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLinger{5};  // for a peer to read why it was refused
}  // namespace

template <class Work>
void StreamConnection::attempt(Work&& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a connection was given up");
    abort();
  }
}

StreamConnection::StreamConnection(asio::io_context& io, StreamSocket socket, std::shared_ptr<Feed> feed,
                                   BlockQueue& queue, BufferPool& buffers,
                                   std::shared_ptr<const SourceSupport> sources, StreamGate gate,
                                   ConnectionCount& counts, std::chrono::milliseconds idle_timeout,
                                   std::function<void()> closed)
    : io_(io),
      socket_(std::move(socket)),
      feed_(std::move(feed)),
      queue_(queue),
      sources_(std::move(sources)),
      gate_(std::move(gate)),
      counts_(counts),
      idle_timeout_(idle_timeout),
      closed_(std::move(closed)),
      buffer_(feed_->framing, buffers),
      first_line_(feed_->framing.is_lines()),
      linger_limit_(socket_.get_executor()),
      idle_limit_(socket_.get_executor()),
      greeting_limit_(socket_.get_executor()),
      moved_(Clock::now()) {}

StreamConnection::~StreamConnection() {
  counts_.unfinished.hold(unfinished_, 0);
  closed_();
}

void StreamConnection::start() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  if (idle_timeout_.count() > 0) await_idleness(idle_timeout_);
  if (gate_.asks) await_greeting();
  read();
}

void StreamConnection::stop_reading() {
  ended_ = true;
  opening_ = false;  // the trainer may end before it comes to that
  error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_receive, ignored);
  close_when_done();
}

void StreamConnection::abort() {
  const auto self = shared_from_this();  // the last reference may be keep_alive_
  ended_ = true;
  opening_ = false;
  session_.reset();
  error_code ignored;
  socket_.close(ignored);
  linger_limit_.cancel();
  idle_limit_.cancel();
  greeting_limit_.cancel();
  // The queue counts on those it told to try again.
  if (!waiting_room_) keep_alive_.reset();
}

// Memory is taken when there is something to read: connections that are idle have none.
void StreamConnection::read() {
  if (ended_ || reading_ || waiting_room_ || opening_ || in_flight_ >= kMostInFlight) return;
  if (outbox_.size() + writing_.size() > kMostUnsent) return;
  reading_ = true;
  socket_.async_wait(asio::socket_base::wait_read, [self = shared_from_this()](const error_code& error) {
    self->reading_ = false;
    self->attempt([&] {
      if (self->ended_) return self->close_when_done();
      if (error) return self->finish_reading();
      self->read_some();
    });
  });
}

void StreamConnection::read_some() {
  const std::span<char> room = buffer_.room();
  error_code error;
  const std::size_t count = socket_.read_some(asio::buffer(room.data(), room.size()), error);
  if (error == asio::error::would_block || error == asio::error::try_again) return read();
  moved_ = Clock::now();
  if (error) return finish_reading();
  buffer_.filled(count);
  if (!greeted_) return take_greeting();
  take_first_line(buffer_.view().substr(buffer_.size() - count));
}

void StreamConnection::take_greeting() {
  // A browser, or another client that takes this for a TLS door, sends a handshake first. Its bytes may hold
  // lines that a stranger chose.
  if (feed_->framing.is_lines() && buffer_.view().starts_with('\x16')) {
    const std::string message = "a TLS handshake came to a stream door without TLS";
    count_error(message);
    return refuse(message);
  }
  const auto scan = scan_greeting(buffer_.view());
  if (!scan) {
    count_error(scan.error().message);
    return refuse(scan.error().message);
  }
  if (scan->kind == GreetingScan::Kind::kUnfinished) {
    await_greeting();
    return read();
  }
  greeted_ = true;
  greeting_limit_.cancel();
  if (scan->kind == GreetingScan::Kind::kHttp) return refuse_http();
  if (!admit(scan->greeting.token)) return;
  if (scan->kind == GreetingScan::Kind::kWhole) buffer_.drop(scan->length);
  if (scan->greeting.source.empty()) return take_first_line(buffer_.view());
  if (!feed_->may_learn) return refuse("this token may read only, and a source is for learning");
  // What has come is judged before the source changes hands; what is unfinished of it is later.
  if (first_line_.add(buffer_.view()) == FirstLine::Verdict::kHttp) return refuse_http();
  open_source(scan->greeting);
}

// Of lines none is whole before the first is; rows would be learned meanwhile.
void StreamConnection::take_first_line(std::string_view bytes) {
  const auto verdict = first_line_.add(bytes);
  if (verdict == FirstLine::Verdict::kHttp) return refuse_http();
  if (verdict == FirstLine::Verdict::kRecords || first_line_.records_are_lines()) return take_records();
  await_first_line();
  read();
}

// A connection that never says who it is takes a place from those who may.
void StreamConnection::await_greeting() {
  if (awaits_greeting_ || gate_.timeout.count() == 0) return;
  awaits_greeting_ = true;
  greeting_limit_.expires_after(gate_.timeout);
  greeting_limit_.async_wait([weak = weak_from_this()](const error_code& error) {
    const auto self = weak.lock();
    if (!self || error || self->greeted_ || self->ended_) return;
    self->attempt([&] {
      self->counts_.note_timeout(fmt::format(
          "{}: a connection was closed: {} within {} ms (--greeting-timeout)", self->feed_->door->name,
          self->gate_.asks ? "it showed no token" : "its greeting did not end", self->gate_.timeout.count()));
      self->refuse("the first line '#glimpse ...' did not come whole in time");
    });
  });
}

// Rows may look like text for a while: what never becomes a line is taken for rows.
void StreamConnection::await_first_line() {
  if (awaits_first_line_ || gate_.timeout.count() == 0) return;
  awaits_first_line_ = true;
  greeting_limit_.expires_after(gate_.timeout);
  greeting_limit_.async_wait([weak = weak_from_this()](const error_code& error) {
    const auto self = weak.lock();
    if (!self || error || self->ended_ || self->first_line_.verdict() != FirstLine::Verdict::kUnfinished)
      return;
    self->first_line_.give_up();
    self->attempt([&] { self->take_records(); });
  });
}

bool StreamConnection::admit(const std::optional<std::string>& token) {
  const Access access = gate_.access(token);
  feed_->may_learn = access == Access::kWrite;
  if (access != Access::kNone) return true;
  refuse(token ? "this token is not known here"
               : "this door needs a token: the first line '#glimpse token=TOKEN'");
  return false;
}

void StreamConnection::open_source(const Greeting& greeting) {
  if (!sources_->refusal.empty()) return refuse(sources_->refusal);
  opening_ = true;
  keep_alive_ = shared_from_this();
  const auto executor = socket_.get_executor();
  const std::weak_ptr<StreamConnection> weak = weak_from_this();
  feed_->durable = [weak, executor](std::uint64_t records) {
    asio::post(executor, [weak, records] {
      if (const auto self = weak.lock()) self->attempt([&] { self->note_durable(records); });
    });
  };
  feed_->retire = [weak, &io = io_, post = std::make_shared<PreparedPost>()] {
    (*post)(io, [weak] {
      if (const auto self = weak.lock())
        self->attempt([&] { self->give_up("another connection carries the source now"); });
    });
  };
  // By memory taken now, as the connection waits for it.
  queue_.post([weak, &io = io_, feed = feed_, greeting,
               post = std::make_shared<PreparedPost>()](StreamProcessor& processor) {
    Status opened;
    bool lacks_memory = true;
    if_memory_allows("a source was not opened", [&] {
      opened = processor.open_source(feed, greeting.source, greeting.from);
      lacks_memory = false;
    });
    const bool open = opened && !lacks_memory;
    const std::uint64_t inside = open ? feed->source->records : 0;
    const std::uint64_t durable = open ? feed->source->durable : 0;
    (*post)(io, [weak, opened = std::move(opened), lacks_memory, inside, durable, memory = greeting.memory,
                 framing = feed->framing] {
      const auto self = weak.lock();
      if (!self || !self->opening_) return;
      if (lacks_memory) return self->abort();
      self->attempt([&] {
        self->opening_ = false;
        if (!opened) return self->refuse(opened.error().message);
        self->buffer_.set_framing(framing);
        self->send(self->session_.emplace().open(inside, durable, memory));
        self->ask_for_checkpoint();
        self->take_first_line({});
      });
    });
  });
}

void StreamConnection::note_durable(std::uint64_t records) {
  if (!session_) return;
  send(session_->note_durable(records));
  close_when_done();
}

void StreamConnection::ask_for_checkpoint() {
  if (asked_ || !session_) return;
  const bool at_end = ended_ && in_flight_ == 0 && !waiting_room_;
  if (!session_->wants_checkpoint(at_end)) return;
  sources_->ask_for_checkpoint(weak_from_this());
  asked_ = true;
  send(session_->note_pending());
}

void StreamConnection::checkpoint_begins() {
  if (session_) session_->note_checkpoint();
}

// A peer that does not take what it was told before is told no more.
void StreamConnection::checkpoint_pending() {
  if (!session_ || lingering_ || !writing_.empty() || !outbox_.empty()) return;
  attempt([&] { send(session_->note_pending()); });
}

void StreamConnection::checkpoint_ended(const Status& status) {
  asked_ = false;
  if (!session_ || lingering_) return;
  attempt([&] {
    if (!status && writing_.empty() && outbox_.empty()) send(session_->note_failed(status.error().message));
    ask_for_checkpoint();
    close_when_done();
  });
}

// What was queued is thrown away by the trainer.
void StreamConnection::give_up(const std::string& why) {
  session_.reset();
  if (!lingering_ && socket_.is_open()) refuse(why);
}

void StreamConnection::refuse(const std::string& message) {
  buffer_.clear();
  counts_.unfinished.hold(unfinished_, 0);
  ended_ = true;
  refused_ = true;
  if (feed_->error_replies) send("error: " + message + "; closing\n");
  close_when_done();
}

void StreamConnection::refuse_http() {
  count_error("a request of HTTP came to a stream door");
  refuse("this is a stream door and no HTTP server (--http opens one)");
}

void StreamConnection::take_records() {
  auto records = buffer_.take_records();
  if (!records) {
    count_error(records.error().message);
    return refuse(records.error().message);
  }
  if (!*records) return hold_unfinished() ? read() : void();
  block_.feed = feed_;
  block_.bytes = std::move(**records);
  queue_block();
}

// What is begun of a record beyond the first kilobytes, which every connection may have.
bool StreamConnection::hold_unfinished() {
  const std::size_t size = buffer_.size();
  if (counts_.unfinished.hold(unfinished_, size > kFreeUnfinished ? size - kFreeUnfinished : 0)) return true;
  const std::string message = fmt::format(
      "lines that have begun to come have more than --max-unfinished {} bytes over all connections",
      counts_.unfinished.limit);
  count_error(message);
  refuse(message);
  return false;
}

void StreamConnection::queue_block() {
  // Takes its memory now. Without memory later, replies would be lost, and the connection would wait for
  // ever.
  if (!block_.done) block_.done = make_done();
  std::function<void()> room = [weak = weak_from_this(), &io = io_, post = std::make_shared<PreparedPost>()] {
    (*post)(io, [weak] {
      if (const auto self = weak.lock()) self->try_again();
    });
  };
  keep_alive_ = shared_from_this();
  // Counted first: where nobody else works the block is done within push().
  ++in_flight_;
  const bool again = std::exchange(waiting_room_, false);
  waiting_room_ = !queue_.push(block_, again, std::move(room));
  if (waiting_room_) {
    --in_flight_;
    return;
  }
  block_.done = nullptr;
  if (ended_) return close_when_done();
  // What is left is less than a record, or a line over the limit that the framer has yet to refuse.
  take_records();
}

// There is room in the queue, which counts on being asked again.
void StreamConnection::try_again() {
  try {
    queue_block();
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a connection was given up");
    if (std::exchange(waiting_room_, false)) queue_.leave();
    abort();
  }
}

std::function<void(BlockResult&&)> StreamConnection::make_done() {
  return [weak = weak_from_this(), &io = io_, bytes = block_.bytes.size(),
          post = std::make_shared<PreparedPost>()](BlockResult&& result) {
    (*post)(io, [weak, bytes, inside = result.inside, gave_up = result.gave_up,
                 replies = std::move(result.replies)]() mutable {
      const auto self = weak.lock();
      if (!self) return;
      --self->in_flight_;
      self->attempt([&] {
        if (self->session_) self->session_->note_inside(inside, bytes);
        self->send(std::move(replies));
        self->ask_for_checkpoint();
        if (gave_up) self->give_up("connect again, and go on behind what is inside");
        self->close_when_done();
      });
    });
  };
}

void StreamConnection::count_error(const std::string& message) {
  counts_.note_malformed(fmt::format("{}: {}", feed_->door->name, message));
  // The door's counts belong to the trainer.
  queue_.post([door = feed_->door](StreamProcessor&) { ++door->parse_errors; });
}

void StreamConnection::finish_reading() {
  if (greeted_ && !first_line_.records_are_lines() && buffer_.size() > 0 &&
      first_line_.verdict() == FirstLine::Verdict::kUnfinished) {
    first_line_.give_up();
    return take_records();  // and then what is left: the next read ends as this one did
  }
  ended_ = true;
  if (buffer_.size() == 0) return close_when_done();
  // Through the queue like any line, so that the client is told after its other replies and with the number.
  block_.feed = feed_;
  block_.bytes = buffer_.take_rest();
  block_.cut_off = true;
  queue_block();
}

void StreamConnection::send(std::string replies) {
  if (!replies.empty()) outbox_ += replies;
  write();
  read();
}

void StreamConnection::write() {
  if (!writing_.empty() || outbox_.empty() || !socket_.is_open()) return;
  writing_.swap(outbox_);
  const auto note_progress = [this](const error_code& error, std::size_t) -> std::size_t {
    moved_ = Clock::now();
    return error ? 0 : kMostWritten;
  };
  asio::async_write(socket_, asio::buffer(writing_), note_progress,
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      self->writing_.clear();
                      if (error) {
                        self->outbox_.clear();
                        self->abort();
                        return;
                      }
                      self->attempt([&] {
                        self->write();
                        self->read();
                        self->close_when_done();
                      });
                    });
}

void StreamConnection::close_when_done() {
  const auto self = shared_from_this();  // the last reference may be the next line's
  const bool works = in_flight_ > 0 || waiting_room_ || opening_;
  const bool awaits_durable = ended_ && session_ && session_->awaits_durable();
  if (awaits_durable) ask_for_checkpoint();
  if (awaits_durable) {
    keep_alive_ = self;
  } else if (!works) {
    keep_alive_.reset();
  }
  if (!ended_ || works || awaits_durable || !writing_.empty() || !outbox_.empty() || lingering_) return;
  if (refused_) return linger();
  error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_both, ignored);
  socket_.close(ignored);
}

void StreamConnection::await_idleness(std::chrono::milliseconds wait) {
  idle_limit_.expires_after(wait);
  idle_limit_.async_wait([weak = weak_from_this()](const error_code& error) {
    const auto self = weak.lock();
    if (self && !error) self->attempt([&] { self->end_if_idle(); });
  });
}

void StreamConnection::end_if_idle() {
  if (lingering_ || !socket_.is_open()) return;
  const bool ours =
      in_flight_ > 0 || waiting_room_ || opening_ ||
      (ended_ && session_ && session_->awaits_durable());  // the trainer is behind, not the peer
  if (ours) moved_ = Clock::now();
  const auto still = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - moved_);
  if (still < idle_timeout_) return await_idleness(idle_timeout_ - still);
  counts_.note_timeout(
      fmt::format("{}: a connection on which nothing moved for {} ms was closed (--idle-timeout)",
                  feed_->door->name, idle_timeout_.count()));
  if (!writing_.empty() || ended_) return abort();  // it does not take its replies
  finish_reading();
  await_idleness(idle_timeout_);  // for it to take its last replies
}

void StreamConnection::linger() {
  lingering_ = true;
  error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_send, ignored);
  linger_limit_.expires_after(kLinger);
  linger_limit_.async_wait([weak = weak_from_this()](const error_code& error) {
    const auto self = weak.lock();
    if (self && !error) self->abort();
  });
  discard_input();
}

void StreamConnection::discard_input() {
  const std::span<char> room = buffer_.room();
  socket_.async_read_some(asio::buffer(room.data(), room.size()),
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                            if (error) return self->abort();
                            self->attempt([&] { self->discard_input(); });
                          });
}

}  // namespace glimpse
