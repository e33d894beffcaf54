#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "daemon/net/listener.h"
#include "daemon/net/tokens.h"

namespace glimpse {

/// Who may do what on the doors. Without tokens everybody who can connect may do everything. With them a
/// client on TCP needs one; on a Unix socket the file's permissions have decided already, and one is needed
/// only to be allowed less. A wrong token is refused everywhere. I/O thread only.
class Gate {
 public:
  explicit Gate(Tokens tokens) : tokens_(std::move(tokens)) {}

  bool asks_for_tokens() const { return !tokens_.empty(); }
  /// For the requests and connections to come.
  void replace(Tokens tokens) { tokens_ = std::move(tokens); }

  /// `token`: nothing when none was given.
  Access access(const Caller& caller, std::optional<std::string_view> token) const {
    if (tokens_.empty()) return Access::kWrite;
    if (token) return tokens_.access_of(*token);
    return caller.is_unix ? Access::kWrite : Access::kNone;
  }

 private:
  Tokens tokens_;
};

}  // namespace glimpse
