#include "daemon/http/http_session.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <poll.h>

#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/read_size.hpp>
#include <boost/beast/http.hpp>

#include "daemon/http/beast_bodies.h"
#include "daemon/http/http_head_rules.h"
#include "daemon/support/memory_trouble.h"
#include "daemon/support/prepared_post.h"

namespace glimpse {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::chrono::seconds kRefusalLinger{5};  // for a client to read why it was refused
constexpr std::size_t kReadBytes = 65536;          // at once
constexpr unsigned kNewest = 11;                   // version of HTTP, as Beast writes it
constexpr std::size_t kFreeBody = 65536;           // of each request
constexpr std::size_t kFreeUnread = 65536;  // of each answer: who looks after glimpsed is always answered

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(asio::io_context& io, StreamSocket socket, Caller caller, ConnectionCount& connections,
          const HttpLimits& limits, HttpGuard guard, HttpHandler handler)
      : io_(io),
        stream_(std::move(socket)),
        caller_(std::move(caller)),
        connections_(connections),
        limits_(limits),
        guard_(std::move(guard)),
        handler_(std::move(handler)),
        buffer_(limits.header_bytes + kReadBytes) {}
  ~Session() {
    set_busy(false);
    connections_.bodies.hold(body_, 0);
    connections_.unread.hold(unread_, 0);
  }

  void read() {
    scanner_ = {};
    head_ = {};
    without_body_ = false;
    version_ = kNewest;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
    parser_->body_limit(boost::none);  // hold_body() has it: what the head says wrong is said first
    parser_->on_chunk_header(check_chunk_);
    stream_.expires_after(limits_.timeout);
    scan_head();
  }

 private:
  void scan_head() {
    const std::string_view bytes(static_cast<const char*>(buffer_.data().data()), buffer_.size());
    const auto state = scanner_.scan(bytes);
    if (state == HeadScanner::State::kWrong) return turn_away(scanner_.fault());
    const bool whole = state == HeadScanner::State::kWhole;
    if ((whole ? scanner_.length() : bytes.size()) > limits_.header_bytes)
      return on_read(http::error::header_limit);
    if (whole) return parse_head(bytes.substr(scanner_.begin(), scanner_.length()));
    stream_.async_read_some(buffer_.prepare(beast::read_size(buffer_, kReadBytes)),
                            [self = shared_from_this()](const error_code& error, std::size_t size) {
                              if (error) return self->on_read(error);
                              self->buffer_.commit(size);
                              self->scan_head();
                            });
  }

  void parse_head(std::string_view head) {
    error_code error;
    parser_->put(asio::buffer(head), error);
    if (error) return on_read(error);
    buffer_.consume(scanner_.begin() + scanner_.length());
    on_header();
  }

