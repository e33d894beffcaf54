#include "learn/core/served_model.h"

namespace glimpse {

const char* name_of(Served served) {
  switch (served) {
    case Served::kNewest:
      return "newest";
    case Served::kEarlier:
      return "earlier";
    case Served::kMean:
      break;
  }
  return "mean";
}

Model ServedModel::model(std::size_t dimension, double mean) const {
  if (earlier) return earlier->model();
  Model model;
  model.weights.assign(dimension, 0.0);
  model.bias = mean;
  return model;
}

}  // namespace glimpse
