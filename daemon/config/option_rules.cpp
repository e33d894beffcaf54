#include "daemon/config/option_rules.h"

#include "daemon/config/option_table.h"

namespace glimpse {

namespace {

const std::string* value_of(const GivenOptions& given, std::string_view name) {
  const auto found = given.find(name);
  return found == given.end() ? nullptr : &found->second;
}

// Writing down what holds anyway asks for nothing.
bool asks(const DaemonOption& option, const std::string& value) { return value != option.standard; }

// Whether the option is of no use to pairwise, but of some to a first-order learner.
bool is_for_first_order(const DaemonOption& option, const Configuration& configuration) {
  Configuration pairwise = configuration;
  pairwise.learner.algorithm = kPairwise;
  Configuration first_order = configuration;
  first_order.learner.algorithm = kFirstOrder;
  for (const auto& rule : option.rules)
    if (!rule.holds(pairwise) && rule.holds(first_order)) return true;
  return false;
}

void choose(Configuration& configuration, std::string_view algorithm, const char* option) {
  configuration.learner.algorithm = algorithm;
  configuration.algorithm_reason = fmt::format("as --{} is given", option);
}

}  // namespace

void resolve_algorithm(Configuration& configuration, const GivenOptions& given) {
  if (configuration.learner.algorithm != kAutomatic) return;
  if (given.contains("moments")) return choose(configuration, kKnownMoments, "moments");
  if (given.contains("active")) return choose(configuration, kScreenedPairwise, "active");
  for (const OptionSection& section : option_table())
    for (const DaemonOption& option : section.rows) {
      const std::string* value = value_of(given, option.name);
      if (value == nullptr || !asks(option, *value) || !is_for_first_order(option, configuration)) continue;
      return choose(configuration, kFirstOrder, option.name);
    }
}

Status check_rules(const Configuration& configuration, const GivenOptions& given,
                   const GivenOptions& places) {
  const bool is_open = configuration.learner.algorithm == kAutomatic;
  for (const OptionSection& section : option_table())
    for (const DaemonOption& option : section.rows) {
      const std::string* value = value_of(given, option.name);
      if (value == nullptr) continue;
      for (const auto& rule : option.rules) {
        if (rule.holds(configuration)) continue;
        if (is_open && !asks(option, *value) && is_for_first_order(option, configuration)) break;
        const std::string* place = value_of(places, option.name);
        return failure(ErrorCode::kInvalidOption, "{}{}", place == nullptr ? "" : *place,
                       invalid_option(option.name, *value, rule.constraint).message);
      }
    }
  return {};
}

}  // namespace glimpse
