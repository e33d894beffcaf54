#include "daemon/entrance.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <utility>

namespace glimpse {

namespace {

// What one address may hold where the configuration says nothing: on this machine everything.
constexpr std::size_t kConnectionsOfStranger = 100;

Result<Tokens> tokens_of(const Configuration& configuration) {
  if (configuration.token_file.empty()) return Tokens();
  return Tokens::read(configuration.token_file);
}

void set_limits(const Configuration& configuration, ConnectionCount& connections) {
  connections.limit = configuration.max_connections;
  connections.limit_per_address = configuration.max_connections_per_address.value_or(
      configuration.allow_remote ? kConnectionsOfStranger : 0);
}

}  // namespace

Status Entrance::open(boost::asio::io_context& io, const Configuration& configuration) {
  set_limits(configuration, connections_);
  auto tokens = tokens_of(configuration);
  if (!tokens) return tokens.error();
  gate_.replace(std::move(*tokens));
  if (configuration.tls_certificate.empty()) {
    if (configuration.allow_remote)
      spdlog::warn("--allow-remote without --tls-cert: tokens and examples cross the network in plain text");
    return {};
  }
  auto tls =
      TlsKeeper::open(io, configuration.tls_certificate, configuration.tls_key, configuration.http_timeout);
  if (!tls) return tls.error();
  tls_ = std::move(*tls);
  return {};
}

Status Entrance::reload(const Configuration& configuration) {
  auto tokens = tokens_of(configuration);
  if (!tokens) return tokens.error();
  if (tls_)
    if (const Status status = tls_->reload(); !status) return status;
  gate_.replace(std::move(*tokens));
  set_limits(configuration, connections_);
  return {};
}

DoorRules Entrance::rules(const Configuration& configuration) {
  return {connections_, configuration.allow_remote, configuration.socket_group, tls_.get()};
}

Access Entrance::admit(const Caller& caller, std::optional<std::string_view> token, const std::string& what) {
  const Access access = gate_.access(caller, token);
  if (access == Access::kNone)
    note_refusal(caller, fmt::format("{}: {}", what, token ? "unknown token" : "no token"));
  return access;
}

std::optional<HttpResponse> Entrance::refuse(const Caller& caller, const HttpHead& head, Access needed) {
  auto refusal = refuse_request(gate_, caller, head, needed);
  if (refusal)
    note_refusal(caller, fmt::format("{} {}: {}", head.method, head.path,
                                     refusal->status == 401 ? "no token that is known" : "forbidden"));
  return refusal;
}

void Entrance::note_refusal(const Caller& caller, const std::string& what) {
  ++connections_.refused.token;
  refusals_.warn(
      fmt::format("{} was refused: {}", caller.is_unix ? "a client on a Unix socket" : caller.address, what));
}

}  // namespace glimpse
