#include "learn/planners/gradient_iterates.h"

#include <cmath>

#include "learn/iterates/exponentiated_weights.h"
#include "learn/iterates/lazy_weights.h"

namespace glimpse {

Centring::Centring(bool on, std::size_t most) : on_(on), deviations_(on ? most : 0) {}

void Centring::save(State& state) const {
  if (on_) product_.save(state);
}

Status Centring::restore(const State& state) {
  if (!on_) return {};
  return product_.restore(state);
}

namespace {
constexpr double kLargestRho = 0x1p100;

std::size_t coordinates_of(const LearnerOptions& options) {
  return options.dimension + (options.bias ? 1 : 0);
}
}  // namespace

template <class Weights>
GradientIterates<Weights>::GradientIterates(const LearnerOptions& options, std::size_t most)
    : options_(options),
      dimension_(options.dimension),
      normalised_(options.step == StepKind::kAuto),
      growth_(options.half_life ? std::exp2(1 / static_cast<double>(*options.half_life)) : 1),
      weights_(coordinates_of(options), radius_of_phase1(options)),
      moments_(options.dimension),
      centring_(uses_control_variates(options), most),
      shrunk_(most),
      units_(most) {}

// The averaged model of centred attributes, written for the attributes themselves: the iterates are functions
// ȳ + b_τ + ⟨w_τ, x − μ_τ⟩, and so is their average.
template <class Weights>
double GradientIterates<Weights>::intercept() const {
  return label_offset() + averaged_bias() - centring_.averaged(weights_.scale());
}

template <class Weights>
void GradientIterates<Weights>::add_up() {
  if (!centring_.is_on()) return;
  centring_.clear();
  for (std::size_t i = 0; i < dimension_; ++i) centring_.put_in(unscaled(i), moments_[i].mean);
}

template <class Weights>
void GradientIterates<Weights>::grow_rho() {
  rho_ *= growth_;
  if (rho_ <= kLargestRho) return;
  weights_.scale_average(1 / kLargestRho);
  centring_.scale_average(1 / kLargestRho);
  rho_ /= kLargestRho;
}

template <class Weights>
void GradientIterates<Weights>::age(bool known) {
  if (!known) moments_.halve();
  for (Attribute i = 0; i < dimension_; ++i) {
    const double before = unit(i);
    if (known) {
      moments_.lower_largest(i);
    } else {
      moments_.age_largest(i);
    }
    if (const double now = unit(i); now != before) weights_.shrink_unit(i, before, now);
  }
}

template <class Weights>
void GradientIterates<Weights>::begin_phase2() {
  weights_.restart_from_average(options_.radius, [this](std::size_t i) { return unit(i); });
  centring_.restart_average();
}

// ρ of the merged iterate is 1: what is in the averages is brought to that.
template <class Weights>
void GradientIterates<Weights>::mix(const GradientIterates& other, std::span<const Attribute> attributes) {
  const auto own = [&](std::size_t i) -> std::size_t {
    return attributes.empty() || i >= dimension_ ? i : attributes[i];
  };
  const double all = label_weight_ + other.label_weight_;
  const double share = all > 0 ? other.label_weight_ / all : 0;
  std::vector<double> mixed(coordinates());
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    mixed[i] += (1 - share) * averaged(i);
    mixed[own(i)] += share * other.averaged(i);
  }
  const double intercepts = (1 - share) * intercept() + share * other.intercept();
  const double weight = weights_.iterate_weight() / rho_ + other.weights_.iterate_weight() / other.rho_;
  moments_.merge(other.moments_, attributes);
  label_mean_ += share * (other.label_mean_ - label_mean_);
  origin_ += share * (other.origin_ - origin_);
  label_weight_ = all;
  rho_ = 1;
  if (options_.bias) {
    double centre = 0;
    for (std::size_t i = 0; centring_.is_on() && i < dimension_; ++i) centre += mixed[i] * moments_[i].mean;
    mixed[dimension_] = intercepts - label_offset() + centre;
  }
  const auto value = [&](std::size_t i) { return mixed[i]; };
  weights_.begin_from(value, weight, [&](std::size_t i) { return unit(i); });
  centring_.forget();
  add_up();
  if (weight > 0) centring_.count_iterate(weights_.scale(), weight);
}

template <class Weights>
void GradientIterates<Weights>::forget_weights() {
  weights_ = Weights(coordinates_of(options_), radius_of_phase1(options_));
  centring_.forget();
  rho_ = 1;
  label_mean_ = 0;
  label_weight_ = 0;
  origin_ = 0;
}

template <class Weights>
void GradientIterates<Weights>::save(State& state) const {
  weights_.save(state);
  moments_.save(state);
  if (origin_ != 0) state.put_number("gradient.origin", origin_);
}

template <class Weights>
Status GradientIterates<Weights>::restore(const State& state) {
  GLIMPSE_TRY(weights_.restore(state));
  GLIMPSE_TRY_ASSIGN(origin_, state.get_number<double>("gradient.origin", 0));
  return moments_.restore(state);
}

template <class Weights>
void GradientIterates<Weights>::save_rho(State& state) const {
  if (options_.half_life) state.put_number("gradient.rho", rho_);
}

template <class Weights>
Status GradientIterates<Weights>::restore_rho(const State& state) {
  if (!options_.half_life) return {};
  GLIMPSE_TRY_ASSIGN(rho_, state.get_number<double>("gradient.rho"));
  return {};
}

template class GradientIterates<LazyWeights>;
template class GradientIterates<ExponentiatedWeights>;

}  // namespace glimpse
