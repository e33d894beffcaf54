#include "glimpsectl/client/http_client.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "glimpsectl/client/stream_link.h"
#include "glimpsectl/format/table.h"
#include "glimpsectl/format/units.h"

namespace glimpse::ctl {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;
using Protocol = asio::generic::stream_protocol;

constexpr std::size_t kReadSize = std::size_t{64} << 10;

Result<std::vector<Protocol::endpoint>> endpoints_of(const ServerAddress& server) {
  if (server.is_unix())
    return std::vector<Protocol::endpoint>{asio::local::stream_protocol::endpoint(server.path)};
  asio::io_context context;
  asio::ip::tcp::resolver resolver(context);
  error_code error;
  std::vector<Protocol::endpoint> endpoints;
  for (const auto& entry : resolver.resolve(server.host, server.port, error))
    endpoints.push_back(entry.endpoint());
  if (error)
    return failure(ErrorCode::kUnavailable, "cannot find the host of {}: {}", server.text, error.message());
  return endpoints;
}

Error silent(const ServerAddress& server, const std::string& what, std::chrono::milliseconds timeout) {
  return failure(ErrorCode::kUnavailable, "{}: no answer to {} within {} (--timeout)", server.text, what,
                 readable_duration(std::chrono::duration<double>(timeout).count()));
}

/// Blocking steps with a time limit each: Asio's own blocking calls know none, so an asynchronous one is
/// started and the context run until it is done.
class Connection {
 public:
  /// `trust`: of TLS; nullptr: plain text.
  Connection(std::chrono::milliseconds timeout, TlsTrust* trust) : timeout_(timeout), trust_(trust) {}

  /// Connects, and shakes hands where there is TLS. `what` is to be asked there. Errors: those of
  /// HttpClient::send().
  Status reach(const ServerAddress& server, const std::string& what) {
    GLIMPSE_TRY_ASSIGN(const auto endpoints, endpoints_of(server));
    error_code error = asio::error::host_not_found;
    for (const auto& endpoint : endpoints)
      if (!(error = connect(endpoint))) break;
    if (error == beast::error::timeout) return silent(server, what, timeout_);
    if (error)
      return failure(ErrorCode::kUnavailable, "cannot connect to {}: {}", server.text, error.message());
    if (trust_ == nullptr) return {};
    trust_->prepare(secure_->native_handle());
    error = step([&](auto done) { secure_->async_handshake(ssl::stream_base::client, done); });
    if (error == beast::error::timeout) return silent(server, what, timeout_);
    if (!error) return {};
    const bool is_reason = error.category() == asio::error::get_ssl_category();
    return trust_->explain(is_reason ? static_cast<unsigned>(error.value()) : 0, error.message());
  }

  /// Whether an answer came, and went on and on.
  bool is_over() const { return Clock::now() >= end(); }

  error_code write(const http::request<http::string_body>& request) {
    http::serializer<true, http::string_body> serializer(request);
    while (!serializer.is_done()) {
      const auto error = step([&](auto done) {
        on_stream([&](auto& stream) {
          http::async_write_some(stream, serializer, [&, done](error_code e, std::size_t count) {
            bytes_ += count;
            done(e);
          });
        });
      });
      if (error) return error;
    }
    return {};
  }

