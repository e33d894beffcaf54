#include "glimpsectl/client/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <new>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "report/units.h"

namespace glimpse::ctl {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostLine = std::size_t{1} << 20;

bool is_for_now(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

// OpenSSL's own BIO of a socket raises SIGPIPE where the server has gone.
int send_bytes(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto count = ::send(*static_cast<const int*>(BIO_get_data(bio)), bytes,
                            static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (count < 0 && is_for_now(errno)) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

int receive_bytes(BIO* bio, char* into, int size) {
  BIO_clear_retry_flags(bio);
  const auto count =
      ::recv(*static_cast<const int*>(BIO_get_data(bio)), into, static_cast<std::size_t>(size), 0);
  if (count < 0 && is_for_now(errno)) BIO_set_retry_read(bio);
  return static_cast<int>(count);
}

BIO* bio_of(const int& socket) {
  static const BIO_METHOD* const kMethod = [] {
    BIO_METHOD* const method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    BIO_meth_set_write(method, send_bytes);
    BIO_meth_set_read(method, receive_bytes);
    BIO_meth_set_ctrl(method,
                      [](BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1L : 0L; });
    return method;
  }();
  BIO* const bio = BIO_new(kMethod);
  if (bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, const_cast<int*>(&socket));
  BIO_set_init(bio, 1);
  return bio;
}

Error silent(std::string_view server, std::string_view what, milliseconds timeout) {
  return failure(ErrorCode::kUnavailable, "{}: no answer to {} within {} (--timeout)", server, what,
                 readable_duration(timeout));
}

int to_poll(milliseconds limit) {
  return static_cast<int>(std::clamp<std::int64_t>(limit.count(), 0, 1 << 30));
}

// 0, or why not.
int connect_within(int socket, const sockaddr* address, socklen_t length, milliseconds timeout) {
  if (::connect(socket, address, length) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd writable{socket, POLLOUT, 0};
  if (::poll(&writable, 1, to_poll(timeout)) == 0) return ETIME;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

}  // namespace

void Connection::Free::operator()(SSL* session) const { SSL_free(session); }

Connection::~Connection() { ::close(socket_); }

Result<std::unique_ptr<Connection>> Connection::open(const ServerAddress& server, milliseconds timeout,
                                                     std::shared_ptr<TlsTrust> trust, std::string_view what) {
  if (server.is_tls && !trust) {
    GLIMPSE_TRY_ASSIGN(trust, TlsTrust::open(server));
  }
  int error = 0;
  const auto attempt = [&](int family, const sockaddr* to, socklen_t length) {
    const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    error = socket < 0 ? errno : connect_within(socket, to, length, timeout);
    if (error == 0) return socket;
    if (socket >= 0) ::close(socket);
    return -1;
  };
  int socket = -1;
  if (server.is_unix()) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    server.path.copy(to.sun_path, sizeof to.sun_path - 1);
    socket = attempt(AF_UNIX, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  } else {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int bad = ::getaddrinfo(server.host.c_str(), server.port.c_str(), &hints, &found); bad != 0)
      return failure(ErrorCode::kUnavailable, "cannot find the host of {}: {}", server.text,
                     ::gai_strerror(bad));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
    for (const addrinfo* to = found; to != nullptr && socket < 0; to = to->ai_next)
      socket = attempt(to->ai_family, to->ai_addr, to->ai_addrlen);
    constexpr int kOn = 1;  // the end of a request does not wait for its beginning to be acknowledged
    if (socket >= 0) ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
  }
  if (error == ETIME && socket < 0) return silent(server.text, what, timeout);
  if (socket < 0)
    return failure(ErrorCode::kUnavailable, "cannot connect to {}: {}", server.text, std::strerror(error));
  return over(socket, server, timeout, std::move(trust), what);
}

Result<std::unique_ptr<Connection>> Connection::over(int socket, const ServerAddress& server,
                                                     milliseconds timeout, std::shared_ptr<TlsTrust> trust,
                                                     std::string_view what) {
  std::unique_ptr<Connection> connection(new Connection(socket, server.text));
  if (!server.is_tls) return connection;
  connection->trust_ = std::move(trust);
  GLIMPSE_TRY(connection->shake_hands(timeout, what));
  return connection;
}

Status Connection::shake_hands(milliseconds timeout, std::string_view what) {
  session_.reset(SSL_new(trust_->context()));
  if (!session_) throw std::bad_alloc();
  BIO* const bio = bio_of(socket_);
  SSL_set_bio(session_.get(), bio, bio);  // owns it
  SSL_set_connect_state(session_.get());
  SSL_set_mode(session_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  trust_->prepare(session_.get());
  for (const auto end = Clock::now() + timeout;;) {
    ERR_clear_error();
    errno = 0;
    const int done = SSL_do_handshake(session_.get());
    const int reason = errno;
    const int error = SSL_get_error(session_.get(), done);
    if (done == 1) return {};
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)
      return trust_->explain(error == SSL_ERROR_SSL ? ERR_peek_last_error() : 0,
                             reason == 0 ? "it closed the connection" : std::strerror(reason));
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    if (left <= milliseconds(0)) return silent(text_, what, timeout);
    pollfd ready{socket_, static_cast<short>(error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT), 0};
    ::poll(&ready, 1, to_poll(left));
  }
}

Error Connection::lost(std::string_view why) const {
  return failure(ErrorCode::kUnavailable, "lost the connection to {}: {}", text_, why);
}

void Connection::wait(bool writes, int other, milliseconds limit) const {
  const bool asks = writes || wants_write_ || ends_;
  std::array<pollfd, 2> descriptors{
      {{socket_, static_cast<short>(asks ? POLLIN | POLLOUT : POLLIN), 0}, {other, POLLIN, 0}}};
  ::poll(descriptors.data(), descriptors.size(), to_poll(limit));
}

// SSL_read_ex() or SSL_write_ex(), and what became of it.
Result<Connection::Read> Connection::attempt_with_tls(bool reads, char* bytes, std::size_t size) {
  ERR_clear_error();
  errno = 0;
  std::size_t count = 0;
  const int done = reads ? SSL_read_ex(session_.get(), bytes, size, &count)
                         : SSL_write_ex(session_.get(), bytes, size, &count);
  const int reason = errno;
  const int error = SSL_get_error(session_.get(), done);
  wants_write_ = error == SSL_ERROR_WANT_WRITE;
  if (done == 1) return Read{count, false};
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return Read{};
  // An end without a word is one too.
  if (reads && (error == SSL_ERROR_ZERO_RETURN || (error == SSL_ERROR_SYSCALL && reason == 0)))
    return Read{0, true};
  if (error == SSL_ERROR_SYSCALL) return lost(std::strerror(reason));
  const char* const text = ERR_reason_error_string(ERR_peek_last_error());
  return lost(text == nullptr ? "TLS was broken off" : text);
}

Result<std::size_t> Connection::write(std::string_view bytes) {
  if (bytes.empty()) return std::size_t{0};
  if (session_) {
    GLIMPSE_TRY_ASSIGN(const auto sent,
                       attempt_with_tls(false, const_cast<char*>(bytes.data()), bytes.size()));
    return sent.count;
  }
  const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (is_for_now(errno)) return std::size_t{0};
  return lost(std::strerror(errno));
}

void Connection::end_writing() {
  if (!session_) {
    ::shutdown(socket_, SHUT_WR);
    return;
  }
  ends_ = true;
  try_to_end();
}

void Connection::try_to_end() {
  if (!ends_) return;
  ERR_clear_error();
  const int done = SSL_shutdown(session_.get());  // says so to the server; what it still says is read
  ends_ = done < 0 && SSL_get_error(session_.get(), done) == SSL_ERROR_WANT_WRITE;
}

Result<Connection::Read> Connection::read(std::span<char> into) {
  if (session_) {
    try_to_end();
    return attempt_with_tls(true, into.data(), into.size());
  }
  const ssize_t count = ::recv(socket_, into.data(), into.size(), 0);
  if (count >= 0) return Read{static_cast<std::size_t>(count), count == 0};
  if (is_for_now(errno)) return Read{};
  return lost(std::strerror(errno));
}

Result<std::optional<std::string>> Connection::line() {
  for (;;) {
    if (const std::size_t end = read_.find('\n'); end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return std::optional<std::string>(std::move(line));
    }
    if (read_.size() > kMostLine) return lost("it does not send lines");
    std::array<char, 4096> bytes;
    GLIMPSE_TRY_ASSIGN(const auto got, read(bytes));
    is_closed_ = got.is_end;
    if (is_closed_) return lost("it was closed");
    if (got.count == 0) return std::optional<std::string>();
    read_.append(bytes.data(), got.count);
  }
}

bool speaks_tls(const ServerAddress& server, milliseconds timeout) {
  if (server.is_unix()) return false;
  ServerAddress secure = server;
  secure.is_tls = true;
  const auto trust = TlsTrust::open(secure);
  return trust && (Connection::open(secure, timeout, *trust) || (*trust)->was_answered());
}

}  // namespace glimpse::ctl
