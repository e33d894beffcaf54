#include "learn/options/state_options.h"

#include "base/numbers.h"

namespace glimpse {

std::string_view option_of(const State& state, std::string_view name) {
  const auto text = state.get_text("learner.options");
  if (!text) return {};
  for (std::string_view rest = *text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.starts_with(name) && line.substr(name.size()).starts_with('='))
      return line.substr(name.size() + 1);
    rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : rest.size());
  }
  return {};
}

std::size_t number_of(const State& state, std::string_view name) {
  std::string_view text = option_of(state, name);
  return take_number<std::size_t>(text).value_or(0);
}

}  // namespace glimpse
