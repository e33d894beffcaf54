#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "base/result.h"

namespace glimpse {

/// A request as the API sees it.
struct HttpRequest {
  std::string method;  ///< GET, POST, …
  std::string path;    ///< without the query
  std::string query;   ///< what follows '?', still encoded
  std::string body;
  /// Becomes true when the client has gone, so that nobody takes the answer; nullptr: it is not looked after.
  std::shared_ptr<const std::atomic<bool>> gone;

  /// Counts `bytes` for the body in place of its size, as it is unpacked; false: --max-unfinished allows no
  /// more. I/O thread only, while the request's Respond is not called; nullptr: nobody counts.
  std::function<bool(std::size_t bytes)> hold;
  std::size_t most_body = static_cast<std::size_t>(-1);  ///< bytes, also when it is unpacked: --max-body

  bool takes_gzip = false;    ///< Accept-Encoding names it
  std::string if_none_match;  ///< the header; empty: there is none

  bool is_in_vain() const { return gone && gone->load(std::memory_order_relaxed); }
};

/// The answer to a request: status, headers and body.
struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::string> more;                             ///< pieces of the body that follow
  std::string allow;                                         ///< the Allow header of a 405
  std::vector<std::pair<std::string, std::string>> headers;  ///< of its own
};

/// Bytes of the whole body.
std::size_t body_size(const HttpResponse& response);

/// Called once, on the I/O thread.
using Respond = std::function<void(HttpResponse)>;

HttpResponse json_response(std::string body, unsigned status = 200);
HttpResponse text_response(std::string body, const char* type);
/// {"error": {"code": …, "message": …}} with the status that fits; `code` is a short snake_case word. The
/// message may hold what a client sent: bytes that are no valid UTF-8 are replaced.
HttpResponse error_response(unsigned status, const std::string& code, const std::string& message);
HttpResponse error_response(const Error& error);

/// The value of `key` in a query string, percent-decoded; empty when absent.
std::string query_value(const std::string& query, const std::string& key);

/// Whether a query string has `key`, with a value or an empty one.
bool has_key(std::string_view query, std::string_view key);

/// Whether a value of Accept-Encoding names gzip, and not with a weight of 0.
bool takes_gzip(std::string_view accept_encoding);

/// The query string without `key` and its values.
std::string without_key(std::string_view query, std::string_view key);

/// The refusal (400) of a query that names a parameter that is none of `known`, which stand with commas
/// between, or names one twice: who asks for more than there is must not believe to have it. It says which
/// there are, and which is most like the one that is not.
std::optional<HttpResponse> refuse_parameters(const HttpRequest& request, std::string_view known);

/// Calls `respond` with the response on the I/O thread, from any thread; it holds a session, whose end is for
/// that thread.
inline void respond_later(boost::asio::io_context& io, Respond respond, HttpResponse response) {
  boost::asio::post(io, [respond = std::move(respond), response = std::move(response)]() mutable {
    respond(std::move(response));
  });
}

}  // namespace glimpse
