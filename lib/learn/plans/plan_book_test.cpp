#include "learn/plans/plan_book.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>

#include "base/random.h"

namespace plan_book_test {

using namespace glimpse;

namespace {

constexpr std::uint32_t kProcess = 0x3f9a2b;

Plan plan_of(std::vector<Attribute> attributes) {
  Plan plan;
  plan.attributes = std::move(attributes);
  for (std::uint32_t a = 0; a < plan.attributes.size(); ++a) {
    plan.centres.push_back(0.5 * a);
    plan.data_point.push_back({a, 1.5 + a});
  }
  plan.inner_product.push_back({0, -2});
  plan.offset = 0.25;
  plan.population = 17;
  return plan;
}

bool same_plan(const Plan& a, const Plan& b) {
  const auto same_draws = [](const std::vector<Draw>& x, const std::vector<Draw>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Draw& p, const Draw& q) {
      return p.position == q.position && p.coefficient == q.coefficient;
    });
  };
  return a.attributes == b.attributes && a.centres == b.centres && a.offset == b.offset &&
         a.population == b.population && same_draws(a.data_point, b.data_point) &&
         same_draws(a.inner_product, b.inner_product);
}

}  // namespace

TEST_CASE("a plan's name is read back, and no other text is a name") {
  PlanBook book(10, kProcess);
  const PlanId id = book.give(plan_of({1, 4}), 2, 100).id;
  CHECK(format_plan_id(id) == "3f9a2b-1");
  CHECK(parse_plan_id("3f9a2b-1") == id);
  CHECK(parse_plan_id("3f9a2b-1099511627775").has_value());
  for (const char* text : {"", "3f9a2b", "3f9a2b-", "3f9a2b-0", "3f9a2b-01", "3f9a2b-1x", "3f9a2g-1",
                           "3f9a2b_1", "3f9a2b--1", "3f9a2b-1099511627776", "3f9a2b1-1"}) {
    INFO(text);
    CHECK_FALSE(parse_plan_id(text).has_value());
  }
}

TEST_CASE("an open plan is found with all that it was given with, a closed one by its fate") {
  PlanBook book(10, kProcess);
  const Plan plan = plan_of({1, 4, 7});
  const PlanId first = book.give(plan, 12, 100).id;
  const PlanId second = book.give(plan_of({2}), 5, 100).id;
  CHECK(book.open() == 2);
  CHECK(book.open_attributes() == 4);
  CHECK(book.open_cost() == 17);
  REQUIRE(book.find(first) != nullptr);
  CHECK(same_plan(book.find(first)->plan, plan));
  CHECK_FALSE(book.fate(first).has_value());
  book.close(first, PlanFate::kLearned);
  CHECK(book.find(first) == nullptr);
  CHECK(book.fate(first) == PlanFate::kLearned);
  CHECK(book.find(second) != nullptr);
  CHECK(book.open_attributes() == 1);
  CHECK(book.open_cost() == 5);
  book.close(second, PlanFate::kAbandoned);
  CHECK(book.counts().given == 2);
  CHECK(book.counts().learned == 1);
  CHECK(book.counts().abandoned == 1);
}

TEST_CASE("a closed plan's memory is used again, and nothing of it is left") {
  PlanBook book(10, kProcess);
  const PlanId first = book.give(plan_of({1, 4}), 2, 100).id;
  book.find(first)->values = {1, 2};
  book.find(first)->labels.tell(0, 3);
  book.find(first)->importance = 4;
  book.close(first, PlanFate::kLearned);
  const OpenPlan& second = book.give(plan_of({2, 5}), 2, 100);
  CHECK(second.id != first);
  CHECK(second.values.empty());
  CHECK_FALSE(second.labels.is_any_told());
  CHECK(second.importance == 1);
}

TEST_CASE("plans expire at their own times, and only once") {
  PlanBook book(1000, kProcess);
  Random random(7);
  std::vector<std::pair<double, PlanId>> plans;
  for (int k = 0; k < 500; ++k) {
    const double time = 1 + static_cast<double>(random.below(100));
    plans.emplace_back(time, book.give(plan_of({1}), 1, time).id);
  }
  for (int k = 0; k < 500; k += 2) book.close(plans[k].second, PlanFate::kLearned);
  for (double now = 0; now <= 101; now += 10) {
    book.expire(now);
    for (int k = 1; k < 500; k += 2) {
      CHECK((book.find(plans[k].second) == nullptr) == (plans[k].first <= now));
      if (plans[k].first <= now) CHECK(book.fate(plans[k].second) == PlanFate::kExpired);
    }
  }
  CHECK(book.open() == 0);
  CHECK(book.counts().expired == 250);
  CHECK(book.counts().learned == 250);
}

