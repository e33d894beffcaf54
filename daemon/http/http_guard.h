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
  bool has_origin = false;          ///< a browser says which page has sent it
};

/// The refusal of a request that needs `needed`, or nothing when it may pass.
///
/// Web pages are no clients: a browser on this machine would carry their requests through a loopback door. So
/// an Origin header is refused, and without tokens a Host that a page's own name server could point here.
/// 401: a token is missing or wrong; 403: this token does not do.
std::optional<HttpResponse> refuse_request(const Gate& gate, const Caller& caller, const HttpHead& head,
                                           Access needed);

}  // namespace glimpse
