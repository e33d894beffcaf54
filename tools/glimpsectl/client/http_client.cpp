#include "glimpsectl/client/http_client.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "glimpsectl/client/connection.h"
#include "report/table.h"
#include "report/units.h"

namespace glimpse::ctl {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kReadSize = std::size_t{64} << 10;

std::string host_header(const ServerAddress& server) {
  if (server.is_unix()) return "localhost";
  const bool six = server.host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(six ? "[{}]:{}" : "{}:{}"), server.host, server.port);
}

}  // namespace

HttpClient::HttpClient(ServerAddress server, std::chrono::milliseconds timeout, std::uint64_t max_answer)
    : server_(std::move(server)), timeout_(timeout), max_answer_(max_answer) {}

Result<std::string> HttpClient::get(const std::string& target) const {
  return body_of("GET", target, {}, {});
}

Result<std::string> HttpClient::post(const std::string& target, std::string body,
                                     std::string_view content_type) const {
  return body_of("POST", target, std::move(body), content_type);
}

Result<std::string> HttpClient::body_of(std::string_view method, const std::string& target, std::string body,
                                        std::string_view content_type) const {
  GLIMPSE_TRY_ASSIGN(auto reply, send(method, target, std::move(body), content_type));
  if (reply.status / 100 != 2)
    return error_of_reply(fmt::format("{} {}", method, target), reply.status, reply.body);
  return std::move(reply.body);
}

Error HttpClient::unreadable(const std::string& target, std::string_view message) const {
  return failure(ErrorCode::kUnavailable, "{} gave an answer to {} that is not one of glimpsed: {}",
                 server_.text, target, message);
}

// A server of TLS breaks off what is none, or answers with an alert.
Error HttpClient::no_answer(const Error& why) const {
  return !server_.is_tls && speaks_tls(server_, timeout_) ? speaks_tls_error(server_) : why;
}

Result<HttpReply> HttpClient::send(std::string_view method, const std::string& target, std::string body,
                                   std::string_view content_type) const {
  const std::string what = fmt::format("{} {}", method, target);
  if (server_.is_tls && !trust_) {
    GLIMPSE_TRY_ASSIGN(trust_, TlsTrust::open(server_));
  }
  GLIMPSE_TRY_ASSIGN(const auto connection, Connection::open(server_, timeout_, trust_, what));

  std::string head = fmt::format("{} HTTP/1.1\r\nHost: {}\r\nUser-Agent: glimpsectl\r\nConnection: close\r\n",
                                 what, host_header(server_));
  if (!server_.token.empty()) head += fmt::format("Authorization: Bearer {}\r\n", server_.token);
  if (!content_type.empty()) head += fmt::format("Content-Type: {}\r\n", content_type);
  if (method == "POST") head += fmt::format("Content-Length: {}\r\n", body.size());
  head += "\r\n";

  http::response_parser<http::string_body> parser;
  parser.body_limit(max_answer_);
  parser.eager(true);
  std::string_view rest = head;  // to be sent, and then:
  std::string_view behind = body;
  std::string unread;  // a part of the answer's head
  std::vector<char> room(kReadSize);
  std::optional<Error> broken;
  std::uint64_t bytes = 0;  // either way
  const auto begun = Clock::now();
  for (auto moved = begun; !parser.is_done();) {
    const auto over = begun + longest(timeout_, bytes);
    const auto end = std::min(moved + timeout_, over);
    if (Clock::now() >= over && parser.got_some())
      return failure(
          ErrorCode::kUnavailable,
          "{}: the answer to {} did not end within {} times --timeout {}, and came at less than {} "
          "bytes a second",
          server_.text, what, kLongest, readable_duration(timeout_), kLeastRate);
    if (Clock::now() >= end)
      return failure(ErrorCode::kUnavailable, "{}: no answer to {} within {} (--timeout)", server_.text, what,
                     readable_duration(timeout_));
    connection->wait(!rest.empty(), -1, std::chrono::ceil<milliseconds>(end - Clock::now()));
    // A server that refuses a large body answers and closes while the body is still being sent: its answer
    // says more than the broken pipe, so it is read all the same.
    if (const auto sent = connection->write(rest)) {
      rest.remove_prefix(*sent);
      if (rest.empty()) rest = std::exchange(behind, {});
      bytes += *sent;
      if (*sent > 0) moved = Clock::now();
    } else {
      broken = sent.error();
      rest = behind = {};
    }
    for (bool has_more = true; has_more && !parser.is_done();) {
      const auto got = connection->read(room);
      if (!got) return no_answer(broken.value_or(got.error()));
      has_more = got->count > 0;
      error_code error;
      if (got->is_end && !parser.got_some())
        return no_answer(
            broken.value_or(failure(ErrorCode::kUnavailable,
                                    "{} closed the connection without an answer to {}", server_.text, what)));
      if (got->is_end) {
        parser.put_eof(error);
      } else if (has_more) {
        bytes += got->count;
        moved = Clock::now();
        unread.append(room.data(), got->count);
        unread.erase(0, parser.put(boost::asio::buffer(unread), error));
        if (error == http::error::need_more) error = {};
      }
      if (error == http::error::body_limit)
        return unreadable(what, fmt::format("it is longer than {} bytes (--max-answer)", max_answer_));
      if (error)
        return no_answer(unreadable(
            what, error.message() + "; --server takes the address of --http, not that of --listen"));
    }
  }
  auto reply = parser.release();
  return HttpReply{reply.result_int(), std::move(reply.body())};
}

