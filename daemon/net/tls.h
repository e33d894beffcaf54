#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/result.h"
#include "daemon/net/connection_count.h"
#include "daemon/net/stream_socket.h"

namespace glimpse {

/// TLS 1.2 and 1.3 in front of the TCP doors, by OpenSSL; of 1.2 only suites with forward secrecy (ECDHE).
///
/// A connection's bytes are decrypted here and carried to a socket pair, whose other end is what the doors
/// get: these do not know of TLS. What that costs: two more descriptors for each connection, and another copy
/// of every byte. When one side stops reading, so does the other. All members belong to the I/O thread.
class TlsKeeper {
 public:
  /// The files are PEM: the server's certificate with those that lead to an authority behind it, and its
  /// private key, which has no passphrase and only owner and group may read. `timeout`: how long a client has
  /// for the handshake, and, once the door has closed its end, for any 16 KiB of what is left. Errors
  /// (kInvalidOption) name option, file and what OpenSSL has to say.
  static Result<std::unique_ptr<TlsKeeper>> open(boost::asio::io_context& io, std::string certificate,
                                                 std::string key, std::chrono::milliseconds timeout);
  ~TlsKeeper();

  /// Reads both files again, and takes another time-out, for the connections to come. On an error nothing
  /// changes.
  Status reload(std::chrono::milliseconds timeout);

  using Accepted = std::function<void(StreamSocket)>;
  using Failed = std::function<void(const std::string& why)>;
  /// Shakes hands with the client, then calls `accepted` with a socket that has its plain bytes; or `failed`.
  /// A client of plain text gets an alert of TLS, from which it can tell what it has met.
  /// `place` is held as long as the client's connection is open.
  void carry(boost::asio::ip::tcp::socket client, ConnectionCount::Place place, Accepted accepted,
             Failed failed);

 private:
  class Context;

  TlsKeeper(boost::asio::io_context& io, std::string certificate, std::string key);

  boost::asio::io_context& io_;
  const std::string certificate_;
  const std::string key_;
  std::chrono::milliseconds timeout_{};
  std::shared_ptr<Context> context_;
};

}  // namespace glimpse
