#include "daemon/http/http_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>

#include "data/text/text.h"

namespace glimpse {

bool takes_gzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    const std::string_view one = accept_encoding.substr(0, accept_encoding.find(','));
    accept_encoding.remove_prefix(std::min(one.size() + 1, accept_encoding.size()));
    const std::size_t end = std::min(one.find(';'), one.size());
    if (trimmed(one.substr(0, end)) != "gzip") continue;
    std::string_view weight = trimmed(one.substr(std::min(end + 1, one.size())));
    // "q=0" and "q=0.000" are no; all others are yes.
    if (!weight.starts_with("q=")) return true;
    weight.remove_prefix(2);
    return weight.find_first_not_of("0.") != std::string_view::npos;
  }
  return false;
}

std::size_t body_size(const HttpResponse& response) {
  std::size_t size = response.body.size();
  for (const std::string& piece : response.more) size += piece.size();
  return size;
}

HttpResponse json_response(std::string body, unsigned status) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

HttpResponse text_response(std::string body, const char* type) {
  HttpResponse response;
  response.content_type = type;
  response.body = std::move(body);
  return response;
}

HttpResponse error_response(unsigned status, const std::string& code, const std::string& message) {
  HttpResponse response;
  response.status = status;
  response.body = boost::json::serialize(
                      boost::json::object{{"error", {{"code", code}, {"message", valid_utf8(message)}}}}) +
                  "\n";
  return response;
}

HttpResponse error_response(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidInput:
      return error_response(400, "invalid_input", error.message);
    case ErrorCode::kInvalidOption:
      return error_response(400, "invalid_option", error.message);
    case ErrorCode::kTooLarge:
      return error_response(413, "too_large", error.message);
    case ErrorCode::kNotFound:
      return error_response(404, "not_found", error.message);
    case ErrorCode::kMismatch:
      return error_response(409, "mismatch", error.message);
    case ErrorCode::kUnavailable:
      return error_response(409, "unavailable", error.message);
    case ErrorCode::kCorrupt:
      return error_response(500, "corrupt", error.message);
    case ErrorCode::kSystem:
      return error_response(500, "system", error.message);
  }
  return error_response(500, "internal", error.message);
}

std::string query_value(const std::string& query, const std::string& key) {
  const auto hex = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  for (std::size_t begin = 0; begin < query.size();) {
    std::size_t end = query.find('&', begin);
    if (end == std::string::npos) end = query.size();
    const std::string part = query.substr(begin, end - begin);
    begin = end + 1;
    if (!part.starts_with(key + "=")) continue;
    std::string value;
    for (std::size_t i = key.size() + 1; i < part.size(); ++i) {
      if (part[i] == '%' && i + 2 < part.size() && hex(part[i + 1]) >= 0 && hex(part[i + 2]) >= 0) {
        value += static_cast<char>(hex(part[i + 1]) * 16 + hex(part[i + 2]));
        i += 2;
      } else {
        value += part[i] == '+' ? ' ' : part[i];
      }
    }
    return value;
  }
  return {};
}

bool has_key(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    if (part.substr(0, part.find('=')) == key) return true;
  }
  return false;
}

std::string without_key(std::string_view query, std::string_view key) {
  std::string rest;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    if (part.substr(0, part.find('=')) == key) continue;
    if (!rest.empty()) rest += '&';
    rest += part;
  }
  return rest;
}

std::optional<HttpResponse> refuse_parameters(const HttpRequest& request, std::string_view known) {
  std::vector<std::string_view> all;
  for (std::string_view rest = known; !rest.empty();) {
    all.push_back(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(all.back().size() + 1, rest.size()));
  }
  std::vector<std::string_view> seen;
  for (std::string_view rest = request.query; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::string_view key = part.substr(0, part.find('='));
    if (part.empty()) continue;
    if (std::ranges::find(all, key) == all.end())
      return error_response(
          400, "unknown_parameter",
          all.empty() ? fmt::format("{} has no parameters, and so not {}", request.path, in_quotes(key))
          : all.size() == 1
              ? fmt::format("{} has no parameter {}; there is {} alone", request.path, in_quotes(key), known)
              : fmt::format("{} has no parameter {}; there are {} and {}{}", request.path, in_quotes(key),
                            fmt::join(all.begin(), all.end() - 1, ", "), all.back(), did_you_mean(key, all)));
    if (std::ranges::find(seen, key) != seen.end())
      return error_response(400, "repeated_parameter",
                            fmt::format("{} is given twice: give it once, with one value", key));
    seen.push_back(key);
  }
  return std::nullopt;
}

}  // namespace glimpse
