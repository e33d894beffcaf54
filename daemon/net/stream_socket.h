#pragma once

#include <boost/asio/generic/stream_protocol.hpp>

namespace glimpse {

/// A connected socket of any family.
using StreamSocket = boost::asio::generic::stream_protocol::socket;

}  // namespace glimpse
