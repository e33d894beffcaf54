#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace glimpse {

/// Of a classifier.
struct ClassFacts {
  /// A class, and of how many examples that were learned from it was.
  struct Class {
    std::string name;
    std::uint64_t examples = 0;
  };
  std::size_t count = 0;       ///< of classes
  std::vector<Class> classes;  ///< the first ClassReport::kMostConfused
  double slope = 1;            ///< of probabilities
};

}  // namespace glimpse
