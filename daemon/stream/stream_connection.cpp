#include "daemon/stream/stream_connection.h"

#include <fmt/format.h>
#include <new>
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
constexpr std::size_t kMostWritten = std::size_t{64} << 10;  // at once
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLastReplies{1};  // for a peer whose token was taken away
constexpr std::chrono::seconds kLinger{5};       // for a peer to read why it was refused
}  // namespace

StreamConnection::StreamConnection(asio::io_context& io, StreamSocket socket, std::shared_ptr<Feed> feed,
                                   BlockQueue& queue, BufferPool& buffers,
                                   std::shared_ptr<const SourceSupport> sources, StreamGate gate,
                                   ConnectionCount& counts, std::chrono::milliseconds idle_timeout,
                                   std::function<void()> closed)
    : io_(io),
      socket_(std::move(socket)),
      feed_(std::move(feed)),
      queue_(queue),
      has_sample_(feed_->decide != nullptr),
      sources_(std::move(sources)),
      greeting_timeout_(gate.timeout),
      asks_token_(gate.asks),
      counts_(counts),
      idle_timeout_(idle_timeout),
      closed_(std::move(closed)),
      protocol_(feed_, std::move(gate), sources_->refusal, buffers, counts.unfinished),
      linger_limit_(socket_.get_executor()),
      idle_limit_(socket_.get_executor()),
      deadline_(socket_.get_executor()),
      moved_(Clock::now()) {}

StreamConnection::~StreamConnection() { closed_(); }

template <class Event>
void StreamConnection::take(Event&& event) {
  const auto self = shared_from_this();  // the last reference may be keep_alive_
  try {
    event();
    advance();
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a connection was closed");
    abort();
  }
}

void StreamConnection::start() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  if (idle_timeout_.count() > 0) await_idleness(idle_timeout_);
  if (has_sample_)
    feed_->send_late = [weak = weak_from_this(), executor = socket_.get_executor()](std::string replies,
                                                                                    std::uint64_t learned) {
      asio::post(executor, [weak, replies = std::move(replies), learned] {
        if (const auto self = weak.lock())
          self->take([&] { self->protocol_.late_replies(replies, learned); });
      });
    };
  take([] {});
}

void StreamConnection::stop_reading() {
  error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_receive, ignored);
  take([this] { protocol_.stop(); });
}

bool StreamConnection::tokens_changed() {
  bool ends = false;
  take([&] { ends = protocol_.tokens_changed(); });
  if (ends) await_last_replies();
  return ends;
}

// A peer that does not take its last replies is cut off; those that the trainer has not made yet are waited
// for.
void StreamConnection::await_last_replies() {
  if (protocol_.phase() >= Phase::kLingering) return;
  linger_limit_.expires_after(kLastReplies);
  linger_limit_.async_wait([weak = weak_from_this()](const error_code& error) {
    const auto self = weak.lock();
    if (self && !error) self->protocol_.is_writing() ? self->abort() : self->await_last_replies();
  });
}

void StreamConnection::abort() {
  const auto self = shared_from_this();  // the last reference may be keep_alive_
  if (has_sample_)
    if_memory_allows("records that waited for more of a sample were not learned", [this] {
      queue_.post([feed = feed_](StreamProcessor& processor) { processor.end_sample(feed, true); });
    });
  protocol_.close();
  error_code ignored;
  socket_.close(ignored);
  linger_limit_.cancel();
  idle_limit_.cancel();
  deadline_.cancel();
  // The queue counts on those it told to try again.
  if (!waiting_room_) keep_alive_.reset();
}

void StreamConnection::advance() {
  if (protocol_.phase() == Phase::kClosed) {
    if (!waiting_room_) keep_alive_.reset();
    return;
  }
  if (const auto greeting = protocol_.take_opening()) open_source(*greeting);
  if (!waiting_room_) queue_blocks(false);
  note_error();
  if (protocol_.wants_checkpoint()) ask_for_checkpoint();
  write();
  await_deadline();
  read();
  if (protocol_.is_done()) return end();
  keep_alive_ = protocol_.is_busy() ? shared_from_this() : nullptr;
}

