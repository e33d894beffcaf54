#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "glimpsectl/client/http_client.h"
#include "glimpsectl/client/server_address.h"

namespace glimpse::ctl {

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
