#include "data/formats/svmlight_reader.h"

#include "data/reader_test_support.h"

namespace svmlight_reader_test {

using namespace glimpse;

using Values = std::vector<double>;
using Entries = std::vector<Entry>;

TEST_CASE("svmlight: planned attributes are revealed and absent ones are 0") {
  AttributeNames names(784);
  SvmlightReader reader(784, 1, names);
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
  AttributeNames names(3);
  SvmlightReader reader(3, 0, names);
  CHECK(reveal(reader, "1 0:5 2:6", {0, 1, 2}) == Values{5, 0, 6});
  CHECK(reveal_all_error(reader, "1 3:1") ==
        "index 3 is out of range: this model has dimension 3, so svmlight indices run from 0 to 2");
}

TEST_CASE("svmlight: a line without label, or with a question mark, asks for a prediction") {
  AttributeNames names(9);
  SvmlightReader reader(9, 1, names);
  CHECK(reveal_all(reader, "3:4 9:5") == Entries{{2, 4}, {8, 5}});
  CHECK_FALSE(reader.head().label);
  CHECK(reveal_all(reader, "? 3:4") == Entries{{2, 4}});
  CHECK_FALSE(reader.head().label);
  CHECK(reveal_all(reader, "?").empty());
}

TEST_CASE("svmlight: qid fields are skipped") {
  AttributeNames names(9);
  SvmlightReader reader(9, 1, names);
  CHECK(reveal_all(reader, "1 qid:77 3:4 qid:x") == Entries{{2, 4}});
}

TEST_CASE("svmlight: indices in any order are found") {
  AttributeNames names(9);
  SvmlightReader reader(9, 1, names);
  CHECK(reveal(reader, "1 9:9 2:2 5:5 1:1 7:7", {0, 1, 4, 5, 8}) == Values{1, 2, 5, 0, 9});
  CHECK(reveal_all(reader, "1 9:9 2:2") == Entries{{8, 9}, {1, 2}});
}

TEST_CASE("svmlight: an index given twice is an error") {
  AttributeNames names(9);
  SvmlightReader reader(9, 1, names);
  CHECK(reveal_all_error(reader, "1 7:1 2:2 7:1") == "index 7 is given twice");
  CHECK(reveal_error(reader, "1 7:1 7:0", {6}) == "index 7 is given twice");
  CHECK(reveal(reader, "1 7:1 2:2 7:1", {1}) == Values{2});
}

TEST_CASE("svmlight: an index out of range is an error whatever is planned") {
  AttributeNames names(784);
  SvmlightReader reader(784, 1, names);
  const std::string range =
      " is out of range: this model has dimension 784, so svmlight indices run from 1 to 784";
  CHECK(reveal_error(reader, "1 1:1 785:1", {0}) == "index 785" + range);
  CHECK(reveal_error(reader, "1 0:1", {0}) == "index 0" + range + "; where they run from 0: --index-base 0");
  CHECK(reveal_error(reader, "1 4294967297:1", {0}) == "index 4294967297" + range);
  CHECK(reveal_error(reader, "1 18446744073709551617:1", {0}) == "index 18446744073709551617" + range);
  CHECK(reveal(reader, "1 0000000784:1", {783}) == Values{1});
}

TEST_CASE("svmlight: what is no number is an error where it is revealed") {
  AttributeNames names(9);
  SvmlightReader reader(9, 1, names);
  CHECK(reveal_error(reader, "1 3:x", {2}) == "value 'x' of index 3 is not a finite number");
  CHECK(reveal_error(reader, "1 3:", {2}) == "value '' of index 3 is not a finite number");
  CHECK(reveal_error(reader, "1 3:inf", {2}) == "value 'inf' of index 3 is not a finite number");
  CHECK(reveal_all_error(reader, "1 3:1e999") == "value '1e999' of index 3 is not a finite number");
  CHECK(reveal(reader, "1 3:x 4:1", {3}) == Values{1});
  CHECK(open_error(reader, "nan 3:1") == "label 'nan' is not a finite number");
  CHECK(open_error(reader, "one 3:1") ==
        "label 'one' is not a finite number: with --task classes labels may be words");
}

TEST_CASE("svmlight: fields of another form are errors") {
  AttributeNames names(9);
  SvmlightReader reader(9, 1, names);
  CHECK(reveal_error(reader, "1 3", {2}) == "field '3' is not of the form index:value");
  CHECK(reveal_error(reader, "1 3:1 x", {2}) == "field 'x' is not of the form index:value");
  CHECK(reveal_error(reader, "1 a:1", {2}) == "index 'a' is not a whole number");
  CHECK(reveal_error(reader, "1 -1:1", {2}) == "index '-1' is not a whole number");
  CHECK(reveal_error(reader, "1 :1", {2}) == "index '' is not a whole number");
}

TEST_CASE("svmlight: blank lines and comments hold no example") {
  AttributeNames names(9);
  SvmlightReader reader(9, 1, names);
  for (const std::string_view record : {"", "  \t", "# 1 2:3", "  # 1"}) CHECK(holds_nothing(reader, record));
  Values values(1);
  CHECK(reader.reveal(std::vector<Attribute>{0}, values).has_error());
}

TEST_CASE("svmlight: the numbers of a labelled line are used, however it is read") {
  for (const std::string_view line : {"1 3:1 5:1", "1 5:1 3:1", "1 3:1 qid:7 5:1"}) {
    for (const bool all : {false, true}) {
      AttributeNames names(6);
      SvmlightReader reader(6, 1, names);
      if (all)
        CHECK(reveal_all(reader, line).size() == 2);
      else
        CHECK(reveal(reader, line, {0}) == std::vector<double>{0});  // what is not planned counts as well
      CHECK(*names.find_or_add("a") == 5);
      CHECK(*names.find_or_add("b") == 0);
      CHECK(*names.find_or_add("c") == 1);
      CHECK_FALSE(names.find_or_add("d").has_value());
    }
  }
}

TEST_CASE("svmlight: a line that is refused, or has no label, uses no numbers") {
  AttributeNames names(2);
  SvmlightReader reader(2, 1, names);
  CHECK(reveal_all(reader, "1:1 2:1").size() == 2);
  CHECK(reveal_all(reader, "? 1:1 2:1").size() == 2);
  CHECK(reveal_error(reader, "1 1:x 2:1", {0}) == "value 'x' of index 1 is not a finite number");
  CHECK(reveal_all_error(reader, "1 1:1 1:1 2:1") == "index 1 is given twice");
  CHECK(reveal_error(reader, "1 2:1 3:1", {0}).starts_with("index 3 is out of range"));
  CHECK(*names.find_or_add("a") == 0);
  CHECK(*names.find_or_add("b") == 1);
}

TEST_CASE("svmlight: a number whose attribute a record named is refused in a labelled line alone") {
  for (const std::string_view more : {"", " qid:3"}) {
    AttributeNames names(4);
    REQUIRE(names.use_number(0).has_value());
    REQUIRE(names.find_or_add("a").has_value());
    SvmlightReader reader(4, 1, names);
    CHECK(reveal(reader, "1 1:1 3:2" + std::string(more), {0, 2}) == std::vector<double>{1, 2});
    CHECK(
        reveal_error(reader, "1 1:1 2:2 4:1" + std::string(more), {0}) ==
        "index 2: attribute 1 is what this model calls 'a': call it by its name, or by either after a start "
        "with --attributes FILE");
    CHECK(reveal_all(reader, "1:1 2:2" + std::string(more)).size() == 2);
    REQUIRE(names.find_or_add("b").has_value());  // of the refused line's 4 nothing stayed
    CHECK(names.find("b") == Attribute{3});
  }
}

TEST_CASE("svmlight: lines of other programs are refused with the command that converts them") {
  for (const std::size_t dimension : {std::size_t{2}, std::size_t{9}}) {
    AttributeNames names(dimension);
    SvmlightReader reader(dimension, 1, names);
    CHECK(open_error(reader, "1,2 1:2 2:3") ==
          "'1,2' are several labels, and a line of svmlight has one: sed -E 's/^([^ ,]*),[^ ]*/\\1/' FILE "
          "keeps the first");
    for (const std::string_view line : {"1 0:1:1.0 1:2:0.5", "1 1:1:1.0 2:2:0.5", "1 1:2 2:1:1 3:3"}) {
      CAPTURE(std::string(line));
      CHECK(reveal_all_error(reader, std::string(line))
                .find("LibFFM writes field:index:value: sed -E 's/[0-9]+:([0-9]+:)/\\1/g' FILE") !=
            std::string::npos);
    }
    for (const std::string_view line : {"1:0.5 1:2 2:1", "1:0.5 0:2 1:1", "-1:0.5 1:2", "0.5:0.5 1:2"}) {
      CAPTURE(std::string(line));
      CHECK(reveal_all_error(reader, std::string(line))
                .find("label:weight, as XGBoost's do, sed -E 's/^([^ :]+):([^ ]+)/\\1 \\2 |/' FILE") !=
            std::string::npos);
    }
    CHECK(reveal_all_error(reader, "1 1:2 1:3") == "index 1 is given twice");
  }
}

}  // namespace svmlight_reader_test
