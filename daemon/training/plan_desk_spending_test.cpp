// Where asking ends: totals of attributes and of cost, what open plans have reserved, and a full book.

#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <optional>
#include <string>

#include "daemon/training/plan_desk_test_support.h"

namespace plan_desk_spending_test {

using namespace glimpse;
using namespace glimpse::plan_desk_test;

TEST_CASE("asking ends where the totals do, and what open plans will cost counts") {
  Desk desk("pairwise", {10, std::nullopt});
  AskedPlans plans;
  const Status spent = desk.ask(5, plans);
  CHECK(spent.error().code == ErrorCode::kUnavailable);
  CHECK(spent.error().message ==
        "nothing more is bought: the next 3 attributes would cost 3, 0 attributes were bought for 0, and 9 "
        "more are "
        "promised to open plans for 9 (--total-budget 10)");
  CHECK(plans.rows.size() == 3);
  // What was not bought after all can be bought again.
  CHECK(abandon(desk.processor(), format_plan_id(plans.rows[0].id), kNow).has_value());
  CHECK(desk.ask(1, plans).has_value());
  CHECK(desk.ask(1, plans).has_error());
}

TEST_CASE("a total cost is kept to the last millionth, in plans and in streams") {
  auto prices = std::make_shared<Prices>(kDimension);
  for (Attribute i = 0; i < kDimension; ++i) prices->set(i, 100000);  // 0.1
  Desk desk("pairwise", {std::nullopt, 1000000}, prices);
  AskedPlans plans;
  CHECK(desk.ask(5, plans).has_error());
  CHECK(plans.rows.size() == 3);
  CHECK(desk.processor().buying().report().cost_reserved == 900000);

  Desk stream("pairwise", {std::nullopt, 1000000}, prices);
  FormatOptions options;
  options.dimension = kDimension;
  auto door = std::make_shared<Door>();
  int told = 0;
  stream.processor().buying().set_spent([&] { ++told; });
  Block block;
  block.feed = stream.processor().make_feed(door, Format::kVw, options, 1000, "");
  std::string lines;
  for (int n = 0; n < 5; ++n) lines += "1 | 0:1 1:2 2:3 3:4 4:5 5:6\n";
  block.bytes = Bytes(lines + "| 0:1\n");
  BlockResult result;
  REQUIRE(stream.processor().process(block, true, result));
  CHECK(result.learned == 3);
  CHECK(result.skipped == 2);
  CHECK(result.replies == "1\n");  // predictions go on
  CHECK(told == 1);
  CHECK(stream.processor().buying().report().cost == 900000);
}

TEST_CASE("a full book says so, and has room again when plans are closed") {
  Desk desk("pairwise", {}, nullptr, 2);
  AskedPlans plans;
  const Status full = desk.ask(3, plans);
  CHECK(full.error().code == ErrorCode::kTooLarge);
  CHECK(plans.rows.size() == 2);
  CHECK(status(desk.tell(item(format_plan_id(plans.rows[0].id), R"("label":1,"values":[1,2,3])"))) ==
        "learned");
  CHECK(desk.ask(1, plans).has_value());
}

TEST_CASE("what a plan was to cost is what it costs, whatever prices have become") {
  Spending spending(nullptr, {});
  const Attribute attributes[] = {0, 1};
  const double both[] = {1, 2};
  spending.note(attributes, both, Money{700000});
  const double one[] = {1, NAN};
  spending.note(attributes, one, Money{700000});  // no more than all of it
  spending.note(attributes, one, Money{1800000});
  spending.note(attributes, both, std::nullopt);
  CHECK(spending.report({}, PlanBook(1, 0)).cost == 700000 + 700000 + 1000000 + 2000000);
}

TEST_CASE("once something did not fit nothing is bought, be it as cheap as it may, until money comes back") {
  auto prices = std::make_shared<Prices>(kDimension);
  for (Attribute i = 0; i < kDimension; ++i) prices->set(i, i < 3 ? 1 : 10 * kMoneyUnit);
  Desk desk("pairwise", {std::nullopt, 65 * kMoneyUnit}, prices);
  AskedPlans plans;
  CHECK(desk.ask(100, plans).has_error());
  const std::size_t given = plans.rows.size();
  for (int k = 0; k < 100; ++k) CHECK(desk.ask(1, plans).has_error());
  CHECK(plans.rows.size() == given);
  desk.processor().plans().expire(kLater + 1);
  CHECK(desk.ask(1, plans, kLater + 10).has_value());
}

TEST_CASE("pushing goes on as well once open plans have given back what they had reserved") {
  Desk desk("pairwise", {12, std::nullopt});
  FormatOptions options;
  options.dimension = kDimension;
  const auto feed = desk.processor().make_feed(std::make_shared<Door>(), Format::kVw, options, 1000, "");
  const auto push = [&] {
    Block block;
    block.feed = feed;
    block.bytes = Bytes("1 | 0:1 1:2 2:3 3:4 4:5 5:6\n");
    BlockResult result;
    REQUIRE(desk.processor().process(block, true, result));
    return result.learned;
  };
  AskedPlans plans;
  REQUIRE(desk.ask(4, plans).has_value());
  CHECK(push() == 0);
  CHECK(push() == 0);
  CHECK(abandon(desk.processor(), format_plan_id(plans.rows[0].id), kNow).has_value());
  CHECK(push() == 1);
  CHECK(push() == 0);
}

}  // namespace plan_desk_spending_test
