#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/core/model.h"
#include "learn/core/target_moments.h"
#include "stats/pair_snapshot.h"

namespace glimpse {

/// Where the slots of a model of all attributes are in sums of some of them, kept by place. A model that
/// answers may be of another time than the sums: what these do not have counts as independent of all else.
class PlacedSlots {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// `active`, ascending: the attributes of `sums`; `slots`: the products that are kept, of places, about
  /// `centres`; none where products are not. Attributes that `sums` leaves out have no place,
  /// their products may have one.
  PlacedSlots(const Model& model, std::span<const Attribute> active, const PairSnapshot& sums,
              const ProductSlots& slots = {}, std::span<const double> centres = {});

  /// `model` by place.
  Model placed() const;
  /// What is described by place, placed() among it, becomes that of the model. `means`, `variances`: of all
  /// attributes; `centre`: the means of the model's slots, where products may have no place.
  TargetMoments unplaced(const TargetMoments& placed, std::span<const double> means,
                         std::span<const double> variances, std::span<const double> centre) const;

 private:
  const Model& model_;
  ProductSlots slots_;
  std::vector<double> centres_;
  std::size_t places_;                // of attributes and products
  std::vector<std::uint32_t> place_;  // by the model's slots
};

/// A model of attributes and products by place in `active`, ascending, as one of all `dimension` attributes,
/// the others of weight 0: products have the same places, behind the attributes.
Model unplaced(const Model& placed, std::span<const Attribute> active, std::size_t dimension);

/// `values`, one of each slot of such a model, in the slots of the other; `rest` of other attributes.
std::vector<double> unplaced(std::span<const double> values, std::span<const Attribute> active,
                             std::size_t dimension, double rest = 0);

/// `model` becomes one of the attributes alone.
void drop_products(Model& model);

/// What holds of attributes, for all slots: false of products.
std::vector<bool> with_products(std::vector<bool> of_places, std::size_t slots);

}  // namespace glimpse
