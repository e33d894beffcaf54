#include "daemon/learning_description.h"

#include <doctest/doctest.h>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/faulty_file_system_test_support.h"

namespace learning_description_test {

using namespace glimpse;

namespace {

void write(FaultyFileSystem& files, const std::string& path, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  files.put(path, {bytes.begin(), bytes.end()});
}

std::string described(const Configuration& c, FileSystem& files) {
  const auto text = describe_learning(c, files);
  REQUIRE(text.has_value());
  return *text;
}

}  // namespace

TEST_CASE("what decides what is learned is described, and what only answers is not") {
  FaultyFileSystem files;
  write(files, "/f/names", "a\nb\n");
  write(files, "/f/permuted", "b\na\n");
  Configuration usual;
  usual.attributes_file = "/f/names";
  const std::string before = described(usual, files);
  CHECK(described(usual, files) == before);
  const std::vector<std::function<void(Configuration&)>> deciding{
      [](Configuration& c) { c.learner.seed = 2; },
      [](Configuration& c) { c.hold_out = 0.5; },
      [](Configuration& c) { c.index_base = 0; },
      [](Configuration& c) { c.learner.outliers = Outliers::kKeep; },
      [](Configuration& c) { c.learner.max_importance = 2; },
      [](Configuration& c) { c.categories = {"a"}; },
      [](Configuration& c) { c.attributes_file = "/f/permuted"; },
      [](Configuration& c) { c.classes.names = {"yes", "no"}; },
      [](Configuration& c) { c.table.delimiter = ';'; },
      [](Configuration& c) { c.max_line_bytes = 100; },
  };
  for (std::size_t i = 0; i < deciding.size(); ++i) {
    CAPTURE(i);
    Configuration other = usual;
    deciding[i](other);
    CHECK(described(other, files) != before);
  }
  const std::vector<std::function<void(Configuration&)>> answering{
      [](Configuration& c) { c.clip.kind = Clip::Kind::kOff; },
      [](Configuration& c) { c.max_connections = 7; },
      [](Configuration& c) { c.fleet.instance = "one"; },
  };
  for (const auto& change : answering) {
    Configuration other = usual;
    change(other);
    CHECK(described(other, files) == before);
  }
}

TEST_CASE("options are described by the words that they are given by") {
  FaultyFileSystem files;
  Configuration c;
  c.learner.outliers = Outliers::kKeep;
  c.classes.task = Task::kClasses;
  const std::string text = described(c, files);
  CHECK(text.find("\noutliers=keep\n") != std::string::npos);
  CHECK(text.find("\ntask=classes\n") != std::string::npos);
}

TEST_CASE("an attributes file that cannot be read is an error that names it") {
  FaultyFileSystem files;
  Configuration c;
  c.attributes_file = "/f/none";
  const auto text = describe_learning(c, files);
  REQUIRE_FALSE(text.has_value());
  CHECK(text.error().message.find("--attributes /f/none") != std::string::npos);
}

}  // namespace learning_description_test
