#include "learn/products/screened_products.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <vector>

#include "learn/core/model_products.h"
#include "learn/core/solving.h"
#include "learn/options/pair_products.h"
#include "learn/products/screened_test_support.h"
#include "stats/pair_moments.h"

// Products of pairwise-screened: of the members among the active attributes.
namespace screened_products_test {

using namespace glimpse;
using namespace glimpse::test;
using namespace glimpse::test::wide;

TEST_CASE("members and their products leave room for the active attributes") {
  LearnerOptions options;
  options.algorithm = "pairwise-screened";
  options.dimension = 20000;
  options.budget = 50;
  options.products = 2;
  CHECK(product_places(options) == 48);
  CHECK(active_limit(options) == 2048);
  options.pair_memory = PairMoments::memory_bytes(400);
  CHECK(product_places(options) == 13);
  CHECK(active_limit(options) == 400 - 13 * 14 / 2);
  options.dimension = 300;  // there is room for all of them
  CHECK(active_limit(options) == 300);
  options.active = 30;
  CHECK(product_places(options) == 15);
  CHECK(active_limit(options) == 30);
  CHECK(validate(options).has_value());
  options.active = 7;
  CHECK(validate(options).error().message ==
        "--products 2: needs --active 8 or more, as half of these may have products, not 7");
  options.active.reset();
  options.pair_memory = PairMoments::memory_bytes(39);
  options.dimension = 1000;
  CHECK(validate(options).error().message ==
        "--products 2: would keep 29120 bytes for the pairs of 30 attributes and the products of 4 of them, "
        "but "
        "--pair-memory is 27768: make it larger");
  options.pair_memory = PairMoments::memory_bytes(40);
  CHECK(validate(options).has_value());
  CHECK(active_limit(options) == 30);
}

TEST_CASE("a product of an attribute that explains nothing alone is found among those that are not active") {
  for (const double offset : {0.0, 100.0}) {
    auto learner = make_learner(screened()).value();
    Wide stream(1);
    stream.offset = offset;
    Random random(2);
    learn(*learner, stream, random, 30000);
    const auto model = learner->shared_model();
    CHECK(products_of_model(*model).contains({3, 48}));
    CHECK(loss_of(*learner, stream, 1000) < 0.1);
    CHECK(as_screened(*learner).active().size() <= kActive);
    CHECK(as_screened(*learner).members().size() <= kActive / 2);
    CHECK(learner->describe().expansion->products >= 1);

    LearnerOptions linear = screened();
    linear.products = 0;
    auto without = make_learner(linear).value();
    Wide same(1);
    same.offset = offset;
    Random draws(2);
    learn(*without, same, draws, 30000);
    CHECK(loss_of(*without, same, 1000) > 0.5);
  }
}

TEST_CASE("products of attributes none of which explains anything alone are found by their magnitudes") {
  auto learner = make_learner(screened()).value();
  Wide stream(1);
  stream.is_linear = false;
  Random random(2);
  learn(*learner, stream, random, 30000);
  CHECK(products_of_model(*learner->shared_model()).contains({3, 48}));
  CHECK(loss_of(*learner, stream, 1000) < 0.1);
  LearnerOptions linear = screened();
  linear.products = 0;
  auto without = make_learner(linear).value();
  learn(*without, stream, random, 30000);
  CHECK(loss_of(*without, stream, 1000) > 0.9);
}

TEST_CASE("while nothing matters or promises plans are those without products") {
  LearnerOptions linear = screened();
  linear.products = 0;
  auto with = make_learner(screened()).value();
  auto without = make_learner(linear).value();
  Wide stream(1);
  Random labels(3);
  Random random(2);
  Random same(2);
  Plan plan;
  Plan other;
  for (int t = 0; t < 500; ++t) {
    stream.next();
    with->plan(random, plan);
    without->plan(same, other);
    REQUIRE(plan.attributes == other.attributes);
    const double label = labels.uniform();
    with->learn(plan, reveal(plan, stream.x), label, 1);
    without->learn(other, reveal(other, stream.x), label, 1);
  }
  CHECK(as_screened(*with).members().empty());
  CHECK(with->progressive_loss().total().mean == without->progressive_loss().total().mean);
}

TEST_CASE("plans are of K attributes, each once, whatever has products") {
  auto learner = make_learner(screened()).value();
  Wide stream(1);
  Random random(2);
  Plan plan;
  std::size_t products = 0;
  for (int t = 0; t < 20000; ++t) {
    stream.next();
    learner->plan(random, plan);
    REQUIRE(plan.attributes.size() == 12);
    REQUIRE(std::ranges::adjacent_find(plan.attributes, std::greater_equal<>()) == plan.attributes.end());
    REQUIRE(plan.attributes.back() < kMany);
    learner->learn(plan, reveal(plan, stream.x), stream.label, 1);
    if (t % 1000 == 0) products = std::max(products, products_of_model(*learner->shared_model()).size());
  }
  CHECK(products >= 1);
  CHECK(learner->counts().attributes_revealed == 12 * 20000);
}

TEST_CASE("where all attributes are active and have products it learns what pairwise learns") {
  LearnerOptions options = screened();
  options.dimension = 30;
  options.active.reset();
  auto screens = make_learner(options).value();
  CHECK(dynamic_cast<const ScreenedProducts*>(screens.get()) == nullptr);
  options.algorithm = "pairwise";
  auto pairs = make_learner(options).value();
  CHECK(product_places(options) == 30);
  for (Learner* const learner : {screens.get(), pairs.get()}) {
    Wide stream(1);
    Random random(2);
    learn(*learner, stream, random, 2000);
  }
  CHECK(screens->shared_model()->weights == pairs->shared_model()->weights);
}

TEST_CASE("two classes are learned with products, a third is refused") {
  auto learner = make_learner(screened()).value();
  CHECK(!learner->learns_classes());
  learner->make_classifier();
  Wide stream(1);
  Random random(2);
  Plan plan;
  for (int t = 0; t < 30000; ++t) {
    stream.next();
    learner->plan(random, plan);
    const double label = (stream.x[3] - 3) * (1 + 4 * (stream.x[48] - 3)) > 0 ? 1 : 0;
    REQUIRE(learner->learn(plan, reveal(plan, stream.x), label, 1) == Outcome::kLearned);
  }
  CHECK(products_of_model(*learner->shared_model()).contains({3, 48}));
  learner->plan(random, plan);
  CHECK(learner->learn(plan, reveal(plan, stream.x), 2, 1) == Outcome::kOutOfRange);
}

TEST_CASE(
    "weights have standard errors where somebody asks, in the user's units; those that are 0 have none") {
  std::vector<double> errors[2];
  for (const double size : {1.0, 1024.0}) {
    auto learner = make_learner(screened()).value();
    Wide stream(1);
    stream.offset = 0;
    stream.size = size;
    Random random(2);
    learn(*learner, stream, random, 30000);
    learner->solving()->wish({.weight_errors = true});
    const auto model = learner->shared_model();
    const auto of_weights = learner->weight_errors();
    REQUIRE(of_weights != nullptr);
    REQUIRE(of_weights->size() == model->weights.size());
    bool has_product = false;
    for_each_product(*model, [&](std::uint32_t slot, std::uint32_t, std::uint32_t, std::uint32_t) {
      has_product = true;
      CHECK((*of_weights)[slot] > 0);
      CHECK((*of_weights)[slot] < std::abs(model->weights[slot]));
      errors[size > 1 ? 1 : 0].push_back((*of_weights)[slot] * size * size);
    });
    CHECK(has_product);
    CHECK((*of_weights)[3] > 0);
    CHECK(std::isnan((*of_weights)[100]) == (model->weights[100] == 0));
    REQUIRE(learner->importances() != nullptr);
    CHECK(learner->importances()->shares.size() == model->weights.size());
  }
  REQUIRE(errors[0].size() == errors[1].size());
  for (std::size_t m = 0; m < errors[0].size(); ++m)
    CHECK(errors[0][m] == doctest::Approx(errors[1][m]).epsilon(0.01));
}

TEST_CASE("a product of three members is found") {
  auto learner = make_learner(screened(3)).value();
  Wide stream(1);
  stream.has_triples = true;
  Random random(2);
  learn(*learner, stream, random, 60000);
  const auto products = products_of_model(*learner->shared_model());
  CHECK(products.contains({3, 48}));
  CHECK(products.contains({3, 37, 48}));
  CHECK(loss_of(*learner, stream, 1000) < 0.1);
}

TEST_CASE("where nothing is found the loss is the linear learner's, more or less") {
  double losses[2];
  for (const bool has : {false, true}) {
    LearnerOptions options = screened();
    if (!has) options.products = 0;
    auto learner = make_learner(options).value();
    Wide stream(1);
    stream.has_products = false;
    Random random(2);
    learn(*learner, stream, random, 20000);
    losses[has ? 1 : 0] = loss_of(*learner, stream, 1000);
    if (has) CHECK(products_of_model(*learner->shared_model()).empty());
    if (has) CHECK(learner->shared_model()->weights.size() == kMany);
  }
  CHECK(losses[1] < losses[0] + 0.01);
}

// The standard error is taken from the streams: estimates of one have heavy tails.
TEST_CASE("the progressive loss is unbiased for the model that judges, products and all" *
          doctest::test_suite("repeats")) {
  constexpr int kStreams = 8;
  double sum = 0;
  double squares = 0;
  for (int seed = 2; seed < 2 + kStreams; ++seed) {
    auto learner = make_learner(screened()).value();
    Wide stream(static_cast<std::uint64_t>(seed));
    Random random(static_cast<std::uint64_t>(seed));
    learn(*learner, stream, random, 33000);
    REQUIRE(learner->describe().expansion->products >= 1);
    const double excess = excess_of_progressive_loss(*learner, stream, random, 8000);
    sum += excess;
    squares += excess * excess;
  }
  const double mean = sum / kStreams;
  const double standard_error = std::sqrt((squares / kStreams - mean * mean) / (kStreams - 1));
  CHECK(std::abs(mean) < 4 * standard_error);
  CHECK(standard_error < 0.05);  // labels have a variance of 4.4
}

TEST_CASE("answers are those of the exported model, and of what is missing its means") {
  auto learner = make_learner(screened()).value();
  Wide stream(1);
  Random random(2);
  learn(*learner, stream, random, 30000, 0.1);
  const Model plain = with_plain_products(*learner->shared_model());
  REQUIRE(!plain.products.empty());
  for (int t = 0; t < 50; ++t) {
    stream.next();
    double told =
        plain.bias +
        sum_of_products(plain, [&](Attribute i) { return stream.x[i]; }, [](std::uint32_t) { return 0.0; });
    for (Attribute i = 0; i < kMany; ++i) told += plain.weights[i] * stream.x[i];
    CHECK(learner->predict(stream.entries()) == doctest::Approx(told).epsilon(1e-9));
    std::vector<Entry> missing = stream.entries();
    missing[48].value = NAN;
    CHECK(learner->predict(missing) ==
          doctest::Approx(2 * (stream.x[3] - 3) + stream.x[37] - 3).scale(0.5).epsilon(0.5));
    CHECK(std::isfinite(learner->predict_as_judged(missing)));
  }
}

TEST_CASE("a stream that changes is learned again, its products as well") {
  LearnerOptions options = screened();
  options.drift = Drift::kAuto;
  options.half_life = 20000;
  auto learner = make_learner(options).value();
  Wide stream(1);
  Random random(2);
  learn(*learner, stream, random, 30000);
  stream.size = -1;  // the linear part turns round, the product does not
  learn(*learner, stream, random, 60000);
  CHECK(loss_of(*learner, stream, 1000) < 0.3);
}

TEST_CASE("values of every size, and one that begins again in another unit, leave numbers") {
  for (const double size : {1e-250, 1e-100, 1e25}) {
    auto learner = make_learner(screened()).value();
    Wide stream(1);
    stream.offset = 0;
    stream.size = size;
    Random random(2);
    learn(*learner, stream, random, 20000);
    CHECK(loss_of(*learner, stream, 200) < 1.1);
    stream.size = size < 1 ? size * 1e40 : size * 1e4;
    learn(*learner, stream, random, 3000);
    const auto model = learner->shared_model();
    for (const double weight : model->weights) CHECK(std::isfinite(weight));
    for (std::size_t slot = 0; slot < model->weights.size(); ++slot)
      CHECK(std::isfinite(learner->feature_moment(slot).mean));
  }
}

}  // namespace screened_products_test
