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
/// writes what it responds. I/O thread only.
class HttpServer {
 public:
  struct Limits {
    std::size_t header_bytes = std::size_t{16} << 10;  ///< of a request, below 4 GiB
    std::size_t body_bytes = std::size_t{16} << 20;    ///< of a request
    std::chrono::milliseconds timeout{30000};          ///< for a request to come, and for its answer to leave
  };
  using Handler = std::function<void(HttpRequest, Respond)>;

  HttpServer(boost::asio::io_context& io, ConnectionCount& connections, Limits limits, Handler handler);

  Status open(const Address& address);
  void start();
  void stop();
  /// For the connections to come.
  void set_timeout(std::chrono::milliseconds timeout) { limits_.timeout = timeout; }

 private:
  boost::asio::io_context& io_;
  ConnectionCount& connections_;
  Limits limits_;
  const Handler handler_;
  std::vector<std::unique_ptr<Listener>> listeners_;
};

}  // namespace glimpse
