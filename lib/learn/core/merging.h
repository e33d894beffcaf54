#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"

namespace glimpse {

/// What the numbers of one learner are in another one, which is to have its examples: attributes, codes of
/// categories and classes are numbered in the order in which records brought them. Empty: the numbers are the
/// same.
struct Numbering {
  std::vector<Attribute> attributes;              ///< of each attribute of the other one; each once
  std::vector<std::vector<std::uint32_t>> codes;  ///< of each of its attributes: of each code
  std::vector<std::uint32_t> classes;             ///< of each of its classes; each once

  Attribute attribute(std::size_t i) const {
    return attributes.empty() ? static_cast<Attribute>(i) : attributes[i];
  }
  std::uint32_t code(std::size_t i, std::uint32_t code) const {
    return codes.empty() || code >= codes[i].size() ? code : codes[i][code];
  }
};

/// The same the other way round: of each slot here (FeatureMap), that of the other learner, or kNoSlot.
struct MergedSlots {
  static constexpr std::size_t kNoSlot = static_cast<std::size_t>(-1);

  std::vector<std::size_t> from;            ///< of as many slots as features() have room for
  std::vector<std::size_t> classes;         ///< of each class here
  std::span<const Attribute> attributes;    ///< Numbering::attributes
  std::span<const std::uint32_t> of_class;  ///< Numbering::classes
  bool are_same = true;                     ///< slots and attributes have the same numbers in both
  bool are_same_classes = true;
};

}  // namespace glimpse