void StreamConnection::note_error() {
  const auto error = protocol_.take_error();
  if (!error) return;
  counts_.note_malformed(fmt::format("{}: {}", feed_->door->name, *error));
  // The door's counts belong to the trainer.
  queue_.post([door = feed_->door](StreamProcessor&) { ++door->parse_errors; });
}

void StreamConnection::open_source(const Greeting& greeting) {
  const auto executor = socket_.get_executor();
  const std::weak_ptr<StreamConnection> weak = weak_from_this();
  feed_->durable = [weak, executor](std::uint64_t records) {
    asio::post(executor, [weak, records] {
      if (const auto self = weak.lock()) self->take([&] { self->protocol_.durable(records); });
    });
  };
  feed_->retire = [weak, &io = io_, post = std::make_shared<PreparedPost>()] {
    (*post)(io, [weak] {
      if (const auto self = weak.lock())
        self->take([&] { self->protocol_.give_up("another connection carries the source now"); });
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
    const auto contents = open ? feed->source->contents : std::nullopt;
    (*post)(io, [weak, opened = std::move(opened), lacks_memory, inside, durable, contents,
                 framing = feed->framing] {
      const auto self = weak.lock();
      if (!self || self->protocol_.phase() != Phase::kOpening) return;
      if (lacks_memory) return self->abort();
      self->take([&] { self->protocol_.opened(opened, framing, inside, durable, contents); });
    });
  });
}

// A checkpoint may begin within the call that asks for it.
void StreamConnection::ask_for_checkpoint() {
  sources_->ask_for_checkpoint(weak_from_this());
  protocol_.checkpoint_asked();
}

void StreamConnection::checkpoint_pending() {
  take([this] { protocol_.checkpoint_pending(); });
}

void StreamConnection::checkpoint_ended(const Status& status) {
  take([&] { protocol_.checkpoint_ended(status); });
}

// Where nobody else works a block is done within push(), and its replies are written then.
void StreamConnection::queue_blocks(bool again) {
  while (std::optional<Block> block = protocol_.take_block()) {
    // By memory taken now: without it replies would be lost, and the connection would wait for ever.
    if (!block->done) block->done = make_done(block->bytes.size());
    std::function<void()> room = [weak = weak_from_this(), &io = io_,
                                  post = std::make_shared<PreparedPost>()] {
      (*post)(io, [weak] {
        if (const auto self = weak.lock()) self->try_again();
      });
    };
    keep_alive_ = shared_from_this();
    waiting_room_ = false;
    waiting_room_ = !queue_.push(*block, std::exchange(again, false), std::move(room));
    if (waiting_room_) return protocol_.put_back(std::move(*block));
  }
}

// There is room in the queue, which counts on being asked again.
void StreamConnection::try_again() {
  const auto self = shared_from_this();
  try {
    queue_blocks(true);
    advance();
  } catch (const std::bad_alloc&) {
    note_memory_trouble("a connection was closed");
    if (std::exchange(waiting_room_, false)) queue_.leave();
    abort();
  }
}

std::function<void(BlockResult&&)> StreamConnection::make_done(std::size_t bytes) {
  return [weak = weak_from_this(), &io = io_, bytes,
          post = std::make_shared<PreparedPost>()](BlockResult&& result) {
    (*post)(io, [weak, bytes, inside = result.inside, gave_up = result.gave_up,
                 refusal = std::move(result.refusal), replies = std::move(result.replies),
                 learned = result.learned]() mutable {
      const auto self = weak.lock();
      if (!self) return;
      self->take([&] {
        self->protocol_.block_done(std::move(replies), inside, bytes, gave_up, std::move(refusal), learned);
      });
    });
  };
}

// Memory is taken when there is something to read: connections that are idle have none.
void StreamConnection::read() {
  if (reading_ || !protocol_.wants_read()) return;
  reading_ = true;
  socket_.async_wait(asio::socket_base::wait_read, [self = shared_from_this()](const error_code& error) {
    self->reading_ = false;
    self->take([&] {
      if (error) return self->protocol_.input_ended();
      if (self->protocol_.wants_read()) self->read_some();
    });
  });
}

void StreamConnection::read_some() {
  const std::span<char> room = protocol_.room();
  error_code error;
  const std::size_t count = socket_.read_some(asio::buffer(room.data(), room.size()), error);
  if (error == asio::error::would_block || error == asio::error::try_again) return;
  moved_ = Clock::now();
  if (error) return protocol_.input_ended();
  protocol_.received(count);
}

void StreamConnection::write() {
  if (!socket_.is_open()) return;
  const std::string_view replies = protocol_.begin_write();
  if (replies.empty()) return;
  const auto note_progress = [this](const error_code& error, std::size_t) -> std::size_t {
    moved_ = Clock::now();
    return error ? 0 : kMostWritten;
  };
  asio::async_write(socket_, asio::buffer(replies), note_progress,
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      self->protocol_.written();
                      if (error) return self->abort();
                      self->take([] {});
                    });
}

