#include "report/table.h"

#include <doctest/doctest.h>

namespace table_test {

using namespace glimpse;

TEST_CASE("signs beyond ASCII have letters of the same width") {
  CHECK(in_ascii("0.25 ± 0.01  –  a… ±") == "0.25 +-0.01  -  a~ +-");
  CHECK(display_width(in_ascii("loss ± error –")) == display_width("loss ± error –"));
  CHECK(in_ascii("plain") == "plain");
}

TEST_CASE("columns are aligned by what is seen, not by bytes") {
  Table table({{"name", true}, {"value"}});
  table.add({"loss", "0.1 ± 0.02"});
  table.add({"age", "–"});
  CHECK(table.text() ==
        "name       value\n"
        "loss  0.1 ± 0.02\n"
        "age            –\n");
}

TEST_CASE("a table without titles has no title line, and lines do not end in blanks") {
  Table table({{"", true}, {"", true}});
  table.add({"a", "long one"});
  table.add({"bb", ""});
  table.add({"c"});
  CHECK(table.text() == "a   long one\nbb\nc\n");
}

TEST_CASE("what is in a cell cannot steer the terminal") {
  Table table({{"", true}});
  table.add({"x\ry"});
  CHECK(table.text() == "x\\x0dy\n");
}

TEST_CASE("text is cut between code points") {
  CHECK(clipped("größe", 5) == "größe");
  CHECK(clipped("größer", 5) == "größ…");
  CHECK(clipped("ab", 1) == "…");
  CHECK(padded("–", 3) == "  –");
  CHECK(padded("–", 3, true) == "–  ");
  CHECK(padded("long", 3) == "long");
}

}  // namespace table_test
