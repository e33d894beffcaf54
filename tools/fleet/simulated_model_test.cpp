#include <doctest/doctest.h>
#include <vector>

#include "fleet/simulated_member.h"

namespace simulated_model_test {

using namespace glimpse;
using Positions = std::vector<std::uint64_t>;

TEST_CASE("simulated model: a state is inside when the fold that began behind it ends") {
  SimulatedModel model(3, {.state = 1, .solution = 0.5});
  model.note(0, 7);
  model.advance(10);  // until 11.5
  model.note(0, 8);
  model.note(0, 9);  // one partition, however many states
  model.note(2, 4);
  model.advance(11);
  CHECK(model.positions() == Positions{0, 0, 0});
  model.advance(11.5);  // until 14
  CHECK(model.positions() == Positions{7, 0, 0});
  model.advance(13.9);
  CHECK(model.positions() == Positions{7, 0, 0});
  model.advance(14);
  CHECK(model.positions() == Positions{9, 0, 4});
}

}  // namespace simulated_model_test
