#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>

#include "daemon/http/http_head_scanner.h"

namespace glimpse {

/// What the target of a request names.
struct HttpTarget {
  std::string path;   ///< "*" where OPTIONS asks for no path
  std::string query;  ///< what follows '?', still encoded
  /// The host, perhaps with a port, where the target has one: the Host header does not count then.
  std::optional<std::string> host;
};

/// What RFC 9112 demands of a head and Beast's parser does not ask for. The end of the body must be certain:
/// no Transfer-Encoding other than chunked alone, none in HTTP/1.0, none beside a Content-Length, and a
/// Content-Length that is one number. HTTP/1.1 needs one Host header that can be one, 1.0 has at most one.
/// There is at most one Authorization. 415 for a coded body and for a form of several parts. Pure;
/// O(headers).
std::optional<HttpFault> check_head(const boost::beast::http::request_header<>& head);

/// Whether any of its Connection headers says close: Beast looks at the first alone.
bool asks_to_close(const boost::beast::http::request_header<>& head);

/// Reads the target in the forms that RFC 9112 knows: a path, http://HOST/PATH and, of OPTIONS, '*'. A whole
/// URL must name this machine by localhost or a loopback address, or the host that the Host header names as
/// well: otherwise 421. https: where the connection is not `secure` is 421 as well. 501 for CONNECT.
std::optional<HttpFault> read_target(const boost::beast::http::request_header<>& head, bool secure,
                                     HttpTarget& target);

/// Without its port; an IPv6 address without its brackets.
std::string_view without_port(std::string_view host);

}  // namespace glimpse
