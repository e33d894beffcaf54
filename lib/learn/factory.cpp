#include "learn/factory.h"

#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "learn/apple/apple.h"
#include "learn/css10/aer.h"
#include "learn/css10/baseline.h"
#include "learn/gradient/gaelr.h"
#include "learn/gradient/gaerr.h"
#include "learn/options/pair_products.h"
#include "learn/pairwise/pairwise.h"
#include "learn/pairwise/screened_pairwise.h"
#include "learn/products/product_pairwise.h"
#include "learn/products/screened_products.h"

namespace glimpse {

namespace {

using Make = std::unique_ptr<Learner> (*)(const LearnerOptions&, const SecondMoments*);

template <class Base, auto variant>
std::unique_ptr<Learner> gradient(const LearnerOptions& options, const SecondMoments* known) {
  if constexpr (std::is_invocable_v<decltype(variant), const LearnerOptions&>)
    return std::make_unique<Base>(options, variant(options), known);
  else
    return std::make_unique<Base>(options, variant(), known);
}

template <class Kind>
std::unique_ptr<Learner> plain(const LearnerOptions& options, const SecondMoments*) {
  return std::make_unique<Kind>(options);
}

std::unique_ptr<Learner> pairwise(const LearnerOptions& options, const SecondMoments*) {
  if (options.products > 0) return std::make_unique<ProductPairwise>(options);
  return std::make_unique<Pairwise>(options);
}

// Where all attributes are active and have products, there is nothing to screen.
std::unique_ptr<Learner> screened(const LearnerOptions& options, const SecondMoments* known) {
  if (options.products == 0) return std::make_unique<ScreenedPairwise>(options);
  if (product_places(options) == options.dimension) return pairwise(options, known);
  return std::make_unique<ScreenedProducts>(options);
}

// A row an algorithm, as in kAlgorithms.
constexpr std::pair<std::string_view, Make> kMakers[] = {
    {"aerr", gradient<Gaerr, aerr_variant>},
    {"ddaerr", gradient<Gaerr, ddaerr_variant>},
    {"two-phase-ddaerr", gradient<Gaerr, two_phase_ddaerr_variant>},
    {"online-ridge", gradient<Gaerr, online_ridge_variant>},
    {"aelr", gradient<Gaelr, aelr_variant>},
    {"ddaelr", gradient<Gaelr, ddaelr_variant>},
    {"two-phase-ddaelr", gradient<Gaelr, two_phase_ddaelr_variant>},
    {"online-lasso", gradient<Gaelr, online_lasso_variant>},
    {"aer", plain<Aer>},
    {"baseline", plain<Baseline>},
    {"pairwise", pairwise},
    {"pairwise-screened", screened},
    {"apple", plain<Apple>},
};

// Plans are the first label's, and so is what they may cost.
std::unique_ptr<Learner> of_all_labels(Make make, const LearnerOptions& options, const SecondMoments* known) {
  auto learner = make(options, known);
  LearnerOptions other = options;
  other.labels.clear();
  other.budget_cost.reset();
  for (std::size_t l = 1; l < options.labels.size(); ++l) learner->add_label(make(other, known));
  return learner;
}

constexpr bool has_every_algorithm() {
  if (std::size(kMakers) != kAlgorithms.size()) return false;
  for (std::size_t i = 0; i < kAlgorithms.size(); ++i)
    if (kMakers[i].first != kAlgorithms[i].name) return false;
  return true;
}
static_assert(has_every_algorithm());

}  // namespace

Result<std::unique_ptr<Learner>> make_learner(const LearnerOptions& options, const SecondMoments* known) {
  GLIMPSE_TRY(validate(options));
  const std::string& name = options.algorithm;
  if (known != nullptr && known->dimension() != options.dimension)
    return failure(ErrorCode::kInvalidOption, "--moments: the file has {} attributes, but --dimension is {}",
                   known->dimension(), options.dimension);
  if (known != nullptr && !wants_moments(name))
    return failure(ErrorCode::kInvalidOption,
                   "--moments: only --algorithm {} begin with known moments, not {}",
                   algorithm_names(wants_moments, " and "), name);
  if (known == nullptr && wants_moments(name))
    return failure(ErrorCode::kInvalidOption,
                   "--algorithm {}: needs --moments FILE (or use two-phase-{}, which estimates them)", name,
                   name);

  for (const auto& [algorithm, make] : kMakers)
    if (algorithm == name) return of_all_labels(make, options, known);
  return failure(ErrorCode::kInvalidOption, "--algorithm {}: must be one of {}", name, algorithm_names());
}

}  // namespace glimpse
