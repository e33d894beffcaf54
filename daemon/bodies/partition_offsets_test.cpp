#include <doctest/doctest.h>

#include "daemon/bodies/fleet_body.h"

namespace partition_offsets_test {

using namespace glimpse;

TEST_CASE("offsets of partitions are a list in JSON and in headers, with a place for those without") {
  CHECK(offsets_json({}) == "[]");
  CHECK(offsets_text({}).empty());
  const PartitionOffsets offsets{0, std::nullopt, 18446744073709551615U};
  CHECK(offsets_json(offsets) == "[0,null,18446744073709551615]");
  CHECK(offsets_text(offsets) == "0,-,18446744073709551615");
}

}  // namespace partition_offsets_test
