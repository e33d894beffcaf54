#include "daemon/bodies/partition_offsets.h"

#include <fmt/format.h>
#include <string_view>

namespace glimpse {

namespace {

std::string joined(const PartitionOffsets& offsets, std::string_view none) {
  std::string text;
  for (const auto& offset : offsets) {
    if (!text.empty()) text += ',';
    if (offset)
      fmt::format_to(std::back_inserter(text), "{}", *offset);
    else
      text += none;
  }
  return text;
}

}  // namespace

std::string offsets_json(const PartitionOffsets& offsets) { return '[' + joined(offsets, "null") + ']'; }

std::string offsets_text(const PartitionOffsets& offsets) { return joined(offsets, "-"); }

}  // namespace glimpse
