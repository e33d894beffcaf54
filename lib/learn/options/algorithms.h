#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace glimpse {

/// The ball that `radius` is of.
enum class Ball {
  kL2,  ///< ‖w‖₂ ≤ B
  kL1,  ///< Σ|w_i| ≤ B
};

/// Where the rows of the table differ in more than a number.
enum class AlgorithmFamily : std::uint8_t {
  kGradient,  ///< averaged steps against estimated gradients (HK12, KS14, KS15), or exact ones
  kCss10,     ///< those of Cesa-Bianchi, Shalev-Shwartz and Shamir 2010
  kPairs,     ///< keeps moments of pairs of attributes and solves for the model
  kProducts,  ///< finds products of attributes (ABHLT14): learns from all that an example gives
};

/// Which second moments a gradient learner draws by.
enum class DrawsBy : std::uint8_t {
  kNone,              ///< none: all attributes alike
  kKnownMoments,      ///< of --moments FILE
  kEstimatedMoments,  ///< its own, after a phase of uniform draws
};

/// What is to be known of an algorithm by its name: the one place where names mean something.
struct Algorithm {
  std::string_view name;
  AlgorithmFamily family = AlgorithmFamily::kGradient;
  Ball ball = Ball::kL2;
  bool both_balls = false;  ///< `ball` is the one without --ball
  DrawsBy draws_by = DrawsBy::kNone;
  bool full_information = false;  ///< reveals every attribute, has no budget
  bool has_step = true;           ///< false: solves for its model
  bool screens = false;           ///< keeps the pairs of the attributes that explain something
  bool plans_by_price = false;    ///< keeps to --budget-cost
};

/// A row an algorithm; a learner is added with a row here and one in factory.cpp.
inline constexpr std::array kAlgorithms{
    Algorithm{.name = "aerr", .plans_by_price = true},
    Algorithm{.name = "ddaerr", .draws_by = DrawsBy::kKnownMoments, .plans_by_price = true},
    Algorithm{.name = "two-phase-ddaerr", .draws_by = DrawsBy::kEstimatedMoments, .plans_by_price = true},
    Algorithm{.name = "online-ridge", .full_information = true},
    Algorithm{.name = "aelr", .ball = Ball::kL1, .plans_by_price = true},
    Algorithm{
        .name = "ddaelr", .ball = Ball::kL1, .draws_by = DrawsBy::kKnownMoments, .plans_by_price = true},
    Algorithm{.name = "two-phase-ddaelr",
              .ball = Ball::kL1,
              .draws_by = DrawsBy::kEstimatedMoments,
              .plans_by_price = true},
    Algorithm{.name = "online-lasso", .ball = Ball::kL1, .full_information = true},
    Algorithm{.name = "aer", .family = AlgorithmFamily::kCss10, .ball = Ball::kL1},
    Algorithm{.name = "baseline", .family = AlgorithmFamily::kCss10, .ball = Ball::kL1, .has_step = false},
    Algorithm{.name = "pairwise",
              .family = AlgorithmFamily::kPairs,
              .both_balls = true,
              .has_step = false,
              .plans_by_price = true},
    Algorithm{
        .name = "pairwise-screened", .family = AlgorithmFamily::kPairs, .has_step = false, .screens = true},
    Algorithm{.name = "apple", .family = AlgorithmFamily::kProducts, .full_information = true},
};

/// What options.h resolves "auto" to.
inline constexpr std::string_view kPairwise = "pairwise";
inline constexpr std::string_view kScreenedPairwise = "pairwise-screened";
inline constexpr std::string_view kFirstOrder = "two-phase-ddaerr";
inline constexpr std::string_view kKnownMoments = "ddaerr";

/// Whether there is such an algorithm.
bool is_algorithm(std::string_view name);

/// The row of that name; of an unknown name one of defaults.
const Algorithm& algorithm_of(std::string_view name);

inline bool has_l1_ball(std::string_view name) { return algorithm_of(name).ball == Ball::kL1; }
inline bool is_full_information(std::string_view name) { return algorithm_of(name).full_information; }
inline bool has_step(std::string_view name) { return algorithm_of(name).has_step; }
inline bool screens(std::string_view name) { return algorithm_of(name).screens; }
inline bool has_both_balls(std::string_view name) { return algorithm_of(name).both_balls; }
inline bool is_css10(std::string_view name) { return algorithm_of(name).family == AlgorithmFamily::kCss10; }
inline bool keeps_pairs(std::string_view name) {
  return algorithm_of(name).family == AlgorithmFamily::kPairs;
}
/// Finds products of attributes, and needs no ball for its weights.
inline bool finds_products(std::string_view name) {
  return algorithm_of(name).family == AlgorithmFamily::kProducts;
}
inline bool keeps_all_pairs(std::string_view name) { return keeps_pairs(name) && !screens(name); }
inline bool can_forget(std::string_view name) { return !is_css10(name); }
inline bool wants_moments(std::string_view name) {
  return algorithm_of(name).draws_by == DrawsBy::kKnownMoments;
}
inline bool has_two_phases(std::string_view name) {
  return algorithm_of(name).draws_by == DrawsBy::kEstimatedMoments;
}
inline bool plans_by_price(std::string_view name) { return algorithm_of(name).plans_by_price; }
/// A gradient learner that looks at some of the attributes.
bool is_budgeted_first_order(std::string_view name);

/// "aerr, ddaerr, …": all, or those that `has` is true of; with `last` " and " or " or " before the last.
std::string algorithm_names(bool (*has)(std::string_view) = nullptr, std::string_view last = ", ");

}  // namespace glimpse
