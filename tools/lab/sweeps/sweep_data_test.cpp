#include "lab/sweeps/sweep_data.h"

#include <doctest/doctest.h>

#include "lab/lab_test_support.h"

namespace sweep_data_test {

using namespace glimpse;

namespace {

std::string label_and_two(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) text += fmt::format("{},{},{}\n", i % 5, i, -2 * i);
  return text;
}

}  // namespace

TEST_CASE("the tables of a folder are named without their endings, and other files are none") {
  const TemporaryFolder folder;
  for (const char* name : {"b.csv", "a.svm.gz", "c.csv", "c.csv.gz", "README.md", "x.csv.txt"})
    folder.write(name, "1,2\n");
  std::filesystem::create_directory(folder.file("folder.csv"));
  const auto sets = tables_of_folder(folder.path(), {}, {}).value();
  REQUIRE(sets.size() == 4);
  CHECK(sets[0].name == "a");
  CHECK(sets[0].data.data == folder.file("a.svm.gz"));
  CHECK(sets[1].name == "b");
  CHECK(sets[2].name == "c.csv");
  CHECK(sets[3].name == "c.csv.gz");
  CHECK(tables_of_folder(folder.path(), {"b", "a"}, {}).value().size() == 2);
  CHECK(tables_of_folder(folder.path(), {"a", "nobody"}, {}).error().message ==
        fmt::format("--only nobody: no table in '{}' has this name", folder.path()));
  CHECK(tables_of_folder(folder.file("none"), {}, {}).error().code == ErrorCode::kNotFound);
}

TEST_CASE("labels are standardised, and a table whose labels are all the same is refused") {
  const TemporaryFolder folder;
  SweepSet set;
  set.name = "t";
  set.data.data = folder.write("t.csv", label_and_two(50));
  const SweepSource source = SweepSource::load(set, 1).value();
  CHECK(source.dimension() == 2);
  CHECK(source.training_size() == 45);
  CHECK(source.test_size() == 5);
  const auto sets = source.prepare(2).value();
  double squares = 0;
  for (const double y : sets->train.labels) squares += y * y / 45;
  CHECK(squares == doctest::Approx(1));
  set.data.data = folder.write("s.csv", "1,2\n1,3\n1,4\n1,5\n1,6\n1,7\n1,8\n1,9\n1,1\n1,0\n");
  CHECK(SweepSource::load(set, 1).error().message == "t: all labels are the same");
}

TEST_CASE("each seed of a simulated set has a stream of its own") {
  SweepSet set;
  set.name = set.data.data = "simulated:factors:2:10";
  set.data.examples = 30;
  set.data.test_examples = 10;
  const SweepSource source = SweepSource::load(set, 4).value();
  const auto four = source.prepare(4).value();
  CHECK(source.prepare(5).value()->train.values != four->train.values);
  DataOptions options = set.data;
  options.data_seed = 5;
  CHECK(source.prepare(5).value()->train.values ==
        DataSource::load(options).value().prepare(5)->train.values);
}

}  // namespace sweep_data_test
