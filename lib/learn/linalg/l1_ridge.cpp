#include "learn/linalg/l1_ridge.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <Eigen/Cholesky>

#include "learn/linalg/l1_ball.h"

namespace glimpse {

namespace {

constexpr double kGap = 1e-12;
constexpr double kDecrease = 1e-4;  // of what the slope promises
constexpr int kMostHalvings = 40;

using Vector = Eigen::Map<const Eigen::VectorXd>;
using Matrix = Eigen::Map<const Eigen::MatrixXd>;

Vector as_vector(std::span<const double> x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

Matrix factors_of(const RidgeQuadratic& f) {
  const auto n = static_cast<Eigen::Index>(f.target.size());
  return {f.factors.data(), n, n == 0 ? 0 : static_cast<Eigen::Index>(f.factors.size()) / n};
}

}  // namespace

L1Ridge::Result L1Ridge::minimise(const RidgeQuadratic& f, double radius, std::span<double> w) {
  const Matrix z = factors_of(f);
  here_.v.resize(static_cast<std::size_t>(z.cols()));
  Eigen::Map<Eigen::VectorXd>(here_.v.data(), z.cols()) = z.transpose() * as_vector(w);
  evaluate(f, radius, here_);

  Result result;
  const auto finish = [&] {
    const double length = as_vector(here_.gradient).norm();
    result.gap = length * length / 2;
    result.objective = here_.objective;
    result.converged = result.gap <= kGap * std::abs(here_.objective);
    return result.converged;
  };
  for (; !finish() && result.steps < kMostSteps; ++result.steps) {
    newton_step(f, here_);
    const double slope = as_vector(here_.gradient).dot(as_vector(step_));
    double length = 1;
    bool falls = false;
    for (int halving = 0; halving < kMostHalvings && !falls; ++halving, length /= 2) {
      next_.v.resize(here_.v.size());
      for (std::size_t i = 0; i < next_.v.size(); ++i) next_.v[i] = here_.v[i] + length * step_[i];
      evaluate(f, radius, next_);
      falls = next_.dual <= here_.dual + kDecrease * length * slope;
    }
    if (!falls) break;  // rounding: G cannot be told from its minimum
    std::swap(here_, next_);
  }
  // The projection ends on the sphere, up to rounding.
  const double length = l1_norm(here_.w);
  const double shorter = length > radius ? radius / length * (1 - 1e-15) : 1;
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = shorter * here_.w[i];
  return result;
}

void L1Ridge::evaluate(const RidgeQuadratic& f, double radius, Point& point) {
  const Matrix z = factors_of(f);
  const auto n = static_cast<Eigen::Index>(f.target.size());
  const Eigen::VectorXd rest = as_vector(f.target) - z * as_vector(point.v);
  point.w.resize(f.target.size());
  Eigen::Map<Eigen::VectorXd> w(point.w.data(), n);
  w = rest / f.ridge;
  point.inside = l1_norm(point.w) <= radius;
  project_onto_l1_ball(point.w, radius, scratch_);
  const Eigen::VectorXd products = z.transpose() * w;
  point.gradient.resize(point.v.size());
  Eigen::Map<Eigen::VectorXd>(point.gradient.data(), z.cols()) = as_vector(point.v) - products;
  const double ridge = f.ridge / 2 * w.squaredNorm();
  point.dual = as_vector(point.v).squaredNorm() / 2 + rest.dot(w) - ridge;
  point.objective = ridge + products.squaredNorm() / 2 - as_vector(f.target).dot(w);
}

// step_ ← −(slope of ∇G)⁻¹∇G.
void L1Ridge::newton_step(const RidgeQuadratic& f, const Point& point) {
  const Matrix z = factors_of(f);
  const Eigen::Index k = z.cols();
  std::vector<Eigen::Index> active;
  for (std::size_t i = 0; i < point.w.size(); ++i)
    if (point.w[i] != 0) active.push_back(static_cast<Eigen::Index>(i));
  const auto count = static_cast<Eigen::Index>(active.size());

  columns_.resize(static_cast<std::size_t>(count * k));
  Eigen::Map<Eigen::MatrixXd> za(columns_.data(), count, k);
  Eigen::VectorXd signs(count);
  for (Eigen::Index a = 0; a < count; ++a) {
    za.row(a) = z.row(active[static_cast<std::size_t>(a)]);
    signs[a] = point.w[static_cast<std::size_t>(active[static_cast<std::size_t>(a)])] > 0 ? 1 : -1;
  }
  Eigen::MatrixXd slope = Eigen::MatrixXd::Zero(k, k);
  slope.selfadjointView<Eigen::Lower>().rankUpdate(za.transpose(), 1 / f.ridge);
  if (!point.inside && count > 0) {
    const Eigen::VectorXd along = za.transpose() * signs;
    slope.selfadjointView<Eigen::Lower>().rankUpdate(along, -1 / (f.ridge * static_cast<double>(count)));
  }
  slope.diagonal().array() += 1;
  step_.resize(static_cast<std::size_t>(k));
  Eigen::Map<Eigen::VectorXd>(step_.data(), k) =
      -slope.selfadjointView<Eigen::Lower>().llt().solve(as_vector(point.gradient));
}

}  // namespace glimpse
