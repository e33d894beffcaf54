#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lab/experiments/parallel.h"

namespace glimpse {

/// What a study of streams in parts runs over: each seed, and for each of these every number of parts.
struct PartRuns {
  const std::vector<std::uint64_t>& parts;  ///< from 1 to `most`
  std::uint64_t most = 0;
  std::string_view of_what;  ///< of which there are `most`, for errors
  std::uint64_t first_seed = 0;
  std::size_t seeds = 0;
};

/// The points of `run(parts, seed)`, a Result of one, in the order of the seeds. Errors: kInvalidOption for a
/// number of parts that is out of range; what `run` says.
template <class Point, class Run>
Result<std::vector<Point>> run_parts(const PartRuns& runs, const Execution& execution, const Run& run) {
  for (const std::uint64_t count : runs.parts)
    if (count < 1 || count > runs.most)
      return failure(ErrorCode::kInvalidOption, "--parts {}: must be from 1 to the {} examples {}", count,
                     runs.most, runs.of_what);
  std::vector<Point> points(runs.seeds * runs.parts.size());
  Progress progress("running", points.size(), execution.quiet);
  const Status status = parallel_for(points.size(), execution.threads, [&](std::size_t job) -> Status {
    const auto point = run(runs.parts[job % runs.parts.size()], runs.first_seed + job / runs.parts.size());
    if (!point) return point.error();
    points[job] = *point;
    progress.advance();
    return {};
  });
  if (!status) return status.error();
  return points;
}

}  // namespace glimpse
