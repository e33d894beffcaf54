#include "learn/linalg/ridge_evidence.h"

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include <Eigen/Dense>

#include "base/random.h"

namespace ridge_evidence_test {

using namespace glimpse;

namespace {

double normal(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * M_PI * random.uniform());
}

// Columns that a common factor stands behind; the label hangs on them as far as `signal` says.
struct Table {
  Table(Eigen::Index rows, Eigen::Index columns, double signal) : x(rows, columns), y(rows) {
    Random random(7);
    Eigen::VectorXd w(columns);
    for (double& weight : w) weight = normal(random);
    for (Eigen::Index r = 0; r < rows; ++r) {
      const double factor = normal(random);
      for (Eigen::Index c = 0; c < columns; ++c) x(r, c) = factor + normal(random);
      y(r) = signal * x.row(r).dot(w) / std::sqrt(static_cast<double>(columns)) + normal(random);
    }
    x.rowwise() -= x.colwise().mean();
    y.array() -= y.mean();
  }

  double rows() const { return static_cast<double>(x.rows()); }

  double most_likely_ridge() const {
    const auto d = static_cast<std::size_t>(x.cols());
    const Eigen::MatrixXf covariance = (x.transpose() * x / rows()).cast<float>();
    const Eigen::VectorXd target = x.transpose() * y / rows();
    const Multiply multiply = [&](std::span<const double> in, std::span<double> out) {
      Eigen::Map<Eigen::VectorXd>(out.data(), x.cols()) =
          covariance.cast<double>() * Eigen::Map<const Eigen::VectorXd>(in.data(), x.cols());
    };
    RidgeEvidence evidence;
    evidence.begin({covariance.data(), d * d}, d, multiply);
    KrylovSpace space;
    space.build({target.data(), d}, 60, multiply);
    return evidence.most_likely(space, y.squaredNorm() / rows(), rows());
  }

  // Of the labels themselves, with the σ² at which they are the most likely.
  double log_likelihood(double ridge) const {
    Eigen::MatrixXd covariance = x * x.transpose() / (rows() * ridge);
    covariance.diagonal().array() += 1;
    const Eigen::LLT<Eigen::MatrixXd> root(covariance);
    return -(rows() - 1) * std::log(y.dot(root.solve(y))) / 2 -
           root.matrixL().toDenseMatrix().diagonal().array().log().sum();
  }

  Eigen::MatrixXd x;
  Eigen::VectorXd y;
};

}  // namespace

TEST_CASE("the ridge is the one at which the labels themselves are the most likely") {
  for (const Eigen::Index columns : {1, 5, 40}) {
    const Table table(60, columns, 0.7);
    const double ridge = table.most_likely_ridge();
    CAPTURE(columns);
    for (const double factor : {0.5, 0.97, 1.03, 2.0})
      CHECK(table.log_likelihood(ridge) > table.log_likelihood(factor * ridge));
  }
}

TEST_CASE("beyond the attributes whose eigenvalues are found one by one the ridge is nearly the same") {
  const Table table(400, static_cast<Eigen::Index>(RidgeEvidence::kExact) + 72, 1);
  const double ridge = table.most_likely_ridge();
  CHECK(table.log_likelihood(ridge) > table.log_likelihood(1.15 * ridge));
  CHECK(table.log_likelihood(ridge) > table.log_likelihood(ridge / 1.15));
  CHECK(table.most_likely_ridge() == ridge);
}

TEST_CASE("more of the label's noise asks for more ridge, and labels of noise alone for hardly any weight") {
  double before = 0;
  for (const double signal : {10.0, 1.0, 0.3}) {
    const double ridge = Table(200, 10, signal).most_likely_ridge();
    CHECK(ridge > 2 * before);
    before = ridge;
  }
  CHECK(Table(200, 10, 0).most_likely_ridge() > 0.5);
}

}  // namespace ridge_evidence_test
