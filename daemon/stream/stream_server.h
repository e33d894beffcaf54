#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "daemon/net/listener.h"
#include "daemon/stream/stream_connection.h"
#include "daemon/training/block_queue.h"

namespace glimpse {

/// The stream doors: one feed for each connection, all of a door counted together. All members belong to the
/// I/O thread.
class StreamServer {
 public:
  using MakeFeed = std::function<std::shared_ptr<Feed>(const std::shared_ptr<Door>&)>;

  StreamServer(boost::asio::io_context& io, BlockQueue& queue, MakeFeed make_feed);

  /// Opens a door; connections are taken from start() on.
  Status open(const Address& address, const DoorRules& rules, const std::shared_ptr<Door>& door);
  void start();
  /// Before start().
  void set_sources(SourceSupport sources) {
    sources_ = std::make_shared<const SourceSupport>(std::move(sources));
  }
  /// Who may do what; everybody everything without it. To be called before start().
  using Admit = std::function<Access(const Caller& caller, std::optional<std::string_view> token,
                                     const Door& door, bool again)>;
  /// Whether a token must come first.
  using Asks = std::function<bool(const Caller& caller)>;
  void set_admit(Admit admit, Asks asks) {
    admit_ = std::move(admit);
    asks_ = std::move(asks);
  }
  /// For the connections to come; 0: never.
  void set_greeting_timeout(std::chrono::milliseconds timeout) { greeting_timeout_ = timeout; }
  /// For the connections to come; 0: never.
  void set_idle_timeout(std::chrono::milliseconds timeout) { idle_timeout_ = timeout; }
  /// Closes the doors and stops reading everywhere; what was read is still answered.
  void stop();
  /// Closes what is left.
  void abort();
  /// The tokens are others now. Ends the connections whose own allow less than they did, each with a message
  /// and once what it sent is answered; how many they are.
  std::size_t tokens_changed();

  std::size_t connections() const { return alive_->size(); }

 private:
  void accept(StreamSocket socket, Caller caller, const std::shared_ptr<Door>& door, ConnectionCount& counts);

  boost::asio::io_context& io_;
  BlockQueue& queue_;
  const MakeFeed make_feed_;
  BufferPool buffers_;
  std::shared_ptr<const SourceSupport> sources_ = std::make_shared<const SourceSupport>();
  Admit admit_ = [](const Caller&, std::optional<std::string_view>, const Door&, bool) {
    return Access::kWrite;
  };
  Asks asks_ = [](const Caller&) { return false; };
  std::chrono::milliseconds idle_timeout_{0};
  std::chrono::milliseconds greeting_timeout_{0};
  std::vector<std::unique_ptr<Listener>> listeners_;
  // Shared with the connections: the last handlers are destroyed with the io_context, after this.
  const std::shared_ptr<std::unordered_set<StreamConnection*>> alive_ =
      std::make_shared<std::unordered_set<StreamConnection*>>();
};

}  // namespace glimpse
