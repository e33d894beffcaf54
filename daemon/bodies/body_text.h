#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glimpse {

/// A number of JSON with the fewest digits that give the same double again; null where it is not finite.
std::string number(double value);
/// A name as it may stand in a field of CSV.
std::string csv_field(const std::string& text);

/// Bodies that gzip or zstd wrote, told by their first bytes.

bool is_packed(std::string_view body);

/// How many bytes a packed body may become, and no more than `most`: gzip packs no more than 1,032 to one,
/// and zstd knows no bound.
std::size_t unpacked_at_most(std::string_view body, std::size_t most);

/// The bytes that were packed. Memory: these, and 8 MiB for zstd. Errors: kTooLarge beyond `most` bytes;
/// kInvalidInput for what is damaged or cut short; kUnavailable without memory.
Result<std::string> unpacked(std::string_view body, std::size_t most);

}  // namespace glimpse
