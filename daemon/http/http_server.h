#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "daemon/http/http_session.h"
#include "daemon/net/listener.h"

namespace glimpse {

/// The HTTP door: its listeners, each of whose connections is served by serve_http(). I/O thread only.
class HttpServer {
 public:
  /// `connections` must outlive `io`, whose last handlers give back what they hold.
  HttpServer(boost::asio::io_context& io, ConnectionCount& connections, HttpLimits limits, HttpGuard guard,
             HttpHandler handler);

  Status open(const Address& address, const DoorRules& rules);
  void start();
  void stop();
  /// Where it listens: Listener::address() of each.
  std::vector<std::string> addresses() const;
  /// For the connections to come.
  void set_timeout(std::chrono::milliseconds timeout) { limits_.timeout = timeout; }
  void set_request_limit(std::uint64_t requests) { limits_.requests = requests; }

 private:
  boost::asio::io_context& io_;
  ConnectionCount& connections_;
  HttpLimits limits_;
  const HttpGuard guard_;
  const HttpHandler handler_;
  std::vector<std::unique_ptr<Listener>> listeners_;
};

}  // namespace glimpse
