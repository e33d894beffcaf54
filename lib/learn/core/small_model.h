#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/types.h"
#include "learn/core/model.h"
#include "learn/options/prices.h"

namespace glimpse {

/// Which small model is wanted: of at most so many attributes, of at most so much money, or both.
struct SmallModelQuestion {
  static constexpr std::size_t kMostAttributes = 256;

  std::size_t attributes = 0;  ///< up to kMostAttributes; 0: as many as the money buys
  std::optional<Money> cost;   ///< of an example

  bool operator==(const SmallModelQuestion&) const = default;
};

/// A model of few attributes, those that predict best together, and how good fewer of them would be.
struct SmallModel {
  /// The best set of one attribute more than in the step before it.
  struct Step {
    std::vector<Attribute> added;    ///< to the set before
    std::vector<Attribute> removed;  ///< from it: mostly none
    std::size_t features = 0;        ///< of the set
    Money cost = 0;                  ///< of the set; 0 where no prices are known
    double loss = 0;                 ///< expected squared error
    double loss_error = 0;           ///< its standard error
  };

  SmallModelQuestion question;
  std::vector<Attribute> chosen;  ///< the best first
  /// Of 1, 2, … attributes, up to chosen: all of a question of their number, with a cost the least loss.
  std::vector<Step> steps;
  Model model;              ///< of what is chosen: by slots, 0 for all other features
  double loss_of_mean = 0;  ///< expected squared error of the mean of the labels
};

}  // namespace glimpse