TEST_CASE("a plan lives no longer after a restart than when it was saved, whatever the clock says then") {
  PlanBook book(10, kProcess);
  constexpr double kSavedAt = 1.7e9;
  const PlanId id = book.give(plan_of({1}), 1, kSavedAt + 100).id;
  State state;
  state.begin();
  book.save(state, 0, kSavedAt);
  state.finish();
  for (const double now : {5.0, kSavedAt + 10, kSavedAt + 1000}) {  // 5: nobody has set the clock yet
    PlanBook restored(10, kProcess);
    REQUIRE(restored.restore(state, 10, 0, now).has_value());
    CHECK(restored.find(id)->expires_at == std::min(now, kSavedAt) + 100);
    State again;  // by then it was set
    again.begin();
    restored.save(again, kSavedAt + 50 - now, now);
    again.finish();
    PlanBook later(10, kProcess);
    REQUIRE(later.restore(again, 10, 0, kSavedAt + 50).has_value());
    CHECK(later.find(id)->expires_at <= kSavedAt + 150);
  }
}

TEST_CASE("a book has a limit, and forgets the oldest fates beyond as many") {
  PlanBook book(3, kProcess);
  std::vector<PlanId> ids;
  for (int k = 0; k < 3; ++k) ids.push_back(book.give(plan_of({1}), 1, 100).id);
  CHECK(book.full());
  for (const PlanId id : ids) book.close(id, PlanFate::kLearned);
  CHECK_FALSE(book.full());
  const PlanId last = book.give(plan_of({1}), 1, 100).id;
  book.close(last, PlanFate::kLearned);
  CHECK_FALSE(book.fate(ids[0]).has_value());
  CHECK(book.fate(ids[1]) == PlanFate::kLearned);
  CHECK(book.fate(last) == PlanFate::kLearned);
}

TEST_CASE("a closed plan's label is kept as long as its fate, also by a checkpoint, which need not have it") {
  PlanBook book(3, kProcess);
  std::vector<PlanId> ids;
  for (int k = 0; k < 5; ++k) {
    OpenPlan* const plan = book.find(ids.emplace_back(book.give(plan_of({1}), 1, 100).id));
    if (k != 3) plan->labels.tell(0, -0.5 * k);
    book.close(ids.back(), k == 2 ? PlanFate::kNotLearned : PlanFate::kLearned);
  }
  const auto check = [&](const PlanBook& one) {
    CHECK_FALSE(one.fate(ids[1]).has_value());
    CHECK(one.told_labels(ids[1]) == nullptr);
    CHECK(one.fate(ids[2]) == PlanFate::kNotLearned);
    CHECK((*one.told_labels(ids[2]))[0] == -1);
    CHECK_FALSE(one.told_labels(ids[3])->is_any_told());
    CHECK((*one.told_labels(ids[4]))[0] == -2);
  };
  check(book);
  State state;
  state.begin();
  book.save(state);
  state.finish();
  PlanBook restored(3, kProcess);
  REQUIRE(restored.restore(state, 20).has_value());
  check(restored);

  State older;
  older.begin();
  for (const auto* name : {"plans.counts", "plans.closed", "plans.open"}) {
    const auto values = state.get<std::uint64_t>(name);
    older.put_copy<std::uint64_t>(name, *values);
  }
  older.put_copy<std::uint8_t>("plans.fates", *state.get<std::uint8_t>("plans.fates"));
  for (const auto* name : {"plans.numbers", "plans.centres", "plans.values", "plans.coefficients"})
    older.put<double>(name, 0);
  for (const auto* name : {"plans.sizes", "plans.attributes", "plans.positions"})
    older.put<std::uint32_t>(name, 0);
  older.finish();
  PlanBook without(3, kProcess);
  REQUIRE(without.restore(older, 20).has_value());
  CHECK(without.fate(ids[4]) == PlanFate::kLearned);
  CHECK_FALSE(without.told_labels(ids[4])->is_any_told());

  state.put<double>("plans.labels", 3)[1] = std::numeric_limits<double>::infinity();
  PlanBook damaged(3, kProcess);
  CHECK(damaged.restore(state, 20).error().message ==
        "closed plan 1 of the checkpoint is not sound: plans.closed or plans.labels");
}

TEST_CASE("open plans are listed in the order in which they were given") {
  PlanBook book(100, kProcess);
  std::vector<PlanId> ids;
  for (int k = 0; k < 20; ++k) ids.push_back(book.give(plan_of({1}), 1, 100).id);
  book.close(ids[3], PlanFate::kLearned);
  const auto plans = book.list(ids[1], 3);
  REQUIRE(plans.size() == 3);
  CHECK(plans[0]->id == ids[2]);
  CHECK(plans[1]->id == ids[4]);
  CHECK(plans[2]->id == ids[5]);
}

