#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace glimpse {

/// A request as the API sees it.
struct HttpRequest {
  std::string method;  ///< GET, POST, …
  std::string path;    ///< without the query
  std::string query;   ///< what follows '?', still encoded
  std::string body;
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string allow;                                         ///< the Allow header of a 405
  std::vector<std::pair<std::string, std::string>> headers;  ///< of its own
};

/// Called once, on the I/O thread.
using Respond = std::function<void(HttpResponse)>;

HttpResponse json_response(std::string body, unsigned status = 200);
/// {"error": {"code": …, "message": …}} with the status that fits; `code` is a short snake_case word. The
/// message may hold what a client sent: bytes that are no valid UTF-8 are replaced.
HttpResponse error_response(unsigned status, const std::string& code, const std::string& message);
HttpResponse error_response(const Error& error);

/// The value of `key` in a query string, percent-decoded; empty when absent.
std::string query_value(const std::string& query, const std::string& key);

/// Whether a query string has `key`, with a value or an empty one.
bool has_key(std::string_view query, std::string_view key);

/// The first key of a query string, still encoded, that is none of `known`; nothing where there is no other.
std::optional<std::string> unknown_key(std::string_view query, std::initializer_list<std::string_view> known);

}  // namespace glimpse
