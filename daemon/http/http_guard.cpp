#include "daemon/http/http_guard.h"

#include <string_view>

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>

#include "daemon/http/http_head_rules.h"
#include "data/text/text.h"

namespace glimpse {

namespace beast = boost::beast;

namespace {

// The token of "Bearer TOKEN"; nothing when there is no such header, "" when it says something else.
std::optional<std::string_view> bearer(const HttpHead& head) {
  if (!head.authorization) return std::nullopt;
  const std::string_view text = *head.authorization;
  constexpr std::string_view kScheme = "Bearer ";
  if (text.size() < kScheme.size() || !beast::iequals(text.substr(0, kScheme.size()), kScheme)) return "";
  return trimmed(text.substr(kScheme.size()));
}

// Whether `host` (perhaps with a port) is an address or "localhost": no name that somebody else gives out.
bool is_address(std::string_view host) {
  host = without_port(host);
  if (beast::iequals(host, "localhost")) return true;
  boost::system::error_code error;
  boost::asio::ip::make_address(std::string(host), error);
  return !error;
}

// Whether `origin` is that of this server's own page. Browsers leave the scheme's usual port out of all
// headers.
bool is_own(const Caller& caller, const HttpHead& head, std::string_view origin) {
  const std::string scheme = caller.is_tls ? "https://" : "http://";
  return head.host && !head.host->empty() && beast::iequals(origin, scheme + *head.host);
}

// A page of another port of this host is "same-site", and another page. "none" is an address that was typed.
bool is_foreign_site(std::string_view site) { return site != "same-origin" && site != "none"; }

// about:blank, as RFC 9110 has it, and an empty one name no page.
bool is_foreign_referer(const Caller& caller, const HttpHead& head) {
  const std::string_view page = *head.referer;
  const std::size_t host = page.find("://");
  const std::size_t end = host == std::string_view::npos ? host : page.find_first_of("/?#", host + 3);
  return !page.empty() && page != "about:blank" && !is_own(caller, head, page.substr(0, end));
}

std::optional<HttpResponse> refuse_other_page(const Caller& caller, const HttpHead& head) {
  std::string header;
  if (head.fetch_site && is_foreign_site(*head.fetch_site))
    header = "Sec-Fetch-Site header " + in_quotes(*head.fetch_site);
  else if (head.origin && !is_own(caller, head, *head.origin))
    header = "Origin header " + in_quotes(*head.origin);
  else if (head.referer && is_foreign_referer(caller, head))
    header = "Referer header " + in_quotes(*head.referer);
  if (header.empty()) return std::nullopt;
  return error_response(403, "forbidden",
                        "requests of other web pages are refused: this one has the " + header +
                            ", and is for Host " + in_quotes(head.host.value_or("")) +
                            "; other pages may link to / alone");
}

// Of a request with an Origin; nothing where that is this server's own page, by a name that nobody else can
// have given it.
std::optional<HttpResponse> refuse_own_page(const Gate& gate, const Caller& caller, const HttpHead& head,
                                            bool has_page) {
  if (!has_page)
    return error_response(
        403, "forbidden",
        "requests of web pages are refused, as this glimpsed has no page (--page off): this "
        "one has the Origin header " +
            in_quotes(*head.origin));
  const bool shows_token = gate.asks_for_tokens() && head.authorization;
  if (shows_token || is_address(*head.host) || !caller.is_unix) return std::nullopt;
  return error_response(403, "forbidden",
                        "a web page on a Unix socket needs a token, or a Host header that is an address or "
                        "localhost, not " +
                            in_quotes(*head.host));
}

}  // namespace

std::optional<HttpResponse> refuse_request(const Gate& gate, const Caller& caller, const HttpHead& head,
                                           Access needed, bool has_page) {
  if (auto refusal = refuse_other_page(caller, head)) return refusal;
  if (needed == Access::kNone) return std::nullopt;
  if (head.origin)
    if (auto refusal = refuse_own_page(gate, caller, head, has_page)) return refusal;
  if (!gate.asks_for_tokens() && !caller.is_unix && head.host && !is_address(*head.host))
    return error_response(
        403, "forbidden",
        "without --token-file the Host header must be an address or localhost, not " + in_quotes(*head.host));
  const auto token = bearer(head);
  const Access access = gate.access(caller, token);
  if (access >= needed) return std::nullopt;
  if (access == Access::kNone) {
    HttpResponse response =
        error_response(401, "unauthorized",
                       token ? "this token is not known here"
                             : "this door needs a token: the header 'Authorization: Bearer TOKEN'");
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"glimpsed\"");
    return response;
  }
  const std::string what = head.method + " " + head.path;
  if (access == Access::kLearn)
    return error_response(403, "forbidden",
                          "this token may read and teach only, and " + what + " needs one that may write");
  return error_response(403, "forbidden",
                        "this token may read only, and " + what + " needs one that may " +
                            (needed == Access::kLearn ? "learn" : "write"));
}

}  // namespace glimpse
