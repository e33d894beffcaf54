#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/state.h"
#include "base/types.h"

namespace glimpse {

/// Sums of further labels, the targets, over the examples of PairMoments, whose attributes have only one
/// label in their own sums. A target may be the indicator of a class: it is 1 for the examples of the class,
/// and an example adds to the sums of its own class alone. So an example of K attributes costs O(K), however
/// many classes there are.
///
/// What is shared by all targets, as how often an attribute was seen, stays in AttributeSums. Sums are in the
/// unit of PairMoments. Memory: 32 bytes an attribute and target. Thread-safety: none.
class TargetSums {
 public:
  /// Of one attribute and target, over the examples in which the attribute was seen, in AttributeSums'
  /// halves.
  struct Cell {
    std::array<double, 2> label = {};    ///< Σ v
    std::array<double, 2> product = {};  ///< Σ u·v

    Cell operator*(double factor) const {
      return {{label[0] * factor, label[1] * factor}, {product[0] * factor, product[1] * factor}};
    }
  };
  /// Over all examples.
  struct Total {
    double sum = 0;     ///< Σ v
    double square = 0;  ///< Σ v²
  };

  static constexpr std::size_t kBytesACell = sizeof(Cell);

  TargetSums() = default;
  explicit TargetSums(std::size_t dimension) : dimension_(dimension) {}

  /// Targets.
  std::size_t size() const { return cells_.size(); }
  std::size_t dimension() const { return dimension_; }
  std::size_t memory_bytes() const { return cells_.size() * dimension_ * kBytesACell; }

  /// There are `count` targets at least from now on; the new ones were 0 so far.
  void grow(std::size_t count);
  /// An example whose `target` is 1 and all others 0: `offsets` are u of `seen`, `weight` in the unit of the
  /// sums, `half` that of the example. O(K).
  void add(std::size_t target, std::span<const Attribute> seen, std::span<const double> offsets,
           std::size_t half, double weight);

  const Cell& cell(std::size_t i, std::size_t target) const { return cells_[target][i]; }
  const Total& total(std::size_t target) const { return totals_[target]; }

  /// All sums multiplied. O(size()·d).
  void decay(double factor);
  void forget_attribute(std::size_t i);
  /// Adds those of `other`, each multiplied by `ratio`, of attribute i about a reference that is offsets[i]
  /// above ours.
  void merge(const TargetSums& other, double ratio, std::span<const double> offsets);
  /// Under names that begin with `name`; nothing where there are no targets.
  void save(State& state, const std::string& name) const;
  /// Of dimension() attributes; no targets where nothing was saved. Errors: kCorrupt.
  Status restore(const State& state, const std::string& name);

 private:
  std::size_t dimension_ = 0;
  std::vector<std::vector<Cell>> cells_;  // by target
  std::vector<Total> totals_;
};

}  // namespace glimpse
