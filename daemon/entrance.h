#pragma once

#include <memory>
#include <optional>

#include <boost/asio/io_context.hpp>

#include "daemon/config/configuration.h"
#include "daemon/http/http_guard.h"
#include "daemon/net/connection_count.h"
#include "daemon/net/gate.h"
#include "daemon/net/listener.h"
#include "daemon/net/tls.h"
#include "daemon/support/log_sink.h"

namespace glimpse {

/// What stands in front of all doors: how many connections there may be, who is let in with which token, and
/// TLS. I/O thread only. Must outlive the io_context, whose last handlers give back what they hold.
class Entrance {
 public:
  Entrance() = default;

  /// Reads the files of --token-file, --tls-cert and --tls-key. Errors name the option.
  Status open(boost::asio::io_context& io, const Configuration& configuration);

  /// The same files again and the limits, for what comes from now on. After an error nothing has changed.
  Status reload(const Configuration& configuration);

  /// For the doors that are to be opened. The rules refer to this object. When stream connections have taken
  /// all places, the HTTP door has some to spare: the operator still gets in.
  DoorRules stream_rules(const Configuration& configuration);
  DoorRules http_rules(const Configuration& configuration);

  ConnectionCount& connections() { return connections_; }
  const ConnectionCount& connections() const { return connections_; }

  /// What a client may do that showed `token`, or none; `what` it wanted is for the log when that is nothing,
  /// unless it was let in before (`again`).
  Access admit(const Caller& caller, std::optional<std::string_view> token, const std::string& what,
               bool again);

  /// Whether a client must show a token before anything else.
  bool asks(const Caller& caller) const { return gate_.asks_for_tokens() && !caller.is_unix; }

  /// The refusal of a request that needs `needed`, or nothing. Counts and logs it.
  std::optional<HttpResponse> refuse(const Caller& caller, const HttpHead& head, Access needed);

 private:
  /// Asks the system for as many descriptors as the limits on connections need; where it refuses, a warning,
  /// but not again at each SIGHUP.
  void make_room(const Configuration& configuration);
  void note_refusal(const Caller& caller, const std::string& what);

  ConnectionCount connections_;
  Gate gate_{Tokens()};
  bool has_page_ = true;  // whose requests are let in
  std::unique_ptr<TlsKeeper> tls_;
  LogLimit refusals_;
  std::size_t descriptors_missed_ = 0;  // so many were asked for in vain
};

}  // namespace glimpse
