#pragma once

#include <memory>
#include <openssl/types.h>
#include <string>
#include <string_view>

#include "base/result.h"
#include "glimpsectl/client/server_address.h"

namespace glimpse::ctl {

/// Whom a client of TLS (1.2 and 1.3) believes: servers whose certificate names the host that was asked for
/// and leads to a known authority. The authorities are those of --ca, or the system's. One connection at a
/// time. Thread-safety: none.
class TlsTrust {
 public:
  /// For the server of an address with TLS. Errors: kInvalidOption, about the file of its authorities.
  static Result<std::shared_ptr<TlsTrust>> open(const ServerAddress& server);
  TlsTrust(const TlsTrust&) = delete;

  SSL_CTX* context() { return context_.get(); }

  /// Makes a connection that has not begun ask for the server's name, and check it.
  void prepare(SSL* connection);

  /// Why the handshake failed, and what mends it: `reason` is OpenSSL's number, or 0 where `otherwise` says
  /// it. kInvalidOption where the command line can mend it, else kUnavailable.
  Error explain(unsigned long reason, std::string_view otherwise);
  /// Whether the last handshake that failed was answered by TLS all the same.
  bool was_answered() const { return refusal_ != 0 || was_alerted_; }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const;
  };
  explicit TlsTrust(const ServerAddress& server);
  Status load();
  void note_refusal(X509_STORE_CTX* chain);
  Error explain_refusal() const;

  const ServerAddress server_;
  const std::unique_ptr<SSL_CTX, Free> context_;
  bool was_alerted_ = false;
  // Of the last certificate that was not believed.
  int refusal_ = 0;      // X509_V_ERR_...; 0: there was none
  std::string subject_;  // empty: the server itself
  std::string names_;
  std::string issuer_;
  std::string from_, until_;
};

/// What is said where a server asks for TLS, and the address does not.
Error speaks_tls_error(const ServerAddress& server);

}  // namespace glimpse::ctl
