#include "lab/offline/offline_lasso.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lab/offline/active_factor.h"

namespace glimpse {

namespace {

constexpr double kJitter = 1e-12;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The walk along the path. The active attributes S with signs s; w moves along d_S = A_SS⁻¹s while λ falls.
class Path {
 public:
  explicit Path(const NormalEquations& equations)
      : a_(equations.a),
        b_(equations.b),
        jitter_(kJitter * std::max(equations.a.diagonal().maxCoeff(), std::numeric_limits<double>::min())),
        factor_(b_.size()),
        w_(Eigen::VectorXd::Zero(b_.size())),
        c_(b_),
        active_(static_cast<std::size_t>(b_.size()), false) {
    lambda_ = c_.cwiseAbs().maxCoeff(&joining_);
    begin_lambda_ = lambda_;
    if (lambda_ > 0) join();
  }

  // Walks until ‖w‖₁ reaches `radius`, or λ reaches 0. False when the steps ran out.
  bool walk_to(double radius) {
    const auto most = static_cast<std::size_t>(20 * b_.size() + 1000);
    while (steps_ < most && !finished_) {
      if (!aimed_) aim();
      const double growth = signs_.dot(direction_);
      const double reach = growth > 0 ? (radius - norm()) / growth : kInfinity;
      const double length = std::min({join_length_, leave_length_, lambda_});
      if (reach <= length) {
        advance(std::max(reach, 0.0));
        return true;
      }
      ++steps_;
      advance(length);
      aimed_ = false;
      left_ = -1;
      if (length == lambda_before_ || lambda_ <= 1e-15 * begin_lambda_) {
        finished_ = true;
      } else if (leave_length_ <= join_length_) {
        leave();
      } else {
        join();
      }
    }
    return finished_;
  }

  // w of the present point: the exact solution on its active attributes and signs.
  Eigen::VectorXd polished(double radius) const {
    const Eigen::Index n = factor_.size();
    if (n == 0) return w_;
    Eigen::VectorXd bs(n);
    for (Eigen::Index i = 0; i < n; ++i) bs[i] = b_[set_[static_cast<std::size_t>(i)]];
    const Eigen::VectorXd right = solve_refined(bs);
    const Eigen::VectorXd slope = solve_refined(signs_);
    double lambda = 0;
    if (!finished_) lambda = std::max((signs_.dot(right) - radius) / signs_.dot(slope), 0.0);
    const Eigen::VectorXd z = right - lambda * slope;
    Eigen::VectorXd w = Eigen::VectorXd::Zero(b_.size());
    for (Eigen::Index i = 0; i < n; ++i) {
      if (z[i] * signs_[i] < 0 && !finished_) return w_;  // the path's own point is the better one
      w[set_[static_cast<std::size_t>(i)]] = z[i];
    }
    const Eigen::VectorXd c = b_ - a_ * w;
    const double bound = std::min(radius, std::max(norm(), w.lpNorm<1>()));
    const Eigen::VectorXd own = b_ - a_ * w_;
    return bound * c.lpNorm<Eigen::Infinity>() - c.dot(w) <=
                   bound * own.lpNorm<Eigen::Infinity>() - own.dot(w_)
               ? w
               : w_;
  }

 private:
  double norm() const { return w_.lpNorm<1>(); }

  Eigen::VectorXd active_column(Eigen::Index j) const {
    Eigen::VectorXd column(factor_.size());
    for (Eigen::Index i = 0; i < column.size(); ++i) column[i] = a_(set_[static_cast<std::size_t>(i)], j);
    return column;
  }

  void join() {
    factor_.append(active_column(joining_), a_(joining_, joining_) + jitter_, jitter_);
    set_.push_back(joining_);
    active_[static_cast<std::size_t>(joining_)] = true;
    signs_.conservativeResize(factor_.size());
    signs_[factor_.size() - 1] = c_[joining_] > 0 ? 1 : -1;
  }

  void leave() {
    left_ = set_[static_cast<std::size_t>(leaving_)];
    left_sign_ = signs_[leaving_];
    w_[left_] = 0;
    active_[static_cast<std::size_t>(left_)] = false;
    factor_.remove(leaving_);
    set_.erase(set_.begin() + leaving_);
    const Eigen::Index n = factor_.size();
    signs_.segment(leaving_, n - leaving_) = signs_.tail(n - leaving_).eval();
    signs_.conservativeResize(n);
  }

