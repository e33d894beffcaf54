#include "daemon/reports/request_times.h"

#include <algorithm>
#include <fmt/format.h>

namespace glimpse {

void RequestTimes::note(std::string_view path, unsigned status, std::chrono::duration<double> time) {
  const char digit = static_cast<char>('0' + status / 100 % 10);
  auto found = std::find_if(histograms_.begin(), histograms_.end(), [&](const Histogram& histogram) {
    return histogram.status.front() == digit && histogram.path == path;
  });
  if (found == histograms_.end())
    found = histograms_.insert(found, {std::string(path), fmt::format("{}xx", digit), {}});
  const double seconds = std::max(0.0, time.count());
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  ++found->counts[static_cast<std::size_t>(bucket)];
  found->seconds += seconds;
}

}  // namespace glimpse