void StreamConnection::await_deadline() {
  const Deadline deadline = protocol_.deadline();
  if (deadline == awaited_) return;
  awaited_ = deadline;
  deadline_.cancel();
  if (deadline == Deadline::kNone || greeting_timeout_.count() == 0) return;
  deadline_.expires_after(greeting_timeout_);
  deadline_.async_wait([weak = weak_from_this(), deadline](const error_code& error) {
    const auto self = weak.lock();
    if (!self || error || self->protocol_.deadline() != deadline) return;
    self->take([&] {
      self->note_late(deadline);
      self->protocol_.time_is_up(deadline);
    });
  });
}

void StreamConnection::note_late(Deadline deadline) {
  if (deadline != Deadline::kGreeting) return;
  counts_.note_timeout(fmt::format(
      "{}: a connection was closed: {} within {} ms (--greeting-timeout)", feed_->door->name,
      asks_token_ ? "it showed no token" : "its greeting did not end", greeting_timeout_.count()));
}

void StreamConnection::await_idleness(std::chrono::milliseconds wait) {
  idle_limit_.expires_after(wait);
  idle_limit_.async_wait([weak = weak_from_this()](const error_code& error) {
    const auto self = weak.lock();
    if (self && !error) self->take([&] { self->end_if_idle(); });
  });
}

void StreamConnection::end_if_idle() {
  if (protocol_.phase() >= Phase::kLingering || !socket_.is_open()) return;
  if (protocol_.is_busy()) moved_ = Clock::now();  // the trainer is behind, not the peer
  const auto still = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - moved_);
  if (still < idle_timeout_) return await_idleness(idle_timeout_ - still);
  counts_.note_timeout(
      fmt::format("{}: a connection on which nothing moved for {} ms was closed (--idle-timeout)",
                  feed_->door->name, idle_timeout_.count()));
  // It does not take its replies.
  if (protocol_.is_writing() || protocol_.phase() == Phase::kDraining) return abort();
  protocol_.input_ended();
  await_idleness(idle_timeout_);  // for it to take its last replies
}

void StreamConnection::end() {
  keep_alive_.reset();
  if (protocol_.lingers()) return linger();
  protocol_.close();
  error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_both, ignored);
  socket_.close(ignored);
}

void StreamConnection::linger() {
  protocol_.linger();
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
  const std::span<char> room = protocol_.room();
  socket_.async_read_some(asio::buffer(room.data(), room.size()),
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                            if (error) return self->abort();
                            self->take([&] { self->discard_input(); });
                          });
}

}  // namespace glimpse
