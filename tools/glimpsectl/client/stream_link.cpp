#include "glimpsectl/client/stream_link.h"

#include <algorithm>
#include <array>
#include <utility>

#include "glimpsectl/format/units.h"

namespace glimpse::ctl {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostLine = std::size_t{1} << 20;

milliseconds until(Clock::time_point end) {
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(end - Clock::now()));
}

Status send_output(const ClientSocket& socket, TlsSession& session) {
  while (!session.output().empty()) {
    GLIMPSE_TRY_ASSIGN(const auto count, socket.write(session.output()));
    if (count == 0) return {};
    session.sent(count);
  }
  return {};
}

// Gives the session what has come. Errors: the reason alone.
Status take_input(const ClientSocket& socket, TlsSession& session) {
  std::array<char, 16384> bytes;
  GLIMPSE_TRY_ASSIGN(const auto got, socket.read(bytes));
  session.take(std::string_view(bytes.data(), got.count));
  if (got.is_end) session.take_end();
  return {};
}

}  // namespace

Result<StreamLink> StreamLink::connect(const ServerAddress& address, milliseconds timeout) {
  GLIMPSE_TRY_ASSIGN(auto socket, ClientSocket::connect(address, timeout));
  StreamLink link(std::move(socket), address.text);
  if (address.is_tls)
    if (const Status status = link.shake_hands(address, timeout); !status) return status.error();
  return link;
}

Status StreamLink::shake_hands(const ServerAddress& address, milliseconds timeout) {
  GLIMPSE_TRY_ASSIGN(auto trust, TlsTrust::open(address));
  TlsTrust& trusted = *trust;
  secure_.reset(new Secure{std::move(trust), TlsSession(trusted)});
  TlsSession& session = secure_->session;
  for (const auto end = Clock::now() + timeout;;) {
    const auto done = session.shake_hands();
    const Status sent = send_output(socket_, session);  // also what tells the server of a failure
    if (!done) return done.error();
    if (!sent) return trusted.explain(0, sent.error().message);
    if (*done) return {};
    if (Clock::now() > end)
      return failure(ErrorCode::kUnavailable, "{} does not answer a TLS handshake within {}", text_,
                     readable_duration(std::chrono::duration<double>(timeout).count()));
    socket_.wait(!session.output().empty(), -1, until(end));
    if (const Status taken = take_input(socket_, session); !taken)
      return trusted.explain(0, taken.error().message);
  }
}

Error StreamLink::lost(std::string_view why) const {
  return failure(ErrorCode::kUnavailable, "lost the connection to {}: {}", text_, why);
}

void StreamLink::wait(bool writes, int other, milliseconds limit) const {
  socket_.wait(writes || (secure_ && !secure_->session.output().empty()), other, limit);
}

Status StreamLink::flush() {
  if (!secure_) return {};
  if (const Status sent = send_output(socket_, secure_->session); !sent) return lost(sent.error().message);
  return {};
}

Result<std::size_t> StreamLink::write(std::string_view bytes) {
  if (!secure_) {
    const auto count = socket_.write(bytes);
    if (!count) return lost(count.error().message);
    return count;
  }
  if (const Status flushed = flush(); !flushed) return flushed.error();
  const auto count = secure_->session.write(bytes);
  if (!count) return lost(count.error().message);
  if (const Status flushed = flush(); !flushed) return flushed.error();
  return count;
}

void StreamLink::end_writing() {
  if (!secure_) return socket_.end_writing();
  secure_->session.end_writing();
  (void)flush();  // line() goes on with it, and finds out where it fails
}

// Puts what has come behind read_. Errors: kUnavailable at the end.
Status StreamLink::receive() {
  std::array<char, 4096> bytes;
  if (!secure_) {
    const auto got = socket_.read(bytes);
    if (!got) return lost(got.error().message);
    is_closed_ = got->is_end;
    if (is_closed_) return lost("it was closed");
    read_.append(bytes.data(), got->count);
    return {};
  }
  if (const Status flushed = flush(); !flushed) return flushed;
  if (const Status taken = take_input(socket_, secure_->session); !taken) return lost(taken.error().message);
  for (bool has_more = false;; has_more = true) {
    const auto got = secure_->session.read(bytes);
    // Lines that came before the end are given first; it will be seen again.
    if (has_more && (!got || got->is_end)) return {};
    if (!got) return lost(got.error().message);
    is_closed_ = got->is_end;
    if (is_closed_) return lost("it was closed");
    if (got->count == 0) return flush();
    read_.append(bytes.data(), got->count);
  }
}

Result<std::optional<std::string>> StreamLink::line() {
  for (;;) {
    if (const std::size_t end = read_.find('\n'); end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return std::optional<std::string>(std::move(line));
    }
    if (read_.size() > kMostLine) return lost("it does not send lines");
    const std::size_t before = read_.size();
    if (const Status status = receive(); !status) return status.error();
    if (read_.size() == before) return std::optional<std::string>();
  }
}

bool speaks_tls(const ServerAddress& server, milliseconds timeout) {
  if (server.is_unix()) return false;
  auto trust = TlsTrust::open(server);
  if (!trust) return false;
  auto socket = ClientSocket::connect(server, timeout);
  if (!socket) return false;
  TlsSession session(**trust);
  (void)session.shake_hands();
  if (!send_output(*socket, session)) return false;
  // A record of TLS: a handshake's, or an alert's; its version.
  std::string begun;
  for (const auto end = Clock::now() + timeout; begun.size() < 2 && Clock::now() < end;) {
    socket->wait(false, -1, until(end));
    std::array<char, 2> bytes;
    const auto got = socket->read(std::span(bytes).first(2 - begun.size()));
    if (!got || got->is_end) return false;
    begun.append(bytes.data(), got->count);
  }
  return begun == "\x16\x03" || begun == StreamLink::kTlsAlert;
}

}  // namespace glimpse::ctl
