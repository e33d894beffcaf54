#include "learn/iterates/shrunk_weights.h"

#include "learn/iterates/finite_array.h"

namespace glimpse {

namespace {
// T may be this many times the mean of a − T: the weights then keep 47 of their 53 bits. While T climbs there
// by twice the mean, at least half of the weights are removed unless as many are made; so rebase() is paid
// for by the changes, 32 rounds of them.
constexpr double kLargestThreshold = 64;
constexpr double kLargestStep = 0x1p40;
}  // namespace

ShrunkWeights::ShrunkWeights(std::size_t dimension, double radius)
    : radius_(radius), cells_(dimension + 1), tree_(dimension) {}

bool ShrunkWeights::step(std::span<const Change> changes, double last) {
  const std::size_t bias = cells_.size() - 1;
  const double ball = radius_ * static_cast<double>(steps_ + 1);
  const auto in_range = [&](std::size_t i, double delta) {
    return std::abs(unscaled(i) + delta) <= kLargestStep * ball;
  };
  bool sound = in_range(bias, last);
  for (const Change& change : changes) sound = sound && in_range(change.attribute, change.delta);
  if (!sound) return false;

  changed_.clear();
  for (const Change& change : changes) {
    set_unscaled(change.attribute, unscaled(change.attribute) + change.delta);
    changed_.push_back(change.attribute);
  }
  tree_.update(changed_, leaf());
  if (last != 0) set_unscaled(bias, unscaled(bias) + last);

  shrink_to(ball);
  if (threshold_ > 0 && threshold_ * alive() >= kLargestThreshold * mass()) {  // or none is alive
    rebase();
    shrink_to(ball);  // with the digits regained
  }
  ++steps_;
  const double scale = 1 / static_cast<double>(steps_);
  scales_.add(scale);
  thresholds_.add(threshold_ * scale);
  return true;
}

// The past stays what it was: c takes up the difference.
void ShrunkWeights::set_a(std::size_t i, double a) {
  Cell& cell = cells_[i];
  cell.c += past(cell.a) - past(a);
  cell.a = a;
}

void ShrunkWeights::set_unscaled(std::size_t i, double u) {
  const double a = std::abs(u) + threshold_;
  set_a(i, a > threshold_ ? std::copysign(a, u) : 0);
}

void ShrunkWeights::remove_smallest() {
  if (last_a() > 0 && last_a() < tree_.smallest()) {
    set_a(cells_.size() - 1, 0);
    return;
  }
  const Attribute smallest = tree_.find_smallest(leaf());
  set_a(smallest, 0);
  tree_.update({&smallest, 1}, leaf());
}

// The projection (Duchi et al., "Efficient projections onto the l1-ball", 2008): the T at which the weights
// above it have the wanted mass. While too many are alive that T is too low, so it only rises as they go. It
// ends: a weight alone is above its T, as no weight is more than 2⁴⁰ times `wanted`.
void ShrunkWeights::shrink_to(double wanted) {
  if (mass() <= wanted) return;
  while (true) {
    const double threshold = (tree_.sum() + last_a() - wanted) / alive();
    if (std::fmin(tree_.smallest(), last_a() > 0 ? last_a() : INFINITY) > threshold) {
      // Rounding must not let T fall: a weight is above T.
      threshold_ = std::fmax(threshold_, threshold);
      return;
    }
    remove_smallest();
  }
}

void ShrunkWeights::rebase() {
  const auto settle = [this](std::size_t i) {
    Cell& cell = cells_[i];
    cell.c += past(cell.a);
    cell.a = unscaled(i);
  };
  tree_.visit_alive(settle, leaf());
  if (last_a() > 0) settle(cells_.size() - 1);
  threshold_ = 0;
  scales_ = DoubleDouble();
  thresholds_ = DoubleDouble();
}

void ShrunkWeights::save(State& state) const {
  const std::size_t n = cells_.size();
  double* a = state.put<double>("shrunk.a", n).data();
  double* c = state.put<double>("shrunk.c", n).data();
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = cells_[i].a;
    c[i] = cells_[i].c;
  }
  const double scalars[] = {threshold_, scales_.high(), scales_.low(), thresholds_.high(), thresholds_.low()};
  state.put_copy<double>("shrunk.scalars", scalars);
  state.put_number("shrunk.steps", steps_);
}

Status ShrunkWeights::restore(const State& state) {
  const std::size_t n = cells_.size();
  GLIMPSE_TRY_ASSIGN(const auto a, finite_array(state, "shrunk.a", n));
  GLIMPSE_TRY_ASSIGN(const auto c, state.get<double>("shrunk.c", n));
  GLIMPSE_TRY_ASSIGN(const auto scalars, finite_array(state, "shrunk.scalars", 5));
  GLIMPSE_TRY_ASSIGN(const auto steps, state.get_number<std::uint64_t>("shrunk.steps"));
  for (std::size_t i = 0; i < n; ++i) cells_[i] = {a[i], c[i]};
  threshold_ = scalars[0];
  scales_ = DoubleDouble(scalars[1], scalars[2]);
  thresholds_ = DoubleDouble(scalars[3], scalars[4]);
  steps_ = steps;
  tree_.rebuild(leaf());
  return {};
}

}  // namespace glimpse
