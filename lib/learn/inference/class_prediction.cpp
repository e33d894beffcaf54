#include "learn/inference/class_prediction.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "data/text/number.h"

namespace glimpse {

double Clip::apply(double prediction, const LabelRange& seen) const {
  if (kind == Kind::kRange) return std::clamp(prediction, low, high);
  if (kind == Kind::kAuto && !seen.empty()) return std::clamp(prediction, seen.min(), seen.max());
  return prediction;
}

std::string Clip::text() const {
  switch (kind) {
    case Kind::kAuto:
      return "auto";
    case Kind::kOff:
      return "off";
    case Kind::kRange:
      return fmt::format("{}:{}", low, high);
  }
  return {};
}

Result<Clip> parse_clip(std::string_view text) {
  Clip clip;
  if (text == "auto") return clip;
  if (text == "off") {
    clip.kind = Clip::Kind::kOff;
    return clip;
  }
  clip.kind = Clip::Kind::kRange;
  const std::size_t colon = text.find(':');
  const bool numbers = colon != std::string_view::npos && read_number(text.substr(0, colon), clip.low) &&
                       read_number(text.substr(colon + 1), clip.high);
  if (!numbers || !(clip.low < clip.high))
    return failure(ErrorCode::kInvalidOption,
                   "--clip {}: must be auto, off, or LO:HI, two finite numbers with LO below HI", text);
  return clip;
}

double ClassPrediction::margin() const {
  double next = 0;
  for (std::size_t c = 0; c < classes(); ++c)
    if (c != predicted) next = std::max(next, probabilities[c]);
  return next > 0 ? std::log(probability() / next) : std::numeric_limits<double>::infinity();
}

double ClassPrediction::brier(std::size_t of_class) const {
  double sum = of_class < classes() ? 0 : 1;
  for (std::size_t c = 0; c < classes(); ++c) {
    const double error = probabilities[c] - (c == of_class ? 1 : 0);
    sum += error * error;
  }
  return sum;
}

}  // namespace glimpse
