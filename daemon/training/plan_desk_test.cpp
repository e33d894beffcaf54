#include "daemon/training/plan_desk.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <numeric>

#include "daemon/api/plan_bodies.h"
#include "learn/factory.h"

using namespace glimpse;

namespace {

constexpr std::size_t kDimension = 6;
constexpr double kNow = 1000;
constexpr double kLater = 2000;

// A stream processor with its own door, and how one talks to it.
class Desk {
 public:
  explicit Desk(const std::string& algorithm = "pairwise", const SpendingLimits& limits = {},
                std::shared_ptr<const Prices> prices = nullptr, std::size_t most_plans = 100)
      : processor_(learner(algorithm, std::move(prices)), AttributeNames(kDimension), 7) {
    processor_.set_buying(most_plans, 0x3f9a2b, limits);
  }

  StreamProcessor& processor() { return processor_; }
  Door& door() { return door_; }
  Status ask(std::size_t count, AskedPlans& plans, double expires_at = kLater) {
    return glimpse::ask(processor_, count, std::nullopt, kNow, expires_at, plans);
  }
  std::string ask_one(double expires_at = kLater) {
    AskedPlans plans;
    REQUIRE(ask(1, plans, expires_at).has_value());
    return format_plan_id(plans.rows[0].id);
  }
  TellAnswer tell(const std::string& item, double now = kNow) {
    auto items = TellItems::open(item);
    REQUIRE(items.has_value());
    TellBatch batch;
    REQUIRE(items->next(batch, 2, item.size() + 1));
    REQUIRE(batch.items.size() == 1);
    return glimpse::tell(processor_, door_, batch, batch.items[0], now);
  }
  std::uint64_t learned() const { return processor_.learner().counts().examples; }

 private:
  static std::unique_ptr<Learner> learner(const std::string& algorithm,
                                          std::shared_ptr<const Prices> prices) {
    LearnerOptions options;
    options.algorithm = algorithm;
    options.dimension = kDimension;
    options.budget = 3;
    options.prices = std::move(prices);
    return *make_learner(options);
  }

  StreamProcessor processor_;
  Door door_;
};

std::string item(const std::string& id, const std::string& rest) {
  return "{\"id\":\"" + id + "\"," + rest + "}";
}

std::string status(const TellAnswer& answer) { return name_of(answer.status); }

}  // namespace

TEST_CASE("asking and telling plan by plan is the same to the bit as pushing whole examples") {
  for (const char* algorithm : {"pairwise", "two-phase-ddaerr", "aerr"}) {
    INFO(algorithm);
    Desk told(algorithm);
    Desk pushed(algorithm);
    FormatOptions options;
    options.dimension = kDimension;
    auto door = std::make_shared<Door>();
    const auto feed = pushed.processor().make_feed(door, Format::kVw, options, 1000, "");
    Random random(3);
    for (int n = 0; n < 300; ++n) {
      std::vector<double> x(kDimension);
      for (double& value : x) value = random.uniform() - 0.5;
      const double label = x[0] - 2 * x[3] + 0.1 * random.uniform();
      std::string line = fmt::format("{} |", label);
      for (std::size_t i = 0; i < kDimension; ++i) line += fmt::format(" {}:{}", i, x[i]);
      Block block;
      block.feed = feed;
      block.bytes = Bytes(line + "\n");
      BlockResult result;
      REQUIRE(pushed.processor().process(block, true, result));

      AskedPlans plans;
      REQUIRE(told.ask(1, plans).has_value());
      std::string values;
      for (const Attribute i : plans.attributes)
        values += fmt::format("{}\"{}\":{}", values.empty() ? "" : ",", i, x[i]);
      const std::string id = format_plan_id(plans.rows[0].id);
      CHECK(status(told.tell(item(id, fmt::format("\"label\":{},\"values\":{{{}}}", label, values)))) ==
            "learned");
    }
    Model a;
    Model b;
    told.processor().learner().model(a);
    pushed.processor().learner().model(b);
    CHECK(a.weights == b.weights);
    CHECK(a.bias == b.bias);
  }
}

