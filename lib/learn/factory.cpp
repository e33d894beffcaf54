#include <utility>

#include "learn/aer.h"
#include "learn/baseline.h"
#include "learn/gaerr.h"
#include "learn/online_ridge.h"

namespace glimpse {

std::string algorithm_names() { return "aerr, ddaerr, two-phase-ddaerr, online-ridge, aer, baseline"; }

Result<std::unique_ptr<Learner>> make_learner(const LearnerOptions& options, const SecondMoments* known) {
  if (const Status status = validate(options); !status) return status.error();
  const std::string& name = options.algorithm;
  if (known != nullptr && known->dimension() != options.dimension)
    return failure(ErrorCode::kInvalidOption, "--moments: the file has {} attributes, but --dimension is {}",
                   known->dimension(), options.dimension);
  if (known != nullptr && name != "ddaerr")
    return failure(ErrorCode::kInvalidOption,
                   "--moments: only --algorithm ddaerr begins with known moments, not {}", name);

  std::unique_ptr<Learner> learner;
  if (name == "aerr") {
    learner = std::make_unique<Gaerr>(options, aerr_variant(), known);
  } else if (name == "ddaerr") {
    if (known == nullptr)
      return failure(
          ErrorCode::kInvalidOption,
          "--algorithm ddaerr: needs --moments FILE (or use two-phase-ddaerr, which estimates them)");
    learner = std::make_unique<Gaerr>(options, ddaerr_variant(), known);
  } else if (name == "two-phase-ddaerr") {
    learner = std::make_unique<Gaerr>(options, two_phase_ddaerr_variant(options), known);
  } else if (name == "online-ridge") {
    learner = std::make_unique<OnlineRidge>(options);
  } else if (name == "aer") {
    learner = std::make_unique<Aer>(options);
  } else if (name == "baseline") {
    learner = std::make_unique<Baseline>(options);
  } else {
    return failure(ErrorCode::kInvalidOption, "--algorithm {}: must be one of {}", name, algorithm_names());
  }
  return learner;
}

}  // namespace glimpse
