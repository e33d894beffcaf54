#include "lab/experiments/named_options.h"

#include "data/text/number.h"

namespace glimpse {

Result<NamedOptions> parse_named_options(std::string_view option, std::string_view text, std::size_t budget) {
  NamedOptions named;
  named.label = text;
  named.learner.algorithm = text.substr(0, text.find(':'));
  named.learner.budget = budget;
  text.remove_prefix(named.learner.algorithm.size());
  while (!text.empty()) {
    text.remove_prefix(1);  // the colon
    const std::string_view part = text.substr(0, text.find(':'));
    text.remove_prefix(part.size());
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
    double number = 0;
    Status status;
    std::uint64_t count = 0;
    if (name == "step") {
      status = parse_step(value, named.learner);
    } else if (name == "phase1") {
      status = parse_phase1(value, named.learner);
    } else if (name == "radius" && read_number(value, number)) {
      named.learner.radius = number;
    } else if (name == "active" && read_index(value, count)) {
      named.learner.active = count;
    } else if (name == "products" && read_index(value, count)) {
      named.learner.products = count;
    } else {
      return failure(ErrorCode::kInvalidOption,
                     "--{} {}: '{}' is not radius, step, phase1, active or products", option, named.label,
                     part);
    }
    if (!status) return status.error();
  }
  return named;
}

}  // namespace glimpse
