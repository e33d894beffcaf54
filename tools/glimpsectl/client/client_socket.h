#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "glimpsectl/client/server_address.h"

namespace glimpse::ctl {

/// A connected socket that never blocks: only wait() does. Thread-safety: none.
class ClientSocket {
 public:
  /// The first of the host's addresses that takes a connection. Errors: kUnavailable, also when none answers
  /// within `timeout`.
  static Result<ClientSocket> connect(const ServerAddress& server, std::chrono::milliseconds timeout);
  ClientSocket(ClientSocket&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  ClientSocket& operator=(ClientSocket&&) = delete;
  ~ClientSocket();

  /// Waits until something can be read, or written where `writes`, or `other` (a descriptor; −1: none) can be
  /// read, but not longer than `limit`.
  void wait(bool writes, int other, std::chrono::milliseconds limit) const;

  /// How many of `bytes` the system took; 0: none for now. Errors: kUnavailable, with the reason alone.
  Result<std::size_t> write(std::string_view bytes) const;
  /// Nothing more will be written.
  void end_writing() const;

  struct Read {
    std::size_t count = 0;  ///< 0: nothing has come
    bool is_end = false;    ///< and nothing will
  };
  /// Errors: kUnavailable, with the reason alone.
  Result<Read> read(std::span<char> into) const;

 private:
  explicit ClientSocket(int socket) : socket_(socket) {}

  int socket_;
};

}  // namespace glimpse::ctl
