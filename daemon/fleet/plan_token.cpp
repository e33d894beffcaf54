#include "daemon/fleet/plan_token.h"

#include <charconv>
#include <fmt/format.h>

namespace glimpse {

std::string plan_prefix(std::uint32_t partition) { return fmt::format("p{}-", partition); }

std::optional<PlanToken> parse_plan_token(std::string_view text) {
  PlanToken token;
  if (!text.starts_with('p')) return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + 1, end, token.partition);
  if (error != std::errc() || at == end || *at != '-') return std::nullopt;
  token.id = text.substr(static_cast<std::size_t>(at - text.data()) + 1);
  return token;
}

}  // namespace glimpse
