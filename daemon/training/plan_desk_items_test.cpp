// What is told, read from a body: in parts, each item once.

#include <cstddef>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "daemon/bodies/plan_bodies.h"

namespace plan_desk_items_test {

using namespace glimpse;

TEST_CASE("a short body keeps its words when the request is moved") {
  auto items = TellItems::open(R"({"id":"ab"})");
  REQUIRE(items.has_value());
  TellBatch batch;
  REQUIRE(items->next(batch, 1, 1));
  const TellBatch moved = std::move(batch);
  batch = TellBatch();
  CHECK(moved.items[0].id == "ab");
  CHECK(moved.items[0].error ==
        "no label, value or refused attribute is given: send 'label' (of several 'labels'), 'values' or "
        "'refused'");
}

TEST_CASE("a batch is read in parts, and each item once") {
  std::string body;
  for (int i = 0; i < 10; ++i) body += fmt::format("{{\"id\":\"a-{}\",\"label\":1}}\n", i);
  auto items = TellItems::open(body);
  REQUIRE(items.has_value());
  CHECK(items->is_batch());
  std::vector<std::size_t> parts;
  std::string ids;
  TellBatch batch;
  while (items->next(batch, 4, 1000)) {
    parts.push_back(batch.items.size());
    for (const Told& item : batch.items) ids += item.id.back();
  }
  CHECK(parts == std::vector<std::size_t>{4, 4, 2});
  CHECK(ids == "0123456789");
  CHECK(TellItems::open(body)->next(batch, 4, 1));
  CHECK(batch.items.size() == 1);  // which has enough bytes
}

TEST_CASE("one item may stretch over lines, and an array may hold one") {
  TellBatch batch;
  auto one = TellItems::open("{\"id\":\n\"a-1\",\n\"label\":1}\n");
  REQUIRE(one.has_value());
  CHECK_FALSE(one->is_batch());
  CHECK(one->next(batch, 9, 1000));
  CHECK(batch.items.size() == 1);
  CHECK_FALSE(one->next(batch, 9, 1000));
  CHECK(TellItems::open("[{}]")->is_batch());
  CHECK(TellItems::open("[{}").has_error());
  CHECK(TellItems::open(" \n").has_error());
}

TEST_CASE("a body of far more items than its bytes could tell of is refused as a whole") {
  std::string junk;
  for (int i = 0; i < 1500; ++i) junk += "x\n";
  CHECK(TellItems::open(junk).error().message.starts_with("3000 bytes are 1500 items, on average shorter"));
  CHECK(TellItems::open(junk.substr(0, 2000)).has_value());
  CHECK(TellItems::open("[" + std::string(1500, ',') + "]").has_error());
}

}  // namespace plan_desk_items_test
