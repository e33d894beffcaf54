#include "data/svmlight_reader.h"

#include "data/reader_test_support.h"

using namespace glimpse;

using Values = std::vector<double>;
using Entries = std::vector<Entry>;

TEST_CASE("svmlight: planned attributes are revealed and absent ones are 0") {
  SvmlightReader reader(784, 1);
  CHECK(reveal(reader, "+1 1:0.5 10:2 784:-3e2 # note 5:5", {0, 4, 9, 783}) == Values{0.5, 0, 2, -300});
  CHECK(reader.head().label == 1.0);
  CHECK(reader.head().importance == 1);
  CHECK(reader.head().tag.empty());
  CHECK(reveal(reader, "-1.5\t1:1  2:2 ", {1}) == Values{2});
  CHECK(reader.head().label == -1.5);
  CHECK(reveal(reader, "7", {0, 1}) == Values{0, 0});
  CHECK(reveal(reader, "7 1:1", {}).empty());
}

TEST_CASE("svmlight: indices may count from 0") {
  SvmlightReader reader(3, 0);
  CHECK(reveal(reader, "1 0:5 2:6", {0, 1, 2}) == Values{5, 0, 6});
  CHECK(reveal_all_error(reader, "1 3:1") ==
        "index 3 is out of range: this model has dimension 3, so svmlight indices run from 0 to 2");
}

TEST_CASE("svmlight: a line without label, or with a question mark, asks for a prediction") {
  SvmlightReader reader(9, 1);
  CHECK(reveal_all(reader, "3:4 9:5") == Entries{{2, 4}, {8, 5}});
  CHECK_FALSE(reader.head().label);
  CHECK(reveal_all(reader, "? 3:4") == Entries{{2, 4}});
  CHECK_FALSE(reader.head().label);
  CHECK(reveal_all(reader, "?").empty());
}

TEST_CASE("svmlight: qid fields are skipped") {
  SvmlightReader reader(9, 1);
  CHECK(reveal_all(reader, "1 qid:77 3:4 qid:x") == Entries{{2, 4}});
}

TEST_CASE("svmlight: indices in any order are found") {
  SvmlightReader reader(9, 1);
  CHECK(reveal(reader, "1 9:9 2:2 5:5 1:1 7:7", {0, 1, 4, 5, 8}) == Values{1, 2, 5, 0, 9});
  CHECK(reveal_all(reader, "1 9:9 2:2") == Entries{{8, 9}, {1, 2}});
}

TEST_CASE("svmlight: an index given twice is an error") {
  SvmlightReader reader(9, 1);
  CHECK(reveal_all_error(reader, "1 7:1 2:2 7:1") == "index 7 is given twice");
  CHECK(reveal_error(reader, "1 7:1 7:0", {6}) == "index 7 is given twice");
  CHECK(reveal(reader, "1 7:1 2:2 7:1", {1}) == Values{2});
}

TEST_CASE("svmlight: an index out of range is an error whatever is planned") {
  SvmlightReader reader(784, 1);
  const std::string range =
      " is out of range: this model has dimension 784, so svmlight indices run from 1 to 784";
  CHECK(reveal_error(reader, "1 1:1 785:1", {0}) == "index 785" + range);
  CHECK(reveal_error(reader, "1 0:1", {0}) == "index 0" + range);
  CHECK(reveal_error(reader, "1 4294967297:1", {0}) == "index 4294967297" + range);
  CHECK(reveal_error(reader, "1 18446744073709551617:1", {0}) == "index 18446744073709551617" + range);
  CHECK(reveal(reader, "1 0000000784:1", {783}) == Values{1});
}

TEST_CASE("svmlight: what is no number is an error where it is revealed") {
  SvmlightReader reader(9, 1);
  CHECK(reveal_error(reader, "1 3:x", {2}) == "value 'x' of index 3 is not a finite number");
  CHECK(reveal_error(reader, "1 3:", {2}) == "value '' of index 3 is not a finite number");
  CHECK(reveal_error(reader, "1 3:inf", {2}) == "value 'inf' of index 3 is not a finite number");
  CHECK(reveal_all_error(reader, "1 3:1e999") == "value '1e999' of index 3 is not a finite number");
  CHECK(reveal(reader, "1 3:x 4:1", {3}) == Values{1});
  CHECK(open_error(reader, "nan 3:1") == "label 'nan' is not a finite number");
  CHECK(open_error(reader, "one 3:1") == "label 'one' is not a finite number");
}

TEST_CASE("svmlight: fields of another form are errors") {
  SvmlightReader reader(9, 1);
  CHECK(reveal_error(reader, "1 3", {2}) == "field '3' is not of the form index:value");
  CHECK(reveal_error(reader, "1 3:1 x", {2}) == "field 'x' is not of the form index:value");
  CHECK(reveal_error(reader, "1 a:1", {2}) == "index 'a' is not a whole number");
  CHECK(reveal_error(reader, "1 -1:1", {2}) == "index '-1' is not a whole number");
  CHECK(reveal_error(reader, "1 :1", {2}) == "index '' is not a whole number");
}

TEST_CASE("svmlight: blank lines and comments hold no example") {
  SvmlightReader reader(9, 1);
  for (const std::string_view record : {"", "  \t", "# 1 2:3", "  # 1"}) CHECK(holds_nothing(reader, record));
  Values values(1);
  CHECK(reader.reveal(std::vector<Attribute>{0}, values).has_error());
}
