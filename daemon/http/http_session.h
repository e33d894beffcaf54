#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include <boost/asio/io_context.hpp>

#include "daemon/http/http_guard.h"
#include "daemon/http/http_types.h"
#include "daemon/net/connection_count.h"
#include "daemon/net/stream_socket.h"

namespace glimpse {

/// What one connection of HTTP may take of memory, time and requests.
struct HttpLimits {
  std::size_t header_bytes = std::size_t{16} << 10;  ///< of a request, below 4 GiB
  std::size_t body_bytes = std::size_t{16} << 20;    ///< of a request
  std::chrono::milliseconds timeout{30000};          ///< for a request to come, and for its answer to leave
  std::uint64_t requests = 0;                        ///< on one connection; 0: as many as they like
};
/// What is answered to a request instead of what it asks for, before its body is read; or nothing.
using HttpGuard = std::function<std::optional<HttpResponse>(const Caller&, const HttpHead&)>;
using HttpHandler = std::function<void(HttpRequest, Respond)>;

/// Serves one connection until it ends: reads its requests one after another, hands them to the handler, and
/// writes what it responds. `connections` must outlive `io`, whose last handlers give back what they hold.
/// I/O thread only.
void serve_http(boost::asio::io_context& io, StreamSocket socket, Caller caller, ConnectionCount& connections,
                const HttpLimits& limits, HttpGuard guard, HttpHandler handler);

}  // namespace glimpse
