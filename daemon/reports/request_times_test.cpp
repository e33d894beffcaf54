#include <doctest/doctest.h>
#include <numeric>

#include "daemon/reports/metrics.h"

namespace request_times_test {

using namespace glimpse;
using namespace std::chrono_literals;

TEST_CASE("a time counts in the first bucket whose bound it does not pass") {
  RequestTimes times;
  times.note("/metrics", 200, 0s);
  times.note("/metrics", 200, 500us);
  times.note("/metrics", 200, 501us);
  times.note("/metrics", 200, 30s);
  times.note("/metrics", 200, 31s);
  times.note("/metrics", 200, -1s);  // a clock that went back
  REQUIRE(times.histograms().size() == 1);
  const auto& histogram = times.histograms().front();
  CHECK(histogram.counts[0] == 3);
  CHECK(histogram.counts[1] == 1);
  CHECK(histogram.counts[RequestTimes::kBounds.size() - 1] == 1);
  CHECK(histogram.counts[RequestTimes::kBounds.size()] == 1);
  CHECK(std::accumulate(histogram.counts.begin(), histogram.counts.end(), 0) == 6);
  CHECK(histogram.seconds == doctest::Approx(61.001001));
}

TEST_CASE("each path and class of status has a histogram of its own") {
  RequestTimes times;
  for (const unsigned status : {200U, 204U, 404U, 400U, 503U}) times.note("/v1/learn", status, 1ms);
  times.note("/v1/predict", 200, 1ms);
  std::vector<std::string> names;
  for (const auto& histogram : times.histograms()) names.push_back(histogram.path + " " + histogram.status);
  CHECK(names ==
        std::vector<std::string>{"/v1/learn 2xx", "/v1/learn 4xx", "/v1/learn 5xx", "/v1/predict 2xx"});
}

}  // namespace request_times_test
