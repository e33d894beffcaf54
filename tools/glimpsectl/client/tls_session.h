#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "glimpsectl/client/tls_trust.h"

namespace glimpse::ctl {

/// A client's side of one connection with TLS, without the connection: bytes that came are put in, bytes that
/// are to be sent are taken out, and nothing waits. One side may end while the other goes on, which a stream
/// door makes use of and Asio's stream cannot do. Thread-safety: none.
class TlsSession {
 public:
  /// `trust` must outlive this.
  explicit TlsSession(TlsTrust& trust);

  /// Bytes that came from the server.
  void take(std::string_view bytes);
  /// None will come any more.
  void take_end() { has_ended_ = true; }
  /// Bytes to be sent to it; sent() forgets the first of them.
  std::string_view output() const { return output_; }
  void sent(std::size_t count) { output_.erase(0, count); }

  /// Goes on with the handshake; true: it is done. Errors: those of TlsTrust::explain().
  Result<bool> shake_hands();

  /// How many of `bytes` were taken, to be found in output(); 0: none while much of that waits. Errors:
  /// kUnavailable.
  Result<std::size_t> write(std::string_view bytes);
  /// Tells the server that nothing more will be written.
  void end_writing();

  struct Read {
    std::size_t count = 0;  ///< 0: nothing whole has come
    bool is_end = false;    ///< and nothing will
  };
  /// Errors: kUnavailable, with the reason alone.
  Result<Read> read(std::span<char> into);

 private:
  struct Free {
    void operator()(SSL* session) const;
  };
  void collect_output();
  Error broken() const;

  TlsTrust& trust_;
  std::unique_ptr<SSL, Free> session_;
  bool has_ended_ = false;
  std::string output_;
};

}  // namespace glimpse::ctl
