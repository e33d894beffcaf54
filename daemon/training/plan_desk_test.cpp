#include "daemon/training/plan_desk.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "daemon/training/plan_desk_test_support.h"

namespace plan_desk_test {

using namespace glimpse;
using namespace glimpse::plan_desk_test;

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

TEST_CASE("label and values may come one after the other") {
  Desk desk;
  const std::string first = desk.ask_one();
  CHECK(status(desk.tell(item(first, R"("label":1)"))) == "incomplete");
  const TellAnswer again = desk.tell(item(first, R"("label":2)"));
  CHECK(status(again) == "incomplete");
  CHECK(again.message ==
        "kept; label 2 takes the place of 1, which was told before; the values are still to be told");
  CHECK(desk.learned() == 0);
  CHECK(status(desk.tell(item(first, R"("values":[1,2,3])"))) == "learned");
  CHECK(desk.processor().learner().labels().max() == 2);  // the last that was told
  const std::string second = desk.ask_one();
  CHECK(status(desk.tell(item(second, R"("values":[1,2,3])"))) == "incomplete");
  CHECK(status(desk.tell(item(second, R"("label":0)"))) == "learned");
  CHECK(desk.learned() == 2);
}

TEST_CASE("a label that differs from the one that was learned is named, and not learned") {
  Desk desk;
  const std::string id = desk.ask_one();
  CHECK(status(desk.tell(item(id, R"("label":2,"values":[1,2,3])"))) == "learned");
  for (const char* other : {R"("label":3)", R"("label":3,"values":[1,2,3])"}) {
    const TellAnswer answer = desk.tell(item(id, other));
    CHECK(status(answer) == "duplicate");
    CHECK(answer.message == "this plan was told before with label 2, which stays; label 3 was not learned");
    REQUIRE(answer.told_label.has_value());
    CHECK(std::get<double>(*answer.told_label) == 2);
  }
  for (const char* same : {R"("label":2)", R"("label":2.0,"values":[1,2,3])", R"("values":[1,2,3])"}) {
    const TellAnswer answer = desk.tell(item(id, same));
    CHECK(status(answer) == "duplicate");
    CHECK(answer.message == "this plan was told before; nothing was learned twice");
    CHECK_FALSE(answer.told_label.has_value());
  }
  CHECK(desk.learned() == 1);
}

TEST_CASE("labels that are words are named as words, and a word that is refused names nothing for good") {
  Desk desk;
  const std::string first = desk.ask_one();
  CHECK(status(desk.tell(item(first, R"("label":"died","values":[1,2,3])"))) == "learned");
  const TellAnswer other = desk.tell(item(first, R"("label":"lived")"));
  CHECK(status(other) == "duplicate");
  CHECK(other.message ==
        "this plan was told before with label 'died', which stays; label 'lived' was not learned");
  CHECK(std::get<std::string>(*other.told_label) == "died");
  CHECK(desk.processor().names().categories().label_words().size() == 1);
  const std::string second = desk.ask_one();
  CHECK(status(desk.tell(item(second, R"("label":"left","values":[1,2,3])"))) == "learned");
  CHECK(desk.tell(item(second, R"("label":"lost")")).message ==
        "this plan was told before with label 'left', which stays; label 'lost' was not learned");
  CHECK_FALSE(desk.tell(item(second, R"("label":"left")")).told_label.has_value());
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
  CHECK(status(desk.tell(item(id, R"("label":true,"values":[1,2,1])"))) == "invalid");
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

TEST_CASE("a label that takes the place of another is named also where the plan is not learned") {
  Desk desk("aerr");
  const std::string id = desk.ask_one();
  CHECK(status(desk.tell(item(id, R"("label":2)"))) == "incomplete");
  const TellAnswer answer = desk.tell(item(id, R"("label":3,"values":[1,null,3])"));
  CHECK(status(answer) == "not_learned");
  CHECK(answer.message.starts_with("values were refused"));
  CHECK(answer.message.ends_with("; label 3 takes the place of 2, which was told before"));
  CHECK(std::get<double>(*answer.told_label) == 2);
  CHECK(std::get<double>(*desk.tell(item(id, R"("label":4)")).told_label) == 3);
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

}  // namespace plan_desk_test
