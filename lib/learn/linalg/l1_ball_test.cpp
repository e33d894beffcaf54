#include "learn/linalg/l1_ball.h"

#include <cmath>
#include <doctest/doctest.h>

#include "base/random.h"

namespace l1_ball_test {

using namespace glimpse;

TEST_CASE("a point inside the ball stays to the bit, one outside is lowered by one threshold") {
  std::vector<double> work;
  std::vector<double> inside{0.5, -0.25, 0.25};
  project_onto_l1_ball(inside, 1, work);
  CHECK(inside == std::vector<double>{0.5, -0.25, 0.25});

  std::vector<double> outside{3, -1, 0, 2};  // lowered by 1: 2 + 0 + 0 + 1
  project_onto_l1_ball(outside, 3, work);
  CHECK(outside == std::vector<double>{2, 0, 0, 1});

  std::vector<double> ties{1, -1, 1, 1};
  project_onto_l1_ball(ties, 1, work);
  CHECK(ties == std::vector<double>{0.25, -0.25, 0.25, 0.25});
}

// The projection p of w is the only point of the ball with ⟨w − p, v − p⟩ ≤ 0 for each v in it, which is the
// largest at a vertex.
TEST_CASE("random points go where the optimality condition says, on the sphere") {
  Random random(1);
  std::vector<double> work;
  for (int round = 0; round < 500; ++round) {
    const double radius = 0.1 + random.uniform();
    std::vector<double> w(1 + random.below(60));
    for (double& value : w) value = std::pow(2 * random.uniform() - 1, 3);
    std::vector<double> p = w;
    project_onto_l1_ball(p, radius, work);
    if (l1_norm(w) <= radius) continue;
    CHECK(l1_norm(p) == doctest::Approx(radius).epsilon(1e-14));
    double product = 0;
    double largest = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      product += (w[i] - p[i]) * p[i];
      largest = std::fmax(largest, std::abs(w[i] - p[i]));
    }
    CHECK(radius * largest - product <= 1e-13);
  }
}

}  // namespace l1_ball_test
