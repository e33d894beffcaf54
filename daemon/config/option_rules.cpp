#include "daemon/config/option_rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <utility>

namespace glimpse {

namespace {

bool has_phases(const Configuration& c) { return has_two_phases(c.learner.algorithm); }
bool samples(const Configuration& c) { return !is_full_information(c.learner.algorithm); }

bool steps(const Configuration& c) { return has_step(c.learner.algorithm); }
bool has_two_estimators(const Configuration& c) { return steps(c); }
bool weighs_inner_draws(const Configuration& c) {
  return !is_css10(c.learner.algorithm) && has_two_estimators(c);
}
bool draws_first_order(const Configuration& c) { return is_budgeted_first_order(c.learner.algorithm); }
bool keeps_parts_apart(const Configuration& c) { return draws_of(c.learner) == Draws::kSeparate; }
bool uses_horizon(const Configuration& c) {
  return (c.learner.step == StepKind::kTheory && steps(c)) ||
         (has_phases(c) && (c.learner.phase1_fraction || c.learner.phase1_examples));
}
bool is_two_phase_ddaerr(const Configuration& c) {
  return has_two_phases(c.learner.algorithm) && !has_l1_ball(c.learner.algorithm);
}
bool has_radius(const Configuration& c) { return c.learner.radius.has_value(); }
bool has_pairs(const Configuration& c) {
  return keeps_pairs(c.learner.algorithm) || c.learner.algorithm == kAutomatic;
}
bool screens(const Configuration& c) { return glimpse::screens(c.learner.algorithm); }
bool confidence_by_theory(const Configuration& c) { return !c.learner.confidence; }
bool step_by_theory(const Configuration& c) { return c.learner.step == StepKind::kTheory; }
bool may_be_svmlight(const Configuration& c) {
  return c.format == Format::kAuto || c.format == Format::kSvmlight;
}
bool may_be_csv(const Configuration& c) { return c.format == Format::kAuto || c.format == Format::kCsv; }
bool has_costs(const Configuration& c) { return !c.costs_file.empty(); }
bool has_http(const Configuration& c) { return c.http.has_value(); }
bool reads_stdin(const Configuration& c) {
  return std::find(c.inputs.begin(), c.inputs.end(), "-") != c.inputs.end();
}
bool has_tcp(const Configuration& c) {
  const auto may_be = [](const Address& address) { return address.kind != Address::Kind::kUnix; };
  return std::any_of(c.listen.begin(), c.listen.end(), may_be) || (c.http && may_be(*c.http));
}
bool has_unix(const Configuration& c) {
  const auto is = [](const Address& address) { return address.kind == Address::Kind::kUnix; };
  return std::any_of(c.listen.begin(), c.listen.end(), is) || (c.http && is(*c.http));
}
bool has_door(const Configuration& c) { return !c.listen.empty() || c.http.has_value(); }
bool keeps_state(const Configuration& c) { return !c.state_directory.empty(); }
// A named checkpoint is read wherever it lies, also where none are written.
bool can_restore(const Configuration& c) {
  return keeps_state(c) || (c.restore != "auto" && c.restore != "never");
}

struct Rule {
  const char* option;
  bool (*has_effect)(const Configuration&);
  const char* constraint;
};

constexpr const char* kPhases = "has an effect on algorithms of two phases (two-phase-...) only";
constexpr const char* kSampling = "has no effect on algorithms that look at every attribute (online-...)";
constexpr const char* kGradientOnly =
    "has an effect on aerr, ddaerr, two-phase-ddaerr, aelr, ddaelr and two-phase-ddaelr only";
constexpr const char* kCheckpoints = "has no effect without --state-directory DIR";

// The first that is broken is told.
constexpr Rule kRules[] = {
    {"phase1", has_phases, kPhases},
    {"phase1-radius", has_phases, kPhases},
    {"phase1-step", has_phases, kPhases},
    {"confidence", has_phases, kPhases},
    {"delta", has_phases, kPhases},
    {"delta", confidence_by_theory, "has no effect without --confidence theory"},
    {"half-norm", has_phases, kPhases},
    {"half-norm", is_two_phase_ddaerr, "has an effect on two-phase-ddaerr only"},
    {"half-norm", step_by_theory, "has no effect without --step theory"},
    {"step", steps, "has no effect on baseline and pairwise, which solve for their weights"},
    {"horizon", uses_horizon, "has no effect without --step theory or a given --phase1"},
    {"split", samples, kSampling},
    {"split", has_two_estimators, "has no effect on baseline and pairwise, which draw pairs"},
    {"inner-sampling", samples, kSampling},
    {"inner-sampling", weighs_inner_draws,
     "has no effect on aer, which draws by |w|, nor on baseline and pairwise"},
    {"draws", draws_first_order, kGradientOnly},
    {"control-variates", draws_first_order, kGradientOnly},
    {"split", keeps_parts_apart,
     "has no effect unless --draws separate: of pairs every draw serves both estimators"},
    {"pair-memory", has_pairs, "has an effect on --algorithm pairwise and pairwise-screened only"},
    {"active", screens, "has an effect on --algorithm pairwise-screened only"},
    {"ball", has_radius, "has no effect without --radius B"},
    {"budget-cost", has_costs, "has no effect without --costs FILE: without prices --budget is the limit"},
    {"total-cost", has_costs,
     "has no effect without --costs FILE: without prices --total-budget is the limit"},
    {"max-plans", has_http, "has no effect without --http ADDRESS, where plans are asked for"},
    {"token-file", has_door, "has no effect without a door: --listen or --http"},
    {"tls-cert", has_tcp, "has no effect without a TCP door"},
    {"socket-group", has_unix, "has no effect without a door unix:PATH"},
    {"max-requests", has_http, "has no effect without --http ADDRESS"},
    {"plan-ttl", has_http, "has no effect without --http ADDRESS, where plans are asked for"},
    {"solver", has_pairs, "has an effect on --algorithm pairwise and pairwise-screened only"},
    {"index-base", may_be_svmlight, "is for --format svmlight or auto only"},
    {"label-column", may_be_csv, "is for --format csv or auto only"},
    {"delimiter", may_be_csv, "is for --format csv or auto only"},
    {"checkpoint-every", keeps_state, kCheckpoints},
    {"checkpoint-examples", keeps_state, kCheckpoints},
    {"checkpoint-share", keeps_state, kCheckpoints},
    {"checkpoint-keep", keeps_state, kCheckpoints},
    {"restore", can_restore, kCheckpoints},
    {"stdin-source", keeps_state, kCheckpoints},
    {"stdin-source", reads_stdin, "has no effect without --input -"},
    {"max-sources", keeps_state, kCheckpoints},
    {"max-opening", keeps_state, kCheckpoints},
};

// What options of the first-order learners are where nobody gives them. Writing that down asks for nothing.
constexpr std::pair<std::string_view, std::string_view> kDefaults[] = {
    {"step", "auto"},
    {"phase1", "auto"},
    {"confidence", "0"},
    {"draws", "pairs"},
    {"split", "even"},
    {"control-variates", "on"},
    {"inner-sampling", "improved"},
};

bool is_default(std::string_view option, std::string_view value) {
  return std::find(std::begin(kDefaults), std::end(kDefaults), std::pair(option, value)) !=
         std::end(kDefaults);
}

}  // namespace

void resolve_algorithm(Configuration& configuration,
                       const std::function<const std::string*(const char*)>& given) {
  std::string& algorithm = configuration.learner.algorithm;
  if (algorithm != kAutomatic) return;
  if (given("moments") != nullptr) {
    algorithm = kKnownMoments;
    configuration.algorithm_reason = "as --moments is given";
    return;
  }
  if (given("active") != nullptr) {
    algorithm = kScreenedPairwise;
    configuration.algorithm_reason = "as --active is given";
    return;
  }
  Configuration pairwise = configuration;
  pairwise.learner.algorithm = kPairwise;
  Configuration first_order = configuration;
  first_order.learner.algorithm = kFirstOrder;
  for (const Rule& rule : kRules) {
    const std::string* value = given(rule.option);
    if (value == nullptr || is_default(rule.option, *value)) continue;
    if (rule.has_effect(pairwise) || !rule.has_effect(first_order)) continue;
    algorithm = first_order.learner.algorithm;
    configuration.algorithm_reason = fmt::format("as --{} is given", rule.option);
    return;
  }
}

Status check_effects(const Configuration& configuration,
                     const std::function<const std::string*(const char*)>& given) {
  for (const Rule& rule : kRules) {
    const std::string* value = given(rule.option);
    if (configuration.learner.algorithm == kAutomatic && value != nullptr && is_default(rule.option, *value))
      continue;
    if (value != nullptr && !rule.has_effect(configuration))
      return failure(ErrorCode::kInvalidOption, "--{} {}: {}", rule.option, *value, rule.constraint);
  }
  return {};
}

}  // namespace glimpse
