#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "daemon/support/log_sink.h"
#include "daemon/support/shared_bytes.h"

namespace glimpse {

/// Open connections on all doors, against --max-connections and --max-connections-per-address, and how many
/// clients were turned away, by reason. I/O thread only.
class ConnectionCount {
 public:
  std::size_t limit = 0;
  std::size_t limit_per_address = 0;  ///< 0: none
  std::size_t busy = 0;               ///< HTTP requests whose answer has not left yet
  bool is_stopping = false;           ///< glimpsed is about to end: what gets no answer is told so
  std::uint64_t token_reloads = 0;    ///< tokens were read again: who was admitted before is checked again

  /// Since the start.
  struct Refused {
    std::uint64_t total = 0;        ///< --max-connections was reached
    std::uint64_t address = 0;      ///< --max-connections-per-address was
    std::uint64_t token = 0;        ///< no token, or none that does for what was asked
    std::uint64_t revoked = 0;      ///< stream connections whose token was taken away, or allows less now
    std::uint64_t tls = 0;          ///< handshakes that failed
    std::uint64_t descriptors = 0;  ///< accept() failed: the process has too many, or the system no memory
    std::uint64_t timeout = 0;      ///< nothing moved for too long, or a request or greeting was not finished
    std::uint64_t malformed = 0;    ///< what came is no request, no greeting, or over a limit of size
    std::uint64_t unread = 0;       ///< answers that others have not taken left no room for this one
  };
  Refused refused;

  /// Counts and logs, ten lines a second at most, what ends a connection.
  void note_timeout(const std::string& message);
  void note_malformed(const std::string& message);
  void note_unread(const std::string& message);

  SharedBytes unfinished;  ///< lines that have begun to come: --max-unfinished
  SharedBytes bodies;      ///< of HTTP, from their first byte to their answer: --max-unfinished as well
  SharedBytes unread;      ///< answers of HTTP that have not left: --max-unread

  std::size_t open() const { return open_; }

  /// A connection's place. It counts as open while its place is held.
  using Place = std::shared_ptr<const void>;

  /// A place for a connection from `address` (an IP address; empty for a Unix socket, which no limit for
  /// addresses counts), or nullptr when a limit is reached; `why` then names it. IPv6 addresses are counted
  /// by their /64, IPv4 ones that are mapped into IPv6 as IPv4. `spare`: so many places beyond the limit are
  /// for this door. This must outlive the place.
  Place take(const std::string& address, std::size_t spare, std::string& why);

 private:
  std::size_t open_ = 0;
  LogLimit warnings_;
  std::unordered_map<std::string, std::size_t> of_address_;
};

}  // namespace glimpse
