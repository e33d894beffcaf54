#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace glimpse {

/// Whether a word that is no number here is one to people: with a comma or a point for the other, digits in
/// groups, a percent sign or a currency, of base 16, in single quotes or as a formula of Excel: 1,5, 1.5
/// beside decimal commas, 1,234.5, 1 234, 12%, $5, 0x1f, '5', ="5".
bool looks_like_odd_number(std::string_view word);

/// What stands for a missing value among numbers, beside the marks that do so everywhere: #NA, nan, NaN, NAN,
/// None, none, NaT, \N, --, n.a. and N.A.
bool is_missing_number(std::string_view word);
/// 1 of true, 0 of false, each as true, True or TRUE; nothing of others.
std::optional<double> truth_value(std::string_view word);

/// `word` with a blank, ' and - for the no-break and thin blanks, the apostrophe and the minus of
/// typesetters.
std::string with_plain_signs(std::string_view word);

/// What to say of an attribute, `called` so, that holds such words.
std::string odd_number_advice(std::string_view called, std::string_view word);
/// What to say of such a label.
std::string odd_label_advice(std::string_view word);

}  // namespace glimpse