TEST_CASE("values come by name, by number or in the plan's order, and mean the same") {
  Desk desk;
  REQUIRE(desk.processor().names().fix({"a", "b", "c", "d", "e", "f"}).has_value());
  AskedPlans plans;
  REQUIRE(desk.ask(3, plans).has_value());
  CHECK(plans.names.size() == 9);
  const auto id = [&](int k) { return format_plan_id(plans.rows[k].id); };
  const auto at = [&](int k) { return plans.attributes[k]; };
  CHECK(status(desk.tell(item(id(0), fmt::format(R"("label":1,"values":{{"{}":1,"{}":2,"{}":3}})",
                                                 plans.names[2], at(0), plans.names[1])))) == "learned");
  CHECK(status(desk.tell(item(id(1), R"("label":1,"values":[1,2,3])"))) == "learned");
  CHECK(status(desk.tell(item(id(2), fmt::format(R"("label":1,"values":[1,2],"refused":["{}"])",
                                                 plans.names[7])))) == "learned");
  CHECK(desk.learned() == 3);
  CHECK(desk.processor().learner().counts().attributes_revealed == 8);
}

TEST_CASE("a short body keeps its words when the request is moved") {
  auto items = TellItems::open(R"({"id":"ab"})");
  REQUIRE(items.has_value());
  TellBatch batch;
  REQUIRE(items->next(batch, 1, 1));
  const TellBatch moved = std::move(batch);
  batch = TellBatch();
  CHECK(moved.items[0].id == "ab");
  CHECK(moved.items[0].error == "neither 'label' nor 'values' is given");
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

TEST_CASE("label and values may come one after the other") {
  Desk desk;
  const std::string first = desk.ask_one();
  CHECK(status(desk.tell(item(first, R"("label":1)"))) == "incomplete");
  CHECK(status(desk.tell(item(first, R"("label":2)"))) == "incomplete");
  CHECK(desk.learned() == 0);
  CHECK(status(desk.tell(item(first, R"("values":[1,2,3])"))) == "learned");
  CHECK(desk.processor().learner().labels().max() == 2);  // the last that was told
  const std::string second = desk.ask_one();
  CHECK(status(desk.tell(item(second, R"("values":[1,2,3])"))) == "incomplete");
  CHECK(status(desk.tell(item(second, R"("label":0)"))) == "learned");
  CHECK(desk.learned() == 2);
}

TEST_CASE("whatever is told of a closed plan changes nothing, and says what became of it") {
  Desk desk;
  const std::string learned = desk.ask_one();
  const std::string expired = desk.ask_one(kNow + 5);
  const std::string abandoned = desk.ask_one();
  const std::string values = R"("label":1,"values":[1,2,3])";
  CHECK(status(desk.tell(item(learned, values))) == "learned");
  CHECK(status(desk.tell(item(learned, values))) == "duplicate");
  CHECK(status(desk.tell(item(expired, values), kNow + 5)) == "expired");
  CHECK(abandon(desk.processor(), abandoned, kNow).has_value());
  CHECK(abandon(desk.processor(), abandoned, kNow).has_value());
  CHECK(abandon(desk.processor(), learned, kNow).error().code == ErrorCode::kUnavailable);
  CHECK(abandon(desk.processor(), "3f9a2b-99", kNow).error().code == ErrorCode::kNotFound);
  CHECK(status(desk.tell(item(abandoned, values))) == "abandoned");
  CHECK(status(desk.tell(item("3f9a2b-99", values))) == "unknown");
  CHECK(status(desk.tell(item("soup", values))) == "unknown");
  CHECK(desk.learned() == 1);
  CHECK(desk.door().examples == 1);
  CHECK(desk.processor().plans().open() == 0);
}

TEST_CASE("values that are not the plan's are refused with the list expected, and the plan stays open") {
  Desk desk;
  AskedPlans plans;
  REQUIRE(desk.ask(1, plans).has_value());
  const std::string id = format_plan_id(plans.rows[0].id);
  Attribute other = 0;
  while (std::count(plans.attributes.begin(), plans.attributes.end(), other) > 0) ++other;
  const Attribute own = plans.attributes[0];
  for (const std::string& rest :
       {std::string(R"("values":[1,2])"), std::string(R"("values":[1,2,3,4])"), std::string(R"("values":{})"),
        fmt::format(R"("values":{{"{}":1}})", own), fmt::format(R"("values":[1,2,3],"refused":[{}])", own),
        fmt::format(R"("values":[1,2],"refused":[{}])", other), std::string(R"("values":{"99":1})"),
        fmt::format(R"("values":{{"{0}":1,"{0}":2}})", own)}) {
    INFO(rest);
    const TellAnswer answer = desk.tell(item(id, "\"label\":1," + rest));
    CHECK(status(answer) == "wrong_attributes");
    CHECK(answer.expected == plans.attributes);
  }
  CHECK(status(desk.tell(item(id, R"("label":1,"values":[1,2,1e31])"))) == "invalid_value");
  CHECK(status(desk.tell(item(id, R"("label":1e31,"values":[1,2,1])"))) == "invalid_value");
  CHECK(status(desk.tell(item(id, R"("label":1,"importance":-1,"values":[1,2,1])"))) == "invalid_value");
  CHECK(status(desk.tell(item(id, R"("label":"x","values":[1,2,1])"))) == "invalid");
  CHECK(status(desk.tell(item(id, R"("label":1e999,"values":[1,2,1])"))) == "invalid");
  CHECK(desk.learned() == 0);
  CHECK(status(desk.tell(item(id, R"("label":1,"values":[1,2,3])"))) == "learned");
}

TEST_CASE("refused attributes: pairwise learns from the rest, a first-order learner does not learn") {
  const std::string refused = R"("label":1,"values":[1,null,3])";
  Desk pairwise;
  CHECK(status(pairwise.tell(item(pairwise.ask_one(), refused))) == "learned");
  CHECK(pairwise.processor().buying().report().cost == 2 * kMoneyUnit);
  CHECK(status(pairwise.tell(item(pairwise.ask_one(), R"("label":1,"values":[null,null,null])"))) ==
        "not_learned");
  Desk first_order("aerr");
  const std::string id = first_order.ask_one();
  CHECK(status(first_order.tell(item(id, refused))) == "not_learned");
  CHECK(status(first_order.tell(item(id, R"("label":1,"values":[1,2,3])"))) == "duplicate");
  CHECK(first_order.learned() == 0);
  CHECK(first_order.processor().learner().counts().missing == 1);
  CHECK(first_order.processor().plans().counts().not_learned == 1);
}

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

TEST_CASE("an item that is not sound is answered by its name all the same") {
  Desk desk;
  const TellAnswer answer = desk.tell(R"({"price":1,"label":"x","id":"3f9a2b-7"})");
  CHECK(status(answer) == "invalid");
  CHECK(answer.id == "3f9a2b-7");
  const std::string id = desk.ask_one();
  CHECK(status(desk.tell(item(id, R"("label":1,"importance":1e150,"values":[1,2,3])"))) == "invalid_value");
}

TEST_CASE(
    "an attribute that was asked for by number never becomes a name, before its plan is told or after") {
  for (const bool names_first : {false, true}) {
    Desk desk;
    FormatOptions options;
    options.dimension = kDimension;
    const auto feed = desk.processor().make_feed(std::make_shared<Door>(), Format::kVw, options, 1000, "");
    const auto learn = [&](const std::string& line) {
      Block block;
      block.feed = feed;
      block.bytes = Bytes(line);
      BlockResult result;
      desk.processor().process(block, false, result);
      return result.learned;
    };
    if (names_first) REQUIRE(learn("1 | a b c d e f\n") == 1);
    AskedPlans plans;
    REQUIRE(desk.ask(20, plans).has_value());
    if (names_first) {
      CHECK(desk.processor().names().find("a") == Attribute{0});
      CHECK(learn("1 | f\n") == 1);
    } else {
      // Of all plans together every attribute is asked for.
      CHECK(learn("1 | x\n") == 0);
      CHECK(desk.processor().names().empty());
    }
    std::string values;
    for (std::size_t a = 0; a < plans.rows[0].end; ++a)
      values += fmt::format("{}\"{}\":1", a > 0 ? "," : "", plans.attributes[a]);
    CHECK(status(desk.tell(item(format_plan_id(plans.rows[0].id),
                                "\"label\":1,\"values\":{" + values + "}"))) == "learned");
    if (!names_first) CHECK(learn("1 | x\n") == 0);
  }
}
