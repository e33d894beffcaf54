#include "daemon/stream/stream_server.h"

#include <algorithm>
#include <spdlog/spdlog.h>

namespace glimpse {

namespace {
constexpr std::size_t kConnectionRead = std::size_t{256}
                                        << 10;  // as much as the trainer works through in about a millisecond
constexpr std::size_t kConnectionBuffers = 16;  // kept for whatever connection is next to send something
}  // namespace

StreamServer::StreamServer(boost::asio::io_context& io, BlockQueue& queue, MakeFeed make_feed)
    : io_(io),
      queue_(queue),
      make_feed_(std::move(make_feed)),
      buffers_(kConnectionRead, kConnectionBuffers) {}

Status StreamServer::open(const Address& address, const DoorRules& rules, const std::shared_ptr<Door>& door) {
  GLIMPSE_TRY_ASSIGN(auto opened, open_listeners(io_, "listen", address, rules,
                                                 [this, door, &counts = rules.connections](
                                                     StreamSocket socket, Caller caller) {
                                                   accept(std::move(socket), std::move(caller), door, counts);
                                                 }));
  for (auto& listener : opened) {
    door->name = listener->address();
    spdlog::info("stream door open on {}", listener->address());
    listeners_.push_back(std::move(listener));
  }
  return {};
}

void StreamServer::start() {
  for (const auto& listener : listeners_) listener->start();
}

void StreamServer::stop() {
  for (const auto& listener : listeners_) listener->stop();
  const auto alive = *alive_;  // a copy: connections leave the set as they end
  for (StreamConnection* connection : alive) connection->stop_reading();
}

void StreamServer::abort() {
  const auto alive = *alive_;  // a copy: connections leave the set as they end
  for (StreamConnection* connection : alive) connection->abort();
}

std::size_t StreamServer::tokens_changed() {
  const auto alive = *alive_;  // a copy: connections leave the set as they end
  return static_cast<std::size_t>(std::ranges::count_if(
      alive, [](StreamConnection* connection) { return connection->tokens_changed(); }));
}

void StreamServer::accept(StreamSocket socket, Caller caller, const std::shared_ptr<Door>& door,
                          ConnectionCount& counts) {
  auto feed = make_feed_(door);
  // The connection's own address tells itself from the others when it is gone.
  auto slot = std::make_shared<StreamConnection*>(nullptr);
  auto connection = std::make_shared<StreamConnection>(
      io_, std::move(socket), std::move(feed), queue_, buffers_, sources_,
      StreamGate{
          [this, door, who = Caller{caller.is_unix, caller.address, nullptr}](
              std::optional<std::string_view> token, bool again) { return admit_(who, token, *door, again); },
          asks_(caller), greeting_timeout_},
      counts, idle_timeout_,
      [slot, alive = alive_, place = std::move(caller.place)] { alive->erase(*slot); });
  *slot = connection.get();
  alive_->insert(connection.get());
  connection->start();
}

}  // namespace glimpse
