#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>

#include "lab/commands.h"
#include "lab/lab_test_support.h"

namespace sweep_command_test {

using namespace glimpse;

namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int sweep(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "sweep");
  arguments.insert(arguments.end(), {"--quiet", "--jobs", "1"});
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  return sweep_command().run(static_cast<int>(argv.size()), argv.data());
}

void write_tables(const TemporaryFolder& folder) {
  std::string good;
  for (int i = 0; i < 100; ++i) good += fmt::format("{},{},{}\n", i % 7, i % 7 + i % 3, i % 5);
  folder.write("good.csv", good);
  folder.write("words.csv", "label,colour,size\n1,red,2\n2,blue,3\n");
  folder.write("wide.svm", "1 1:2 9:3\n-1 2:2\n");
  folder.write("short.csv", "1,2,3\n2,3,4\n3,4,5\n4,5,6\n5,6,7\n6,7,8\n7,8,9\n");
  folder.write("same.csv", "1,2,3\n1,3,4\n1,4,5\n1,5,6\n1,6,7\n1,7,8\n");
  folder.write("one.csv", "1,2,3\n");
  folder.write("notes.txt", "no table\n");
}

}  // namespace

TEST_CASE(
    "a sweep of a folder writes page, cells and runs, and names the tables it left out with the reason") {
  const TemporaryFolder folder;
  write_tables(folder);
  const TemporaryFolder results;
  CHECK(sweep({folder.path(),
               "--budgets",
               "2",
               "--prefixes",
               "20,50",
               "--seeds",
               "3",
               "--largest-dimension",
               "5",
               "--best",
               "0.5,1,2",
               "--data",
               "simulated:factors:2:4",
               "--largest-training",
               "60",
               "--output",
               results.file("page.md"),
               "--rows",
               results.file("cells.csv"),
               "--runs",
               results.file("runs.csv")}) == 0);
  const std::string page = content_of(results.file("page.md"));
  for (const char* line :
       {"# A sweep over 2 data sets\n", "| good | 2 | 60 | 10 |\n",
        "| simulated:factors:2:4 | 4 | 60 | 2000 |\n",
        "- words.csv: line 2: attribute 1 is missing or a word; the lab needs whole examples of numbers\n",
        "- wide.svm: has 9 attributes, more than 5\n", "- same: all labels are the same\n",
        "- short: no prefix is from 1 to 6, the number of training examples\n", "one.csv"}) {
    CAPTURE(line);
    CHECK(page.find(line) != std::string::npos);
  }
  CHECK(page.find(folder.path()) == std::string::npos);
  CHECK(page.find("notes.txt") == std::string::npos);
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  // Two data sets, two prefixes, pairwise and offline ridge; three seeds of each.
  CHECK(lines(content_of(results.file("cells.csv"))) == 1 + 8);
  CHECK(lines(content_of(results.file("runs.csv"))) == 1 + 24);
}

TEST_CASE("a sweep without data, or with options that cannot be, ends with status 2") {
  const TemporaryFolder folder;
  write_tables(folder);
  CHECK(sweep({}) == 2);
  CHECK(sweep({"--only", "good"}) == 2);
  CHECK(sweep({folder.path(), "--only", "nobody"}) == 2);
  CHECK(sweep({folder.path(), "--budgets", "1"}) == 2);
  CHECK(sweep({folder.path(), "--offline", "never"}) == 2);
  CHECK(sweep({folder.path(), "--mean-of", "x"}) == 2);
  CHECK(sweep({folder.path(), "--label-column", "-1"}) == 2);
  CHECK(sweep({folder.path(), "--algorithms", "aelr"}) == 2);
  CHECK(sweep({folder.path(), "--algorithms", "pairwise:size=2"}) == 2);
}

}  // namespace sweep_command_test
