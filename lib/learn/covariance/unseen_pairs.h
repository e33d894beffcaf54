#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "stats/pair_moments.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// κ_i, by which covariances of attribute i are shrunk where most attributes are not correlated:
///
///     Ĉ_ij = S_ij/(N_ij + max(κ_i, κ_j)),   κ_i = max(1, kurtosis_i/3),
///
/// kurtosis_i = n_i·Σ(x − mean)⁴/(Σ(x − mean)²)², the normal's is 3: as if so many further examples had shown
/// no covariance. An attribute that is 0 except in a share p of the examples has a kurtosis of about 1/p: in
/// the mean, one of that many examples shows that it can differ from 0. The variance of S_ij is N_ij·v_iv_j
/// whatever the tails. But where N_ij·p is about 1, S_ij is usually nothing, and once in a while a
/// correlation near ±1. One such pair makes Ĉ singular or worse, and w many times too long until the pair was
/// seen more often. 1 where nothing varied yet. How much of it is in use: PairwiseSolver.
/// pairwise/EXPERIMENTS.md.
///
/// The weights of all examples times a number, as forgetting leaves them, change nothing. O(1).
double covariance_shrinkage(const AttributeSums& sums);

/// What is known of an attribute beside its pairs, in the units of a solution.
struct SolvedAttributes {
  std::span<const double> units;
  std::span<const double> variances;  ///< Ĉ_ii
  std::span<const double> targets;    ///< b̂_i
  double label_square = 0;            ///< the label's variance
};

/// Pairs of attributes that plans never show together, as two that the money does not buy in one example, and
/// what their covariance is, as far as the pairs that are seen tell it.
///
/// A pair counts as one of these where N_ij = 0 although both were seen so often that chance would have shown
/// them: R_iR_j/ΣR > 16, R_i = Σ_j N_ij. Of prices alone they are the pairs with c_i + c_j > C, and have a
/// structure: what is seen together with the dearer one, its neighbours k, is seen with the cheaper one as
/// well. The covariances of largest entropy are then those at which the dearer one depends on the cheaper one
/// through its neighbours and the label alone (Dempster, Covariance selection, 1972; closed, as such graphs
/// are chordal):
///
///     C_ij = Σ_k β_k·C_kj + β_y·b̂_j,   β the regression of i on its neighbours and the label.
///
/// β is of at most 15 neighbours, those with the largest S_ik²/(N_ik + 1)²/Ĉ_kk, with a ridge for the noise
/// of their moments. What the regression leaves of Ĉ_ii, e_i, bounds how far the truth is from that: its
/// square is at most e_i·e_j, of which .3 counts as noise. draws/EXPERIMENTS.md has what was measured.
///
/// Cost: O(d²) to look for such pairs, O(16) for each, and O(16·d + 16³) for each attribute that has one.
/// Deterministic. Thread-safety: none.
class UnseenPairs {
 public:
  /// `pairs`: R. The spans of `attributes` are read by covariance() as well, and must live until then.
  void find(const PairSnapshot& moments, const SolvedAttributes& attributes, std::span<const double> pairs);

  bool empty() const { return count_ == 0; }
  /// Calls visit(i, j), i < j, for each.
  template <class Visit>
  void for_each(const PairSnapshot& moments, const Visit& visit) const {
    for (std::size_t i = 0; count_ > 0 && i < unseen_.size(); ++i) {
      if (unseen_[i] == 0) continue;
      const auto counts = moments.weights(i);
      for (std::size_t k = 0; k < counts.size(); ++k)
        if (!(counts[k] > 0) && expected(i, i + 1 + k)) visit(i, i + 1 + k);
    }
  }
  /// C_ij of such a pair.
  double covariance(const PairSnapshot& moments, std::size_t i, std::size_t j) const;
  /// The mean square of how far C_ij is from the truth: .3·e_i·e_j.
  double doubt(std::size_t i, std::size_t j) const { return kDoubt * rest_[i] * rest_[j]; }

 private:
  static constexpr double kExpected = 16;  // of a pair: chance alone then hides one in 10⁷
  static constexpr double kDoubt = 0.3;
  static constexpr std::size_t kNeighbours = 15;
  struct Regression {
    std::size_t count = 0;
    std::array<std::uint32_t, kNeighbours> neighbours;
    std::array<double, kNeighbours> slopes;
    double label_slope = 0;
  };

  bool expected(std::size_t i, std::size_t j) const { return pairs_[i] * pairs_[j] > kExpected * all_pairs_; }
  // S_ij/(N_ij + 1); 0 of a pair that was not seen.
  double seen(const PairSnapshot& moments, std::size_t i, std::size_t j) const;
  double count(const PairSnapshot& moments, std::size_t i, std::size_t j) const {
    return i < j ? moments.weight(i, j) : moments.weight(j, i);
  }
  void choose_neighbours(const PairSnapshot& moments, std::size_t i, Regression& r);
  void regress(const PairSnapshot& moments, std::size_t i);

  SolvedAttributes attributes_;
  std::vector<double> pairs_;
  double all_pairs_ = 0;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> unseen_;  // how many of these pairs each attribute is in
  std::vector<double> rest_;           // e
  std::vector<std::uint32_t> place_;   // in regressions_
  std::vector<Regression> regressions_;
  std::vector<std::pair<double, std::uint32_t>> candidates_;  // minus a score, and a neighbour
};

}  // namespace glimpse
