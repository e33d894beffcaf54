#include "daemon/http/http_server.h"

#include <spdlog/spdlog.h>
#include <utility>

namespace glimpse {

namespace asio = boost::asio;

HttpServer::HttpServer(asio::io_context& io, ConnectionCount& connections, HttpLimits limits, HttpGuard guard,
                       HttpHandler handler)
    : io_(io),
      connections_(connections),
      limits_(limits),
      guard_(std::move(guard)),
      handler_(std::move(handler)) {}

Status HttpServer::open(const Address& address, const DoorRules& rules) {
  auto opened = open_listeners(io_, "http", address, rules, [this](StreamSocket socket, Caller caller) {
    serve_http(io_, std::move(socket), std::move(caller), connections_, limits_, guard_, handler_);
  });
  if (!opened) return opened.error();
  for (auto& listener : *opened) {
    spdlog::info("HTTP door open on {}", listener->address());
    listeners_.push_back(std::move(listener));
  }
  return {};
}

void HttpServer::start() {
  for (const auto& listener : listeners_) listener->start();
}

void HttpServer::stop() {
  for (const auto& listener : listeners_) listener->stop();
}

std::vector<std::string> HttpServer::addresses() const {
  std::vector<std::string> addresses;
  for (const auto& listener : listeners_) addresses.push_back(listener->address());
  return addresses;
}

}  // namespace glimpse
