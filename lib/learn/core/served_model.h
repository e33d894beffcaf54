#pragma once

#include <cstdint>
#include <memory>

#include "learn/core/past_model.h"

namespace glimpse {

/// Which model answers questions.
enum class Served : std::uint8_t {
  kNewest,
  kEarlier,  ///< one that was better than the mean while it was the newest
  kMean,     ///< the mean of the labels; 0 without a bias
};

const char* name_of(Served served);

/// What a ModelGuard knows, in the squared unit of the label.
struct GuardReport {
  Served served = Served::kNewest;
  std::uint64_t model_examples = 0;  ///< kEarlier: after how many examples it was made
  std::uint64_t judged = 0;   ///< examples that the next two are about: those of the verdict, while the
                              ///< newest is withheld, and else those of now
  double excess = 0;          ///< the newest models' squared error above the mean predictor's
  double standard_error = 0;  ///< of the excess
};

/// The model that answers in place of the newest. Immutable: any thread may keep it.
struct ServedModel {
  Served served = Served::kNewest;
  std::shared_ptr<const PastModel> earlier;  ///< of kEarlier

  /// The model, in the learner's units; `mean` is the bias of kMean. Not for kNewest.
  Model model(std::size_t dimension, double mean) const;
};

}  // namespace glimpse
