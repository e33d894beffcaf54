#pragma once

#include <optional>
#include <string>

#include "daemon/http/http_types.h"
#include "daemon/net/gate.h"

namespace glimpse {

/// What the headers of a request tell before its body is read.
struct HttpHead {
  std::string method;
  std::string path;  ///< without the query
  std::optional<std::string> authorization;
  std::optional<std::string> host;  ///< of the target where it names one, or of the Host header
  /// Which page has sent it, as a browser says; empty where that is said more than once.
  std::optional<std::string> origin;
};

/// The refusal of a request that needs `needed`, or nothing when it may pass.
///
/// Other web pages are no clients: a browser on this machine would carry their requests through a loopback
/// door. So an Origin header is refused, unless there is a page (`has_page`) and it is that of this door's
/// own: the scheme of the connection and the Host. That does not tell a page apart whose own name server
/// points its name here; for it a Host that is no address is refused where no token is asked for. A request
/// with an Origin needs an address or a token on Unix sockets as well: what carries it there may be a proxy
/// that browsers reach. 401: a token is missing or wrong; 403: this token does not do.
std::optional<HttpResponse> refuse_request(const Gate& gate, const Caller& caller, const HttpHead& head,
                                           Access needed, bool has_page = true);

}  // namespace glimpse
