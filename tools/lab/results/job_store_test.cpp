#include "lab/results/job_store.h"

#include <cmath>
#include <doctest/doctest.h>

#include "lab/lab_test_support.h"
#include "lab/results/result_rows.h"

namespace job_store_test {

using namespace glimpse;

TEST_CASE("what was put for a key is found for that key only") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  const JobStore store = JobStore::open(files, folder.file("results")).value();
  CHECK_FALSE(store.find("aerr", "a=1\nb=2").has_value());
  REQUIRE(store.put("aerr", "a=1\nb=2", "x\ny\n").has_value());
  CHECK(store.find("aerr", "a=1\nb=2").value() == "x\ny\n");
  CHECK_FALSE(store.find("aerr", "a=1\nb=3").has_value());
  REQUIRE(store.put_unsynced("aerr", "a=1\nb=4", "z\n").has_value());
  CHECK(store.find("aerr", "a=1\nb=4").value() == "z\n");
  REQUIRE(store.remove("aerr", "a=1\nb=3").has_value());
  REQUIRE(store.remove("aerr", "a=1\nb=2").has_value());
  CHECK_FALSE(store.find("aerr", "a=1\nb=2").has_value());
}

TEST_CASE("without a folder nothing is kept") {
  PosixFileSystem files;
  const JobStore store = JobStore::open(files, "").value();
  REQUIRE(store.put("aerr", "k", "x").has_value());
  CHECK_FALSE(store.find("aerr", "k").has_value());
}

TEST_CASE("a file whose key differs, as after a collision or a cut, does not count") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  const JobStore store = JobStore::open(files, folder.path()).value();
  REQUIRE(store.put("aerr", "key", "x\n").has_value());
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    folder.write(entry.path().filename().string(), "# other\nx\n");
  CHECK_FALSE(store.find("aerr", "key").has_value());
}

TEST_CASE("a file that was cut anywhere, or one of whose bytes changed, does not count") {
  const TemporaryFolder folder;
  PosixFileSystem files;
  const JobStore store = JobStore::open(files, folder.path()).value();
  REQUIRE(store.put("aerr", "key", "aerr,1,2,3,0.5,\naerr,1,4,6,0.25,\n").has_value());
  const std::string path = std::filesystem::directory_iterator(folder.path())->path().filename().string();
  const auto bytes = files.read(folder.file(path)).value();
  const std::string whole(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (std::size_t n = 0; n < whole.size(); ++n) {
    CAPTURE(n);
    folder.write(path, whole.substr(0, n));
    CHECK_FALSE(store.find("aerr", "key").has_value());
    std::string flipped = whole;
    flipped[n] = static_cast<char>(flipped[n] ^ 1);
    folder.write(path, flipped);
    CHECK_FALSE(store.find("aerr", "key").has_value());
  }
  folder.write(path, whole + "aerr,1,8,12,0.125,\n");
  CHECK_FALSE(store.find("aerr", "key").has_value());
  folder.write(path, whole);
  CHECK(store.find("aerr", "key").value().ends_with("0.25,\n"));
}

TEST_CASE("a row that lacks a field or the end of its line, or has a nan, is refused") {
  CHECK(parse_results("aerr,1,2,3,0.5,\n").has_value());
  for (const char* wrong :
       {"aerr,1,2,3,0.5\n", "aerr,1,2,3,0.5,", "aerr,1,2,3,0.5,0.2", "aerr,1,2,3\n", "aerr\n",
        "aerr,1,2,3,nan,\n", "aerr,1,2,3,0.5,nan\n", "aerr,1,2,3,-0.5,\n", "aerr,1,2,3,-inf,\n",
        "aerr,1,2,3,0.5,inf\n", "aerr,1,2,3,0.5,0.2,7\n", "aerr,1,2,3,0.5,\naerr,1,4,6,0.2"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_results(wrong).has_value());
  }
}

TEST_CASE("rows read back as they were written, without a classification error too") {
  const std::vector<ResultRow> rows = {{"aerr", 3, 100, 512, 0.1 + 0.2, 0.25},
                                       {"DDAERR", 1, 1, 2, 1e300, std::nan("")}};
  const auto back = parse_results(std::string(result_header()) + to_csv(rows)).value();
  REQUIRE(back.size() == 2);
  CHECK(back[0].curve == "aerr");
  CHECK(back[0].test_loss_ratio == 0.1 + 0.2);
  CHECK(back[0].classification_error == 0.25);
  CHECK(back[1].attributes == 2);
  CHECK(std::isnan(back[1].classification_error));
  CHECK_FALSE(parse_results("aerr,1,x,2,3,\n").has_value());
  CHECK(parse_results("aerr,1,2,3,inf,\n").value()[0].test_loss_ratio > 1e300);
}

}  // namespace job_store_test
