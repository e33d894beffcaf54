#include "fleet/simulated_brokers.h"

#include <doctest/doctest.h>

namespace simulated_brokers_test {

using namespace glimpse;

// All that may be read from `cursor` on, as "key=payload ".
std::string read(const SimulatedBrokers& brokers, std::uint32_t partition, std::uint64_t& cursor) {
  std::string all;
  while (const auto* const record = brokers.read_committed(partition, cursor))
    all += record->key + '=' + record->payload + ' ';
  return all;
}

TEST_CASE("simulated brokers: what is open is not read, and what is aborted never is") {
  SimulatedBrokers brokers(2, 1, 0);
  std::uint64_t cursor = 0;
  const auto first = brokers.fence(0);
  CHECK(brokers.append(0, first, {"a", "", "1"}));
  CHECK(brokers.stable_end(0) == 0);
  CHECK(read(brokers, 0, cursor).empty());
  CHECK(brokers.commit(0, first, 5));
  CHECK(brokers.group_offset(0) == 5);
  CHECK(brokers.stable_end(0) == 2);  // with the end of the transaction
  CHECK(read(brokers, 0, cursor) == "a=1 ");
  CHECK(cursor == 2);

  CHECK(brokers.append(0, first, {"a", "", "2"}));
  const auto second = brokers.fence(0);
  CHECK_FALSE(brokers.append(0, first, {"a", "", "3"}));
  CHECK_FALSE(brokers.commit(0, first, 9));
  CHECK(brokers.group_offset(0) == 5);
  CHECK(read(brokers, 0, cursor).empty());
  CHECK(cursor == brokers.stable_end(0));
  CHECK(brokers.append(0, second, {"a", "", "4"}));
  CHECK(brokers.abort(0, second));
  CHECK(read(brokers, 0, cursor).empty());
  CHECK(brokers.changes().size() == 3);
  CHECK(brokers.stable_end(1) == 0);
}

TEST_CASE("simulated brokers: compaction keeps the newest of a key, offsets, and what is open") {
  SimulatedBrokers brokers(1, 1, 0);
  const auto epoch = brokers.fence(0);
  for (const char* const payload : {"1", "2"}) {
    brokers.append(0, epoch, {"a", "", payload});
    brokers.append(0, epoch, {payload, "", payload});
    brokers.commit(0, epoch, 0);
  }
  brokers.append(0, epoch, {"a", "", "open"});
  const auto end = brokers.stable_end(0);
  brokers.compact(0);
  CHECK(brokers.stable_end(0) == end);
  std::uint64_t cursor = 0;
  CHECK(read(brokers, 0, cursor) == "1=1 a=2 2=2 ");
  CHECK(cursor == end);
  brokers.commit(0, epoch, 0);
  CHECK(read(brokers, 0, cursor) == "a=open ");
}

TEST_CASE("simulated brokers: a slow leader gives everything later, the others do not") {
  SimulatedBrokers brokers(4, 2, 0.5);
  brokers.set_time(10);
  brokers.be_slow(1, 20);
  CHECK(brokers.slowness(0) == 0);
  CHECK(brokers.slowness(3) == 0.5);
  for (const std::uint32_t p : {0U, 1U}) {
    brokers.produce(p, "x");
    const auto epoch = brokers.fence(p);
    brokers.append(p, epoch, {"a", "", "1"});
    brokers.commit(p, epoch, 0);
  }
  CHECK(brokers.has_arrived(0, 0));
  CHECK_FALSE(brokers.has_arrived(0, 1));
  CHECK_FALSE(brokers.has_arrived(1, 0));
  std::uint64_t of_fast = 0, of_slow = 0;
  CHECK(read(brokers, 0, of_fast) == "a=1 ");
  CHECK(read(brokers, 1, of_slow).empty());
  CHECK(of_slow == 0);
  brokers.set_time(10.5);
  CHECK(brokers.has_arrived(1, 0));
  CHECK(read(brokers, 1, of_slow) == "a=1 ");
  brokers.set_time(20);
  CHECK(brokers.slowness(1) == 0);

  CHECK(brokers.are_up());
  brokers.be_away(25);
  CHECK_FALSE(brokers.are_up());
  brokers.set_time(25);
  CHECK(brokers.are_up());
}

}  // namespace simulated_brokers_test
