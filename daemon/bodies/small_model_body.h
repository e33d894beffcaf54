#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/bodies/feature_names.h"
#include "daemon/bodies/partition_offsets.h"
#include "learn/core/small_model.h"

namespace glimpse {

/// A small model copied out for a query: immutable once made.
struct SmallModelSnapshot {
  std::shared_ptr<const SmallModel> small;
  std::string algorithm;
  std::uint64_t examples = 0;
  std::uint64_t attributes_revealed = 0;
  double age_seconds = 0;              ///< model_age_seconds()
  PartitionOffsets positions;          ///< of a fleet's model; else empty
  std::string of_class;                ///< of a classifier: whose indicator is predicted; empty: a number is
  bool has_prices = false;             ///< what it costs is known
  std::vector<std::string> names;      ///< of attributes 0, 1, …; may be fewer than d
  std::vector<ModelFeature> features;  ///< of all attributes; empty: each is its own feature
};

/// The attributes that were chosen, the best first, "weights" by the names of their features, and "curve":
/// expected losses of 0, 1, … attributes.
std::string small_model_json(const SmallModelSnapshot& snapshot);

}  // namespace glimpse
