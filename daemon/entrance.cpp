#include "daemon/entrance.h"

#include <algorithm>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <utility>

namespace glimpse {

namespace {

// What one address may hold where the configuration says nothing: on this machine everything.
constexpr std::size_t kConnectionsOfStranger = 100;

constexpr std::size_t kSpare = 32;
constexpr std::size_t kOtherDescriptors = 64;  // files, doors, the event loop

// Of what a stranger wrote.
std::string shortened(const std::string& path) {
  constexpr std::size_t kMost = 100;
  return path.size() <= kMost ? path : path.substr(0, kMost) + "...";
}

Result<Tokens> tokens_of(const Configuration& configuration) {
  if (configuration.token_file.empty()) return Tokens();
  return Tokens::read(configuration.token_file);
}

void set_limits(const Configuration& configuration, ConnectionCount& connections) {
  connections.limit = configuration.max_connections;
  connections.unfinished.limit = configuration.max_unfinished_bytes;
  connections.bodies.limit = configuration.max_unfinished_bytes;
  connections.unread.limit = configuration.max_unread_bytes;
  connections.limit_per_address = configuration.max_connections_per_address.value_or(
      configuration.allow_remote ? kConnectionsOfStranger : 0);
}

}  // namespace

Status Entrance::open(boost::asio::io_context& io, const Configuration& configuration) {
  set_limits(configuration, connections_);
  has_page_ = configuration.page;
  GLIMPSE_TRY_ASSIGN(auto tokens, tokens_of(configuration));
  gate_.replace(std::move(tokens));
  if (configuration.tls_certificate.empty()) {
    if (configuration.allow_remote)
      spdlog::warn("--allow-remote without --tls-cert: tokens and examples cross the network in plain text");
    make_room(configuration);
    return {};
  }
  GLIMPSE_TRY_ASSIGN(tls_, TlsKeeper::open(io, configuration.tls_certificate, configuration.tls_key,
                                           configuration.http_timeout));
  make_room(configuration);
  return {};
}

Status Entrance::reload(const Configuration& configuration) {
  GLIMPSE_TRY_ASSIGN(auto tokens, tokens_of(configuration));
  if (tls_) GLIMPSE_TRY(tls_->reload(configuration.http_timeout));
  gate_.replace(std::move(tokens));
  ++connections_.token_reloads;
  set_limits(configuration, connections_);
  make_room(configuration);
  return {};
}

DoorRules Entrance::stream_rules(const Configuration& configuration) {
  return {connections_, configuration.allow_remote, configuration.socket_group, 0, tls_.get()};
}

DoorRules Entrance::http_rules(const Configuration& configuration) {
  DoorRules rules = stream_rules(configuration);
  rules.spare = kSpare;
  return rules;
}

void Entrance::make_room(const Configuration& configuration) {
  const std::size_t each = tls_ ? 3 : 1;
  const rlim_t wanted = (configuration.max_connections + kSpare) * each + kOtherDescriptors;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(limit.rlim_max, wanted);
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < wanted && std::exchange(descriptors_missed_, wanted) != wanted)
    spdlog::warn(
        "--max-connections {} takes {} descriptors, and the system allows {} (ulimit -n, LimitNOFILE=): "
        "accepting will pause at about {} connections",
        configuration.max_connections, wanted, limit.rlim_cur,
        limit.rlim_cur > kOtherDescriptors ? (limit.rlim_cur - kOtherDescriptors) / each : 0);
}

Access Entrance::admit(const Caller& caller, std::optional<std::string_view> token, const std::string& what,
                       bool again) {
  const Access access = gate_.access(caller, token);
  if (access == Access::kNone && !again)
    note_refusal(caller, fmt::format("{}: {}", what, token ? "unknown token" : "no token"));
  return access;
}

std::optional<HttpResponse> Entrance::refuse(const Caller& caller, const HttpHead& head, Access needed) {
  auto refusal = refuse_request(gate_, caller, head, needed, has_page_);
  if (refusal)
    note_refusal(caller, fmt::format("{} {}: {}", head.method, shortened(head.path),
                                     refusal->status == 401 ? "no token that is known" : "forbidden"));
  return refusal;
}

void Entrance::note_refusal(const Caller& caller, const std::string& what) {
  ++connections_.refused.token;
  refusals_.warn(
      fmt::format("{} was refused: {}", caller.is_unix ? "a client on a Unix socket" : caller.address, what));
}

}  // namespace glimpse
