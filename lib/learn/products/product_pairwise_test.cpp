#include "learn/products/product_pairwise.h"

#include <cmath>
#include <doctest/doctest.h>

#include "learn/core/model_products.h"
#include "learn/costs_test_support.h"
#include "learn/factory.h"
#include "learn/inference/incomplete_example.h"
#include "learn/products/product_test_support.h"

namespace product_pairwise_test {

using namespace glimpse;
using namespace glimpse::test;

TEST_CASE("products are learned from five of eight attributes, about any offset, with missing values") {
  for (const auto& [offset, missing] : {std::pair{0.0, 0.0}, {100.0, 0.0}, {1000.0, 0.0}, {0.0, 0.2}}) {
    auto learner = make_learner(product_options()).value();
    Stream stream(1);
    stream.offset = offset;
    Random random(2);
    learn(*learner, stream, random, 8000, missing);
    INFO(offset);
    CHECK(loss_of(*learner, stream) < 0.1);
    CHECK(learner->describe().expansion->products >= 2);

    LearnerOptions linear = product_options();
    linear.products = 0;
    auto without = make_learner(linear).value();
    Stream same(1);
    same.offset = offset;
    Random draws(2);
    learn(*without, same, draws, 8000, missing);
    CHECK(loss_of(*without, same) > 0.6);
  }
}

TEST_CASE("where nothing enters, the model and the plans are those without products, to the bit") {
  LearnerOptions linear = product_options();
  linear.products = 0;
  auto with = make_learner(product_options()).value();
  auto without = make_learner(linear).value();
  Random draws[2] = {Random(2), Random(2)};
  Stream streams[2] = {Stream(1), Stream(1)};
  for (Stream& stream : streams) stream.has_products = false;
  for (int step = 0; step < 6; ++step) {
    learn(*with, streams[0], draws[0], 500);
    learn(*without, streams[1], draws[1], 500);
    const auto a = with->shared_model();
    const auto b = without->shared_model();
    for (std::size_t i = 0; i < kAttributes; ++i) CHECK(a->weights[i] == b->weights[i]);
    CHECK(count_products(*a) == 0);
    CHECK(a->bias == b->bias);
    CHECK(with->progressive_loss().total().mean == without->progressive_loss().total().mean);
  }
}

TEST_CASE("an exported model has products of the attributes themselves, and predicts the same") {
  auto learner = make_learner(product_options()).value();
  Stream stream(1);
  stream.offset = 3;
  Random random(2);
  learn(*learner, stream, random, 4000);
  const auto model = learner->shared_model();
  REQUIRE(count_products(*model) >= 2);
  const Model plain = with_plain_products(*model);
  CHECK(plain.centres.empty());
  for (int t = 0; t < 100; ++t) {
    stream.next();
    double prediction = plain.bias;
    for (std::size_t i = 0; i < kAttributes; ++i) prediction += plain.weights[i] * stream.x[i];
    for (Attribute i = 0; i < kAttributes; ++i)
      for (Attribute j = i; j < kAttributes; ++j)
        prediction += plain.weights[ProductSlots(kAttributes, 2).of(i, j)] * stream.x[i] * stream.x[j];
    CHECK(learner->predict_with(*model, stream.entries()) == doctest::Approx(prediction).epsilon(1e-9));
  }
}

TEST_CASE("a learner that was saved and restored goes on to the bit, with drift and half-lives") {
  for (const int form : {0, 1, 2}) {
    LearnerOptions options = product_options();
    if (form == 1) options.drift = Drift::kAuto;
    if (form == 2) options.half_life = 2000;
    for (const int before : {10, 700, 3000, 4200}) {
      check_goes_on(options, Stream(1), before, 2500);
    }
  }
}

TEST_CASE("a solution of a copy made in slices is that of the learner itself") {
  auto learner = make_learner(product_options()).value();
  auto twin = make_learner(product_options()).value();
  for (Learner* each : {learner.get(), twin.get()}) {
    Stream stream(1);
    Random random(2);
    learn(*each, stream, random, 3000);
  }
  Solving& solving = *learner->solving();
  solving.begin_capture();
  int slices = 0;
  while (!solving.capture(500)) ++slices;
  CHECK(slices > 5);
  solving.adopt(solving.solve({}));
  CHECK(learner->shared_model()->weights == twin->shared_model()->weights);
}

TEST_CASE("the progressive loss is the loss of the models that judge, within its error") {
  auto learner = make_learner(product_options()).value();
  Stream stream(1);
  Random random(2);
  learn(*learner, stream, random, 4096);
  CHECK(deviation_of_progressive_loss(*learner, stream, random, 4000) < 4);
}

TEST_CASE("a prediction from all attributes is the model's, and one from a part is better than the mean") {
  auto learner = make_learner(product_options()).value();
  Stream stream(1);
  Random random(2);
  learn(*learner, stream, random, 8000);
  const auto basis = prediction_basis(*learner);
  IncompleteExamples incomplete;
  double errors = 0;
  double blind = 0;
  for (int t = 0; t < 300; ++t) {
    stream.next();
    std::vector<Entry> entries = stream.entries();
    const auto whole = incomplete.predict(*learner, entries, basis);
    CHECK(whole.prediction == doctest::Approx(learner->predict(entries)).epsilon(1e-6));
    for (const Attribute i : {0, 4, 5, 6, 7}) entries[i].value = NAN;
    const auto part = incomplete.predict(*learner, entries, basis);
    CHECK(part.standard_error > whole.standard_error);
    errors += (part.prediction - stream.label) * (part.prediction - stream.label);
    blind += (1.0 - stream.label) * (1.0 - stream.label);  // 1: the mean of 3·x²
  }
  CHECK(errors < 0.5 * blind);
}

TEST_CASE("importances are no examples: alike, they let nothing in that would not enter with 1") {
  for (const double importance : {1.0, 100.0, 1e6}) {
    auto learner = make_learner(product_options()).value();
    Stream stream(1);
    stream.has_products = false;
    Random random(2);
    Plan plan;
    for (int t = 0; t < 600; ++t) {
      stream.next();
      learner->plan(random, plan);
      learner->learn(plan, reveal(plan, stream.x), stream.label + stream.random.uniform(), importance);
    }
    CHECK(count_products(*learner->shared_model()) == 0);
  }
}

TEST_CASE("an attribute that is missing at first has products about its own mean") {
  auto learner = make_learner(product_options()).value();
  Stream stream(1);
  stream.offset = 50;
  Random random(2);
  Plan plan;
  for (int t = 0; t < 8000; ++t) {
    stream.next();
    learner->plan(random, plan);
    std::vector<double> values = reveal(plan, stream.x);
    for (std::size_t a = 0; a < values.size(); ++a)
      if (plan.attributes[a] == 1 && t < 100) values[a] = NAN;
    learner->learn(plan, values, stream.label, 1);
  }
  CHECK(loss_of(*learner, stream) < 0.1);
}

TEST_CASE(
    "values so small that a product's weight would be no number stay linear, and predictions are sound") {
  LearnerOptions linear = product_options();
  linear.products = 0;
  auto with = make_learner(product_options()).value();
  auto without = make_learner(linear).value();
  double losses[2];
  for (const bool has : {false, true}) {
    Stream stream(1);
    stream.size = 1e-200;
    Random random(2);
    Learner& learner = has ? *with : *without;
    learn(learner, stream, random, 4000);
    losses[has ? 1 : 0] = loss_of(learner, stream);
  }
  CHECK(losses[1] < 1.05 * losses[0]);
}

TEST_CASE("with a half-life products begin again about where the attributes have gone") {
  LearnerOptions options = product_options();
  options.half_life = 1000;
  auto learner = make_learner(options).value();
  Stream stream(1);
  Random random(2);
  learn(*learner, stream, random, 4000);
  stream.offset = 40;
  learn(*learner, stream, random, 20000);
  const auto model = learner->shared_model();
  for (const double centre : model->centres) CHECK(centre == doctest::Approx(40).epsilon(0.05));
  CHECK(loss_of(*learner, stream) < 0.2);
}

TEST_CASE("the mean of the labels, served in place of a model, has no products") {
  auto learner = make_learner(product_options()).value();
  CHECK(learner->shared_model()->weights.size() == ProductSlots(kAttributes, 2).all());
  CHECK(count_products(*learner->shared_model()) == 0);
}

TEST_CASE("an attribute that is forgotten takes its products along") {
  auto learner = make_learner(product_options()).value();
  Stream stream(1);
  Random random(2);
  learn(*learner, stream, random, 4096);
  stream.size = 1e-9;  // 1e9 times the unit before: the first values are wild, then all is learned again
  learn(*learner, stream, random, 3000);
  stream.size = 1;
  learn(*learner, stream, random, 12000);
  CHECK(loss_of(*learner, stream) < 0.3);
}

TEST_CASE("a dear attribute does not keep the products of the cheap ones out") {
  LearnerOptions options = product_options(20);
  options.dimension = 24;
  // Only the first draw is of all attributes: another may be out of reach.
  std::vector<Money> prices(options.dimension, 1);
  prices.back() = 18;
  options.prices = prices_of(prices);
  options.budget_cost = 18;
  auto learner = make_learner(options).value();
  Random random(2);
  Stream stream(1);
  Plan plan;
  for (int t = 0; t < 4000; ++t) {
    stream.next();
    std::vector<double> x = stream.x;
    for (std::size_t i = kAttributes; i < options.dimension; ++i) x.push_back(stream.random.uniform());
    learner->plan(random, plan);
    learner->learn(plan, reveal(plan, x), stream.label, 1);
  }
  const auto model = learner->shared_model();
  CHECK(model->weights[ProductSlots(24, 2).of(1, 2)] > 2);  // of 4, shrunk
  CHECK(model->weights[ProductSlots(24, 2).of(3, 3)] > 1);  // of 3
}

}  // namespace product_pairwise_test