  // A client that asks before it sends a large body (curl does) is told to go on, or waits in vain for a
  // second. One of HTTP/1.0 does not know the answer.
  void on_header() {
    if (const auto fault = read_head()) return turn_away(*fault);
    if (auto refusal = guard_(caller_, head_)) return refuse(std::move(*refusal));
    guarded_ = connections_.token_reloads;
    if (parser_->content_length().value_or(0) > limits_.body_bytes) return on_read(http::error::body_limit);
    if (!beast::iequals(parser_->get()[http::field::expect], "100-continue") || version_ < kNewest ||
        parser_->is_done())
      return read_body();
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_, asio::buffer(kContinue),
                      [self = shared_from_this()](const error_code& failed, std::size_t) {
                        failed ? self->close() : self->read_body();
                      });
  }

  std::optional<HttpFault> read_head() {
    const auto& message = parser_->get();
    version_ = message.version();
    without_body_ = message.method() == http::verb::head;
    head_.method = without_body_ ? "GET" : std::string(message.method_string());
    if (auto fault = check_head(message)) return fault;
    HttpTarget target;
    if (auto fault = read_target(message, caller_.is_tls, target)) return fault;
    head_.path = std::move(target.path);
    query_ = std::move(target.query);
    static const std::string kSeveral = "(several)";  // of no page
    const auto text = [&](http::field name) -> std::optional<std::string> {
      const auto found = message.find(name);
      if (found == message.end()) return std::nullopt;
      return std::string(found->value());
    };
    head_.authorization = text(http::field::authorization);
    head_.host = target.host ? std::move(target.host) : text(http::field::host);
    const auto once = [&](http::field name) { return message.count(name) > 1 ? kSeveral : text(name); };
    head_.origin = once(http::field::origin);
    head_.referer = once(http::field::referer);
    constexpr beast::string_view kFetchSite = "Sec-Fetch-Site";  // no field of Beast's
    if (const auto count = message.count(kFetchSite); count > 0)
      head_.fetch_site = count > 1 ? kSeveral : std::string(message[kFetchSite]);
    head_.has_body = !parser_->is_done();
    return std::nullopt;
  }

  // What has come is what counts: a length that is only announced keeps nobody out.
  void read_body() {
    if (parser_->is_done()) return on_read({});
    parser_->eager(true);
    http::async_read_some(stream_, buffer_, *parser_,
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                            if (error) return self->on_read(error);
                            if (self->hold_body()) self->read_body();
                          });
  }

  bool hold_body() {
    const std::size_t size = parser_->get().body().size();
    if (size > limits_.body_bytes) {
      on_read(http::error::body_limit);
      return false;
    }
    if (head_.method != "POST" && size > kFreeBody) {
      turn_away(
          413, "too_large",
          fmt::format("the body of {} {} is larger than {} bytes", head_.method, head_.path, kFreeBody));
      return false;
    }
    if (hold_body(size)) return true;
    turn_away(503, "unavailable",
              fmt::format("the bodies that are on their way have more than --max-unfinished {} bytes",
                          connections_.bodies.limit));
    return false;
  }

  bool hold_body(std::size_t size) {
    return connections_.bodies.hold(body_, size > kFreeBody ? size - kFreeBody : 0);
  }

  void on_read(const error_code& error) {
    if (error == http::error::body_limit)
      return turn_away(413, "too_large",
                       fmt::format("the body is larger than --max-body {} bytes", limits_.body_bytes));
    if (error == http::error::header_limit)
      return turn_away(
          431, "header_too_large",
          fmt::format("the headers are larger than --max-header {} bytes", limits_.header_bytes));
    if (error == http::error::buffer_overflow)
      return turn_away(
          431, "header_too_large",
          fmt::format("what stands around a chunk of the body is larger than {} bytes", buffer_.max_size()));
    if (error == beast::error::timeout) {
      // A connection that says nothing between two requests has done no wrong.
      if (requests_ == 0 || buffer_.size() > 0 || parser_->got_some())
        connections_.note_timeout(fmt::format("{}: a request was not whole within {} ms (--http-timeout)",
                                              name(), limits_.timeout.count()));
      return close();
    }
    if (error == http::error::end_of_stream || error == asio::error::connection_reset ||
        error == http::error::partial_message)
      return close();
    if (error) {
      if (error.category() == http::make_error_code(http::error::bad_method).category())
        return turn_away(400, "bad_request", "not an HTTP request: " + error.message());
      return close();
    }
    if (guarded_ != connections_.token_reloads)  // its token may have been taken away while its body came
      if (auto refusal = guard_(caller_, head_)) return refuse(std::move(*refusal));
    ++requests_;
    keep_alive_ = parser_->get().keep_alive() && !asks_to_close(parser_->get()) &&
                  (limits_.requests == 0 || requests_ < limits_.requests);
    HttpRequest request;
    request.method = head_.method;
    request.path = head_.path;
    request.query = std::move(query_);
    request.takes_gzip = takes_gzip(parser_->get()[http::field::accept_encoding]);
    request.if_none_match = std::string(parser_->get()[http::field::if_none_match]);
    request.body = std::move(parser_->release().body());
    request.hold = [this](std::size_t bytes) { return hold_body(bytes); };
    request.most_body = limits_.body_bytes;
    if (request.body.size() > kFreeBody) request.gone = watch_client();
    set_busy(true);
    stream_.expires_never();  // the answer takes the time it takes; writing it is limited again
    handler_(std::move(request),
             [self = from_any_thread()](HttpResponse response) { self->write(std::move(response)); });
  }

  // A Unix socket says when the other side is closed, whatever it still holds. Of TCP the end of what the
  // client sends is all that is seen, and taken for that, unless more has come before it.
  std::shared_ptr<const std::atomic<bool>> watch_client() {
    auto gone = std::make_shared<std::atomic<bool>>(has_gone());
    const auto for_what = caller_.is_unix ? StreamSocket::wait_error : StreamSocket::wait_read;
    stream_.socket().async_wait(for_what, [self = shared_from_this(), gone](const error_code& error) {
      if (!error && self->has_gone()) *gone = true;
    });
    is_watched_ = true;
    return gone;
  }

  bool has_gone() {
    pollfd here{stream_.socket().native_handle(), POLLRDHUP, 0};
    if (::poll(&here, 1, 0) <= 0) return false;
    return (here.revents & (POLLHUP | POLLERR)) != 0 || (!caller_.is_unix && (here.revents & POLLRDHUP) != 0);
  }

  // The holder may let go of it on any thread: the session itself goes on the I/O thread alone. One that lets
  // go without an answer had no memory for it, or glimpsed ends.
  std::shared_ptr<Session> from_any_thread() {
    return {this, [self = shared_from_this(), request = requests_, post = PreparedPost(),
                   before = faults()](Session*) mutable {
              asio::io_context& io = self->io_;
              post(io, [last = std::move(self), request, before] {
                if (last->answered_ >= request) return;
                try {
                  if (last->connections_.is_stopping)
                    return last->refuse(503, "stopping", "glimpsed is about to end");
                  if (faults() != before)
                    return last->refuse(500, "internal",
                                        "this request met a fault of glimpsed, which its log names");
                  last->refuse(503, "unavailable",
                               "this request could not be worked on: there is no memory for it");
                } catch (const std::bad_alloc&) {  // amid a destructor, at times: nobody else catches
                  last->close();
                }
              });
            }};
  }

  std::string name() const { return caller_.is_unix ? "a client on a Unix socket" : caller_.address; }

  void turn_away(const HttpFault& fault) { turn_away(fault.status, fault.code, fault.message); }
  void turn_away(unsigned status, const std::string& code, const std::string& message) {
    connections_.note_malformed(fmt::format("{}: {}", name(), message));
    refuse(status, code, message);
  }

  // What follows on the connection cannot be understood any more.
  void refuse(unsigned status, const std::string& code, const std::string& message) {
    refuse(error_response(status, code, message));
  }
  void refuse(HttpResponse answer) {
    keep_alive_ = false;
    refused_ = true;
    parser_.reset();  // and with it what came of the body
    write(std::move(answer));
  }

  void write(HttpResponse answer) {
    answered_ = requests_;
    if (std::exchange(is_watched_, false)) {
      error_code ignored;
      stream_.socket().cancel(ignored);
    }
    connections_.bodies.hold(body_, 0);
    const std::size_t size = body_size(answer);
    const std::size_t counted = size > kFreeUnread ? size - kFreeUnread : 0;
    // What was changed has been: its answer may not be lost.
    const bool changes = head_.method != "GET" && head_.path != "/v1/predict";
    if (changes) connections_.unread.hold_any(unread_, counted);
    if (!changes && !connections_.unread.hold_any_alone(unread_, counted)) {
      const std::string message =
          fmt::format("answers that clients have not taken have more than --max-unread {} bytes",
                      connections_.unread.limit);
      connections_.note_unread(fmt::format("{}: {}", name(), message));
      answer = error_response(503, "unavailable", message);
    }
    response_.emplace(static_cast<http::status>(answer.status), version_);
    response_->set(http::field::server, "glimpsed");
    response_->set(http::field::content_type, answer.content_type);
    if (!answer.allow.empty()) response_->set(http::field::allow, answer.allow);
    for (const auto& [name, value] : answer.headers) response_->set(name, value);
    response_->keep_alive(keep_alive_);
    const std::size_t length = body_size(answer);
    if (!without_body_) response_->body() = {std::move(answer.body), std::move(answer.more)};
    if (answer.status != 304) response_->content_length(length);  // there it would be that of the file
    serializer_.emplace(*response_);
    stream_.expires_after(limits_.timeout);
    http::async_write(stream_, *serializer_,
                      [self = shared_from_this()](const error_code& error, std::size_t) {
                        self->serializer_.reset();
                        self->response_.reset();
                        self->connections_.unread.hold(self->unread_, 0);
                        self->set_busy(false);
                        if (error == beast::error::timeout) self->note_unread_answer();
                        if (!error && self->refused_) return self->linger();
                        if (error || !self->keep_alive_) return self->close();
                        self->read();
                      });
  }

  void note_unread_answer() {
    connections_.note_timeout(fmt::format("{}: an answer was not taken within {} ms (--http-timeout)", name(),
                                          limits_.timeout.count()));
  }

  // Closing while the client still sends would reset the connection, and take the answer with it: what comes
  // is thrown away for a moment.
  void linger() {
    error_code ignored;
    stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
    stream_.expires_after(kRefusalLinger);
    discard_input();
  }

  void discard_input() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kReadBytes),
                            [self = shared_from_this()](const error_code& error, std::size_t) {
                              error ? self->close() : self->discard_input();
                            });
  }

  void set_busy(bool busy) {
    if (busy != busy_) connections_.busy += busy ? 1 : static_cast<std::size_t>(-1);
    busy_ = busy;
  }

  void close() {
    error_code ignored;
    stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
    stream_.close();
  }

  asio::io_context& io_;
  beast::basic_stream<asio::generic::stream_protocol> stream_;
  const Caller caller_;
  ConnectionCount& connections_;
  const HttpLimits limits_;
  const HttpGuard guard_;
  const HttpHandler handler_;
  beast::flat_buffer
      buffer_;  // bounded: no limit of Beast's holds for a chunk's extensions, and for trailers
  // Extensions mean nothing here. A line's end in one ends the chunk's line for others.
  std::function<void(std::uint64_t, beast::string_view, error_code&)> check_chunk_ =
      [this](std::uint64_t size, beast::string_view extensions, error_code& error) {
        const bool is_text = std::none_of(extensions.begin(), extensions.end(), [](char c) {
          return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
        });
        error = !is_text                    ? make_error_code(http::error::bad_chunk_extension)
                : size > limits_.body_bytes ? make_error_code(http::error::body_limit)
                                            : error_code();
      };
  std::optional<http::request_parser<GrowingBody>> parser_;
  std::optional<http::response<BodyOfPieces>> response_;
  std::optional<http::response_serializer<BodyOfPieces>> serializer_;
  bool keep_alive_ = false;
  HeadScanner scanner_;
  std::uint64_t guarded_ = 0;  // ConnectionCount::token_reloads when guard_ was asked
  HttpHead head_;              // of the request that is being read or answered
  std::string query_;
  bool without_body_ = false;  // HEAD
  std::uint64_t requests_ = 0;
  std::uint64_t answered_ = 0;  // the last
  std::size_t body_ = 0;        // bytes of it that count against all connections' limit
  std::size_t unread_ = 0;      // the same, of the answer
  bool refused_ = false;
  bool is_watched_ = false;  // watch_client() waits
  bool busy_ = false;        // between a request and the end of its answer
  unsigned version_ = kNewest;
};

}  // namespace

void serve_http(asio::io_context& io, StreamSocket socket, Caller caller, ConnectionCount& connections,
                const HttpLimits& limits, HttpGuard guard, HttpHandler handler) {
  std::make_shared<Session>(io, std::move(socket), std::move(caller), connections, limits, std::move(guard),
                            std::move(handler))
      ->read();
}

}  // namespace glimpse
