#pragma once

#include <cstdint>
#include <string_view>

namespace glimpse {

/// Stands for the contents of all records of a source up to `record` (a line without its end, or a row):
/// XXH3-64 of the record, seeded with the value of the records before it, which is 0 before the first.
/// Streams that differ in any record have different values, but for one chance in 2⁶⁴. Pure.
std::uint64_t contents_with(std::uint64_t before, std::string_view record);

}  // namespace glimpse