  error_code read(http::response_parser<http::string_body>& parser) {
    beast::flat_buffer buffer;
    buffer.reserve(kReadSize);
    parser.eager(true);
    while (!parser.is_done()) {
      const auto error = step([&](auto done) {
        on_stream([&](auto& stream) {
          http::async_read_some(stream, buffer, parser, [&, done](error_code e, std::size_t count) {
            bytes_ += count;
            done(e);
          });
        });
      });
      if (error) return error;
    }
    return {};
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Socket = beast::basic_stream<Protocol>;

  error_code connect(const Protocol::endpoint& endpoint) {
    if (trust_ != nullptr)
      secure_.emplace(context_, trust_->context());
    else
      plain_.emplace(context_);
    return step([&](auto done) { socket().async_connect(endpoint, done); });
  }

  Clock::time_point end() const { return begun_ + HttpClient::longest(timeout_, bytes_); }

  Socket& socket() { return secure_ ? secure_->next_layer() : *plain_; }

  template <class Use>
  void on_stream(Use use) {
    if (secure_)
      use(*secure_);
    else
      use(*plain_);
  }

  template <class Start>
  error_code step(Start start) {
    error_code result;
    socket().expires_at(std::min(Clock::now() + timeout_, end()));
    start([&result](error_code error) { result = error; });
    context_.restart();
    context_.run();
    return result;
  }

  const std::chrono::milliseconds timeout_;
  const Clock::time_point begun_ = Clock::now();
  std::uint64_t bytes_ = 0;  // either way
  TlsTrust* const trust_;
  asio::io_context context_{1};
  std::optional<Socket> plain_;
  std::optional<ssl::stream<Socket>> secure_;
};

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

Result<TlsTrust*> HttpClient::trust() const {
  if (!server_.is_tls) return nullptr;
  if (!trust_) {
    GLIMPSE_TRY_ASSIGN(trust_, TlsTrust::open(server_));
  }
  return trust_.get();
}

Error HttpClient::unreadable(const std::string& target, std::string_view message) const {
  return failure(ErrorCode::kUnavailable, "{} gave an answer to {} that is not one of glimpsed: {}",
                 server_.text, target, message);
}

Error HttpClient::no_answer(const std::string& what, const error_code& error) const {
  if (error == beast::error::timeout) return silent(server_, what, timeout_);
  // A server of TLS breaks off what is none, or answers with an alert.
  if (!server_.is_tls && speaks_tls(server_, timeout_)) return speaks_tls_error(server_);
  if (error == http::error::end_of_stream)
    return failure(ErrorCode::kUnavailable, "{} closed the connection without an answer to {}", server_.text,
                   what);
  if (error.category() == make_error_code(http::error::bad_version).category())
    return unreadable(what, error.message() + "; --server takes the address of --http, not that of --listen");
  return failure(ErrorCode::kUnavailable, "lost the connection to {}: {}", server_.text, error.message());
}

Result<HttpReply> HttpClient::send(std::string_view method, const std::string& target, std::string body,
                                   std::string_view content_type) const {
  const std::string what = fmt::format("{} {}", method, target);
  GLIMPSE_TRY_ASSIGN(const auto trusted, trust());
  Connection connection(timeout_, trusted);
  if (const Status reached = connection.reach(server_, what); !reached) return reached.error();

  http::request<http::string_body> request(
      http::string_to_verb(beast::string_view(method.data(), method.size())), target, 11);
  request.set(http::field::host, host_header(server_));
  request.set(http::field::user_agent, "glimpsectl");
  if (!server_.token.empty()) request.set(http::field::authorization, "Bearer " + server_.token);
  request.keep_alive(false);
  if (method == "POST") {
    if (!content_type.empty()) request.set(http::field::content_type, content_type);
    request.body() = std::move(body);
    request.prepare_payload();
  }
  // A server that refuses a large body answers and closes while the body is still being sent: its answer says
  // more than the broken pipe, so it is read all the same.
  const error_code write_error = connection.write(request);
  if (write_error == beast::error::timeout) return no_answer(what, write_error);

  http::response_parser<http::string_body> parser;
  parser.body_limit(max_answer_);
  const error_code read_error = connection.read(parser);
  if (read_error == http::error::body_limit)
    return unreadable(what, fmt::format("it is longer than {} bytes (--max-answer)", max_answer_));
  if (read_error == beast::error::timeout && connection.is_over())
    return failure(ErrorCode::kUnavailable,
                   "{}: the answer to {} did not end within {} times --timeout {}, and came at less than {} "
                   "bytes a second",
                   server_.text, what, kLongest,
                   readable_duration(std::chrono::duration<double>(timeout_).count()), kLeastRate);
  if (read_error) return no_answer(what, write_error ? write_error : read_error);
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

}  // namespace glimpse::ctl
