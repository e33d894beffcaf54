// The file of --moments: what is read is sound, and the same after it was written again.

#include <cmath>
#include <string>

#include "daemon/api/http_bodies.h"
#include "fuzzing.h"
#include "learn/gradient/moments_file.h"

namespace glimpse::moments_fuzz {

const Fuzzer fuzzer("moments", [](Input input) {
  const std::size_t dimension = 1 + input.byte() % 4;
  const Exact text(input.rest());
  const auto moments = parse_moments(text.view(), dimension);
  if (!moments) {
    require(!moments.error().message.empty());
    return;
  }
  require(moments->dimension() == dimension);
  MomentsSnapshot snapshot;
  for (std::size_t i = 0; i < dimension; ++i) {
    const Moment moment = (*moments)[i];
    require(moment.second > 0 && std::isfinite(moment.second) && std::isfinite(moment.mean));
    snapshot.rows.push_back({moment, 1});
  }
  const auto again = parse_moments(moments_csv_head() + moments_csv_rows(snapshot), dimension);
  if (!again) {
    // An absolute value beyond a single is not written as a number.
    bool is_finite = true;
    for (const SamplingRow& row : snapshot.rows) is_finite = is_finite && std::isfinite(row.moment.max_abs);
    require(!is_finite);
    return;
  }
  for (std::size_t i = 0; i < dimension; ++i) {
    const Moment a = (*moments)[i];
    const Moment b = (*again)[i];
    require(a.count == b.count && a.mean == b.mean);
    // What was 0 has a millionth of the mean, which is larger by that now.
    require(a.second <= b.second && b.second <= a.second * 1.00001);
  }
});

}  // namespace glimpse::moments_fuzz
