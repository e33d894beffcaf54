#include "learn/gradient/moments_file.h"

#include <doctest/doctest.h>

namespace moments_file_test {

using namespace glimpse;

TEST_CASE("columns are found by name, in any order, and an absent count means known exactly") {
  const auto moments = parse_moments("second_moment,attribute,extra\n4,1,x\n9,0,y\r\n", 2).value();
  CHECK(moments[0].second == 9);
  CHECK(moments[1].second == 4);
  CHECK(moments[1].count == SecondMoments::kCertain);
  const auto counted =
      parse_moments("attribute,count,mean,second_moment,max_abs\n0,7,0.5,4,3\n1,,,2,\n", 2).value();
  CHECK(counted[0].count == 7);
  CHECK(counted[0].mean == 0.5);
  CHECK(counted[0].max_abs == 3.0F);
  CHECK(counted[1].count == SecondMoments::kCertain);
}

TEST_CASE("a moment of zero keeps a floor") {
  const auto moments = parse_moments("attribute,second_moment\n0,0\n1,2\n", 2).value();
  CHECK(moments[0].second == doctest::Approx(1e-6));
}

TEST_CASE("what is wrong is named with its line") {
  const auto message = [](const char* text) { return parse_moments(text, 2).error().message; };
  CHECK(message("a,b\n") == "line 1: the header must name the columns 'attribute' and 'second_moment'");
  CHECK(message("attribute,second_moment\n0,1\n") ==
        "the file has moments of 1 attributes, but the dimension is 2");
  CHECK(message("attribute,second_moment\n2,1\n") ==
        "line 2: attribute '2' must be a whole number from 0 to 1");
  CHECK(message("attribute,second_moment\n0,1\n0,1\n") == "line 3: attribute 0 is given twice");
  CHECK(message("attribute,second_moment\n0,-1\n") ==
        "line 2: second_moment '-1' must be a number from 0 to 1e+60");
  CHECK(message("attribute,second_moment\n0,1e61\n") ==
        "line 2: second_moment '1e61' must be a number from 0 to 1e+60");
  CHECK(message("attribute,second_moment,mean\n0,1,-1e31\n") ==
        "line 2: mean '-1e31' must be a number from -1e+30 to 1e+30");
  CHECK(message("attribute,second_moment,max_abs\n0,1,1e31\n") ==
        "line 2: max_abs '1e31' must be a number from 0 to 1e+30");
  CHECK(message("attribute,second_moment\n0,nan\n") ==
        "line 2: second_moment 'nan' must be a number from 0 to 1e+60");
  CHECK(message("attribute,second_moment\n0\n") == "line 2: 1 fields, but the header has 2");
}

TEST_CASE("moments of 0 beside the least of numbers get more than 0") {
  const auto moments = parse_moments("attribute,second_moment\n2,1e-323\n0,0\n1,0\n", 3);
  REQUIRE(moments.has_value());
  for (std::size_t i = 0; i < 3; ++i) CHECK((*moments)[i].second > 0);
}

TEST_CASE("names in quotes may hold commas, quotes and newlines, and lines are counted on behind them") {
  const auto moments =
      parse_moments("attribute,name,second_moment\n0,\"a, b\",9\n1,\"c \"\"d\"\"\ne\",4\r\n2,\"\",1", 3);
  REQUIRE_MESSAGE(moments.has_value(), (moments ? "" : moments.error().message));
  CHECK((*moments)[0].second == 9);
  CHECK((*moments)[1].second == 4);
  CHECK((*moments)[2].second == 1);
  const auto message = [](const char* text) { return parse_moments(text, 2).error().message; };
  CHECK(message("attribute,name,second_moment\n0,\"a\nb\",1\n1,x,-1\n") ==
        "line 4: second_moment '-1' must be a number from 0 to 1e+60");
  CHECK(message("attribute,name,second_moment\n0,\"a,1\n1,x,1\n") ==
        "line 2: a field in quotes must end with a quote, and a comma or the line's end behind it");
  CHECK(message("attribute,name,second_moment\n0,\"a\"b,1\n1,x,1\n") ==
        "line 2: a field in quotes must end with a quote, and a comma or the line's end behind it");
}

}  // namespace moments_file_test
