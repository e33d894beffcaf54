#include "lab/data/table_file.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include "lab/data/gzip_file.h"
#include "lab/lab_test_support.h"

namespace table_file_test {

using namespace glimpse;

TEST_CASE("CSV with the label first and svmlight give the same rows") {
  const DenseSet csv = parse_table("1,0.5,0,2\n-1,0,0,3\n", "t").value();
  const DenseSet svm = parse_table("1 1:0.5 3:2\n-1 3:3\n", "t").value();
  CHECK(csv.dimension == 3);
  CHECK(csv.size() == 2);
  CHECK(csv.labels == std::vector<double>{1, -1});
  CHECK(csv.values == std::vector<float>{0.5F, 0, 2, 0, 0, 3});
  CHECK(svm.values == csv.values);
  CHECK(svm.labels == csv.labels);
}

TEST_CASE("a header is no example") {
  const auto set = parse_table("y,a,b\n1,2,3\n", "t");
  REQUIRE(set.has_value());
  CHECK(set->size() == 1);
}

TEST_CASE("the label may be in another column") {
  const std::string text = "a,b,y\n1,2,3\n4,5,6\n";
  const DenseSet last = parse_table(text, "t", parse_label_column("last").value()).value();
  CHECK(last.labels == std::vector<double>{3, 6});
  CHECK(last.values == std::vector<float>{1, 2, 4, 5});
  const DenseSet middle = parse_table(text, "t", parse_label_column("#2").value()).value();
  CHECK(middle.labels == std::vector<double>{2, 5});
  CHECK(middle.values == std::vector<float>{1, 3, 4, 6});
  CHECK(parse_label_column("first").value().number == 0);
  CHECK(parse_table(text, "t", parse_label_column("#4").value()).error().message ==
        "t: has 3 columns, and no column #4 for the label");
  CHECK(parse_label_column("-1").error().message ==
        "--label-column -1: must be first, last, or a number from 1, as #5");
}

TEST_CASE("a table with more attributes than allowed is refused") {
  CHECK(parse_table("1,2,3\n", "t", {}, 2).has_value());
  CHECK(parse_table("1,2,3\n", "t", {}, 1).error().message == "t: has 2 attributes, more than 1");
}

TEST_CASE("errors name file and line") {
  CHECK(parse_table("1,2,3\n1,,3\n", "t.csv").error().message ==
        "t.csv: line 2: attribute 1 is missing or a word; the lab needs whole examples of numbers");
  CHECK(parse_table("1,2,3\n1,x,3\n", "t.csv").error().message.starts_with("t.csv: line 2: "));
  CHECK(parse_table("", "t.csv").error().message.starts_with("t.csv: "));
}

TEST_CASE("a gzip-ed file is read like a plain one, and a cut one is an error") {
  const TemporaryFolder folder;
  const std::string plain = folder.write("plain.csv", "1,2\n");
  const std::string packed = folder.file("packed.csv.gz");
  gzFile file = gzopen(packed.c_str(), "wb");
  gzputs(file, "1,2\n");
  gzclose(file);
  CHECK(read_maybe_gzip(plain).value() == "1,2\n");
  CHECK(read_maybe_gzip(packed).value() == "1,2\n");
  std::filesystem::resize_file(packed, std::filesystem::file_size(packed) - 6);
  CHECK_FALSE(read_maybe_gzip(packed).has_value());
  CHECK(read_maybe_gzip(folder.file("none")).error().code == ErrorCode::kNotFound);
}

}  // namespace table_file_test
