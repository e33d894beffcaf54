#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "glimpsectl/client/client_socket.h"
#include "glimpsectl/client/server_address.h"
#include "glimpsectl/client/tls_session.h"

namespace glimpse::ctl {

/// A connection to a stream door, with TLS where its address says so: bytes out, lines in, and nothing that
/// waits but wait(). Thread-safety: none.
class StreamLink {
 public:
  static constexpr std::string_view kTlsAlert = "\x15\x03";  ///< how a record of TLS with an alert begins

  /// Errors: kUnavailable, also when nobody answers within `timeout`; kInvalidOption where the command line
  /// is at fault, so that another try is in vain: see TlsTrust.
  static Result<StreamLink> connect(const ServerAddress& address, std::chrono::milliseconds timeout);

  /// Waits until something can be read, or written where `writes`, or `other` (a descriptor; −1: none) can be
  /// read, but not longer than `limit`.
  void wait(bool writes, int other, std::chrono::milliseconds limit) const;

  /// How many of `bytes` were taken; 0: none for now. Errors: kUnavailable when the connection is gone.
  Result<std::size_t> write(std::string_view bytes);
  /// Nothing more will be written.
  void end_writing();

  /// The next whole line, without its end; none: it has not come. Errors: kUnavailable at the end.
  Result<std::optional<std::string>> line();
  /// Whether line() found the end, which the daemon makes once it has answered all; not after a break.
  bool is_closed() const { return is_closed_; }
  /// Whether what came behind the last line begins as an alert of TLS, which a server of it answers to plain
  /// text.
  bool has_tls_alert() const { return !secure_ && read_.starts_with(kTlsAlert); }

 private:
  // Of TLS. The session refers to the trust.
  struct Secure {
    std::unique_ptr<TlsTrust> trust;
    TlsSession session;
  };

  StreamLink(ClientSocket socket, std::string text) : socket_(std::move(socket)), text_(std::move(text)) {}
  Status shake_hands(const ServerAddress& address, std::chrono::milliseconds timeout);
  Status flush();
  Status receive();
  Error lost(std::string_view why) const;

  ClientSocket socket_;
  std::unique_ptr<Secure> secure_;  // nullptr: plain text
  std::string text_;                // of the address
  std::string read_;
  bool is_closed_ = false;
};

/// Whether the server of a TCP address answers a handshake of TLS, for messages about what went wrong with
/// it in plain text. Takes a connection of its own, and at most `timeout`.
bool speaks_tls(const ServerAddress& server, std::chrono::milliseconds timeout);

}  // namespace glimpse::ctl
