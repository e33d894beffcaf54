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
  // What a browser says of the page that has sent it; "(several)" where a header comes more than once.
  std::optional<std::string> origin;
  std::optional<std::string> fetch_site;  ///< Sec-Fetch-Site
  std::optional<std::string> referer;
  bool has_body = false;  ///< a body is still to be read
};

/// The refusal of a request that needs `needed`, or nothing when it may pass.
///
/// Other web pages are no clients: a browser on this machine would carry their requests through a loopback
/// door, also those of their images and links. So a request is refused, whatever it needs, where one of the
/// headers of HttpHead says that another page has sent it: Sec-Fetch-Site is neither same-origin nor none, or
/// Origin or Referer is not of the connection's scheme and the Host. An Origin is refused too where there is
/// no page (`has_page`). That does not tell a page apart whose own name server points its name here; for it a
/// Host that is no address is refused where no token is asked for. A request with an Origin needs an address
/// or a token on Unix sockets as well: what carries it there may be a proxy that browsers reach. 401: a token
/// is missing or wrong; 403: this token does not do.
std::optional<HttpResponse> refuse_request(const Gate& gate, const Caller& caller, const HttpHead& head,
                                           Access needed, bool has_page = true);

}  // namespace glimpse
