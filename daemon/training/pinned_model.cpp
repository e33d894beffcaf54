#include "daemon/training/pinned_model.h"

#include <cmath>

namespace glimpse {

double PinnedModel::predict(std::span<const Entry> entries, const Learner& learner) const {
  double sum = model->bias;
  for (const Entry& entry : entries)
    sum += model->weights[entry.attribute] *
           (std::isnan(entry.value) ? learner.sampling_row(entry.attribute).moment.mean : entry.value);
  return sum;
}

}  // namespace glimpse
