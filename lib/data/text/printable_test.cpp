#include <doctest/doctest.h>

#include "data/text/text.h"

namespace printable_test {

using namespace glimpse;

TEST_CASE("control characters cannot reach the terminal") {
  CHECK(printable("a\x1b[2Jb\n") == "a\\x1b[2Jb\\x0a");
  CHECK(printable("\x7f\xC2\x9B"
                  "31m") == "\\x7f\\x9b31m");
  CHECK(printable("größe – ±") == "größe – ±");
  CHECK(printable("a\xe2\x80\xae"
                  "b\xff") ==
        "a\\xe2\\x80\\xae"
        "b\xff");
}

}  // namespace printable_test
