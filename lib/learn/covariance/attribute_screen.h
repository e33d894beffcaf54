#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/large_array.h"
#include "base/state.h"
#include "base/types.h"
#include "stats/pair_moments.h"

namespace glimpse {

/// Which of very many attributes explain the label, each on its own, and how sure that is.
///
/// Keeps sums of every attribute and of its products with the label. From them it estimates each
/// attribute's ρ_i², the share of the label's variance that it explains, by empirical Bayes as in Stephens
/// (2017, "False discovery rates: a new deal"). The prior is ρ_i ~ Σ_g π_g N(0, s_i·τ_g) with τ_0 = 0 and a
/// grid of other variances. π maximises the likelihood of all ρ̂_i ~ N(ρ_i, 1/n_i) (EM). s_i, the attribute's
/// deviation over the mean of all, says that where nothing is known yet, attributes that vary more explain
/// more. So how rare relevance is, and how strong, is learned from the stream, and a large ρ̂_i among 10⁵ is
/// believed as far as it deserves to be.
///
/// Of more than two classes ρ_i² is the share of the attribute's variance that lies between classes, η_i² =
/// Σ_c b_ic²/(π_c·Var(x_i)), b_ic its covariance with the indicator of class c and π_c that one's share. For
/// two it is the ρ_i² of either. It is the square of q coordinates, of as many classes as came but one, each
/// ~ Σ_g π_g N(0, s_i·τ_g/q) and known with variance 1/n_i. An example adds to the sums of its own class
/// alone. The label is the indicator of class 1, and class 0 has what is left of all: only classes from 2 on
/// have sums of their own.
///
/// What was seen is forgotten as PairMoments does it: new examples count for more, and sums are given in
/// units of what one counts. π stays what it was, to begin the next fit() with.
///
/// Memory: 56 bytes an attribute, 16 more for each class from the third on. Cost: O(1) an update; fit() takes
/// O(d·C), and 56 bytes an attribute (at most 15 MB) meanwhile. Deterministic. Thread-safety: none.
class AttributeScreen {
 public:
  AttributeScreen() = default;
  explicit AttributeScreen(std::size_t dimension);

  std::size_t dimension() const { return sums_.size(); }

  /// One example: `values` as PairMoments::add() takes them; `label` about a reference that never changes.
  void add(std::span<const Attribute> attributes, std::span<const double> values, double label,
           double weight);
  /// Of the example that add() was just given, for what it is: one of class `of_class`. O(K); allocates for a
  /// new class alone.
  void add_to_class(std::span<const Attribute> attributes, std::span<const double> values,
                    std::size_t of_class, double weight);
  void prefetch_attribute(Attribute attribute) const {
    prefetch(&sums_[attribute]);
    prefetch(&sums_[attribute].largest);  // mostly on the next line
  }

  /// As of PairMoments: what was seen so far is multiplied by `factor`, 0 < factor ≤ 1, and what has decayed
  /// to nothing counts as never seen. `seen`: the weight of all examples, as PairMoments::label() has it.
  /// decay() takes O(d), forget() O(1), and O(d) once in a hundred halvings.
  void decay(double factor, double seen);
  void forget(double factor, double seen);
  /// As if it had never been seen.
  void forget_attribute(std::size_t i);

  /// Adds the examples that `other` has seen, each for what it counts there now; its attribute i is
  /// attributes[i] here, without attributes i. `offset`: the reference of its labels less that of ours. π is
  /// ours, to begin the next fit() with. O(d·C).
  void merge(const AttributeScreen& other, std::span<const Attribute> attributes, double offset);
  /// Class c is what classes[c] was; none of them: nothing came of it. The labels, so far indicators of class
  /// 1 about `reference`, are those of what is class 1 now, about 0.
  void renumber_classes(std::span<const std::size_t> classes, double reference);

  /// Fits π to what was seen; estimate() is of the last fit and what was added since. Moments are taken about
  /// the means, or about 0 unless `centred`. `label`: the sums of all labels, about the reference of add().
  /// `shares`: π_c, where there are more than two classes.
  void fit(const LabelSums& label, bool centred, std::span<const double> shares = {});

  /// What is known of one attribute.
  struct Estimate {
    double weight = 0;     ///< n_i: how often it was seen, by importance
    double deviation = 0;  ///< s_i
    double explained = 0;  ///< E[ρ_i² | what was seen], above 0
  };
  /// REQUIRES fit().
  Estimate estimate(std::size_t i) const;
  class Estimates;

