#include "lab/studies/buying_check.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <string>

#include "lab/commands.h"
#include "lab/lab_test_support.h"
#include "lab/studies/buying_page.h"

namespace buying_check_test {

using namespace glimpse;

namespace {

std::shared_ptr<const Prices> prices_of(std::initializer_list<Money> units) {
  auto prices = std::make_shared<Prices>(units.size());
  Attribute i = 0;
  for (const Money price : units) prices->set(i++, price * kMoneyUnit);
  return prices;
}

BuyingCell cell_of(std::initializer_list<double> planned, std::initializer_list<double> rules) {
  BuyingCell cell;
  cell.set = "set";
  cell.share = 0.1;
  for (const double loss : planned) cell.results[0].push_back({loss, 2, 1});
  std::size_t rule = 0;
  for (const double loss : rules) cell.results[++rule].assign(planned.size(), {loss, 2, 1});
  return cell;
}

int buying(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "buying");
  arguments.insert(arguments.end(), {"--quiet", "--jobs", "1"});
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  return buying_command().run(static_cast<int>(argv.size()), argv.data());
}

}  // namespace

TEST_CASE("cheapest first buys by price as far as the money goes, and passes over what does not fit") {
  Random random(1);
  RuleBuyer buyer(prices_of({5, 1, 4, 2, 9}), 8 * kMoneyUnit, BuyingRule::kCheapestFirst);
  const auto set = buyer.draw(random);
  CHECK(std::vector(set.begin(), set.end()) == std::vector<Attribute>{1, 2, 3});
}

TEST_CASE("rules draw with their chances, within the limit, until nothing fits") {
  // 4 pays for one of the two: by 1/√price the cheaper one has 2/3 of the first draws.
  const auto prices = prices_of({1, 4});
  for (const auto& [rule, chance] :
       {std::pair{BuyingRule::kUniform, 1.0 / 2}, std::pair{BuyingRule::kRoot, 2.0 / 3},
        std::pair{BuyingRule::kInverse, 4.0 / 5}}) {
    Random random(7);
    RuleBuyer buyer(prices, 4 * kMoneyUnit, rule);
    int cheap = 0;
    constexpr int kDraws = 20000;
    for (int n = 0; n < kDraws; ++n) {
      const auto set = buyer.draw(random);
      REQUIRE(set.size() == 1);
      cheap += set[0] == 0 ? 1 : 0;
    }
    // Four standard deviations.
    CHECK(std::abs(cheap - chance * kDraws) < 4 * std::sqrt(kDraws * chance * (1 - chance)));
  }
}

TEST_CASE("log-normal prices have median 1, the spread asked for, and no price of 0") {
  const auto prices = log_normal_prices(10000, 1.5, 3);
  double sum = 0;
  double squares = 0;
  for (Attribute i = 0; i < 10000; ++i) {
    REQUIRE(prices->alone(i) > 0);
    const double log = std::log(money_in_units(prices->alone(i)));
    sum += log / 10000;
    squares += log * log / 10000;
  }
  CHECK(std::abs(sum) < 4 * 1.5 / 100);
  // The variance of a square of a normal number is 2.
  CHECK(std::abs(squares / 2.25 - 1) < 4 * std::sqrt(2.0) / 100);
  CHECK(full_price(*log_normal_prices(3, 0, 1)) == 3 * kMoneyUnit);
}

TEST_CASE("a cell is over the rule with the lowest mean, with the error of the differences") {
  const BuyingCell cell = cell_of({0.3, 0.5}, {0.6, 0.5, 0.55, 0.7});
  CHECK(cell.best_rule() == 2);
  CHECK(cell.over(2) == doctest::Approx(0.8));
  // Differences −.2 and 0: their mean −.1 is known to within .1, over .5.
  CHECK(cell.error(2) == doctest::Approx(0.2));
}

TEST_CASE("a page has each cell, geometric means by share and set, and the worst cell") {
  std::vector<BuyingCell> cells = {cell_of({0.4, 0.4}, {0.8, 0.5, 0.5, 0.5}),
                                   cell_of({0.5, 0.5}, {0.5, 0.4, 0.5, 0.5})};
  cells[1].set = "other";
  const std::string page = page_of(cells, "How.");
  for (const char* line :
       {"\nHow.\n", "| set | 10 % | 0.4000 (2.0) | 0.8000 (2.0) |", " 0.800 ± 0.000 (1/√price) |\n",
        // √(.5·1) over uniform; √(.8·1.25) over the best rules.
        "| 10 % | 0.707 | 1.000 |", "| **1.000** | 1.250 (other, 10 %) |\n", "| set | 0.500 |"}) {
    CAPTURE(line);
    CAPTURE(page);
    CHECK(page.find(line) != std::string::npos);
  }
}

TEST_CASE("every way to buy stays within the limit, and threads change nothing") {
  SweepSet set;
  set.name = set.data.data = "simulated:factors:3:20";
  set.data.examples = 600;
  set.data.test_examples = 200;
  const SweepSource source = SweepSource::load(set, 1).value();
  BuyingCheck check;
  check.shares = {0.2, 0.5};
  check.draws = 2;
  const auto cells = check_buying(check, set.name, source, {1, true}).value();
  REQUIRE(cells.size() == 2);
  for (const BuyingCell& cell : cells)
    for (std::size_t buyer = 0; buyer < kBuyers; ++buyer) {
      CAPTURE(kBuyerNames[buyer]);
      const BuyingResult mean = cell.mean(buyer);
      CHECK(mean.money <= 1);
      CHECK(mean.money > 0.7);
      CHECK(mean.attributes > 2);
      CHECK(mean.loss < 1);
    }
  CHECK(cells[1].mean(0).attributes > cells[0].mean(0).attributes);
  const auto again = check_buying(check, set.name, source, {2, true}).value();
  CHECK(page_of(again, "") == page_of(cells, ""));
}

TEST_CASE("prices of which the money buys no two attributes are drawn again, and refused where all are so") {
  SweepSet set;
  set.name = set.data.data = "simulated:factors:2:6";
  set.data.examples = 50;
  set.data.test_examples = 20;
  const SweepSource source = SweepSource::load(set, 1).value();
  BuyingCheck check;
  check.draws = 20;
  check.shares = {0.15};  // of six
  const auto cells = check_buying(check, set.name, source, {1, true}).value();
  for (const BuyingResult& result : cells[0].results[4]) CHECK(result.attributes >= 2);
  check.spread = 0;
  const auto refused = check_buying(check, set.name, source, {1, true});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message ==
        "simulated:factors:2:6: 15 % of the price of all 6 attributes hardly ever buy two");
}

TEST_CASE("buying writes its page, and options that cannot be end with status 2") {
  const TemporaryFolder folder;
  const std::string page = folder.file("page.md");
  const std::vector<std::string> data = {"--data", "simulated:factors:2:6", "--largest-training", "100"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), data.begin(), data.end());
    return buying(more);
  };
  CHECK(with({"--shares", "50%", "--draws", "1", "--output", page}) == 0);
  CHECK(std::filesystem::exists(page));
  CHECK(buying({}) == 2);
  CHECK(with({"--shares", ""}) == 2);
  CHECK(with({"--shares", "120%"}) == 2);
  CHECK(with({"--spread", "-1"}) == 2);
  CHECK(with({"--draws", "0"}) == 2);
}

}  // namespace buying_check_test
