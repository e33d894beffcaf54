#include "daemon/predictions/pinned_model.h"

namespace glimpse {

double PinnedModel::predict(std::span<const Entry> entries, const Learner& learner) const {
  return learner.predict_with(*model, entries);
}

}  // namespace glimpse
