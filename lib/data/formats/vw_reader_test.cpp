#include "data/formats/vw_reader.h"

#include "data/reader_test_support.h"

namespace vw_reader_test {

using namespace glimpse;

using Values = std::vector<double>;
using Entries = std::vector<Entry>;

TEST_CASE("vw: whole numbers are indices from 0 in any namespace, and no value means 1") {
  AttributeNames names(10);
  VwReader reader(10, names);
  CHECK(reveal(reader, "1 | 0:0.5 3 9:-2", {0, 1, 3, 9}) == Values{0.5, 0, 1, -2});
  CHECK(reader.head().label == 1.0);
  CHECK(reveal(reader, "-1 |pixels 0:0.5 |more 3", {0, 3}) == Values{0.5, 1});
  CHECK(reveal_all(reader, "1|a 4:1|b 5|6:2 7:3") == Entries{{4, 1}, {5, 1}, {7, 6}});
  CHECK(names.empty());
}

TEST_CASE("vw: label, importance and tag stand before the first bar") {
  AttributeNames names(10);
  VwReader reader(10, names);
  const auto head = [&](std::string_view record) {
    require_open(reader, record);
    return reader.head();
  };
  CHECK(head("1 2.5 'first | 1").importance == 2.5);
  CHECK(head("1 2.5 'first | 1").tag == "first");
  CHECK(head("1 2.5 0 'first| 1").tag == "first");
  CHECK(head("1 0 second| 1").tag == "second");
  CHECK(head("1 0 second| 1").importance == 0);
  CHECK(head("+1 | 1").importance == 1);
  CHECK(head("+1 | 1").tag.empty());
  CHECK(head("1 ' | 1").tag.empty());
  CHECK(head("1 'a'b | 1").tag == "a'b");
}

TEST_CASE("vw: nothing, or only a tag, before the bar asks for a prediction") {
  AttributeNames names(10);
  VwReader reader(10, names);
  for (const std::string_view record : {"| 1:2", "  | 1:2", "tag| 1:2", "'tag | 1:2", "1| 1:2"}) {
    CHECK(reveal(reader, record, {1}) == Values{2});
    CHECK_FALSE(reader.head().label);
  }
  CHECK(reader.head().tag == "1");  // as in VW, a word that touches the bar is a tag
  CHECK(reveal_all(reader, "|").empty());
}

TEST_CASE("vw: names get indices when a labelled example brings them") {
  AttributeNames names(10);
  VwReader reader(10, names);
  CHECK(reveal(reader, "1 |user age:30 |item price:2 age:1 | age:7", {0, 1, 2, 3, 4}) ==
        Values{30, 2, 1, 7, 0});
  CHECK(names.name(0) == "user^age");
  CHECK(names.name(1) == "item^price");
  CHECK(names.name(2) == "item^age");
  CHECK(names.name(3) == "age");
  CHECK(reveal_all(reader, "1 |item new age:5") == Entries{{4, 1}, {2, 5}});
}

TEST_CASE("vw: an unknown name in an example without label counts for nothing and is not kept") {
  AttributeNames names(10);
  VwReader reader(10, names);
  REQUIRE(names.find_or_add("b").has_value());
  CHECK(reveal_all(reader, "| a:1 b:2 c:x") == Entries{{0, 2}});
  CHECK(reveal(reader, "| a:1 b:2", {0, 1}) == Values{2, 0});
  CHECK(names.size() == 1);
}

TEST_CASE("vw: a name that is a number in another form is refused beside numbers") {
  AttributeNames names(6);
  VwReader reader(6, names);
  for (const char* line : {"1 | 1.0:2 0:1", "1 | 0 1e0", "| 1e0 0"}) {
    CHECK(reveal_error(reader, line, {0}).find("this model has attributes by number") != std::string::npos);
    CHECK(names.empty());
    CHECK(names.use_number(0).has_value());  // of records before
    names.keep();
  }
  CHECK(reveal(reader, "1 |ns 1.0:2", {1}) == std::vector<double>{2});
}

TEST_CASE("vw: a namespace's scale multiplies its values") {
  AttributeNames names(10);
  VwReader reader(10, names);
  CHECK(reveal_all(reader, "1 |a:0.5 1:4 2 |b 3:4 |:2 4:4") == Entries{{1, 2}, {2, 0.5}, {3, 4}, {4, 8}});
  CHECK(reveal_error(reader, "1 |a:x 1", {5}) == "scale of namespace 'a:x' is not a finite number");
  CHECK(reveal_error(reader, "1 |a:1e200 1:1e200", {1}) ==
        "value 1e+200 times the namespace's scale 1e+200 is not a finite number");
}

TEST_CASE("vw: features given more than once add up") {
  AttributeNames names(10);
  VwReader reader(10, names);
  CHECK(reveal(reader, "1 | 3:1 1:5 3:0.5 |b 3", {1, 3}) == Values{5, 2.5});
  CHECK(reveal_all(reader, "1 | 3:1 1:5 3:0.5 |b 3") == Entries{{3, 2.5}, {1, 5}});
  CHECK(reveal_all_error(reader, "1 | 3:1e308 3:1e308") ==
        "the values given for attribute 3 add up to no finite number");
  CHECK(reveal_error(reader, "1 | 3:1e308 3:1e308", {3}) ==
        "the values given for attribute 3 add up to no finite number");
}

TEST_CASE("vw: lines that break the format say how") {
  AttributeNames names(784);
  VwReader reader(784, names);
  CHECK(open_error(reader, "1 2:3") == "no '|' before the features in '1 2:3'");
  CHECK(open_error(reader, "nan | 1") == "label 'nan' is not a finite number");
  CHECK(open_error(reader, "spam | 1") ==
        "label 'spam' is not a finite number: with --task classes labels may be words");
  CHECK(open_error(reader, "1 -1 | 1") == "importance '-1' is not a finite number of at least 0");
  CHECK(open_error(reader, "1 inf | 1") == "importance 'inf' is not a finite number of at least 0");
  CHECK(open_error(reader, "1 1 0.5 | 1") ==
        "initial prediction '0.5' is not 0: glimpse does not support others");
  CHECK(open_error(reader, "1 1 0 4 | 1") == "too many words before the '|': '1 1 0 4 '");
  CHECK(open_error(reader, "1 1 0 4 5 tag| 1") == "too many words before the '|': '1 1 0 4 5 tag'");
  CHECK(reader.head().tag.empty());
  CHECK(reveal_error(reader, "1 | 784:1", {0}) ==
        "index 784 is out of range: this model has dimension 784, so VW indices run from 0 to 783");
  CHECK(reveal_error(reader, "1 | 3:x", {3}) == "value 'x' is not a finite number");
  CHECK(reveal_error(reader, "1 | 3:1:2", {3}) == "value '1:2' is not a finite number");
  CHECK(reveal_error(reader, "1 | 3:", {3}) == "value '' is not a finite number");
  CHECK(reveal_error(reader, "1 | :5", {3}) == "feature ':5' has no name");
}

TEST_CASE("vw: a name and a number are never the same attribute") {
  AttributeNames names(4);
  VwReader reader(4, names);
  CHECK(reveal(reader, "1 | 0:0.5 2", {0, 2}) == Values{0.5, 1});
  CHECK(reveal(reader, "1 | foo:3", {0, 3}) == Values{0, 3});
  require_open(reader, "1 | foo 3:1");
  std::vector<Entry> entries;
  CHECK_FALSE(reader.reveal_all(entries).has_value());
}

TEST_CASE(
    "vw: a line that is refused leaves no names behind, and new names stand beside the numbers of their "
    "line") {
  AttributeNames names(4);
  VwReader reader(4, names);
  require_open(reader, "1 | foo bar:x");
  std::vector<Entry> entries;
  CHECK_FALSE(reader.reveal_all(entries).has_value());
  CHECK(names.empty());
  require_open(reader, "1 | foo 3:1 :2");
  CHECK_FALSE(reader.reveal_all(entries).has_value());
  require_open(reader, "1 | foo:1e308 foo:1e308");
  CHECK_FALSE(reader.reveal_all(entries).has_value());
  CHECK(names.empty());
  CHECK(reveal_all(reader, "1 | foo |a 0:2 |b bar 0") == Entries{{1, 1}, {0, 3}, {2, 1}});
  CHECK(reveal_error(reader, "1 | new 1:5", {0}) ==
        "attribute 1 is what this model calls 'foo': call it by its name, or by either after a start with "
        "--attributes FILE");
  CHECK(reveal_all(reader, "1 | new") == Entries{{3, 1}});
}

TEST_CASE("vw: a line of numbers alone is refused where one of them has a name, however it is read") {
  for (const std::string_view more : {"", " |x"}) {
    AttributeNames names(4);
    VwReader reader(4, names);
    CHECK(reveal_all(reader, "1 | 0 foo") == Entries{{0, 1}, {1, 1}});
    CHECK(reveal(reader, "1 | 0:5 2:3" + std::string(more), {0, 2}) == Values{5, 3});
    CHECK(reveal_error(reader, "1 | 0:5 1:3" + std::string(more), {0}) ==
          "attribute 1 is what this model calls 'foo': call it by its name, or by either after a start with "
          "--attributes FILE");
    CHECK(reveal_all(reader, "| 0:5 1:3" + std::string(more)) == Entries{{0, 5}, {1, 3}});
    CHECK(reveal_all(reader, "1 | bar") == Entries{{3, 1}});
  }
}

TEST_CASE("vw: names beyond the dimension are errors") {
  AttributeNames names(1);
  VwReader reader(1, names);
  CHECK(reveal_error(reader, "1 | a b", {0}) ==
        "no index is free for the new attribute 'b': all 1 of this model have names; more need a larger "
        "--dimension");
  CHECK(reveal(reader, "1 | a:3", {0}) == Values{3});
}

TEST_CASE("vw: blank lines and comments hold no example") {
  AttributeNames names(1);
  VwReader reader(1, names);
  for (const std::string_view record : {"", "  ", "# 1 | a"}) CHECK(holds_nothing(reader, record));
}

}  // namespace vw_reader_test