TEST_CASE("a book is the same after a checkpoint, and another process gives other names") {
  PlanBook book(100, kProcess);
  std::vector<PlanId> ids;
  for (Attribute i = 0; i < 10; ++i) ids.push_back(book.give(plan_of({i, i + 3, i + 9}), 7, 50.0 + i).id);
  book.close(ids[0], PlanFate::kLearned);
  book.close(ids[1], PlanFate::kNotLearned);
  book.find(ids[2])->values = {1, 2, 3};
  book.find(ids[3])->labels.tell(0, -1);
  book.find(ids[3])->importance = 2.5;
  State state;
  state.begin();
  book.save(state);
  state.finish();

  PlanBook restored(100, kProcess + 1);
  REQUIRE(restored.restore(state, 20).has_value());
  CHECK(restored.open() == 8);
  CHECK(restored.open_attributes() == book.open_attributes());
  CHECK(restored.open_cost() == book.open_cost());
  CHECK(restored.fate(ids[0]) == PlanFate::kLearned);
  CHECK(restored.fate(ids[1]) == PlanFate::kNotLearned);
  for (std::size_t k = 2; k < ids.size(); ++k) {
    REQUIRE(restored.find(ids[k]) != nullptr);
    CHECK(same_plan(restored.find(ids[k])->plan, book.find(ids[k])->plan));
    CHECK(restored.find(ids[k])->expires_at == book.find(ids[k])->expires_at);
    CHECK(restored.find(ids[k])->values == book.find(ids[k])->values);
    CHECK(restored.find(ids[k])->labels[0] == book.find(ids[k])->labels[0]);
    CHECK(restored.find(ids[k])->importance == book.find(ids[k])->importance);
  }
  CHECK(restored.counts().given == 10);
  CHECK(format_plan_id(restored.give(plan_of({1}), 1, 60).id) == "3f9a2c-11");
  restored.expire(55);
  CHECK(restored.counts().expired == 4);
}

TEST_CASE("each of several labels is kept once it was told, open and closed, and by a checkpoint") {
  PlanBook book(4, kProcess, 3);
  std::vector<PlanId> ids;
  for (Attribute i = 0; i < 3; ++i) ids.push_back(book.give(plan_of({i}), 1, 100).id);
  ToldLabels& some = book.find(ids[0])->labels;
  some.tell(2, 5);
  CHECK(some.is_any_told());
  CHECK_FALSE(some.are_all_told());
  for (std::size_t l = 0; l < 3; ++l) book.find(ids[1])->labels.tell(l, 1.0 + static_cast<double>(l));
  CHECK(book.find(ids[1])->labels.are_all_told());
  book.close(ids[1], PlanFate::kLearned);
  CHECK_FALSE(book.give(plan_of({7}), 1, 100).labels.is_any_told());
  State state;
  state.begin();
  book.save(state);
  state.finish();
  PlanBook restored(4, kProcess, 3);
  REQUIRE(restored.restore(state, 20).has_value());
  for (PlanBook* const one : {&book, &restored}) {
    CHECK_FALSE(one->find(ids[0])->labels[0].has_value());
    CHECK_FALSE(one->find(ids[0])->labels[1].has_value());
    CHECK(one->find(ids[0])->labels[2] == 5);
    CHECK_FALSE(one->find(ids[2])->labels.is_any_told());
    for (std::size_t l = 0; l < 3; ++l) CHECK((*one->told_labels(ids[1]))[l] == 1.0 + static_cast<double>(l));
  }
  State damaged = state;
  damaged.put<double>("plans.open_labels", 6)[1] = std::numeric_limits<double>::infinity();
  CHECK(PlanBook(4, kProcess, 3).restore(damaged, 20).error().message ==
        "plans.open_labels holds a label that is infinite");
  CHECK(PlanBook(4, kProcess, 2).restore(state, 20).error().code == ErrorCode::kCorrupt);
}

TEST_CASE("a damaged book is refused") {
  PlanBook book(100, kProcess);
  book.give(plan_of({1, 3}), 7, 50);
  State state;
  state.begin();
  book.save(state);
  state.finish();
  // The first number: when it expires; the third: its importance; the last: its offset.
  for (const auto& [place, value] : {std::pair{0, 1e17}, {0, -1e300}, {2, -1.0}, {2, 1e31}, {3, 1e300}}) {
    State senseless = state;
    senseless.put<double>("plans.numbers", 4)[static_cast<std::size_t>(place)] = value;
    CHECK(PlanBook(100, kProcess).restore(senseless, 20).error().message ==
          "open plan 0 of the checkpoint is not sound: plans.numbers");
  }
  PlanBook small(100, kProcess);
  CHECK(small.restore(state, 3).error().code == ErrorCode::kCorrupt);  // attribute 3 of 3
  state.put<std::uint32_t>("plans.positions", 3)[0] = 2;               // of two attributes
  PlanBook other(100, kProcess);
  CHECK(other.restore(state, 20).error().message ==
        "open plan 0 of the checkpoint is not sound: plans.positions");
}

}  // namespace plan_book_test
