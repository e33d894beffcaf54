#pragma once

#include <string>
#include <string_view>

namespace glimpse {

/// Whether a word that is no number here is one to people: with a comma or a point for the other, digits in
/// groups, a percent sign or a currency: 1,5, 1.5 beside decimal commas, 1,234.5, 12%, $5.
bool looks_like_odd_number(std::string_view word);

/// What to say of an attribute, `called` so, that holds such words.
std::string odd_number_advice(std::string_view called, std::string_view word);

}  // namespace glimpse
