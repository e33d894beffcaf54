#include "streams.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <vector>

#include "base/random.h"
#include "common/example_writer.h"
#include "common/output.h"

namespace glimpse {

namespace {

constexpr std::size_t kGiven = 100;  // attributes of a sparse example
constexpr double kNoise = 0.1;

std::vector<double> hidden_weights(std::size_t dimension) {
  Random random(1);
  std::vector<double> weights(dimension);
  for (std::size_t i = 0; i < dimension; ++i)
    weights[i] = (random.uniform() - 0.5) / std::sqrt(1 + static_cast<double>(i) / 10);
  return weights;
}

// Five decimals, so that labels are as long in text as attributes are.
double label_of(double sum, Random& random) {
  return std::round((sum + kNoise * (random.uniform() - 0.5)) * 1e5) / 1e5;
}

void fill_dense(Random& random, std::vector<double>& values) {
  for (double& value : values) value = static_cast<double>(random.below(2'000'001)) / 1e6 - 1;
  for (double& value : values) value = std::round(value * 1e6) / 1e6;
}

// Runs of eight or so, as strokes of a pen are.
void fill_picture(Random& random, std::vector<double>& values) {
  std::fill(values.begin(), values.end(), 0.0);
  for (std::size_t at = random.below(64); at < values.size(); at += 16 + random.below(48))
    for (const std::size_t end = std::min(values.size(), at + 4 + random.below(9)); at < end; ++at)
      values[at] = static_cast<double>(1 + random.below(255)) / 256;
}

Status write_sparse(const StreamOptions& options) {
  if (options.format != Format::kVw && options.format != Format::kSvmlight)
    return failure(ErrorCode::kInvalidOption, "--stream sparse is written as vw or svmlight");
  const bool vw = options.format == Format::kVw;
  const std::vector<double> weights = hidden_weights(options.dimension);
  Random random(2);
  Output output;
  std::vector<std::uint64_t> given;
  std::string text;
  for (std::size_t n = 0; n < options.examples; ++n) {
    given.clear();
    for (std::size_t k = 0; k < kGiven; ++k) given.push_back(random.below(options.dimension));
    std::sort(given.begin(), given.end());
    given.erase(std::unique(given.begin(), given.end()), given.end());
    text.clear();
    double sum = 0;
    for (const std::uint64_t i : given) {
      const double value = static_cast<double>(1 + random.below(999)) / 1000;
      sum += weights[i] * value;
      fmt::format_to(std::back_inserter(text), " {}:{}", vw ? i : i + 1, value);
    }
    fmt::format_to(std::back_inserter(output.buffer()), "{}{}{}\n", label_of(sum, random), vw ? " |" : "",
                   text);
    if (!output.write_if_full()) break;
  }
  return output.finish();
}

}  // namespace

const char* stream_kinds() { return "dense, pictures or sparse"; }

Status write_stream(const StreamOptions& options) {
  if (options.kind == "sparse") return write_sparse(options);
  if (options.kind != "dense" && options.kind != "pictures")
    return failure(ErrorCode::kInvalidOption, "--stream '{}' must be {}", options.kind, stream_kinds());
  auto writer = make_example_writer(options.format);
  if (!writer) return writer.error();
  const std::vector<double> weights = hidden_weights(options.dimension);
  std::vector<double> values(options.dimension);
  Random random(2);
  Output output;
  for (std::size_t n = 0; n < options.examples; ++n) {
    if (options.kind == "dense") {
      fill_dense(random, values);
    } else {
      fill_picture(random, values);
    }
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += weights[i] * values[i];
    (*writer)->append(label_of(sum, random), values, output.buffer());
    if (!output.write_if_full()) break;
  }
  return output.finish();
}

}  // namespace glimpse
