#include "learn/linalg/l1_quadratic.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "learn/linalg/l1_ball.h"

namespace glimpse {

namespace {

constexpr int kLargestProducts = 1000;
constexpr int kLargestFaceSteps = 100;
constexpr double kTolerance = 1e-12;
// Where the face's own gradient has become this small against what it was, more steps in it gain nothing.
constexpr double kFaceTolerance = 1e-14;

double inner_product(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

double largest_magnitude(std::span<const double> x) {
  double largest = 0;
  for (const double value : x) largest = std::fmax(largest, std::abs(value));
  return largest;
}

// The least e with |x| < 2^e; 0 for 0.
int exponent_of(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return exponent;
}

// The problem in v = w·2⁻ᵏ on a ball of radius 1 to 2, and f times 2ᵉ, so that the larger of A and b has
// numbers about 1: whatever the units of x, y and importance, no intermediate result leaves the range of
// doubles. Powers of two change no digit.
class ScaledProblem {
 public:
  ScaledProblem(const PackedSymmetric& a, std::span<const double> b, double radius)
      : a_(a), b_(b.begin(), b.end()), weight_exponent_(exponent_of(radius) - 1) {
    const double largest_a = largest_magnitude(a.cells());
    const double largest_b = largest_magnitude(b);
    radius_ = std::ldexp(radius, -weight_exponent_);
    const int exponent_a = exponent_of(largest_a) + 2 * weight_exponent_;
    const int exponent_b = exponent_of(largest_b) + weight_exponent_;
    objective_exponent_ = -(largest_a == 0   ? exponent_b
                            : largest_b == 0 ? exponent_a
                                             : std::max(exponent_a, exponent_b));
    // Half before the product with A and half after it: either factor alone may be beyond a double.
    exponent_before_ = std::clamp(-exponent_of(largest_a), -kLargestExponent, kLargestExponent);
    exponent_after_ = 2 * weight_exponent_ + objective_exponent_ - exponent_before_;
    before_ = std::ldexp(1.0, exponent_before_);
    for (double& value : b_) value = std::ldexp(value, weight_exponent_ + objective_exponent_);
    tolerance_ = kTolerance * (radius_ * largest_magnitude(b_) +
                               radius_ * radius_ * std::ldexp(largest_a * before_, exponent_after_));
    scaled_.resize(b.size());
  }

  double radius() const { return radius_; }
  const std::vector<double>& b() const { return b_; }
  double diagonal(std::size_t i) const { return std::ldexp(a_.at(i, i) * before_, exponent_after_); }
  // Of the gap.
  double tolerance() const { return tolerance_; }

  void multiply(std::span<const double> x, std::span<double> y) {
    for (std::size_t i = 0; i < x.size(); ++i) scaled_[i] = before_ * x[i];
    a_.multiply(scaled_, y);
    for (double& value : y) value = std::ldexp(value, exponent_after_);
  }

  double original_objective(double f) const { return std::ldexp(f, -objective_exponent_); }
  // From the scaled problem's minimum to the given one's.
  void scale_back(L1Minimum& minimum) const {
    minimum.objective = original_objective(minimum.objective);
    minimum.gap = original_objective(minimum.gap);
    bool finite = std::isfinite(minimum.objective);
    for (double& w : minimum.w) {
      w = std::ldexp(w, weight_exponent_);
      finite = finite && std::isfinite(w);
    }
    minimum.stationary = minimum.stationary && finite;
  }

 private:
  static constexpr int kLargestExponent = 900;

  const PackedSymmetric& a_;
  std::vector<double> b_;
  int weight_exponent_;         // k
  int objective_exponent_ = 0;  // e
  int exponent_before_ = 0;
  int exponent_after_ = 0;
  double before_ = 1;
  double radius_ = 1;
  double tolerance_ = 0;
  std::vector<double> scaled_;
};

class Descent {
 public:
  explicit Descent(ScaledProblem& problem)
      : problem_(problem),
        b_(problem.b()),
        radius_(problem.radius()),
        tolerance_(problem.tolerance()),
        w_(b_.size()),
        g_(b_.size()),
        p_(b_.size()),
        ap_(b_.size()),
        r_(b_.size()),
        signs_(b_.size()) {}

  L1Minimum run(std::vector<double> start) {
    w_ = std::move(start);
    recompute();
    length_ = radius_ / std::fmax(largest_magnitude(g_), 1e-300);
    trace_.assign(1, objective());
    bool arrived = gap() <= tolerance_;
    while (!arrived && products_ < kLargestProducts && projected_gradient_step()) {
      descend_on_face();
      if (gap() > tolerance_) continue;
      recompute();
      arrived = gap() <= tolerance_;
    }
    if (!arrived) recompute();
    L1Minimum result;
    result.objective = objective();
    result.gap = gap();
    result.stationary = result.gap <= tolerance_;
    result.products = products_;
    result.w = std::move(w_);
    return result;
  }
  std::vector<double>& trace() { return trace_; }

 private:
  void multiply(std::span<const double> x, std::span<double> y) {
    problem_.multiply(x, y);
    ++products_;
  }
  // What was carried along, without its rounding errors.
  void recompute() {
    project_onto_l1_ball(w_, radius_, work_);
    multiply(w_, g_);
    for (std::size_t i = 0; i < g_.size(); ++i) g_[i] = 2 * g_[i] - b_[i];
  }
  // With g = 2Aw − b: wᵀAw − bᵀw.
  double objective() const { return (inner_product(w_, g_) - inner_product(w_, b_)) / 2; }
  double gap() const {
    const double gap = inner_product(g_, w_) + radius_ * largest_magnitude(g_);
    return gap < 0 ? 0 : gap;  // and what is no number stays none, which is not within any tolerance
  }

  // Moves by τp, of which ap_ = Ap is known.
  void move(double tau) {
    for (std::size_t i = 0; i < w_.size(); ++i) {
      w_[i] += tau * p_[i];
      g_[i] += 2 * tau * ap_[i];
    }
    trace_.push_back(objective());
  }

  // False where no way down is left that rounding would not hide.
  bool projected_gradient_step() {
    const double largest = largest_magnitude(g_);
    length_ = std::clamp(length_, 1e-8 * radius_ / largest, 1e8 * radius_ / largest);
    for (std::size_t i = 0; i < w_.size(); ++i) p_[i] = w_[i] - length_ * g_[i];
    project_onto_l1_ball(p_, radius_, work_);
    for (std::size_t i = 0; i < w_.size(); ++i) p_[i] -= w_[i];
    double slope = inner_product(g_, p_);
    if (!(slope < -1e-6 * tolerance_)) {
      // Too short to be seen. The way to the vertex that the gap speaks of (Frank & Wolfe 1956) goes down.
      std::size_t steepest = 0;
      for (std::size_t i = 0; i < g_.size(); ++i)
        if (std::abs(g_[i]) > std::abs(g_[steepest])) steepest = i;
      for (std::size_t i = 0; i < w_.size(); ++i) p_[i] = -w_[i];
      p_[steepest] -= std::copysign(radius_, g_[steepest]);
      slope = inner_product(g_, p_);
      if (!(slope < 0)) return false;
    }
    multiply(p_, ap_);
    const double curvature = inner_product(p_, ap_);
    const double tau = curvature > 0 ? std::fmin(1, -slope / (2 * curvature)) : 1;
    move(tau);
    // Barzilai & Borwein's length; along a concave way the longest, which leads to a vertex.
    length_ = curvature > 0 ? inner_product(p_, p_) / (2 * curvature) : INFINITY;
    return true;
  }

  // Takes off x what would leave the face: on the sphere the non-zeros move and keep their signed sum;
  // inside, all move.
  void keep_to_face(std::vector<double>& x, bool on_sphere) const {
    if (!on_sphere) return;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (signs_[i] == 0) x[i] = 0;
    // Twice: the first leaves rounding error of the size of x, which may be all there is of what remains.
    for (int pass = 0; pass < 2; ++pass) {
      const double mean = inner_product(signs_, x) / inner_product(signs_, signs_);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] -= mean * signs_[i];
    }
  }

  // r ← the steepest descent in the face.
  void face_descent(bool on_sphere) {
    for (std::size_t i = 0; i < w_.size(); ++i) r_[i] = -g_[i];
    keep_to_face(r_, on_sphere);
  }

  void descend_on_face() {
    const double norm = l1_norm(w_);
    const bool on_sphere = norm >= radius_ * (1 - 1e-12);
    for (std::size_t i = 0; i < w_.size(); ++i) signs_[i] = w_[i] > 0 ? 1 : w_[i] < 0 ? -1 : 0;
    face_descent(on_sphere);
    double square = inner_product(r_, r_);
    const double enough = kFaceTolerance * kFaceTolerance * square;
    p_ = r_;
    for (int n = 0; n < kLargestFaceSteps && products_ < kLargestProducts; ++n) {
      const double slope = inner_product(g_, p_);
      if (!(square > enough) || !(slope < 0)) return;
      multiply(p_, ap_);
      const double curvature = inner_product(p_, ap_);
      const double best = curvature > 0 ? -slope / (2 * curvature) : INFINITY;
      if (on_sphere) {
        if (!move_until_zero(best)) return;
      } else {
        if (!stays_inside(best)) return;
        move(best);
      }
      face_descent(on_sphere);
      const double next = inner_product(r_, r_);
      for (std::size_t i = 0; i < p_.size(); ++i) p_[i] = r_[i] + next / square * p_[i];
      keep_to_face(p_, on_sphere);  // errors add up otherwise, and a long step would leave the ball by them
      square = next;
    }
  }

  // Moves by τp, or as far as the first weight that becomes 0; whether it went all the way.
  bool move_until_zero(double tau) {
    std::size_t first = w_.size();
    for (std::size_t i = 0; i < w_.size(); ++i) {
      if (signs_[i] * p_[i] >= 0 || -w_[i] / p_[i] >= tau) continue;
      tau = -w_[i] / p_[i];
      first = i;
    }
    if (!std::isfinite(tau)) return false;
    move(tau);
    if (first == w_.size()) return true;
    w_[first] = 0;
    return false;
  }

  bool stays_inside(double tau) const {
    if (!std::isfinite(tau)) return false;
    double norm = 0;
    for (std::size_t i = 0; i < w_.size(); ++i) norm += std::abs(w_[i] + tau * p_[i]);
    return norm <= radius_;
  }

  ScaledProblem& problem_;
  std::span<const double> b_;
  const double radius_;
  const double tolerance_;
  std::vector<double> w_;
  std::vector<double> g_;   // ∇f(w)
  std::vector<double> p_;   // the present direction
  std::vector<double> ap_;  // A times it
  std::vector<double> r_;
  std::vector<double> signs_;
  std::vector<double> work_;
  std::vector<double> trace_;
  double length_ = 0;  // of the next projected-gradient step
  int products_ = 0;
};

}  // namespace

L1Minimum minimise_on_l1_ball(const PackedSymmetric& a, std::span<const double> b, double radius,
                              std::vector<double>* trace) {
  ScaledProblem problem(a, b, radius);
  const std::size_t n = b.size();
  std::vector<double> vertex(n);
  std::size_t best = 0;
  double lowest = INFINITY;
  for (std::size_t i = 0; i < n; ++i) {
    const double r = problem.radius();
    const double value = r * r * problem.diagonal(i) - r * std::abs(problem.b()[i]);
    if (value < lowest) best = i;
    lowest = std::fmin(lowest, value);
  }
  vertex[best] = std::copysign(problem.radius(), b[best]);

  Descent from_zero(problem);
  L1Minimum result = from_zero.run(std::vector<double>(n));
  Descent from_vertex(problem);
  L1Minimum other = from_vertex.run(std::move(vertex));
  const bool better = other.objective < result.objective;
  if (trace != nullptr) *trace = std::move(better ? from_vertex.trace() : from_zero.trace());
  const int products = result.products + other.products;
  if (better) result = std::move(other);
  result.products = products;
  problem.scale_back(result);
  if (trace != nullptr)
    for (double& f : *trace) f = problem.original_objective(f);
  return result;
}

}  // namespace glimpse