  // Where w goes from here, and how far it is to the next join and the next leave.
  void aim() {
    const Eigen::Index n = factor_.size();
    direction_ = factor_.solve(signs_);
    Eigen::VectorXd change = Eigen::VectorXd::Zero(b_.size());  // A d: c falls by it
    for (Eigen::Index i = 0; i < n; ++i)
      change.noalias() += direction_[i] * a_.col(set_[static_cast<std::size_t>(i)]);
    refresh_correlations();
    lambda_ = 0;
    for (Eigen::Index i = 0; i < n; ++i)
      lambda_ += signs_[i] * c_[set_[static_cast<std::size_t>(i)]] / static_cast<double>(n);
    lambda_ = std::max(lambda_, 0.0);

    join_length_ = kInfinity;
    for (Eigen::Index j = 0; j < b_.size(); ++j) {
      if (active_[static_cast<std::size_t>(j)] || !(a_(j, j) > 0)) continue;
      for (const double sign : {1.0, -1.0}) {
        if (j == left_ && sign == left_sign_) continue;  // it left that side just now
        const double closing = 1 - sign * change[j];
        if (!(closing > 1e-13)) continue;
        const double length = std::max((lambda_ - sign * c_[j]) / closing, 0.0);
        if (length < join_length_) {
          join_length_ = length;
          joining_ = j;
        }
      }
    }
    leave_length_ = kInfinity;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double weight = w_[set_[static_cast<std::size_t>(i)]] * signs_[i];
      const double speed = direction_[i] * signs_[i];
      if (!(speed < 0)) continue;
      const double length = std::max(weight, 0.0) / -speed;
      if (length < leave_length_) {
        leave_length_ = length;
        leaving_ = i;
      }
    }
    aimed_ = true;
  }

  void advance(double length) {
    lambda_before_ = lambda_;
    for (Eigen::Index i = 0; i < factor_.size(); ++i)
      w_[set_[static_cast<std::size_t>(i)]] += length * direction_[i];
    lambda_ -= length;
    join_length_ -= length;
    leave_length_ -= length;
    refresh_correlations();
  }

  void refresh_correlations() {
    c_ = b_;
    for (const Eigen::Index i : set_) c_.noalias() -= w_[i] * a_.col(i);
  }

  // A_SS⁻¹v without the jitter: a few rounds of iterative refinement.
  Eigen::VectorXd solve_refined(const Eigen::VectorXd& v) const {
    Eigen::VectorXd x = factor_.solve(v);
    for (int round = 0; round < 3; ++round) {
      Eigen::VectorXd rest = v;
      for (Eigen::Index i = 0; i < x.size(); ++i)
        rest.noalias() -= x[i] * active_column(set_[static_cast<std::size_t>(i)]);
      x += factor_.solve(rest);
    }
    return x;
  }

  const Eigen::MatrixXd& a_;
  const Eigen::VectorXd& b_;
  const double jitter_;
  ActiveFactor factor_;            // of A_SS + jitter·I
  std::vector<Eigen::Index> set_;  // S
  Eigen::VectorXd signs_;          // s
  Eigen::VectorXd w_;
  Eigen::VectorXd c_;  // b − Aw
  std::vector<bool> active_;
  double lambda_ = 0;
  double begin_lambda_ = 0;
  std::size_t steps_ = 0;
  bool finished_ = false;  // λ reached 0: least squares

  bool aimed_ = false;  // the following belong to the present w
  Eigen::VectorXd direction_;
  double join_length_ = 0;
  double leave_length_ = 0;
  double lambda_before_ = 0;
  Eigen::Index joining_ = 0;
  Eigen::Index leaving_ = 0;
  Eigen::Index left_ = -1;  // what left at the last step, and from which side
  double left_sign_ = 0;
};

}  // namespace

Result<std::vector<Eigen::VectorXd>> offline_lasso(const NormalEquations& equations,
                                                   std::span<const double> radii) {
  std::vector<Eigen::VectorXd> solutions;
  if (equations.b.isZero(0)) {
    solutions.assign(radii.size(), Eigen::VectorXd::Zero(equations.b.size()));
    return solutions;
  }
  Path path(equations);
  for (const double radius : radii) {
    if (!path.walk_to(radius))
      return failure(ErrorCode::kUnavailable,
                     "offline lasso with B = {}: the path has more than 20·{} + 1000 pieces", radius,
                     equations.b.size());
    Eigen::VectorXd w = path.polished(radius);
    if (const double norm = w.lpNorm<1>(); norm > radius) w *= radius / norm;
    solutions.push_back(std::move(w));
  }
  return solutions;
}

double lasso_gap(const NormalEquations& equations, const Eigen::VectorXd& w, double radius) {
  const Eigen::VectorXd c = equations.b - equations.a * w;
  return radius * c.lpNorm<Eigen::Infinity>() - c.dot(w);
}

}  // namespace glimpse
