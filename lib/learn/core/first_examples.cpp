#include "learn/core/first_examples.h"

#include <algorithm>
#include <limits>

#include "learn/options/options.h"

namespace glimpse {

namespace {
constexpr std::size_t kHead = 8;
constexpr std::size_t kLabels = 2;
constexpr std::size_t kOutlyingLabel = 7;
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kLargestCoefficient = 1e150;  // as of plans.coefficients (array_limits.cpp)

// NaN: it is missing.
bool is_value(double value) { return !(std::abs(value) > kLargest); }
bool is_label(double label) { return std::abs(label) <= kLargestMagnitude; }
bool is_coefficient(double coefficient) { return std::abs(coefficient) <= kLargestCoefficient; }
}  // namespace

void FirstExamples::add(const Plan& plan, std::span<const double> values, std::span<const double> labels,
                        double importance) {
  last_ = numbers_.size();  // none
  if (!std::ranges::all_of(labels, is_label) || !(importance <= kLargestMagnitude)) return;
  const std::size_t begin = numbers_.size();
  numbers_.resize(begin + kHead + 2 * (values.size() + plan.data_point.size()) + labels.size());
  write(begin, plan, values, labels, {std::max(importance, 0.0), 0, 0});
  ++size_;
}

void FirstExamples::withdraw_last() {
  if (last_ < numbers_.size()) numbers_[last_ + kOutlyingLabel] = 1 + numbers_[last_ + kLabels];
}

void FirstExamples::write(std::size_t at, const Plan& plan, std::span<const double> values,
                          std::span<const double> labels, const std::array<double, 3>& rest) {
  const double counts[] = {static_cast<double>(values.size()), static_cast<double>(plan.data_point.size()),
                           static_cast<double>(labels.size()), static_cast<double>(plan.population),
                           static_cast<double>(plan.generation)};
  auto to = std::ranges::copy(counts, numbers_.begin() + static_cast<std::ptrdiff_t>(at)).out;
  to = std::ranges::copy(rest, to).out;
  to = std::ranges::copy(plan.attributes, to).out;
  to = std::ranges::transform(values, to, [](double x) { return std::clamp(x, -kLargest, kLargest); }).out;
  for (const Draw& draw : plan.data_point) *to++ = draw.position;
  for (const Draw& draw : plan.data_point) *to++ = draw.coefficient;
  std::ranges::copy(labels, to);
}

// False: it is not sound.
bool FirstExamples::read(std::size_t& at, Example& example) const {
  std::span<const double> left = std::span(numbers_).subspan(at);
  const auto are_counts = [](std::span<const double> numbers, double below) {
    return std::ranges::all_of(numbers, [&](double x) { return x >= 0 && x < below && x == std::floor(x); });
  };
  if (left.size() < kHead || !are_counts(left.first(5), 0x1p32)) return false;
  const std::span<const double> head = left.first(kHead);
  const auto n = static_cast<std::size_t>(head[0]);
  const auto draws = static_cast<std::size_t>(head[1]);
  const auto labels = static_cast<std::size_t>(head[2]);
  const std::size_t size = kHead + 2 * (n + draws) + labels;
  if (left.size() < size || !are_counts(left.subspan(kHead, n), 0x1p32) ||
      !are_counts(left.subspan(kHead + 2 * n, draws), head[0]))
    return false;
  left = left.first(size).subspan(kHead);
  Plan& plan = example.plan;
  plan.clear();
  for (const double i : left.first(n)) plan.attributes.push_back(static_cast<Attribute>(i));
  example.values.assign(left.begin() + head[0], left.begin() + 2 * head[0]);
  left = left.subspan(2 * n);
  for (std::size_t r = 0; r < draws; ++r)
    plan.data_point.push_back({static_cast<std::uint32_t>(left[r]), left[draws + r]});
  example.labels.assign(left.end() - head[2], left.end());
  plan.population = static_cast<std::size_t>(head[3]);
  plan.generation = static_cast<std::uint32_t>(head[4]);
  example.importance = head[5];
  example.outliers = head[6];
  example.outlying_label = head[7];
  at += size;
  return true;
}

void FirstExamples::save(State& state) const {
  if (!is_open_) return;
  state.put_copy<double>("first.examples", numbers_);
  const std::uint64_t sizes[] = {size_, repeats_};
  state.put_copy<std::uint64_t>("first.sizes", sizes);
}

Status FirstExamples::restore(const State& state, std::size_t dimension, std::size_t labels, bool is_new) {
  const bool is_kept = is_open_;
  *this = FirstExamples(is_kept && is_new, most_);
  if (!is_kept || state.find("first.examples") == nullptr) return {};
  GLIMPSE_TRY_ASSIGN(const auto numbers, state.get<double>("first.examples"));
  GLIMPSE_TRY_ASSIGN(const auto sizes, state.get<std::uint64_t>("first.sizes", 2));
  is_open_ = true;
  numbers_.assign(numbers.begin(), numbers.end());
  repeats_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(sizes[1], kMostRepeats));
  Example example;
  std::size_t at = 0;
  for (; at < numbers_.size(); ++size_) {
    const std::size_t begin = last_ = at;
    const auto& attributes = example.plan.attributes;
    if (!read(at, example) || example.labels.size() != labels || !(example.importance >= 0) ||
        !(example.outlying_label >= 0 && example.outlying_label <= static_cast<double>(labels) + 1) ||
        !(example.importance <= kLargestMagnitude) || !std::ranges::all_of(example.values, is_value) ||
        !std::ranges::all_of(example.labels, is_label) ||
        !std::ranges::all_of(example.plan.data_point, is_coefficient, &Draw::coefficient) ||
        !(example.outliers >= 0 && example.outliers <= static_cast<double>(attributes.size())) ||
        std::ranges::adjacent_find(attributes, std::ranges::greater_equal()) != attributes.end() ||
        (!attributes.empty() && attributes.back() >= dimension))
      return failure(ErrorCode::kCorrupt,
                     "the array 'first.examples' holds no example at place {}: a count, or a number that is "
                     "not finite or out of range, where no value is missing",
                     begin);
  }
  return size_ == sizes[0] ? Status()
                           : failure(ErrorCode::kCorrupt, "first.sizes is not that of first.examples");
}

}  // namespace glimpse
