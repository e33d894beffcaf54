#include "ratios.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "learn/factory.h"
#include "workload.h"

namespace glimpse {

namespace {

constexpr double kLargestRatio = 4;
constexpr double kMostBytes = 48;
constexpr std::size_t kBudget = 5;
constexpr std::size_t kSmall = 1000;
constexpr std::size_t kLarge = 10'000'000;

// A clock reading costs about as much as a tenth of a step, so steps are timed in blocks. The median over
// blocks leaves out what happens at doubling example counts alone (planning q again, O(d)).
constexpr int kStepsPerBlock = 64;
constexpr int kBlocksPerTurn = 100;
constexpr int kTurns = 49;

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

// Nanoseconds a step, one number a block.
void time_turn(StepWorkload& work, std::vector<double>& times) {
  using Clock = std::chrono::steady_clock;
  for (int block = 0; block < kBlocksPerTurn; ++block) {
    const auto begin = Clock::now();
    for (int n = 0; n < kStepsPerBlock; ++n) work.step();
    const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
    times.push_back(time.count() / kStepsPerBlock);
  }
}

std::string verdict(bool within) { return within ? "ok" : "OVER THE LIMIT"; }

// The two dimensions take turns of some milliseconds, so that whatever else the machine does slows both; the
// figure is the median of the turns' ratios. The first turn of each
// brings its caches to rest and does not count.
bool compare_dimensions(const std::string& algorithm, std::optional<double> radius) {
  StepWorkload small({algorithm, kSmall, kBudget, radius});
  StepWorkload large({algorithm, kLarge, kBudget, radius});
  std::vector<double> small_times;
  std::vector<double> large_times;
  std::vector<double> ratios;
  time_turn(small, small_times);
  time_turn(large, large_times);
  small_times.clear();
  large_times.clear();
  for (int turn = 0; turn < kTurns; ++turn) {
    std::vector<double> small_turn;
    std::vector<double> large_turn;
    time_turn(small, small_turn);
    time_turn(large, large_turn);
    ratios.push_back(median(large_turn) / median(small_turn));
    small_times.insert(small_times.end(), small_turn.begin(), small_turn.end());
    large_times.insert(large_times.end(), large_turn.begin(), large_turn.end());
  }
  const double ratio = median(ratios);
  std::sort(ratios.begin(), ratios.end());
  const bool within = ratio <= kLargestRatio;
  fmt::print(
      "{:<23} {:>9.0f} ns {:>9.0f} ns   ratio {:.2f} (half of the turns {:.2f} to {:.2f}), limit {}: {}\n",
      radius ? fmt::format("{}, B = {}", algorithm, *radius) : algorithm, median(small_times),
      median(large_times), ratio, ratios[kTurns / 4], ratios[kTurns - 1 - kTurns / 4], kLargestRatio,
      verdict(within));
  return within;
}

// A two-phase algorithm gets its table of probabilities with phase 2, so it is asked there.
Result<std::size_t> memory_bytes(const std::string& algorithm, std::size_t dimension) {
  if (has_two_phases(algorithm)) {
    const auto radius = has_l1_ball(algorithm) ? std::optional<double>(1) : std::nullopt;
    return StepWorkload({algorithm, dimension, kBudget, radius}).learner().describe().memory_bytes;
  }
  LearnerOptions options;
  options.algorithm = algorithm;
  options.dimension = dimension;
  options.budget = kBudget;
  const SecondMoments known = spread_moments(dimension);
  if (has_l1_ball(algorithm)) options.radius = 1;
  if (is_css10(algorithm) && has_step(algorithm)) options.step = StepKind::kNumber;
  const auto learner = make_learner(options, wants_moments(algorithm) ? &known : nullptr);
  if (!learner) return learner.error();
  return (*learner)->describe().memory_bytes;
}

bool print_bytes(const std::string& algorithm) {
  constexpr std::size_t kDimension = 1'000'000;
  const auto total = memory_bytes(algorithm, kDimension);
  if (!total) {
    fmt::print("{:<18} not at this dimension: {}\n", algorithm, total.error().message);
    return true;
  }
  const double bytes = static_cast<double>(*total) / kDimension;
  // The limit is that of the ridge learners; the lasso ones have an exponent a coordinate on top.
  if (has_l1_ball(algorithm) || keeps_pairs(algorithm)) {
    fmt::print("{:<18} {:.2f} bytes an attribute\n", algorithm, bytes);
    return true;
  }
  const bool within = bytes <= kMostBytes;
  fmt::print("{:<18} {:.2f} bytes an attribute, limit {}: {}\n", algorithm, bytes, kMostBytes,
             verdict(within));
  return within;
}

std::vector<std::string> all_algorithms() {
  std::vector<std::string> names;
  std::string text = algorithm_names();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(", ", begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 2;
  }
  return names;
}

}  // namespace

bool print_ratios() {
  bool within = true;
  fmt::print("A learning step (plan and learn, K = {}) at d = {} and at d = {}, median:\n", kBudget, kSmall,
             kLarge);
  for (const char* algorithm : {"two-phase-ddaerr", "ddaerr"})
    within = compare_dimensions(algorithm, {}) && within;
  within = compare_dimensions("two-phase-ddaerr", 0.1) && within;  // most steps are projected back
  fmt::print("\nMemory at d = 1000000:\n");
  for (const std::string& algorithm : all_algorithms()) within = print_bytes(algorithm) && within;
  return within;
}

}  // namespace glimpse
