#include "learn/options/options.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "learn/options/budget_limit.h"
#include "learn/options/pair_products.h"
#include "stats/pair_moments.h"

namespace glimpse {

Status parse_step(std::string_view text, LearnerOptions& options) {
  if (text == "auto" || text == "theory") {
    options.step = text == "auto" ? StepKind::kAuto : StepKind::kTheory;
    return {};
  }
  constexpr std::string_view kAdaGrad = "adagrad";
  constexpr std::string_view kDefaultRate = "0.1";
  const bool adagrad = text == kAdaGrad || text.starts_with("adagrad:");
  const std::string_view rate = !adagrad           ? text
                                : text == kAdaGrad ? kDefaultRate
                                                   : text.substr(kAdaGrad.size() + 1);
  const auto number = finite_number(rate);
  if (!number || *number <= 0)
    return invalid_option("step", text, "must be theory, auto, a number above 0, adagrad or adagrad:NUMBER");
  options.step = adagrad ? StepKind::kAdaGrad : StepKind::kNumber;
  options.step_number = *number;
  return {};
}

Status parse_phase1(std::string_view text, LearnerOptions& options) {
  options.phase1_examples.reset();
  options.phase1_fraction.reset();
  if (text == "auto") return {};
  const bool percent = text.ends_with('%');
  const auto number = finite_number(percent ? text.substr(0, text.size() - 1) : text);
  if (number && percent && *number > 0 && *number < 100) {
    options.phase1_fraction = *number / 100;
    return {};
  }
  if (number && !percent && *number >= 1 && *number <= 1e15 && std::floor(*number) == *number) {
    options.phase1_examples = static_cast<std::uint64_t>(*number);
    return {};
  }
  return invalid_option(
      "phase1", text,
      "must be auto, a number of examples from 1, or a share of the horizon between 0% and 100%");
}

Status parse_confidence(std::string_view text, LearnerOptions& options) {
  if (text == "theory") {
    options.confidence.reset();
    return {};
  }
  const auto number = finite_number(text);
  if (!number || *number < 0) return invalid_option("confidence", text, "must be theory or a number from 0");
  options.confidence = *number;
  return {};
}

namespace {

// The square of a radius, times squares of attributes, is still a number.
constexpr double kSmallestRadius = 1e-30;
constexpr double kLargestRadius = 1e30;

// What the algorithms of Cesa-Bianchi et al. 2010 ask for beside what all do.
Status validate_css10(const LearnerOptions& o) {
  constexpr std::size_t kLargestTriangle = (std::size_t{1} << 30) / sizeof(double);
  if (has_step(o.algorithm)) {
    if (o.step == StepKind::kAuto || o.step == StepKind::kAdaGrad)
      return invalid_option(
          "step", o.step == StepKind::kAuto ? "auto" : "adagrad",
          fmt::format(
              "{} has no such step; must be a number S (the step is S/t) or theory (with --horizon M)",
              o.algorithm));
    if (o.step == StepKind::kTheory && !o.horizon)
      return invalid_option("step", "theory",
                            "needs --horizon M, the number of examples to come (or use --step S)");
    return {};
  }
  std::size_t largest = 1;
  while ((largest + 1) * (largest + 2) / 2 <= kLargestTriangle) ++largest;
  if (o.bias) --largest;
  if (o.dimension > largest)
    return invalid_option(
        "dimension", fmt::format("{}", o.dimension),
        fmt::format(
            "{} keeps a number for every pair of attributes, at most 1 GiB of them; must be at most {}",
            o.algorithm, largest));
  return {};
}

Status validate_phase1(const LearnerOptions& o) {
  constexpr const char* kOnePhase = "is for algorithms of two phases (two-phase-...) only";
  if (o.phase1_radius) {
    const std::string text = fmt::format("{}", *o.phase1_radius);
    if (!has_two_phases(o.algorithm)) return invalid_option("phase1-radius", text, kOnePhase);
    if (!o.radius) return invalid_option("phase1-radius", text, "needs --radius B, that of the second phase");
  }
  if (o.phase1_step) {
    const std::string text = fmt::format("{}", *o.phase1_step);
    if (!has_two_phases(o.algorithm)) return invalid_option("phase1-step", text, kOnePhase);
    if (!(*o.phase1_step > 0)) return invalid_option("phase1-step", text, "must be above 0");
    if (o.step != StepKind::kNumber && o.step != StepKind::kAdaGrad)
      return invalid_option("phase1-step", text, "needs a number as --step, that of the second phase");
  }
  return {};
}

Status validate_outliers(const LearnerOptions& o) {
  if (o.max_importance && !(*o.max_importance > 0 && *o.max_importance <= kLargestMagnitude))
    return invalid_option("max-importance", fmt::format("{}", *o.max_importance),
                          fmt::format("must be above 0 and at most {:g}", kLargestMagnitude));
  return {};
}

Status validate_forgetting(const LearnerOptions& o) {
  constexpr const char* kPlain =
      "is for pairwise, pairwise-screened, the gradient learners, online-... and apple only";
  constexpr const char* kTheory = "contradicts --step theory, which is made for all --horizon M examples";
  constexpr std::uint64_t kLongest = 1000000000000;
  if (o.half_life) {
    const std::string text = fmt::format("{}", *o.half_life);
    if (!can_forget(o.algorithm)) return invalid_option("half-life", text, kPlain);
    if (*o.half_life < 1 || *o.half_life > kLongest)
      return invalid_option("half-life", text, fmt::format("must be from 1 to {} examples", kLongest));
    if (o.step == StepKind::kTheory) return invalid_option("half-life", text, kTheory);
    if (o.step == StepKind::kAdaGrad)
      return invalid_option("half-life", text,
                            "contradicts --step adagrad, whose steps fall with all gradients so far");
  }
  if (o.drift == Drift::kAuto && !can_forget(o.algorithm)) return invalid_option("drift", "auto", kPlain);
  if (o.drift == Drift::kAuto && is_budgeted_first_order(o.algorithm) && draws_of(o) == Draws::kSeparate &&
      o.budget < 4)
    return invalid_option("drift", "auto",
                          "needs --draws pairs or a --budget of 4: it compares two draws of one kind");
  if (o.drift == Drift::kAuto && o.step == StepKind::kTheory) return invalid_option("drift", "auto", kTheory);
  return {};
}

// The theorems' steps are for the papers' estimators.
Status validate_draws(const LearnerOptions& o) {
  const auto for_first_order = [] {
    return fmt::format("is for {} only", algorithm_names(is_budgeted_first_order, " and "));
  };
  constexpr const char* kNoTheory =
      "the papers have no step for it (--step theory); must be auto or a number";
  const bool first_order = is_budgeted_first_order(o.algorithm);
  if (o.draws == Draws::kPairs) {
    if (!first_order) return invalid_option("draws", "pairs", for_first_order());
    if (o.step == StepKind::kTheory) return invalid_option("draws", "pairs", kNoTheory);
    if (o.split == Split::kPaper)
      return invalid_option("draws", "pairs", "leaves nothing to share out as --split paper would");
  }
  if (o.control_variates == true) {
    if (!first_order) return invalid_option("control-variates", "on", for_first_order());
    if (o.step == StepKind::kTheory) return invalid_option("control-variates", "on", kNoTheory);
    if (!o.bias)
      return invalid_option("control-variates", "on",
                            "needs --bias on, which takes up what the means explain");
  }
  return {};
}

Status validate_best(const LearnerOptions& o) {
  if (o.look_at_best == 0) return {};
  const auto refuse = [&](const std::string& why) {
    return invalid_option("look-at-best", fmt::format("{}", o.look_at_best), why);
  };
  if (!keeps_pairs(o.algorithm))
    return refuse(fmt::format("is for {} only, which know the attributes' pairs",
                              algorithm_names(keeps_pairs, " and ")));
  if (o.products > 0) return refuse("contradicts --products: attributes are chosen for what they add alone");
  if (o.look_at_best > kMostBest) return refuse(fmt::format("must be at most {}", kMostBest));
  if (o.look_at_best >= o.dimension)
    return refuse(fmt::format("must be below --dimension {}: there is nothing to choose", o.dimension));
  if (screens(o.algorithm) && o.look_at_best > active_limit(o))
    return refuse(
        fmt::format("must be at most {}, which attributes may be active (--active, or what "
                    "--pair-memory has room for): the best are chosen among these",
                    active_limit(o)));
  return {};
}

// What apple has not, and its own bounds.
Status validate_products(const LearnerOptions& o) {
  constexpr double kLargestExponent = 2;
  constexpr std::size_t kLargestFeatures = std::size_t{1} << 31;
  if (!finds_products(o.algorithm)) return {};
  if (o.radius)
    return invalid_option("radius", fmt::format("{}", *o.radius),
                          fmt::format("{} keeps its weights in no ball: leave it out", o.algorithm));
  if (o.step == StepKind::kTheory || o.step == StepKind::kAdaGrad)
    return invalid_option(
        "step", o.step == StepKind::kTheory ? "theory" : "adagrad",
        fmt::format("{} has adaptive steps of its own; must be auto, or a number as its learning rate",
                    o.algorithm));
  if (!(o.expansion_exponent >= 0 && o.expansion_exponent <= kLargestExponent))
    return invalid_option("expansion-exponent", fmt::format("{}", o.expansion_exponent),
                          fmt::format("must be from 0 to {}", kLargestExponent));
  if (o.max_features < 1 || o.max_features > kLargestFeatures)
    return invalid_option("max-features", fmt::format("{}", o.max_features),
                          fmt::format("must be from 1 to {}", kLargestFeatures));
  return {};
}

constexpr std::size_t kFewestActive = 2;

Status validate_active(const LearnerOptions& o) {
  if (!screens(o.algorithm)) {
    if (!o.active) return {};
    return invalid_option("active", fmt::format("{}", *o.active),
                          fmt::format("is for {} only", algorithm_names(screens)));
  }
  const std::uint64_t largest = PairMoments::largest_dimension(o.pair_memory);
  if (largest < kFewestActive)
    return invalid_option(
        "pair-memory", fmt::format("{}", o.pair_memory),
        fmt::format("must be at least {}, for two attributes", PairMoments::memory_bytes(kFewestActive)));
  if (o.active && (*o.active < kFewestActive || *o.active > largest))
    return invalid_option(
        "active", fmt::format("{}", *o.active),
        fmt::format("must be from {} to {}, or --pair-memory larger", kFewestActive, largest));
  return {};
}

bool learns_from_one(std::string_view name) { return is_full_information(name) || keeps_all_pairs(name); }

Status validate_sizes(const LearnerOptions& o) {
  constexpr std::size_t kLargestDimension = std::size_t{1} << 31;
  const bool full_information = is_full_information(o.algorithm);
  if (o.dimension < 1 || o.dimension > kLargestDimension)
    return invalid_option("dimension", fmt::format("{}", o.dimension),
                          fmt::format("must be from 1 to {}", kLargestDimension));
  if (o.dimension == 1 && !learns_from_one(o.algorithm))
    return invalid_option("dimension", "1",
                          fmt::format("must be at least 2 for {}, which chooses among attributes; of one, {} "
                                      "learns",
                                      o.algorithm, algorithm_names(learns_from_one, " or ")));
  if (!full_information && o.dimension > 1 && o.budget < 2)
    return invalid_option("budget", fmt::format("{}", o.budget),
                          keeps_pairs(o.algorithm)
                              ? "must be at least 2: a product is of two attributes"
                              : "must be at least 2: one draw for each of the two estimators");
  if (!full_information && o.budget > o.dimension)
    return invalid_option("budget", fmt::format("{}", o.budget),
                          fmt::format("must be at most --dimension {}", o.dimension));
  return {};
}

Status validate_ball(const LearnerOptions& o) {
  const auto is_radius = [](double radius) { return radius >= kSmallestRadius && radius <= kLargestRadius; };
  for (const auto& [name, radius] : {std::pair("radius", o.radius), {"phase1-radius", o.phase1_radius}})
    if (radius && !is_radius(*radius))
      return invalid_option(name, fmt::format("{}", *radius),
                            fmt::format("must be from {:g} to {:g}", kSmallestRadius, kLargestRadius));
  if (const Algorithm& algorithm = algorithm_of(o.algorithm);
      o.ball && *o.ball != algorithm.ball && !algorithm.both_balls)
    return invalid_option(
        "ball", *o.ball == Ball::kL1 ? "l1" : "l2",
        fmt::format("{} keeps its weights in an {} ball; {} alone has both", o.algorithm,
                    algorithm.ball == Ball::kL1 ? "L1" : "L2", algorithm_names(has_both_balls)));
  if (has_l1_ball(o.algorithm) && !o.radius)
    return failure(ErrorCode::kInvalidOption,
                   "--algorithm {}: needs --radius B, the largest sum of the weights' absolute values",
                   o.algorithm);
  return {};
}

}  // namespace

Status validate(const LearnerOptions& o) {
  GLIMPSE_TRY(validate_sizes(o));
  GLIMPSE_TRY(validate_ball(o));
  GLIMPSE_TRY(validate_active(o));
  if (keeps_all_pairs(o.algorithm) && PairMoments::memory_bytes(o.dimension) > o.pair_memory)
    return invalid_option(
        "dimension", fmt::format("{}", o.dimension),
        fmt::format("{} would keep {} bytes for the pairs of attributes, but --pair-memory is {}; must be "
                    "at most {}, or --pair-memory larger (or use {})",
                    o.algorithm, PairMoments::memory_bytes(o.dimension), o.pair_memory,
                    PairMoments::largest_dimension(o.pair_memory), kScreenedPairwise));
  if (is_css10(o.algorithm)) GLIMPSE_TRY(validate_css10(o));
  if (o.looks == Looks::kUniform && !keeps_all_pairs(o.algorithm))
    return invalid_option("looks", "uniform",
                          fmt::format("is for {} only", algorithm_names(keeps_all_pairs)));
  GLIMPSE_TRY(validate_products(o));
  GLIMPSE_TRY(validate_pair_products(o));
  GLIMPSE_TRY(validate_best(o));
  GLIMPSE_TRY(validate_phase1(o));
  GLIMPSE_TRY(validate_draws(o));
  GLIMPSE_TRY(validate_budget_cost(o));
  if (o.step == StepKind::kTheory && !o.horizon)
    return invalid_option("step", "theory",
                          "needs --horizon M, the number of examples to come (or use --step auto)");
  if (o.horizon && *o.horizon < 1) return invalid_option("horizon", "0", "must be at least 1");
  if (o.phase1_fraction && !o.horizon)
    return invalid_option("phase1", fmt::format("{}%", *o.phase1_fraction * 100),
                          "a share needs --horizon M (or use --phase1 auto)");
  if (o.phase1_examples && o.horizon && *o.phase1_examples >= *o.horizon)
    return invalid_option("phase1", fmt::format("{}", *o.phase1_examples),
                          fmt::format("must be below --horizon {}", *o.horizon));
  GLIMPSE_TRY(validate_outliers(o));
  GLIMPSE_TRY(validate_labels(o));
  GLIMPSE_TRY(validate_forgetting(o));
  if (!(o.delta > 0 && o.delta < 1))
    return invalid_option("delta", fmt::format("{}", o.delta), "must be between 0 and 1");
  if (o.half_norm && !(*o.half_norm > 0))
    return invalid_option("half-norm", fmt::format("{}", *o.half_norm), "must be above 0");
  return {};
}

std::vector<std::string> lacks_of_theory(const LearnerOptions& o) {
  if (o.step != StepKind::kTheory || is_css10(o.algorithm)) return {};
  std::vector<std::string> lacks;
  if (!o.radius) lacks.emplace_back("--radius B, the norm of the weights that it compares with");
  if (o.bias) lacks.emplace_back("--bias off, as the theorems have no intercept");
  if (has_two_phases(o.algorithm) && o.confidence)
    lacks.emplace_back("--confidence theory, with which the estimated moments are bounds");
  if (has_two_phases(o.algorithm) && !phase1_length(o))
    lacks.emplace_back("--phase1 N, as the theorems have a length that does not depend on the data");
  return lacks;
}

std::string automatic_algorithm(const LearnerOptions& o) {
  if (o.dimension == 1 && !o.budget_cost) return "online-ridge";  // there is nothing to choose
  if (PairMoments::memory_bytes(o.dimension) <= o.pair_memory) return std::string(kPairwise);
  const bool holds_a_pair = PairMoments::largest_dimension(o.pair_memory) >= kFewestActive;
  return std::string(holds_a_pair && !o.budget_cost ? kScreenedPairwise : kFirstOrder);
}

namespace {

bool may_depart_from_papers(const LearnerOptions& o) {
  return is_budgeted_first_order(o.algorithm) && o.step != StepKind::kTheory;
}
Draws draws_without_limit(const LearnerOptions& o) {
  const bool pairs = may_depart_from_papers(o) && o.split == Split::kEven;
  return o.draws.value_or(pairs ? Draws::kPairs : Draws::kSeparate);
}

}  // namespace

Draws draws_of(const LearnerOptions& o) { return o.budget_cost ? Draws::kSeparate : draws_without_limit(o); }

bool uses_control_variates(const LearnerOptions& o) {
  return o.control_variates.value_or(may_depart_from_papers(o) && o.bias);
}

std::size_t active_limit(const LearnerOptions& o) {
  const auto most = static_cast<std::size_t>(PairMoments::largest_dimension(o.pair_memory));
  return std::min(o.dimension, o.active.value_or(std::min(kStandardActive, most - product_features(o))));
}

std::optional<double> radius_of_phase1(const LearnerOptions& o) {
  return o.phase1_radius ? o.phase1_radius : o.radius;
}

std::optional<std::uint64_t> phase1_length(const LearnerOptions& o) {
  if (o.phase1_examples) return o.phase1_examples;
  if (!o.phase1_fraction || !o.horizon) return std::nullopt;
  const double share = *o.phase1_fraction * static_cast<double>(*o.horizon);
  return share < 1 ? 1 : static_cast<std::uint64_t>(share);
}

std::string describe(const LearnerOptions& o) {
  const auto optional = [](const auto& value, const char* none) {
    return value ? fmt::format("{}", *value) : std::string(none);
  };
  std::string step = o.step == StepKind::kTheory    ? "theory"
                     : o.step == StepKind::kAuto    ? "auto"
                     : o.step == StepKind::kAdaGrad ? fmt::format("adagrad:{}", o.step_number)
                                                    : fmt::format("{}", o.step_number);
  const auto phase1 = phase1_length(o);
  std::string choices;  // those that there were not from the beginning, where they were made
  // Not draws_of(), which depends on the limit: a user who removes the limit reads of the limit, not of
  // draws.
  if (draws_without_limit(o) == Draws::kPairs) choices += "draws=pairs\n";
  if (o.budget_cost && is_budgeted_first_order(o.algorithm)) choices += "budget-cost=on\n";
  if (uses_control_variates(o)) choices += "control-variates=on\n";
  if (o.phase1_radius) choices += fmt::format("phase1-radius={}\n", *o.phase1_radius);
  if (o.phase1_step) choices += fmt::format("phase1-step={}\n", *o.phase1_step);
  if (o.half_life) choices += fmt::format("half-life={}\n", *o.half_life);
  if (o.drift == Drift::kAuto) choices += "drift=auto\n";
  if (has_both_balls(o.algorithm) && o.ball == Ball::kL1) choices += "ball=l1\n";
  if (screens(o.algorithm)) choices += fmt::format("active={}\n", active_limit(o));
  if (o.looks == Looks::kUniform) choices += "looks=uniform\n";
  if (o.products > 0) choices += fmt::format("products={}\n", o.products);
  if (o.labels.size() > 1) choices += "labels=" + label_line(o.labels) + '\n';
  if (finds_products(o.algorithm))
    choices += fmt::format("expansion-exponent={}\nmax-features={}\nfallback-parent={}\n",
                           o.expansion_exponent, o.max_features, o.fallback_parent ? "on" : "off");
  return fmt::format(
      "algorithm={}\ndimension={}\nbudget={}\nradius={}\nstep={}\nhorizon={}\nphase1={}\ndelta={}"
      "\nconfidence={}\nsplit={}\n"
      "inner-sampling={}\nhalf-norm={}\nbias={}\n{}",
      o.algorithm, o.dimension, is_full_information(o.algorithm) ? o.dimension : o.budget,
      optional(o.radius, "none"), step, optional(o.horizon, "unknown"), optional(phase1, "auto"), o.delta,
      optional(o.confidence, "theory"), o.split == Split::kEven ? "even" : "paper",
      o.inner_sampling == InnerSampling::kImproved ? "improved" : "plain", optional(o.half_norm, "unknown"),
      o.bias ? "on" : "off", choices);
}

}  // namespace glimpse
