#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "glimpsectl/client/server_address.h"

namespace glimpse::ctl {

/// A connection to a stream door: bytes out, lines in, and nothing that waits but wait(). Thread-safety:
/// none.
class StreamLink {
 public:
  /// Errors: kUnavailable, also when nobody answers within `timeout`.
  static Result<StreamLink> connect(const ServerAddress& address, std::chrono::milliseconds timeout);
  StreamLink(StreamLink&& other) noexcept;
  StreamLink& operator=(StreamLink&&) = delete;
  ~StreamLink();

  /// Waits until something can be read, or written where `writes`, or `other` (a descriptor; −1: none) can be
  /// read, but not longer than `limit`.
  void wait(bool writes, int other, std::chrono::milliseconds limit) const;

  /// How many of `bytes` the system took; 0: none for now. Errors: kUnavailable when the connection is gone.
  Result<std::size_t> write(std::string_view bytes) const;
  /// Nothing more will be written.
  void end_writing() const;

  /// The next whole line, without its end; none: it has not come. Errors: kUnavailable at the end.
  Result<std::optional<std::string>> line();
  /// Whether line() found the end, which the daemon makes once it has answered all; not after a break.
  bool is_closed() const { return is_closed_; }

 private:
  StreamLink(int socket, std::string text) : socket_(socket), text_(std::move(text)) {}
  Error lost(std::string_view why) const;

  int socket_;
  std::string text_;  // of the address
  std::string read_;
  bool is_closed_ = false;
};

}  // namespace glimpse::ctl
