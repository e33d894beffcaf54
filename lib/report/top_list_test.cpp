#include "report/top_list.h"

#include <doctest/doctest.h>

namespace top_list_test {

using namespace glimpse;

TEST_CASE("the top list is the beginning of a stable sort") {
  TopList<int> list(3);
  const double keys[] = {1, 5, 5, 0, 5, 7, 5};
  for (int i = 0; i < 7; ++i) list.offer(keys[i], [&] { return i; });
  CHECK(list.offered() == 7);
  CHECK(list.take() == std::vector<int>{5, 1, 2});
  TopList<int> none(0);
  none.offer(1, [] { return 1; });
  CHECK(none.take().empty());
}

}  // namespace top_list_test
