#include "data/text/arff.h"

#include <doctest/doctest.h>

namespace arff_test {

using namespace glimpse;

using Texts = std::vector<std::string>;

const Texts kZeros{"0", "red", ""};

// The fields of a row, or why it is none.
Texts split(std::string_view line, const Texts& zeros = kZeros) {
  std::string room;
  std::vector<std::string_view> fields;
  const Status status = split_arff_row(line, zeros, room, fields);
  if (!status) return {status.error().message};
  return {fields.begin(), fields.end()};
}

std::string refusal(std::string_view text) {
  const auto header = ArffHeader::read(text);
  REQUIRE(header.has_error());
  return header.error().message;
}

TEST_CASE("an ARFF header says names and types, with keywords in any case and names in quotes") {
  const auto header = ArffHeader::read(
      "% iris\n\n@RELATION 'a b'\r\n@attribute 'petal length' REAL\n@Attribute\tb\tinteger [0,9] % c\n"
      "@attribute \"c\" {'x y',z}\n@attribute d string\n@attribute e DATE \"dd.MM.yyyy\"\n@attribute f date\n"
      "@ATTRIBUTE g{1,2}\n@Data\n1,2\n");
  REQUIRE(header.has_value());
  using Type = ArffAttribute::Type;
  const auto& all = header->attributes();
  REQUIRE(all.size() == 7);
  CHECK(all[0].name == "petal length");
  CHECK(all[0].type == Type::kNumber);
  CHECK(all[1].zero == "0");
  CHECK(all[2].name == "c");
  CHECK(all[2].type == Type::kWord);
  CHECK(all[2].zero == "x y");
  CHECK(all[3].zero.empty());
  CHECK(all[4].type == Type::kDate);
  CHECK(all[4].is_day_first);
  CHECK_FALSE(all[5].is_day_first);
  CHECK(all[6].name == "g");
  CHECK(all[6].zero == "1");
}

TEST_CASE("what is wrong in an ARFF header is said with its line") {
  CHECK(refusal("@relation r\n@attribute a numeric\n@attribute b float\n@data\n") ==
        "line 3: 'b' has the type 'float': numeric, real, integer, string, date and {values} are read");
  CHECK(refusal("@relation r\n@attribute a\n@data\n").starts_with("line 2: @attribute needs a name"));
  CHECK(refusal("@relation r\n\n@attribute 'a numeric\n@data\n")
            .starts_with("line 3: @attribute needs a name"));
  CHECK(refusal("@relation r\n@attribute a {x,y\n@data\n") == "line 2: the values of 'a' do not end with }");
  CHECK(refusal("@relation r\n@data\n").starts_with("line 2: an ARFF header has lines of @relation"));
  CHECK(refusal("@relation r\n@attribute a numeric\n1,2\n").ends_with("and this is '1,2'"));
  CHECK(refusal("@relation r\n@attribute a numeric\n") ==
        "the ARFF header has 1 attributes and no @data behind them: a sample (--sample-bytes) has all of it");
}

TEST_CASE("a text is ARFF where its first line beside comments is of such a header") {
  for (const char* text :
       {"@relation r\n", "% a comment\n\n%b\r\n@RELATION r", "@attribute a real\n", "@data"})
    CHECK(ArffHeader::begins(text));
  for (const char* text : {"", "%\n", "% a\n1,2\n", "@foo bar\n", "@data,x\n1,2\n", "a,b\n@relation r\n"})
    CHECK_FALSE(ArffHeader::begins(text));
}

TEST_CASE("rows of ARFF have commas, or blanks where these divide them, and quotes of either kind") {
  CHECK(split("1, red ,x\r") == Texts{"1", "red", "x"});
  CHECK(split("1 'a b'\tx") == Texts{"1", "a b", "x"});
  CHECK(split("1,a b,x") == Texts{"1", "a b", "x"});
  CHECK(split("?,'it\\'s, \\\\ so',\"say \\\"x\\\" '\"") == Texts{"?", "it's, \\ so", "say \"x\" '"});
  CHECK(split("'a\\nb','','}'") == Texts{"a b", "", "}"});
  CHECK(split("1,2,") == Texts{"1", "2", ""});
  CHECK(split("1,2") == Texts{"1", "2"});  // of another width
}

TEST_CASE("what a sparse row does not give is 0, or the first value of the attribute") {
  CHECK(split("{}") == Texts{"0", "red", ""});
  CHECK(split("{0 5}") == Texts{"5", "red", ""});
  CHECK(split("{1 'a, b', 2 \"}\"}") == Texts{"0", "a, b", "}"});
  CHECK(split(" { 0\t-1.5 ,2 x } ") == Texts{"-1.5", "red", "x"});
}

TEST_CASE("a row of ARFF that is none is refused, with the rule") {
  const std::string indices = "a sparse row has {index value, …} with indices that ascend from 0 to 2, and ";
  CHECK(split("{3 1}") == Texts{indices + "'3' is none"});
  CHECK(split("{1 a, 1 b}") == Texts{indices + "'1' is none"});
  CHECK(split("{2 a, 1 b}") == Texts{indices + "'1' is none"});
  CHECK(split("{x 1}") == Texts{indices + "'x' is none"});
  CHECK(split("{") == Texts{indices + "'' is none"});
  CHECK(split("{0 1, 1 'a") == Texts{"the sparse row does not end with }"});
  CHECK(split("{0 1") == Texts{"the sparse row does not end with }"});
  CHECK(split("{0 1}, {5}") == Texts{"text behind the sparse row: weights of rows are not read"});
  CHECK(split("1,2,3,{5}") == Texts{"weights of rows, as '{5}', are not read"});
  CHECK(split("1,'a,3")[0].starts_with("a value in quotes ends with the quote that it begins with"));
  CHECK(split("1,'a'b,3")[0].starts_with("a value in quotes ends with the quote that it begins with"));
}

}  // namespace arff_test
