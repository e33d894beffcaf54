#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "daemon/http/http_guard.h"
#include "daemon/http/http_types.h"
#include "daemon/net/listener.h"

namespace glimpse {

/// The HTTP door: reads requests one after another from each connection, hands them to the handler, and
/// writes what it responds. I/O thread only.
class HttpServer {
 public:
  struct Limits {
    std::size_t header_bytes = std::size_t{16} << 10;  ///< of a request, below 4 GiB
    std::size_t body_bytes = std::size_t{16} << 20;    ///< of a request
    std::chrono::milliseconds timeout{30000};          ///< for a request to come, and for its answer to leave
    std::uint64_t requests = 0;                        ///< on one connection; 0: as many as they like
  };
  /// What is answered to a request instead of what it asks for, before its body is read; or nothing.
  using Guard = std::function<std::optional<HttpResponse>(const Caller&, const HttpHead&)>;
  using Handler = std::function<void(HttpRequest, Respond)>;

  /// `connections` must outlive `io`, whose last handlers give back what they hold.
  HttpServer(boost::asio::io_context& io, ConnectionCount& connections, Limits limits, Guard guard,
             Handler handler);

  Status open(const Address& address, const DoorRules& rules);
  void start();
  void stop();
  /// For the connections to come.
  void set_timeout(std::chrono::milliseconds timeout) { limits_.timeout = timeout; }
  void set_request_limit(std::uint64_t requests) { limits_.requests = requests; }

 private:
  boost::asio::io_context& io_;
  ConnectionCount& connections_;
  Limits limits_;
  const Guard guard_;
  const Handler handler_;
  std::vector<std::unique_ptr<Listener>> listeners_;
};

}  // namespace glimpse
