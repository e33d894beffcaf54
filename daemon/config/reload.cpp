#include "daemon/config/reload.h"

#include "daemon/config/command_line.h"
#include "daemon/config/option_table.h"
#include "daemon/config/schema_choice.h"

namespace glimpse {

namespace {

// A file that was cut short while it was written must not open doors that were locked.
bool is_named_no_more(const DaemonOption& option, const Configuration& wanted) {
  return option.reload == Reload::kNamedFile && option.type.same(wanted, Configuration());
}

}  // namespace

std::vector<std::string> apply_changes(Configuration& running, const Configuration& wanted) {
  std::vector<std::string> fixed;
  for (const OptionSection& section : option_table())
    for (const DaemonOption& option : section.rows) {
      if (option.type.same(running, wanted)) continue;
      if (is_named_no_more(option, wanted)) {
        fixed.push_back(std::string(option.name) + ", which the configuration names no more,");
      } else if (option.reload == Reload::kNow || option.reload == Reload::kNamedFile) {
        option.type.copy(running, wanted);
      } else if (running.given.contains(option.name) || wanted.given.contains(option.name)) {
        fixed.emplace_back(option.name);  // else another option of the same value was given
      }
    }
  return fixed;
}

Result<Changes> reread_configuration(const std::vector<std::string>& arguments,
                                     const Configuration& running) {
  GLIMPSE_TRY_ASSIGN(const auto wanted, parse_command_line(arguments));
  Configuration next = wanted.configuration;
  if (next.learner.budget == 0) next.learner.budget = running.learner.budget;
  if (next.learner.dimension == 0) next.learner.dimension = running.learner.dimension;
  if (next.learner.algorithm == kAutomatic) next.learner.algorithm = running.learner.algorithm;
  keep_schema(next, running);
  Changes changes{running, {}, wanted.overridden, wanted.places};
  changes.fixed = apply_changes(changes.configuration, next);
  return changes;
}

}  // namespace glimpse
