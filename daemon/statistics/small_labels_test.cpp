#include <doctest/doctest.h>

#include "daemon/statistics/statistics.h"

namespace small_labels_test {

using namespace glimpse;

TEST_CASE("of labels that are all below 1e-70 no loss is told, and of all others each") {
  const auto told = [](double size) {
    Statistics s;
    s.label_variance = size * size;
    s.progressive_loss = s.recent_loss = s.held_out.loss = {10, size * size, 0};
    LabelFacts other;
    other.labels.add(1);
    other.labels.add(2);
    other.progressive_loss = {10, 1, 0};
    s.by_label = {other};
    for (const double label : {0.0, 0.5 * size, size}) s.labels.add(label);
    leave_out_small_losses(s);
    CHECK(s.by_label.front().progressive_loss.count == 10);
    CHECK(std::isnan(s.label_variance) == (s.progressive_loss.count == 0));
    CHECK(s.held_out.loss.count == s.recent_loss.count);
    return s.progressive_loss.count > 0;
  };
  for (const double size : {1e-300, 1e-200, -1e-100, 9e-71}) CHECK_FALSE(told(size));
  for (const double size : {1.1e-70, 1e-30, -1.0, 1e30, 0.0}) CHECK(told(size));
  CHECK_FALSE(are_too_small(LabelRange()));
}

}  // namespace small_labels_test
