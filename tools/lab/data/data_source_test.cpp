#include "lab/data/data_source.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "lab/lab_test_support.h"

namespace data_source_test {

using namespace glimpse;

namespace {

std::string table(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) text += fmt::format("{},{},{}\n", i % 3, i, -2 * i);
  return text;
}

DataOptions file_options(const std::string& path) {
  DataOptions options;
  options.data = path;
  return options;
}

}  // namespace

TEST_CASE("a file is split by share and seed, and every example is in one of the two sets") {
  const TemporaryFolder folder;
  DataOptions options = file_options(folder.write("t.csv", table(100)));
  options.test_share = 0.2;
  options.split_seed = 1;
  const DataSource source = DataSource::load(options).value();
  CHECK_FALSE(source.resplits());
  const auto set = source.prepare(7);
  CHECK(set->test.size() == 20);
  CHECK(set->train.size() == 80);
  std::vector<float> seen;
  for (const DenseSet* part : {&set->train, &set->test})
    for (std::size_t i = 0; i < part->size(); ++i) seen.push_back(part->row(i)[0]);
  std::sort(seen.begin(), seen.end());
  for (int i = 0; i < 100; ++i) CHECK(seen[static_cast<std::size_t>(i)] == static_cast<float>(i));

  options.split_seed.reset();
  const DataSource each = DataSource::load(options).value();
  CHECK(each.resplits());
  CHECK(each.training_size() == 80);
  CHECK(each.prepare(1)->test.values == set->test.values);
  CHECK(each.prepare(2)->test.values != set->test.values);
}

TEST_CASE("one label against the rest") {
  const TemporaryFolder folder;
  DataOptions options = file_options(folder.write("t.csv", table(30)));
  options.positive = 2;
  const auto set = DataSource::load(options).value().prepare(1);
  int positives = 0;
  for (const DenseSet* part : {&set->train, &set->test})
    for (const double label : part->labels) {
      CHECK(std::abs(label) == 1);
      positives += label > 0 ? 1 : 0;
    }
  CHECK(positives == 10);
  options.positive = 5;
  CHECK(DataSource::load(options).error().message.starts_with("--positive 5: 0 of 30 examples"));
}

TEST_CASE("scales come from the training set alone") {
  DenseSet train{2, {3, 4, 0, 2}, {1, 1}};
  DenseSet test{2, {6, 8}, {1}};
  DenseSet train2 = train;
  DenseSet test2 = test;
  scale(Scaling::kNorm, train, test);
  CHECK(train.values == std::vector<float>{0.6F, 0.8F, 0, 0.4F});
  CHECK(test.values == std::vector<float>{1.2F, 1.6F});
  scale(Scaling::kMaxAbs, train2, test2);
  CHECK(train2.values == std::vector<float>{1, 1, 0, 0.5F});
  CHECK(test2.values == std::vector<float>{2, 2});
}

TEST_CASE("simulated sets have the lengths asked for, and another seed is another stream") {
  DataOptions options;
  options.data = "simulated:ridge:-1";
  options.dimension = 30;
  options.examples = 50;
  options.test_examples = 20;
  const auto a = DataSource::load(options).value().prepare(1);
  CHECK(a->train.size() == 50);
  CHECK(a->test.size() == 20);
  CHECK(a->train.dimension == 30);
  options.data_seed = 2;
  CHECK(DataSource::load(options).value().prepare(1)->train.values != a->train.values);
}

TEST_CASE("simulated factors, with the number of attributes in the specification") {
  DataOptions options;
  options.data = "simulated:factors:2:40";
  options.examples = 60;
  options.test_examples = 10;
  const auto set = DataSource::load(options).value().prepare(1);
  CHECK(set->train.size() == 60);
  CHECK(set->test.dimension == 40);
  CHECK(DataSource::load(options).value().prepare(1)->train.values == set->train.values);
  options.data = "simulated:ridge:-1:40";
  CHECK(DataSource::load(options).value().dimension() == 40);
  options.data = "simulated:factors:0";
  CHECK(DataSource::load(options).error().message == "the number of factors is 0; it must be from 1 to 1000");
}

TEST_CASE("a file's label may be its last column") {
  const TemporaryFolder folder;
  DataOptions options = file_options(folder.write("t.csv", "1,2,10\n3,4,20\n5,6,30\n"));
  options.label.last = true;
  options.test_share = 0.4;
  const auto set = DataSource::load(options).value().prepare(1);
  double sum = 0;
  for (const DenseSet* part : {&set->train, &set->test})
    for (const double label : part->labels) sum += label;
  CHECK(sum == 60);
}

TEST_CASE("MNIST as it ships: 11,552 and 1,902 images of 3 and 5, none with a norm above 1") {
  if (data_folder("GLIMPSE_MNIST") == nullptr) return;
  DataOptions options;
  options.data = "mnist:3,5";
  const auto set = DataSource::load(options).value().prepare(1);
  CHECK(set->train.size() == 11552);
  CHECK(set->test.size() == 1902);
  double largest = 0;
  for (std::size_t i = 0; i < set->train.size(); ++i) {
    double square = 0;
    for (const float x : set->train.row(i)) square += static_cast<double>(x) * x;
    largest = std::max(largest, square);
  }
  CHECK(largest == doctest::Approx(1));
}

TEST_CASE("a specification that cannot be is refused with what it should look like") {
  for (const char* spec :
       {"mnist:3", "mnist:3,3", "mnist:3,x", "simulated:ridge", "simulated:ridge:x", "simulated:other:1",
        "simulated:ridge:1:x", "simulated:ridge:1:", "simulated:factors", "simulated:factors:x",
        "simulated:factors:-1", "simulated:factors:2:"}) {
    DataOptions options;
    options.data = spec;
    const auto source = DataSource::load(options);
    REQUIRE_FALSE(source.has_value());
    CHECK(source.error().code == ErrorCode::kInvalidOption);
    CHECK(source.error().message.starts_with("--data "));
  }
}

}  // namespace data_source_test
