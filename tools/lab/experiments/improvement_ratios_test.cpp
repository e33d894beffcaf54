#include "lab/experiments/improvement_ratios.h"

#include <cmath>
#include <doctest/doctest.h>

#include "lab/data/data_source.h"
#include "lab/lab_test_support.h"

namespace improvement_ratios_test {

using namespace glimpse;

namespace {

ImprovementRatios ratios_of(const DataOptions& options) {
  return improvement_ratios(second_moments(DataSource::load(options).value().prepare(1)->train));
}

}  // namespace

TEST_CASE("ratios of moments computed by hand") {
  const ImprovementRatios ratios = improvement_ratios({4, 1, 1, 0});
  CHECK(ratios.ridge == doctest::Approx(16.0 / (4 * 6)));
  CHECK(ratios.lasso == doctest::Approx(6.0 / (4 * 4)));
  CHECK(improvement_ratios({2, 2}).ridge == doctest::Approx(1));
  CHECK(improvement_ratios({0, 0}).lasso == 1);
}

// KS15 §5.1 and Figures 1 and 2.
TEST_CASE("the simulated sets have the papers' ratios within 0.02") {
  struct Case {
    const char* data;
    double ridge;
    double lasso;  // < 0: the paper does not say
  };
  for (const Case& c : {Case{"simulated:ridge:0", 1, -1}, Case{"simulated:ridge:-0.5", .91, -1},
                        Case{"simulated:ridge:-1", .55, -1}, Case{"simulated:ridge:-2", .05, -1},
                        Case{"simulated:lasso:0", -1, 1}, Case{"simulated:lasso:-0.5", -1, .086},
                        Case{"simulated:lasso:-1", -1, .014}, Case{"simulated:lasso:-2", -1, .0033}}) {
    CAPTURE(c.data);
    DataOptions options;
    options.data = c.data;
    options.examples = 10000;
    const ImprovementRatios ratios = ratios_of(options);
    if (c.ridge >= 0) CHECK(std::abs(ratios.ridge - c.ridge) < 0.02);
    if (c.lasso >= 0) CHECK(std::abs(ratios.lasso - c.lasso) < 0.02);
  }
}

// The papers say .45 and .2.
TEST_CASE("MNIST 3 against 5 has ratios .470 and .190") {
  if (data_folder("GLIMPSE_MNIST") == nullptr) return;
  DataOptions options;
  options.data = "mnist:3,5";
  const ImprovementRatios ratios = ratios_of(options);
  CHECK(std::abs(ratios.ridge - .470) < 0.001);
  CHECK(std::abs(ratios.lasso - .190) < 0.001);
}

// The paper says .49 and .08; the first is what scaling by the largest absolute value gives. No scaling that
// was tried gives the second: .048 unscaled, .121 here, .117 after bringing each attribute to [0, 1].
TEST_CASE("Covertype, each attribute divided by its largest, has ratios .493 and .121") {
  const char* folder = data_folder("GLIMPSE_DATA");
  if (folder == nullptr) return;
  DataOptions options;
  options.data = std::string(folder) + "/covtype.csv.gz";
  options.positive = 2;
  options.scaling = Scaling::kMaxAbs;
  const ImprovementRatios ratios = ratios_of(options);
  CHECK(std::abs(ratios.ridge - .493) < 0.002);
  CHECK(std::abs(ratios.lasso - .121) < 0.002);
}

}  // namespace improvement_ratios_test
