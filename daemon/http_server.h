#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "daemon/http_types.h"
#include "daemon/listener.h"
#include "daemon/stream_server.h"

namespace glimpse {

/// The HTTP door: reads requests one after another from each connection, hands them to the handler, and
/// writes what it responds. Headers are limited to 16 KiB, bodies to `max_body_bytes`, each request and each
/// response to `timeout`. I/O thread only.
class HttpServer {
 public:
  using Handler = std::function<void(HttpRequest, Respond)>;

  HttpServer(boost::asio::io_context& io, ConnectionCount& connections, std::size_t max_body_bytes,
             std::chrono::milliseconds timeout, Handler handler);

  Status open(const Address& address);
  void start();
  void stop();
  /// For the connections to come.
  void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }

 private:
  boost::asio::io_context& io_;
  ConnectionCount& connections_;
  const std::size_t max_body_bytes_;
  std::chrono::milliseconds timeout_;
  const Handler handler_;
  std::vector<std::unique_ptr<Listener>> listeners_;
};

}  // namespace glimpse
