#include "learn/factory.h"

#include <utility>

#include "learn/css10/aer.h"
#include "learn/css10/baseline.h"
#include "learn/gradient/gaelr.h"
#include "learn/gradient/gaerr.h"
#include "learn/pairwise/pairwise.h"
#include "learn/pairwise/screened_pairwise.h"

namespace glimpse {

std::string algorithm_names() {
  return "aerr, ddaerr, two-phase-ddaerr, online-ridge, aelr, ddaelr, two-phase-ddaelr, online-lasso, aer, "
         "baseline, pairwise, pairwise-screened";
}

Result<std::unique_ptr<Learner>> make_learner(const LearnerOptions& options, const SecondMoments* known) {
  if (const Status status = validate(options); !status) return status.error();
  const std::string& name = options.algorithm;
  if (known != nullptr && known->dimension() != options.dimension)
    return failure(ErrorCode::kInvalidOption, "--moments: the file has {} attributes, but --dimension is {}",
                   known->dimension(), options.dimension);
  if (known != nullptr && !wants_moments(name))
    return failure(ErrorCode::kInvalidOption,
                   "--moments: only --algorithm ddaerr and ddaelr begin with known moments, not {}", name);
  if (known == nullptr && wants_moments(name))
    return failure(ErrorCode::kInvalidOption,
                   "--algorithm {}: needs --moments FILE (or use two-phase-{}, which estimates them)", name,
                   name);

  const auto ridge = [&](const Gaerr::Variant& variant) -> std::unique_ptr<Learner> {
    return std::make_unique<Gaerr>(options, variant, known);
  };
  const auto lasso = [&](const Gaelr::Variant& variant) -> std::unique_ptr<Learner> {
    return std::make_unique<Gaelr>(options, variant, known);
  };
  if (name == "aerr") return ridge(aerr_variant());
  if (name == "ddaerr") return ridge(ddaerr_variant());
  if (name == "two-phase-ddaerr") return ridge(two_phase_ddaerr_variant(options));
  if (name == "online-ridge") return ridge(online_ridge_variant());
  if (name == "aelr") return lasso(aelr_variant());
  if (name == "ddaelr") return lasso(ddaelr_variant());
  if (name == "two-phase-ddaelr") return lasso(two_phase_ddaelr_variant(options));
  if (name == "online-lasso") return lasso(online_lasso_variant());
  if (name == "aer") return std::make_unique<Aer>(options);
  if (name == "baseline") return std::make_unique<Baseline>(options);
  if (name == "pairwise") return std::make_unique<Pairwise>(options);
  if (name == "pairwise-screened") return std::make_unique<ScreenedPairwise>(options);
  return failure(ErrorCode::kInvalidOption, "--algorithm {}: must be one of {}", name, algorithm_names());
}

}  // namespace glimpse
