#pragma once

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "daemon/http/http_types.h"

namespace glimpse {

/// Calls `respond` with the response on the I/O thread, from any thread; it holds a session, whose end is for
/// that thread.
inline void respond_later(boost::asio::io_context& io, Respond respond, HttpResponse response) {
  boost::asio::post(io, [respond = std::move(respond), response = std::move(response)]() mutable {
    respond(std::move(response));
  });
}

}  // namespace glimpse
