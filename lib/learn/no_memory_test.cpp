// Replaces the global operator new of this test program by one that can be told to fail.

#include <cstdlib>
#include <doctest/doctest.h>
#include <new>
#include <string>
#include <vector>

#include "learn/core/monomials.h"
#include "learn/costs_test_support.h"
#include "learn/factory.h"
#include "learn/plans/plan_book.h"

namespace {

int allocations_left = -1;  // until one fails; negative: none does

void* allocate(std::size_t size) {
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

using namespace glimpse;
using namespace glimpse::test;

TEST_CASE("a plan that there was no memory for leaves nothing behind in the next") {
  constexpr std::size_t kDimension = 30;
  constexpr std::size_t kBudget = 20;
  LearnerOptions options = options_of("pairwise", kDimension, kBudget);
  SUBCASE("of all attributes") {}
  SUBCASE("within a limit of cost") {
    options.prices = prices_of(std::vector<Money>(kDimension, 1));
    options.budget_cost = kBudget;
  }
  std::vector<Attribute> available;
  for (Attribute i = 0; i < kDimension; ++i) available.push_back(i);
  for (const bool among : {false, true}) {
    int failed = 0;
    for (int allocations = 0;; ++allocations) {
      CAPTURE(among);
      CAPTURE(allocations);
      auto learner = make_learner(options).value();
      auto twin = make_learner(options).value();
      const auto draw = [&](Learner& by, Random random, Plan& plan) {
        if (among) {
          (void)by.plan_among(random, available, plan);
        } else {
          by.begin_plan(random, plan);
        }
      };
      bool fails = false;
      {
        Plan plan;
        allocations_left = allocations;
        try {
          draw(*learner, Random(1), plan);
        } catch (const std::bad_alloc&) {
          fails = true;
        }
        allocations_left = -1;
      }
      Plan next;
      Plan expected;
      draw(*learner, Random(2), next);
      draw(*twin, Random(2), expected);
      CHECK(next.attributes == expected.attributes);
      REQUIRE(next.inner_product.size() == expected.inner_product.size());
      for (std::size_t i = 0; i < next.inner_product.size(); ++i)
        CHECK(next.inner_product[i].position == expected.inner_product[i].position);
      if (!fails) break;
      ++failed;
    }
    CHECK(failed >= 2);  // of the attributes and of the draws
  }
}

TEST_CASE("apple learns and predicts without memory once the products of its parents are there") {
  constexpr int kBegin = 5000;  // behind one end of an epoch …
  constexpr int kEnd = 8000;    // … and before the next
  auto learner = make_learner(options_of("apple", 12, 12)).value();
  Random random(1);
  Plan plan;
  learner->plan(random, plan);
  std::vector<double> values(12);
  std::vector<Entry> question;
  int failed = 0;
  for (int t = 0; t < kEnd; ++t) {
    if (t == kBegin) allocations_left = 0;
    try {
      question.clear();
      for (Attribute i = 0; i < 12; ++i) {
        values[i] = random.uniform() < 0.3 ? 0 : random.uniform();
        question.push_back({i, values[i]});
      }
      learner->predict(question);
      learner->learn(plan, values, values[1] * values[2] + values[3], 1);
    } catch (const std::bad_alloc&) {
      ++failed;
    }
  }
  allocations_left = -1;
  CHECK(failed == 0);
  CHECK(learner->products()->products() > 50);
}

namespace {
// How often an example with its products, or a question, wanted memory.
int failures_with_products(std::size_t degree, const char* algorithm = "pairwise") {
  constexpr int kBegin = 6200;  // behind the last planning of draws before …
  constexpr int kEnd = 8000;    // … the next
  LearnerOptions options = options_of(algorithm, 20, 18);
  options.bias = true;
  if (options.algorithm == "pairwise-screened") options.active = 16;
  options.products = degree;
  auto learner = make_learner(options).value();
  Random random(1);
  Plan plan;
  std::vector<double> values(18);
  std::vector<Entry> question(20);
  std::shared_ptr<const Model> model;
  int failed = 0;
  for (int t = 0; t < kEnd; ++t) {
    if (t == kBegin) model = learner->shared_model();
    if (t == kBegin) allocations_left = 0;
    try {
      for (Attribute i = 0; i < 20; ++i) question[i] = {i, random.uniform() - 0.5};
      learner->plan(random, plan);
      for (std::size_t a = 0; a < values.size(); ++a) values[a] = question[plan.attributes[a]].value;
      learner->learn(plan, values, question[1].value * question[2].value + question[3].value, 1);
      if (model) learner->predict_with(*model, question);
    } catch (const std::bad_alloc&) {
      ++failed;
    }
  }
  allocations_left = -1;
  return failed;
}
}  // namespace

TEST_CASE("an example is learned from with its products, and a question answered, without memory") {
  CHECK(failures_with_products(2) == 0);
  CHECK(failures_with_products(3) == 0);
  CHECK(failures_with_products(2, "pairwise-screened") == 0);
  CHECK(failures_with_products(3, "pairwise-screened") == 0);
}

TEST_CASE("an example whose categories are all known is learned from without memory") {
  constexpr int kBegin = 6200;  // behind the last planning of draws before …
  constexpr int kEnd = 8000;    // … the next
  auto learner = make_learner(options_of("pairwise", 6, 3)).value();
  learner->make_category(2);
  learner->make_category(4);
  Random random(1);
  Plan plan;
  std::vector<double> values(3);
  int failed = 0;
  for (int t = 0; t < kEnd; ++t) {
    if (t == kBegin) allocations_left = 0;
    try {
      learner->plan(random, plan);
      for (std::size_t a = 0; a < values.size(); ++a)
        values[a] = plan.attributes[a] == 2 || plan.attributes[a] == 4 ? static_cast<double>(random.below(40))
                                                                       : random.uniform();
      learner->learn(plan, values, random.uniform(), 1);
    } catch (const std::bad_alloc&) {
      ++failed;
    }
  }
  allocations_left = -1;
  CHECK(failed == 0);
  CHECK(learner->features().slots() == 6 + 80);
}

TEST_CASE("an example of a class that is known is learned from without memory") {
  constexpr int kBegin = 6200;  // behind the last planning of draws before …
  constexpr int kEnd = 8000;    // … the next
  LearnerOptions options = options_of("pairwise", 40, 6);
  SUBCASE("pairwise") {}
  SUBCASE("pairwise-screened") {
    options = options_of("pairwise-screened", 40, 6);
    options.active = 10;
  }
  auto learner = make_learner(options).value();
  learner->make_classifier();
  Random random(1);
  Plan plan;
  std::vector<double> values(6);
  int failed = 0;
  for (int t = 0; t < kEnd; ++t) {
    if (t == kBegin) allocations_left = 0;
    try {
      const std::size_t c = random.below(5);
      learner->plan(random, plan);
      for (std::size_t a = 0; a < values.size(); ++a)
        values[a] = random.uniform() + (plan.attributes[a] % 8 == c ? 1 : 0);
      learner->learn(plan, values, static_cast<double>(c), 1);
    } catch (const std::bad_alloc&) {
      ++failed;
    }
  }
  allocations_left = -1;
  CHECK(failed == 0);
  CHECK(learner->classes().size() == 5);
}

TEST_CASE("plans that there was no memory for are neither open nor counted") {
  Plan plan;
  plan.attributes = {1, 2, 3};
  int failed = 0;
  for (int left = 0;; ++left) {
    CAPTURE(left);
    PlanBook book(4, 7, 3);
    std::vector<PlanId> open;
    bool fails = false;
    const auto attempt = [&](const auto& step) {
      try {
        step();
      } catch (const std::bad_alloc&) {
        fails = true;
      }
    };
    allocations_left = left;
    for (int k = 0; k < 6; ++k) {
      attempt([&] {
        const PlanId id = book.give(plan, 5, 100 + k).id;
        const int kept = std::exchange(allocations_left, -1);
        open.push_back(id);
        allocations_left = kept;
      });
      if (k % 2 == 0) continue;
      attempt([&] {
        if (open.empty()) return;
        book.close(open.front(), PlanFate::kLearned);
        open.erase(open.begin());
      });
    }
    attempt([&] { book.expire(102); });
    allocations_left = -1;
    book.expire(102);
    std::erase_if(open, [&](PlanId id) { return book.fate(id) == PlanFate::kExpired; });
    CHECK(book.open() == open.size());
    CHECK(book.open_attributes() == 3 * open.size());
    CHECK(book.list(0, 10).size() == open.size());
    const PlanBook::Counts& counts = book.counts();
    CHECK(counts.given == counts.learned + counts.expired + open.size());
    if (!fails) break;
    ++failed;
  }
  CHECK(failed > 5);
}
