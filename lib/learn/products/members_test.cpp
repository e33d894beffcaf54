#include <cmath>
#include <doctest/doctest.h>

#include "learn/core/model_products.h"
#include "learn/inference/incomplete_example.h"
#include "learn/options/pair_products.h"
#include "learn/products/product_members.h"
#include "learn/products/product_test_support.h"
#include "stats/pair_moments.h"

// Products of some attributes at a time, where there is no room for those of all.
namespace members_test {

using namespace glimpse;
using namespace glimpse::test;

namespace {

constexpr std::size_t kMany = 60;
constexpr std::size_t kPlaces = 12;

LearnerOptions few_places(std::size_t degree = 2, std::size_t budget = 10) {
  LearnerOptions options;
  options.algorithm = "pairwise";
  options.dimension = kMany;
  options.budget = budget;
  options.products = degree;
  const std::size_t products =
      kPlaces * (kPlaces + 1) / 2 + (degree > 2 ? kPlaces * (kPlaces + 1) * (kPlaces + 2) / 6 : 0);
  options.pair_memory = PairMoments::memory_bytes(kMany + products);
  return options;
}

// Four attributes explain the label alone, one of them in a product with one that does not, and one is
// squared.
struct Wide {
  explicit Wide(std::uint64_t seed) : random(seed) {}
  void next() {
    for (double& value : x) value = 2 * random.uniform() - 1;
    label = x[3] - x[20] + x[37] + x[55] + 0.2 * (random.uniform() - 0.5);
    if (has_products) label += 4 * x[3] * x[48] + 3 * x[37] * x[37];
    for (double& value : x) value += offset;
  }
  std::vector<Entry> entries() const {
    std::vector<Entry> result;
    for (Attribute i = 0; i < kMany; ++i) result.push_back({i, x[i]});
    return result;
  }
  Random random;
  bool has_products = true;
  double offset = 5;
  std::vector<double> x = std::vector<double>(kMany);
  double label = 0;
};

double weight_of(const Model& model, Attribute i, Attribute j) {
  double found = 0;
  for_each_product(model, [&](std::uint32_t slot, std::uint32_t a, std::uint32_t b, std::uint32_t) {
    const Attribute first = model.products.member(a);
    const Attribute second = model.products.member(b);
    if ((first == i && second == j) || (first == j && second == i)) found = model.weights[slot];
  });
  return found;
}

}  // namespace

TEST_CASE("there are places for all attributes, or for as many as memory has room for") {
  LearnerOptions options = few_places();
  CHECK(product_places(options) == kPlaces);
  options.pair_memory = std::size_t{1} << 30;
  CHECK(product_places(options) == kMany);
  options.dimension = 127;
  CHECK(product_places(options) == 48);
  options.products = 3;
  CHECK(product_places(options) == 16);
  options.dimension = 8000;
  CHECK(product_places(options) > 0);
  options.pair_memory = PairMoments::memory_bytes(8000 + 20);
  CHECK(product_places(options) == 0);
  CHECK(validate_pair_products(options).has_error());
  options.algorithm = "pairwise-screened";  // what --algorithm auto is then
  options.pair_memory = std::size_t{1} << 30;
  options.dimension = 9000;
  CHECK(validate_pair_products(options).has_value());
  CHECK(product_places(options) == 16);
}

TEST_CASE("a round ends once its products were seen; the half that promises more stays, what matters too") {
  ProductMembers members(10, 6);
  ProductSlots slots(10, 2, {0, 1, 2, 3, 4, 5});
  CHECK(!members.has_all());
  CHECK(members.tried() == 21);
  // 21 products, 64 looks each; an example of 3 members gives 6.
  int examples = 0;
  while (!members.add(3, 3)) ++examples;
  CHECK(examples == 21 * 64 / 6 - 1);
  std::vector<std::pair<std::size_t, Attribute>> changes;
  const ProductMembers::Worth worth{{0, 0, 0, 0, 0, 0, 0, 9, 0, 0}, {0, 0, 0, 1, 0, 0}, {1, 5, 3, 0, 6, 0.5}};
  members.next_round(slots, worth, [&](std::size_t place, Attribute i) {
    changes.emplace_back(place, i);
    slots.replace(place, i);
  });
  // Place 3 has a product in the model. Of the other five, 5 and 0 promise least: one is for attribute 7,
  // which matters alone, the other for the next in turn.
  CHECK(changes == std::vector<std::pair<std::size_t, Attribute>>{{5, 7}, {0, 6}});
  CHECK(!members.goes_round(3));
  CHECK(!members.goes_round(5));
  CHECK(members.goes_round(0));
  CHECK(members.tried() == 21 + 21 - 3);
  changes.clear();
  const ProductMembers::Worth nothing{{}, std::vector<double>(6), std::vector<double>(6)};
  members.next_round(slots, nothing, [&](std::size_t place, Attribute i) { changes.emplace_back(place, i); });
  CHECK(changes.size() == 4);  // all that are no members: 0, 5, 8, 9
}

TEST_CASE("where everything stays for a while it is asked again what matters") {
  ProductMembers members(10, 6);
  ProductSlots slots(10, 2, {0, 1, 2, 3, 4, 5});
  const auto replace = [&](std::size_t place, Attribute i) { slots.replace(place, i); };
  members.next_round(slots, {{}, std::vector<double>(6, 1), std::vector<double>(6)}, replace);
  for (std::size_t place = 0; place < 6; ++place) CHECK(!members.goes_round(place));
  int examples = 0;
  while (examples < 1000 && !members.add(3, 0)) ++examples;
  CHECK(examples == 21 * 64 / 6 - 1);
  members.next_round(slots, {{}, {1, 1, 0, 0, 0, 0}, std::vector<double>(6)}, replace);
  CHECK(!members.goes_round(1));
  CHECK(members.goes_round(2));
  CHECK(slots.member(2) == 6);
}

TEST_CASE("a state of more or fewer members than there is room for is told from a broken one") {
  auto learner = make_learner(few_places()).value();
  LearnerOptions more = few_places();
  more.pair_memory *= 2;
  auto other = make_learner(more).value();
  const Status status = other->restore(saved(*learner));
  REQUIRE(!status);
  CHECK(status.error().code == ErrorCode::kMismatch);
  CHECK(
      status.error().message.starts_with("the state has products of 12 attributes at a time, and "
                                         "--pair-memory has room for those of "));
}

TEST_CASE("a round that is none is refused") {
  const ProductMembers members(10, 6);
  for (std::size_t k = 0; k < 4; ++k)
    for (const double number : {-1.0, 1e300, static_cast<double>(NAN)}) {
      State state;
      state.begin();
      members.save(state);
      std::vector<double> numbers{0, 6, 0, 21};
      numbers[k] = number;
      state.put_copy<double>("products.round", numbers);
      state.finish();
      ProductMembers other(10, 6);
      CHECK(!other.restore(state));
    }
}

TEST_CASE("a model of the past with fewer members than there are is refused") {
  auto learner = make_learner(few_places()).value();
  Wide stream(1);
  Random random(2);
  learn(*learner, stream, random, 1000);
  State state = saved(*learner);
  constexpr std::size_t kFewer = 5;
  std::vector<double> weights(kMany + kFewer * (kFewer + 1) / 2, 1);
  state.put_copy<double>("past.0.weights", weights);
  state.put_copy<double>("past.0.centre", weights);
  state.put_copy<double>("past.0.centres", std::vector<double>(kFewer));
  state.put_copy<std::uint32_t>("past.0.members", std::vector<std::uint32_t>{3, 20, 37, 48, 55});
  auto other = make_learner(few_places()).value();
  const Status status = other->restore(state);
  REQUIRE(!status);
  CHECK(status.error().code == ErrorCode::kCorrupt);
}

TEST_CASE("products with attributes that matter are found among many, with a few places") {
  for (const double offset : {0.0, 100.0}) {
    auto learner = make_learner(few_places()).value();
    Wide stream(1);
    stream.offset = offset;
    Random random(2);
    learn(*learner, stream, random, 60000);
    const auto model = learner->shared_model();
    CHECK(model->products.places() == kPlaces);
    CHECK(weight_of(*model, 3, 48) == doctest::Approx(4).epsilon(0.2));
    CHECK(weight_of(*model, 37, 37) == doctest::Approx(3).epsilon(0.3));
    CHECK(loss_of(*learner, stream, 1000) < 0.15);

    LearnerOptions linear = few_places();
    linear.products = 0;
    auto without = make_learner(linear).value();
    Wide same(1);
    same.offset = offset;
    Random draws(2);
    learn(*without, same, draws, 60000);
    CHECK(loss_of(*without, same, 1000) > 0.5);
  }
}

TEST_CASE("where nothing is found among many the loss is the linear learner's, less the looks of trying") {
  double losses[2];
  for (const bool has : {false, true}) {
    LearnerOptions options = few_places();
    if (!has) options.products = 0;
    auto learner = make_learner(options).value();
    Wide stream(1);
    stream.has_products = false;
    Random random(2);
    learn(*learner, stream, random, 20000);
    losses[has ? 1 : 0] = loss_of(*learner, stream, 1000);
    if (has) CHECK(count_products(*learner->shared_model()) == 0);
  }
  CHECK(losses[1] < losses[0] + 0.01);
}

TEST_CASE("rounds and members go on to the bit after a restart, on any thread that solves") {
  for (const std::size_t degree : {2, 3}) {
    for (const int before : {10, 3000, 17000}) {
      auto learner = make_learner(few_places(degree)).value();
      Wide stream(1);
      Random random(2);
      learn(*learner, stream, random, before);
      const State state = saved(*learner);
      auto restored = make_learner(few_places(degree)).value();
      REQUIRE(restored->restore(state).has_value());
      Wide same = stream;
      Random draws = random;
      restored->shared_model();
      learn(*learner, stream, random, 9000);
      learn(*restored, same, draws, 9000);
      const auto a = learner->shared_model();
      const auto b = restored->shared_model();
      CHECK(a->weights == b->weights);
      CHECK(a->products == b->products);
      CHECK(learner->progressive_loss().total().mean == restored->progressive_loss().total().mean);
    }
  }
}

TEST_CASE("the progressive loss and predictions from a part know the members of their models") {
  auto learner = make_learner(few_places()).value();
  Wide stream(1);
  Random random(2);
  learn(*learner, stream, random, 33000);
  CHECK(deviation_of_progressive_loss(*learner, stream, random, 8000) < 4);
  const Model plain = with_plain_products(*learner->shared_model());
  for (int t = 0; t < 50; ++t) {
    stream.next();
    double told =
        plain.bias +
        sum_of_products(plain, [&](Attribute i) { return stream.x[i]; }, [](std::uint32_t) { return 0.0; });
    for (Attribute i = 0; i < kMany; ++i) told += plain.weights[i] * stream.x[i];
    CHECK(learner->predict(stream.entries()) == doctest::Approx(told).epsilon(1e-9));
  }
}

}  // namespace members_test
