#include "data/records/contents.h"

#include <xxhash.h>

namespace glimpse {

std::uint64_t contents_with(std::uint64_t before, std::string_view record) {
  return XXH3_64bits_withSeed(record.data(), record.size(), before);
}

}  // namespace glimpse
