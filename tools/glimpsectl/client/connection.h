#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <openssl/types.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "glimpsectl/client/server_address.h"
#include "glimpsectl/client/tls_trust.h"

namespace glimpse::ctl {

/// A connection to a listener, with TLS where its address says so: bytes out, bytes or lines in, and nothing
/// that waits but open() and wait(). One side may end while the other goes on. Thread-safety: none.
class Connection {
 public:
  static constexpr std::string_view kTlsAlert = "\x15\x03";  ///< how a record of TLS with an alert begins

  /// Connects to the first of the host's addresses that answers, and shakes hands where there is TLS, each
  /// within `timeout`. `trust`: of an address with TLS; nullptr: opened here. `what` names in messages what
  /// waits for an answer. Errors: kUnavailable; kInvalidOption where the command line is at fault, so that
  /// another try is in vain: see TlsTrust.
  static Result<std::unique_ptr<Connection>> open(const ServerAddress& address,
                                                  std::chrono::milliseconds timeout,
                                                  std::shared_ptr<TlsTrust> trust = nullptr,
                                                  std::string_view what = "a connection");
  /// The same over a socket that is connected and does not block, and belongs to the connection from now on.
  static Result<std::unique_ptr<Connection>> over(int socket, const ServerAddress& address,
                                                  std::chrono::milliseconds timeout,
                                                  std::shared_ptr<TlsTrust> trust, std::string_view what);

  ~Connection();
  Connection(const Connection&) = delete;

  /// Waits until something can be read, or written where `writes`, or `other` (a descriptor; −1: none) can be
  /// read, but not longer than `limit`. With TLS, read until nothing comes before.
  void wait(bool writes, int other, std::chrono::milliseconds limit) const;

  /// How many of `bytes` were taken; 0: none for now, and the same bytes must be offered again. Errors:
  /// kUnavailable when the connection is gone.
  Result<std::size_t> write(std::string_view bytes);
  /// Nothing more will be written.
  void end_writing();

  struct Read {
    std::size_t count = 0;  ///< 0: nothing has come
    bool is_end = false;    ///< and nothing will
  };
  /// Errors: kUnavailable when the connection is gone.
  Result<Read> read(std::span<char> into);

  /// The next whole line, without its end; none: it has not come. Errors: kUnavailable at the end.
  Result<std::optional<std::string>> line();
  /// Whether line() found the end, which the daemon makes once it has answered all; not after a break.
  bool is_closed() const { return is_closed_; }
  /// Whether what came behind the last line begins as an alert of TLS, which a server of it answers to plain
  /// text.
  bool has_tls_alert() const { return !session_ && read_.starts_with(kTlsAlert); }

 private:
  struct Free {
    void operator()(SSL* session) const;
  };

  Connection(int socket, std::string text) : socket_(socket), text_(std::move(text)) {}
  Status shake_hands(std::chrono::milliseconds timeout, std::string_view what);
  Result<Read> attempt_with_tls(bool reads, char* bytes, std::size_t size);
  void try_to_end();
  Error lost(std::string_view why) const;

  const int socket_;
  const std::string text_;  // of the address
  std::shared_ptr<TlsTrust> trust_;
  std::unique_ptr<SSL, Free> session_;  // nullptr: plain text
  bool wants_write_ = false;            // TLS waits for room in what is sent
  bool ends_ = false;                   // and has yet to say that nothing more comes
  std::string read_;                    // for line()
  bool is_closed_ = false;
};

/// Whether the server of a TCP address answers a handshake of TLS, for messages about what went wrong with
/// it in plain text. Takes a connection of its own, and at most `timeout` twice.
bool speaks_tls(const ServerAddress& server, std::chrono::milliseconds timeout);

}  // namespace glimpse::ctl
