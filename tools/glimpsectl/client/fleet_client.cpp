#include "glimpsectl/client/fleet_client.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "report/table.h"

namespace glimpse::ctl {

Result<ServerAddress> address_of_owner(std::string_view owner, const ServerAddress& asked) {
  const bool is_url = owner.find("://") != std::string_view::npos;
  const std::string text =
      is_url ? std::string(owner) : (asked.is_tls ? "https://" : "http://") + std::string(owner);
  const auto refuse = [&](std::string_view why) {
    return failure(ErrorCode::kUnavailable, "{} sends one to '{}', {}: name an instance with --server",
                   asked.text, printable(owner), why);
  };
  auto address = parse_server_address(text, "the owner");
  const bool has_port = is_url || owner.find(':') != std::string_view::npos;
  if (!address || !has_port) return refuse("which is no address (--fleet-address)");
  if (asked.is_tls && !address->is_tls) return refuse("which is without TLS, and is not shown the token");
  address->token = asked.token;
  address->authorities = asked.authorities;
  return address;
}

Result<std::optional<ServerAddress>> owner_in(std::string_view body, const ServerAddress& asked) {
  boost::json::error_code error;
  const auto json = boost::json::parse(body, error);
  const auto* const object = error ? nullptr : json.if_object();
  const auto* const owner = object == nullptr ? nullptr : object->if_contains("owner");
  if (owner == nullptr || !owner->is_string()) return std::optional<ServerAddress>();
  GLIMPSE_TRY_ASSIGN(auto address, address_of_owner(std::string_view(owner->get_string()), asked));
  return std::optional(std::move(address));
}

Result<HttpReply> send_in_fleet(const ServerAddress& server, std::chrono::milliseconds timeout,
                                std::string_view method, const std::string& target, const std::string& body,
                                std::string_view content_type) {
  auto reply = HttpClient(server, timeout).send(method, target, body, content_type);
  if (!reply || reply->status != 409) return reply;
  GLIMPSE_TRY_ASSIGN(const auto owner, owner_in(reply->body, server));
  if (!owner) return reply;
  return HttpClient(*owner, timeout).send(method, target, body, content_type);
}

}  // namespace glimpse::ctl
