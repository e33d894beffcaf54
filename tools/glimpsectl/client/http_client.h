#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "glimpsectl/client/server_address.h"
#include "glimpsectl/client/tls_trust.h"

namespace glimpse::ctl {

/// An answer of HTTP, whatever its status.
struct HttpReply {
  unsigned status = 0;
  std::string body;
};

/// One request at a time to the HTTP door of a daemon, each over a connection of its own. So a daemon that
/// was restarted in between is no special case. No request is ever sent twice. Thread-safety: none. Every
/// call blocks until the answer is there or an Error is certain.
class HttpClient {
 public:
  /// `timeout` bounds every silence: connecting, and each wait for the server to take or give further bytes.
  /// A large model may so take longer than `timeout`, but a server that does not answer cannot. Looking up a
  /// host name is bounded by the resolver's own limits. A request and its answer take longest() at most,
  /// and an answer has `max_answer` bytes at most.
  HttpClient(ServerAddress server, std::chrono::milliseconds timeout, std::uint64_t max_answer = kMaxAnswer);

  static constexpr std::uint64_t kMaxAnswer = std::uint64_t{1} << 30;
  static constexpr int kLongest = 60;
  static constexpr std::uint64_t kLeastRate = std::uint64_t{16}
                                              << 10;  // bytes a second: slow lines have more
  /// How long an exchange may take in which `bytes` have moved so far: kLongest times `timeout`, and longer
  /// while at least kLeastRate moves.
  static constexpr std::chrono::milliseconds longest(std::chrono::milliseconds timeout, std::uint64_t bytes) {
    return kLongest * timeout + std::chrono::milliseconds(1000 * bytes / kLeastRate);
  }

  /// The body of the answer. Errors: kUnavailable when there was no answer of HTTP: refused,
  /// timed out, broken off, garbage; kInvalidOption when that is due to TLS, and the command line mends it
  /// (see TlsTrust); kInvalidInput when the server answered with an error, whose code and message it names.
  Result<std::string> get(const std::string& target) const;

  /// The same, with a body sent before. After kUnavailable it is unknown whether the server acted on it.
  Result<std::string> post(const std::string& target, std::string body, std::string_view content_type) const;

  /// Sends any request and gives any answer, also one that is an error. Errors: kUnavailable and
  /// kInvalidOption, as above.
  Result<HttpReply> send(std::string_view method, const std::string& target, std::string body = {},
                         std::string_view content_type = {}) const;

  /// `message` about an answer to `target` that came, but is not one of glimpsed: kUnavailable.
  Error unreadable(const std::string& target, std::string_view message) const;

 private:
  Result<std::string> body_of(std::string_view method, const std::string& target, std::string body,
                              std::string_view content_type) const;

  /// `why` there was no answer to `what`, or that the server speaks TLS and the address does not.
  Error no_answer(const Error& why) const;

  const ServerAddress server_;
  const std::chrono::milliseconds timeout_;
  const std::uint64_t max_answer_;
  mutable std::shared_ptr<TlsTrust> trust_;
};

/// What an error reply says: `code: message` of {"error":{"code":…,"message":…}}, else the HTTP status and
/// the beginning of the body. `what` names the request.
Error error_of_reply(std::string_view what, unsigned status, std::string_view body);

// Of a fleet each partition's plans are kept by the instance that owns it: another one refuses, and says
// where the owner answers. One is followed to there once.

/// Where the owner answers that a body names; none: it names none. `asked`: who said so, whose token and
/// authorities are shown there, and whose TLS is wanted there. Errors (kUnavailable): no address that one
/// could go to, or one without TLS where there was TLS, which would show the token to anybody.
Result<std::optional<ServerAddress>> owner_in(std::string_view body, const ServerAddress& asked);

/// The same of its text: HOST:PORT, http://HOST:PORT or https://HOST:PORT.
Result<ServerAddress> address_of_owner(std::string_view owner, const ServerAddress& asked);

/// HttpClient::send(); where it is refused (409) with an owner, once more there.
Result<HttpReply> send_in_fleet(const ServerAddress& server, std::chrono::milliseconds timeout,
                                std::string_view method, const std::string& target,
                                const std::string& body = {}, std::string_view content_type = {});

}  // namespace glimpse::ctl
