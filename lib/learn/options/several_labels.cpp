#include "learn/options/several_labels.h"

#include <fmt/format.h>

#include "base/option.h"

namespace glimpse {

std::string label_line(const std::vector<std::string>& labels) {
  std::string line;
  for (const std::string& name : labels) {
    if (!line.empty()) line += ',';
    if (name.find_first_of(",\"\n") == std::string::npos) {
      line += name;
      continue;
    }
    line += '"';
    for (const char c : name) {
      if (c == '"') line += '"';
      line += c == '\n' ? ' ' : c;
    }
    line += '"';
  }
  return line;
}

// One forgets for all labels, as they share the pairs, so that a change in one would cost the others theirs.
Status validate_labels(const LearnerOptions& o) {
  if (o.labels.size() < 2) return {};
  const std::string text = label_line(o.labels);
  if (o.labels.size() > LearnerOptions::kMostLabels)
    return failure(ErrorCode::kInvalidOption, "--label: names {} labels; must be at most {}", o.labels.size(),
                   LearnerOptions::kMostLabels);
  if (!keeps_pairs(o.algorithm))
    return invalid_option("label", text,
                          fmt::format("several labels are for {} only, not {}",
                                      algorithm_names(keeps_pairs, " and "), o.algorithm));
  if (o.products > 0) return invalid_option("label", text, "several labels go without --products");
  if (o.look_at_best)
    return invalid_option("label", text, "several labels go without --look-at-best, whose choice is for one");
  if (o.radius)
    return invalid_option("label", text, "several labels go without --radius, which is in units of one");
  if (o.drift == Drift::kAuto)
    return invalid_option(
        "label", text,
        "several labels go without --drift auto, which forgets for all of them: take --half-life");
  for (std::size_t a = 0; a < o.labels.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (o.labels[a] == o.labels[b])
        return invalid_option("label", text, fmt::format("names {} twice", o.labels[a]));
  return {};
}

}  // namespace glimpse
