#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/options/options.h"

namespace glimpse {

/// How many attributes have products at a time, with products > 0: all, or as many as pair_memory has room
/// for beside the pairs of all attributes, up to 48 with products of two and 16 with products of three. 0:
/// less than 8 fit. Of a learner that screens: all, where all are active and all their products fit. Else so
/// many at most, up to half of the active ones where others are not. Their products are a quarter of the
/// features that there is room for, or what `active` leaves; 0: less than 4 fit.
std::size_t product_places(const LearnerOptions& options);

/// How many features the products of product_places() attributes are; 0 without products.
std::size_t product_features(const LearnerOptions& options);

/// What products of pairwise and pairwise-screened go with, and the room for their pairs. Errors:
/// kInvalidArgument.
Status validate_pair_products(const LearnerOptions& options);

/// Why learners with products cannot be merged: an Error (kUnavailable).
Status refuse_to_merge_products();

/// Part of validate(): LearnerOptions::labels.
Status validate_labels(const LearnerOptions& options);

/// Their names as --label takes them, on one line: line ends in them become blanks.
std::string label_line(const std::vector<std::string>& labels);

}  // namespace glimpse
