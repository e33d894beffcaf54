#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glimpse {

/// What a plan of a fleet is called, "p3-3f9a2b-1842": its partition, and its name there, so that any
/// instance knows who has it.
struct PlanToken {
  std::uint32_t partition = 0;
  std::string_view id;  ///< of the text that was parsed
};

/// "p3-", what stands before the name of a plan of that partition.
std::string plan_prefix(std::uint32_t partition);
/// None where it is no such text; whether `id` is a plan's name is not looked at.
std::optional<PlanToken> parse_plan_token(std::string_view text);

}  // namespace glimpse