Error error_of_reply(std::string_view what, unsigned status, std::string_view body) {
  boost::json::error_code parse_error;
  const auto json = boost::json::parse(body, parse_error);
  const auto* object = parse_error ? nullptr : json.if_object();
  const auto* error = object == nullptr ? nullptr : object->if_contains("error");
  if (error != nullptr && error->is_object()) {
    const auto text = [&](std::string_view name) -> std::string {
      const auto* value = error->get_object().if_contains(name);
      return value != nullptr && value->is_string() ? printable(value->get_string()) : std::string("?");
    };
    return failure(ErrorCode::kInvalidInput, "{}: {}: {}", what, text("code"), text("message"));
  }
  const std::string_view line = body.substr(0, std::min<std::size_t>(body.find_first_of("\r\n"), 200));
  return failure(ErrorCode::kInvalidInput, "{}: HTTP status {}{}{}", what, status, line.empty() ? "" : ": ",
                 printable(line));
}

Result<ServerAddress> address_of_owner(std::string_view owner, const ServerAddress& asked) {
  const bool is_url = owner.find("://") != std::string_view::npos;
  const std::string text =
      is_url ? std::string(owner) : (asked.is_tls ? "https://" : "http://") + std::string(owner);
  const auto refuse = [&](std::string_view why) {
    return failure(ErrorCode::kUnavailable, "{} sends one to '{}', {}: name an instance with --server",
                   asked.text, printable(owner), why);
  };
  auto address = parse_server_address(text, "the owner");
  const bool has_port = is_url || owner.find(':') != std::string_view::npos;
  if (!address || !has_port) return refuse("which is no address (--fleet-address)");
  if (asked.is_tls && !address->is_tls) return refuse("which is without TLS, and is not shown the token");
  address->token = asked.token;
  address->authorities = asked.authorities;
  return address;
}

Result<std::optional<ServerAddress>> owner_in(std::string_view body, const ServerAddress& asked) {
  boost::json::error_code error;
  const auto json = boost::json::parse(body, error);
  const auto* const object = error ? nullptr : json.if_object();
  const auto* const owner = object == nullptr ? nullptr : object->if_contains("owner");
  if (owner == nullptr || !owner->is_string()) return std::optional<ServerAddress>();
  GLIMPSE_TRY_ASSIGN(auto address, address_of_owner(std::string_view(owner->get_string()), asked));
  return std::optional(std::move(address));
}

Result<HttpReply> send_in_fleet(const ServerAddress& server, std::chrono::milliseconds timeout,
                                std::string_view method, const std::string& target, const std::string& body,
                                std::string_view content_type) {
  auto reply = HttpClient(server, timeout).send(method, target, body, content_type);
  if (!reply || reply->status != 409) return reply;
  GLIMPSE_TRY_ASSIGN(const auto owner, owner_in(reply->body, server));
  if (!owner) return reply;
  return HttpClient(*owner, timeout).send(method, target, body, content_type);
}

}  // namespace glimpse::ctl