  /// q: how many directions E[ρ_i²] is spread over. 1 where there are not more than two classes.
  double directions() const { return directions_; }

  double weight(std::size_t i) const { return sums_[i].weight * scale_; }
  double mean(std::size_t i) const;
  double variance(std::size_t i) const;
  double largest(std::size_t i) const { return sums_[i].largest * root_scale_; }

  static constexpr std::size_t kLevels = 11;  ///< of the prior's variances
  static constexpr std::size_t kBytesAnAttribute = 7 * sizeof(double);
  /// Of the sums of classes.
  std::size_t class_bytes() const { return classes_.size() * dimension() * sizeof(ClassSums); }

  /// Under names that begin with `name`.
  void save(State& state, const std::string& name = "screen") const;
  Status restore(const State& state, const std::string& name = "screen");

 private:
  struct Sums {
    double reference = 0;  // the first value seen
    double weight = 0;
    double sum = 0;      // Σ u, u = x − reference
    double square = 0;   // Σ u²
    double label = 0;    // Σ v
    double product = 0;  // Σ u·v
    double largest = 0;  // max |x|, aged as PairMoments does it

    Sums operator*(double factor) const {
      return {reference,
              weight * factor,
              sum * factor,
              square * factor,
              label * factor,
              product * factor,
              largest * std::sqrt(factor)};
    }
  };

  // What was found for some weights, the last of those that share a place.
  template <class Found>
  class ByWeight {
   public:
    Found* find(double weight) {
      Entry& entry = place(weight);
      return entry.weight == weight ? &entry.found : nullptr;
    }
    void put(double weight, const Found& found) { place(weight) = {weight, found}; }

   private:
    struct Entry {
      double weight = -1;
      Found found = {};
    };
    Entry& place(double weight) {
      constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
      return entries_[(std::bit_cast<std::uint64_t>(weight) * kMultiplier) >> (64 - kBits)];
    }

    static constexpr int kBits = 8;
    std::array<Entry, std::size_t{1} << kBits> entries_;
  };
  using Likelihoods = std::array<float, kLevels>;

  // Over the examples of one class in which the attribute was seen.
  struct ClassSums {
    double count = 0;    // Σ 1
    double product = 0;  // Σ u
  };

  // ρ̂ and what belongs to it, before π is known.
  struct Raw {
    double rho = 0;
    double deviation = 0;  // √v, in units of the largest value
  };

  Sums scaled(std::size_t i) const {
    const Sums& s = sums_[i];
    return {s.reference,      s.weight * scale_,  s.sum * scale_,         s.square * scale_,
            s.label * scale_, s.product * scale_, s.largest * root_scale_};
  }
  // Something else than zeros came of it: without that all that is believed of it follows from its weight.
  bool varies(std::size_t i) const { return largest(i) > 0; }
  void fit_shares();
  Likelihoods likelihoods(double n, const Raw& raw) const;
  double deviation_of_zeros(double n) const;
  double deviation(const Sums& sums, std::size_t i) const;
  double between_classes(const Sums& sums, std::size_t i, double deviation) const;
  Raw raw(std::size_t i) const;
  Status restore_classes(const State& state, const std::string& name);
  void set_unit(double unit);

  LargeArray<Sums> sums_;
  std::vector<std::vector<ClassSums>> classes_;  // from class 2 on, by attribute
  double unit_ = 1;                     // what an example of importance 1 adds, from 1 to kLargestUnit
  double scale_ = 1;                    // 1/unit_
  double root_unit_ = 1;                // √unit_
  double root_scale_ = 1;               // √scale_
  std::array<double, kLevels> shares_;  // π

  // Of the last fit().
  bool centred_ = true;
  double label_mean_ = 0;      // about its reference
  double label_offset_ = 0;    // the reference less what labels are centred on
  double label_variance_ = 0;  // about what labels are centred on
  double pooled_ = 1;          // variance of attributes in units of their largest value
  double mean_deviation_ = 1;
  std::vector<double> class_shares_;  // of more than two classes
  double label_reference_ = 0;
  double directions_ = 1;
};

/// Estimates of many attributes, the same as estimate() gives: those of which nothing but zeros came, which
/// are most of very many, are computed once for each weight. Valid while the screen does not change.
class AttributeScreen::Estimates {
 public:
  explicit Estimates(const AttributeScreen& screen) : screen_(screen) {}
  Estimate operator()(std::size_t i);

 private:
  const AttributeScreen& screen_;
  ByWeight<Estimate> known_;
};

}  // namespace glimpse
